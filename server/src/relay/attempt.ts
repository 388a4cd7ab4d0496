import type { OutgoingHttpHeaders } from 'node:http';
import { AppError } from '../shared/errors.js';
import { adapters } from './adapters/registry.js';
import type { ChatCapability, ChatRequest, FamilySettings, Target } from './adapter.js';
import { contentLimit } from './chat-content.js';
import type { ClientResponse } from './client-response.js';
import { ClientGoneError, deliverStream, goneDelivery, type Delivery } from './delivery.js';
import { TextMeter } from './metering/text-meter.js';
import { answerAsChunk, dataEvent, doneEvent, usageChunk } from './protocols/openai/chunks.js';
import type { ChatCall } from './protocols/openai/chat-request.js';
import { toUpstreamError } from './protocols/openai/upstream-error.js';
import { mapModel } from './routing/model-mapping.js';
import type { RoutedChannel } from './routing/routed-channel.js';
import type { Exchange } from './upstream/exchange.js';
import { safeResponseHeaders, type UpstreamClient } from './upstream/upstream-client.js';

export interface AttemptSettings {
  /** Milliseconds. */
  readonly firstByteTimeout: number;
  readonly idleTimeout: number;
  readonly totalTimeout: number;
  readonly forceStreamUsage: boolean;
  /** Bytes of an answer of one piece. */
  readonly maxAnswerBytes: number;
}

/** One try of one call at one channel with one key. */
export interface Attempt {
  readonly call: ChatCall;
  readonly path: string;
  readonly rawBody: Buffer;
  readonly channel: RoutedChannel;
  readonly key: string;
  readonly requestedModel: string;
  readonly bareModel: string;
  readonly upstream: UpstreamClient;
  readonly settings: AttemptSettings;
  readonly passThrough: boolean;
  readonly families: FamilySettings;
  readonly keepsContent: boolean;
  /** 0: no pings. */
  readonly pingSeconds: number;
}

export interface AttemptOutcome {
  readonly delivery: Delivery;
  readonly meter: TextMeter;
  readonly upstreamModel: string;
  readonly reasoningEffort?: string;
  /** When the provider's first data came, by `performance.now()`; null for answers of one piece. */
  readonly firstByteAt: number | null;
  /** The client was answered with a stream. */
  readonly isStream: boolean;
}

const maxErrorBytes = 64 * 1024;
const ping = ': PING\n\n';
const waiting = ': WAITING FOR UPSTREAM \n\n';
const waitingMilliseconds = 5000;

/**
 * Calls the upstream and forwards its answer up to, not including, what ends it.
 * @throws UpstreamError, AppError when the call failed; ClientGoneError when the client left before anything was sent upstream
 */
export async function attemptChat(attempt: Attempt, client: ClientResponse): Promise<AttemptOutcome> {
  const { call, channel, settings } = attempt;
  const chat = adapters[channel.type]?.chat;
  if (!chat) throw new AppError('UNSUPPORTED_BY_CHANNEL', `Channel type ${channel.type} does not offer chat`);
  const target = toTarget(attempt);
  const simulated = call.stream && channel.setting.nonStreamOnly === true;
  const request: ChatRequest = {
    path: attempt.path,
    body: call.body,
    rawBody: attempt.rawBody,
    stream: call.stream && !simulated,
    wantsUsage: call.wantsUsage,
  };
  const upstreamRequest = chat.toUpstreamRequest(request, target);
  const meter = new TextMeter(target.upstreamModel, attempt.keepsContent ? contentLimit : 0);
  const outcome = {
    meter,
    upstreamModel: upstreamRequest.upstreamModel ?? target.upstreamModel,
    ...(upstreamRequest.reasoningEffort === undefined ? {} : { reasoningEffort: upstreamRequest.reasoningEffort }),
  };
  if (client.gone) throw new ClientGoneError();
  if (simulated) startWaiting(client);
  const exchange = attempt.upstream.send(
    upstreamRequest,
    { firstByte: settings.firstByteTimeout, idle: idleTimeoutOf(attempt, outcome.upstreamModel) },
    channel.setting.proxy,
  );
  const total = setTimeout(() => exchange.abort(tookTooLong()), settings.totalTimeout);
  client.onGone(() => exchange.abort(new ClientGoneError()));
  try {
    const received = await receive(attempt, chat, request, target, exchange, meter, client);
    return { ...outcome, ...received };
  } catch (error) {
    // What never left this node cost nobody anything.
    if (!(error instanceof ClientGoneError) || !exchange.requestSent) throw error;
    return { ...outcome, delivery: goneDelivery, firstByteAt: null, isStream: call.stream };
  } finally {
    clearTimeout(total);
    client.onGone(null);
  }
}

