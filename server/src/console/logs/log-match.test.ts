import { matchesLog } from './log-match.js';

const row = {
  type: 2,
  userId: 7,
  username: 'mira',
  tokenId: 3,
  tokenName: 'laptop',
  modelName: 'gpt-4o-mini',
  group: 'default',
  channelId: 5,
  requestId: 'r',
  quota: '155000',
  useTime: 3,
  other: '{"duration_ms": 3250,"error_code":"rate_limited"}',
};

it('compares the duration of calls, and codes of failed calls alone', () => {
  expect(matchesLog(row, { durationAtLeast: 3250, durationBelow: 3251 })).toBe(true);
  expect(matchesLog(row, { durationAtLeast: 3251 })).toBe(false);
  expect(matchesLog(row, { durationBelow: 3250 })).toBe(false);
  expect(matchesLog({ ...row, other: '' }, { durationBelow: 3001 })).toBe(true);
  expect(matchesLog({ ...row, type: 1 }, { durationBelow: 5000 })).toBe(false);
  expect(matchesLog(row, { errorCodes: ['rate_limited'] })).toBe(false);
  expect(matchesLog({ ...row, type: 6 }, { errorCodes: ['other', 'rate_limited'] })).toBe(true);
  expect(matchesLog({ ...row, type: 6 }, { errorCodes: ['rate'] })).toBe(false);
});

it.each([
  ['gpt-4o-mini', true],
  ['gpt-4o', false],
  ['gpt-*', true],
  ['*mini', true],
  ['gpt*mini', true],
  ['*4o*', true],
  ['*', true],
  ['gpt*4o*mini', true],
  ['gpt*4o*4o*', false],
  ['gpt-4o-mini*mini', false],
  ['', false],
  ['gpt_4o_mini', false],
  ['gpt-4o-mini\0', false],
])('the model filter %j', (model, expected) => {
  expect(matchesLog(row, { models: [model] })).toBe(expected);
  expect(matchesLog(row, { models: ['another', model] })).toBe(expected);
});

it('compares every other field exactly and ignores absent ones and times', () => {
  expect(matchesLog(row, {})).toBe(true);
  expect(matchesLog(row, { from: 1, until: 2, userIds: undefined })).toBe(true);
  const { username, tokenName, requestId } = row;
  const lists = { types: [2], userIds: [8, 7], tokenIds: [3], models: ['gpt-4o-mini'], groups: ['default'] };
  expect(matchesLog(row, { ...lists, channelIds: [5], username, tokenName, requestId })).toBe(true);
  for (const field of ['types', 'userIds', 'tokenIds', 'channelIds'] as const) {
    expect(matchesLog(row, { [field]: [99] })).toBe(false);
    expect(matchesLog(row, { [field]: [] })).toBe(false);
  }
  expect(matchesLog(row, { groups: ['default*'] })).toBe(false);
  for (const field of ['username', 'tokenName', 'requestId'] as const) {
    expect(matchesLog(row, { [field]: `${row[field]}*` })).toBe(false);
  }
});

it.each([
  [{ quotaAtLeast: 155_000 }, true],
  [{ quotaAtLeast: 155_001 }, false],
  [{ quotaBelow: 155_001 }, true],
  [{ quotaBelow: 155_000 }, false],
  [{ quotaAtLeast: 20_000, quotaBelow: 200_000 }, true],
])('compares the quota with %j as a number', (filter, expected) => {
  expect(matchesLog(row, filter)).toBe(expected);
});

it.each([1, 3, 4, 5])('takes the quota of a row of type %d, which is no cost, for no match', (type) => {
  expect(matchesLog({ ...row, type }, { quotaAtLeast: 1 })).toBe(false);
  expect(matchesLog({ ...row, type }, { quotaBelow: 1_000_000 })).toBe(false);
  expect(matchesLog({ ...row, type }, { types: [type], quotaAtLeast: 1 })).toBe(true);
  expect(matchesLog({ ...row, type }, {})).toBe(true);
});
