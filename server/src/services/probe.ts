import type { ChannelProbe, ProbeRequest, ProbeResult } from '../console/channels/index.js';
import type { OptionValues } from '../options/option.service.js';
import { seconds, type Clock } from '../shared/clock.js';
import { AppError, isAppError } from '../shared/errors.js';
import { modelKind } from '../shared/model-kind.js';
import type { Adapter, UpstreamAnswer, UpstreamRequest } from '../dialects/contract.js';
import type { Target } from '../dialects/target.js';
import { UpstreamError } from '../dialects/errors/upstream-error.js';
import type { Usage } from '../shared/usage.js';
import type { AttemptSettings } from '../gateway/send/attempt.js';
import { toTarget, familySettings } from '../gateway/send/attempt-exchange.js';
import { noteFailure, retires, type KeyCheck } from '../gateway/send/upstream-failure-handler.js';
import { openAIChat } from '../gateway/deliver/chat-dialects.js';
import { chatCapability } from '../gateway/send/attempt-chat.js';
import { withConnectionCause } from '../dialects/errors/connection-cause.js';
import { maskSecrets } from '../dialects/errors/mask-secrets.js';
import { toUpstreamError } from '../dialects/errors/read-upstream-error.js';
import { withHeaderOverride } from '../dialects/overrides/header-override.js';
import type { Health } from '../gateway/route/health/health.js';
import type { KeyRing } from '../gateway/route/key-ring.js';
import type { RoutedChannel } from '../gateway/route/routed-channel.js';
import type { RoutingDirectory } from '../gateway/route/routing-directory.js';
import type { Credentials } from '../gateway/upstream/credentials.js';
import { UpstreamConnectionError } from '../gateway/upstream/exchange.js';
import type { UpstreamClient } from '../gateway/upstream/upstream-client.js';

export interface ProbeDeps {
  readonly channels: RoutingDirectory;
  readonly keyRing: KeyRing;
  readonly health: Health;
  readonly upstream: UpstreamClient;
  readonly settings: AttemptSettings;
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly options: { readonly values: OptionValues };
}

const paths: Readonly<Record<ProbeRequest['endpoint'], string>> = {
  chat: '/v1/chat/completions',
  completions: '/v1/completions',
  embeddings: '/v1/embeddings',
  rerank: '/v1/rerank',
  moderations: '/v1/moderations',
  images: '/v1/images/generations',
  speech: '/v1/audio/speech',
};
/** Endpoints whose providers always report usage. A response without usage is not a valid response. */
const reportsUsage: ReadonlyArray<ProbeRequest['endpoint']> = ['chat', 'completions', 'embeddings'];

/**
 * Sends one small real request through a channel, enabled or not, in the same way as a call
 * (docs/reference/relay/routing.md#channel-test).
 */
export class RelayProbe implements ChannelProbe, KeyCheck {
  constructor(private readonly deps: ProbeDeps) {}

  /** See `ChannelProbe.send`. */
  async send(request: ProbeRequest): Promise<ProbeResult> {
    const { channels, keyRing, health } = this.deps;
    // The channel may have just been saved, or saved at a node whose announcement did not arrive.
    await channels.refresh(request.channelId);
    const channel = channels.table.channel(request.channelId);
    if (!channel) return failed(0, { message: 'The channel cannot be used: its key cannot be read' });
    if (request.key !== undefined && (request.key < 1 || request.key > channel.keys.length)) {
      return failed(0, { message: 'The channel has no such key' });
    }
    const keyIndex = request.key === undefined ? keyRing.take(channel) : request.key - 1;
    const startedAt = performance.now();
    const elapsed = (): number => Math.round(performance.now() - startedAt);
    try {
      const usage = await this.call(request, channel, keyIndex);
      keyRing.reached(channel, keyIndex);
      health.proved(channel, keyIndex, request.model);
      if (!usage && reportsUsage.includes(request.endpoint)) {
        return failed(elapsed(), { message: 'the response reports no usage' });
      }
      const { promptTokens, completionTokens } = usage ?? { promptTokens: 0, completionTokens: 0 };
      return { success: true, milliseconds: elapsed(), promptTokens, completionTokens };
    } catch (error) {
      noteFailure(this.deps, channel, keyIndex, error);
      const refused = request.retires && this.retire(channel, keyIndex, error);
      return failed(elapsed(), { ...described(error), refused, unreachable: isNetworkError(error) });
    }
  }

  /** @returns whether no key of the channel is left */
  private retire(channel: RoutedChannel, keyIndex: number, error: unknown): boolean {
    const { keyRing, options } = this.deps;
    return retires(error, channel, options.values, () => '') && keyRing.refuse(channel, keyIndex);
  }

