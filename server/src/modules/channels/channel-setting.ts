/** The proxy of a channel's `setting` (JSON text), in the form calls take it. */
export function proxyOf(setting: string): { proxy?: string } {
  if (setting === '') return {};
  try {
    const { proxy } = JSON.parse(setting) as { proxy?: unknown };
    return typeof proxy === 'string' && proxy !== '' ? { proxy } : {};
  } catch {
    return {};
  }
}
