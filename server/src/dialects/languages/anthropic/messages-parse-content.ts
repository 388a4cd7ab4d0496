import { writeJson } from '../../../shared/exact-json.js';
import { InvalidInputError } from '../../../shared/errors.js';
import { asFields, someText, type Fields } from '../../neutral/fields.js';
import { needFields, needList, needName, needText, optionalFlag, optionalText } from '../../neutral/given.js';
import { bareMediaType } from '../../neutral/media.js';
import type { MediaSource, Part, TextPart } from '../../neutral/message.js';

/**
 * Parses `content` of a message or of a tool result, which is text or blocks.
 * @throws AppError INVALID_INPUT naming the field
 */
export function parseBlocks(content: unknown, at: string): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  return needList(content, at).map((block, index) =>
    parseBlock(needFields(block, `${at}[${index}]`), `${at}[${index}]`),
  );
}

function parseBlock(block: Fields, at: string): Part {
  const cache = cacheControlOf(block);
  switch (block['type']) {
    case 'text':
      // Citations of an earlier response are dropped: its text already contains them.
      return { kind: 'text', text: needText(block['text'], `${at}.text`), ...cache };
    case 'image':
      return { kind: 'image', source: parseSource(block['source'], `${at}.source`), ...cache, at };
    case 'document':
      return parseDocument(block, at, cache);
    case 'search_result':
      return parseSearchResult(block, at, cache);
    case 'tool_use':
      return {
        kind: 'toolCall',
        id: needName(block['id'], `${at}.id`),
        name: needName(block['name'], `${at}.name`),
        arguments: writeJson(needFields(block['input'] ?? {}, `${at}.input`)),
        ...cache,
        at,
      };
    case 'tool_result':
      return {
        kind: 'toolResult',
        callId: needName(block['tool_use_id'], `${at}.tool_use_id`),
        content:
          block['content'] === undefined || block['content'] === null
            ? []
            : parseBlocks(block['content'], `${at}.content`),
        ...(optionalFlag(block['is_error'], `${at}.is_error`) ? { isError: true } : {}),
        ...cache,
        at,
      };
    case 'thinking': {
      const signature = someText(block['signature']);
      const text = needText(block['thinking'], `${at}.thinking`);
      return { kind: 'reasoning', text, ...(signature === undefined ? {} : { signature }), at };
    }
    case 'redacted_thinking':
      return { kind: 'reasoning', text: '', redacted: needText(block['data'], `${at}.data`), at };
    default:
      needName(block['type'], `${at}.type`);
      return { kind: 'foreign', dialect: 'anthropic-messages', value: block, at };
  }
}

/** Returns the cache hint of a block. */
export const cacheControlOf = (holder: Fields): Pick<TextPart, 'cacheControl'> => {
  const cacheControl = asFields(holder['cache_control']);
  return cacheControl ? { cacheControl } : {};
};

function parseSource(value: unknown, at: string): MediaSource {
  const source = needFields(value, at);
  switch (source['type']) {
    case 'base64':
      return {
        kind: 'base64',
        mediaType: bareMediaType(needText(source['media_type'], `${at}.media_type`)),
        data: needName(source['data'], `${at}.data`),
      };
    case 'url':
      return { kind: 'url', url: needName(source['url'], `${at}.url`) };
    case 'file':
      return { kind: 'id', id: needName(source['file_id'], `${at}.file_id`), dialect: 'anthropic-messages' };
    case 'text':
      return { kind: 'text', text: needText(source['data'], `${at}.data`) };
    default:
      throw new InvalidInputError(`${at}.type must be one of base64, url, file, text`, `${at}.type`);
  }
}

/** Other dialects have texts alone for what a search of the client found. They cannot express citations. */
function parseSearchResult(block: Fields, at: string, cache: Pick<TextPart, 'cacheControl'>): Part {
  if (asFields(block['citations'])?.['enabled'] === true)
    return { kind: 'foreign', dialect: 'anthropic-messages', value: block, at };
  const found = needList(block['content'], `${at}.content`).map((each, index) =>
    needText(asFields(each)?.['text'], `${at}.content[${index}].text`),
  );
  const text = [needText(block['title'], `${at}.title`), needText(block['source'], `${at}.source`), ...found].join(
    '\n',
  );
  return { kind: 'text', text, ...cache };
}

/** Other dialects cannot express documents with citations, or documents made of blocks. */
function parseDocument(block: Fields, at: string, cache: Pick<TextPart, 'cacheControl'>): Part {
  const source = asFields(block['source']);
  const special =
    source?.['type'] === 'content' || asFields(block['citations'])?.['enabled'] === true || block['context'];
  if (special) return { kind: 'foreign', dialect: 'anthropic-messages', value: block, at };
  const filename = optionalText(block['title'], `${at}.title`);
  return {
    kind: 'file',
    source: parseSource(block['source'], `${at}.source`),
    ...(filename === undefined ? {} : { filename }),
    ...cache,
    at,
  };
}
