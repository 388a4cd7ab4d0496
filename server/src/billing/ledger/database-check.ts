import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { createDataSource, createLedgerPool } from '../../platform/db/data-source.js';
import { tryFeatures, valueOf, type FeatureResult } from '../../platform/db/features/feature.js';
import { features } from '../../platform/db/features/features.js';
import { migrate } from '../../platform/db/migrate.js';
import type { Logger } from '../../platform/observability/logger.js';
import { toReserveJson, toSettleLine } from './ledger-lines.js';
import { LedgerSql } from './ledger-sql.js';
import type { Charge, ReserveRequest } from './ledger.js';
import { reconcile } from './reconcile.js';
import { unixSecond } from '../../shared/clock.js';

export interface DatabaseCheck {
  /** The URL of the database itself, not of a pooler. */
  readonly directUrl: string;
  /** The URL that the gateway uses for everything else. */
  readonly url: string;
  readonly preparedStatements: boolean;
  readonly logger: Logger;
}

/** The connections do not keep the schema of the check, so nothing may be written. */
export class ScratchError extends Error {}

const ignore = (): void => undefined;

/**
 * Tries every feature that the gateway needs from its database, in a schema of its own, which is removed at the end. A
 * site in the same database is neither read nor changed.
 * @throws ScratchError, and the errors of connections
 */
export async function checkDatabase(check: DatabaseCheck): Promise<FeatureResult[]> {
  const schema = `tollgate_check_${randomBytes(6).toString('hex')}`;
  const owner = new pg.Client({ connectionString: check.directUrl, application_name: 'tollgate-check' });
  await owner.connect();
  try {
    const refused = await createSchema(owner, schema);
    if (refused) return [refused];
    try {
      return await checkIn(schema, check);
    } finally {
      await owner.query(`DROP SCHEMA "${schema}" CASCADE`);
    }
  } finally {
    await owner.end();
  }
}

async function createSchema(owner: pg.Client, schema: string): Promise<FeatureResult | null> {
  try {
    await owner.query(`CREATE SCHEMA "${schema}"`);
    return null;
  } catch (error) {
    const text =
      `this role may not create a schema (${messageOf(error)}). The check works in one of its own: ` +
      'run it as a role that may, or grant CREATE on the database to this one';
    return { code: 'SCHEMA_RIGHTS', status: 'missing', text };
  }
}

async function checkIn(schema: string, check: DatabaseCheck): Promise<FeatureResult[]> {
  const within: pg.PoolConfig = { options: `-c search_path=${schema}` };
  const sessions = [1, 2].map(
    () => new pg.Client({ ...within, connectionString: check.directUrl, application_name: 'tollgate-check' }),
  );
  const [first, second] = sessions as [pg.Client, pg.Client];
  try {
    for (const session of sessions) await openIn(schema, session);
    const results = await tryFeatures(features, first, second);
    results.push(await sameDatabase(schema, first, check));
    const isReady = results.every(({ status }) => status === 'ok');
    const whole = isReady ? await tryWhole(schema, within, first, check) : whatIsSkipped;
    return [...results, ...whole];
  } finally {
    for (const session of sessions) await session.end().catch(ignore);
  }
}

/**
 * Connects a session, and checks that it uses the schema. A pooler may drop the setting of the connection, and writes
 * would then reach the site's own tables.
 */
async function openIn(schema: string, session: pg.Client): Promise<void> {
  try {
    await session.connect();
    if ((await valueOf(session, 'SELECT current_schema()')) === schema) return;
  } catch (error) {
    throw new ScratchError(`${messageOf(error)}: ${directNeeded}`, { cause: error });
  }
  throw new ScratchError(`the connection does not keep its search_path: ${directNeeded}`);
}

const directNeeded = 'the check needs the database itself, in DATABASE_DIRECT_URL when DATABASE_URL names a pooler';

async function sameDatabase(
  schema: string,
  first: pg.Client,
  { url, directUrl }: DatabaseCheck,
): Promise<FeatureResult> {
  const code = 'ADDRESSES';
  if (url === directUrl) return { code, status: 'ok', text: 'one address for everything' };
  const pooled = new pg.Client({ connectionString: url, application_name: 'tollgate-check' });
  try {
    await first.query('CREATE TABLE seen_from_both ()');
    await pooled.connect();
    if (await valueOf(pooled, `SELECT to_regclass('${schema}.seen_from_both')`))
      return { code, status: 'ok', text: 'DATABASE_URL and DATABASE_DIRECT_URL lead to the same database' };
    return { code, status: 'missing', text: 'DATABASE_URL and DATABASE_DIRECT_URL lead to different databases' };
  } catch (error) {
    return { code, status: 'missing', text: `the database does not respond at DATABASE_URL (${messageOf(error)})` };
  } finally {
    await pooled.end().catch(ignore);
  }
}

