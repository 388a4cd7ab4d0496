import type { UpstreamRequest } from '../../dialects/contract.js';
import type { ChannelSetting, Target } from '../../dialects/target.js';
import { withAdapter } from '../../dialects/providers/provider.js';
import { providerOf } from '../../dialects/makers/providers.js';
import { openAIChat } from '../../gateway/deliver/chat-dialects.js';
import { chatCapability } from '../../gateway/send/attempt-chat.js';
import { familySettings } from '../../gateway/send/attempt-exchange.js';
import { defaultOptionValues } from '../../options/option-registry.js';

/** An imported channel. */
export interface ChannelHere {
  readonly id: number;
  readonly type: number;
  readonly baseUrl: string;
  readonly other: string;
  readonly setting: ChannelSetting;
  readonly organization: string;
  readonly key: string;
  readonly models: readonly string[];
  /** The model name that the provider gets, after the channel's mapping. */
  readonly model: string;
}

/**
 * Returns the request that a chat call becomes in this product. Null if the channel serves no chat, or its key is
 * exchanged first.
 */
export function requestHere(channel: ChannelHere): UpstreamRequest | null {
  const { adapter } = withAdapter(providerOf(channel.type), channel);
  if (adapter.credential) return null;
  const { model } = channel;
  const target = targetOf(channel);
  const body = { model, messages: [{ role: 'user', content: 'hi' }], max_tokens: 1 };
  const context = { id: '', created: 0, model, promptTokens: 0, includeUsage: false, body };
  const request = {
    path: '/v1/chat/completions',
    body,
    rawBody: Buffer.from(JSON.stringify(body)),
    stream: false,
    wantsUsage: false,
  };
  try {
    const capability = chatCapability(adapter, openAIChat, () => context, { body, target });
    return capability?.toUpstreamRequest(request, target) ?? null;
  } catch {
    return null;
  }
}

function targetOf(channel: ChannelHere): Target {
  const provider = providerOf(channel.type);
  return {
    channelId: channel.id,
    type: channel.type,
    baseUrl: channel.baseUrl || provider.defaultBaseUrl,
    accepts: provider.accepts,
    key: channel.key,
    organization: channel.organization,
    other: channel.other,
    createdAt: null,
    setting: channel.setting,
    upstreamModel: channel.model,
    requestedModel: channel.model,
    models: channel.models,
    forceStreamUsage: false,
    override: null,
    passThrough: false,
    families: familySettings(defaultOptionValues()),
    credential: '',
    now: Date.now(),
  };
}
