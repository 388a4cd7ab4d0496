import { BitReader } from './bits.js';
import { aacRate } from './mpeg-audio.js';

export interface PacketLength {
  /** Samples of one packet. */
  readonly samples: number;
  /** Samples a second. */
  readonly rate: number;
}

/** Low delay: half of the usual. */
const lowDelay = new Set([23, 39]);

/** What an AudioSpecificConfig says of every packet (ISO 14496-3, 1.6). A rate that is doubled later is not its business. */
export function aacPackets(config: Buffer): PacketLength | null {
  const bits = new BitReader(config);
  const short = bits.take(5);
  const kind = short === 31 ? 32 + bits.take(6) : short;
  const code = bits.take(4);
  const rate = code === 15 ? bits.take(24) : aacRate(code);
  return rate ? { samples: lowDelay.has(kind) ? 512 : 1024, rate } : null;
}
