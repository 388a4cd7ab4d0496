import { InvalidInputError } from '../../shared/errors.js';
import { flacSeconds } from './recordings/flac.js';
import { mp4Seconds } from './recordings/mp4.js';
import { adtsSeconds, mp3Seconds } from './recordings/mpeg-audio.js';
import { oggSeconds } from './recordings/ogg.js';
import { walked, type Walk } from './recordings/walk.js';
import { wavSeconds } from './recordings/wav.js';
import { webmSeconds } from './recordings/webm.js';

/** Longer recordings are refused: no provider takes them, and their number is multiplied. */
const longestSeconds = 24 * 3600;

/**
 * How long a recording is, in seconds: the larger of what its header claims and what its frames, packets or samples add up
 * to, because the client wrote the header and the provider hears the sound. Nothing outside this process is asked; a name
 * or a type that the client gives is not looked at.
 * @throws AppError INVALID_INPUT when it cannot be told: nobody can be charged for what nobody can measure
 */
export async function audioDuration(file: Buffer): Promise<number> {
  const bytes = withoutTag(file);
  const head = bytes.toString('latin1', 0, 12);
  // Behind a tag there may be padding before the first frame.
  const unnamed = bytes === file ? undefined : mp3Seconds;
  const measure = kinds.find(([beginning]) => beginning.test(head))?.[1] ?? unnamed;
  // Started seconds are charged: what adding up many frames leaves behind the sixth digit is none.
  const seconds = Math.round((measure ? await walked(measure(bytes)) : 0) * 1e6) / 1e6;
  if (!(seconds > 0) || seconds > longestSeconds) throw unreadable();
  return seconds;
}

/** What a recording is by its first bytes. Titles and pictures may stand before them. */
const kinds: ReadonlyArray<readonly [RegExp, (bytes: Buffer) => Walk]> = [
  [/^RIFF....WAVE/s, wavSeconds],
  [/^OggS/, oggSeconds],
  [/^fLaC/, flacSeconds],
  [/^....(?:ftyp|moov|mdat|wide|free|skip)/s, mp4Seconds],
  [/^[^ -~]E\xdf\xa3/, webmSeconds],
  [/^\xff[\xf0\xf1\xf8\xf9]/, adtsSeconds],
  [/^\xff[\xe0-\xff]/, mp3Seconds],
];

const tagLength = 10;

/** An ID3 tag, of MP3 and of whoever took it over from there: four bytes of seven bits say how long it is. */
function withoutTag(bytes: Buffer): Buffer {
  if (bytes.length < tagLength || bytes.toString('latin1', 0, 3) !== 'ID3') return bytes;
  let length = 0;
  for (const byte of bytes.subarray(6, tagLength)) length = length * 128 + (byte & 0x7f);
  return bytes.subarray(tagLength + length);
}

const unreadable = (): InvalidInputError => new InvalidInputError('file is not a recording that can be read', 'file');
