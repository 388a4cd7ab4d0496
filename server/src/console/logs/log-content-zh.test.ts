import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentInChinese } from './log-content-zh.js';
import { LogType } from '../../shared/log-type.js';

it.each([
  [
    LogType.manage,
    'Administrator changed quota from $1.000000 quota to -$0.400000 quota',
    '管理员调整余额：$1.000000 → -$0.400000',
  ],
  [
    LogType.manage,
    'Administrator changed quota from 5 points to 7 points: a note',
    '管理员调整余额：5 points → 7 points: a note',
  ],
  [LogType.manage, 'Administrator action: end sessions', '管理员操作：全部退出登录'],
  [LogType.manage, 'Changed channel 7 (main): name, models', '修改了渠道 7（main）: name, models'],
  [LogType.manage, 'Tagged "a $1" (2 channels)', '为 2 个渠道设置了标签 a $1'],
  [LogType.manage, 'Enabled tag "eu" (1 channel)', '启用了标签 eu（1 个渠道）'],
  [LogType.manage, 'Disabled (3 channels)', '禁用了 3 个渠道'],
  [LogType.manage, 'Deleted the codes named a: b: 12', '删除了名为 a: b 的兑换码：12 个'],
  [LogType.system, 'New user bonus $0.100000 quota', '新用户赠送：$0.100000'],
  [LogType.checkIn, 'Check-in reward 5 points', '签到奖励：5 points'],
  [LogType.topUp, 'Top-up by code $1.000000 quota, code id 79', '使用兑换码 79 充值：$1.000000'],
  [LogType.manage, 'Moved by hand', 'Moved by hand'],
  [LogType.consume, 'Check-in reward 5 points', 'Check-in reward 5 points'],
])('words rows of type %s: %j', (type, content, expected) => {
  expect(contentInChinese({ type, content })).toBe(expected);
});

/** The texts of the console, whose own rules must give the same result. */
const onScreen = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../../tests/fixtures/log-texts.json'), 'utf8'),
) as ReadonlyArray<{ type: keyof typeof types; content: string; zh: string }>;
const types = {
  MANAGE: LogType.manage,
  SYSTEM: LogType.system,
  CHECK_IN: LogType.checkIn,
  TOP_UP: LogType.topUp,
};

it.each(onScreen)('says $content in Chinese as the console does', ({ type, content, zh }) => {
  expect(zh).toMatch(/\p{Script=Han}/u);
  expect(contentInChinese({ type: types[type], content })).toBe(zh);
});
