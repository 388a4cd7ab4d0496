import type { ChatAnswer, ChatCapability, ChatRequest, StreamTransform } from '../../dialects/contract.js';
import type { Target } from '../../dialects/target.js';
import type { Attempt, Received } from './attempt.js';
import { answerHeaders, contentTypeOf, refusePage } from './attempt-exchange.js';
import { type ChatDialect } from '../deliver/chat-dialects.js';
import { collectedAnswer } from '../deliver/collected-stream.js';
import { type TranslatedChat } from '../deliver/translated-chat.js';
import type { ClientResponse } from '../deliver/client-response.js';
import { deliverStream, type Delivery } from '../deliver/delivery.js';
import type { CallGuard } from '../admit/guardrails/call-guard.js';
import { guardedAnswer } from '../deliver/guarded-answer.js';
import { deliverGuarded } from '../deliver/guarded-delivery.js';
import { GuardedStream } from '../deliver/guarded-stream.js';
import { parseFields } from '../../dialects/neutral/fields.js';
import { isMarkup, isObject } from '../../dialects/neutral/media.js';
import { estimatePrompt } from '../reserve/metering/prompt-tokens.js';
import { TextMeter } from '../reserve/metering/text-meter.js';
import { BoundedStream } from '../deliver/bounded-stream.js';
import type { AnswerContext } from '../../dialects/neutral/codec.js';
import { asJsonList } from '../../dialects/languages/gemini/json-list.js';
import { answerWithModel, StreamWithModel } from '../deliver/shown-model.js';
import type { Exchange } from '../upstream/exchange.js';
import { unixSecond } from '../../shared/clock.js';

/** An attempt before its request is written. */
export interface PreparedChat {
  readonly attempt: Attempt;
  readonly dialect: ChatDialect;
  readonly chat: ChatCapability;
  /** `chat` again if the call is translated through the neutral form, otherwise null. */
  readonly translated: TranslatedChat | null;
  /** Whether the response is written here in the client's dialect. If it is stored, it is stored here, too. */
  readonly isWritten: boolean;
  readonly request: ChatRequest;
  readonly target: Target;
  readonly client: ClientResponse;
  /** The model name in the response, if it differs from the provider's name. */
  readonly shown: string | null;
  /** The client's headers for a provider of the client's own dialect; null for other providers. */
  readonly ownHeaders: Record<string, string> | null;
}

/** An attempt with everything its steps need. */
export interface ChatTry extends PreparedChat {
  readonly meter: TextMeter;
  readonly dropped: readonly string[] | undefined;
  /** Length of the body that was written for the provider; 0 when it is the client's. */
  readonly ownBytes: number;
}

/** Types of streams with one JSON object on each line: those of Ollama and Cohere. */
const jsonLines = /^application\/(?:x-ndjson|stream\+json)/;

export function receive(tried: ChatTry, exchange: Exchange): Promise<Received> {
  const { translated, request } = tried;
  const headers = answerHeaders(exchange, tried.dropped);
  const contentType = contentTypeOf(exchange);
  if (contentType.startsWith('text/event-stream') || jsonLines.test(contentType)) {
    if (request.stream || (tried.attempt.request.stream && !translated)) return receiveStream(tried, exchange, headers);
    return receiveAnswer(tried, exchange, headers, !translated);
  }
  if (!request.stream || contentType.includes('json')) return receiveAnswer(tried, exchange, headers);
  // Some providers label streams with a wrong content type or none, and non-streaming responses as well.
  return exchange.firstBytes().then(() => {
    if (exchange.beginning && isMarkup(exchange.beginning)) throw refusePage(exchange);
    if (exchange.beginning && isObject(exchange.beginning)) return receiveAnswer(tried, exchange, headers);
    return receiveStream(tried, exchange, headers);
  });
}

