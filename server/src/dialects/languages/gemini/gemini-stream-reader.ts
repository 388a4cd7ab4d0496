import { parseExact } from '../../../shared/exact-json.js';
import { UpstreamError } from '../../errors/upstream-error.js';
import type { StreamReader } from '../../neutral/codec.js';
import type { NeutralEvent } from '../../neutral/event.js';
import { asFields, asFieldsList, asText, parseJson, someNumber, type Fields } from '../../neutral/fields.js';
import type { Part } from '../../neutral/message.js';
import type { ServerEvent } from '../../wire/sse/event.js';
import { readBlocked, readGeminiError } from './error.js';
import { annotationsOf, logprobsOf, queriesOf } from './gemini-extras.js';
import { finishOf, readPart } from './gemini-read.js';
import { moreSearches, noSearches, searchesOf, toGeminiUsage } from './gemini-usage.js';

/** Gateways may end a stream of Google's dialect as OpenAI ends its streams. */
export const foreignEnd = '[DONE]';

interface ChoiceState {
  tools: number;
  /** Later events repeat the queries of earlier ones. */
  readonly queries: Set<string>;
  finished: boolean;
}

/** Reads a stream of `GenerateContentResponse` (docs/reference/providers/gemini-and-vertex.md#gemini-streams). */
export class GeminiStreamReader implements StreamReader {
  private started = false;
  private images = 0;
  private searches = noSearches;
  /** A response has at least one choice. */
  private readonly choices = new Map<number, ChoiceState>([[0, { tools: 0, queries: new Set(), finished: false }]]);
  /** Google's streams have no end marker. */
  readonly done = false;

  push({ data }: ServerEvent): NeutralEvent[] {
    if (data.startsWith(foreignEnd)) return [];
    const value = data.includes('"functionCall"') ? parseExact(data) : parseJson(data);
    const payload = asFields(Array.isArray(value) ? (value[0] as unknown) : value);
    if (!payload) return [{ kind: 'error', error: unreadable() }];
    const error = readGeminiError(payload) ?? readBlocked(payload);
    if (error) return [{ kind: 'error', error }];
    const events: NeutralEvent[] = [];
    if (!this.started) {
      this.started = true;
      events.push({ kind: 'start', id: asText(payload['responseId']), model: asText(payload['modelVersion']) });
    }
    for (const [position, candidate] of asFieldsList(payload['candidates']).entries())
      this.read(candidate, position, events);
    const usage = toGeminiUsage(payload['usageMetadata'], this.images, this.searches);
    if (usage) events.push({ kind: 'usage', usage });
    return events;
  }

  /** Candidates that have begun and are not finished. */
  get openChoices(): number[] {
    return [...this.choices].flatMap(([choice, { finished }]) => (finished ? [] : [choice]));
  }

  private read(candidate: Fields, position: number, events: NeutralEvent[]): void {
    const choice = someNumber(candidate['index']) ?? position;
    let state = this.choices.get(choice);
    if (!state) this.choices.set(choice, (state = { tools: 0, queries: new Set(), finished: false }));
    this.searches = moreSearches(this.searches, searchesOf(candidate));
    const logprobs = logprobsOf(candidate);
    if (logprobs) events.push({ kind: 'logprobs', choice, logprobs });
    for (const part of asFieldsList(asFields(candidate['content'])?.['parts']).flatMap(readPart))
      this.report(part, choice, state, events);
    for (const query of queriesOf(candidate)) {
      if (!state.queries.has(query)) events.push({ kind: 'search', choice, query });
      state.queries.add(query);
    }
    for (const annotation of annotationsOf(candidate)) events.push({ kind: 'annotation', choice, annotation });
    const reason = finishOf(candidate['finishReason'], state.tools > 0);
    if (!reason || state.finished) return;
    state.finished = true;
    events.push({ kind: 'finish', choice, reason });
  }

  private report(part: Part, choice: number, state: ChoiceState, events: NeutralEvent[]): void {
    switch (part.kind) {
      case 'text':
      case 'reasoning':
        if (part.text !== '') events.push({ kind: part.kind, choice, text: part.text });
        if (part.signature !== undefined)
          events.push({ kind: 'signature', choice, of: part.kind, signature: part.signature });
        return;
      case 'toolCall': {
        const index = state.tools++;
        const { id, name, signature } = part;
        events.push(
          { kind: 'toolStart', choice, index, id, name, ...(signature === undefined ? {} : { signature }) },
          { kind: 'toolDelta', choice, index, text: part.arguments },
          { kind: 'toolEnd', choice, index },
        );
        return;
      }
      case 'image': {
        if (part.source.kind !== 'base64') return;
        this.images++;
        const { mediaType, data } = part.source;
        events.push({
          kind: 'image',
          choice,
          mediaType,
          data,
          ...(part.signature === undefined ? {} : { signature: part.signature }),
        });
        return;
      }
      case 'audio':
        events.push({ kind: 'audio', choice, data: part.data });
        return;
      default:
        return;
    }
  }
}

const unreadable = (): UpstreamError =>
  new UpstreamError(502, {
    message: 'The upstream sent an invalid event',
    type: 'upstream_error',
    code: 'stream_response_error',
  });
