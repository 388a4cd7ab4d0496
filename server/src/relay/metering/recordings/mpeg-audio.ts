import { longer, Pace, type Walk } from './walk.js';

/** A frame of MP3 or AAC, as its header describes it. */
export interface MpegFrame {
  /** Bytes with the header; 0 where the header does not say. */
  readonly length: number;
  readonly samples: number;
  readonly rate: number;
}

type ReadFrame = (bytes: Buffer, at: number) => MpegFrame | null;

/** An MP3 file: the larger of what a table in its first frame claims and what its frames hold. */
export function* mp3Seconds(bytes: Buffer): Walk {
  const found = yield* framesSeconds(bytes, mp3Frame);
  return longer(found.first < 0 ? 0 : claimedSeconds(bytes, found.first), found.seconds);
}

/** An AAC file of frames with headers (ADTS). */
export function* adtsSeconds(bytes: Buffer): Walk {
  return (yield* framesSeconds(bytes, adtsFrame)).seconds;
}

interface Frames {
  readonly seconds: number;
  /** Where the first one begins; negative where there is none. */
  readonly first: number;
}

/**
 * Adds up frames. One that follows another is believed; behind anything else it has to be like the last one, or be followed
 * by one: what is no sound looks like a header now and then.
 */
function* framesSeconds(bytes: Buffer, read: ReadFrame): Generator<undefined, Frames> {
  const pace = new Pace();
  let seconds = 0;
  let first = -1;
  let last: MpegFrame | null = null;
  let expected = -1;
  for (let at = bytes.indexOf(0xff); at >= 0 && at < bytes.length;) {
    if (pace.due()) yield;
    const frame = read(bytes, at);
    if (frame && (at === expected || isLike(frame, last) || followed(bytes, at, frame, read))) {
      seconds += frame.samples / frame.rate;
      if (first < 0) first = at;
      last = frame;
      // A header that does not say how long its frame is: the next one is looked for.
      expected = frame.length === 0 ? -1 : at + frame.length;
      at = expected < 0 ? bytes.indexOf(0xff, at + 4) : expected;
      continue;
    }
    at = bytes.indexOf(0xff, at + 1);
  }
  return { seconds, first };
}

const isLike = (frame: MpegFrame, last: MpegFrame | null): boolean =>
  last !== null && frame.rate === last.rate && frame.samples === last.samples;

/** By another frame, or by the end of the file. */
function followed(bytes: Buffer, at: number, frame: MpegFrame, read: ReadFrame): boolean {
  const next = at + frame.length;
  return frame.length > 0 && (next >= bytes.length || read(bytes, next) !== null);
}

const v1 = {
  rates: [44_100, 48_000, 32_000],
  kilobits: {
    1: [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    2: [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    3: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  },
} as const;
const lowKilobits = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160] as const;
const v2Kilobits = {
  1: [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  2: lowKilobits,
  3: lowKilobits,
} as const;

/** MPEG 1, 2 and 2.5, layers I to III. */
export function mp3Frame(bytes: Buffer, at: number): MpegFrame | null {
  if (at + 4 > bytes.length || bytes[at] !== 0xff) return null;
  const second = bytes[at + 1] ?? 0;
  const third = bytes[at + 2] ?? 0;
  const version = (second >> 3) & 3;
  const layer = (4 - ((second >> 1) & 3)) as 1 | 2 | 3 | 4;
  const baseRate = v1.rates[(third >> 2) & 3];
  const kilobitsCode = third >> 4;
  if ((second & 0xe0) !== 0xe0 || version === 1 || layer === 4 || !baseRate || kilobitsCode === 15) return null;
  const isFirst = version === 3;
  const rate = baseRate / (isFirst ? 1 : version === 2 ? 2 : 4);
  const kilobits = (isFirst ? v1.kilobits : v2Kilobits)[layer][kilobitsCode] ?? 0;
  const samples = layer === 1 ? 384 : layer === 3 && !isFirst ? 576 : 1152;
  const slot = layer === 1 ? 4 : 1;
  const padding = (third >> 1) & 1;
  const length = kilobits === 0 ? 0 : (Math.floor((samples * kilobits * 125) / rate / slot) + padding) * slot;
  return { length, samples, rate };
}

const adtsRates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350];

/** The rate that an AAC stream names by a number; undefined for those that mean something else. */
export const aacRate = (code: number): number | undefined => adtsRates[code];

function adtsFrame(bytes: Buffer, at: number): MpegFrame | null {
  if (at + 7 > bytes.length || bytes[at] !== 0xff || ((bytes[at + 1] ?? 0) & 0xf6) !== 0xf0) return null;
  const rate = aacRate(((bytes[at + 2] ?? 0) >> 2) & 15);
  const length = (bytes.readUInt32BE(at + 3) >>> 13) & 0x1fff;
  if (rate === undefined || length < 7) return null;
  return { length, samples: 1024 * (((bytes[at + 6] ?? 0) & 3) + 1), rate };
}

/** What a Xing, Info or VBRI table behind the first header says. */
function claimedSeconds(bytes: Buffer, at: number): number {
  const frame = mp3Frame(bytes, at);
  if (!frame) return 0;
  const isFirst = frame.rate >= 32_000;
  const isMono = (bytes[at + 3] ?? 0) >> 6 === 3;
  const xing = at + 4 + (isFirst ? (isMono ? 17 : 32) : isMono ? 9 : 17);
  const each = frame.samples / frame.rate;
  const named = bytes.toString('latin1', xing, xing + 4);
  if ((named === 'Xing' || named === 'Info') && xing + 12 <= bytes.length && ((bytes[xing + 7] ?? 0) & 1) === 1) {
    return bytes.readUInt32BE(xing + 8) * each;
  }
  const vbri = at + 36;
  if (bytes.toString('latin1', vbri, vbri + 4) !== 'VBRI' || vbri + 18 > bytes.length) return 0;
  return bytes.readUInt32BE(vbri + 14) * each;
}
