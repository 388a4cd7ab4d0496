import { parseExact, writeJson } from '../../../shared/exact-json.js';
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
import { plainChunk } from './plain-chunk.js';
import { readError, toUpstreamError } from '../../errors/read-upstream-error.js';
import { chatUsage } from './usage.js';

/** Maximum index of a tool call; a larger one means a broken stream. */
const maxTools = 1024;

interface OpenTool {
  readonly id: string;
  readonly key: number | string;
  /** Whether the arguments so far end like an object. */
  closes: boolean;
}

/** The state of one choice: its calls, with indexes of this server. */
interface ChoiceState {
  readonly tools: OpenTool[];
  finished: boolean;
}

/** Reads a stream of `chat.completion.chunk`. */
export class ChatStreamReader implements StreamReader {
  private started = false;
  /** A response has at least one choice. */
  private readonly choices = new Map<number, ChoiceState>([[0, { tools: [], finished: false }]]);
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
    if (!state) this.choices.set(choice, (state = { tools: [], finished: false }));
    const logprobs = asFields(fields['logprobs']);
    if (logprobs) events.push({ kind: 'logprobs', choice, logprobs });
    // Some providers end with a complete `message` in place of the last delta.
    const delta = asFields(fields['delta']);
    if (delta) this.readDelta(delta, choice, state, events);
    const reason = finishOf(fields['finish_reason'], state.tools.length > 0);
    if (!reason || state.finished) return;
    state.finished = true;
    for (const index of state.tools.keys()) events.push({ kind: 'toolEnd', choice, index });
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

  private readCall(call: Fields, choice: number, state: ChoiceState, events: NeutralEvent[]): void {
    const tool = asFields(call['function']) ?? asFields(call['custom']) ?? {};
    const id = asText(call['id']);
    const given = tool['arguments'] ?? tool['input'];
    const text = asFields(given) ? writeJson(given) : asText(given);
    const name = asText(tool['name']);
    let index = this.indexOf(call, id, state);
    // Two objects in a row, the second of them with a name, are two calls: some providers send index 0 and no id for
    // each.
    if (id === '' && name !== '' && text.startsWith('{') && state.tools[index]?.closes) index = state.tools.length;
    if (index === -1 || index >= maxTools) return;
    if (index === state.tools.length) {
      state.tools.push({ id, key: someNumber(call['index']) ?? id, closes: false });
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
    if (text === '') return;
    events.push({ kind: 'toolDelta', choice, index, text });
    const open = state.tools[index];
    if (open) open.closes = !call['custom'] && text.endsWith('}');
  }

  /**
   * Finds a call by the provider's index, else by id; pieces with neither belong to the last call.
   * @returns -1 for an implausible index
   */
  private indexOf(call: Fields, id: string, state: ChoiceState): number {
    const key = someNumber(call['index']) ?? id;
    if (key === '') return Math.max(state.tools.length - 1, 0);
    // Providers that send index 0 for every call distinguish them by id; pieces without one belong to the last.
    const found = state.tools.findLastIndex((tool) => tool.key === key);
    if (found === -1) return state.tools.length < maxTools ? state.tools.length : -1;
    const known = state.tools[found];
    if (known && id !== '' && known.id !== '' && known.id !== id) {
      const byId = state.tools.findIndex((tool) => tool.id === id);
      if (byId !== -1) return byId;
      return state.tools.length < maxTools ? state.tools.length : -1;
    }
    return found;
  }
}
