import { AppError, InvalidInputError } from '../../shared/errors.js';
import type { ChatAnswer, ChatCapability, ChatRequest, StreamTransform, Target } from '../../dialects/contract.js';
import {
  answerHeaders,
  contentTypeOf,
  exchangeWith,
  forwardedHeaders,
  refusePage,
  shownModel,
  toTarget,
  unsupportedBy,
  withClientHeaders,
  withCredential,
  type Attempt,
  type AttemptOutcome,
  type Received,
} from './attempt.js';
import { nativeCapability, openAIChat, translatedCapability, type ChatDialect } from '../deliver/chat-dialects.js';
import { collectedAnswer } from '../deliver/collected-stream.js';
import { isTranslated, type TranslatedChat } from '../deliver/translated-chat.js';
import { contentLimit } from '../observe/chat-content.js';
import { correctedAttempt, withCorrections } from './corrected-attempt.js';
import type { ClientResponse } from '../deliver/client-response.js';
import { ClientGoneError, deliverStream, type Delivery } from '../deliver/delivery.js';
import type { CallGuard } from '../admit/guardrails/call-guard.js';
import { guardedAnswer } from '../deliver/guarded-answer.js';
import { deliverGuarded } from '../deliver/guarded-delivery.js';
import { GuardedStream } from '../deliver/guarded-stream.js';
import { parseFields } from '../../dialects/neutral/fields.js';
import { isMarkup, isObject } from '../../dialects/neutral/media.js';
import { estimatePrompt } from '../reserve/metering/prompt-tokens.js';
import { toolsSent } from '../reserve/metering/server-tools.js';
import { TextMeter } from '../reserve/metering/text-meter.js';
import { BoundedStream } from '../deliver/bounded-stream.js';
import { maxMedia } from './media-fetch.js';
import type { AnswerContext } from '../../dialects/neutral/codec.js';
import { asJsonList } from '../../dialects/languages/gemini/json-list.js';
import { declaresCustomTools } from '../../dialects/neutral/tool-forms.js';
import { answerWithModel, StreamWithModel } from '../deliver/shown-model.js';
import type { Exchange } from '../upstream/exchange.js';

const ping = ': PING\n\n';
/** Anthropic's own, which clients expect before the first event, too. */
const messagesPing = 'event: ping\ndata: {"type":"ping"}\n\n';
const waiting = ': WAITING FOR UPSTREAM \n\n';
const waitingMilliseconds = 5000;

/** One attempt before its request is written. */
interface PreparedChat {
  readonly attempt: Attempt;
  readonly dialect: ChatDialect;
  readonly chat: ChatCapability;
  /** `chat`, where it goes through the neutral form. */
  readonly translated: TranslatedChat | null;
  /** The response is written here in the client's dialect, and stored here if it is stored. */
  readonly isWritten: boolean;
  readonly request: ChatRequest;
  readonly target: Target;
  readonly client: ClientResponse;
  /** The model name in the response, if it differs from the provider's name. */
  readonly shown: string | null;
  /** Headers of the client for a provider of its own dialect; null for others. */
  readonly ownHeaders: Record<string, string> | null;
}

/** One attempt, with everything its steps need. */
interface ChatTry extends PreparedChat {
  readonly meter: TextMeter;
  readonly dropped: readonly string[] | undefined;
}

/**
 * Calls the provider and forwards its response, except for its final events. A request that the provider refuses for a part that
 * the call can do without is sent once more without it.
 * @throws UpstreamError, AppError when the call failed; ClientGoneError when the client left before anything was sent
 * to the provider. At once where the request cannot be written, else by the promise
 */
export const attemptChat = (attempt: Attempt, dialect: ChatDialect, client: ClientResponse): Promise<AttemptOutcome> =>
  correctedAttempt(attempt, dialect, client, (corrected) => attemptOnce(corrected, dialect, client));

function attemptOnce(attempt: Attempt, dialect: ChatDialect, client: ClientResponse): Promise<AttemptOutcome> {
  const { adapter } = attempt.channel.provider;
  const plain = toTarget(attempt);
  // Callbacks rather than async functions, here and below, because each of those costs a kilobyte a call.
  return adapter.credential
    ? withCredential(adapter, plain, attempt).then((target) => attemptAt(attempt, dialect, client, plain, target))
    : attemptAt(attempt, dialect, client, plain, plain);
}

