import { omitUndefined } from '../../../shared/omit-undefined.js';
import type { Usage } from '../../../shared/usage.js';
import type { AnswerContext, StreamWriter } from '../../neutral/codec.js';
import type { NeutralEvent } from '../../neutral/event.js';
import type { Fields, Json } from '../../neutral/fields.js';
import { fromFinishReason, type FinishReason } from '../../neutral/finish-reason.js';
import { toDataUrl } from '../../neutral/media.js';
import { chatId, imageMarkdown, imageObject } from './chat-answer.js';
import { googleExtra } from './chat-write-messages.js';
import { doneEvent, usageChunk } from './chunks.js';

type ToolStart = Extract<NeutralEvent, { kind: 'toolStart' }>;

/** Maximum length in characters. Longer reasoning is not repeated with its signature. */
const thoughtLimit = 256 * 1024;

interface ChoiceState {
  introduced: boolean;
  images: number;
  thought: string;
  /** Content that is sent with the next delta, because clients expect every delta to have content. */
  waiting: Json | null;
  logprobs: Fields | null;
  readonly customTools: Set<number>;
}

/** Writes `chat.completion.chunk` events (docs/reference/providers/README.md#stream-shapes). */
export class ChatStreamWriter implements StreamWriter {
  private readonly choices = new Map<number, ChoiceState>();
  private id: string;
  private model: string;
  private created: number;
  private head = '';
  private tail = '';
  private announced = true;
  private tool: { readonly start: ToolStart; text: string } | null = null;

  constructor(private readonly context: AnswerContext) {
    this.id = chatId('', context);
    this.model = context.model;
    this.created = context.created;
    this.frame();
  }

  push(events: readonly NeutralEvent[]): string {
    let out = '';
    for (const event of events) out += this.write(event);
    out += this.flushTool();
    if (this.announced) return out;
    // The provider opened its response before it had content: send a chunk so that the client sees activity.
    this.announced = true;
    return out + this.delta(0, '"content":""');
  }

  end(): string {
    let out = this.flushTool();
    for (const [choice, state] of this.choices) if (state.waiting) out += this.delta(choice, '');
    return out;
  }

  closing(usage: Usage): string {
    if (!this.context.includeUsage) return doneEvent;
    const { id, created, model } = this;
    return usageChunk({ id, created, model }, usage) + doneEvent;
  }

  private write(event: NeutralEvent): string {
    if (
      event.kind === 'toolDelta' &&
      this.tool &&
      this.tool.start.index === event.index &&
      this.tool.start.choice === event.choice
    ) {
      this.tool.text += event.text;
      return '';
    }
    const before = this.flushTool();
    return before + this.writeOne(event);
  }

  private writeOne(event: NeutralEvent): string {
    switch (event.kind) {
      case 'start':
        this.id = chatId(event.id, this.context);
        this.model = event.model || this.model;
        this.created = event.created ?? this.created;
        this.announced = false;
        this.frame();
        return '';
      case 'text':
        return this.delta(event.choice, `"content":${JSON.stringify(event.text)}`);
      case 'reasoning': {
        const state = this.stateOf(event.choice);
        if (state.thought.length <= thoughtLimit) state.thought += event.text;
        return this.delta(event.choice, `"reasoning_content":${JSON.stringify(event.text)}`);
      }
      case 'refusal':
        return this.delta(event.choice, `"refusal":${JSON.stringify(event.text)}`);
      case 'signature':
        return this.sign(event);
      case 'redacted':
        return this.hold(event.choice, { thinking_blocks: [{ type: 'redacted_thinking', data: event.data }] });
      case 'toolStart':
        this.tool = { start: event, text: '' };
        return '';
      case 'toolDelta':
        return this.toolDelta(event);
      case 'image':
        return this.image(event);
      case 'audio': {
        const { id, data, transcript, expiresAt } = event;
        return this.delta(
          event.choice,
          `"audio":${JSON.stringify(omitUndefined<Json>({ id, data, transcript, expires_at: expiresAt }))}`,
        );
      }
      case 'annotation':
        return this.delta(event.choice, `"annotations":${JSON.stringify([event.annotation])}`);
      case 'logprobs':
        this.stateOf(event.choice).logprobs = event.logprobs;
        return '';
      case 'finish':
        return this.delta(event.choice, '', event.reason);
      default:
        return '';
    }
  }

