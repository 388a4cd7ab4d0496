import { type Fields, asFields, asText, either } from '../../../dialects/neutral/fields.js';
import { dataImageSize, headCharacters, imageTokens, mostImageTokens } from './image-tokens.js';

export const audioPart = 100;
export const filePart = 5000;

/** Prompt tokens of media. */
interface MediaTokens {
  readonly fixed: number;
  /** Tokens that an image of unknown size may have beyond those in `fixed`. */
  readonly unsized: number;
}

/** Returns the tokens of an image, and those that it may have beyond them if its size is unknown. */
export function countedImage(model: string, url: unknown, detail: unknown): MediaTokens {
  const size = typeof url === 'string' ? dataImageSize(url) : null;
  const fixed = imageTokens(model, detail, size);
  return { fixed, unsized: size ? 0 : Math.max(0, mostImageTokens(model, detail) - fixed) };
}

type Kind = 'image' | 'audio' | 'file';

/** The fields in which the embedding and rerank models of all makers take media: as an address, or encoded. */
const kinds: ReadonlyMap<string, Kind> = new Map([
  ...['image', 'image_url', 'image_base64', 'b64_json', 'bytes'].map((name) => [name, 'image'] as const),
  ...['audio', 'audio_url', 'audio_base64', 'input_audio'].map((name) => [name, 'audio'] as const),
  ...['video', 'video_url', 'video_base64', 'pdf', 'file_data', 'data'].map((name) => [name, 'file'] as const),
]);
export const mediaNames: readonly string[] = [...kinds.keys()];

/** The address of media, or their bytes in base64. Anything else in such a field is a text, which a provider may read. */
const encoded = /^[\w+/=:;,.%?&#~@-]+$/;

/**
 * Counts the media in a field of an input, as those of chat are counted.
 * @returns null when the field holds none
 */
export function mediaTokens(fields: Fields, name: string, model: string): MediaTokens | null {
  const kind = kinds.get(name);
  // A document of Anthropic may be plain text in place of base64.
  if (kind === undefined || fields['type'] === 'text') return null;
  const held = fields[name];
  const inner = asFields(held);
  const source = inner ? either(inner, 'url', 'data') : held;
  if (typeof source !== 'string' || !encoded.test(source)) return null;
  const type = asText(either(fields, 'mimeType', 'mime_type', 'media_type'));
  if (kind === 'image' || type.startsWith('image/')) return countedImage(model, asAddress(source), inner?.['detail']);
  return { fixed: kind === 'audio' || type.startsWith('audio/') ? audioPart : filePart, unsized: 0 };
}

/** Returns the address of an image that may be bare base64, as far as its header needs it. */
const asAddress = (source: string): string =>
  source.includes(':') ? source : `data:;base64,${source.slice(0, headCharacters)}`;
