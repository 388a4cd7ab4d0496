/** Checked in this order, because many browsers also name others. */
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
 * `Chrome · macOS`, from a User-Agent header.
 * @returns the header itself if the browser is unknown, null if it is empty
 */
export function browserOf(userAgent: string): string | null {
  const found = [browsers, systems].map((kinds) => kinds.find(([, pattern]) => pattern.test(userAgent))?.[0]);
  const known = found.filter((name) => name !== undefined).join(' · ');
  return known || userAgent.trim() || null;
}
