import { writeJson } from '../../../shared/exact-json.js';
import type { Usage } from '../../../shared/usage.js';
import { argumentsOf } from '../../neutral/arguments.js';
import type { AnswerContext, StreamWriter } from '../../neutral/codec.js';
import type { NeutralEvent } from '../../neutral/event.js';
import { fromFinishReason, type FinishReason } from '../../neutral/finish-reason.js';
import { signed, toParts } from './gemini-answer.js';
import { fromGeminiUsage } from './gemini-usage.js';
import { toLogprobs } from './gemini-extras.js';
import type { Fields, Json } from '../../neutral/fields.js';

interface ToolInProgress {
  readonly id: string;
  readonly name: string;
  readonly signature?: string;
  text: string;
}

/**
 * Writes a stream of `GenerateContentResponse`: as events, or as one JSON list if the client did not ask for events.
 */
export class GeminiStreamWriter implements StreamWriter {
  private id: string;
  private model: string;
  /** Incomplete tool calls, which Gemini's dialect cannot express. */
  private readonly calls = new Map<string, ToolInProgress>();
  private readonly finishes = new Map<number, FinishReason>();
  /** Log probabilities that are sent with the next part of their choice. */
  private logprobs: Map<number, Fields> | null = null;
  private sent = 0;

  constructor(private readonly context: AnswerContext) {
    this.id = context.id;
    this.model = context.model;
  }

  push(events: readonly NeutralEvent[]): string {
    let out = '';
    for (const event of events) out += this.write(event);
    return out;
  }

  end(): string {
    let out = '';
    for (const key of [...this.calls.keys()]) out += this.flushCall(Number(key.split(':', 1)[0]), key);
    return out;
  }

  closing(usage: Usage): string {
    const choices = this.finishes.size > 0 ? [...this.finishes] : [[0, 'stop'] as const];
    const candidates = choices.map(([index, finish]) => ({
      content: { parts: [{ text: '' }], role: 'model' },
      finishReason: fromFinishReason(finish, 'gemini-generate'),
      index,
      ...this.takeLogprobs(index),
    }));
    const last = this.chunk({ candidates, usageMetadata: fromGeminiUsage(usage) });
    return this.context.jsonList ? `${last}]` : last;
  }

  private write(event: NeutralEvent): string {
    switch (event.kind) {
      case 'start':
        this.id = event.id || this.id;
        this.model = event.model || this.model;
        return '';
      case 'text':
      case 'refusal':
        return this.part(event.choice, { text: event.text });
      case 'reasoning':
        return this.part(event.choice, { text: event.text, thought: true });
      case 'signature':
        return this.part(event.choice, {
          text: '',
          ...(event.of === 'reasoning' ? { thought: true } : {}),
          ...signed(event.signature),
        });
      case 'image': {
        const { mediaType, data, signature } = event;
        const [part] = toParts({ kind: 'image', source: { kind: 'base64', mediaType, data }, signature });
        return part ? this.part(event.choice, part) : '';
      }
      case 'audio': {
        const [part] = toParts({ kind: 'audio', format: '', data: event.data ?? '' });
        return part ? this.part(event.choice, part) : '';
      }
      case 'toolStart': {
        const { id, name, signature } = event;
        this.calls.set(`${event.choice}:${event.index}`, { id, name, signature, text: '' });
        return '';
      }
      case 'toolDelta': {
        const call = this.calls.get(`${event.choice}:${event.index}`);
        if (call) call.text += event.text;
        return '';
      }
      case 'toolEnd':
        return this.flushCall(event.choice, `${event.choice}:${event.index}`);
      case 'logprobs':
        (this.logprobs ??= new Map<number, Fields>()).set(event.choice, event.logprobs);
        return '';
      case 'finish':
        this.finishes.set(event.choice, event.reason);
        return '';
      default:
        return '';
    }
  }

  private flushCall(choice: number, key: string): string {
    const call = this.calls.get(key);
    if (!call) return '';
    this.calls.delete(key);
    const { id, name, text, signature } = call;
    return this.part(choice, { functionCall: { id, name, args: argumentsOf(text) }, ...signed(signature) });
  }

  private part(index: number, part: Json): string {
    return this.chunk({
      candidates: [{ content: { parts: [part], role: 'model' }, index, ...this.takeLogprobs(index) }],
    });
  }

  private takeLogprobs(choice: number): Json {
    const logprobs = this.logprobs?.get(choice);
    if (!logprobs) return {};
    this.logprobs?.delete(choice);
    return toLogprobs(logprobs);
  }

  private chunk(fields: Json): string {
    // The fields are not spread first, which would make each further field slow.
    const text = writeJson(Object.assign({}, fields, { modelVersion: this.model, responseId: this.id }));
    this.sent++;
    if (!this.context.jsonList) return `data: ${text}\n\n`;
    return this.sent === 1 ? `[${text}` : `,\r\n${text}`;
  }
}
