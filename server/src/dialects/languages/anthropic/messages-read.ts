import { writeJson } from '../../../shared/exact-json.js';
import { AppError } from '../../../shared/errors.js';
import type { NeutralAnswer } from '../../neutral/answer.js';
import { asFields, asFieldsList, asText, someText, type Fields } from '../../neutral/fields.js';
import { toFinishReason, type FinishReason } from '../../neutral/finish-reason.js';
import type { Part } from '../../neutral/message.js';
import { readAnthropicError } from './error.js';
import { answerTool } from './json-answer.js';
import { toClaudeUsage } from './usage.js';

/**
 * A complete message in the neutral form (docs/reference/providers/anthropic.md#message-to-chat-completion).
 * @throws UpstreamError when it reports an error; AppError UPSTREAM_INVALID_RESPONSE when it is not a message
 */
export function readMessage(body: unknown): NeutralAnswer {
  const message = asFields(body);
  const error = message ? readAnthropicError(message) : null;
  if (error) throw error;
  if (!message || !Array.isArray(message['content'])) {
    throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response is not a message');
  }
  const blocks = asFieldsList(message['content']);
  const parts = blocks.flatMap(readBlock);
  const searches = blocks.filter(isSearch).flatMap(({ input }) => queryIn(input));
  const called = parts.some((part) => part.kind === 'toolCall');
  const stopSequence = someText(message['stop_sequence']);
  return {
    id: asText(message['id']),
    model: asText(message['model']),
    choices: [
      {
        index: 0,
        parts: joined(parts),
        finish: stopReason(message['stop_reason'], called),
        ...(stopSequence === undefined ? {} : { stopSequence }),
        ...(searches.length > 0 ? { searches } : {}),
      },
    ],
    usage: toClaudeUsage(message['usage']),
  };
}

/** Whether a block is a search that Anthropic runs. */
export const isSearch = ({ type, name }: Fields): boolean => type === 'server_tool_use' && name === 'web_search';

/** The query of a search, by its input. */
export const queryIn = (input: unknown): string[] => [someText(asFields(input)?.['query']) ?? []].flat();

/** A response that only calls the internal response tool is an ordinary response. */
export function stopReason(reason: unknown, called: boolean): FinishReason | null {
  const name = someText(reason);
  if (name === undefined) return null;
  const finish = toFinishReason(name);
  return finish === 'toolCalls' && !called ? 'stop' : finish;
}

/** Blocks of tools that Anthropic runs itself are only for clients of its own dialect, besides its searches. */
function readBlock(block: Fields): Part[] {
  switch (block['type']) {
    case 'text': {
      const annotations = asFieldsList(block['citations'])
        .map(toAnnotation)
        .filter((each) => each !== null);
      const text = asText(block['text']);
      return text === '' ? [] : [{ kind: 'text', text, ...(annotations.length > 0 ? { annotations } : {}) }];
    }
    case 'thinking': {
      const signature = someText(block['signature']);
      return [
        { kind: 'reasoning', text: asText(block['thinking']), ...(signature === undefined ? {} : { signature }) },
      ];
    }
    case 'redacted_thinking':
      return [{ kind: 'reasoning', text: '', redacted: asText(block['data']) }];
    case 'tool_use': {
      const name = asText(block['name']);
      const text = writeJson(block['input'] ?? {});
      return [
        name === answerTool
          ? { kind: 'text', text }
          : { kind: 'toolCall', id: asText(block['id']), name, arguments: text },
      ];
    }
    default:
      return [];
  }
}

/** Several texts form one response. */
function joined(parts: readonly Part[]): Part[] {
  const out: Part[] = [];
  for (const part of parts) {
    const last = out.at(-1);
    if (part.kind === 'text' && last?.kind === 'text') {
      const annotations = [...(last.annotations ?? []), ...(part.annotations ?? [])];
      out[out.length - 1] = {
        ...last,
        text: last.text + part.text,
        ...(annotations.length > 0 ? { annotations } : {}),
      };
    } else out.push(part);
  }
  return out;
}

/**
 * A web source in the shape of the chat dialect.
 * @returns null for sources without a URL
 */
export function toAnnotation(citation: Fields): Fields | null {
  const url = someText(citation['url']);
  if (url === undefined) return null;
  return {
    type: 'url_citation',
    url_citation: { url, title: asText(citation['title']), start_index: 0, end_index: 0 },
  };
}
