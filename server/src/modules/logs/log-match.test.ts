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
};

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
  ['gpt-4o-mini\0', true],
])('a model that is asked for as %j', (modelName, expected) => {
  expect(matchesLog(row, { modelName })).toBe(expected);
});

it('every other field is exact, absent ones and times ask nothing', () => {
  expect(matchesLog(row, {})).toBe(true);
  expect(matchesLog(row, { from: 1, to: 2, userId: undefined })).toBe(true);
  expect(matchesLog(row, { ...row, modelName: 'gpt-4o-mini' })).toBe(true);
  for (const field of ['type', 'userId', 'tokenId', 'channelId'] as const) {
    expect(matchesLog(row, { [field]: row[field] + 1 })).toBe(false);
  }
  for (const field of ['username', 'tokenName', 'group', 'requestId'] as const) {
    expect(matchesLog(row, { [field]: `${row[field]}*` })).toBe(false);
  }
});