/** @param target `plain` with its credential */
function attemptAt(
  attempt: Attempt,
  dialect: ChatDialect,
  client: ClientResponse,
  plain: Target,
  target: Target,
): Promise<AttemptOutcome> {
  const { request: asked, channel } = attempt;
  const { adapter } = channel.provider;
  const shown = shownModel(attempt, plain.upstreamModel);
  const native = passesThrough(attempt, dialect) ? nativeCapability(adapter, dialect, asked.body, plain) : undefined;
  const chat = native
    ? (dialect.adapted?.(native) ?? native)
    : translatedCapability(adapter, dialect, () => innerContextOf(attempt, shown), { body: asked.body, target: plain });
  if (!chat) throw unsupportedBy(channel.type, 'chat');
  // A dialect that is not read here is checked in one piece.
  const isCollected = channel.setting.nonStreamOnly === true || (attempt.guard && !dialect.openReader);
  const simulated = asked.stream && isCollected === true;
  const headers = forwardedHeaders(attempt);
  const request: ChatRequest = {
    path: attempt.path,
    body: asked.body,
    rawBody: attempt.rawBody,
    stream: asked.stream && !simulated,
    wantsUsage: asked.wantsUsage,
    headers,
  };
  const ownHeaders = chat === native ? headers : null;
  const translated = !native && isTranslated(chat) ? chat : null;
  const isWritten = chat !== native;
  const prepared: PreparedChat = {
    attempt,
    dialect,
    chat,
    translated,
    isWritten,
    request,
    target,
    client,
    shown,
    ownHeaders,
  };
  return translated ? exchangeTranslated(prepared, translated, simulated) : exchangeChat(prepared, simulated);
}

async function exchangeTranslated(
  prepared: PreparedChat,
  chat: TranslatedChat,
  simulated: boolean,
): Promise<AttemptOutcome> {
  const { request, target, attempt } = prepared;
  const release = await putMedia(chat, request, target, attempt);
  try {
    return await exchangeChat(prepared, simulated);
  } finally {
    release();
  }
}

/** Writes the request, sends it and forwards the response. */
function exchangeChat(prepared: PreparedChat, simulated: boolean): Promise<AttemptOutcome> {
  const { attempt, dialect, chat, translated, request, target, client, ownHeaders } = prepared;
  const written = chat.toUpstreamRequest(request, target);
  const complete = ownHeaders ? withClientHeaders(written, ownHeaders) : written;
  const sent = attempt.corrections ? withCorrections(attempt, dialect, complete) : complete;
  const { reasoningEffort } = sent;
  const { dropped: before } = attempt.request;
  const dropped = before ? [...before, ...(sent.dropped ?? [])] : sent.dropped;
  const upstreamModel = sent.upstreamModel ?? target.upstreamModel;
  refuseUnpriced(attempt.request, dropped);
  const meter = new TextMeter(target.upstreamModel, attempt.keepsContent ? contentLimit : 0);
  if (client.gone) throw new ClientGoneError();
  if (simulated && dialect.takesComments) startWaiting(client);
  else if (request.stream && attempt.pingSeconds > 0 && dialect.takesComments) {
    client.keepAlive(dialect.native === 'messages' ? messagesPing : ping, attempt.pingSeconds * 1000);
  }
  // Field by field, because a spread object first makes each further field slow.
  const { shown } = prepared;
  const tried: ChatTry = {
    attempt,
    dialect,
    chat,
    translated,
    isWritten: prepared.isWritten,
    request,
    target,
    client,
    shown,
    ownHeaders,
    meter,
    dropped,
  };
  return exchangeWith(attempt, sent, client, upstreamModel, (exchange) => receive(tried, exchange)).then(
    ({ delivery, firstByteAt, isStream }): AttemptOutcome => {
      return { meter, upstreamModel, reasoningEffort, dropped, delivery, firstByteAt, isStream };
    },
  );
}

