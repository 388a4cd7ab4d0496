import { InvalidInputError } from '../../shared/errors.js';

/** Longer recordings are refused: no provider takes them, and their number is multiplied. */
const longestSeconds = 24 * 3600;

/**
 * How long a recording is, in seconds, by its own frames and tables; nothing outside this process is asked.
 * @throws AppError INVALID_INPUT when it cannot be told: nobody can be charged for what nobody can measure
 */
export async function audioDuration(bytes: Buffer, contentType: string, filename: string): Promise<number> {
  // Loaded when the first recording comes: most nodes never see one.
  const { parseBuffer } = await import('music-metadata');
  let duration: number | undefined;
  try {
    const ending = endingOf(bytes);
    const named = ending
      ? { path: `recording${ending}` }
      : { mimeType: contentType === 'application/octet-stream' ? undefined : contentType, path: filename };
    const { format } = await parseBuffer(bytes, named, { duration: true, skipCovers: true, skipPostHeaders: true });
    duration = format.duration;
  } catch {
    throw unreadable();
  }
  if (duration === undefined || !(duration > 0) || duration > longestSeconds) throw unreadable();
  return duration;
}

/** What a recording is by its first bytes: clients name them anything, and a wrong name would make them unreadable. */
const beginnings: ReadonlyArray<readonly [RegExp, string]> = [
  [/^RIFF....WAVE/s, '.wav'],
  [/^OggS/, '.ogg'],
  [/^fLaC/, '.flac'],
  [/^ID3|^\xff[\xfa\xfb\xf2\xf3]/, '.mp3'],
  [/^....ftyp/s, '.m4a'],
  [/^[^ -~]E\xdf\xa3/, '.webm'],
];

function endingOf(bytes: Buffer): string | null {
  const head = bytes.toString('latin1', 0, 12);
  return beginnings.find(([beginning]) => beginning.test(head))?.[1] ?? null;
}

const unreadable = (): InvalidInputError => new InvalidInputError('file is not a recording that can be read', 'file');
