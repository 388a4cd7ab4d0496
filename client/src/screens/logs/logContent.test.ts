import i18n from 'i18next';
import { changeLanguage, loadAllTexts, startI18n } from '../../i18n/i18n.js';
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
  ['Repaired (3 channels)', 'Repaired (3 channels)', 'Repaired (3 channels)'],
])('words %j in both languages', async (content, en, zh) => {
  const texts = [];
  for (const language of ['en', 'zh'] as const) {
    await changeLanguage(language, false);
    texts.push(contentOf({ type: 'MANAGE', content }, i18n.t));
  }
  expect(texts).toEqual([en, zh]);
});

it('leaves the text of other rows as it is', () => {
  expect(contentOf({ type: 'TOP_UP', content: 'Administrator removed user ada' }, i18n.t)).toBe(
    'Administrator removed user ada',
  );
});
