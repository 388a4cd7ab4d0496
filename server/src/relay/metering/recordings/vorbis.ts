/** Modes a stream may have at most. */
const mostModes = 64;
/** Bits of a mode in the setup header: long or short block, window type, transform type, mapping. */
const modeBits = 41;

/** Samples of a stream's packets: each adds a quarter of its own block and a quarter of the one before. */
export class VorbisPackets {
  private previous = 0;

  private constructor(
    private readonly short: number,
    private readonly long: number,
    /** Which modes have long blocks; null where the setup header does not tell. */
    private readonly modes: readonly boolean[] | null,
  ) {}

  /**
   * @param identification the first packet of the stream
   * @param setup its third
   */
  static of(identification: Buffer, setup: Buffer): VorbisPackets {
    const sizes = identification[28] ?? 0;
    return new VorbisPackets(1 << (sizes & 15), 1 << (sizes >> 4), longModes(setup));
  }

  samples(packet: Buffer): number {
    const head = packet[0];
    // An odd first byte is a header.
    if (head === undefined || (head & 1) === 1) return 0;
    const block = this.modes?.[(head >> 1) & this.mask] === true ? this.long : this.short;
    const samples = this.previous === 0 ? 0 : (this.previous + block) / 4;
    this.previous = block;
    return samples;
  }

  private get mask(): number {
    let mask = 0;
    while (mask < (this.modes?.length ?? 1) - 1) mask = mask * 2 + 1;
    return mask;
  }
}

/**
 * The modes stand at the end of the setup header, behind tables that only a decoder can read. So they are read from the
 * end on: as long as something looks like a mode, one more of them may be meant; where the number before them agrees, they
 * are all.
 */
function longModes(setup: Buffer): boolean[] | null {
  const bit = (at: number): number => ((setup[at >> 3] ?? 0) >> (at & 7)) & 1;
  const number = (from: number, count: number): number => {
    let value = 0;
    for (let at = count - 1; at >= 0; at--) value = value * 2 + bit(from + at);
    return value;
  };
  let end = setup.length * 8 - 1;
  while (end > 0 && bit(end) === 0) end--;
  const found: boolean[] = [];
  let all: boolean[] | null = null;
  for (let at = end - modeBits; at >= 6 && found.length < mostModes; at -= modeBits) {
    if (number(at + 1, 32) !== 0 || number(at + 33, 8) > 63) break;
    found.unshift(bit(at) === 1);
    if (number(at - 6, 6) + 1 === found.length) all = [...found];
  }
  return all;
}
