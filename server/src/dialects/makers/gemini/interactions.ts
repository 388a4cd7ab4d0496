import type { ChatCapability } from '../../contract.js';
import { nativeInteraction, nativeInteractionStream } from '../../languages/gemini/interaction-native.js';
import { addOverride } from '../../overrides/body-override.js';
import { minimalChange } from '../../wire/pass-through/native-body.js';
import { geminiBase, geminiHeaders } from './url.js';

/** Google's Interactions, which exist in `v1beta` alone. Bytes pass through. */
export const interactions: ChatCapability = {
  toUpstreamRequest(request, target) {
    const { body, stream } = request;
    const changes: Record<string, unknown> = {};
    if (body['model'] !== target.upstreamModel) changes['model'] = target.upstreamModel;
    if (body['stream'] === true && !stream) changes['stream'] = false;
    if (!target.passThrough) addOverride(body, changes, target);
    return {
      method: 'POST',
      url: `${geminiBase(target)}/v1beta/interactions`,
      headers: geminiHeaders(target, stream),
      body: minimalChange(request, changes),
    };
  },
  fromUpstreamResponse: nativeInteraction,
  openStream: (_request, _target, transcript) => nativeInteractionStream(transcript),
};
