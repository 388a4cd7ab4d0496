import type { TFunction } from 'i18next';
import { dateTime } from '../../lib/format.js';
import type { LogRow } from './logRow.js';

/** Actions of admins by the words of the server. */
const actions = {
  enable: 'audit.actions.enable',
  disable: 'audit.actions.disable',
  promote: 'audit.actions.promote',
  demote: 'audit.actions.demote',
  delete: 'audit.actions.delete',
  'end sessions': 'audit.actions.endSessions',
} as const;

/** Changed fields of a user by the names of the server. */
const fields = {
  username: 'fields.username',
  displayName: 'users.displayName',
  email: 'fields.email',
  group: 'fields.group',
  password: 'fields.password',
} as const;

/** `$1.000000 quota` in the text of a row. */
const amount = (text: string): string => text.replace(/^(-?\$[\d.]+) quota$/, '$1');

const rules: ReadonlyArray<readonly [RegExp, (t: TFunction, found: readonly string[]) => string]> = [
  [
    /^Administrator changed quota from (\S+ (?:quota|points)) to (\S+ (?:quota|points))(?:: (.*))?$/s,
    (t, [, from = '', to = '', note]) =>
      t('logs.managed.quota', { from: amount(from), to: amount(to) }) + (note === undefined ? '' : `: ${note}`),
  ],
  [
    /^Administrator action: (.+)$/,
    (t, [, action = '']) =>
      t('logs.managed.action', {
        action: Object.hasOwn(actions, action) ? t(actions[action as keyof typeof actions]) : action,
      }),
  ],
  [
    /^Administrator edited user: (.+)$/,
    (t, [, names = '']) =>
      t('logs.managed.edited', {
        fields: names
          .split(', ')
          .map((name) => (Object.hasOwn(fields, name) ? t(fields[name as keyof typeof fields]) : name))
          .join(t('logs.managed.comma')),
      }),
  ],
  [
    /^(Created|Changed|Deleted) channel (\d+) \((.*?)\)(?:: ([\w, ]+))?$/s,
    (t, [, verb, id = '', name = '', changed]) =>
      t(`logs.managed.channel${verb as 'Created' | 'Changed' | 'Deleted'}`, { id, name }) +
      (changed === undefined ? '' : `: ${changed}`),
  ],
];

