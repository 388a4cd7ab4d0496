import { Pace, type Walk } from './walk.js';

/** What a stream of frames has in common. */
export interface FlacStream {
  readonly rate: number;
  readonly bitsPerSample: number;
  /** As the header claims; 0 where it does not know. */
  readonly totalSamples: number;
}

interface FlacFrame {
  readonly samples: number;
  readonly rate: number;
  readonly headerLength: number;
}

const infoLength = 34;
/** A channel of silence and the check sum. */
const leastBody = 4;

/** A native FLAC file: the larger of what its header claims and what its frames hold. */
export function* flacSeconds(bytes: Buffer): Walk {
  const info = flacStream(bytes, 8);
  if (!info) return 0;
  const claimed = info.totalSamples / info.rate;
  const pace = new Pace();
  let held = 0;
  let at = afterMetadata(bytes);
  while ((at = bytes.indexOf(0xff, at)) >= 0) {
    const frame = ((bytes[at + 1] ?? 0) & 0xfe) === 0xf8 ? flacFrame(bytes, at, info) : null;
    if (frame) held += frame.samples / Math.min(frame.rate, info.rate);
    at += frame ? frame.headerLength + leastBody : 1;
    if (pace.due()) yield;
  }
  return Math.max(claimed, held);
}

/** STREAMINFO. @param at where its 34 bytes begin */
export function flacStream(bytes: Buffer, at: number): FlacStream | null {
  if (bytes.length < at + infoLength) return null;
  const packed = bytes.readUInt32BE(at + 10);
  const rate = packed >>> 12;
  if (rate === 0) return null;
  const bitsPerSample = ((packed >>> 4) & 31) + 1;
  return { rate, bitsPerSample, totalSamples: (packed & 15) * 2 ** 32 + bytes.readUInt32BE(at + 14) };
}

function afterMetadata(bytes: Buffer): number {
  for (let at = 4; at + 4 <= bytes.length;) {
    const last = ((bytes[at] ?? 0) & 0x80) !== 0;
    at += 4 + bytes.readUIntBE(at + 1, 3);
    if (last) return at;
  }
  return bytes.length;
}

const rates = [0, 88_200, 176_400, 192_000, 8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000];
const depths = [0, 8, 12, -1, 16, 20, 24, 32];

/**
 * The frame whose header stands at `at`, if one does. Sound may look like a header by chance: the check sum and the depth
 * of the stream leave one in some hundred megabytes.
 */
export function flacFrame(bytes: Buffer, at: number, stream: FlacStream): FlacFrame | null {
  const [first = 0, second = 0, third = 0, fourth = 0] = bytes.subarray(at, at + 4);
  if (first !== 0xff || (second & 0xfe) !== 0xf8 || (fourth & 1) === 1 || fourth >> 4 > 10) return null;
  const depth = depths[(fourth >> 1) & 7] ?? -1;
  if (depth !== 0 && depth !== stream.bitsPerSample) return null;
  const sizeCode = third >> 4;
  const rateCode = third & 15;
  if (sizeCode === 0 || rateCode === 15) return null;
  const numberLength = codedLength(bytes[at + 4] ?? 0);
  const sizeLength = sizeCode === 6 ? 1 : sizeCode === 7 ? 2 : 0;
  const rateLength = rateCode < 12 ? 0 : rateCode === 12 ? 1 : 2;
  const sizeAt = at + 4 + numberLength;
  const sumAt = sizeAt + sizeLength + rateLength;
  if (numberLength === 0 || sumAt >= bytes.length || bytes[sumAt] !== checkSum(bytes, at, sumAt)) return null;
  const rateAt = sizeAt + sizeLength;
  const rate = rateLength === 0 ? rates[rateCode] : bytes.readUIntBE(rateAt, rateLength) * (rateUnits[rateCode] ?? 1);
  const samples = sizeLength === 0 ? blockSize(sizeCode) : bytes.readUIntBE(sizeAt, sizeLength) + 1;
  return { samples, rate: rate || stream.rate, headerLength: sumAt + 1 - at };
}

const rateUnits: Readonly<Record<number, number>> = { 12: 1000, 13: 1, 14: 10 };

const blockSize = (code: number): number => (code === 1 ? 192 : code < 6 ? 576 << (code - 2) : 256 << (code - 8));

/** Bytes of a number that is written like a character of UTF-8; 0 when none begins so. */
function codedLength(first: number): number {
  const ones = Math.clz32(~(first << 24));
  return ones === 0 ? 1 : ones === 1 || ones === 8 ? 0 : ones;
}

/** CRC-8 with x^8 + x^2 + x + 1. */
function checkSum(bytes: Buffer, from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to; at++) {
    sum ^= bytes[at] ?? 0;
    for (let bit = 0; bit < 8; bit++) sum = (sum & 0x80) === 0 ? sum << 1 : ((sum << 1) ^ 0x07) & 0xff;
  }
  return sum;
}