async function receiveStream(tried: ChatTry, exchange: Exchange, headers: Record<string, string>): Promise<Received> {
  const { attempt, chat, translated, request, target, meter, client } = tried;
  let firstByteAt: number | null = null;
  let { begins } = attempt;
  const open = (): void => {
    begins?.(tried.ownBytes);
    begins = undefined;
    if (client.started) return;
    client.openStream(headers, streamType(attempt));
  };
  const own = chat.openStream(request, target, meter);
  const named = tried.shown === null || translated ? own : new StreamWithModel(own, tried.shown);
  const { stopAt } = attempt;
  const transform = inForm(tried, stopAt === undefined ? named : await bounded(tried, named, stopAt));
  const onFirstByte = (): void => void (firstByteAt = performance.now());
  const delivery = attempt.guard
    ? await deliverGuarded(exchange, guardedBy(attempt.guard, tried, transform), client, open, onFirstByte, () =>
        attempt.onDisconnect(exchange),
      )
    : await deliverStream(exchange, transform, client, open, onFirstByte, attempt.request.body['background'] !== true);
  if (own.answerId !== undefined) {
    if (delivery.refused) attempt.store?.refuse(own.answerId);
    else attempt.store?.keep(own.answerId, null);
  }
  if (own.proof !== undefined) attempt.keepProof?.(own.proof);
  if (own.givenIds?.length && !delivery.refused) attempt.gave?.(own.givenIds);
  const { reportedFailure } = own;
  return { delivery: reportedFailure ? { ...delivery, reportedFailure } : delivery, firstByteAt, isStream: true };
}

/**
 * Converts events to the form the client asked for. Providers are asked for events. Output that is written here already
 * has the client's form, unless its length is bounded. Output that guardrails check is converted after the check.
 */
const inForm = ({ attempt, isWritten }: ChatTry, events: StreamTransform): StreamTransform =>
  attempt.request.jsonList && !attempt.guard && (!isWritten || attempt.stopAt !== undefined)
    ? asJsonList(events)
    : events;

/** Ends the stream at the end of its reservation. */
async function bounded(
  { attempt, dialect, target, shown }: ChatTry,
  inner: StreamTransform,
  stopAt: number,
): Promise<StreamTransform> {
  if (!dialect.openEnding) return inner;
  const meter = new TextMeter(target.upstreamModel);
  await meter.prepare();
  const context = attempt.guard ? innerContextOf(attempt, dialect, shown) : contextOf(attempt, dialect, shown);
  return new BoundedStream(inner, dialect.openEnding(context), meter, stopAt);
}

/** Checks the stream with guardrails and writes it again. */
function guardedBy(guard: CallGuard, tried: ChatTry, inner: StreamTransform): GuardedStream {
  const { client, openReader } = tried.dialect;
  if (!client || !openReader) throw new Error('this dialect has no reader');
  return new GuardedStream(inner, openReader(), client.openWriter(ownContextOf(tried)), guard);
}

/** The provider stores its own responses. Responses that are written here are stored as the client got them. */
function ownContextOf({ attempt, dialect, isWritten, shown }: ChatTry): AnswerContext {
  const { store, ...context } = contextOf(attempt, dialect, shown);
  return isWritten && store ? { ...context, store } : context;
}

/**
 * Receives a non-streaming response. A client that asked for a stream gets it in one piece.
 * @param streamed whether the provider sent events although one response was requested
 */
function receiveAnswer(
  tried: ChatTry,
  exchange: Exchange,
  headers: Record<string, string>,
  streamed = false,
): Promise<Received> {
  return exchange
    .collect(tried.attempt.settings.maxAnswerBytes)
    .then((body) => answerOf(tried, headers, body, streamed));
}

