import { asFields, asFieldsList, asText, replaceInParts, type Fields } from '../../neutral/fields.js';
import { isForeignProof } from '../../neutral/thought-proof.js';

/**
 * Removes blocks of other providers that Anthropic would refuse: thoughts, which are unsigned or have another signature, and
 * searches, whose pages have no encrypted content.
 * @param messages the messages of a Messages body
 * @returns null if there are none
 */
export function withoutForeignBlocks(messages: unknown): unknown[] | null {
  return Array.isArray(messages) ? keptMessages(messages as unknown[]) : null;
}

const keptMessages = replaceInParts(keptMessage);

function keptMessage(given: unknown): unknown[] {
  const message = asFields(given);
  if (message?.['role'] !== 'assistant' || !Array.isArray(message['content'])) return [given];
  const content = message['content'] as unknown[];
  const searches = foreignSearches(content);
  const kept = content.filter((block) => !isForeignThought(asFields(block)) && !isOfSearch(asFields(block), searches));
  if (kept.length === content.length) return [given];
  return kept.length === 0 ? [] : [{ ...message, content: kept }];
}

function isForeignThought(block: Fields | null): boolean {
  if (block?.['type'] === 'thinking') {
    const signature = asText(block['signature']);
    return signature === '' || isForeignProof(signature, 'anthropic');
  }
  return block?.['type'] === 'redacted_thinking' && isForeignProof(asText(block['data']), 'anthropic');
}

/** Returns the ids of searches whose results were written by `searchBlocks`. */
const foreignSearches = (content: readonly unknown[]): ReadonlySet<unknown> =>
  new Set(
    asFieldsList(content)
      .filter(
        (block) =>
          block['type'] === 'web_search_tool_result' &&
          asFieldsList(block['content']).some((page) => page['encrypted_content'] === ''),
      )
      .map((block) => block['tool_use_id']),
  );

const isOfSearch = (block: Fields | null, ids: ReadonlySet<unknown>): boolean =>
  (block?.['type'] === 'server_tool_use' && ids.has(block['id'])) ||
  (block?.['type'] === 'web_search_tool_result' && ids.has(block['tool_use_id']));

const isThought = ({ type }: Fields): boolean => type === 'thinking' || type === 'redacted_thinking';

/** Whether messages contain thoughts of earlier responses. */
export const hasThoughts = (messages: readonly unknown[]): boolean =>
  messages.some((message) => asFieldsList(asFields(message)?.['content']).some(isThought));

/**
 * Whether the call continues an assistant turn that did not begin with a thought. The turn consists of the tool calls
 * since the last message of the user. Claude refuses to think with a budget there.
 */
export function continuesWithoutThought(messages: readonly unknown[]): boolean {
  let first: Fields | null = null;
  let at = messages.length - 1;
  const roleAt = (): unknown => asFields(messages[at])?.['role'];
  for (;;) {
    let answers = false;
    for (; at >= 0 && roleAt() !== 'assistant'; at--) answers ||= hasResult(messages[at]);
    if (!answers || at < 0) break;
    for (; at >= 0 && roleAt() === 'assistant'; at--) first = asFields(messages[at]);
  }
  const [block] = first ? asFieldsList(first['content']) : [];
  return first !== null && !(block && isThought(block));
}

const hasResult = (message: unknown): boolean =>
  asFieldsList(asFields(message)?.['content']).some(({ type }) => type === 'tool_result');
