import type { OptionValues } from '../../options/option.service.js';
import { AppError } from '../../shared/errors.js';
import type { Adapter, UpstreamAnswer, UpstreamRequest } from '../../dialects/contract.js';
import type { FamilySettings, Target } from '../../dialects/target.js';
import type { ClientResponse } from '../deliver/client-response.js';
import { ClientGoneError, goneDelivery } from '../deliver/delivery.js';
import { toUpstreamError } from '../../dialects/errors/read-upstream-error.js';
import { overflowCode, overflowIn } from '../../dialects/errors/overflow.js';
import { UpstreamError } from '../../dialects/errors/upstream-error.js';
import { withHeaderOverride, type HeaderValues } from '../../dialects/overrides/header-override.js';
import { mapModel } from '../route/model-mapping.js';
import type { Exchange } from '../upstream/exchange.js';
import { safeResponseHeaders } from '../upstream/upstream-client.js';
import type { Correction } from '../../dialects/corrections/correction.js';
import { LostRaceError } from './attempt-race.js';
import { whenTier } from '../../shared/price-condition.js';
import type { AttemptSettings, Attempt, Received } from './attempt.js';

/** Returns the target with its exchanged credential, if the provider requires the exchange. */
export async function withCredential(adapter: Adapter, target: Target, attempt: Attempt): Promise<Target> {
  if (!adapter.credential) return target;
  const { credentials, channel } = attempt;
  return { ...target, credential: await credentials.get(adapter.credential, target, channel.setting.proxy) };
}

/**
 * Sends a request and passes its response to `receive`, within the call's time limit and while the client is connected.
 * @throws UpstreamError, AppError when the call failed; ClientGoneError when the client disconnected before anything
 * was sent to the provider
 */
export async function exchangeWith(
  attempt: Attempt,
  request: UpstreamRequest,
  client: ClientResponse,
  model: string,
  receive: (exchange: Exchange) => Promise<Received>,
): Promise<Received> {
  if (client.gone) throw new ClientGoneError();
  const { settings, channel, race } = attempt;
  if (race?.isDecided) throw new LostRaceError(false);
  const traced = attempt.span ? attempt.span.sends(request, model) : request;
  const exchange = attempt.upstream.send(
    channel.headers.length === 0 ? traced : withHeaderOverride(traced, headerCallOf(attempt, model)),
    { firstByte: settings.firstByteTimeout, idle: idleTimeoutOf(attempt, model) },
    channel.setting.proxy,
  );
  const total = setTimeout(() => exchange.abort(tookTooLong()), settings.totalTimeout);
  let stopReading: (() => void) | undefined;
  const onDisconnect = (): void => void (stopReading = attempt.onDisconnect(exchange));
  let isOver = false;
  // `onGone` has one handler only, which belongs to an attempt that runs alone.
  if (race) client.watchGone(() => isOver || onDisconnect());
  else client.onGone(onDisconnect);
  try {
    race?.enter(exchange);
    await exchange.answer;
    if (exchange.status < 200 || exchange.status >= 300) throw await refusal(exchange);
    if (race) {
      await exchange.firstBytes();
      race.claim(exchange);
    }
    attempt.accepted?.();
    return withServedCondition(await receive(exchange), exchange, attempt);
  } catch (error) {
    if (error instanceof LostRaceError) throw error;
    // A request that never left this node cost nothing. A provider that stops responding after the client has
    // disconnected may bill the request.
    const left = error instanceof ClientGoneError || (client.gone && !(error instanceof UpstreamError));
    if (!left || !exchange.requestSent) throw error;
    // Both attempts may get here: one of them is charged, and the other releases its leases.
    race?.claim(exchange);
    return { delivery: goneDelivery, firstByteAt: null, isStream: attempt.request.stream };
  } finally {
    clearTimeout(total);
    isOver = true;
    if (race) race.leave(exchange);
    else client.onGone(null);
    stopReading?.();
  }
}

/** The header in which Google names the service tier that served a call. */
const tierHeader = 'x-gemini-service-tier';

