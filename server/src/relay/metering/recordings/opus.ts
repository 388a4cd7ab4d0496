/** Opus is always counted at this rate, whatever was recorded. */
export const opusRate = 48_000;

const silkSizes = [480, 960, 1920, 2880];
const hybridSizes = [480, 960];
const celtSizes = [120, 240, 480, 960];
/** A packet holds 120 ms at most. */
const mostSamples = 5760;

/** Samples in a packet, by its first bytes (RFC 6716, 3.1). */
export function opusSamples(packet: Buffer): number {
  const head = packet[0];
  if (head === undefined) return 0;
  const config = head >> 3;
  const sizes = config < 12 ? silkSizes : config < 16 ? hybridSizes : celtSizes;
  const each = sizes[config & (sizes.length - 1)] ?? 0;
  const code = head & 3;
  const frames = code === 0 ? 1 : code < 3 ? 2 : (packet[1] ?? 0) & 0x3f;
  return Math.min(each * frames, mostSamples);
}
