import { reportedTier } from '../../shared/price-card.js';
import type { Delivery } from '../call/delivery.js';

/**
 * The delivery with the service tier that Google names in a header of the response. Its body may leave the tier out, and a call
 * that asked for priority may have been served in the standard tier.
 */
export function withServedTier<Of extends { readonly delivery: Delivery }>(received: Of, tier: string): Of {
  const { delivery } = received;
  const serviceTier = reportedTier(tier.toLowerCase());
  if (!serviceTier || !delivery.usage || delivery.usage.details?.serviceTier) return received;
  const usage = { ...delivery.usage, details: { ...delivery.usage.details, serviceTier } };
  return { ...received, delivery: { ...delivery, usage } };
}
