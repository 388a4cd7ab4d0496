import i18n from 'i18next';
import { changeLanguage, loadAllTexts, startI18n } from '../../i18n/i18n.js';
import { languages } from '../../i18n/languages.js';
import { changesOf, type AuditEntry } from './auditChanges.js';
import { fieldText, summaryOf, valueText } from './auditFields.js';

const format = { money: (quota: number) => `$${String(quota / 500_000)}` };
const entry = (subject: AuditEntry['subject'], ...changes: ReadonlyArray<readonly [string, string | null, string]>) =>
  ({
    id: '1',
    action: 'update',
    subject,
    subjectId: '5',
    actorId: 1,
    actorName: 'root',
    ip: null,
    createdAt: '',
    changes: changes.map(([field, before, after]) => ({ field, before, after })),
  }) as unknown as AuditEntry;
const valueOf = (subject: AuditEntry['subject'], field: string, value: string) =>
  valueText(subject, { field, row: null, before: null, after: value }, value, i18n.t, format);

beforeAll(async () => {
  await startI18n();
  await loadAllTexts();
});
beforeEach(() => changeLanguage('en', false));

/** Every field that the server writes, beside the rows of tables. */
const fields = [
  ...['username', 'displayName', 'email', 'group', 'role', 'status', 'deletedAt', 'password', 'quota', 'customRole'],
  ...['sessions', 'name', 'scopes', 'expiresAt', 'userId', 'isGift', 'maxUses', 'validFrom', 'validUntil', 'value'],
  ...['id', 'type', 'key', 'openaiOrganization', 'testModel', 'weight', 'priority', 'baseUrl', 'models', 'groups'],
  ...[
    'modelMapping',
    'statusCodeMapping',
    'autoDisable',
    'statusReason',
    'statusChangedAt',
    'tag',
    'setting',
    'parameters',
    'headers',
  ],
  ...['cost', 'limits', 'timeouts', 'modelPrefix', 'maxInputTokens', 'ownerId', 'permissions', 'olderThan'],
  ...['level', 'subjectId', 'groupName', 'kind', 'amount', 'span', 'isRolling', 'timeZone', 'startsAt', 'endsAt'],
  ...[
    'enabled',
    'createdBy',
    'byAdmin',
    'createdAt',
    'source',
    'githubId',
    'oidcId',
    'linuxDoId',
    'wechatId',
    'telegramId',
  ],
];

it.each(languages)('names every field in %s', async (language) => {
  await changeLanguage(language, false);
  const named = (field: string) => fieldText({ field, row: null, before: null, after: null }, i18n.t);
  expect(fields.filter((field) => named(field) === field)).toEqual([]);
  expect(named('somethingNew')).toBe('somethingNew');
});

it('names the row of a table after its field, and that of a setting alone', () => {
  const channel = entry('CHANNEL', ['modelMapping', '', '{"a":"b"}'], ['parameters', '{"top_p":1}', '']);
  expect(changesOf(channel).map((change) => fieldText(change, i18n.t))).toEqual([
    'Model mapping: a',
    'Parameter override: top_p',
  ]);
  expect(summaryOf(channel, i18n.t, format)).toBe('Model mapping: a: – → b +1');
  const setting = entry('OPTION', ['value', '{"gpt-4o":1}', '{"gpt-4o":2}']);
  expect(summaryOf(setting, i18n.t, format)).toBe('gpt-4o: 1 → 2');
  expect(summaryOf(entry('OPTION', ['value', '1', '2']), i18n.t, format)).toBe('Value: 1 → 2');
});

it.each([
  ['USER', 'status', 'banned', 'Banned'],
  ['TOKEN', 'status', 'exhausted', 'Exhausted'],
  ['CHANNEL', 'status', 'autoDisabled', 'Auto-disabled'],
  ['REDEMPTION', 'status', 'enabled', 'Unused'],
  // A newer server wrote this value.
  ['CHANNEL', 'status', '9', '9'],
  ['BUDGET', 'status', '1', '1'],
  ['BUDGET', 'kind', 'money', 'Money'],
  ['BUDGET', 'span', 'day', 'Day'],
  ['BUDGET', 'level', 'token', 'Token'],
  ['BUDGET', 'quota', '500000', '$1'],
  ['BUDGET', 'amount', '500000', '500000'],
  ['USER', 'role', 'root', 'Super admin'],
  ['REDEMPTION', 'quota', '1000000', '$2'],
  ['USER', 'quota', '1000000000000000000', '1000000000000000000'],
  ['CHANNEL', 'priority', '10', '10'],
  ['OPTION', 'value', '500000', '500000'],
] as const)('%s: shows %s %s as %j', (subject, field, value, text) => {
  expect(valueOf(subject, field, value)).toBe(text);
});

it('shows seconds and times in the zone of the reader', () => {
  expect(valueOf('REDEMPTION', 'validFrom', '2026-11-23T22:02:00.000Z')).toMatch(/^2026-11-2\d \d\d:\d2:00$/);
  expect(valueOf('USER', 'deletedAt', '2026-11-20T14:05:06.789Z')).toMatch(/^2026-11-2\d \d\d:05:06$/);
});

it('shows prices as people write them, and of a price card what differs', () => {
  const of = (setting: string, before: object, after: object) =>
    summaryOf(
      { ...entry('OPTION', ['value', JSON.stringify(before), JSON.stringify(after)]), subjectId: setting },
      i18n.t,
      format,
    );
  const card = (input: number, more: object = {}) => ({ 'gpt-4o': { prices: { input, output: 10 }, ...more } });
  expect(of('PriceCards', card(2.5), card(3.5))).toBe('gpt-4o, Input: $2.50 / 1M → $3.50 / 1M');
  expect(of('PriceCards', {}, card(2.5))).toBe('gpt-4o, Input: – → $2.50 / 1M +1');
  expect(of('PriceCards', card(2.5), card(2.5, { asOf: '2026-11' }))).toBe('gpt-4o: – → {"asOf":"2026-11"}');
  expect(of('PriceCards', card(2.5), { 'gpt-4o': 'built-in' })).toMatch(/→ List price$/);
  expect(of('ModelRatio', { 'gpt-4o': 1.25 }, { 'gpt-4o': 1.75 })).toBe('gpt-4o: $2.50 / 1M → $3.50 / 1M');
  expect(of('CompletionRatio', { 'gpt-4o': 4 }, {})).toBe('gpt-4o: 4× → –');
  expect(of('ModelPrice', {}, { draw: 0.04 })).toBe('draw: – → $0.040');
  expect(of('GroupRatio', { vip: 1 }, { vip: 0.8 })).toBe('vip: 1× → 0.8×');
});