type Received = Pick<AttemptOutcome, 'delivery' | 'firstByteAt' | 'isStream'>;

async function receive(
  attempt: Attempt,
  chat: ChatCapability,
  request: ChatRequest,
  target: Target,
  exchange: Exchange,
  meter: TextMeter,
  client: ClientResponse,
): Promise<Received> {
  await exchange.answer;
  if (exchange.status < 200 || exchange.status >= 300) throw await refusal(exchange);
  const headers = safeResponseHeaders(exchange.headers);
  const contentType = exchange.headers['content-type'] ?? '';
  const streams = contentType.startsWith('text/event-stream') || (request.stream && !contentType.includes('json'));
  if (!streams) return receiveAnswer(attempt, chat, target, exchange, meter, client, headers);
  let firstByteAt: number | null = null;
  const open = (): void => {
    if (client.started) return;
    client.openStream(headers);
    if (attempt.pingSeconds > 0) client.startBeat(ping, attempt.pingSeconds * 1000);
  };
  const transform = chat.openStream(request, target, meter);
  const delivery = await deliverStream(exchange, transform, client, open, () => (firstByteAt = performance.now()));
  return { delivery, firstByteAt, isStream: true };
}

/** An answer of one piece; a client that asked for a stream gets it as one chunk. */
async function receiveAnswer(
  attempt: Attempt,
  chat: ChatCapability,
  target: Target,
  exchange: Exchange,
  meter: TextMeter,
  client: ClientResponse,
  headers: OutgoingHttpHeaders,
): Promise<Received> {
  const answer = chat.fromUpstreamResponse(await exchange.collect(attempt.settings.maxAnswerBytes), target);
  const { call } = attempt;
  const delivery: Delivery = {
    end: { kind: 'complete' },
    usage: answer.usage,
    tell: () => answer.tell(meter),
    finish: (usage) => {
      if (!call.stream) {
        client.send(200, { ...headers, 'content-type': 'application/json' }, answer.body);
        return;
      }
      const whole = JSON.parse(answer.body.toString('utf8')) as Record<string, unknown>;
      client.stopBeat();
      client.openStream(headers);
      client.end(answerAsChunk(whole) + (call.wantsUsage ? usageOf(whole, usage) : '') + doneEvent);
    },
  };
  return { delivery, firstByteAt: null, isStream: call.stream };
}

/** The provider's own usage object with everything it says; ours when there is none. */
const usageOf = (answer: Record<string, unknown>, counted: Parameters<typeof usageChunk>[1]): string => {
  if (typeof answer['usage'] !== 'object' || answer['usage'] === null) return usageChunk(answer, counted);
  const { id, created, model, usage } = answer;
  return dataEvent({ id, object: 'chat.completion.chunk', created, model, choices: [], usage });
};

async function refusal(exchange: Exchange): Promise<Error> {
  const retryAfter = exchange.headers['retry-after'];
  let body: Buffer | string = '';
  try {
    body = await exchange.collect(maxErrorBytes);
  } catch (error) {
    if (error instanceof ClientGoneError) throw error;
    // The status alone still tells what the upstream meant.
  }
  return toUpstreamError(exchange.status, body, typeof retryAfter === 'string' ? retryAfter : undefined);
}

/** Sent at once and then every few seconds, while a channel that cannot stream prepares its whole answer. */
function startWaiting(client: ClientResponse): void {
  client.openStream({});
  client.write(waiting);
  client.startBeat(waiting, waitingMilliseconds);
}

export function toTarget(
  attempt: Pick<Attempt, 'channel' | 'key' | 'requestedModel' | 'bareModel' | 'settings' | 'passThrough' | 'families'>,
): Target {
  const { channel } = attempt;
  return {
    channelId: channel.id,
    type: channel.type,
    baseUrl: channel.baseUrl,
    key: attempt.key,
    organization: channel.organization,
    other: channel.other,
    createdTime: channel.createdTime,
    setting: channel.setting,
    upstreamModel: mapModel(channel.mapping, attempt.requestedModel, attempt.bareModel),
    requestedModel: attempt.requestedModel,
    models: channel.models,
    forceStreamUsage: attempt.settings.forceStreamUsage,
    override: channel.override,
    passThrough: attempt.passThrough,
    families: attempt.families,
    credential: '',
    now: Date.now(),
  };
}

/** o1 and o3 think silently for long (`relay-core.md` 3.11). */
const idleTimeoutOf = ({ settings }: Attempt, model: string): number =>
  /^o[13]/.test(model) ? settings.idleTimeout * 2 : settings.idleTimeout;

const tookTooLong = (): AppError => new AppError('UPSTREAM_TIMEOUT', 'The call took longer than allowed');
