import { defaultOptionValues, type OptionValues } from '../../../options/option-registry.js';
import { ChannelCost } from '../../../billing/prices/channel-cost.js';
import { parseCostRule } from '../../../shared/cost-rule.js';
import type { RoutedChannel } from '../routed-channel.js';
import { FirstByteTimes } from './first-byte-times.js';
import { TierOrder } from './tier-order.js';

let now = 0;
const clock = { now: () => now };
let times: FirstByteTimes;
const options: { values: OptionValues } = { values: defaultOptionValues() };
let order: TierOrder;

beforeEach(() => {
  now = 1_000_000;
  times = new FirstByteTimes(clock);
  options.values = defaultOptionValues();
  order = new TierOrder(options, times, clock);
});

const set = (changes: Partial<OptionValues>): void => void (options.values = { ...defaultOptionValues(), ...changes });
const channel = (id: number, more: { rule?: object; mapping?: Record<string, string> } = {}): RoutedChannel =>
  ({
    id,
    mapping: more.mapping ?? {},
    cost: new ChannelCost(parseCostRule(more.rule ?? {})),
  }) as unknown as RoutedChannel;
const call = { group: 'default', model: 'gpt-4o', stream: true };
const ids = (channels: readonly RoutedChannel[]): number[] => channels.map(({ id }) => id);

describe('the order of a call', () => {
  it('is that of its model, else of its group, else of the site', () => {
    expect(order.of('default', 'gpt-4o')).toBe('weight');
    set({
      'channel_order.default': 'cost',
      'channel_order.by_group': { vip: 'first_token' },
      'channel_order.by_model': { 'gpt-4*': 'weight', 'gpt-4o-mini': 'first_token' },
    });
    expect(order.of('default', 'claude-x')).toBe('cost');
    expect(order.of('vip', 'claude-x')).toBe('first_token');
    expect(order.of('vip', 'gpt-4o')).toBe('weight');
    expect(order.of('default', 'gpt-4o-mini')).toBe('first_token');
  });

  it('leaves the channels as they are where weights decide', () => {
    const channels = [channel(1), channel(2)];
    expect(order.narrowed(channels, call)).toBe(channels);
  });
});

describe('by cost', () => {
  beforeEach(() => set({ 'channel_order.default': 'cost' }));

  it('takes the cheapest by factor or card, and those without a known cost last', () => {
    const half = channel(2, { rule: { factor: 0.5 } });
    const alsoHalf = channel(3, { rule: { factor: 0.5 } });
    const card = channel(4, { rule: { cards: { 'gpt-4o': { prices: { input: 0.1, output: 0.2 } } } } });
    expect(ids(order.narrowed([channel(1), half, alsoHalf], call))).toEqual([2, 3]);
    expect(ids(order.narrowed([channel(1), half, card], call))).toEqual([4]);
    const unknown = { ...call, model: 'made-up' };
    const known = channel(5, { rule: { cards: { 'made-up': { prices: { input: 100, output: 100 } } } } });
    expect(ids(order.narrowed([channel(1), known], unknown))).toEqual([5]);
    expect(ids(order.narrowed([channel(1), half], unknown))).toEqual([1, 2]);
  });

  it('counts the model that is called', () => {
    const cheap = channel(2, { mapping: { 'gpt-4o': 'gpt-4o-mini' } });
    expect(ids(order.narrowed([channel(1), cheap], call))).toEqual([2]);
  });
});

describe('by time to the first token', () => {
  beforeEach(() => set({ 'channel_order.default': 'first_token' }));
  const note = (channelId: number, ...milliseconds: number[]): void => {
    for (const time of milliseconds) times.note({ channelId, model: 'gpt-4o', stream: true }, time);
  };

  it('tries out every channel, one call at a time, before it decides', () => {
    const channels = [channel(1), channel(2)];
    expect(ids(order.narrowed(channels, call))).toEqual([1]);
    expect(ids(order.narrowed(channels, call))).toEqual([2]);
    // Both trials run.
    expect(ids(order.narrowed(channels, call))).toEqual([1, 2]);
    now += 10_000;
    expect(ids(order.narrowed(channels, call))).toEqual([1]);
  });

  it('takes the fastest and those that are nearly as fast', () => {
    const channels = [channel(1), channel(2), channel(3)];
    note(1, 500, 500, 500);
    note(2, 100, 100, 100);
    note(3, 109, 109, 109);
    expect(ids(order.narrowed(channels, call))).toEqual([2, 3]);
    // A provider that becomes slower is no longer preferred.
    note(2, 900, 900, 900);
    expect(ids(order.narrowed(channels, call))).toEqual([3]);
  });

  it('measures again after a pause, and responses in one piece apart', () => {
    const channels = [channel(1), channel(2)];
    note(1, 500, 500, 500);
    note(2, 100, 100, 100);
    expect(ids(order.narrowed(channels, { ...call, stream: false }))).toEqual([1]);
    now += 10 * 60_000 + 1;
    expect(ids(order.narrowed(channels, call))).toEqual([1]);
    note(1, 50, 50, 50);
    expect(times.average({ channelId: 1, model: 'gpt-4o', stream: true })).toBe(50);
  });
});

describe('a percentile of the latest times', () => {
  const timed = { channelId: 1, model: 'm', stream: true };

  it('needs enough of them, and forgets all but 64', () => {
    expect(times.percentile(timed, 90, 10)).toBeNull();
    for (let time = 1; time <= 10; time++) times.note(timed, time * 10);
    expect(times.percentile(timed, 50, 10)).toBe(60);
    expect(times.percentile(timed, 90, 10)).toBe(100);
    expect(times.percentile(timed, 90, 11)).toBeNull();
    for (let time = 0; time < 64; time++) times.note(timed, 7);
    expect(times.percentile(timed, 99, 10)).toBe(7);
  });
});
