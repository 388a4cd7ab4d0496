import { parseExact } from '../../../shared/exact-json.js';
import { proofsIn } from './reasoning-details.js';
import type { StreamReader } from '../../neutral/codec.js';
import type { NeutralEvent } from '../../neutral/event.js';
import {
  asFields,
  asFieldsList,
  asText,
  parseFields,
  someNumber,
  someText,
  type Fields,
} from '../../neutral/fields.js';
import type { ServerEvent } from '../../wire/sse/event.js';
import { callId, finishOf, readContent, readImages, reasoningText, signatureOf } from './chat-read.js';
import { OpenCalls } from './open-calls.js';
import { plainChunk } from './plain-chunk.js';
import { readError, toUpstreamError } from '../../errors/read-upstream-error.js';
import { chatUsage } from './usage.js';

/** The state of one choice. */
interface ChoiceState {
  readonly calls: OpenCalls;
  finished: boolean;
}

/** Reads a stream of `chat.completion.chunk`. */
export class ChatStreamReader implements StreamReader {
  private started = false;
  /** A response has at least one choice. */
  private readonly choices = new Map<number, ChoiceState>([[0, { calls: new OpenCalls(), finished: false }]]);
  done = false;

  push({ data }: ServerEvent): NeutralEvent[] {
    if (data.startsWith('[DONE]')) {
      this.done = true;
      return [];
    }
    const plain = this.started ? plainChunk(data) : null;
    if (plain) return [{ kind: plain.kind, choice: 0, text: plain.text }];
    const chunk = data.includes('"tool_calls"') ? asFields(parseExact(data)) : parseFields(data);
    if (!chunk) return [];
    if (chunk['error'] && readError(chunk)) return [{ kind: 'error', error: toUpstreamError(502, data) }];
    const events: NeutralEvent[] = [];
    const choices = asFieldsList(chunk['choices']);
    // A first chunk without choices (Azure's filter results) has no usable id.
    if (!this.started && (choices.length > 0 || asText(chunk['id']) !== '')) events.push(this.start(chunk));
    for (const [position, choice] of choices.entries()) this.readChoice(choice, position, events);
    const usage = chatUsage(chunk);
    if (usage) events.push({ kind: 'usage', usage });
    return events;
  }

  /** Choices that have begun and are not finished. */
  get openChoices(): number[] {
    return [...this.choices].flatMap(([choice, { finished }]) => (finished ? [] : [choice]));
  }

  private start(chunk: Fields): NeutralEvent {
    this.started = true;
    const created = someNumber(chunk['created']);
    return { kind: 'start', id: asText(chunk['id']), model: asText(chunk['model']), ...(created ? { created } : {}) };
  }

  private readChoice(fields: Fields, position: number, events: NeutralEvent[]): void {
    const choice = someNumber(fields['index']) ?? position;
    let state = this.choices.get(choice);
    if (!state) this.choices.set(choice, (state = { calls: new OpenCalls(), finished: false }));
    const logprobs = asFields(fields['logprobs']);
    if (logprobs) events.push({ kind: 'logprobs', choice, logprobs });
    // Some providers end with a complete `message` in place of the last delta.
    const delta = asFields(fields['delta']);
    if (delta) this.readDelta(delta, choice, state, events);
    const reason = finishOf(fields['finish_reason'], state.calls.count > 0);
    if (!reason || state.finished) return;
    state.finished = true;
    for (let index = 0; index < state.calls.count; index++) events.push({ kind: 'toolEnd', choice, index });
    events.push({ kind: 'finish', choice, reason });
  }

  private readDelta(delta: Fields, choice: number, state: ChoiceState, events: NeutralEvent[]): void {
    this.readThoughts(delta, choice, events);
    for (const part of readContent(delta['content'])) {
      if (part.kind === 'text' || part.kind === 'reasoning' || part.kind === 'refusal') {
        events.push({ kind: part.kind, choice, text: part.text });
      }
    }
    const refusal = someText(delta['refusal']);
    if (refusal !== undefined) events.push({ kind: 'refusal', choice, text: refusal });
    for (const image of readImages(asFieldsList(delta['images']))) {
      if (image.kind !== 'image') continue;
      if (image.source.kind === 'base64') {
        const { mediaType, data: bytes } = image.source;
        events.push({ kind: 'image', choice, mediaType, data: bytes });
      } else if (image.source.kind === 'url')
        events.push({ kind: 'text', choice, text: `![image](${image.source.url})` });
    }
    for (const annotation of asFieldsList(delta['annotations']))
      events.push({ kind: 'annotation', choice, annotation });
    this.readAudio(asFields(delta['audio']), choice, events);
    for (const call of asFieldsList(delta['tool_calls'])) this.readCall(call, choice, state, events);
    const legacy = asFields(delta['function_call']);
    if (legacy) this.readCall({ index: 0, function: legacy }, choice, state, events);
    const signature = signatureOf(delta);
    if (signature !== undefined) events.push({ kind: 'signature', choice, of: 'text', signature });
  }

  private readThoughts(delta: Fields, choice: number, events: NeutralEvent[]): void {
    const text = reasoningText(delta);
    if (text !== '') events.push({ kind: 'reasoning', choice, text });
    for (const block of asFieldsList(delta['thinking_blocks'])) {
      const data = block['type'] === 'redacted_thinking' ? someText(block['data']) : undefined;
      if (data !== undefined) events.push({ kind: 'redacted', choice, data });
      const signature = someText(block['signature']);
      if (signature !== undefined) events.push({ kind: 'signature', choice, of: 'reasoning', signature });
    }
    for (const { signature, redacted } of proofsIn(delta)) {
      if (redacted !== undefined) events.push({ kind: 'redacted', choice, data: redacted });
      if (signature !== undefined) events.push({ kind: 'signature', choice, of: 'reasoning', signature });
    }
  }

  private readAudio(audio: Fields | null, choice: number, events: NeutralEvent[]): void {
    if (!audio) return;
    events.push({
      kind: 'audio',
      choice,
      id: someText(audio['id']),
      data: someText(audio['data']),
      transcript: someText(audio['transcript']),
      expiresAt: someNumber(audio['expires_at']),
    });
  }

  private readCall(call: Fields, choice: number, { calls }: ChoiceState, events: NeutralEvent[]): void {
    const placed = calls.place(call);
    if (!placed) return;
    const { index, isFirst, id, name, text } = placed;
    if (isFirst) {
      const signature = signatureOf(call);
      events.push({
        kind: 'toolStart',
        choice,
        index,
        id: callId(id),
        name,
        ...(call['custom'] ? { custom: true } : {}),
        ...(signature === undefined ? {} : { signature }),
      });
    }
    if (text !== '') events.push({ kind: 'toolDelta', choice, index, text });
  }
}
