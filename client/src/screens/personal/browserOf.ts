/** In this order: many name their relatives, too. */
const browsers = [
  ['Edge', /\bEdgA?\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(HeadlessChrome|Chrome|CriOS)\//],
  ['Safari', /\bVersion\/[\d.]+.*Safari\//],
  ['curl', /^curl\//],
] as const;

const systems = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
] as const;

/**
 * `Chrome · macOS`, out of what a browser calls itself.
 * @returns its own words when they are of no kind we know, null when it has none
 */
export function browserOf(userAgent: string): string | null {
  const found = [browsers, systems].map((kinds) => kinds.find(([, pattern]) => pattern.test(userAgent))?.[0]);
  const known = found.filter((name) => name !== undefined).join(' · ');
  return known || userAgent.trim() || null;
}
