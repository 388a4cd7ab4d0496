import type { ChannelProbe, ProbeRequest, ProbeResult } from '../modules/channels/channel-probe.service.js';
import type { OptionValues } from '../modules/options/option.service.js';
import { AppError } from '../shared/errors.js';
import { adapters } from './adapters/registry.js';
import { UpstreamError, type ChatRequest, type Usage } from './adapter.js';
import { toTarget, type AttemptSettings } from './attempt.js';
import { familySettings } from './family-settings.js';
import { maskSecrets } from './protocols/openai/masking.js';
import { toUpstreamError } from './protocols/openai/upstream-error.js';
import type { KeyRing } from './routing/key-ring.js';
import type { RoutingDirectory } from './routing/routing-directory.js';
import type { UpstreamClient } from './upstream/upstream-client.js';

export interface ProbeParts {
  readonly channels: RoutingDirectory;
  readonly keyRing: KeyRing;
  readonly upstream: UpstreamClient;
  readonly settings: AttemptSettings;
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
      if (!usage) return { success: false, milliseconds: elapsed(), message: 'the answer reports no usage' };
      const { promptTokens, completionTokens } = usage;
      return { success: true, milliseconds: elapsed(), promptTokens, completionTokens };
    } catch (error) {
      return { success: false, milliseconds: elapsed(), ...described(error) };
    }
  }

  private async call(request: ProbeRequest): Promise<Usage | null> {
    const { channels, keyRing, upstream, settings } = this.parts;
    const channel = channels.table.channel(request.channelId);
    if (!channel) throw new AppError('NOT_FOUND', 'The channel cannot be used: its key cannot be read');
    const chat = adapters[channel.type]?.chat;
    if (!chat) throw new AppError('UNSUPPORTED_BY_CHANNEL', 'Test not supported for this channel type');
    const target = toTarget({
      channel,
      key: channel.keys[keyRing.take(channel)] ?? '',
      requestedModel: request.model,
      bareModel: request.model,
      settings,
      passThrough: false,
      families: familySettings(this.parts.options.values),
    });
    const chatRequest: ChatRequest = {
      path: paths[request.endpoint],
      body: request.body,
      rawBody: Buffer.from(JSON.stringify(request.body)),
      stream: false,
      wantsUsage: false,
    };
    const exchange = upstream.send(
      chat.toUpstreamRequest(chatRequest, target),
      { firstByte: settings.firstByteTimeout, idle: settings.idleTimeout },
      channel.setting.proxy,
    );
    await exchange.answer;
    const body = await exchange.collect(settings.maxAnswerBytes);
    if (exchange.status < 200 || exchange.status >= 300) throw toUpstreamError(exchange.status, body);
    return chat.fromUpstreamResponse(body, target).usage;
  }
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
