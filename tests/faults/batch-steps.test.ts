import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GoogleGenAI } from '@google/genai';
import OpenAI, { toFile } from 'openai';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { freeze, untilAlone, type Freeze } from '../support/freeze.js';
import { sampled } from '../support/suite.js';
import { spawnServer, type SpawnedServer } from '../support/server.js';
import { startObjectProvider, type ObjectProvider } from '../support/upstream/objects.js';
import { Auditor, grantPlan, openSite, quickDeath, until } from './traffic.js';

/**
 * Killed at each step of a batch, always at exactly the same point: a lock blocks the step, then the process is killed. The
 * ledger must be exact before and after, and a batch that runs keeps its reservation while no server runs.
 */

const initial = 100_000_000;
/** Quota of the usual answer, 1,000 tokens of input and 200 of output of gpt-4o at half its price. */
const price = (1000 * 2.5 + 200 * 10) * 0.25;

interface User {
  readonly id: number;
  readonly key: string;
  /** Its file of one line. */
  readonly file: string;
}

let provider: ObjectProvider;
let database: TestDatabase;
let dataDir: string;
let server: SpawnedServer;
let auditor: Auditor;
/** Users by what pays for them, which is their name too. */
const users = new Map<string, User>();
let payer: string;
let user: User;
let frozen: Freeze | null = null;

const start = (): Promise<SpawnedServer> =>
  spawnServer({ database, environment: { DATA_DIR: dataDir, TASK_POLL_INTERVAL: '1', ...quickDeath } });
const client = (key = user.key): OpenAI => new OpenAI({ apiKey: key, baseURL: `${server.url}/v1`, maxRetries: 0 });

