import { growth } from '../../../../../tests/support/growth.js';
import { personalDataKinds, type PersonalDataKind } from '../../../shared/personal-data.js';
import { masked, SearchTime } from '../../../platform/matching/search.js';
import { personalDataCheck } from './local-checks.js';

const find = (texts: string[], kinds: readonly PersonalDataKind[] = personalDataKinds) =>
  personalDataCheck(kinds)({ texts, userId: 1, isFirstEnough: true, time: new SearchTime() });
const found = async (text: string, kinds = personalDataKinds as readonly PersonalDataKind[]) =>
  [...((await find([text], kinds)).parts.get(0) ?? [])].map(({ what, start, end }) => [what, text.slice(start, end)]);

it.each<[PersonalDataKind, string, string]>([
  ['email', 'write to ann.lee+x@mail.example.org, please', 'ann.lee+x@mail.example.org'],
  ['phone', 'call +49 (30) 1234 5678 now', '+49 (30) 1234 5678'],
  ['phone', 'my number 13812345678。', '13812345678'],
  ['phone', 'or (415) 555-2671.', '(415) 555-2671'],
  ['card', 'card 4111 1111 1111 1111 exp 12/29', '4111 1111 1111 1111'],
  ['card', '378282246310005', '378282246310005'],
  ['id_number', 'ssn 123-45-6789', '123-45-6789'],
  ['id_number', '身份证 11010519491231002X', '11010519491231002X'],
  ['key', 'key sk-proj-abcdefghij0123456789 end', 'sk-proj-abcdefghij0123456789'],
  ['key', 'AKIAIOSFODNN7EXAMPLE', 'AKIAIOSFODNN7EXAMPLE'],
  ['key', 'token ghp_abcdefghijklmnopqrstuvwxyz0123456789', 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'],
])('finds %s in %j', async (kind, text, part) => {
  expect(await found(text)).toEqual([[kind, part]]);
  expect(await found(text, [])).toEqual([]);
});

it.each([
  // One digit off: the check digits are wrong.
  '4111 1111 1111 1112',
  '110105194912310021',
  '000-12-3456',
  'version 1.2.3-4567, page 12 of 34, 2026-11-22 10:30:00',
  'ann at mail.example.org',
  'sk-short',
  'risk-management-and-other-long-words',
])('finds nothing in %j', async (text) => expect(await found(text)).toEqual([]));

it('masks every part once and keeps the rest', async () => {
  const texts = ['a@b.example, 4111111111111111 and a@b.example!', 'nothing'];
  expect(masked(texts, await find(texts))).toEqual(['[email], [card] and [email]!', 'nothing']);
});

it.each(['a@', '1 ', 'a.b@a.', '+1 (2', 'eyJaaaaaaaaaa.', '-----BEGIN PRIVATE KEY-----'])(
  'takes time in proportion to a text of %j',
  async (piece) => {
    expect(await growth((times) => find([piece.repeat(times)]), 5_000, 40_000)).toBeLessThan(24);
  },
);

it('takes a text for found as a whole that has more matches than are listed', async () => {
  expect(await find(['a@b.example '.repeat(10_001)], ['email'])).toEqual({
    parts: new Map(),
    rest: { from: 0, what: 'unchecked' },
  });
});
