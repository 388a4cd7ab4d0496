/** Reads bits from the most significant one of each byte on. Past the end everything is 0. */
export class BitReader {
  private at = 0;

  constructor(private readonly bytes: Buffer) {}

  /** @param count up to 32 */
  take(count: number): number {
    let value = 0;
    for (let left = count; left > 0; left--, this.at++) {
      const byte = this.bytes[this.at >> 3] ?? 0;
      value = value * 2 + ((byte >> (7 - (this.at & 7))) & 1);
    }
    return value;
  }
}
