const id = {
  segment: 0x18538067,
  info: 0x1549a966,
  timecodeScale: 0x2ad7b1,
  duration: 0x4489,
  tracks: 0x1654ae6b,
  track: 0xae,
  trackType: 0x83,
  audio: 0xe1,
  channels: 0x9f,
  cluster: 0x1f43b675,
  timecode: 0xe7,
  simpleBlock: 0xa3,
  group: 0xa0,
  block: 0xa1,
} as const;

/** Elements whose children are read. All others are skipped. */
const masters = new Set<number>([id.segment, id.info, id.tracks, id.track, id.audio, id.cluster, id.group]);
/** Nanoseconds per tick unless the file says otherwise. */
const defaultScale = 1_000_000;
const elementsPerTurn = 32 * 1024;

const videoTrack = 1;

/** The times of a WebM file, and its number of channels. */
export interface WebmTimes {
  /** Duration in seconds that the header states; 0 if it states none. */
  readonly claimed: number;
  /** Seconds between the first and the last block. */
  readonly blocks: number;
  /** Number of channels of the track that has most channels. */
  readonly channels: number;
  readonly hasVideo: boolean;
}

/**
 * Reads the times of a WebM or Matroska file. Browsers record such files without a duration, in clusters of unknown
 * length, which `music-metadata` cannot read.
 */
export async function webmTimes(bytes: Buffer): Promise<WebmTimes> {
  let scale = defaultScale;
  let claimed = 0;
  let channels = 1;
  let hasVideo = false;
  let cluster = 0;
  let first: number | null = null;
  let last = 0;
  let elements = 0;
  for (let at = 0; at < bytes.length;) {
    if (++elements % elementsPerTurn === 0) await new Promise(setImmediate);
    const element = elementAt(bytes, at);
    if (!element) break;
    const { name, from, end } = element;
    const body = bytes.subarray(from, end);
    if (name === id.timecodeScale) scale = unsigned(body) || defaultScale;
    else if (name === id.duration) claimed = float(body);
    else if (name === id.channels) channels = Math.max(channels, unsigned(body));
    else if (name === id.trackType) hasVideo ||= unsigned(body) === videoTrack;
    else if (name === id.timecode) cluster = unsigned(body);
    else if (name === id.simpleBlock || name === id.block) {
      const track = variable(body, 0);
      if (track && track.length + 2 <= body.length) {
        const time = cluster + body.readInt16BE(track.length);
        first = Math.min(first ?? time, time);
        last = Math.max(last, time);
      }
    }
    at = masters.has(name) ? from : end;
  }
  const unit = scale / 1e9;
  return { claimed: claimed * unit, blocks: (last - (first ?? last)) * unit, channels, hasVideo };
}

/** Reads the header of an element. A master element of unknown length ends with the file. */
function elementAt(bytes: Buffer, at: number): { name: number; from: number; end: number } | null {
  const nameLength = Math.clz32(bytes[at] ?? 0) - 23;
  if (nameLength > 4 || at + nameLength >= bytes.length) return null;
  const size = variable(bytes, at + nameLength);
  if (!size) return null;
  const from = at + nameLength + size.length;
  const end = size.value === null ? bytes.length : Math.min(from + size.value, bytes.length);
  return { name: bytes.readUIntBE(at, nameLength), from, end };
}

/** Reads an EBML variable-length integer. A value of all ones (null) is an unknown length. */
function variable(bytes: Buffer, at: number): { readonly value: number | null; readonly length: number } | null {
  const length = Math.clz32(bytes[at] ?? 0) - 23;
  if (length > 8 || at + length > bytes.length) return null;
  let value = (bytes[at] ?? 0) & (0xff >> length);
  let isAllOnes = value === 0xff >> length;
  for (const byte of bytes.subarray(at + 1, at + length)) {
    value = value * 256 + byte;
    isAllOnes &&= byte === 0xff;
  }
  return { value: isAllOnes ? null : value, length };
}

const unsigned = (body: Buffer): number => body.subarray(0, 8).reduce((value, byte) => value * 256 + byte, 0);

function float(body: Buffer): number {
  const value = body.length === 8 ? body.readDoubleBE() : body.length === 4 ? body.readFloatBE() : 0;
  return Number.isFinite(value) ? value : 0;
}