  private sign(event: Extract<NeutralEvent, { kind: 'signature' }>): string {
    const { signature } = event;
    if (event.of === 'text') return this.hold(event.choice, { extra_content: googleExtra(signature) });
    const state = this.stateOf(event.choice);
    const { thought } = state;
    state.thought = '';
    // The signature is useless without the complete reasoning text, which is no longer available.
    if (thought.length > thoughtLimit) return '';
    return this.hold(event.choice, { thinking_blocks: [{ type: 'thinking', thinking: thought, signature }] });
  }

  private hold(choice: number, fields: Json): string {
    const state = this.stateOf(choice);
    const before = state.waiting?.['thinking_blocks'];
    const after = fields['thinking_blocks'];
    const blocks =
      Array.isArray(before) && Array.isArray(after)
        ? { thinking_blocks: [...(before as unknown[]), ...(after as unknown[])] }
        : {};
    state.waiting = { ...state.waiting, ...fields, ...blocks };
    return '';
  }

  private image(event: Extract<NeutralEvent, { kind: 'image' }>): string {
    const url = toDataUrl(event.mediaType, event.data);
    const index = this.stateOf(event.choice).images++;
    const content = JSON.stringify(imageMarkdown(url));
    return this.delta(event.choice, `"content":${content},"images":${JSON.stringify([imageObject(url, index)])}`);
  }

  private flushTool(): string {
    if (!this.tool) return '';
    const { start, text } = this.tool;
    this.tool = null;
    const { index, id, name, custom, signature } = start;
    const signed = signature === undefined ? {} : { extra_content: googleExtra(signature) };
    const call = custom
      ? { index, id, type: 'custom', custom: { name, input: text }, ...signed }
      : { index, id, type: 'function', function: { name, arguments: text }, ...signed };
    if (custom) this.stateOf(start.choice).customTools.add(index);
    return this.delta(start.choice, `"tool_calls":${JSON.stringify([call])}`);
  }

  private toolDelta({ choice, index, text }: Extract<NeutralEvent, { kind: 'toolDelta' }>): string {
    const piece = JSON.stringify(text);
    const tool = this.stateOf(choice).customTools.has(index)
      ? `"custom":{"input":${piece}}`
      : `"function":{"arguments":${piece}}`;
    return this.delta(choice, `"tool_calls":[{"index":${index},${tool}}]`);
  }

  /** One chunk. `fields` is the inner JSON text of the delta, so that only the text has to be encoded. */
  private delta(choice: number, fields: string, finish?: FinishReason): string {
    const state = this.stateOf(choice);
    this.announced = true;
    let inside = fields;
    if (!state.introduced && !finish) {
      state.introduced = true;
      inside = `"role":"assistant"${inside === '' ? '' : `,${inside}`}`;
    }
    if (state.waiting) {
      const more = JSON.stringify(state.waiting).slice(1, -1);
      inside = inside === '' ? more : `${inside},${more}`;
      state.waiting = null;
    }
    const logprobs = state.logprobs ? JSON.stringify(state.logprobs) : 'null';
    state.logprobs = null;
    const reason = finish ? `"${fromFinishReason(finish, 'openai-chat')}"` : 'null';
    return `${this.head}${choice},"delta":{${inside}},"logprobs":${logprobs},"finish_reason":${reason}${this.tail}`;
  }

  private stateOf(choice: number): ChoiceState {
    let state = this.choices.get(choice);
    if (!state) {
      state = { introduced: false, images: 0, thought: '', waiting: null, logprobs: null, customTools: new Set() };
      this.choices.set(choice, state);
    }
    return state;
  }

  /** Encodes the fields common to all chunks of the stream once. */
  private frame(): void {
    const common = JSON.stringify({
      id: this.id,
      object: 'chat.completion.chunk',
      created: this.created,
      model: this.model,
      system_fingerprint: null,
    });
    this.head = `data: ${common.slice(0, -1)},"choices":[{"index":`;
    this.tail = this.context.includeUsage ? '}],"usage":null}\n\n' : '}]}\n\n';
  }
}
