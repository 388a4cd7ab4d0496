import type { TFunction } from 'i18next';
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
  [/^Administrator removed user (.+)$/, (t, [, name = '']) => t('logs.managed.removed', { name })],
  [/^Administrator created user (.+)$/, (t, [, name = '']) => t('logs.managed.created', { name })],
  [/^Option (\S+) changed$/, (t, [, name = '']) => t('logs.managed.option', { name })],
  [
    /^(Created|Changed|Deleted) channel (\d+) \((.*?)\)(?:: ([\w, ]+))?$/s,
    (t, [, verb, id = '', name = '', changed]) =>
      t(`logs.managed.channel${verb as 'Created' | 'Changed' | 'Deleted'}`, { id, name }) +
      (changed === undefined ? '' : `: ${changed}`),
  ],
  [
    /^Created (\d+) codes \((.*)\)$/s,
    (t, [, codes = '', name = '']) => t('logs.managed.codesCreated', { codes, name }),
  ],
  [/^Disabled (\d+) codes$/, (t, [, codes = '']) => t('logs.managed.codesDisabled', { codes })],
];

/** The text of a row. Texts of the server about what admins did are in English, and worded in the reader's language here. */
export function contentOf({ type, content }: Pick<LogRow, 'type' | 'content'>, t: TFunction): string {
  if (type !== 'MANAGE') return content;
  for (const [pattern, textOf] of rules) {
    const found = pattern.exec(content);
    if (found) return textOf(t, found);
  }
  return content;
}
