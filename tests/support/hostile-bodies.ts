/** Bodies that are small on the wire and large in memory. */

export const hostileHead = '{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]';

/** Every form of the attack by its name, about `bytes` long. */
export const hostileShapes: Readonly<Record<string, (bytes: number) => string>> = {
  text: (bytes) => `${hostileHead},"x":"${'a'.repeat(bytes)}"}`,
  'empty lists': (bytes) => `${hostileHead},"x":[${'[],'.repeat(bytes / 3)}0]}`,
  'empty messages': (bytes) => `{"model":"gpt-4o","messages":[${'{},'.repeat(bytes / 3)}{}]}`,
  members: (bytes) =>
    `${hostileHead},${Array.from({ length: bytes / 14 }, (_, index) => `"k${index + 1e6}":0`).join(',')}}`,
  nested: (bytes) => `${hostileHead},"x":${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}}`,
  numbers: (bytes) => `${hostileHead},"x":[${'1,'.repeat(bytes / 2)}0]}`,
  blanks: (bytes) => `${hostileHead},"x":0${' '.repeat(bytes)}}`,
  escapes: (bytes) => `${hostileHead},"x":"${'\\u0041'.repeat(bytes / 6)}"}`,
};
