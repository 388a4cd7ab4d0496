import { randomInt } from 'node:crypto';
import type { RoutedChannel } from './routed-channel.js';
import type { Candidates, Tier } from './routing-table.js';

/** A whole number in [0, below): the system's secure source, or a test's. */
export type RandomBelow = (below: number) => number;

const secureBelow: RandomBelow = (below) => randomInt(below);

export interface Picking {
  readonly candidates: Candidates;
  /** 0 is the first try. */
  readonly attempt: number;
  /** Channels that failed this call already. */
  readonly used: ReadonlySet<number>;
  /** True while the channel may be used at all, whatever the candidates say. */
  readonly enabled: (channel: RoutedChannel) => boolean;
  /** False while every key of the channel is out of service. */
  readonly available: (channel: RoutedChannel) => boolean;
}

/**
 * Attempt i uses the tier i places below the highest, the last one at most
 * (docs/reference/relay/routing.md#tiers-and-weights). Channels that failed this call, or that are known not to answer,
 * are taken only when no other is left in any tier.
 */
export function pickChannel(picking: Picking, random: RandomBelow = secureBelow): RoutedChannel | null {
  const { candidates, used, enabled, available } = picking;
  const tiers = tiersFrom(candidates.tiers, picking.attempt);
  const fresh = (channel: RoutedChannel): boolean => !used.has(channel.id);
  const preferences: ReadonlyArray<(channel: RoutedChannel) => boolean> = [
    (channel) => enabled(channel) && fresh(channel) && available(channel),
    (channel) => enabled(channel) && fresh(channel),
    (channel) => enabled(channel) && available(channel),
    enabled,
  ];
  for (const wanted of preferences) {
    for (const { channels } of tiers) {
      // In the usual case everyone qualifies and nothing is copied.
      const open = channels.every(wanted) ? channels : channels.filter(wanted);
      if (open.length > 0) return weighted(open, candidates.plainWeights, random);
    }
  }
  return null;
}

/** The attempt's own tier first, then the lower ones, then the higher ones from below. */
function tiersFrom(tiers: readonly Tier[], attempt: number): readonly Tier[] {
  if (attempt === 0 || tiers.length <= 1) return tiers;
  const at = Math.min(attempt, tiers.length - 1);
  return [...tiers.slice(at), ...tiers.slice(0, at).reverse()];
}

/** Added to every weight, so that a weight of 0 still gets its share. */
const smoothing = 10;

function weighted(channels: readonly RoutedChannel[], plain: boolean, random: RandomBelow): RoutedChannel | null {
  if (channels.length === 1) return channels[0] ?? null;
  const extra = plain && channels.some((channel) => channel.weight > 0) ? 0 : smoothing;
  let total = 0;
  for (const channel of channels) total += channel.weight + extra;
  let left = random(total);
  for (const channel of channels) {
    left -= channel.weight + extra;
    if (left < 0) return channel;
  }
  return channels.at(-1) ?? null;
}
