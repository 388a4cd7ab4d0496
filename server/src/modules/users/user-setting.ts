/** What an admin sees of somebody's setting (JSON text, `rest-api.md` 2.2): without the secret that signs his webhooks. */
export function withoutSecrets(setting: string): string {
  if (setting === '') return '';
  try {
    const keys = JSON.parse(setting) as Record<string, unknown>;
    const shown = Object.entries(keys).filter(([key]) => !/secret|token|password/i.test(key));
    return JSON.stringify(Object.fromEntries(shown));
  } catch {
    return '';
  }
}
