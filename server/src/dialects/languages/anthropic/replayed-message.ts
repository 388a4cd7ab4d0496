import { parseExact, writeJson } from '../../../shared/exact-json.js';
import type { Usage } from '../../../shared/usage.js';
import type { ChatAnswer } from '../../contract.js';
import { asFields, asFieldsList, asList, asText, type Fields, type Json } from '../../neutral/fields.js';
import { messageEvent } from './messages-stream-writer.js';
import { fromClaudeUsage } from './usage.js';

/**
 * A complete message as the stream that its client asked for. Blocks of every type keep their place and all their
 * fields, as those of a search, whose result is one block with its call.
 * @returns the events up to the usage, which is the provider's where it reported one
 */
export function replayedMessage({ body, usage: reported }: ChatAnswer): (usage: Usage) => string {
  const message = asFields(parseExact(body.toString('utf8'))) ?? {};
  const { content, stop_reason: reason, stop_sequence: sequence, container, usage: counted, ...head } = message;
  const begun = messageEvent({
    type: 'message_start',
    message: {
      ...head,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 0, ...asFields(counted), output_tokens: 0 },
    },
  });
  const blocks = asFieldsList(content);
  const written = (blocks.length > 0 ? blocks : [{ type: 'text', text: '' }]).map(replayedBlock).join('');
  const delta = {
    stop_reason: reason ?? 'end_turn',
    stop_sequence: sequence ?? null,
    ...(container === undefined ? {} : { container }),
  };
  return (usage) =>
    begun +
    written +
    messageEvent({ type: 'message_delta', delta, usage: reported ? asFields(counted) : fromClaudeUsage(usage) }) +
    messageEvent({ type: 'message_stop' });
}

function replayedBlock(block: Fields, index: number): string {
  const { start, deltas } = splitBlock(block);
  const written = deltas.map((delta) => messageEvent({ type: 'content_block_delta', index, delta }));
  return (
    messageEvent({ type: 'content_block_start', index, content_block: start }) +
    written.join('') +
    messageEvent({ type: 'content_block_stop', index })
  );
}

/** Returns a block as it begins, and what fills it. Blocks without text or input begin complete. */
function splitBlock(block: Fields): { readonly start: Json; readonly deltas: readonly Json[] } {
  if (block['type'] === 'text') {
    const { text, citations, ...start } = block;
    const cited = asList(citations).map((citation) => ({ type: 'citations_delta', citation }));
    return { start: { ...start, text: '' }, deltas: [...cited, { type: 'text_delta', text: asText(text) }] };
  }
  if (block['type'] === 'thinking') {
    const { thinking, signature, ...start } = block;
    const deltas = [
      { type: 'thinking_delta', thinking: asText(thinking) },
      { type: 'signature_delta', signature: asText(signature) },
    ];
    return { start: { ...start, thinking: '', signature: '' }, deltas };
  }
  const { input } = block;
  if (input === undefined) return { start: { ...block }, deltas: [] };
  return {
    start: { ...block, input: {} },
    deltas: [{ type: 'input_json_delta', partial_json: writeJson(input) }],
  };
}