beforeAll(async () => {
  provider = await startObjectProvider();
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'tollgate-batches-'));
  server = await start();
  auditor = new Auditor(database);
  const payers = ['balance', 'plan'].map((username) => ({ username, quota: initial }));
  const site = await openSite(server.api, provider.url, payers);
  const models = ['gemini-2.5-flash'];
  await server.api.createChannel(site.root, { type: 24, baseUrl: provider.url, key: 'sk-google', models });
  const body = { model: 'gpt-4o', max_tokens: 1000, messages: [{ role: 'user', content: 'Say hello' }] };
  const line = JSON.stringify({ custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body });
  for (const [at, { id }] of site.people.entries()) {
    const key = site.keys[at] ?? '';
    const uploaded = { file: await toFile(Buffer.from(line), 'a.jsonl'), purpose: 'batch' } as const;
    users.set(payers[at]?.username ?? '', { id, key, file: (await client(key).files.create(uploaded)).id });
  }
  await grantPlan(server.api, site.root, users.get('plan')?.id ?? 0, initial);
});
afterEach(async () => {
  provider.onBatch = null;
  await frozen?.release();
  frozen = null;
});
afterAll(async () => {
  await auditor.close();
  await server.stop();
  await provider.stop();
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

/** @returns the id of the batch; null when the server died before its response */
const create = (): Promise<string | null> =>
  client()
    .batches.create({ input_file_id: user.file, endpoint: '/v1/chat/completions', completion_window: '24h' })
    .then(
      ({ id }) => id,
      () => null,
    );
/** Makers that name the request in a batch, so that one is found whose creation was not confirmed. */
const makers = [
  {
    maker: 'OpenAI',
    price,
    create,
    made: () => [...provider.batches.made.keys()],
    end: (id: string) => provider.batches.end(id),
    fail: (id: string) => provider.batches.fail(id, 'no'),
  },
  {
    maker: 'Gemini',
    price: (1000 * 0.3 + 200 * 2.5) * 0.25,
    create: (): Promise<string | null> =>
      new GoogleGenAI({ apiKey: user.key, httpOptions: { baseUrl: server.url } }).batches
        .create({ model: 'gemini-2.5-flash', src: [{ contents: 'Say hello', config: { maxOutputTokens: 1000 } }] })
        .then(
          ({ name = null }) => name,
          () => null,
        ),
    made: () => [...provider.geminiBatches.made.keys()],
    end: (id: string) => provider.geminiBatches.end(id),
    fail: (id: string) => provider.geminiBatches.fail(id, 'no'),
  },
];

const hold = async (sql: string): Promise<void> => {
  frozen = await freeze(database.url, sql, []);
};

/** Kills the server exactly at the blocked step. */
async function dieThere(): Promise<void> {
  await frozen?.reached();
  await server.kill('SIGKILL');
  await frozen?.release();
  frozen = null;
  await untilAlone(auditor.pool);
  expect(await auditor.drifts()).toEqual([]);
  server = await start();
}

interface Row {
  readonly task_id: string;
  readonly status: string;
  readonly progress: number;
  readonly quota: number;
}

const rows = async (): Promise<Row[]> =>
  (
    await auditor.pool.query<Row>(
      `SELECT task_id, status, progress, quota::integer FROM tasks WHERE platform = 'batch' AND user_id = $1 ORDER BY id`,
      [user.id],
    )
  ).rows;
const lastRow = async (): Promise<Row | undefined> => (await rows()).at(-1);
const ended = (status: string): Promise<void> =>
  until(
    async () => {
      const row = await lastRow();
      return row?.status === status && row.progress === 100;
    },
    60,
    `the batch ends as ${status}`,
  );
/** The charges were paid once, from the balance or by the plan, whose window counts them, and nothing is reserved. */
async function expectExactLedger(): Promise<void> {
  await until(async () => (await auditor.openReservations()) === 0, 90, 'nothing is reserved');
  expect(await auditor.drifts()).toEqual([]);
  const paid = (await rows()).reduce((sum, { quota }) => sum + quota, 0);
  const byPlan = payer === 'plan' ? paid : 0;
  expect(await auditor.plansOf(user.id)).toEqual({ used: byPlan, held: 0, counted: byPlan, countedHeld: 0 });
  expect((await auditor.quotaOf(payer)).quota).toBe(initial - paid + byPlan);
}

describe.each(['balance', 'plan'])('paid by a %s', (pays) => {
  beforeAll(() => {
    payer = pays;
    const found = users.get(pays);
    if (!found) throw new Error('no such user');
    user = found;
  });

  it('between the reservation and the row: it is returned, and no batch exists', async () => {
    await hold('LOCK TABLE tasks IN SHARE ROW EXCLUSIVE MODE');
    const before = provider.batches.made.size;
    const id = create();
    await dieThere();
    expect(await id).toBeNull();
    expect(provider.batches.made.size).toBe(before);
    // The insert may still have been executed.
    await auditor.pool.query(`UPDATE tasks SET submit_time = submit_time - interval '2 hours'`);
    await until(async () => (await rows()).every(({ progress }) => progress === 100), 60, 'nothing is left of it');
    await expectExactLedger();
  });

  describe.each(pays === 'plan' ? sampled(makers, 1) : makers)(
    'of $maker',
    ({ maker, price, create, made, end, fail }) => {
      it('between the creation at the provider and its id here: it is found there, and charged once', async () => {
        provider.onBatch = () => hold('LOCK TABLE tasks IN SHARE ROW EXCLUSIVE MODE');
        const before = made().length;
        const id = create();
        await until(async () => made().length > before && frozen !== null, 30, 'the provider has the batch');
        provider.onBatch = null;
        const newest = made().at(-1) ?? '';
        await dieThere();
        expect(await id).toBeNull();
        await until(async () => (await lastRow())?.task_id === newest, 60, 'the batch is found');
        if (maker === 'OpenAI') {
          expect((await client().batches.list()).data[0]).toMatchObject({ id: newest, metadata: null });
        }
        expect(await auditor.openReservations()).toBe(1);
        end(newest);
        await ended('SUCCESS');
        expect(await lastRow()).toMatchObject({ quota: price });
        await expectExactLedger();
      });

      it('while it runs: the reservation outlives the server, and the batch is charged by the next one', async () => {
        const id = await create();
        await server.kill('SIGKILL');
        end(id ?? '');
        server = await start();
        await ended('SUCCESS');
        expect(await lastRow()).toMatchObject({ task_id: id, quota: price });
        await expectExactLedger();
      });

      it('while a failed batch is ended: its reservation is returned once', async () => {
        const id = await create();
        await hold(`SELECT 1 FROM tasks WHERE platform = 'batch' FOR UPDATE`);
        fail(id ?? '');
        await dieThere();
        await ended('FAILURE');
        await expectExactLedger();
      });
    },
  );

  it('before the provider has it: its reservation is kept until it is given up', async () => {
    provider.refuseNext = 0;
    provider.onBatch = null;
    const id = await create();
    provider.batches.made.delete(id ?? '');
    await auditor.pool.query(`UPDATE tasks SET task_id = '', status = 'NOT_START' WHERE task_id = $1`, [id]);
    await server.kill('SIGKILL');
    server = await start();
    await new Promise((resolve) => setTimeout(resolve, 12_000));
    expect(await auditor.openReservations()).toBe(1);
    await auditor.pool.query(`UPDATE tasks SET submit_time = submit_time - interval '2 hours' WHERE task_id = ''`);
    await ended('FAILURE');
    await expectExactLedger();
  });

  it.each([
    ['at the row', `SELECT 1 FROM tasks WHERE platform = 'batch' FOR UPDATE`],
    ['at the log', 'LOCK TABLE logs IN SHARE ROW EXCLUSIVE MODE'],
    ['at the balance', `SELECT 1 FROM users WHERE username = '${pays}' FOR UPDATE`],
    ['at the key', 'LOCK TABLE tokens IN SHARE ROW EXCLUSIVE MODE'],
    ...(pays === 'plan'
      ? [
          ['at the plan', 'LOCK TABLE subscription_use IN SHARE ROW EXCLUSIVE MODE'],
          ['at its window', 'LOCK TABLE budget_windows IN SHARE ROW EXCLUSIVE MODE'],
        ]
      : []),
  ])('while it is charged, %s: charged once', async (_where, sql) => {
    const id = await create();
    await hold(sql);
    provider.batches.end(id ?? '');
    await dieThere();
    await ended('SUCCESS');
    expect(await lastRow()).toMatchObject({ task_id: id, quota: price });
    const { rows: charged } = await auditor.pool.query(`SELECT 1 FROM logs WHERE type = 2 AND other LIKE $1`, [
      `%${id}"%`,
    ]);
    expect(charged).toHaveLength(1);
    await expectExactLedger();
  });
});
