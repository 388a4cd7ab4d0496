import { mp3Seconds } from './mpeg-audio.js';
import { longer, Pace, type Walk } from './walk.js';

interface Format {
  readonly tag: number;
  readonly rate: number;
  /** Samples and bytes of the least that can be read alone. */
  readonly samples: number;
  readonly bytes: number;
}

/** Lengths that writers put down who do not know it yet. */
const unknownLengths = new Set([0, 0xffffffff, 0x7fffffff, 0xfffffff0]);

/**
 * A WAV file: the larger of what its data claims to be long and what is there. Behind the claimed end only well-formed
 * chunks are no sound: some readers go on, whatever the header says.
 */
export function* wavSeconds(bytes: Buffer): Walk {
  const pace = new Pace();
  let format: Format | null = null;
  let claimed = 0;
  let held = 0;
  let first = -1;
  let samples = 0;
  for (let at = 12; at + 8 <= bytes.length;) {
    if (pace.due()) yield;
    const name = bytes.toString('latin1', at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    const from = at + 8;
    const rest = bytes.length - from;
    if (name === 'fmt ') format ??= formatOf(bytes.subarray(from, from + size));
    if (name === 'fact' && rest >= 4) samples = bytes.readUInt32LE(from);
    const isData = name === 'data';
    const isOpen = isData && unknownLengths.has(size);
    if (isData && first < 0) first = from;
    if (isData && !isOpen) claimed += size;
    if (first >= 0 && (isOpen || !isChunk(name) || size > rest)) {
      // Nothing that could be stepped over: all of the rest may be heard.
      held += isData ? rest : rest + 8;
      break;
    }
    if (isData) held += size;
    at = from + size + (size & 1);
  }
  if (!format || first < 0) return 0;
  if (format.tag === mp3Tag) return yield* mp3Seconds(bytes.subarray(first));
  const seconds = (Math.max(claimed, held) / format.bytes) * (format.samples / format.rate);
  // The last block is filled up; how many samples count stands elsewhere.
  return format.samples > 1 ? longer(samples / format.rate, seconds) : seconds;
}

/** Letters, digits and blanks, as every chunk is named. */
const isChunk = (name: string): boolean => /^[\w ]{4}$/.test(name);

const mp3Tag = 0x55;
const wholeTags = new Set([1, 3, 6, 7]);

/** @returns null for what nobody could measure: codecs whose packets the header alone describes */
function formatOf(chunk: Buffer): Format | null {
  if (chunk.length < 16) return null;
  const named = chunk.readUInt16LE(0);
  const tag = named === 0xfffe && chunk.length >= 26 ? chunk.readUInt16LE(24) : named;
  const channels = chunk.readUInt16LE(2);
  const rate = chunk.readUInt32LE(4);
  const block = chunk.readUInt16LE(12);
  if (rate === 0 || channels === 0) return null;
  if (wholeTags.has(tag)) {
    const sample = channels * Math.max(1, Math.ceil(chunk.readUInt16LE(14) / 8));
    return { tag, rate, samples: 1, bytes: tag > 3 ? channels : sample };
  }
  const samples = blockSamples(tag, channels, block);
  return tag === mp3Tag
    ? { tag, rate, samples: 1, bytes: 1 }
    : samples > 0
      ? { tag, rate, samples, bytes: block }
      : null;
}

/** Samples of one block of ADPCM or GSM; 0 for anything else. */
function blockSamples(tag: number, channels: number, block: number): number {
  switch (tag) {
    case 0x02:
      return ((block - 7 * channels) * 2) / channels + 2;
    case 0x11:
      return ((block - 4 * channels) * 2) / channels + 1;
    case 0x31:
      return block === 65 ? 320 : 0;
    default:
      return 0;
  }
}
