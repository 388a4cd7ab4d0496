import { InvalidInputError } from '../../../shared/errors.js';
import { asFields, someText, type Fields } from '../../neutral/fields.js';
import { needFields, needList, needName, needText, optionalText } from '../../neutral/given.js';
import { toMediaSource } from '../../neutral/media.js';
import type { Part, TextPart } from '../../neutral/message.js';

/**
 * `content` of a message: text, a list of parts, or absent.
 * @throws AppError INVALID_INPUT naming the field
 */
export function parseContent(content: unknown, at: string): Part[] {
  if (content === undefined || content === null) return [];
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  return needList(content, at).flatMap((part, index) => parsePart(part, `${at}[${index}]`));
}

function parsePart(value: unknown, at: string): Part[] {
  if (typeof value === 'string') return value === '' ? [] : [{ kind: 'text', text: value }];
  const part = needFields(value, at);
  const cache = cacheControlOf(part);
  switch (part['type']) {
    case undefined:
    case 'text':
    case 'input_text':
    case 'output_text': {
      const text = needText(part['text'], `${at}.text`);
      return text === '' ? [] : [{ kind: 'text', text, ...cache }];
    }
    case 'refusal':
      return [{ kind: 'refusal', text: needText(part['refusal'], `${at}.refusal`), at }];
    case 'image_url':
      return [parseImage(part['image_url'], at, cache)];
    case 'input_audio': {
      const audio = needFields(part['input_audio'], `${at}.input_audio`);
      const data = needName(audio['data'], `${at}.input_audio.data`);
      const format = optionalText(audio['format'], `${at}.input_audio.format`) ?? 'wav';
      // The dialect expects plain base64, but some clients send a data URL.
      return [{ kind: 'audio', format, data: data.replace(/^data:[^,]*,/, ''), at }];
    }
    case 'file':
      return [parseFile(needFields(part['file'], `${at}.file`), at, cache)];
    case 'thinking':
    case 'reasoning':
      return parseThinking(part, at);
    default:
      needName(part['type'], `${at}.type`);
      return [{ kind: 'foreign', dialect: 'openai-chat', value: part, at }];
  }
}

/** An extension of clients that talk to Claude: kept if the provider supports it. */
export const cacheControlOf = (part: Fields): Pick<TextPart, 'cacheControl'> => {
  const cacheControl = asFields(part['cache_control']);
  return cacheControl ? { cacheControl } : {};
};

function parseImage(value: unknown, at: string, cache: Pick<TextPart, 'cacheControl'>): Part {
  const image = typeof value === 'string' ? { url: value } : needFields(value, `${at}.image_url`);
  const url = needName(image['url'], `${at}.image_url.url`);
  const detail = 'detail' in image ? optionalText(image['detail'], `${at}.image_url.detail`) : undefined;
  const source = toMediaSource(url, `${at}.image_url.url`);
  return { kind: 'image', source, ...(detail === undefined ? {} : { detail }), ...cache, at };
}

function parseFile(file: Fields, at: string, cache: Pick<TextPart, 'cacheControl'>): Part {
  const filename = someText(file['filename']);
  const named = filename === undefined ? {} : { filename };
  const id = someText(file['file_id']);
  if (id !== undefined)
    return { kind: 'file', source: { kind: 'id', id, dialect: 'openai-chat' }, ...named, ...cache, at };
  const data = someText(file['file_data']) ?? someText(file['file_url']);
  if (data === undefined) throw new InvalidInputError(`${at}.file needs file_data or file_id`, `${at}.file`);
  return { kind: 'file', source: toMediaSource(data, `${at}.file.file_data`), ...named, ...cache, at };
}

/** Mistral's shape: `{type: thinking, thinking: [{type: text, text}]}`; also as plain text. */
function parseThinking(part: Fields, at: string): Part[] {
  const thinking = part['thinking'] ?? part['text'];
  const text =
    typeof thinking === 'string'
      ? thinking
      : needList(thinking, `${at}.thinking`)
          .map((piece) => someText(asFields(piece)?.['text']) ?? '')
          .join('');
  const signature = someText(part['signature']);
  return [{ kind: 'reasoning', text, ...(signature === undefined ? {} : { signature }), at }];
}
