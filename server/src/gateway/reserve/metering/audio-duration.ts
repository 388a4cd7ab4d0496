import type { IAudioMetadata } from 'music-metadata';
import { InvalidInputError } from '../../../shared/errors.js';
import { PacedTokenizer } from './paced-tokenizer.js';
import { webmTimes } from './webm-times.js';

/** Seconds. Longer recordings are rejected: no provider accepts them, and the price is multiplied by the length. */
const maxSeconds = 24 * 3600;

/**
 * Returns the length of a recording in seconds: the length that the file states, but at least the length that its bytes
 * take at the highest bitrate of its codec, because the client controls the header. The name and type that the client
 * sends are ignored.
 * @throws AppError INVALID_INPUT when the length cannot be determined: such a call cannot be priced
 */
export async function audioDuration(file: Buffer): Promise<number> {
  const bytes = withoutTag(file);
  const head = bytes.toString('latin1', 0, 12);
  // There may be padding between a tag and the first MP3 frame.
  const kind = kinds.find(([beginning]) => beginning.test(head))?.[1] ?? (bytes === file ? null : 'mp3');
  if (!kind) throw unreadable();
  const seconds = kind === 'webm' ? await webmSeconds(bytes) : await parsedSeconds(bytes, kind);
  // The length is charged in full seconds, rounded up, so rounding errors must not add one.
  const rounded = Math.round(seconds * 1e6) / 1e6;
  if (!(rounded > 0) || rounded > maxSeconds) throw unreadable();
  return rounded;
}

type Kind = 'wav' | 'ogg' | 'flac' | 'm4a' | 'webm' | 'aac' | 'mp3';

/** Containers by their first bytes, with the file extension that selects the parser. */
const kinds: ReadonlyArray<readonly [RegExp, Kind]> = [
  [/^RIFF....WAVE/s, 'wav'],
  [/^OggS/, 'ogg'],
  [/^fLaC/, 'flac'],
  [/^....(?:ftyp|moov|mdat|wide|free|skip)/s, 'm4a'],
  [/^[^ -~]E\xdf\xa3/, 'webm'],
  [/^\xff[\xf0\xf1\xf8\xf9]/, 'aac'],
  [/^\xff[\xe0-\xff]/, 'mp3'],
];

async function webmSeconds(bytes: Buffer): Promise<number> {
  const { claimed, blocks, channels, hasVideo } = await webmTimes(bytes);
  const rate = hasVideo ? maxRate.video : maxRate.channel * channels;
  return longer(claimed, Math.max(blocks, (bytes.length - headerLength) / rate));
}

async function parsedSeconds(bytes: Buffer, kind: Kind): Promise<number> {
  // The module is loaded with the first recording, because most nodes never process one.
  const { parseFromTokenizer } = await import('music-metadata');
  let metadata: IAudioMetadata;
  try {
    metadata = await parseFromTokenizer(new PacedTokenizer(bytes, `recording.${kind}`), { duration: true });
  } catch {
    throw unreadable();
  }
  const track = metadata.format.duration ?? 0;
  return longer(kind === 'm4a' ? presented(bytes, track) : track, minSeconds(bytes, kind, metadata));
}

/** Bytes before the first sample of the shortest container, a WAV file. */
const headerLength = 44;
/** The maximum in Hertz. */
const maxSampleRate = 192_000;
/** Highest plausible bitrates, in bytes per second: of a whole MP3, of one channel of another codec, and of a video. */
const maxRate = { mp3: 320_000 / 8, channel: 256_000 / 8, video: 20_000_000 / 8 } as const;

/** Returns the length of the bytes at the highest bitrate of their codec, in seconds. Images in tags do not count. */
function minSeconds(bytes: Buffer, kind: Kind, { format, common }: IAudioMetadata): number {
  const pictures = (common.picture ?? []).reduce((sum, { data }) => sum + data.length, 0);
  const { sampleRate = 0, numberOfChannels = 1, bitsPerSample = 0 } = format;
  const uncompressed = (Math.min(sampleRate, maxSampleRate) * numberOfChannels * bitsPerSample) / 8;
  // Uncompressed or lossless: the samples dominate the size.
  const isPlain = kind === 'wav' || kind === 'flac' || format.codec === 'ALAC';
  const hasVideo = format.trackInfo.some(({ video }) => video) || format.hasVideo === true;
  const compressed = kind === 'mp3' ? maxRate.mp3 : maxRate.channel * numberOfChannels;
  const rate = isPlain && uncompressed > 0 ? uncompressed : hasVideo ? maxRate.video : compressed;
  return Math.max(0, bytes.length - pictures - headerLength) / rate;
}

/** Seconds of silence that codecs add at both ends, and of bytes without audio. A correct header excludes them. */
const padding = 0.25;

/** Returns the larger of the stated and the measured length, in seconds. */
const longer = (claimed: number, measured: number): number =>
  claimed > 0 && measured - claimed <= padding ? claimed : Math.max(claimed, measured);

/**
 * Returns the length of an MP4 track without the silence before and after it. The movie header excludes the silence;
 * the track's length includes it.
 */
function presented(bytes: Buffer, track: number): number {
  const at = bytes.indexOf('mvhd', 0, 'latin1');
  if (at < 0 || at + 24 > bytes.length || bytes[at + 4] !== 0) return track;
  const movie = bytes.readUInt32BE(at + 20) / bytes.readUInt32BE(at + 16);
  return movie > 0 && track > movie && track - movie <= padding ? movie : track;
}

const tagLength = 10;

/** Removes an ID3 tag, whose length is in four bytes of seven bits each. */
function withoutTag(bytes: Buffer): Buffer {
  if (bytes.length < tagLength || bytes.toString('latin1', 0, 3) !== 'ID3') return bytes;
  let length = 0;
  for (const byte of bytes.subarray(6, tagLength)) length = length * 128 + (byte & 0x7f);
  return bytes.subarray(tagLength + length);
}

const unreadable = (): InvalidInputError => new InvalidInputError('file is not a readable audio file', 'file');
