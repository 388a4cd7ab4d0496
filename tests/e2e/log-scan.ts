/** Secrets that must never be logged, by kind: `{ 'upstream key': 'sk-…', 'message content': 'a phrase …' }`. */
export type Planted = Readonly<Record<string, string>>;

/** Credentials that are recognized by their shape, planted or not. */
const shapes: Readonly<Record<string, RegExp>> = {
  'a key of the sk- family': /\bsk-(?!\[redacted\])[A-Za-z0-9_-]{16,}/,
  'a bearer credential': /\bBearer\s+(?!\[redacted\])[A-Za-z0-9._~+/=-]{16,}/i,
  'the password of a URL': /\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@"\\]*:(?!\[redacted\])[^\s/@"\\]+@/i,
  'a password hash': /\$argon2id\$|\$2[aby]\$\d\d\$/,
  'a sealed value': /\bv1\.[A-Za-z0-9_-]{40,}/,
  'a session cookie': /\bsession=(?!\[redacted\])[A-Za-z0-9._~%-]{16,}/,
};

/** Every line of a whole run against what was planted and what looks like a secret. @returns one text for each leak */
export function findLeaks(lines: readonly string[], planted: Planted): string[] {
  const forms = Object.entries(planted).flatMap(([what, value]) => encodings(value).map((form) => ({ what, form })));
  return lines.flatMap((line) => [
    ...forms.filter(({ form }) => line.includes(form)).map(({ what }) => `${what}: ${line}`),
    ...Object.entries(shapes)
      .filter(([, shape]) => shape.test(line))
      .map(([what]) => `${what}: ${line}`),
  ]);
}

/** Lines that are not one JSON object with a level, a time and a message; what Node or a library printed by itself. */
export function findUnstructured(lines: readonly string[]): string[] {
  return lines.filter((line) => {
    try {
      const { level, time, msg } = JSON.parse(line) as Record<string, unknown>;
      return ![level, time, msg].every((field) => typeof field === 'string');
    } catch {
      return true;
    }
  });
}

/** A secret may appear unchanged, in JSON inside JSON, in a URL, or in base64. */
function encodings(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1);
  return [
    ...new Set([
      value,
      json,
      JSON.stringify(json).slice(1, -1),
      encodeURIComponent(value),
      Buffer.from(value).toString('base64').replace(/=+$/, ''),
      Buffer.from(value).toString('base64url'),
    ]),
  ];
}
