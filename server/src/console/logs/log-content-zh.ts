import { LogType } from '../../shared/log-type.js';

type Rule = readonly [RegExp, string];

const money = String.raw`(?<amount>-?\S+(?: points)?)(?: quota)?`;
const rule = (pattern: string, text: string): Rule => [new RegExp(`^${pattern}$`, 's'), text];
const channels = String.raw`\((?<n>\d+) channels?\)`;
const named = String.raw`(?<id>\d+) \((?<name>.*)\)`;

/** The words of the console in Chinese (client/src/nouns/logs/logContent.ts). */
const rules: ReadonlyMap<number, readonly Rule[]> = new Map<number, readonly Rule[]>([
  [
    LogType.manage,
    [
      rule(
        String.raw`Administrator changed quota from ${money.replace('amount', 'from')} to ${money.replace('amount', 'to')}(?<note>: .*)?`,
        '管理员调整余额：$<from> → $<to>$<note>',
      ),
      rule('Administrator action: enable', '管理员操作：启用'),
      rule('Administrator action: disable', '管理员操作：禁用'),
      rule('Administrator action: promote', '管理员操作：升为管理员'),
      rule('Administrator action: demote', '管理员操作：降为普通用户'),
      rule('Administrator action: delete', '管理员操作：删除'),
      rule('Administrator action: end sessions', '管理员操作：全部退出登录'),
      rule('Administrator edited user: (?<names>.+)', '管理员修改了：$<names>'),
      rule('Administrator removed user (?<name>.+)', '管理员移除了用户 $<name>'),
      rule('Administrator created user (?<name>.+)', '管理员创建了用户 $<name>'),
      rule(String.raw`Option (?<name>\S+) changed`, '修改了设置 $<name>'),
      rule(String.raw`Option (?<name>\S+) reset`, '重置了设置 $<name>'),
      rule(`Created channel ${named}`, '创建了渠道 $<id>（$<name>）'),
      rule(
        String.raw`Changed channel (?<id>\d+) \((?<name>.*?)\): (?<names>[\w, ]+)`,
        '修改了渠道 $<id>（$<name>）: $<names>',
      ),
      rule(`Deleted channel ${named}`, '删除了渠道 $<id>（$<name>）'),
      rule(`Read the key of channel ${named}`, '查看了渠道 $<id>（$<name>）的密钥'),
      rule(`Enabled ${channels}`, '启用了 $<n> 个渠道'),
      rule(`Disabled ${channels}`, '禁用了 $<n> 个渠道'),
      rule(`Changed ${channels}`, '修改了 $<n> 个渠道'),
      rule(`Deleted ${channels}`, '删除了 $<n> 个渠道'),
      rule(`Repaired ${channels}`, '修复了 $<n> 个渠道'),
      rule(`Deleted disabled channels: ${channels}`, '删除了已禁用的渠道：$<n> 个'),
      rule(`Tagged "" ${channels}`, '移除了 $<n> 个渠道的标签'),
      rule(`Tagged "(?<tag>.+)" ${channels}`, '为 $<n> 个渠道设置了标签 $<tag>'),
      rule(`Enabled tag "(?<tag>.+)" ${channels}`, '启用了标签 $<tag>（$<n> 个渠道）'),
      rule(`Disabled tag "(?<tag>.+)" ${channels}`, '禁用了标签 $<tag>（$<n> 个渠道）'),
      rule(`Changed tag "(?<tag>.+)" ${channels}`, '修改了标签 $<tag>（$<n> 个渠道）'),
      rule(String.raw`Created (?<n>\d+) codes \((?<name>.*)\)`, '创建了 $<n> 个兑换码（$<name>）'),
      rule(String.raw`Disabled (?<n>\d+) codes`, '停用了 $<n> 个兑换码'),
      rule(`Enabled code ${named}`, '启用了兑换码 $<id>（$<name>）'),
      rule(`Disabled code ${named}`, '停用了兑换码 $<id>（$<name>）'),
      rule(`Changed code ${named}`, '修改了兑换码 $<id>（$<name>）'),
      rule(String.raw`Deleted code (?<id>\d+): 1`, '删除了兑换码 $<id>'),
      rule(String.raw`Deleted the codes named (?<name>.*): (?<n>\d+)`, '删除了名为 $<name> 的兑换码：$<n> 个'),
      rule(String.raw`Deleted the disabled codes: (?<n>\d+)`, '删除了已停用的兑换码：$<n> 个'),
      rule(String.raw`Deleted (?<n>\d+) log rows older than (?<time>\S+)`, '删除了 $<time> 之前的 $<n> 条日志'),
    ],
  ],
  [
    LogType.system,
    [
      rule(`New user bonus ${money}`, '新用户赠送：$<amount>'),
      rule(`Bonus for using an invite code ${money}`, '使用邀请码赠送：$<amount>'),
      rule(`Bonus for inviting (?<name>.+?) ${money}`, '邀请用户 $<name> 赠送：$<amount>'),
      rule(`Transferred ${money} of invite earnings to the balance`, '邀请收益划转到余额：$<amount>'),
      rule(String.raw`Rebate ${money} for a top-up of user (?<id>\d+)`, '用户 $<id> 充值的返利：$<amount>'),
      rule(`Your top-up earned your inviter a rebate of ${money}`, '您的充值为邀请人带来返利：$<amount>'),
      rule(`Online top-up ${money} taken back`, '收回在线充值：$<amount>'),
      rule(`Online top-up ${money} given back`, '退回在线充值：$<amount>'),
      rule(`Rebate ${money} taken back`, '收回返利：$<amount>'),
      rule(`Rebate ${money} given back`, '退回返利：$<amount>'),
      rule(String.raw`Channel (?<id>\d+) was enabled automatically`, '渠道 $<id> 已自动启用'),
      rule(String.raw`Channel (?<id>\d+) was disabled automatically`, '渠道 $<id> 已自动禁用'),
      rule(
        String.raw`(?:image|async) task (?<name>\S+) failed, compensated ${money}`,
        '任务 $<name> 失败，已退还：$<amount>',
      ),
    ],
  ],
  [LogType.checkIn, [rule(`Check-in reward ${money}`, '签到奖励：$<amount>')]],
  [
    LogType.topUp,
    [
      rule(String.raw`Top-up by code ${money}, code id (?<id>\d+)`, '使用兑换码 $<id> 充值：$<amount>'),
      rule(String.raw`Top-up by gift code ${money}, code id (?<id>\d+)`, '使用礼品码 $<id> 充值：$<amount>'),
      rule(`Online top-up ${money}, paid (?<paid>.+)`, '在线充值：$<amount>，支付 $<paid>'),
    ],
  ],
]);

/**
 * Returns the text of a row that is not a call in Chinese, with the same result as the console. Other texts are
 * unchanged.
 */
export function contentInChinese({ type, content }: { readonly type: number; readonly content: string }): string {
  const [pattern, text] = rules.get(type)?.find(([one]) => one.test(content)) ?? [];
  return pattern && text ? content.replace(pattern, text) : content;
}