/** @throws AppError TOOL_NOT_PRICED where the provider would run a tool without a price, and the site refuses that */
function refuseUnpriced({ unpriced }: Attempt['request'], dropped: readonly string[] | undefined): void {
  if (!unpriced?.areRefused) return;
  const [name] = toolsSent(unpriced.names, dropped);
  if (name === undefined) return;
  const why = `The tool ${name} has no price at this model: leave it out, or ask the administrator to set one`;
  throw new AppError('TOOL_NOT_PRICED', why, { field: 'tools' });
}

/**
 * Whether a provider that speaks the client's dialect can serve the call unchanged. Few chat providers know tools that take
 * plain text.
 */
function passesThrough({ request, channel }: Attempt, dialect: ChatDialect): boolean {
  const { customTools } = channel.provider.accepts;
  return customTools || dialect !== openAIChat || !declaresCustomTools(request.body);
}

/**
 * Downloads media by URL and adds it to the request, for providers that fetch nothing themselves.
 * @returns gives the memory of the media back to the node; called when the attempt is over
 */
async function putMedia(
  chat: TranslatedChat,
  request: ChatRequest,
  target: Target,
  attempt: Attempt,
): Promise<() => void> {
  const urls = chat.remoteMedia(request, target);
  if (urls.length === 0) return () => undefined;
  if (urls.length > maxMedia) throw new InvalidInputError(`a call may contain at most ${maxMedia} URLs`);
  const fetched = await attempt.fetchMedia(urls);
  chat.putMedia(fetched.media);
  return () => fetched.release();
}

function receive(tried: ChatTry, exchange: Exchange): Promise<Received> {
  const { translated, request } = tried;
  const headers = answerHeaders(exchange, tried.dropped);
  const contentType = contentTypeOf(exchange);
  if (contentType.startsWith('text/event-stream')) {
    if (request.stream || (tried.attempt.request.stream && !translated)) return receiveStream(tried, exchange, headers);
    return receiveAnswer(tried, exchange, headers, !translated);
  }
  if (!request.stream || contentType.includes('json')) return receiveAnswer(tried, exchange, headers);
  // Some providers name their streams wrongly, or not at all, and so they do with a response in one piece.
  return exchange.firstBytes().then(() => {
    if (exchange.beginning && isMarkup(exchange.beginning)) throw refusePage(exchange);
    if (exchange.beginning && isObject(exchange.beginning)) return receiveAnswer(tried, exchange, headers);
    return receiveStream(tried, exchange, headers);
  });
}

async function receiveStream(tried: ChatTry, exchange: Exchange, headers: Record<string, string>): Promise<Received> {
  const { attempt, chat, translated, request, target, meter, client } = tried;
  let firstByteAt: number | null = null;
  const open = (): void => {
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
        attempt.clientLeft(exchange),
      )
    : await deliverStream(exchange, transform, client, open, onFirstByte, attempt.request.body['background'] !== true);
  if (own.answerId !== undefined) {
    if (delivery.refused) attempt.store?.refuse(own.answerId);
    else attempt.store?.keep(own.answerId, null);
  }
  if (own.proof !== undefined) attempt.keepProof?.(own.proof);
  if (own.givenIds && !delivery.refused) attempt.gave?.(own.givenIds);
  const { reportedFailure } = own;
  return { delivery: reportedFailure ? { ...delivery, reportedFailure } : delivery, firstByteAt, isStream: true };
}

/**
 * Providers are asked for events. What is written here has the client's form already, unless its length is bounded, and what
 * guardrails check gets it later.
 */
const inForm = ({ attempt, isWritten }: ChatTry, events: StreamTransform): StreamTransform =>
  attempt.request.jsonList && !attempt.guard && (!isWritten || attempt.stopAt !== undefined)
    ? asJsonList(events)
    : events;

/** Ends the stream where its reservation ends. */
async function bounded(
  { attempt, dialect, target, shown }: ChatTry,
  inner: StreamTransform,
  stopAt: number,
): Promise<StreamTransform> {
  if (!dialect.openEnding) return inner;
  const meter = new TextMeter(target.upstreamModel);
  await meter.prepare();
  const context = attempt.guard ? innerContextOf(attempt, shown) : contextOf(attempt, shown);
  return new BoundedStream(inner, dialect.openEnding(context), meter, stopAt);
}

