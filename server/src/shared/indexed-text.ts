/**
 * Maximum bytes of a text that has an index, such as the content of log rows. Postgres refuses index rows above 2,704
 * bytes, and with them the row or the transaction.
 */
export const maxIndexedBytes = 2_500;

/** Returns the beginning of a text, without half a character. */
export function cutToBytes(text: string, bytes: number): string {
  // No character has more than three bytes in UTF-8 for each of its units here.
  if (text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes) return text;
  return Buffer.from(text)
    .subarray(0, bytes)
    .toString('utf8')
    .replace(/\uFFFD+$/, '');
}