const wholeAbilities = {
  MIGRATIONS: 'every migration of this version',
  LEDGER: 'the ledger: reservations, settlements and releases, alone and at once, with a ledger that adds up',
};
const whatIsSkipped: readonly FeatureResult[] = Object.entries(wholeAbilities).map(([code, ability]) => ({
  code,
  status: 'skipped',
  text: `${ability}: not tried, because something above is missing`,
}));

async function tryWhole(
  schema: string,
  within: pg.PoolConfig,
  client: pg.Client,
  check: DatabaseCheck,
): Promise<FeatureResult[]> {
  const results: FeatureResult[] = [];
  const steps = { MIGRATIONS: () => migrateIn(schema, within, check), LEDGER: () => useLedger(within, client, check) };
  for (const [code, run] of Object.entries(steps)) {
    const ability = wholeAbilities[code as keyof typeof steps];
    try {
      await run();
      results.push({ code, status: 'ok', text: ability });
    } catch (error) {
      results.push({ code, status: 'missing', text: `${ability}: failed (${messageOf(error)})` });
      break;
    }
  }
  return results;
}

async function migrateIn(schema: string, within: pg.PoolConfig, { directUrl, logger }: DatabaseCheck): Promise<void> {
  const dataSource = await createDataSource(directUrl, 1, [], ignore, within).initialize();
  try {
    const rows = await dataSource.query<Array<{ name: string }>>('SELECT current_schema() AS name');
    if (rows[0]?.name !== schema) throw new ScratchError(directNeeded);
    await migrate(dataSource, directUrl, logger);
  } finally {
    await dataSource.destroy();
  }
}

const opening = 1000;
const charged = 30;
/** Number of concurrent reservations. The balance has room for four. */
const crowd = 8;
const share = 200;

/** Runs one call that is charged, one that is released, and more concurrent calls than the balance has room for. */
async function useLedger(within: pg.PoolConfig, client: pg.Client, check: DatabaseCheck): Promise<void> {
  await client.query("INSERT INTO users (id, username) VALUES (1, 'check')");
  await client.query("INSERT INTO channels (id, type, key_sealed) VALUES (1, 1, '')");
  await client.query(`SELECT ledger_post('opening:user:1', 'opening', 'user', 1, 0, ${opening}, 0, '', NULL)`);
  const pool = createLedgerPool(check.directUrl, ignore, within);
  try {
    const ledger = new LedgerSql(pool, 'check', check.preparedStatements);
    const reserve = async (requestId: string, amount: number): Promise<boolean> => {
      const refused = await ledger.reserve([toReserveJson(request(requestId, amount))], true);
      return refused.size === 0;
    };
    if (!(await reserve('charged', 100)) || !(await reserve('released', 100)))
      throw new Error('a reservation was refused although the balance has room for it');
    const line = toSettleLine({ ...request('charged', 100), reservedAt: 0 }, charge, unixSecond(Date.now()));
    for (let time = 0; time < 2; time++) await ledger.settle([line.json]);
    await ledger.release(['released']);
    const names = Array.from({ length: crowd }, (_, index) => `crowd-${index}`);
    const taken = await Promise.all(names.map((name) => reserve(name, share)));
    const room = Math.floor((opening - charged) / share);
    const reserved = taken.filter(Boolean).length;
    if (reserved !== room)
      throw new Error(`${reserved} of ${crowd} reservations were made at once, with room for ${room}`);
    await ledger.release(names);
    const left = Number(await valueOf(client, 'SELECT quota FROM users WHERE id = 1'));
    if (left !== opening - charged) throw new Error(`the balance is ${left} and must be ${opening - charged}`);
    const [drift] = await reconcile(client);
    if (drift) throw new Error(`${drift.account} ${drift.id}: expected ${drift.expected}, found ${drift.found}`);
  } finally {
    await pool.end();
  }
}

const request = (requestId: string, amount: number): ReserveRequest => ({
  requestId,
  amount,
  userId: 1,
  tokenId: 0,
  priced: true,
});

const charge: Charge = {
  quota: charged,
  counted: true,
  logged: true,
  channelId: 1,
  username: 'check',
  tokenName: '',
  modelName: 'm',
  group: 'default',
  promptTokens: 1,
  completionTokens: 1,
  cachedTokens: 0,
  durationMs: 1,
  isStream: false,
  content: '',
  other: {},
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
