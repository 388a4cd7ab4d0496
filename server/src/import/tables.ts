import { channelOf, mapChannel } from './map/channels.js';
import { mapCode, mapCodeUse } from './map/codes.js';
import { appOf, backupCodeOf, mapApp, mapBackupCode, mapPasskey, passkeyOf } from './map/factors.js';
import { uniqueColumns } from './map/held-values.js';
import type { MapContext, Mapped, Mapper } from './map/mapped.js';
import { impliedOptions, mapOption, needlessPrices } from './map/options.js';
import { mapOrder } from './map/orders.js';
import { mapPlan, mapSubscription } from './map/plans.js';
import { mapDrawing, mapTask } from './map/tasks.js';
import { mapMember, mapProject, mapTeamBudget } from './map/teams.js';
import { mapToken } from './map/tokens.js';
import { mapUser } from './map/users.js';
import type { SourceRow } from './source/source.js';
import { endSubscriptions, writeBudgetWindows, writePlanWindows } from './write/windows.js';

/** How a table is imported. */
export interface TableSpec {
  /** Table of the source. Reports use its name. */
  readonly source: string;
  /** Table of this product. */
  readonly target: string;
  /** Key columns of the target table. */
  readonly key: readonly string[];
  /** Columns with balances that the ledger keeps → the kind of account. */
  readonly accounts: Readonly<Record<string, 'user' | 'token' | 'affiliate'>>;
  /** The kind of the counter entry that opens `used_quota`; null if the table has no such column. */
  readonly opening: 'user' | 'token' | 'channel' | null;
  /** Whether an imported row overwrites a row that existed before the import. Otherwise the imported row is refused. */
  readonly overwrites?: boolean;
  /** A statement that runs after each batch, in its transaction. `$1` contains the ids of the users of its rows. */
  readonly afterBatch?: string;
  /** A statement that runs after each batch, in its transaction. `$1` is a JSON array of `Mapped.alongside`. */
  readonly alongside?: string;
  /**
   * Returns the key columns of the target for the key of a source row. Rows of tables with this function are deleted
   * here when they are deleted in the source. Other tables contain records that the source programs trim.
   */
  readonly targetKey?: (key: string) => Readonly<Record<string, unknown>>;
  /** A statement that runs in place of a deletion of such rows. `$1` is a JSON array of their keys. */
  readonly ends?: string;
  /** Columns without a counterpart, and columns that are read elsewhere. */
  readonly ignored?: readonly string[];
  /**
   * SQL within `UPDATE … SET` that gives a row temporary values in unique columns, because rows may have exchanged
   * their values between two runs.
   */
  readonly parked?: string;
  /**
   * Column → SQL of its new value where it may have changed here since an earlier run. `t` is the row here, `v` that of
   * the source; a balance or counter of `v` is the difference to the earlier run.
   */
  readonly merged?: Readonly<Record<string, string>>;
  /** Returns additional rows, which are treated like rows of the source. */
  readonly added?: (context: MapContext) => SourceRow[];
  /** Returns additional rows that an earlier run may have imported, and that this run removes. */
  readonly needless?: (context: MapContext) => Mapped[];
  /** Creates a mapper for one run, because some mappers remember earlier rows. */
  readonly mapper: () => Mapper;
}

const plain = { key: ['id'], accounts: {}, opening: null } as const;
const parkedKey = "key_hash = sha256(('moving ' || id)::bytea)";
const later = (column: string): string => `greatest(t.${column}, v.${column})`;
const isUsedHere = 'EXISTS (SELECT FROM redemption_uses u WHERE u.redemption_id = t.id)';
const usedCount = 'least(t.used_count + v.used_count, coalesce(v.max_uses, t.max_uses))';
const byId = (key: string): Readonly<Record<string, unknown>> => ({ id: Number(key) });

