import { continuesWithoutThought } from '../languages/anthropic/own-thoughts.js';
import { withoutThinking } from '../languages/anthropic/messages-native.js';
import { noSignature } from '../languages/gemini/gemini-write-content.js';
import { asFields, asList, asText, type Fields } from '../neutral/fields.js';
import { changedList } from '../wire/pass-through/changed-list.js';

const thoughtTypes = new Set(['thinking', 'redacted_thinking']);

/**
 * Returns a body of Anthropic, Google or Responses without thoughts in its history, or the same body if it has none.
 */
export function withoutThoughts(body: Fields): Fields {
  const messages = withoutBlocks(body['messages']);
  if (messages !== body['messages']) {
    const stops =
      asText(asFields(body['thinking'])?.['type']) === 'enabled' && continuesWithoutThought(asList(messages));
    return { ...body, messages, ...(stops ? withoutThinking(body) : {}) };
  }
  const input = withoutItems(body['input']);
  if (input !== body['input']) return { ...body, input };
  const contents = changedList(body['contents'], unsignedContent);
  return contents === body['contents'] ? body : { ...body, contents };
}

function withoutBlocks(messages: unknown): unknown {
  if (!Array.isArray(messages)) return messages;
  const kept = changedList(messages, (message) => {
    if (message['role'] !== 'assistant' || !Array.isArray(message['content'])) return message;
    const content = message['content'] as unknown[];
    const rest = content.filter((block) => !thoughtTypes.has(asText(asFields(block)?.['type'])));
    return rest.length === content.length ? message : { ...message, content: rest };
  });
  // Without its thoughts, a message that consists only of them would have no content, so it is removed.
  return kept === messages ? messages : asList(kept).filter((each) => !isEmpty(asFields(each)));
}

const isEmpty = (message: Fields | null): boolean =>
  Array.isArray(message?.['content']) && message['content'].length === 0;

function withoutItems(input: unknown): unknown {
  const kept = asList(input).filter((item) => asFields(item)?.['type'] !== 'reasoning');
  return kept.length === asList(input).length ? input : kept;
}

/** Gemini refuses a call without a signature, and accepts a fixed value in its place. */
function unsignedContent(content: Fields): Fields {
  const parts = changedList(content['parts'], (part) => {
    if (part['thoughtSignature'] === undefined || part['thoughtSignature'] === noSignature) return part;
    const { thoughtSignature: _signature, ...rest } = part;
    return part['functionCall'] === undefined ? rest : { ...rest, thoughtSignature: noSignature };
  });
  return parts === content['parts'] ? content : { ...content, parts };
}
