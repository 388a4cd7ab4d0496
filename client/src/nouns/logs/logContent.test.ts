import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import i18n from 'i18next';
import { changeLanguage, loadAllTexts, startI18n } from '../../i18n/i18n.js';
import { dateTime } from '../../lib/format.js';
import { contentOf } from './logContent.js';

beforeAll(async () => {
  await startI18n();
  await loadAllTexts();
});

it.each([
  [
    'Administrator changed quota from $1.000000 quota to -$0.400000 quota',
    'Admin changed the balance: $1.000000 → -$0.400000',
    '管理员调整余额：$1.000000 → -$0.400000',
  ],
  [
    'Administrator changed quota from 5 points to 7 points: a note to you',
    'Admin changed the balance: 5 points → 7 points: a note to you',
    '管理员调整余额：5 points → 7 points: a note to you',
  ],
  ['Administrator action: disable', 'Action of an admin: Disable', '管理员操作：禁用'],
  ['Administrator action: end sessions', 'Action of an admin: Sign out everywhere', '管理员操作：全部退出登录'],
  [
    'Administrator edited user: group, quotaClass',
    'Admin changed: Group, quotaClass',
    '管理员修改了：分组、quotaClass',
  ],
  ['Administrator removed user ada', 'Admin removed the user ada', '管理员移除了用户 ada'],
  ['Administrator created user ada', 'Admin created the user ada', '管理员创建了用户 ada'],
  ['Option ModelRatio changed', 'Setting ModelRatio changed', '修改了设置 ModelRatio'],
  ['Created channel 7 (a (b))', 'Created channel 7 (a (b))', '创建了渠道 7（a (b)）'],
  [
    'Changed channel 7 (main): name, models',
    'Changed channel 7 (main): name, models',
    '修改了渠道 7（main）: name, models',
  ],
  ['Created 25 codes (Launch)', 'Created codes: 25 (Launch)', '创建了 25 个兑换码（Launch）'],
  ['Disabled 3 codes', 'Disabled codes: 3', '停用了 3 个兑换码'],
  ['Repaired (3 channels)', 'Repaired channels: 3', '修复了 3 个渠道'],
  ['Enabled (1 channel)', 'Enabled channels: 1', '启用了 1 个渠道'],
  ['Deleted disabled channels: (2 channels)', 'Deleted the disabled channels: 2', '删除了已禁用的渠道：2 个'],
  ['Tagged "a "b"" (2 channels)', 'Set the tag a "b", channels: 2', '为 2 个渠道设置了标签 a "b"'],
  ['Tagged "" (2 channels)', 'Removed the tag, channels: 2', '移除了 2 个渠道的标签'],
  ['Disabled tag "eu" (4 channels)', 'Disabled the tag eu, channels: 4', '禁用了标签 eu（4 个渠道）'],
  ['Changed tag "eu" (1 channel)', 'Changed the tag eu, channels: 1', '修改了标签 eu（1 个渠道）'],
  ['Read the key of channel 7 (main)', 'Read the key of channel 7 (main)', '查看了渠道 7（main）的密钥'],
  ['Option ModelRatio reset', 'Setting ModelRatio reset', '重置了设置 ModelRatio'],
  ['Enabled code 4 (Launch)', 'Enabled code 4 (Launch)', '启用了兑换码 4（Launch）'],
  ['Deleted code 4: 1', 'Deleted code 4', '删除了兑换码 4'],
  ['Deleted the codes named a: b: 12', 'Deleted the codes named a: b: 12', '删除了名为 a: b 的兑换码：12 个'],
  ['Deleted the disabled codes: 5', 'Deleted the disabled codes: 5', '删除了已停用的兑换码：5 个'],
  [
    'Deleted 9 log rows older than 2026-11-01T00:00:00.000Z',
    `Deleted 9 log rows before ${dateTime('2026-11-01T00:00:00.000Z')}`,
    `删除了 ${dateTime('2026-11-01T00:00:00.000Z')} 之前的 9 条日志`,
  ],
  ['Moved by hand', 'Moved by hand', 'Moved by hand'],
])('words %j in both languages', async (content, en, zh) => {
  const texts = [];
  for (const language of ['en', 'zh'] as const) {
    await changeLanguage(language, false);
    texts.push(contentOf({ type: 'MANAGE', content }, i18n.t));
  }
  expect(texts).toEqual([en, zh]);
});

it.each([
  ['SYSTEM', 'New user bonus $0.100000 quota', 'Bonus for a new user: $0.100000', '新用户赠送：$0.100000'],
  ['SYSTEM', 'Bonus for inviting a $b 5 points', 'Bonus for inviting a $b: 5 points', '邀请用户 a $b 赠送：5 points'],
  [
    'SYSTEM',
    'Rebate $1.000000 quota for a top-up of user 5',
    'Rebate for a top-up of user 5: $1.000000',
    '用户 5 充值的返利：$1.000000',
  ],
  ['SYSTEM', 'Channel 5 was disabled automatically', 'Channel 5 was disabled automatically', '渠道 5 已自动禁用'],
  ['CHECK_IN', 'Check-in reward $0.020000 quota', 'Check-in reward: $0.020000', '签到奖励：$0.020000'],
  [
    'TOP_UP',
    'Top-up by gift code $1.000000 quota, code id 79',
    'Top-up by gift code 79: $1.000000',
    '使用礼品码 79 充值：$1.000000',
  ],
  [
    'TOP_UP',
    'Online top-up $1.000000 quota, paid 7.30',
    'Online top-up: $1.000000, paid 7.30',
    '在线充值：$1.000000，支付 7.30',
  ],
  ['CONSUME', 'Check-in reward $0.020000 quota', 'Check-in reward $0.020000 quota', 'Check-in reward $0.020000 quota'],
] as const)('words %s rows %j in both languages', async (type, content, en, zh) => {
  const texts = [];
  for (const language of ['en', 'zh'] as const) {
    await changeLanguage(language, false);
    texts.push(contentOf({ type, content }, i18n.t));
  }
  expect(texts).toEqual([en, zh]);
});

it('leaves the text of other rows as it is', () => {
  expect(contentOf({ type: 'TOP_UP', content: 'Administrator removed user ada' }, i18n.t)).toBe(
    'Administrator removed user ada',
  );
});

/** Texts that the server also writes into the file for people, by rules of its own. Both must have the same wording. */
const inFile = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../../tests/fixtures/log-texts.json'), 'utf8'),
) as ReadonlyArray<{ type: 'MANAGE' | 'SYSTEM' | 'CHECK_IN' | 'TOP_UP'; content: string; zh: string }>;

it.each(inFile)('says $content in Chinese as the file does', async ({ type, content, zh }) => {
  await changeLanguage('zh');
  expect(contentOf({ type, content }, i18n.t)).toBe(zh);
});