/** Texts that are worded by their key alone: the named groups are its values. */
const plainRules = {
  MANAGE: [
    [/^Administrator removed user (?<name>.+)$/, 'logs.managed.removed'],
    [/^Administrator created user (?<name>.+)$/, 'logs.managed.created'],
    [/^Option (?<name>\S+) changed$/, 'logs.managed.option'],
    [/^Option (?<name>\S+) reset$/, 'logs.managed.optionReset'],
    [/^Read the key of channel (?<id>\d+) \((?<name>.*)\)$/s, 'logs.managed.channelKeyRead'],
    [/^Enabled \((?<channels>\d+) channels?\)$/, 'logs.managed.channelsEnabled'],
    [/^Disabled \((?<channels>\d+) channels?\)$/, 'logs.managed.channelsDisabled'],
    [/^Changed \((?<channels>\d+) channels?\)$/, 'logs.managed.channelsChanged'],
    [/^Deleted \((?<channels>\d+) channels?\)$/, 'logs.managed.channelsDeleted'],
    [/^Repaired \((?<channels>\d+) channels?\)$/, 'logs.managed.channelsRepaired'],
    [/^Deleted disabled channels: \((?<channels>\d+) channels?\)$/, 'logs.managed.disabledChannelsDeleted'],
    [/^Tagged "" \((?<channels>\d+) channels?\)$/, 'logs.managed.channelsUntagged'],
    [/^Tagged "(?<tag>.+)" \((?<channels>\d+) channels?\)$/s, 'logs.managed.channelsTagged'],
    [/^Enabled tag "(?<tag>.+)" \((?<channels>\d+) channels?\)$/s, 'logs.managed.tagEnabled'],
    [/^Disabled tag "(?<tag>.+)" \((?<channels>\d+) channels?\)$/s, 'logs.managed.tagDisabled'],
    [/^Changed tag "(?<tag>.+)" \((?<channels>\d+) channels?\)$/s, 'logs.managed.tagChanged'],
    [/^Created (?<codes>\d+) codes \((?<name>.*)\)$/s, 'logs.managed.codesCreated'],
    [/^Disabled (?<codes>\d+) codes$/, 'logs.managed.codesDisabled'],
    [/^Enabled code (?<id>\d+) \((?<name>.*)\)$/s, 'logs.managed.codeEnabled'],
    [/^Disabled code (?<id>\d+) \((?<name>.*)\)$/s, 'logs.managed.codeDisabled'],
    [/^Changed code (?<id>\d+) \((?<name>.*)\)$/s, 'logs.managed.codeChanged'],
    [/^Deleted code (?<id>\d+): 1$/, 'logs.managed.codeDeleted'],
    [/^Deleted the codes named (?<name>.*): (?<codes>\d+)$/s, 'logs.managed.codesNamedDeleted'],
    [/^Deleted the disabled codes: (?<codes>\d+)$/, 'logs.managed.disabledCodesDeleted'],
    [/^Deleted (?<rows>\d+) log rows older than (?<time>\S+)$/, 'logs.managed.logDeleted'],
  ],
  SYSTEM: [
    [/^New user bonus (?<amount>.+)$/, 'logs.system.newUser'],
    [/^Bonus for using an invite code (?<amount>.+)$/, 'logs.system.invited'],
    [/^Bonus for inviting (?<name>.+?) (?<amount>-?\$?[\d.]+ (?:quota|points))$/, 'logs.system.inviting'],
    [/^Transferred (?<amount>.+) of invite earnings to the balance$/, 'logs.system.transferred'],
    [/^Rebate (?<amount>.+) for a top-up of user (?<id>\d+)$/, 'logs.system.rebate'],
    [/^Your top-up earned your inviter a rebate of (?<amount>.+)$/, 'logs.system.rebateOf'],
    [/^Online top-up (?<amount>.+) taken back$/, 'logs.system.topUpTaken'],
    [/^Online top-up (?<amount>.+) given back$/, 'logs.system.topUpGiven'],
    [/^Rebate (?<amount>.+) taken back$/, 'logs.system.rebateTaken'],
    [/^Rebate (?<amount>.+) given back$/, 'logs.system.rebateGiven'],
    [/^Channel (?<id>\d+) was enabled automatically$/, 'logs.system.channelEnabled'],
    [/^Channel (?<id>\d+) was disabled automatically$/, 'logs.system.channelDisabled'],
    [/^(?:image|async) task (?<name>\S+) failed, compensated (?<amount>.+)$/, 'logs.system.taskFailed'],
  ],
  CHECK_IN: [[/^Check-in reward (?<amount>.+)$/, 'logs.system.checkIn']],
  TOP_UP: [
    [/^Top-up by code (?<amount>.+), code id (?<id>\d+)$/, 'logs.system.code'],
    [/^Top-up by gift code (?<amount>.+), code id (?<id>\d+)$/, 'logs.system.giftCode'],
    [/^Online top-up (?<amount>.+), paid (?<paid>.+)$/, 'logs.system.online'],
  ],
} as const;

/** The text of a row. Texts of the server that are no calls are in English, and worded in the reader's language here. */
export function contentOf({ type, content }: Pick<LogRow, 'type' | 'content'>, t: TFunction): string {
  if (!isWorded(type)) return content;
  // The keys and their values belong together by the rules, which the types of the texts cannot express.
  const word = t as (key: string, values: Readonly<Record<string, string>>) => string;
  for (const [pattern, key] of plainRules[type]) {
    const groups = pattern.exec(content)?.groups;
    if (!groups) continue;
    return word(key, Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, valueOf(name, text)])));
  }
  for (const [pattern, textOf] of type === 'MANAGE' ? rules : []) {
    const found = pattern.exec(content);
    if (found) return textOf(t, found);
  }
  return content;
}

const isWorded = (type: LogRow['type']): type is keyof typeof plainRules => Object.hasOwn(plainRules, type);

function valueOf(name: string, text: string): string {
  if (name === 'amount') return amount(text);
  return name === 'time' ? dateTime(text) : text;
}
