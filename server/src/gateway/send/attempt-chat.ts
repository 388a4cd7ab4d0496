import { AppError, InvalidInputError } from '../../shared/errors.js';
import type {
  Adapter,
  ChatCapability,
  ChatRequest,
  ConversationCapability,
  UpstreamRequest,
} from '../../dialects/contract.js';
import type { Target } from '../../dialects/target.js';
import type { Attempt, AttemptOutcome } from './attempt.js';
import {
  exchangeWith,
  forwardedHeaders,
  shownModel,
  toTarget,
  unsupportedBy,
  withClientHeaders,
  withCredential,
} from './attempt-exchange.js';
import { sessionKeyOf } from '../route/affinity/session-key.js';
import type { CacheKey } from '../deliver/cache-key.js';
import { openAIChat, type ChatDialect } from '../deliver/chat-dialects.js';
import { isTranslated, relayedChat, translatedChat, type TranslatedChat } from '../deliver/translated-chat.js';
import { contentLimit } from '../observe/chat-content.js';
import { correctedAttempt, withCorrections, withLearned } from './corrected-attempt.js';
import type { ClientResponse } from '../deliver/client-response.js';
import { ClientGoneError } from '../deliver/delivery.js';
import { selectsPrice, toolsSent, unpricedMessage } from '../reserve/metering/unpriced-tools.js';
import { TextMeter } from '../reserve/metering/text-meter.js';
import { maxMedia } from './media-fetch.js';
import type { AnswerContext } from '../../dialects/neutral/codec.js';
import type { Fields } from '../../dialects/neutral/fields.js';
import { declaresCustomTools } from '../../dialects/neutral/tool-forms.js';
import { type PreparedChat, type ChatTry, receive, innerContextOf } from './receive-chat.js';
import { millisecondsIn } from '../../shared/clock.js';
import { hold, letGo } from '../../shared/held-bytes.js';

const ping = ': PING\n\n';
/** The ping of Anthropic. Clients also expect it before the first event. */
const messagesPing = 'event: ping\ndata: {"type":"ping"}\n\n';
const waiting = ': WAITING FOR UPSTREAM \n\n';
const waitingMilliseconds = 5000;
/** OpenAI caches prompts from 1,024 tokens on. */
const minCachedBytes = 4096;

/**
 * Calls the provider and forwards its response, except for its final events. If the provider refuses an optional part
 * of a request, the request is sent once more without it.
 * @throws UpstreamError, AppError when the call failed; ClientGoneError when the client disconnected before anything
 * was sent to the provider. The function itself throws if the request cannot be written; later errors reject the
 * promise
 */
export function attemptChat(attempt: Attempt, dialect: ChatDialect, client: ClientResponse): Promise<AttemptOutcome> {
  const { learned } = attempt;
  const run = (each: Attempt): Promise<AttemptOutcome> => attemptAsCorrected(each, dialect, client);
  if (!learned || attempt.passThrough) return run(attempt);
  const first = learned.isEmpty ? attempt : withLearned(attempt, learned);
  return run(first).catch((error: unknown) => correctedAttempt({ attempt: first, dialect, client, run }, error));
}

function attemptAsCorrected(attempt: Attempt, dialect: ChatDialect, client: ClientResponse): Promise<AttemptOutcome> {
  const { adapter } = attempt.channel.provider;
  const plain = toTarget(attempt);
  // Callbacks are used rather than async functions, here and below, because each async function costs a kilobyte per
  // call.
  return adapter.credential
    ? withCredential(adapter, plain, attempt).then((target) => attemptAt(attempt, dialect, client, plain, target))
    : attemptAt(attempt, dialect, client, plain, plain);
}

/** @param target `plain`, with its credential */
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
    : translatedCapability(adapter, dialect, () => innerContextOf(attempt, dialect, shown), {
        body: asked.body,
        target: plain,
        cacheKey: cacheKeyOf(attempt),
      });
  if (!chat) throw unsupportedBy(channel.type, dialect.client ? 'chat' : dialect.native);
  // Output in a dialect that has no reader here is checked in one piece.
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

/**
 * Returns the cache key of the session; undefined when the provider takes none. The group is not part of the key, so that all groups of
 * a session share the cache.
 */
