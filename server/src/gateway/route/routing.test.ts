import { channelRow } from '../../../../tests/support/channel-row.js';
import { growth } from '../../../../tests/support/growth.js';
import { toRoutedChannel, type ChannelRow, type RoutedChannel } from './routed-channel.js';
import { KeyRing } from './key-ring.js';
import { keyMarkOf } from './key-mark.js';
import { mapModel, type ModelMapping } from './model-mapping.js';
import { meansDeadKey, requestText } from './automatic-disable.js';
import { isRetryable } from './retry.js';
import { RoutingTable, pickChannel, type Picking, retriesAllowed } from './routing-table.js';
import { UpstreamError } from '../../dialects/errors/upstream-error.js';
import { UpstreamConnectionError } from '../upstream/exchange.js';
import { AppError } from '../../shared/errors.js';
import { providerOf } from '../../dialects/makers/providers.js';

let nextId = 1;

const row = (fields: Partial<ChannelRow> = {}): ChannelRow => channelRow({ id: nextId++, ...fields });

const channel = (fields: Partial<ChannelRow> = {}): RoutedChannel => toRoutedChannel(row(fields), (sealed) => sealed);

function pick(channels: RoutedChannel[], more: Partial<Picking> = {}, model = 'gpt-4o'): RoutedChannel | null {
  const candidates = new RoutingTable(channels).find('default', model, 1);
  if (!candidates) return null;
  return pickChannel({ candidates, attempt: 0, used: new Set(), enabled: () => true, available: () => true, ...more });
}