/** The stream is written once more, after its check. */
function guardedBy(
  guard: CallGuard,
  { attempt, dialect, isWritten, shown }: ChatTry,
  inner: StreamTransform,
): GuardedStream {
  const { client, openReader } = dialect;
  if (!client || !openReader) throw new Error('this dialect has no reader');
  const { store, ...context } = contextOf(attempt, shown);
  // The provider keeps its own responses; ours are stored as the client got them.
  const own = isWritten && store ? { ...context, store } : context;
  return new GuardedStream(inner, openReader(), client.openWriter(own), guard);
}

/**
 * A non-streaming response; a client that asked for a stream gets it in one piece.
 * @param streamed the provider sent events although one response was asked for
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
  const { attempt, chat, translated, target } = tried;
  const own = streamed ? collectedOf(tried, body) : chat.fromUpstreamResponse(body, target);
  const collectedAt = performance.now();
  if (own.proof !== undefined) attempt.keepProof?.(own.proof);
  const answer = tried.shown === null || translated ? own : answerWithModel(own, tried.shown);
  if (!attempt.guard) {
    if (own.id !== undefined) attempt.store?.keep(own.id, null);
    if (own.givenIds) attempt.gave?.(own.givenIds);
    return receivedOf(tried, headers, answer, collectedAt);
  }
  return guardedAnswer(answer, attempt.guard).then((guarded) => {
    if (own.id !== undefined && !guarded.refused) attempt.store?.keep(own.id, null);
    if (own.givenIds && !guarded.refused) attempt.gave?.(own.givenIds);
    return receivedOf(tried, headers, guarded.answer, collectedAt, guarded.refused);
  });
}

function collectedOf({ attempt, chat, request, target, dialect, shown }: ChatTry, body: Buffer): ChatAnswer {
  const stream = chat.openStream({ ...request, wantsUsage: true }, target, new TextMeter(target.upstreamModel));
  return collectedAnswer(chat, stream, body, { dialect, target, context: innerContextOf(attempt, shown) });
}

/** @param refused why a guardrail keeps the response from the client */
function receivedOf(
  tried: ChatTry,
  headers: Record<string, string>,
  answer: ChatAnswer,
  collectedAt: number,
  refused?: unknown,
): Received {
  const { attempt, meter, client, dialect, isWritten } = tried;
  const { request } = attempt;
  const replay = request.stream && !refused ? dialect.replay(answer, contextOf(attempt, tried.shown)) : null;
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
  // The one piece of a stream is its first data.
  return { delivery, firstByteAt: request.stream ? collectedAt : null, isStream: request.stream };
}

/** A response that guardrails check is stored as the client gets it. */
function storeChecked(body: Buffer, { store }: Attempt): void {
  const response = parseFields(body.toString('utf8'));
  if (store && typeof response?.['id'] === 'string') store.keep(response['id'], response);
}

function contextOf(attempt: Attempt, shown: string | null): AnswerContext {
  const { request, requestId, requestedModel, rawBody } = attempt;
  return {
    id: requestId,
    created: Math.floor(attempt.now / 1000),
    model: requestedModel,
    ...(shown === null ? {} : { shownModel: shown }),
    promptTokens: estimatePrompt(rawBody, request.body, requestedModel),
    includeUsage: request.wantsUsage,
    body: request.body,
    ...(request.jsonList ? { jsonList: true } : {}),
    ...(attempt.store === undefined ? {} : { store: attempt.store }),
  };
}

/**
 * A bounded list is written as events that can be ended, and put into a list later. A response that guardrails check is not
 * stored before.
 */
function innerContextOf(attempt: Attempt, shown: string | null): AnswerContext {
  const context = contextOf(attempt, shown);
  if (attempt.guard) {
    const { store } = context;
    return { ...context, jsonList: false, ...(store ? { store: { ...store, keep: () => undefined } } : {}) };
  }
  return attempt.stopAt === undefined ? context : { ...context, jsonList: false };
}

const streamType = ({ request }: Attempt): string | undefined => (request.jsonList ? 'application/json' : undefined);

/** Sends a comment at once and then every few seconds, while a channel that cannot stream prepares its response. */
function startWaiting(client: ClientResponse): void {
  client.openStream({});
  client.write(waiting);
  client.startHeartbeat(waiting, waitingMilliseconds);
}
