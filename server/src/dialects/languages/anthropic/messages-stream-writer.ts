import type { Usage } from '../../../shared/usage.js';
import { BlockSequencer, type Block, type BlockEvent } from '../../neutral/block-sequencer.js';
import type { AnswerContext, StreamWriter } from '../../neutral/codec.js';
import type { NeutralEvent } from '../../neutral/event.js';
import type { FinishReason } from '../../neutral/finish-reason.js';
import { imageText, messageId, stopOf } from './messages-answer.js';
import { fromClaudeUsage } from './usage.js';
import { declaresWebSearch } from '../../neutral/web-search.js';
import { searchBlocks } from './search-blocks.js';
import type { Fields, Json } from '../../neutral/fields.js';

/**
 * Writes the events of a message: sequential blocks, each opened, filled and closed
 * (docs/reference/providers/anthropic.md#chat-stream-to-message-events).
 */
export class MessagesStreamWriter implements StreamWriter {
  private readonly blocks = new BlockSequencer();
  private started = false;
  private index = -1;
  private readonly found: { readonly queries: string[]; readonly annotations: Fields[] } = {
    queries: [],
    annotations: [],
  };
  private finish: FinishReason = 'stop';
  private stopSequence?: string;

  constructor(private readonly context: AnswerContext) {}

  push(events: readonly NeutralEvent[]): string {
    let out = '';
    for (const event of events) out += this.write(event);
    return out;
  }

  end(): string {
    return this.started ? this.writeAll(this.blocks.finish()) + this.searches() : '';
  }

  /** They stand at the end, because other providers name the pages after the text or within it. */
  private searches(): string {
    if (!declaresWebSearch(this.context.body)) return '';
    const [call, result] = searchBlocks(this.found);
    if (!call || !result) return '';
    const { input, ...begun } = call;
    const json = JSON.stringify(input);
    return (
      this.open({ ...begun, input: {} }) +
      this.delta({ type: 'input_json_delta', partial_json: json }) +
      this.close() +
      this.open(result) +
      this.close()
    );
  }

  closing(usage: Usage): string {
    // Some clients fail on a message without blocks.
    const empty = this.index < 0 ? this.open({ type: 'text', text: '' }) + this.close() : '';
    return (
      this.start('', '') +
      empty +
      messageEvent({
        type: 'message_delta',
        delta: stopOf(this.finish, this.stopSequence),
        usage: fromClaudeUsage(usage),
      }) +
      messageEvent({ type: 'message_stop' })
    );
  }

  private write(event: NeutralEvent): string {
    switch (event.kind) {
      case 'start':
        return this.start(event.id, event.model);
      case 'usage':
        return '';
      case 'search':
        this.found.queries.push(event.query);
        return '';
      case 'annotation':
        this.found.annotations.push(event.annotation);
        return '';
      case 'finish':
        if (event.choice === 0) {
          this.finish = event.reason;
          this.stopSequence = event.stopSequence;
        }
        return '';
      default: {
        if ('choice' in event && event.choice !== 0) return '';
        const begun = this.start('', '');
        return begun + this.writeAll(this.blocks.push(event));
      }
    }
  }

  private start(id: string, model: string): string {
    if (this.started) return '';
    this.started = true;
    const { promptTokens } = this.context;
    return messageEvent({
      type: 'message_start',
      message: {
        id: messageId(id, this.context),
        type: 'message',
        role: 'assistant',
        model: model || this.context.model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: {
          input_tokens: promptTokens,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 0,
          output_tokens: 0,
        },
      },
    });
  }

  private writeAll(events: readonly BlockEvent[]): string {
    let out = '';
    for (const event of events) {
      switch (event.kind) {
        case 'open':
          out += this.openBlock(event.block);
          break;
        case 'delta':
          out += this.blockDelta(event.block, event.text);
          break;
        case 'signature':
          out += this.delta({ type: 'signature_delta', signature: event.signature });
          break;
        case 'close':
          out += this.close();
      }
    }
    return out;
  }

  private openBlock(block: Block): string {
    switch (block.kind) {
      case 'text':
      case 'refusal':
        return this.open({ type: 'text', text: '' });
      case 'reasoning':
        return this.open({ type: 'thinking', thinking: '', signature: '' });
      case 'redacted':
        return this.open({ type: 'redacted_thinking', data: block.data });
      case 'image': {
        const text = imageText({ source: { kind: 'base64', mediaType: block.mediaType, data: block.data } });
        return this.open({ type: 'text', text: '' }) + this.delta({ type: 'text_delta', text });
      }
      case 'tool': {
        // The thinking signature is sent in a thinking block before it.
        const thinkingSignature =
          block.signature === undefined
            ? ''
            : this.open({ type: 'thinking', thinking: '', signature: '' }) +
              this.delta({ type: 'signature_delta', signature: block.signature }) +
              this.close();
        return thinkingSignature + this.open({ type: 'tool_use', id: block.id, name: block.name, input: {} });
      }
    }
  }

  private open(block: Json): string {
    this.index++;
    return messageEvent({ type: 'content_block_start', index: this.index, content_block: block });
  }

  private delta(delta: Json): string {
    return messageEvent({ type: 'content_block_delta', index: this.index, delta });
  }

  /** Writes the most frequent event, in which only the text has to be encoded. */
  private blockDelta({ kind }: Block, text: string): string {
    const [type, field] =
      kind === 'tool'
        ? ['input_json_delta', 'partial_json']
        : kind === 'reasoning'
          ? ['thinking_delta', 'thinking']
          : ['text_delta', 'text'];
    return `event: content_block_delta\ndata: {"type":"content_block_delta","index":${this.index},"delta":{"type":"${type}","${field}":${JSON.stringify(text)}}}\n\n`;
  }

  private close(): string {
    return messageEvent({ type: 'content_block_stop', index: this.index });
  }
}

export const messageEvent = (event: Json): string =>
  `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`;
