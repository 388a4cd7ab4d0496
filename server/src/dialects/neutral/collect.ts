import type { UpstreamError } from '../errors/upstream-error.js';
import { laterUsage, type Usage } from '../../shared/usage.js';
import type { NeutralAnswer, NeutralChoice } from './answer.js';
import type { NeutralEvent } from './event.js';
import type { Fields } from './fields.js';
import type { FinishReason } from './finish-reason.js';
import type { AudioPart, Part, TextPart, ToolCallPart } from './message.js';

type Draft<T> = { -readonly [Key in keyof T]: T[Key] };

class ChoiceDraft {
  readonly parts: Draft<Part>[] = [];
  private readonly tools = new Map<number, Draft<ToolCallPart>>();
  finish: FinishReason | null = null;
  stopSequence?: string;
  private logprobs: unknown[] = [];
  private readonly searches: string[] = [];
  /** Annotations that arrived before the first text. */
  private readonly early: Fields[] = [];

  constructor(private readonly index: number) {}

  /** Appends an event of this choice. */
  add(event: NeutralEvent): void {
    switch (event.kind) {
      case 'text':
      case 'refusal':
      case 'reasoning':
        return this.append(event.kind, event.text);
      case 'signature':
        return this.sign(event.of, event.signature);
      case 'redacted':
        this.parts.push({ kind: 'reasoning', text: '', redacted: event.data });
        return;
      case 'toolStart': {
        const { id, name, custom, namespace, signature } = event;
        const part: Draft<ToolCallPart> = { kind: 'toolCall', id, name, arguments: '' };
        if (custom) part.custom = true;
        if (namespace !== undefined) part.namespace = namespace;
        if (signature !== undefined) part.signature = signature;
        this.tools.set(event.index, part);
        this.parts.push(part);
        return;
      }
      case 'toolDelta': {
        const part = this.tools.get(event.index);
        if (part) part.arguments += event.text;
        return;
      }
      case 'image': {
        const { mediaType, data, signature } = event;
        this.parts.push({
          kind: 'image',
          source: { kind: 'base64', mediaType, data },
          ...(signature ? { signature } : {}),
        });
        return;
      }
      case 'audio':
        return this.addAudio(event);
      case 'search':
        this.searches.push(event.query);
        return;
      case 'annotation':
        return this.annotate(event.annotation);
      case 'logprobs':
        if (Array.isArray(event.logprobs['content'])) this.logprobs.push(...(event.logprobs['content'] as unknown[]));
        return;
      case 'finish':
        this.finish = event.reason;
        this.stopSequence = event.stopSequence;
        return;
      default:
        return;
    }
  }

  /** The choice so far. */
  done(): NeutralChoice {
    return {
      index: this.index,
      parts: this.parts,
      finish: this.finish,
      ...(this.stopSequence === undefined ? {} : { stopSequence: this.stopSequence }),
      ...(this.searches.length > 0 ? { searches: this.searches } : {}),
      ...(this.logprobs.length > 0 ? { logprobs: { content: this.logprobs } } : {}),
    };
  }

  private append(kind: 'text' | 'refusal' | 'reasoning', text: string): void {
    if (text === '') return;
    const last = this.parts.at(-1);
    if (last?.kind === kind && !('signature' in last) && !('redacted' in last)) last.text += text;
    else {
      this.parts.push({ kind, text });
      if (kind === 'text') for (const annotation of this.early.splice(0)) this.annotate(annotation);
    }
  }

  private sign(kind: 'reasoning' | 'text', signature: string): void {
    const last = this.parts.at(-1);
    const signs = last?.kind === kind && !('signature' in last) && !('redacted' in last);
    if (signs && (last.kind === 'reasoning' || last.kind === 'text')) last.signature = signature;
    else this.parts.push({ kind, text: '', signature });
  }

  private annotate(annotation: Fields): void {
    const text = this.parts.findLast((part): part is Draft<TextPart> => part.kind === 'text');
    if (text) text.annotations = [...(text.annotations ?? []), annotation];
    else this.early.push(annotation);
  }

  private addAudio(event: Extract<NeutralEvent, { kind: 'audio' }>): void {
    let part = this.parts.find((each): each is Draft<AudioPart> => each.kind === 'audio');
    if (!part) this.parts.push((part = { kind: 'audio', format: '', data: '' }));
    part.data += event.data ?? '';
    if (event.id) part.id = event.id;
    if (event.transcript) part.transcript = (part.transcript ?? '') + event.transcript;
    if (event.expiresAt !== undefined) part.expiresAt = event.expiresAt;
  }
}

/** Assembles a stream into the same response as a non-streaming call would return. */
export class AnswerCollector {
  private id = '';
  private model = '';
  private created?: number;
  private usage: Usage | null = null;
  private readonly choices = new Map<number, ChoiceDraft>();
  error: UpstreamError | null = null;

  push(event: NeutralEvent): void {
    if (event.kind === 'start') {
      this.id = event.id;
      this.model = event.model;
      this.created = event.created;
    } else if (event.kind === 'usage') this.usage = laterUsage(this.usage, event.usage);
    else if (event.kind === 'error') this.error = event.error;
    else {
      let choice = this.choices.get(event.choice);
      if (!choice) this.choices.set(event.choice, (choice = new ChoiceDraft(event.choice)));
      choice.add(event);
    }
  }

  /** The response so far. */
  answer(): NeutralAnswer {
    return {
      id: this.id,
      model: this.model,
      ...(this.created === undefined ? {} : { created: this.created }),
      choices: [...this.choices.values()].map((choice) => choice.done()),
      usage: this.usage,
    };
  }
}
