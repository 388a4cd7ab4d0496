import type { ParsedRequest } from '../../request.js';
import { overriddenBody } from '../../../dialects/overrides/body-override.js';
import { mapModel } from '../../route/model-mapping.js';
import type { RoutedChannel } from '../../route/routed-channel.js';
import type { Candidates } from '../../route/routing-table.js';
import { readImageFields } from '../../../dialects/priced-fields.js';
import { longestLimit, mostChoices } from '../../../dialects/overrides/sent-fields.js';

/*
 * The override of a channel is applied after translation, for each attempt. Where it changes a field that prices a call, the
 * call is priced as that channel sends it: the dearest of these is reserved, and the one that served is charged.
 */

interface ModelNames {
  readonly requestedModel: string;
  readonly bareModel: string;
}

/**
 * A call as channels send it whose override prices it otherwise, by the ids of the channels. Its fields are read here under
 * the names of all dialects, because the override has those of the provider.
 * @returns undefined where there is no such channel
 * @throws AppError INVALID_INPUT for an order of images that no provider takes
 */
export function overriddenCalls(
  call: ParsedRequest,
  { tiers, bareModel }: Candidates,
  requestedModel: string,
): ReadonlyMap<number, ParsedRequest> | undefined {
  // Forms have no override.
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

/** Null for a channel that cannot serve the call, because its mapping has a fault. */
function upstreamModelOf({ mapping }: RoutedChannel, { requestedModel, bareModel }: ModelNames): string | null {
  try {
    return mapModel(mapping, requestedModel, bareModel);
  } catch {
    return null;
  }
}
