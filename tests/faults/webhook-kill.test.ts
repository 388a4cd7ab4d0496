import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Person } from '../support/api.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { freeze, untilAlone } from '../support/freeze.js';
import { startScriptedServer, type ScriptedServer } from '../support/scripted-server.js';
import { spawnServer, type SpawnedServer } from '../support/server.js';
import { until } from './traffic.js';

/** Events for the systems of an operator, of servers that are killed. */

let receiver: ScriptedServer;
let database: TestDatabase;
let dataDir: string;
let server: SpawnedServer;
let pool: pg.Pool;
let root: Person;
/** The receiver responds when this resolves. */
let open: Promise<void> = Promise.resolve();

const start = (): Promise<SpawnedServer> =>
  spawnServer({ database, environment: { DATA_DIR: dataDir, OUTBOUND_ALLOW: '127.0.0.1' } });

beforeAll(async () => {
  receiver = await startScriptedServer(async () => {
    await open;
    return { status: 204, body: '' };
  });
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'tollgate-webhooks-'));
  server = await start();
  pool = new pg.Pool({ connectionString: database.url, max: 2 });
  root = await server.api.setUp();
  const endpoint = { name: 'billing', url: `${receiver.url}/hooks`, kinds: ['user.created', 'payment.paid'] };
  await server.api.data(root, 'POST', '/api/webhook', endpoint);
});
afterAll(async () => {
  await pool.end();
  await server.stop();
  await receiver.stop();
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});
beforeEach(() => {
  receiver.calls.length = 0;
});

interface Message {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
}
const received = (): Message[] =>
  receiver.calls.map(({ headers, body }) => {
    const { type, data } = JSON.parse(body) as {
      type: string;
      data: { user: { username: string }; order?: { number: string } };
    };
    return { id: String(headers['webhook-id']), type, subject: data.order?.number ?? data.user.username };
  });
/** Subjects of the messages, without repetitions. */
const distinct = (): string[] => [...new Map(received().map(({ id, subject }) => [id, subject])).values()];
const create = (username: string): Promise<unknown> =>
  server.api.data(root, 'POST', '/api/user/', { username, password: `password of ${username}` });
const pending = async (): Promise<number> => {
  const { rows } = await pool.query(`SELECT 1 FROM webhook_deliveries WHERE state = 'pending'`);
  return rows.length;
};
async function restart(): Promise<void> {
  await untilAlone(pool);
  server = await start();
}

it('an event whose transaction is killed is never delivered, those before and after it are, in order', async () => {
  await pool.query(
    `INSERT INTO top_up_orders (user_id, trade_no, provider, merchant_id, payment_method, quota, money, currency, created_at)
     VALUES ($1, 'killed', 'epay', '1000', 'wxpay', 1000000, 1460, 'CNY', now())`,
    [root.id],
  );
  const { rows } = await pool.query<{ id: number }>(`SELECT id FROM top_up_orders WHERE trade_no = 'killed'`);
  const query = `mutation { markTopUpPaid(input: { id: ${rows[0]?.id}, note: "seen" }) { order { id } } }`;
  const eventsOf = async (): Promise<number> =>
    (await pool.query(`SELECT 1 FROM site_events WHERE data #>> '{order,number}' = 'killed'`)).rows.length;
  await create('before');
  // The event is written, and the transaction waits for the audit log.
  const frozen = await freeze(database.url, 'LOCK TABLE audit_entries IN EXCLUSIVE MODE');
  const paying = server.api.graphql(root, query).catch(() => undefined);
  await frozen.reached();
  await server.kill();
  await frozen.release();
  await paying;
  await restart();
  expect(await eventsOf()).toBe(0);
  await create('after');
  await until(() => distinct().includes('after'), 30, 'the event after the kill arrives');
  await until(async () => (await pending()) === 0, 30, 'nothing is left to send');
  expect(distinct()).toEqual(['before', 'after']);
  // The order was not paid by the killed transaction. Its event is sent once it is.
  await server.api.graphql(root, query);
  await until(() => distinct().includes('killed'), 30, 'the event of the payment arrives');
  expect([distinct(), await eventsOf()]).toEqual([['before', 'after', 'killed'], 1]);
});

it('committed events arrive at least once and in order, although the server is killed while it sends', async () => {
  let release = (): void => undefined;
  open = new Promise((resolve) => (release = resolve));
  const names = ['one', 'two', 'three', 'four'];
  for (const name of names) await create(name);
  await until(() => received().length > 0, 30, 'the first event is sent');
  await server.kill();
  release();
  open = Promise.resolve();
  expect(await pending()).toBe(names.length);
  await restart();
  // The claim and the lease of the killed node end.
  await pool.query(`UPDATE webhook_deliveries SET due_at = now() WHERE state = 'pending'`);
  await until(async () => (await pending()) === 0, 60, 'all are delivered');
  const subjects = received().map(({ subject }) => subject);
  expect(subjects).toEqual(['one', ...names]);
  expect(received()[0]?.id).toBe(received()[1]?.id);
});