describe('choosing by weight', () => {
  /** Thresholds that a correct sample exceeds once in a million samples, for 1 to 3 degrees of freedom. */
  const critical = [0, 23.93, 27.63, 30.66];

  it.each([
    { weights: [0, 10, 30], prefix: '', shares: [1 / 7, 2 / 7, 4 / 7] },
    { weights: [0, 0, 0, 0], prefix: '', shares: [0.25, 0.25, 0.25, 0.25] },
    { weights: [10, 30], prefix: 'p/', shares: [0.25, 0.75] },
    { weights: [0, 0], prefix: 'p/', shares: [0.5, 0.5] },
  ])('$weights with prefix "$prefix" serve their shares of 10,000 calls', ({ weights, prefix, shares }) => {
    const channels = weights.map((weight) => channel({ weight, modelPrefix: prefix }));
    const counts = new Map(channels.map(({ id }) => [id, 0]));
    for (let call = 0; call < 10_000; call++) {
      const id = pick(channels, {}, `${prefix}gpt-4o`)?.id ?? 0;
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    const deviation = [...counts.values()].reduce((sum, count, at) => {
      const expected = 10_000 * (shares[at] ?? 0);
      return sum + (count - expected) ** 2 / expected;
    }, 0);
    expect(deviation).toBeLessThan(critical[weights.length - 1] ?? 0);
  });

  it('never takes a prefixed channel of weight 0 beside others', () => {
    const channels = [channel({ modelPrefix: 'p/', weight: 0 }), channel({ modelPrefix: 'p/', weight: 1 })];
    for (let call = 0; call < 200; call++) expect(pick(channels, {}, 'p/gpt-4o')?.id).toBe(channels[1]?.id);
  });
});

describe('tiers', () => {
  const high = [channel({ priority: 9 }), channel({ priority: 9 })];
  const low = channel({ priority: 1 });
  const all = [low, ...high];
  const ids = (channels: RoutedChannel[]): number[] => channels.map(({ id }) => id);

  it('attempt i uses the tier i below the highest, the last one at most', () => {
    expect(ids(high)).toContain(pick(all)?.id);
    expect(pick(all, { attempt: 1 })?.id).toBe(low.id);
    expect(pick(all, { attempt: 7 })?.id).toBe(low.id);
  });

  it('goes on to any channel that was not used, before it repeats one', () => {
    const used = new Set([low.id]);
    expect(ids(high)).toContain(pick(all, { attempt: 1, used })?.id);
    expect(pick(all, { attempt: 2, used: new Set(ids(all)) })?.id).toBe(low.id);
  });

  it('takes a channel whose keys are out of service only when no other is left', () => {
    const first = high[0];
    const available = (one: RoutedChannel): boolean => one !== first;
    for (let call = 0; call < 50; call++) expect(pick(high, { available })?.id).toBe(high[1]?.id);
    expect(pick(high, { available: () => false })).not.toBeNull();
  });

  it('never takes a channel that is off by now', () => {
    expect(pick(all, { enabled: () => false })).toBeNull();
    expect(pick(all, { enabled: (one) => one === low })?.id).toBe(low.id);
  });
});

describe('the table', () => {
  it('knows groups, leaves out what is off', () => {
    const table = new RoutingTable([
      channel({ models: ['a', 'b'], groups: ['default', 'vip'] }),
      channel({ models: ['c'], status: 'disabled' }),
      channel({ models: ['d'], status: 'autoDisabled' }),
    ]);
    expect(table.models('vip', 1).map(({ id }) => id)).toEqual(['a', 'b']);
    expect(table.find('default', 'a', 1)?.tiers[0]?.channels).toHaveLength(1);
    expect(table.find('default', 'c', 1)).toBeNull();
    expect(table.find('nobody', 'a', 1)).toBeNull();
  });

  it('takes the longest prefix, and keeps prefixed channels for prefixed names', () => {
    const short = channel({ modelPrefix: 'a/', models: ['b/m', 'm'] });
    const long = channel({ modelPrefix: 'a/b/', models: ['m'] });
    const table = new RoutingTable([short, long]);
    expect(table.find('default', 'a/b/m', 1)).toMatchObject({ bareModel: 'm', tiers: [{ channels: [long] }] });
    expect(table.find('default', 'a/m', 1)).toMatchObject({ bareModel: 'm', tiers: [{ channels: [short] }] });
    expect(table.find('default', 'm', 1)).toBeNull();
  });

  it('looks custom GPTs up by their family', () => {
    const table = new RoutingTable([channel({ models: ['gpt-4-gizmo-*'] })]);
    expect(table.find('default', 'gpt-4-gizmo-g-abc', 1)?.bareModel).toBe('gpt-4-gizmo-g-abc');
  });
});

describe('model mapping', () => {
  const map = (mapping: ModelMapping, model: string, bare = model): string => mapModel(mapping, model, bare);

  it.each([
    [{}, 'a', 'a'],
    [{ a: 'b' }, 'a', 'b'],
    [{ a: 'b', b: 'c' }, 'a', 'c'],
    [{ a: 'a' }, 'a', 'a'],
    [{ a: 'b', b: 'b' }, 'a', 'b'],
    [{ constructor: 'x' }, 'toString', 'toString'],
  ])('%j leads %s to %s', (mapping, from, to) => {
    expect(map(mapping, from)).toBe(to);
  });

  it('prefers the full name to the bare one', () => {
    expect(map({ 'p/a': 'x', a: 'y' }, 'p/a', 'a')).toBe('x');
    expect(map({ a: 'y' }, 'p/a', 'a')).toBe('y');
    expect(map({}, 'p/a', 'a')).toBe('a');
  });

  it('refuses circles', () => {
    expect(() => map({ a: 'b', b: 'c', c: 'b' }, 'a')).toThrow('model_mapping_contains_cycle');
  });
});

describe('keys', () => {
  function ring(keys: string) {
    const clock = { time: 0, now: () => clock.time };
    const one = channel({ keySealed: keys });
    return { clock, one, ring: new KeyRing(clock) };
  }

  it('are parted by commas and lines, empty ones left out; a key that is a document is one', () => {
    expect(channel({ keySealed: 'a, b\n\nc,\r\na' }).keys).toEqual(['a', 'b', 'c']);
    expect(channel({ keySealed: '{"a":1,\n"b":2}', type: 41 }).keys).toEqual(['{"a":1,\n"b":2}']);
    expect(channel({ keySealed: '' }).keys).toEqual(['']);
  });

  it('take turns', () => {
    const { ring: keys, one } = ring('a,b,c');
    const first = keys.take(one);
    expect([keys.take(one), keys.take(one), keys.take(one)]).toEqual([(first + 1) % 3, (first + 2) % 3, first]);
  });

  it('is called again after its pause when the clock was set back meanwhile', () => {
    const { ring: keys, one, clock } = ring('a,b');
    clock.time = 3_600_000;
    for (let failure = 0; failure < 5; failure++) keys.unreachable(one, 0);
    expect(keys.healthOf(one.id, one.keys)).toEqual(['PAUSED', 'USED']);
    clock.time = 0;
    expect(keys.healthOf(one.id, one.keys)).toEqual(['USED', 'USED']);
  });

  it('rest for 30 s after 5 failed connections in a row, then one call tries', () => {
    const { ring: keys, one, clock } = ring('a');
    for (let failure = 0; failure < 4; failure++) keys.unreachable(one, keys.take(one));
    expect(keys.available(one)).toBe(true);
    keys.reached(one, 0);
    for (let failure = 0; failure < 5; failure++) keys.unreachable(one, keys.take(one));
    expect(keys.available(one)).toBe(false);
    clock.time = 29_999;
    expect(keys.available(one)).toBe(false);
    clock.time = 30_000;
    expect(keys.available(one)).toBe(true);
    keys.take(one);
    expect(keys.available(one)).toBe(false);
    keys.unreachable(one, 0);
    clock.time = 59_999;
    expect(keys.available(one)).toBe(false);
    clock.time = 60_000;
    keys.reached(one, keys.take(one));
    expect(keys.available(one)).toBe(true);
  });

  it('that were refused are left out until the keys change', () => {
    const { ring: keys, one } = ring('a,b');
    expect(keys.refuse(one, 0)).toBe(false);
    expect([keys.take(one), keys.take(one)]).toEqual([1, 1]);
    expect(keys.refuse(one, 1)).toBe(true);
    expect(keys.available(one)).toBe(false);
    const edited = { ...one, keys: ['c', 'd'] };
    keys.keepOnly(new Map([[one.id, edited]]));
    expect(keys.available(edited)).toBe(true);
  });

  it('are quiet until a connection fails or a key is refused, and again when nothing is wrong any more', () => {
    const { ring: keys, one } = ring('a,b');
    keys.reached(one, keys.take(one));
    expect(keys.quiet).toBe(true);
    keys.unreachable(one, 0);
    keys.refuse(one, 1);
    keys.reached(one, 0);
    expect(keys.quiet).toBe(false);
    keys.reached(one, 1);
    expect(keys.quiet).toBe(false);
    keys.revive(one.id, keyMarkOf('b'));
    expect(keys.quiet).toBe(true);
    keys.unreachable(one, 0);
    keys.take({ ...one, keys: ['c'] });
    expect(keys.quiet).toBe(true);
    keys.refuse(one, 0);
    keys.keepOnly(new Map());
    expect(keys.quiet).toBe(true);
  });
});

describe('another try', () => {
  const answered = (status: number, type = 1): boolean =>
    isRetryable({ error: new UpstreamError(status, { message: '' }), status, provider: providerOf(type) });

  it.each([
    [429, true],
    [307, true],
    [500, true],
    [502, true],
    [503, true],
    [504, false],
    [524, false],
    [400, false],
    [408, false],
    [401, true],
    [403, true],
    [404, true],
    [422, true],
  ])('after %i: %s', (status, again) => {
    expect(answered(status)).toBe(again);
  });

  it('after 400 only at Anthropic', () => expect(answered(400, 14)).toBe(true));

  it('after a failed connection, never after a failure of our own', () => {
    const local = (error: Error): boolean => isRetryable({ error, status: null, provider: providerOf(1) });
    expect(local(new UpstreamConnectionError(false, false, new Error()))).toBe(true);
    expect(local(new AppError('UNSUPPORTED_BY_CHANNEL', ''))).toBe(true);
    expect(local(new AppError('INSUFFICIENT_QUOTA', ''))).toBe(false);
    expect(local(new Error('a defect'))).toBe(false);
  });

  it('is bounded', () => expect([retriesAllowed(-1), retriesAllowed(3), retriesAllowed(100)]).toEqual([0, 3, 10]));
});

it.each([
  [401, {}, 1, true],
  [403, {}, 24, true],
  [403, {}, 1, false],
  [500, { code: 'invalid_api_key' }, 1, true],
  [429, { type: 'insufficient_quota' }, 1, true],
  [400, { message: 'Your CREDIT balance is too low to go on' }, 1, true],
  [400, { message: 'bad request' }, 1, false],
  [429, {}, 1, false],
])('status %i %j of type %i means a dead key: %s', (status, detail, type, dead) => {
  const keywords = ['Your credit balance is too low', ''];
  expect(meansDeadKey(new UpstreamError(status, { message: '', ...detail }), providerOf(type), keywords)).toBe(dead);
});

describe('words of the request', () => {
  const keywords = ['Your credit balance is too low'];
  const error = new UpstreamError(400, { message: 'cannot read "Your credit balance is too low"' });
  const isDead = (body: Record<string, unknown>): boolean =>
    meansDeadKey(error, providerOf(1), keywords, () => requestText('/v1/chat/completions', body));

  it.each<[string, Record<string, unknown>, boolean]>([
    ['quoted and wrapped', { messages: [{ content: 'YOUR credit\n"balance"\tis too-low!' }] }, false],
    ['as a name', { metadata: { your_credit_balance_is_too_low: 1 } }, false],
    ['in a list', { stop: ['Your credit', 'balance is too low'] }, false],
    ['not all of them', { messages: [{ content: 'Your credit balance is low' }] }, true],
    ['in a request that is too long to look into', { messages: [{ content: 'x'.repeat(1_100_000) }] }, false],
  ])('do not count: %s', (_, body, dead) => expect(isDead(body)).toBe(dead));

  it('take time in proportion to the request', async () => {
    const find = (times: number): void => void isDead({ content: 'your-credit '.repeat(times) });
    expect(await growth(find, 5_000, 40_000)).toBeLessThan(24);
  });
});

it('no failure of ours means a dead key', () => {
  expect(meansDeadKey(new AppError('INVALID_API_KEY', 'invalid_api_key'), providerOf(1), ['invalid'])).toBe(false);
});

it('reads overrides, and none where the row could not have been saved', () => {
  const read = channel({ statusCodeMapping: { 400: 500 }, parameters: { a: 1 }, setting: { proxy: 'socks5://p:1' } });
  expect([...read.statusMapping]).toEqual([[400, 500]]);
  expect(read.override).toEqual({ fields: { a: 1 }, operations: [] });
  expect(read.setting).toEqual({ proxy: 'socks5://p:1' });
  expect(channel({ parameters: { operations: 1 }, headers: { operations: 1 } })).toMatchObject({
    override: null,
    headers: [],
  });
});
