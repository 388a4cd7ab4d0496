import type { Target, UpstreamRequest } from '../../dialects/contract.js';
import { providerOf } from '../../dialects/providers/providers.js';
import { familySettings } from '../../gateway/send/attempt.js';
import { defaultOptionValues } from '../../options/option-registry.js';

/** A moved channel. */
export interface ChannelHere {
  readonly id: number;
  readonly type: number;
  readonly baseUrl: string;
  readonly other: string;
  readonly organization: string;
  readonly key: string;
  readonly models: readonly string[];
  /** After the mapping. */
  readonly model: string;
}

/** The request that a chat call becomes here; null where the channel serves no chat, or its key is exchanged first. */
export function requestHere(channel: ChannelHere): UpstreamRequest | null {
  const provider = providerOf(channel.type);
  const adapter = provider.adapterFor?.({ other: channel.other, baseUrl: channel.baseUrl }) ?? provider.adapter;
  // Anthropic's own dialect has the same fields in a body as short as this.
  const capability = adapter.chat ?? adapter.messages;
  if (!capability || adapter.credential) return null;
  const body = { model: channel.model, messages: [{ role: 'user', content: 'hi' }], max_tokens: 1 };
  const request = {
    path: adapter.chat ? '/v1/chat/completions' : '/v1/messages',
    body,
    rawBody: Buffer.from(JSON.stringify(body)),
    stream: false,
    wantsUsage: false,
  };
  try {
    return capability.toUpstreamRequest(request, targetOf(channel));
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
    createdTime: 0,
    setting: {},
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