function answerOf(
  tried: ChatTry,
  headers: Record<string, string>,
  body: Buffer,
  streamed: boolean,
): Received | Promise<Received> {
  const { attempt, chat, translated, target, request } = tried;
  const own = streamed ? collectedOf(tried, body) : chat.fromUpstreamResponse(body, target, request);
  const collectedAt = performance.now();
  if (own.proof !== undefined) attempt.keepProof?.(own.proof);
  const answer = tried.shown === null || translated ? own : answerWithModel(own, tried.shown);
  if (!attempt.guard) {
    if (own.id !== undefined) attempt.store?.keep(own.id, null);
    if (own.givenIds?.length) attempt.gave?.(own.givenIds);
    return receivedOf(tried, headers, answer, collectedAt);
  }
  return guardedAnswer(answer, attempt.guard).then((guarded) => {
    if (own.id !== undefined && !guarded.refused) attempt.store?.keep(own.id, null);
    if (own.givenIds?.length && !guarded.refused) attempt.gave?.(own.givenIds);
    return receivedOf(tried, headers, guarded.answer, collectedAt, guarded.refused);
  });
}

function collectedOf({ attempt, chat, request, target, dialect, shown }: ChatTry, body: Buffer): ChatAnswer {
  const stream = chat.openStream({ ...request, wantsUsage: true }, target, new TextMeter(target.upstreamModel));
  return collectedAnswer(chat, stream, body, { dialect, target, context: innerContextOf(attempt, dialect, shown) });
}

/** @param refused the error of a guardrail that refuses the response */
function receivedOf(
  tried: ChatTry,
  headers: Record<string, string>,
  answer: ChatAnswer,
  collectedAt: number,
  refused?: unknown,
): Received {
  const { attempt, meter, client, dialect, isWritten } = tried;
  const { request } = attempt;
  const replay = request.stream && !refused ? dialect.replay(answer, ownContextOf(tried)) : null;
  const delivery: Delivery = {
    end: { kind: 'complete' },
    usage: answer.usage,
    refused: refused ? { error: refused, isEarly: false } : undefined,
    report: () => answer.report(meter),
    finish: (usage) => {
      if (!replay) {
        const body = answer.usage === null && answer.withUsage ? answer.withUsage(usage) : answer.body;
        if (attempt.guard && isWritten) storeChecked(body, attempt);
        headers['content-type'] = 'application/json';
        client.send(200, headers, body);
        return;
      }
      client.stopHeartbeat();
      client.openStream(headers, streamType(attempt));
      client.end(replay(usage));
    },
  };
  // A stream that is sent in one piece gets its first data with that piece.
  return { delivery, firstByteAt: request.stream ? collectedAt : null, isStream: request.stream };
}

/** Stores a response that guardrails checked, as the client got it. */
function storeChecked(body: Buffer, { store }: Attempt): void {
  const response = parseFields(body.toString('utf8'));
  if (store && typeof response?.['id'] === 'string') store.keep(response['id'], response);
}

function contextOf(attempt: Attempt, { native }: ChatDialect, shown: string | null): AnswerContext {
  const { request, requestId, requestedModel, rawBody } = attempt;
  return {
    id: requestId,
    created: unixSecond(attempt.now),
    model: requestedModel,
    ...(shown === null ? {} : { shownModel: shown }),
    // Only Messages states the prompt before the content.
    promptTokens: native === 'messages' ? estimatePrompt(rawBody, request.body, requestedModel) : 0,
    includeUsage: request.wantsUsage,
    body: request.body,
    ...(request.jsonList ? { jsonList: true } : {}),
    ...(attempt.store === undefined ? {} : { store: attempt.store }),
  };
}

/**
 * Returns the context in which the response is first written. A bounded JSON list is written as events, which can be
 * ended, and becomes a list later. A response that guardrails check is stored only after the check.
 */
export function innerContextOf(attempt: Attempt, dialect: ChatDialect, shown: string | null): AnswerContext {
  const context = contextOf(attempt, dialect, shown);
  if (attempt.guard) {
    const { store } = context;
    return { ...context, jsonList: false, ...(store ? { store: { ...store, keep: () => undefined } } : {}) };
  }
  return attempt.stopAt === undefined ? context : { ...context, jsonList: false };
}

const streamType = ({ request }: Attempt): string | undefined => (request.jsonList ? 'application/json' : undefined);