  /**
   * Tests one key, whatever the state of the other keys. A provider that cannot be reached, or that does not serve such
   * requests, refuses nothing.
   */
  async isDead(channel: RoutedChannel, keyIndex: number, model: string): Promise<boolean> {
    const endpoint = modelKind(model) === 'embedding' ? 'embeddings' : 'chat';
    const body: Record<string, unknown> =
      endpoint === 'chat'
        ? { model, messages: [{ role: 'user', content: 'ping' }], max_tokens: 1, stream: false }
        : { model, input: 'ping' };
    try {
      await this.call({ channelId: channel.id, endpoint, model, body, retires: false }, channel, keyIndex);
      return false;
    } catch (error) {
      return retires(error, channel, this.deps.options.values, () => '');
    }
  }

  private async call(request: ProbeRequest, channel: RoutedChannel, keyIndex: number): Promise<Usage | null> {
    const { upstream, settings, credentials, clock } = this.deps;
    const { adapter } = channel.provider;
    const plain = toTarget({
      channel,
      key: channel.keys[keyIndex] ?? '',
      requestedModel: request.model,
      bareModel: request.model,
      settings,
      passThrough: false,
      families: familySettings(this.deps.options.values),
      now: clock.now(),
    });
    const { proxy } = channel.setting;
    const target = adapter.credential
      ? { ...plain, credential: await credentials.get(adapter.credential, plain, proxy) }
      : plain;
    const probe = probeOf(adapter, request, target, clock);
    const exchange = upstream.send(
      withHeaderOverride(probe.request, { channel, ...target }),
      {
        firstByte: channel.timeouts?.firstByteTimeout ?? settings.firstByteTimeout,
        idle: channel.timeouts?.idleTimeout ?? settings.idleTimeout,
      },
      proxy,
    );
    await exchange.answer;
    const body = await exchange.collect(settings.maxAnswerBytes);
    if (exchange.status < 200 || exchange.status >= 300) throw toUpstreamError(exchange.status, body);
    return probe.read({ contentType: (exchange.headers['content-type'] ?? '').toLowerCase(), body });
  }
}

interface Probe {
  readonly request: UpstreamRequest;
  read(answer: UpstreamAnswer): Usage | null;
}

/** @throws AppError UNSUPPORTED_BY_CHANNEL */
function probeOf(adapter: Adapter, { endpoint, body }: ProbeRequest, target: Target, clock: Clock): Probe {
  const asked = { path: paths[endpoint], body, rawBody: Buffer.from(JSON.stringify(body)) };
  const oneShot = endpoint === 'chat' || endpoint === 'completions' ? undefined : adapter[endpoint];
  if (oneShot) {
    const request = { ...asked, form: null };
    return {
      request: oneShot.toUpstreamRequest(request, target),
      // A provider that responds with a job has accepted the request.
      read: (answer) =>
        oneShot.next?.(answer, target) ? null : oneShot.fromUpstreamResponse(answer, request, target).usage,
    };
  }
  const created = seconds(clock);
  const context = { id: 'test', created, model: target.requestedModel, promptTokens: 0, includeUsage: false, body };
  const chat =
    endpoint === 'completions'
      ? adapter.completions
      : chatCapability(adapter, openAIChat, () => context, { body, target });
  if (!chat) throw new AppError('UNSUPPORTED_BY_CHANNEL', 'Test not supported for this channel type');
  return {
    request: chat.toUpstreamRequest({ ...asked, stream: false, wantsUsage: false }, target),
    read: (answer) => chat.fromUpstreamResponse(answer.body, target).usage,
  };
}

function failed(
  milliseconds: number,
  why: Pick<Failure, 'message'> & Partial<Omit<Failure, 'success' | 'milliseconds'>>,
): ProbeResult {
  return { success: false, milliseconds, refused: false, unreachable: false, ...why };
}

type Failure = Extract<ProbeResult, { success: false }>;

/**
 * Whether there was no connection, or it broke. A provider that accepts a request and responds slowly is slow, not
 * unreachable.
 */
const isNetworkError = (error: unknown): boolean =>
  (error instanceof UpstreamConnectionError && !error.requestSent) ||
  (isAppError(error) && error.code === 'UPSTREAM_UNREACHABLE');

/** Describes an error to an admin, without keys: messages are shown on screens and copied into tickets. */
function described(error: unknown): { message: string; status?: number } {
  if (error instanceof UpstreamError) {
    return { status: error.status, message: `status code ${error.status}: ${maskSecrets(error.message)}` };
  }
  if (error instanceof AppError) return { message: maskSecrets(withConnectionCause(error)) };
  return { message: 'Internal error' };
}
