import type { ChannelProbe, ProbeRequest, ProbeResult } from '../modules/channels/channel-probe.service.js';
import type { OptionValues } from '../modules/options/option.service.js';
import { seconds, type Clock } from '../shared/clock.js';
import { AppError } from '../shared/errors.js';
import { adapters } from './adapters/registry.js';
import {
  UpstreamError,
  type Adapter,
  type Target,
  type UpstreamAnswer,
  type UpstreamRequest,
  type Usage,
} from './adapter.js';
import type { AttemptSettings } from './attempt.js';
import { toTarget } from './attempt-target.js';
import { chatCapability, openAIChat } from './chat-dialects.js';
import { familySettings } from './family-settings.js';
import { maskSecrets } from './protocols/openai/masking.js';
import { toUpstreamError } from './protocols/openai/upstream-error.js';
import type { KeyRing } from './routing/key-ring.js';
import { meansDeadKey } from './routing/automatic-disable.js';
import type { RoutingDirectory } from './routing/routing-directory.js';
import type { Credentials } from './upstream/credentials.js';
import type { UpstreamClient } from './upstream/upstream-client.js';

export interface ProbeParts {
  readonly channels: RoutingDirectory;
  readonly keyRing: KeyRing;
  readonly upstream: UpstreamClient;
  readonly settings: AttemptSettings;
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly options: { readonly values: OptionValues };
}

const paths = { chat: '/v1/chat/completions', embeddings: '/v1/embeddings' } as const;

/** Sends one small real request through a channel, enabled or not, by the same way as a call (`relay-core.md` 3.9). */
export class RelayProbe implements ChannelProbe {
  constructor(private readonly parts: ProbeParts) {}

  async send(request: ProbeRequest): Promise<ProbeResult> {
    // The channel may have been saved a moment ago.
    await this.parts.channels.follow();
    const startedAt = performance.now();
    const elapsed = (): number => Math.round(performance.now() - startedAt);
    try {
      const usage = await this.call(request);
      if (!usage)
        return { success: false, milliseconds: elapsed(), message: 'the answer reports no usage', refused: false };
      const { promptTokens, completionTokens } = usage;
      return { success: true, milliseconds: elapsed(), promptTokens, completionTokens };
    } catch (error) {
      return { success: false, milliseconds: elapsed(), ...described(error), refused: this.isRefused(error, request) };
    }
  }

  private isRefused(error: unknown, { channelId }: ProbeRequest): boolean {
    const channel = this.parts.channels.table.channel(channelId);
    const { AutomaticDisableKeywords } = this.parts.options.values;
    return channel !== undefined && meansDeadKey(error, channel.type, AutomaticDisableKeywords);
  }

  private async call(request: ProbeRequest): Promise<Usage | null> {
    const { channels, keyRing, upstream, settings, credentials, clock } = this.parts;
    const channel = channels.table.channel(request.channelId);
    if (!channel) throw new AppError('NOT_FOUND', 'The channel cannot be used: its key cannot be read');
    const adapter = adapters[channel.type];
    if (!adapter) throw new AppError('UNSUPPORTED_BY_CHANNEL', 'Test not supported for this channel type');
    const plain = toTarget({
      channel,
      key: channel.keys[keyRing.take(channel)] ?? '',
      requestedModel: request.model,
      bareModel: request.model,
      settings,
      passThrough: false,
      families: familySettings(this.parts.options.values),
      now: clock.now(),
    });
    const { proxy } = channel.setting;
    const target = adapter.credential
      ? { ...plain, credential: await credentials.get(adapter.credential, plain, proxy) }
      : plain;
    const probe = probeOf(adapter, request, target, clock);
    const exchange = upstream.send(
      probe.request,
      { firstByte: settings.firstByteTimeout, idle: settings.idleTimeout },
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
  if (endpoint === 'embeddings' && adapter.embeddings) {
    const { embeddings } = adapter;
    const request = { ...asked, form: null };
    return {
      request: embeddings.toUpstreamRequest(request, target),
      read: (answer) => embeddings.fromUpstreamResponse(answer, request, target).usage,
    };
  }
  const created = seconds(clock);
  const chat = chatCapability(adapter, openAIChat, () => ({
    id: 'test',
    created,
    model: target.requestedModel,
    promptTokens: 0,
    includeUsage: false,
    body,
  }));
  if (!chat) throw new AppError('UNSUPPORTED_BY_CHANNEL', 'Test not supported for this channel type');
  return {
    request: chat.toUpstreamRequest({ ...asked, stream: false, wantsUsage: false }, target),
    read: (answer) => chat.fromUpstreamResponse(answer.body, target).usage,
  };
}

/** For an admin, yet without keys: messages end up on screens and in tickets. */
function described(error: unknown): { message: string; status?: number } {
  if (error instanceof UpstreamError) {
    return { status: error.status, message: `status code ${error.status}: ${maskSecrets(error.message)}` };
  }
  if (error instanceof AppError) {
    const reason = error.cause instanceof Error ? `: ${error.cause.message}` : '';
    return { message: maskSecrets(error.message + reason) };
  }
  return { message: 'Internal error' };
}
