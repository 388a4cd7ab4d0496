import { channelOf, mapChannel } from './map/channels.js';
import { mapCode, mapCodeUse } from './map/codes.js';
import { appOf, backupCodeOf, mapApp, mapBackupCode, mapPasskey, passkeyOf } from './map/factors.js';
import type { MapContext, Mapper } from './map/mapped.js';
import { impliedOptions, mapOption } from './map/options.js';
import { mapOrder } from './map/orders.js';
import { mapDrawing, mapTask } from './map/tasks.js';
import { mapToken } from './map/tokens.js';
import { mapUser, uniqueColumns } from './map/users.js';
import type { SourceRow } from './source/source.js';

/** How a table is moved. */
export interface TableSpec {
  /** Table of the source, and its name in reports. */
  readonly source: string;
  /** Table here. */
  readonly target: string;
  /** Key columns here. */
  readonly key: readonly string[];
  /** Balances that the ledger keeps, by the column with the amount. */
  readonly accounts: Readonly<Record<string, 'user' | 'token' | 'affiliate'>>;
  /** The kind of the opening counter of `used_quota`. */
  readonly opening: 'user' | 'token' | 'channel' | null;
  /** A row that is here before the move is overwritten; elsewhere it refuses the moved row. */
  readonly overwrites?: boolean;
  /** Statement after each batch, in its transaction. `$1`: the ids of the users of its rows. */
  readonly afterBatch?: string;
  /**
   * The key columns here, by the key of a source row. Rows of such tables are deleted here when they are deleted there;
   * those of others are records that the old programs trim.
   */
  readonly targetKey?: (key: string) => Readonly<Record<string, unknown>>;
  /** Columns that need no place here, or are read elsewhere. */
  readonly ignored?: readonly string[];
  /**
   * SQL that gives a row values of its own in unique columns: rows may exchange theirs between two runs. Inside `UPDATE … SET`.
   */
  readonly parked?: string;
  /** Rows to be treated like those of the source, which has none of them. */
  readonly added?: (context: MapContext) => SourceRow[];
  /** A new mapper per run: some remember the rows before. */
  readonly mapper: () => Mapper;
}

const plain = { key: ['id'], accounts: {}, opening: null } as const;
const parkedKey = "key_hash = sha256(('moving ' || id)::bytea)";
const byId = (key: string): Readonly<Record<string, unknown>> => ({ id: Number(key) });

/** In the order of their dependencies. */
export const tableSpecs: readonly TableSpec[] = [
  {
    ...plain,
    source: 'options',
    target: 'options',
    key: ['key'],
    overwrites: true,
    added: impliedOptions,
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
    targetKey: byId,
    mapper: () => mapToken,
  },
  {
    ...plain,
    source: 'two_fas',
    target: 'authenticator_apps',
    key: ['user_id'],
    ignored: ['id', 'failed_attempts', 'locked_until', 'last_used_at', 'created_at', 'updated_at'],
    // A user of new-api who has a passkey still signs in with the password alone, so a moved passkey is not asked for.
    afterBatch: `UPDATE users u SET has_second_factor =
                   EXISTS (SELECT FROM authenticator_apps a WHERE a.user_id = u.id AND a.confirmed_at IS NOT NULL)
                  WHERE id = ANY ($1)`,
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
    targetKey: passkeyOf,
    mapper: () => mapPasskey,
  },
  {
    ...plain,
    source: 'channels',
    target: 'channels',
    opening: 'channel',
    targetKey: channelOf,
    mapper: () => mapChannel,
  },
  { ...plain, source: 'redemptions', target: 'redemptions', targetKey: byId, parked: parkedKey, mapper: () => mapCode },
  {
    ...plain,
    source: 'redemption_logs',
    target: 'redemption_uses',
    key: ['redemption_id', 'user_id'],
    ignored: ['id'],
    mapper: mapCodeUse,
  },
  { ...plain, source: 'top_ups', target: 'top_up_orders', mapper: () => mapOrder },
  { ...plain, source: 'midjourneys', target: 'midjourneys', mapper: () => mapDrawing },
  { ...plain, source: 'tasks', target: 'tasks', mapper: () => mapTask },
];

/** Tables here whose ids were taken from the source. */
export const numberedTables = ['users', 'tokens', 'channels', 'redemptions', 'top_up_orders', 'midjourneys', 'tasks'];

/** Tables whose rows are read elsewhere. Any other table with rows is reported as left out. */
export const readElsewhere = new Set([
  ...tableSpecs.map(({ source }) => source),
  ...['logs', 'quota_data', 'checkins', 'setups', 'abilities', 'user_subscriptions', 'casbin_rule'],
  ...['sqlite_sequence', 'sqlite_stat1'],
]);
