import { Changes } from '../../platform/cache/changes.js';
import { MemoryState } from '../../platform/cache/memory-state.js';
import { Secrets } from '../../shared/secrets.js';
import { allowListOf } from '../../platform/outbound/allow-list.js';
import { parseKey } from '../../shared/key-text.js';
import { findKey, maskKey } from './authentication.js';
import { isLow, KeyDirectory } from './key-directory.js';

const secrets = new Secrets('encryption key of a test');
const row = {
  id: 7,
  userId: 3,
  name: 'n',
  status: 'enabled',
  expiresAt: null,
  unlimitedQuota: false,
  remainQuota: '100',
  modelLimits: ['a', 'b'],
  allowIps: [],
  canRelay: true,
  fallbackGroups: [],
  fallbackModels: [],
  rateLimit: null,
  budgets: null,
  plans: null,
  group: '',
};

function directory(answer: () => Promise<unknown>) {
  const queries: unknown[][] = [];
  const query = (_sql: string, parameters: unknown[] = []): Promise<unknown> => {
    queries.push(parameters);
    return answer();
  };
  return { queries, keys: new KeyDirectory({ query }, secrets) };
}

describe('the directory of keys', () => {
  it('reads a key once however many ask, by its keyed hash only', async () => {
    const { keys, queries } = directory(() => Promise.resolve([row]));
    const found = await Promise.all(Array.from({ length: 20 }, async () => keys.token('secret-key')));
    expect(new Set(found).size).toBe(1);
    expect(found[0]).toMatchObject({ id: 7, remainQuota: 100, modelLimits: new Set(['a', 'b']) });
    expect(queries).toEqual([[secrets.hash('secret-key')]]);
    expect(keys.token('secret-key')).toBe(found[0]);
  });

  it('never takes a database that is away for an unknown key', async () => {
    let away = true;
    const { keys } = directory(() => (away ? Promise.reject(new Error('gone')) : Promise.resolve([row])));
    await expect(keys.token('secret-key')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 5 });
    away = false;
    expect(await keys.token('secret-key')).toMatchObject({ id: 7 });
  });

  it('sees a plan with a price, and no free one, as paid, also if it is newer than the cached copy', async () => {
    const user = { id: 3, setting: {}, quota: '0', budgets: null, plans: null as unknown };
    let rows: unknown[] = [user];
    const { keys } = directory(() => Promise.resolve(rows));
    const known = (await keys.user(3))!;
    expect([await keys.hasPaid(known), await keys.hasBalance(known)]).toEqual([false, false]);
    const bought = (price: number) => [{ ...user, plans: [{ id: 1, terms: { price }, windows: null }] }];
    rows = bought(0);
    expect(await keys.hasPaid(known)).toBe(false);
    rows = bought(1);
    expect([await keys.hasPaid(known), await keys.hasBalance(known)]).toEqual([true, false]);
  });

  it('does not remember that a key is unknown', async () => {
    let rows: unknown[] = [];
    const { keys } = directory(() => Promise.resolve(rows));
    expect(await keys.token('secret-key')).toBeNull();
    rows = [row];
    expect(await keys.token('secret-key')).toMatchObject({ id: 7 });
  });

  it('drops what was announced, and keeps nothing that was read meanwhile', async () => {
    const changes = new Changes(new MemoryState());
    const waiting: Array<(rows: unknown[]) => void> = [];
    const { keys, queries } = directory(() => new Promise((resolve) => waiting.push(resolve)));
    keys.follow(changes);
    const first = keys.token('secret-key');
    await changes.announce({ kind: 'token', id: 7 });
    waiting[0]?.([row]);
    expect(await first).toMatchObject({ id: 7 });
    const second = keys.token('secret-key');
    waiting[1]?.([{ ...row, status: 'banned' }]);
    expect(await second).toMatchObject({ status: 'banned' });
    expect(queries).toHaveLength(2);
  });
});

