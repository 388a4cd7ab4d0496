import pg from 'pg';
import { DataSource } from 'typeorm';
import { AuditRecord } from '../modules/audit/audit.entity.js';
import { Session } from '../modules/auth/session.entity.js';
import { Channel } from '../modules/channels/channel.entity.js';
import { Log } from '../modules/logs/log.entity.js';
import { Option } from '../modules/options/option.entity.js';
import { PriceVersion } from '../modules/pricing/price-version.entity.js';
import { Redemption } from '../modules/redemptions/redemption.entity.js';
import { Setup } from '../modules/setup/setup.entity.js';
import { CreativeTask } from '../modules/tasks/creative-task.entity.js';
import { Drawing } from '../modules/tasks/drawing.entity.js';
import { Token } from '../modules/tokens/token.entity.js';
import { User } from '../modules/users/user.entity.js';
import { TopUpOrder } from '../modules/wallet/top-up-order.entity.js';
import { migrations } from './migrations/all.js';

/** What to do when an idle connection breaks: the pool replaces it, so there is nothing to do but tell. */
type OnBroken = (error: Error) => void;

/** Management queries go through TypeORM; `synchronize` is never on. */
export function createDataSource(url: string, poolSize: number, onBroken: OnBroken = () => undefined): DataSource {
  return new DataSource({
    type: 'postgres',
    url,
    entities: [
      User,
      Session,
      Token,
      Channel,
      Option,
      Setup,
      Log,
      AuditRecord,
      Redemption,
      TopUpOrder,
      PriceVersion,
      Drawing,
      CreativeTask,
    ],
    migrations,
    migrationsTableName: 'migrations',
    synchronize: false,
    installExtensions: false,
    poolSize,
    poolErrorHandler: onBroken,
    applicationName: 'tollgate',
    extra: { statement_timeout: 30_000, connectionTimeoutMillis: 10_000, idleTimeoutMillis: 30_000, keepAlive: true },
  });
}

/** The pg pool under a connected data source. */
export function poolOf(dataSource: DataSource): pg.Pool {
  return (dataSource.driver as unknown as { readonly master: pg.Pool }).master;
}

/** The ledger's own connections, so that no console query can keep a call waiting for one. */
export function createLedgerPool(
  url: string,
  onBroken: OnBroken = () => undefined,
  changed: pg.PoolConfig = {},
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: 4,
    application_name: 'tollgate-ledger',
    statement_timeout: 15_000,
    // For a network that falls silent: then Postgres cannot tell us that it stopped the statement, and nobody else would.
    query_timeout: 20_000,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    ...changed,
  });
  pool.on('error', onBroken);
  // A connection that breaks while somebody holds it is nobody's listener otherwise, and would end the process.
  pool.on('connect', (client) => client.on('error', onBroken));
  return pool;
}
