import { InvalidInputError } from '../../shared/errors.js';
import type { MediaSource } from './message.js';

/** `image/png; charset=x` becomes `image/png`: providers accept no parameters. */
export const bareMediaType = (mediaType: string): string => (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase();

const dataUrl = /^data:([^,;]*)((?:;[^,;]*)*),/i;
const remote = /^https?:\/\//i;

/**
 * Parses the client's reference to media: a web URL, a data URL, or the bare base64 that some clients send.
 * @throws AppError INVALID_INPUT when it is none of them
 */
export function toMediaSource(url: string, field: string): MediaSource {
  if (remote.test(url)) return { kind: 'url', url };
  const head = dataUrl.exec(url);
  if (head) {
    const content = url.slice(head[0].length);
    const mediaType = bareMediaType(head[1] ?? '');
    if (/;base64/i.test(head[2] ?? '')) return { kind: 'base64', mediaType, data: unbroken(content) };
    return {
      kind: 'base64',
      mediaType: mediaType || 'text/plain',
      data: Buffer.from(decoded(content, field)).toString('base64'),
    };
  }
  if (isBase64(url)) return { kind: 'base64', mediaType: '', data: unbroken(url) };
  throw new InvalidInputError(`${field} must be an http URL, a data URL or base64`, field);
}

/** Removes line breaks: `base64` and Python's `encodebytes` write them. */
const unbroken = (data: string): string => (/\s/.test(data) ? data.replace(/\s+/g, '') : data);

function decoded(text: string, field: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new InvalidInputError(`${field} is not a valid data URL`, field);
  }
}

/** Only the beginning is checked, because an image may have megabytes. */
const isBase64 = (text: string): boolean =>
  text.length >= 4 && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text.slice(0, 256).trim());

export const toDataUrl = (mediaType: string, data: string): string => `data:${mediaType};base64,${data}`;

/** First bytes of the image formats that providers accept, in base64. */
const imageMarks: ReadonlyArray<readonly [string, string]> = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
];

/** Returns the type that the first bytes show, which providers check, or else the declared type, or else PNG. */
export function imageType(source: Extract<MediaSource, { kind: 'base64' }>): string {
  for (const [mark, mediaType] of imageMarks) if (source.data.startsWith(mark)) return mediaType;
  return source.mediaType || 'image/png';
}

const audioTypes: Readonly<Record<string, string>> = {
  mp3: 'audio/mp3',
  wav: 'audio/wav',
  pcm16: 'audio/L16',
  opus: 'audio/ogg',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
  aac: 'audio/aac',
  aiff: 'audio/aiff',
  m4a: 'audio/mp4',
};

export const audioType = (format: string): string => audioTypes[format] ?? `audio/${format}`;

/** @returns '' for a media type that is not audio */
export function audioFormat(mediaType: string): string {
  if (!mediaType.startsWith('audio/')) return '';
  const bare = bareMediaType(mediaType);
  const found = Object.entries(audioTypes).find(([, type]) => type === bare);
  if (found) return found[0];
  if (bare === 'audio/mpeg') return 'mp3';
  return bare.slice('audio/'.length).replace(/^x-/, '');
}

const extensions: ReadonlyArray<readonly [RegExp, string]> = [
  [/\.pdf$/i, 'application/pdf'],
  [/\.(?:txt|text|log)$/i, 'text/plain'],
  [/\.md$/i, 'text/markdown'],
  [/\.csv$/i, 'text/csv'],
  [/\.html?$/i, 'text/html'],
  [/\.json$/i, 'application/json'],
];

/** Returns the media type of a file: as declared, or by its name, or by its first bytes. Empty if unknown. */
export function fileType(source: MediaSource, filename?: string): string {
  if (source.kind === 'text') return 'text/plain';
  if ((source.kind === 'base64' || source.kind === 'url') && source.mediaType) return source.mediaType;
  const name = filename ?? (source.kind === 'url' ? (source.url.split(/[?#]/, 1)[0] ?? '') : '');
  for (const [pattern, mediaType] of extensions) if (pattern.test(name)) return mediaType;
  // The file begins with `%PDF-`.
  return source.kind === 'base64' && source.data.startsWith('JVBERi') ? 'application/pdf' : '';
}

/** Text formats that are sent as base64. */
export const isTextType = (mediaType: string): boolean =>
  mediaType.startsWith('text/') || mediaType === 'application/json' || mediaType === 'application/xml';

export const textOfBase64 = (data: string): string => Buffer.from(data, 'base64').toString('utf8');

/** Whether a text begins as a web page does: gateways and wrong addresses return one with status 200. */
export const isMarkup = (bytes: Buffer): boolean =>
  /^(?:\xef\xbb\xbf)?\s*<[!a-z]/i.test(bytes.toString('latin1', 0, 256));

/** Whether a text begins as a JSON object does. */
export const isObject = (bytes: Buffer): boolean => /^(?:\xef\xbb\xbf)?\s*\{/.test(bytes.toString('latin1', 0, 256));