describe('the threshold of a warning', () => {
  const lowAt = async (setting: object, left: number): Promise<boolean> => {
    const { keys } = directory(() => Promise.resolve([{ ...row, setting, quota: '5' }]));
    const user = await keys.user(3);
    return user !== null && isLow(user, left, 1000);
  };

  it('is the user’s own, else that of the site', async () => {
    expect([await lowAt({}, 999), await lowAt({}, 1000)]).toEqual([true, false]);
    const own = { quotaWarningThreshold: 50 };
    expect([await lowAt(own, 49), await lowAt(own, 50)]).toEqual([true, false]);
  });
});

/** A key of one-hub, whose signature contains both separators. */
const signed = 'Uk7QtMv9Xa2LpRz_4bC-dE_fGh-IjKlMnOpQrStUvWxYz0123456789-abc';

describe('a key', () => {
  it.each([
    ['sk-abc', 'abc', null],
    ['abc', 'abc', null],
    ['sk-abc-12', 'abc', '12'],
    ['sk-abc-12-99', 'abc', '12'],
    ['sk-abc-', 'abc', null],
    ['', '', null],
    [`sk-${signed}`, signed, null],
    [`sk-${signed}-12`, signed, '12'],
    [`sk-${signed}-12-99`, signed, '12'],
    [`${signed}#12`, signed, '12'],
    [`sk-${signed}x-12`, 'Uk7QtMv9Xa2LpRz_4bC', 'dE_fGh'],
  ])('%s', (text, key, pin) => expect(parseKey(text)).toEqual({ key, pin }));

  it.each([
    [{ authorization: 'Bearer sk-a' }, '/v1/chat/completions', '', 'sk-a'],
    [{ authorization: 'bearer   sk-a ' }, '/v1/chat/completions', '', 'sk-a'],
    [{ authorization: 'sk-a' }, '/v1/chat/completions', '', 'sk-a'],
    [{ authorization: 'Bearer' }, '/v1/chat/completions', '', ''],
    [{ 'x-api-key': 'sk-x' }, '/v1/chat/completions', '', 'sk-x'],
    [{ 'x-api-key': 'sk-x', authorization: 'Bearer sk-a' }, '/v1/files', '', 'sk-a'],
    [{ 'x-goog-api-key': 'sk-g' }, '/v1/files', '', 'sk-g'],
    [{ 'x-api-key': 'sk-x', authorization: 'Bearer sk-a' }, '/v1/messages', '', 'sk-x'],
    [{ authorization: 'Bearer sk-a' }, '/v1/messages', '', 'sk-a'],
    [{ authorization: 'Bearer midjourney-proxy', 'mj-api-secret': 'Bearer sk-m' }, '/mj/submit/imagine', '', 'sk-m'],
    [{ 'mj-api-secret': 'sk-m' }, '/mj/submit/imagine', '', 'sk-m'],
    [{ 'x-goog-api-key': 'sk-g' }, '/v1/models', '', 'sk-g'],
    [{}, '/v1/models', 'key=sk-q&x=1', 'sk-q'],
    [{}, '/v1/chat/completions', 'key=sk-q', ''],
  ])('is found in %j of %s?%s%s', (headers, path, query, key) => {
    expect(findKey(headers, path, query)).toBe(key);
  });

  it('is shown by its ends', () => {
    expect(maskKey('abcdefghijklmnop')).toBe('sk-abc***nop');
    expect(maskKey('abc')).toBe('sk-***');
  });
});

it.each([
  [[], '203.0.113.9', true],
  [['203.0.113.9'], '203.0.113.9', true],
  [['203.0.113.0/24'], '203.0.113.200', true],
  [['203.0.113.0/24'], '203.0.114.1', false],
  [['10.0.0.1', '203.0.113.9'], '203.0.113.9', true],
  [['203.0.113.9'], '::ffff:203.0.113.9', true],
  [['2001:db8::/32'], '2001:db8:1::1', true],
  [['2001:db8::/32'], '203.0.113.9', false],
  [['203.0.113.9', 'nonsense'], '203.0.113.9', false],
  [['203.0.113.0/99'], '203.0.113.9', false],
  [['203.0.113.9'], 'unknown', false],
])('the list %j and the address %s: %s', (entries, address, allowed) => {
  expect(allowListOf(entries)?.allows(address) ?? true).toBe(allowed);
});
