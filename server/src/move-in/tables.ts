import { mapChannel } from './map/channels.js';
import { mapCode, mapCodeUse } from './map/codes.js';
import { mapApp, mapBackupCode, mapPasskey } from './map/factors.js';
import type { Mapper } from './map/mapped.js';
import { mapOption } from './map/options.js';
import { mapOrder } from './map/orders.js';
import { mapDrawing, mapTask } from './map/tasks.js';
import { mapToken } from './map/tokens.js';
import { mapUser } from './map/users.js';

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
  /** A new mapper per run: some remember the rows before. */
  readonly mapper: () => Mapper;
}

const plain = { key: ['id'], accounts: {}, opening: null } as const;

/** In the order of their dependencies. */
export const tableSpecs: readonly TableSpec[] = [
  { ...plain, source: 'options', target: 'options', key: ['key'], overwrites: true, mapper: () => mapOption },
  {
    ...{ source: 'users', target: 'users', key: ['id'], opening: 'user' },
    accounts: { quota: 'user', aff_quota: 'affiliate' },
    mapper: () => mapUser,
  },
  {
    ...{ source: 'tokens', target: 'tokens', key: ['id'], opening: 'token' },
    accounts: { remain_quota: 'token' },
    mapper: () => mapToken,
  },
  {
    ...plain,
    ...{ source: 'two_fas', target: 'authenticator_apps', key: ['user_id'] },
    // A moved passkey alone is no second factor: docs/adr/0088.
    afterBatch: `UPDATE users u SET has_second_factor =
                   EXISTS (SELECT FROM authenticator_apps a WHERE a.user_id = u.id AND a.confirmed_at IS NOT NULL)
                  WHERE id = ANY ($1)`,
    mapper: () => mapApp,
  },
  {
    ...plain,
    ...{ source: 'two_fa_backup_codes', target: 'recovery_codes', key: ['user_id', 'code_hash'] },
    mapper: () => mapBackupCode,
  },
  {
    ...plain,
    ...{ source: 'passkey_credentials', target: 'passkeys', key: ['credential_id'] },
    mapper: () => mapPasskey,
  },
  { ...plain, source: 'channels', target: 'channels', opening: 'channel', mapper: () => mapChannel },
  { ...plain, source: 'redemptions', target: 'redemptions', mapper: () => mapCode },
  {
    ...plain,
    ...{ source: 'redemption_logs', target: 'redemption_uses', key: ['redemption_id', 'user_id'] },
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
