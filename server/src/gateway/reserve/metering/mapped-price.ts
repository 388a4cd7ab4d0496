import type { Price } from '../../../billing/prices/index.js';
import { cachesUnasked, searchesUnasked } from '../../../dialects/makers/charging.js';
import { mapModel } from '../../route/model-mapping.js';
import type { RoutedChannel } from '../../route/routed-channel.js';
import type { ChannelTiers } from '../../route/routing-table.js';

export interface ModelNames {
  readonly requestedModel: string;
  readonly bareModel: string;
}

/**
 * Returns the price for a call that channels may map to other models. Those models may cache or search without being asked,
 * and the reservation covers the dearest of them. Returns the given price if they do no more than the requested model.
 */
export function withMappedFacts(price: Price, { tiers, bareModel }: ChannelTiers, requestedModel: string): Price {
  const models = tiers
    .flatMap(({ channels }) => channels.filter(({ mapsToUnasked }) => mapsToUnasked))
    .map((channel) => upstreamModelOf(channel, { requestedModel, bareModel }) ?? bareModel);
  const caches = price.cachesUnasked || models.some(cachesUnasked);
  const searches = price.searchesUnasked || models.some(searchesUnasked);
  const isSame = caches === price.cachesUnasked && searches === price.searchesUnasked;
  return isSame ? price : { ...price, cachesUnasked: caches, searchesUnasked: searches };
}

/** Returns null for a channel that cannot serve the call, because its mapping is invalid. */
export function upstreamModelOf({ mapping }: RoutedChannel, { requestedModel, bareModel }: ModelNames): string | null {
  try {
    return mapModel(mapping, requestedModel, bareModel);
  } catch {
    return null;
  }
}
