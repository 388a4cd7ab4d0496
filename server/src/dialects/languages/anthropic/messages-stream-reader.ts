import { parseExact, writeJson } from '../../../shared/exact-json.js';
import type { StreamReader } from '../../neutral/codec.js';
import type { NeutralEvent } from '../../neutral/event.js';
import { asFields, asText, parseFields, someNumber, someText, type Fields } from '../../neutral/fields.js';
import { detached } from '../../wire/sse/detached.js';
import type { ServerEvent } from '../../wire/sse/event.js';
import { readAnthropicError } from './error.js';
import { answerTool } from './json-answer.js';
import { isSearch, queryIn, stopReason, toAnnotation } from './messages-read.js';
import { ClaudeUsage } from './usage.js';

const choice = 0;

/**
 * Matches a text delta without escapes. Nearly all events of a stream are such deltas, and parsing them would be slow.
 */
const plainText =
  /^\{"type":"content_block_delta","index":\d+,"delta":\{"type":"text_delta","text":"([^"\\]+)"\s*\}\s*\}$/;
/** Maximum length of such an event in characters. Matching takes time proportional to the text. */
const maxPlain = 4096;

interface OpenBlock {
  readonly kind: 'tool' | 'answer' | 'search' | 'other';
  readonly tool: number;
  /** Input that was complete at the start of the block, from hosts that do not stream it. */
  readonly input: Fields | null;
  filled: boolean;
  /** The input of a search so far. */
  text: string;
}

/** Reads the events of a streamed message (docs/reference/providers/anthropic.md#stream-to-chat-chunks). */
export class MessagesStreamReader implements StreamReader {
  private readonly usage = new ClaudeUsage();
  private readonly blocks = new Map<number, OpenBlock>();
  private tools = 0;
  done = false;

  /** @param readsSearches whether the queries of searches are read. Their pages are not. */
  constructor(private readonly readsSearches = true) {}

  push({ data }: ServerEvent): NeutralEvent[] {
    const text = data.length > maxPlain ? undefined : plainText.exec(data)?.[1];
    if (text !== undefined) return [{ kind: 'text', choice, text: detached(text) }];
    const event = data.includes('"tool_use"') ? asFields(parseExact(data)) : parseFields(data);
    if (!event) return [];
    switch (event['type']) {
      case 'message_start':
        return this.start(event);
      case 'content_block_start':
        return this.open(event);
      case 'content_block_delta':
        return this.delta(event);
      case 'content_block_stop':
        return this.close(event);
      case 'message_delta':
        return this.finish(event);
      case 'message_stop':
        this.done = true;
        return [];
      default: {
        // Unknown event types are ignored.
        const error = readAnthropicError(event);
        return error ? [{ kind: 'error', error }] : [];
      }
    }
  }

  private start(event: Fields): NeutralEvent[] {
    this.usage.add(event);
    const message = asFields(event['message']) ?? {};
    return [{ kind: 'start', id: asText(message['id']), model: asText(message['model']) }, ...this.reported()];
  }

  private open(event: Fields): NeutralEvent[] {
    const block = asFields(event['content_block']) ?? {};
    this.usage.add(event);
    const position = someNumber(event['index']) ?? 0;
    const type = block['type'];
    const input = asFields(block['input']);
    const name = asText(block['name']);
    const ofClient = name === answerTool ? 'answer' : 'tool';
    const kind = type === 'tool_use' ? ofClient : this.readsSearches && isSearch(block) ? 'search' : 'other';
    const open: OpenBlock = { kind, tool: this.tools, input, filled: false, text: '' };
    this.blocks.set(position, open);
    if (kind === 'tool') return [{ kind: 'toolStart', choice, index: this.tools++, id: asText(block['id']), name }];
    if (type === 'server_tool_use' || type === 'web_search_tool_result') return this.reported();
    if (type === 'redacted_thinking') return [{ kind: 'redacted', choice, data: asText(block['data']) }];
    const text = type === 'text' ? asText(block['text']) : '';
    if (text !== '') return [{ kind: 'text', choice, text }];
    const thought = type === 'thinking' ? asText(block['thinking']) : '';
    return thought === '' ? [] : [{ kind: 'reasoning', choice, text: thought }];
  }

  private delta(event: Fields): NeutralEvent[] {
    const delta = asFields(event['delta']) ?? {};
    switch (delta['type']) {
      case 'text_delta': {
        const text = asText(delta['text']);
        return text === '' ? [] : [{ kind: 'text', choice, text }];
      }
      case 'thinking_delta': {
        const text = asText(delta['thinking']);
        return text === '' ? [] : [{ kind: 'reasoning', choice, text }];
      }
      case 'signature_delta': {
        const signature = someText(delta['signature']);
        return signature === undefined ? [] : [{ kind: 'signature', choice, of: 'reasoning', signature }];
      }
      case 'input_json_delta':
        return this.fill(someNumber(event['index']) ?? 0, asText(delta['partial_json']));
      case 'citations_delta': {
        const annotation = toAnnotation(asFields(delta['citation']) ?? {});
        return annotation ? [{ kind: 'annotation', choice, annotation }] : [];
      }
      default:
        return [];
    }
  }

  private fill(position: number, text: string): NeutralEvent[] {
    const block = this.blocks.get(position);
    if (!block || block.kind === 'other' || text === '') return [];
    block.filled = true;
    if (block.kind === 'search') {
      block.text += text;
      return [];
    }
    return block.kind === 'answer'
      ? [{ kind: 'text', choice, text }]
      : [{ kind: 'toolDelta', choice, index: block.tool, text }];
  }

  private close(event: Fields): NeutralEvent[] {
    const position = someNumber(event['index']) ?? 0;
    const block = this.blocks.get(position);
    // An absent input is an empty object.
    const rest = block && !block.filled ? this.fill(position, writeJson(block.input ?? {})) : [];
    this.blocks.delete(position);
    if (!block || block.kind === 'other') return [];
    if (block.kind === 'search')
      return queryIn(parseFields(block.text)).map((query) => ({ kind: 'search', choice, query }));
    return block.kind === 'tool' ? [...rest, { kind: 'toolEnd', choice, index: block.tool }] : rest;
  }

  private finish(event: Fields): NeutralEvent[] {
    this.usage.add(event);
    const delta = asFields(event['delta']) ?? {};
    const reason = stopReason(delta['stop_reason'], this.tools > 0);
    const stopSequence = someText(delta['stop_sequence']);
    const finish: NeutralEvent[] = reason
      ? [{ kind: 'finish', choice, reason, ...(stopSequence === undefined ? {} : { stopSequence }) }]
      : [];
    return [...finish, ...this.reported()];
  }

  /** Positions of the blocks that have begun and are not closed. */
  get openBlocks(): number[] {
    return [...this.blocks.keys()];
  }

  private reported(): NeutralEvent[] {
    const usage = this.usage.usage();
    return usage ? [{ kind: 'usage', usage }] : [];
  }
}