/** The tables in the order of their dependencies. */
export const tableSpecs: readonly TableSpec[] = [
  {
    ...plain,
    source: 'options',
    target: 'options',
    key: ['key'],
    overwrites: true,
    added: impliedOptions,
    needless: needlessPrices,
    mapper: () => mapOption,
  },
  {
    source: 'users',
    target: 'users',
    key: ['id'],
    ignored: ['last_login_at', 'auth_version', 'verification_code'],
    opening: 'user',
    accounts: { quota: 'user', aff_quota: 'affiliate' },
    parked: [
      ...["username = 'moving ' || id", 'aff_code = NULL', 'access_token_hash = NULL'],
      ...uniqueColumns.map((column) => `${column} = ''`),
    ].join(', '),
    targetKey: byId,
    mapper: () => mapUser,
  },
  {
    source: 'tokens',
    target: 'tokens',
    key: ['id'],
    opening: 'token',
    accounts: { remain_quota: 'token' },
    parked: parkedKey,
    merged: { last_used_at: later('last_used_at') },
    targetKey: byId,
    mapper: () => mapToken,
  },
  {
    ...plain,
    source: 'team_members',
    target: 'memberships',
    parked: 'user_id = -id',
    targetKey: byId,
    mapper: () => mapMember,
  },
  {
    ...plain,
    source: 'team_projects',
    target: 'projects',
    parked: "name = 'moving ' || id",
    targetKey: byId,
    mapper: () => mapProject,
  },
  {
    ...plain,
    source: 'team_budgets',
    target: 'budgets',
    targetKey: byId,
    alongside: writeBudgetWindows,
    mapper: () => mapTeamBudget,
  },
  {
    ...plain,
    source: 'two_fas',
    target: 'authenticator_apps',
    key: ['user_id'],
    ignored: ['id', 'failed_attempts', 'locked_until', 'last_used_at', 'created_at', 'updated_at'],
    // A user of new-api who has a passkey may still sign in with the password alone, so an imported passkey is not
    // required.
    afterBatch: `UPDATE users u SET has_second_factor =
                   EXISTS (SELECT FROM authenticator_apps a WHERE a.user_id = u.id AND a.confirmed_at IS NOT NULL)
                  WHERE id = ANY ($1)`,
    merged: { last_step: later('last_step'), last_used_at: later('last_used_at') },
    targetKey: appOf,
    mapper: () => mapApp,
  },
  {
    ...plain,
    source: 'two_fa_backup_codes',
    target: 'recovery_codes',
    key: ['user_id', 'code_hash'],
    ignored: ['id', 'used_at', 'created_at'],
    targetKey: backupCodeOf,
    mapper: () => mapBackupCode,
  },
  {
    ...plain,
    source: 'passkey_credentials',
    target: 'passkeys',
    key: ['credential_id'],
    ignored: ['id', 'attestation_type', 'attachment', 'clone_warning', 'user_present', 'updated_at'],
    merged: { counter: later('counter'), last_used_at: later('last_used_at') },
    targetKey: passkeyOf,
    mapper: () => mapPasskey,
  },
  {
    ...plain,
    source: 'channels',
    target: 'channels',
    ignored: ['billed_as_requested', 'address'],
    opening: 'channel',
    targetKey: channelOf,
    mapper: () => mapChannel,
  },
  {
    ...plain,
    source: 'redemptions',
    target: 'redemptions',
    targetKey: byId,
    parked: parkedKey,
    // A code that was redeemed here stays redeemed, and a gift code has the uses of both sites.
    merged: {
      status: `CASE WHEN ${isUsedHere} AND (NOT v.is_gift OR ${usedCount} >= v.max_uses) THEN 'used' ELSE v.status END`,
      redeemed_at: `CASE WHEN ${isUsedHere} THEN t.redeemed_at ELSE v.redeemed_at END`,
      used_user_id: `CASE WHEN ${isUsedHere} THEN t.used_user_id ELSE v.used_user_id END`,
      used_count: usedCount,
    },
    mapper: () => mapCode,
  },
  {
    ...plain,
    source: 'redemption_logs',
    target: 'redemption_uses',
    key: ['redemption_id', 'user_id'],
    ignored: ['id'],
    mapper: mapCodeUse,
  },
  { ...plain, source: 'top_ups', target: 'top_up_orders', mapper: () => mapOrder },
  { ...plain, source: 'subscription_plans', target: 'plans', ignored: ['updated_at'], mapper: () => mapPlan },
  {
    ...plain,
    source: 'user_subscriptions',
    target: 'subscriptions',
    ignored: ['source', 'downgrade_group', 'updated_at'],
    targetKey: byId,
    ends: endSubscriptions,
    // A subscription that was upgraded or refunded here stays so, and its user decides about its renewal.
    merged: { state: "CASE WHEN t.state = 'active' THEN v.state ELSE t.state END", renews: 't.renews' },
    alongside: writePlanWindows,
    mapper: () => mapSubscription,
  },
  { ...plain, source: 'midjourneys', target: 'midjourneys', mapper: () => mapDrawing },
  { ...plain, source: 'tasks', target: 'tasks', mapper: () => mapTask },
];

/** Tables whose rows are read by other code. Any other table with rows is reported as left out. */
export const readElsewhere = new Set([
  ...tableSpecs.map(({ source }) => source),
  ...['logs', 'quota_data', 'checkins', 'setups', 'abilities', 'casbin_rule'],
  ...['prices', 'user_groups', 'migrations', 'subscription_pre_consume_records'],
  ...['sqlite_sequence', 'sqlite_stat1'],
]);
