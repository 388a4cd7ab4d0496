import type { OptionValues } from '../../../options/option.service.js';
import { costOfUsage } from '../../../billing/prices/index.js';
import type { Clock } from '../../../shared/clock.js';
import { entryOfModel } from '../../../shared/model-pattern.js';
import { noUsage, type Usage } from '../../../shared/usage.js';
import { mapModel } from '../model-mapping.js';
import type { RoutedChannel } from '../routed-channel.js';
import type { FirstByteTimes, TimeSeries } from './first-byte-times.js';

/** The options of the order inside a tier. */
export type OrderOptions = Pick<
  OptionValues,
  'channel_order.default' | 'channel_order.by_group' | 'channel_order.by_model'
>;
export type ChannelOrder = OrderOptions['channel_order.default'];

/** Returns every order that some call may have. */
export const ordersOf = (values: OrderOptions): readonly ChannelOrder[] => [
  values['channel_order.default'],
  ...Object.values(values['channel_order.by_group']),
  ...Object.values(values['channel_order.by_model']),
];

/** The call that a channel is chosen for. */
export interface TierQuery {
  readonly group: string;
  /** The model without the routing prefix. */
  readonly model: string;
  readonly stream: boolean;
}

/** Channels that are slower than the fastest one by at most this factor count as fast. */
const nearlyAsFast = 1.1;
/** Milliseconds. As long as the speed of a channel is unknown, one call per this time measures it. */
const trialPause = 10_000;
/** The usage for which costs are compared. Prompts are usually longer than responses. */
const comparedUsage: Usage = { ...noUsage, promptTokens: 3000, completionTokens: 1000, details: { images: 1 } };

/**
 * Narrows the channels of a tier to the cheapest or the fastest ones, if an option says so
 * (docs/reference/relay/routing.md#order-inside-a-tier). Weights decide among the remaining channels.
 */
export class TierOrder {
  private seen: OrderOptions | null = null;
  private byWeightAlone = true;
  private readonly costs = new WeakMap<RoutedChannel, Map<string, number>>();
  /** Unix milliseconds until which a trial of a channel may run. */
  private readonly trials = new Map<string, number>();

  constructor(
    private readonly options: { readonly values: OrderOptions },
    private readonly times: FirstByteTimes,
    private readonly clock: Clock,
  ) {}

  /** Returns the order for a call: the order of its model, else of its group, else of the site. */
  of(group: string, model: string): ChannelOrder {
    const { values } = this.options;
    if (values !== this.seen) this.read(values);
    if (this.byWeightAlone) return 'weight';
    return (
      entryOfModel(values['channel_order.by_model'], model) ??
      values['channel_order.by_group'][group] ??
      values['channel_order.default']
    );
  }

  /** @returns at least one of the channels */
  narrowed(channels: readonly RoutedChannel[], call: TierQuery): readonly RoutedChannel[] {
    if (channels.length === 1) return channels;
    const order = this.of(call.group, call.model);
    if (order === 'weight') return channels;
    return order === 'cost' ? this.cheapest(channels, call.model) : this.fastest(channels, call);
  }

  private read(values: OrderOptions): void {
    this.seen = values;
    this.byWeightAlone = ordersOf(values).every((order) => order === 'weight');
  }

  private cheapest(channels: readonly RoutedChannel[], model: string): readonly RoutedChannel[] {
    const costs = channels.map((channel) => this.costOf(channel, model));
    const least = Math.min(...costs);
    return channels.filter((_, at) => costs[at] === least);
  }

  /**
   * Returns the cost of a usual call in USD; infinite when it is not known. An edited channel is a new object, so
   * cached costs do not outlive an edit.
   */
  private costOf(channel: RoutedChannel, model: string): number {
    const known = this.costs.get(channel) ?? new Map<string, number>();
    this.costs.set(channel, known);
    let cost = known.get(model);
    if (cost === undefined) known.set(model, (cost = usualCost(channel, model)));
    return cost;
  }

  private fastest(channels: readonly RoutedChannel[], { model, stream }: TierQuery): readonly RoutedChannel[] {
    const now = this.clock.now();
    const known: Array<{ readonly channel: RoutedChannel; readonly average: number }> = [];
    for (const channel of channels) {
      const timed: TimeSeries = { channelId: channel.id, model, stream };
      if (!this.times.isKnown(timed) && this.beginTrial(timed, now)) return [channel];
      const average = this.times.average(timed);
      if (average !== null) known.push({ channel, average });
    }
    const limit = Math.min(...known.map(({ average }) => average)) * nearlyAsFast;
    const fast = known.filter(({ average }) => average <= limit).map(({ channel }) => channel);
    return fast.length > 0 ? fast : channels;
  }

  /** Starts a measurement of a channel's speed. Only one call at a time is used, because the channel may be slow. */
  private beginTrial({ channelId, model, stream }: TimeSeries, now: number): boolean {
    const key = `${channelId}/${stream}/${model}`;
    if ((this.trials.get(key) ?? 0) > now) return false;
    for (const [other, until] of this.trials) if (until <= now) this.trials.delete(other);
    this.trials.set(key, now + trialPause);
    return true;
  }
}

function usualCost(channel: RoutedChannel, model: string): number {
  const price = channel.cost.find(calledModel(channel, model), model);
  return price ? costOfUsage(price, comparedUsage, null).usd : Infinity;
}

/** Returns the mapped model. A mapping that cannot be followed fails the call, not the choice. */
function calledModel({ mapping }: RoutedChannel, model: string): string {
  try {
    return mapModel(mapping, model, model);
  } catch {
    return model;
  }
}
