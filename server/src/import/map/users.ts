import type { UserSetting } from '../../billing/accounts/index.js';
import { ranks, type Role, type UserStatus } from '../../shared/actor.js';
import { asText, parseFields } from '../../shared/json.js';
import { lastSecond } from '../../shared/limits.js';
import type { Fields } from '../source/fields.js';
import { identityColumns } from './held-values.js';
import { amountOf, type MapContext, type Mapped, type Mapper } from './mapped.js';

/** Sign-in providers that this product does not have. */
const lostIdentities = ['lark_id', 'discord_id'] as const;
const table = 'users';

/** Maps a user, who keeps their id: clients send ids, and logs, invites and orders refer to them. */
export const mapUser: Mapper = (row, context) => {
  const { findings, users } = context;
  const { id } = row;
  const kept = (column: string): string => {
    const value = row.code(column);
    if (value === '' || !users.losers.has(`${column}:${id}`)) return value;
    findings.add(column === 'email' ? 'email-duplicate' : 'identity-duplicate', table, id, `${column} ${value}`);
    return '';
  };
  const isDeleted = row.time('deleted_at') !== null || row.whole('status', 1) === 3;
  const identities = Object.fromEntries(identityColumns.map((column) => [column, kept(column)]));
  const password = passwordOf(row, context);
  const kind = context.family === 'litellm' ? row.text('kind') : 'person';
  const email = kept('email');
  if (
    kind === 'person' &&
    !isDeleted &&
    password === null &&
    Object.values(identities).every((value) => value === '')
  ) {
    const lost = lostIdentities.filter((column) => row.code(column) !== '');
    const ways = [email === '' ? 'no e-mail address' : 'can reset the password by e-mail', ...lost];
    findings.add('no-sign-in', table, id, `${row.text('username')}: ${ways.join(', ')}`);
  }
  const affCode = row.code('aff_code');
  const accessToken = row.code('access_token');
  const mapped: Mapped = {
    key: String(id),
    values: {
      id,
      kind,
      username: usernameOf(row, context),
      password_hash: password,
      display_name: row.text('display_name'),
      role: roleOf(row, context, isDeleted),
      status: statusOf(row, context),
      email,
      ...identities,
      group: row.text('group') || 'default',
      aff_code: affCode === '' ? null : affCode,
      inviter_id: row.clamped('inviter_id', 0, 2_147_483_647) || null,
      last_check_in_time: row.time('last_check_in_time') ?? users.checkIns.get(id) ?? null,
      created_at: createdAt(row),
      deleted_at: isDeleted ? (row.time('deleted_at') ?? new Date(0).toISOString()) : null,
      access_token_sealed: null,
    },
    ...(accessToken === '' ? {} : { sealed: { access_token_sealed: accessToken } }),
    hashed: { access_token_hash: accessToken === '' ? null : accessToken },
    setting: settingOf(row, context),
    amounts: {
      quota: balanceOf(row, context),
      used_quota: counter(row, 'used_quota', context),
      request_count: Math.max(0, row.whole('request_count')),
      aff_count: row.clamped('aff_count', 0, 2_147_483_647),
      aff_quota: counter(row, 'aff_quota', context),
      aff_history_quota: counter(row, row.has('aff_history') ? 'aff_history' : 'aff_history_quota', context),
    },
  };
  return [mapped];
};

function usernameOf(row: Fields, { findings, users }: MapContext): string {
  const name = row.code('username');
  if (users.alike.has(row.id)) findings.add('username-alike', table, row.id, name);
  if (name !== '') return name;
  findings.add('username-empty', table, row.id);
  return `user-${row.id}`;
}

function passwordOf(row: Fields, { findings }: MapContext): string | null {
  const hash = row.code('password');
  if (hash === '') return null;
  if (/^\$2[aby]\$\d\d\$.{53}$/.test(hash)) return hash;
  findings.add('password-unreadable', table, row.id, row.text('username'));
  return null;
}

function roleOf(row: Fields, { findings, users }: MapContext, isDeleted: boolean): Role {
  const role = row.whole('role', 1);
  if (role === ranks.root && row.id !== users.rootId && !isDeleted) {
    findings.add('root-demoted', table, row.id, row.text('username'));
    return 'admin';
  }
  const known = (Object.keys(ranks) as Role[]).find((name) => ranks[name] === role);
  if (known) return known;
  findings.add('role-unknown', table, row.id, String(role));
  return 'common';
}

function statusOf(row: Fields, { findings }: MapContext): UserStatus {
  const status = row.whole('status', 1);
  if (status === 1) return 'enabled';
  if (status !== 2 && status !== 3) findings.add('status-unknown', table, row.id, String(status));
  return 'banned';
}

function balanceOf(row: Fields, context: MapContext): number {
  const { findings, users } = context;
  const quota = amountOf(row, 'quota', table, context);
  if (quota < 0) findings.add('balance-negative', table, row.id, String(quota));
  const left = users.creditedPlans.get(row.id) ?? 0;
  if (left > 0) findings.add('plan-credited', table, row.id, String(left));
  return quota + left;
}

function counter(row: Fields, name: string, context: MapContext): number {
  const value = amountOf(row, name, table, context);
  if (value >= 0) return value;
  context.findings.add('counter-negative', table, row.id, `${name} ${value}`);
  return 0;
}

function createdAt(row: Fields): string {
  const seconds = row.has('created_at') ? Number(row.text('created_at')) : 0;
  if (Number.isSafeInteger(seconds) && seconds > 0 && seconds <= lastSecond)
    return new Date(seconds * 1000).toISOString();
  return row.time('created_at') ?? new Date(0).toISOString();
}

function settingOf(row: Fields, { findings }: MapContext): Partial<UserSetting> {
  const given = parseFields(row.text('setting')) ?? {};
  const type = given['notify_type'];
  if (typeof type === 'string' && type !== '' && type !== 'email' && type !== 'webhook') {
    findings.add('notify-type', table, row.id, type);
  }
  const threshold = given['quota_warning_threshold'];
  const accepts = given['accept_unset_model_ratio_model'];
  const records = given['record_ip_log'];
  return {
    ...(typeof type === 'string' && { notifyType: type === 'webhook' ? 'webhook' : 'email' }),
    ...(typeof threshold === 'number' && threshold > 0 && { quotaWarningThreshold: threshold }),
    webhookUrl: asText(given['webhook_url']),
    webhookSecret: asText(given['webhook_secret']),
    notificationEmail: asText(given['notification_email']),
    ...(typeof accepts === 'boolean' && { acceptUnsetModelRatioModel: accepts }),
    ...(records === true && { recordIpLog: true }),
  };
}