function cacheKeyOf({ channel, caller, request, clientHeaders, rawBody, bareModel }: Attempt): CacheKey | undefined {
  const { cacheKey: name } = channel.provider;
  if (!name) return undefined;
  const traits = {
    userId: caller.user.id,
    tokenId: caller.token.id,
    group: '',
    model: bareModel,
    headers: clientHeaders ?? {},
    body: request.body,
    bodyBytes: rawBody.length,
  };
  return {
    name,
    of() {
      const session = sessionKeyOf(traits, minCachedBytes);
      return session === null || session.source === 'previous_response_id' ? null : session.key;
    },
  };
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
  refuseUnpriced(attempt, dropped, sent.body);
  const meter = new TextMeter(target.upstreamModel, attempt.keepsContent ? contentLimit : 0);
  if (client.gone) throw new ClientGoneError();
  if (simulated && dialect.takesComments) startWaiting(client);
  else if (request.stream && attempt.pingSeconds > 0 && dialect.takesComments) {
    client.keepAlive(dialect.native === 'messages' ? messagesPing : ping, millisecondsIn(attempt.pingSeconds));
  }
  // The fields are listed, because spreading an object first makes each further field slow.
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
    ownBytes: sent.body === attempt.rawBody ? 0 : (sent.body?.length ?? 0),
  };
  // A body that was written for this provider is used by this attempt alone.
  const ownBody = sent.body instanceof Buffer && sent.body !== attempt.rawBody ? sent.body : null;
  if (ownBody) hold(ownBody);
  return exchangeWith(attempt, sent, client, upstreamModel, (exchange) => receive(tried, exchange)).then(
    ({ delivery, firstByteAt, isStream }): AttemptOutcome => {
      if (ownBody) letGo(ownBody);
      return { meter, upstreamModel, reasoningEffort, dropped, delivery, firstByteAt, isStream };
    },
  );
}

/**
 * Refuses a tool, or the choice of a tier or region, that has no price.
 * @throws AppError TOOL_NOT_PRICED when the provider would get it, and the site refuses that
 */
function refuseUnpriced(
  { request: { unpriced, body: given }, channel, passThrough }: Attempt,
  dropped: readonly string[] | undefined,
  body: UpstreamRequest['body'],
): void {
  if (!unpriced?.areRefused) return;
  const isOverridden = channel.overridesPrice && !passThrough;
  const isLeft = (each: string): boolean => !(isOverridden && selectsPrice(each)) || selectsIn(body, each);
  const name = toolsSent(unpriced.names, dropped).find(isLeft);
  if (name === undefined) return;
  throw new AppError('TOOL_NOT_PRICED', unpricedMessage(name, given), { field: selectsPrice(name) ? name : 'tools' });
}

/** Whether a body that an override has written still has the field. Google has its own name for tiers. */
const selectsIn = (body: UpstreamRequest['body'], name: string): boolean =>
  [name, ...(name === 'service_tier' ? ['serviceTier'] : [])].some((each) => body?.includes(`"${each}"`));

/**
 * Whether a provider that speaks the client's dialect can serve the call unchanged. Few chat providers support tools
 * that accept plain text.
 */
function passesThrough({ request, channel }: Attempt, dialect: ChatDialect): boolean {
  const { customTools } = channel.provider.accepts;
  return customTools || dialect !== openAIChat || !declaresCustomTools(request.body);
}

/**
 * Downloads media by URL and adds them to the request, for providers that fetch nothing themselves.
 * @returns a function that releases the memory of the media; call it when the attempt has ended
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

/** Sends a comment at once and then every few seconds, while a channel that cannot stream prepares its response. */
function startWaiting(client: ClientResponse): void {
  client.openStream({});
  client.write(waiting);
  client.startHeartbeat(waiting, waitingMilliseconds);
}

/**
 * Returns how a provider serves a client of this dialect: natively, through the neutral form, or through its chat
 * completions.
 * @returns null when it has no chat capability
 */
export function chatCapability(
  adapter: Adapter | undefined,
  dialect: ChatDialect,
  context: () => AnswerContext,
  { body, target }: { readonly body: Fields; readonly target: Target },
): ChatCapability | null {
  if (!adapter) return null;
  const native = nativeCapability(adapter, dialect, body, target);
  if (!native) return translatedCapability(adapter, dialect, context, { body, target });
  return dialect.adapted ? dialect.adapted(native) : native;
}

/**
 * Returns the native capability of the provider, before it is adapted.
 * @returns undefined when the provider does not speak the dialect, or cannot accept this body
 */
function nativeCapability(
  adapter: Adapter,
  dialect: ChatDialect,
  body: Fields,
  target: Target,
): ChatCapability | undefined {
  const native = adapter[dialect.native];
  if (native?.serves?.(body, target) === false) return undefined;
  return responsesRoute(adapter, dialect, { body, target }) ? undefined : native;
}

/** Returns the Responses capability, when the provider accepts the call of a client of another dialect only there. */
function responsesRoute(
  { responses, overResponses }: Adapter,
  { native, client }: ChatDialect,
  { body, target }: { readonly body: Fields; readonly target: Target },
): ConversationCapability | undefined {
  if (!overResponses || !client || native === 'compaction' || (native === 'responses' && responses)) return undefined;
  return overResponses.takes(body, target) ? overResponses : undefined;
}

/** Returns how a provider serves the client without speaking its dialect. */
function translatedCapability(
  adapter: Adapter,
  dialect: ChatDialect,
  context: () => AnswerContext,
  call: { readonly body: Fields; readonly target: Target; readonly cacheKey?: CacheKey | undefined },
): ChatCapability | null {
  if (!dialect.client) return null;
  const conversation = responsesRoute(adapter, dialect, call) ?? adapter.conversation;
  if (conversation) return translatedChat(conversation, dialect.client, context(), call.cacheKey);
  return adapter.chat ? relayedChat(adapter.chat, dialect.client, context(), call.cacheKey) : null;
}
