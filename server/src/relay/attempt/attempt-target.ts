import type { Target } from '../adapter.js';
import type { Attempt } from './attempt.js';
import { mapModel } from '../routing/model-mapping.js';

export function toTarget(
  attempt: Pick<
    Attempt,
    'channel' | 'key' | 'requestedModel' | 'bareModel' | 'settings' | 'passThrough' | 'families' | 'now'
  >,
): Target {
  const { channel } = attempt;
  return {
    channelId: channel.id,
    type: channel.type,
    baseUrl: channel.baseUrl || channel.provider.defaultBaseUrl,
    accepts: channel.provider.accepts,
    key: attempt.key,
    organization: channel.organization,
    other: channel.other,
    createdTime: channel.createdTime,
    setting: channel.setting,
    upstreamModel: mapModel(channel.mapping, attempt.requestedModel, attempt.bareModel),
    requestedModel: attempt.requestedModel,
    models: channel.models,
    forceStreamUsage: attempt.settings.forceStreamUsage,
    azureVersion: attempt.settings.azureVersion,
    override: channel.override,
    passThrough: attempt.passThrough,
    families: attempt.families,
    credential: '',
    now: attempt.now,
  };
}