/**
 * Adds the condition of its price to a delivery. Google names the service tier in a header of the response; the prices of
 * other providers depend on the time of the call. The body may not state the tier, and a call that asked for priority may have been
 * served in the standard tier.
 */
function withServedCondition(received: Received, { headers }: Exchange, { channel, now }: Attempt): Received {
  const { provider, baseUrl } = channel;
  const named = headers[tierHeader];
  const when =
    typeof named === 'string'
      ? whenTier(named.toLowerCase())
      : provider.conditionAt?.(now, baseUrl || provider.defaultBaseUrl);
  if (!when) return received;
  const { delivery } = received;
  const { usage } = delivery;
  if ((usage ?? delivery).details?.when) return received;
  const conditional = { details: { ...(usage ?? delivery).details, when } };
  return {
    ...received,
    delivery: usage ? { ...delivery, usage: { ...usage, ...conditional } } : { ...delivery, ...conditional },
  };
}

/** Returns the values for the channel's header operations. */
export const headerCallOf = (
  { channel, key, requestedModel, clientHeaders }: Attempt,
  upstreamModel: string,
): HeaderValues => ({ channel, key, upstreamModel, requestedModel, clientHeaders });

export const contentTypeOf = (exchange: Exchange): string => (exchange.headers['content-type'] ?? '').toLowerCase();

/**
 * Reads a complete response.
 * @throws AppError UPSTREAM_INVALID_RESPONSE above the size limit
 */
export async function wholeAnswer(exchange: Exchange, settings: AttemptSettings): Promise<UpstreamAnswer> {
  return { contentType: contentTypeOf(exchange), body: await exchange.collect(settings.maxAnswerBytes) };
}

/**
 * Selects the client headers that send a version, a feature or a trace to a provider of the client's dialect
 * (`clientHeaders` of the provider table). No other client header is forwarded.
 */
export function forwardedHeaders({ clientHeaders = {}, channel }: Attempt): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of channel.provider.clientHeaders) {
    const value = clientHeaders[name];
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(',') : value;
  }
  return headers;
}

/**
 * Adds the client's headers to a request. The adapter has already added Anthropic's headers, because hosts of Claude
 * read them from the body.
 */
export function withClientHeaders(sent: UpstreamRequest, forwarded: Record<string, string>): UpstreamRequest {
  const names = Object.keys(forwarded).filter((name) => !name.startsWith('anthropic-'));
  if (names.length === 0) return sent;
  const headers = Object.fromEntries(names.map((name) => [name, forwarded[name] ?? '']));
  return { ...sent, headers: Object.assign(headers, sent.headers) };
}

/** Returns the response headers that a client may see, and the fields that were removed from its request. */
export function answerHeaders(exchange: Exchange, dropped: readonly string[] | undefined): Record<string, string> {
  const headers = safeResponseHeaders(exchange.headers);
  if (dropped && dropped.length > 0) headers['x-tollgate-dropped'] = droppedHeader(dropped);
  return headers;
}

/** Returns the names of removed fields as a header value. */
export const droppedHeader = (dropped: readonly string[]): string => dropped.map(headerSafe).join(', ');

/** Replaces characters that a header must not contain. The names come from the client's body. */
const headerSafe = (name: string): string => name.replace(/[^\w.[\]-]/g, '_').slice(0, 100);

/** Returns the error for a web page that was sent in place of a response. The rest of the page is not read. */
export function refusePage(exchange: Exchange): AppError {
  exchange.discard();
  return new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response is a web page');
}

/** Reads an error response as the error to throw. */
export async function refusal(exchange: Exchange): Promise<Error> {
  const retryAfter = exchange.headers['retry-after'];
  let body: Buffer | string = '';
  try {
    body = await exchange.collect(maxErrorBytes);
  } catch (error) {
    if (error instanceof ClientGoneError) throw error;
    // Without a readable body, the status alone describes the failure.
  }
  const error = toUpstreamError(exchange.status, body, typeof retryAfter === 'string' ? retryAfter : undefined);
  const headers = safeResponseHeaders(exchange.headers);
  if (!overflowIn(error)) return new UpstreamError(error.status, { ...error.detail, headers });
  // Moonshot reports a conversation that is too long as 401, which would retire the key.
  const type = 'invalid_request_error';
  return new UpstreamError(400, { ...error.detail, type, code: overflowCode, headers });
}

