/** Returns the proxy in a channel's `setting` (JSON text), as an option of a call. */
export function proxyOf(setting: string): { proxy?: string } {
  if (setting === '') return {};
  try {
    const { proxy } = JSON.parse(setting) as { proxy?: unknown };
    return typeof proxy === 'string' && proxy !== '' ? { proxy } : {};
  } catch {
    return {};
  }
}
