import { batchNames, inputParts, isAddress, newToken, toTokenInput } from './tokenForm.js';

const values = { ...newToken, name: ' dev ' };

it('sends dollars as quota, and never as the time of a token without end', () => {
  expect(toTokenInput({ ...values, amount: '12.345678' }, 500_000)).toMatchObject({
    name: 'dev',
    remainQuota: 6_172_839,
    unlimitedQuota: false,
    expiredTime: null,
  });
});

it('does not touch the amount of an unlimited token', () => {
  expect(toTokenInput({ ...values, unlimited: true, amount: 'x' }, 500_000)).not.toHaveProperty('remainQuota');
});

it('takes a local time for what it is', () => {
  const time = new Date(2030, 0, 31, 12, 0);
  expect(inputParts.expires({ ...values, expires: '2030-01-31T12:00' }, 1)).toEqual({
    expiredTime: time.toISOString(),
  });
});

it('limits to models only when there are some', () => {
  expect(inputParts.models({ ...values, limitModels: true, models: ['a', 'b'] }, 1)).toEqual({
    modelLimits: 'a,b',
    modelLimitsEnabled: true,
  });
  expect(inputParts.limitModels({ ...values, limitModels: true, models: [] }, 1)).toEqual({
    modelLimitsEnabled: false,
  });
});

it('sends limits of calls as numbers, and begins with those of the server', () => {
  expect(toTokenInput(values, 1)).toMatchObject({
    ...{ rateLimitEnabled: false, rateLimitPeriod: 60, rateLimitCount: 1000, rateLimitSuccess: 10 },
  });
  expect(inputParts.rateSuccess({ ...values, rateSuccess: ' 0 ' }, 1)).toEqual({ rateLimitSuccess: 0 });
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
