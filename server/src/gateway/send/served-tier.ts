import { reportedTier } from '../../shared/price-card.js';
import type { Delivery } from '../deliver/delivery.js';
import type { RoutedChannel } from '../route/routed-channel.js';
import type { Exchange } from '../upstream/exchange.js';

/** The header in which Google names the service tier that served a call. */
const header = 'x-gemini-service-tier';

/**
 * Adds the service tier to a delivery. Google names it in a header of the response; other providers have a tier that
 * depends on the time of the call. The body may not state the tier, and a call that asked for priority may have been
 * served in the standard tier.
 */
export function withServedTier<Of extends { readonly delivery: Delivery }>(
  received: Of,
  { headers }: Pick<Exchange, 'headers'>,
  { channel, now }: { readonly channel: Pick<RoutedChannel, 'provider' | 'baseUrl'>; readonly now: number },
): Of {
  const { provider, baseUrl } = channel;
  const named = headers[header];
  const serviceTier =
    typeof named === 'string'
      ? reportedTier(named.toLowerCase())
      : provider.tierAt?.(now, baseUrl || provider.defaultBaseUrl);
  if (!serviceTier) return received;
  const { delivery } = received;
  const { usage } = delivery;
  if ((usage ?? delivery).details?.serviceTier) return received;
  const withTier = { details: { ...(usage ?? delivery).details, serviceTier } };
  return {
    ...received,
    delivery: usage ? { ...delivery, usage: { ...usage, ...withTier } } : { ...delivery, ...withTier },
  };
}
