import { tokenRow } from '../../testing/tokenRow.js';
import { batchNames, inputParts, isAddress, newToken, toTokenInput, toTokenUpdate } from './tokenForm.js';

const values = { ...newToken, name: ' dev ' };

it('sends dollars as quota, and never as the time of a token without end', () => {
  expect(toTokenInput({ ...values, amount: '12.345678' }, 500_000)).toMatchObject({
    name: 'dev',
    quota: 6_172_839,
    expiresAt: null,
  });
});

it('sends no amount of an unlimited token', () => {
  expect(toTokenInput({ ...values, unlimited: true, amount: 'x' }, 500_000)).toHaveProperty('quota', null);
});

describe('an update', () => {
  // $1 is left of $2 that were granted.
  const limited = tokenRow(5, 'dev');
  const unlimited = tokenRow(6, 'all', { quota: { remaining: null, used: 500_000 } });
  const typed = { ...values, amount: '3' };

  it('sends an amount as the change of what was granted', () => {
    expect(toTokenUpdate(limited, ['amount'], typed, 500_000)).toEqual({ id: 5, grantedQuota: 2_000_000 });
    expect(toTokenUpdate(limited, ['amount'], { ...typed, amount: '0' }, 500_000)).toEqual({
      id: 5,
      grantedQuota: 500_000,
    });
  });

  it('sends the amount itself where there was none, and no amount for an unlimited token', () => {
    expect(toTokenUpdate(unlimited, ['unlimited', 'amount'], typed, 500_000)).toEqual({ id: 6, quota: 1_500_000 });
    expect(toTokenUpdate(limited, ['unlimited'], { ...typed, unlimited: true }, 500_000)).toEqual({
      id: 5,
      quota: null,
    });
  });

  it('sends changed fields only, and nothing without a change', () => {
    expect(toTokenUpdate(limited, ['name', 'count'], typed, 500_000)).toEqual({ id: 5, name: 'dev' });
    expect(toTokenUpdate(limited, ['count'], typed, 500_000)).toBeNull();
  });
});

it('takes a local time for what it is', () => {
  const time = new Date(2030, 0, 31, 12, 0);
  expect(inputParts.expires({ ...values, expires: '2030-01-31T12:00' }, 1)).toEqual({
    expiresAt: time.toISOString(),
  });
});

it('limits to models only when there are some', () => {
  expect(inputParts.models({ ...values, limitModels: true, models: ['a', 'b'] }, 1)).toEqual({
    modelLimits: ['a', 'b'],
  });
  expect(inputParts.limitModels({ ...values, limitModels: true, models: [] }, 1)).toEqual({ modelLimits: null });
  expect(inputParts.limitModels({ ...values, limitModels: false, models: ['a'] }, 1)).toEqual({ modelLimits: null });
});

it('sends fallback groups and models in their order', () => {
  const token = tokenRow(7, 'dev', { fallbackGroups: ['vip'], fallbackModels: [] });
  const typed = { ...values, fallbackGroups: ['pro', 'vip'], fallbackModels: ['b', 'a'] };
  expect(toTokenUpdate(token, ['fallbackGroups', 'fallbackModels'], typed, 1)).toEqual({
    id: 7,
    fallbackGroups: ['pro', 'vip'],
    fallbackModels: ['b', 'a'],
  });
  expect(toTokenUpdate(token, ['name'], typed, 1)).toEqual({ id: 7, name: 'dev' });
});

it('sends limits of calls as numbers, and begins with those of the server', () => {
  expect(toTokenInput(values, 1)).toHaveProperty('rateLimit', null);
  const limited = { ...values, limitRate: true };
  expect(inputParts.limitRate(limited, 1)).toEqual({ rateLimit: { periodSeconds: 60, calls: 1000, successes: 10 } });
  expect(inputParts.rateSuccess({ ...limited, rateSuccess: ' 0 ' }, 1)).toMatchObject({
    rateLimit: { successes: null },
  });
});

it('names a batch: the first as typed, the others apart and short enough', () => {
  const names = batchNames('a name of thirty characters ok', 30);
  expect(names[0]).toBe('a name of thirty characters ok');
  expect(new Set(names).size).toBe(30);
  expect(names.slice(1).every((name) => /-[a-z0-9]{6}$/.test(name) && name.length <= 30)).toBe(true);
});

it.each(['203.0.113.7', '10.0.0.0/8', '0.0.0.0/0', '2001:db8::1', '2001:db8::/32', '::1'])('accepts %s', (line) => {
  expect(isAddress(line)).toBe(true);
});

it.each(['256.1.1.1', '10.0.0.0/33', '10.0.0', 'example.com', '2001:db8::/129', '1.2.3.4/8/8', ':::', '10.0.0.0/'])(
  'refuses %s',
  (line) => {
    expect(isAddress(line)).toBe(false);
  },
);
