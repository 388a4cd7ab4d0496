import type { ParsedRequest } from '../../request.js';
import { overriddenBody } from '../../../dialects/overrides/body-override.js';
import type { RoutedChannel } from '../../route/routed-channel.js';
import type { ChannelTiers } from '../../route/routing-table.js';
import { readImageFields } from '../../../dialects/priced-image-fields.js';
import { longestLimit, mostChoices } from '../../../dialects/overrides/sent-fields.js';
import { type ModelNames, upstreamModelOf } from './mapped-price.js';

/*
 * The override of a channel is applied after translation, for each attempt. If it changes a field that prices a call,
 * the call is priced as that channel sends it: the most expensive such price is reserved, and the price of the channel
 * that served the call is charged.
 */

/**
 * Returns the call as changed by the override of a channel, by channel id, for channels whose override changes the
 * price. Its fields are read under the names of all dialects, because the override uses the provider's.
 * @returns undefined when there is no such channel
 * @throws AppError INVALID_INPUT for a request for images that no provider accepts
 */
export function overriddenCalls(
  call: ParsedRequest,
  { tiers, bareModel }: ChannelTiers,
  requestedModel: string,
): ReadonlyMap<number, ParsedRequest> | undefined {
  // An override does not apply to forms.
  if (call.form) return undefined;
  const calls = new Map<number, ParsedRequest>();
  for (const { channels } of tiers) {
    for (const channel of channels) {
      const found = channel.overridesPrice ? overriddenCall(call, channel, { requestedModel, bareModel }) : null;
      if (found) calls.set(channel.id, found);
    }
  }
  return calls.size > 0 ? calls : undefined;
}

function overriddenCall(call: ParsedRequest, channel: RoutedChannel, names: ModelNames): ParsedRequest | null {
  const { override } = channel;
  const upstreamModel = upstreamModelOf(channel, names);
  if (upstreamModel === null) return null;
  const { requestedModel } = names;
  const body = overriddenBody({ ...call.body }, { override, upstreamModel, requestedModel });
  if (call.images) return { ...call, body, images: readImageFields(body, false) };
  const choices = mostChoices(body);
  return {
    ...call,
    body: choices > 1 ? { ...body, n: choices } : body,
    maxOutput: longestLimit(body) || call.maxOutput,
  };
}