const maxErrorBytes = 64 * 1024;

/**
 * Returns the idle timeout. o1 and o3 reason for a long time without output
 * (docs/reference/relay/streaming.md#upstream-calls).
 */
const idleTimeoutOf = ({ settings }: Attempt, model: string): number =>
  /^o[13]/.test(model) ? settings.idleTimeout * 2 : settings.idleTimeout;

const tookTooLong = (): AppError => new AppError('UPSTREAM_TIMEOUT', 'The call took longer than allowed');

/** Returns the error for a channel type without this capability. */
export const unsupportedBy = (channelType: number, what: string): AppError =>
  new AppError('UNSUPPORTED_BY_CHANNEL', `Channel type ${channelType} does not offer ${what}`);

/** Collects everything that an adapter may know about an attempt. */
export function toTarget(
  attempt: Pick<
    Attempt,
    'channel' | 'key' | 'requestedModel' | 'bareModel' | 'settings' | 'passThrough' | 'families' | 'now'
  > &
    Partial<Pick<Attempt, 'request' | 'corrections'>>,
): Target {
  const { channel, requestedModel, bareModel } = attempt;
  return {
    channelId: channel.id,
    type: channel.type,
    baseUrl: channel.baseUrl || channel.provider.defaultBaseUrl,
    accepts: channel.provider.accepts,
    key: attempt.key,
    organization: channel.organization,
    other: channel.other,
    createdAt: channel.createdAt,
    setting: channel.setting,
    upstreamModel: channel.mapping ? mapModel(channel.mapping, requestedModel, bareModel) : bareModel,
    requestedModel,
    models: channel.models,
    forceStreamUsage: attempt.settings.forceStreamUsage,
    azureVersion: attempt.settings.azureVersion,
    override: channel.override,
    outputLimit: attempt.request?.outputLimit,
    refusedAtChat: attempt.corrections && refusedAtChat(attempt.corrections),
    passThrough: attempt.passThrough,
    families: attempt.families,
    credential: '',
    now: attempt.now,
  };
}

function refusedAtChat(corrections: readonly Correction[]): Target['refusedAtChat'] {
  const calls = corrections.flatMap((each) => (each.kind === 'responses' ? [each.calls] : []));
  return calls.includes('all') ? 'all' : calls[0];
}

let known: { readonly values: OptionValues; readonly settings: FamilySettings } | null = null;

/** Derives the settings of the provider families from the options, once per change of the options. */
export function familySettings(values: OptionValues): FamilySettings {
  if (known?.values !== values) known = { values, settings: readFamilies(values) };
  return known.settings;
}

const readFamilies = (values: OptionValues): FamilySettings => ({
  claude: {
    defaultMaxTokens: values['claude.default_max_tokens'],
    thinkingSuffix: values['claude.thinking_adapter_enabled'],
    thinkingShare: values['claude.thinking_adapter_budget_tokens_percentage'],
  },
  claudeHeaders: values['claude.model_headers_settings'],
  gemini: {
    safety: values['gemini.safety_settings'],
    imageModels: values['gemini.supported_imagine_models'],
    thinkingModels: values['gemini.models_supported_thinking_budget'],
    thinkingSuffix: values['gemini.thinking_adapter_enabled'],
    thinkingShare: values['gemini.thinking_adapter_budget_tokens_percentage'],
  },
  geminiVersions: values['gemini.version_settings'],
  site: { address: values.ServerAddress, name: values.SystemName },
});

/**
 * Returns the model name in the client's response when the channel maps the model (option
 * `global.requested_model_in_answers`, docs/reference/providers/openai-family.md#responses-to-chat-calls). Null when
 * the provider's bytes stay unchanged.
 */
export const shownModel = (
  { showsRequestedModel, requestedModel, bareModel }: Attempt,
  upstreamModel: string,
): string | null => (showsRequestedModel && upstreamModel !== bareModel ? requestedModel : null);
