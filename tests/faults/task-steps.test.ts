import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { freeze, untilAlone, type Freeze } from '../support/freeze.js';
import { spawnServer, type SpawnedServer } from '../support/server.js';
import { json } from '../support/upstream/replies.js';
import { ScriptedTasks, scriptMidjourney, scriptSuno } from '../support/upstream/tasks.js';
import { startUpstream, type Reply, type Upstream } from '../support/upstream/upstream.js';
import { scriptVideos, videoProviders } from '../support/upstream/videos.js';
import { Auditor, grantPlan, openSite, quickDeath, until } from './traffic.js';
import { sampled } from '../support/suite.js';

/**
 * Killed at each step of a task's lifecycle, always at exactly the same point: a lock blocks the step, then the process
 * is killed. Statements sent before the kill may still be executed. The ledger must be exact in both cases.
 */

const initial = 100_000_000;
const price = 50_000;

const platforms = [
  {
    name: 'midjourney',
    table: 'midjourneys',
    own: 'true',
    column: 'mj_id',
    submit: '/mj/submit/imagine',
    answer: (id: string) => ({ code: 1, description: '', result: id }),
    good: { status: 'SUCCESS', progress: '100%' },
    half: { status: 'IN_PROGRESS', progress: '50%' },
    bad: { status: 'FAILURE', progress: '100%', failReason: 'no' },
  },
  {
    name: 'suno',
    table: 'tasks',
    own: `platform = 'suno'`,
    column: 'task_id',
    submit: '/suno/submit/MUSIC',
    answer: (id: string) => ({ code: 'success', message: '', data: id }),
    good: { status: 'SUCCESS' },
    half: { status: 'IN_PROGRESS', start_time: 5 },
    bad: { status: 'FAILURE', fail_reason: 'no' },
  },
  {
    name: 'videos',
    table: 'tasks',
    own: `platform = 'video'`,
    submit: '/v1/videos',
    column: `coalesce(properties ->> 'upstream', '')`,
    answer: (id: string) => ({ id, object: 'video', status: 'queued' }),
    good: { status: 'completed' },
    half: { status: 'in_progress', progress: 50 },
    bad: { status: 'failed', error: { message: 'no' } },
  },
] as const;
type Platform = (typeof platforms)[number];

const payers = ['balance', 'plan'] as const;
/** The balance of one user pays for a task, or the plan of another. */
const cases = platforms.flatMap((platform) => payers.map((payer) => ({ name: platform.name, payer, platform })));

interface User {
  readonly id: number;
  readonly key: string;
}

let upstream: Upstream;
let database: TestDatabase;
let dataDir: string;
let server: SpawnedServer;
let auditor: Auditor;
/** Users by what pays for them, which is their name too. */
let users: Readonly<Record<(typeof payers)[number], User>>;
let user: User;
let frozen: Freeze | null = null;
const tasks = new ScriptedTasks();

const start = (): Promise<SpawnedServer> =>
  spawnServer({ database, environment: { DATA_DIR: dataDir, TASK_POLL_INTERVAL: '1', ...quickDeath } });

beforeAll(async () => {
  upstream = await startUpstream();
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'tollgate-steps-'));
  server = await start();
  auditor = new Auditor(database);
  const named = payers.map((username) => ({ username, quota: initial }));
  const { root, keys, people } = await openSite(server.api, upstream.url, named);
  const [balance, plan] = people.map(({ id }, at) => ({ id, key: keys[at] ?? '' }));
  if (!balance || !plan) throw new Error('no users');
  users = { balance, plan };
  await grantPlan(server.api, root, plan.id, initial);
  await server.api.createChannel(root, {
    type: 2,
    baseUrl: upstream.url,
    key: 'mj-secret',
    models: ['mj_imagine'],
  });
  await server.api.createChannel(root, {
    type: 36,
    baseUrl: upstream.url,
    key: 'suno-secret',
    models: ['suno_music'],
  });
  await server.api.createChannel(root, {
    type: 60,
    baseUrl: upstream.url,
    key: 'video-secret',
    models: ['sora-2'],
  });
});
beforeEach(() => {
  upstream.reset();
  scriptMidjourney(upstream, tasks);
  scriptSuno(upstream, tasks);
  scriptVideos(upstream, videoProviders.openai, tasks.reported, () => tasks.nextName('video'));
});
afterEach(async () => {
  await frozen?.release();
  frozen = null;
});
afterAll(async () => {
  await auditor.close();
  await server.stop();
  await upstream.stop();
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

/** @returns the name of the task; null when the server died before its response */
async function submit(platform: Platform): Promise<string | null> {
  try {
    const response = await fetch(server.url + platform.submit, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
      // A second of a video costs as much as a drawing.
      body: JSON.stringify({ prompt: 'a cat', seconds: 1 }),
    });
    const answer = (await response.json()) as { id?: string; result?: string; data?: string };
    return answer.result ?? answer.data ?? (await upstreamName(answer.id ?? ''));
  } catch {
    return null;
  }
}

/** The provider's name of a video. */
async function upstreamName(id: string): Promise<string | null> {
  const sql = `SELECT properties ->> 'upstream' AS name FROM tasks WHERE task_id = $1`;
  return (await auditor.pool.query<{ name: string | null }>(sql, [id])).rows[0]?.name ?? null;
}

async function submitted(platform: Platform): Promise<string> {
  const name = await submit(platform);
  if (name === null) throw new Error('the submission was not taken');
  return name;
}

const hold = async (sql: string, values: unknown[] = []): Promise<void> => {
  frozen = await freeze(database.url, sql, values);
};
const holdUser = (): Promise<void> => hold('SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [user.id]);

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
  readonly name: string;
  readonly status: string;
  readonly progress: number;
  readonly quota: number;
}

const rows = async ({ table, own, column }: Platform): Promise<Row[]> =>
  (
    await auditor.pool.query<Row>(
      `SELECT ${column} AS name, status, progress, quota::integer FROM ${table} WHERE ${own} AND user_id = $1 ORDER BY id`,
      [user.id],
    )
  ).rows;
const rowOf = async (platform: Platform, name: string): Promise<Row | undefined> =>
  (await rows(platform)).find((row) => row.name === name);

const endOf = (platform: Platform, name: string, status: string): Promise<void> =>
  until(
    async () => {
      const row = await rowOf(platform, name);
      return row?.status === status && row.progress === 100;
    },
    60,
    `${name} ends as ${status}`,
  );

/** The charges of tasks that did not fail were paid once: from the balance, or by the plan, whose window counts them. */
async function expectExactLedger(): Promise<void> {
  await until(async () => (await auditor.openReservations()) === 0, 90, 'what the dead held is given back');
  expect(await auditor.drifts()).toEqual([]);
  const all = (await Promise.all(platforms.map(rows))).flat();
  const paid = all.filter(({ status }) => status !== 'FAILURE').reduce((sum, { quota }) => sum + quota, 0);
  const byPlan = user === users.plan ? paid : 0;
  expect(await auditor.plansOf(user.id)).toEqual({ used: byPlan, held: 0, counted: byPlan, countedHeld: 0 });
  expect((await auditor.quotaOf(user === users.plan ? 'plan' : 'balance')).quota).toBe(initial - paid + byPlan);
}

const refunds = async (): Promise<number> =>
  Number(
    (
      await auditor.pool.query<{ count: string }>(
        `SELECT count(*) FROM ledger_entries WHERE kind = 'refund' AND account = 'user'`,
      )
    ).rows[0]?.count,
  );

describe.each(sampled(cases, 2))('$name, paid by a $payer, killed', ({ platform, payer }) => {
  beforeAll(() => {
    user = users[payer];
  });

  it('between what is held and the row: nothing is charged, and the submission is given up', async () => {
    await hold(`LOCK TABLE ${platform.table} IN SHARE ROW EXCLUSIVE MODE`);
    const name = submit(platform);
    await dieThere();
    expect(await name).toBeNull();
    expect(upstream.requests.filter(({ method, path }) => method === 'POST' && path === platform.submit)).toEqual([]);
    await auditor.pool.query(
      `UPDATE ${platform.table} SET submit_time = submit_time - interval '2 hours' WHERE ${platform.own} AND ${platform.column} = ''`,
    );
    await until(
      async () => (await rows(platform)).every(({ progress }) => progress === 100),
      60,
      'nothing is left of it',
    );
    await expectExactLedger();
  });

  it('between the provider’s answer and the charge: all of it, or nothing', async () => {
    let name = '';
    const answered: Reply = async (response, request) => {
      // The path of videos is a prefix of the path of each video.
      if (request.method === 'GET')
        return json({ ...platform.answer(name), ...tasks.reported.get(name) })(response, request);
      await holdUser();
      name = tasks.nextName('cut');
      await json(platform.answer(name))(response, request);
    };
    upstream.script({ path: platform.submit }, answered);
    const told = submit(platform);
    await until(() => name !== '', 30, 'the provider has the submission');
    await dieThere();
    expect(await told).toBeNull();
    const row = (await rows(platform)).at(-1);
    expect([row?.name, row?.quota]).toEqual(row?.name === '' ? ['', 0] : [name, price]);
    await auditor.pool.query(
      `UPDATE ${platform.table} SET submit_time = submit_time - interval '2 hours' WHERE ${platform.own} AND ${platform.column} = ''`,
    );
    tasks.reported.set(name, platform.good);
    await until(
      async () => (await rows(platform)).every(({ progress }) => progress === 100),
      60,
      'the submission is given up',
    );
    await expectExactLedger();
  });

  it('between the charge and any progress: it goes on, and is paid once', async () => {
    const name = await submitted(platform);
    await server.kill('SIGKILL');
    server = await start();
    tasks.reported.set(name, platform.good);
    await endOf(platform, name, 'SUCCESS');
    expect(await rowOf(platform, name)).toMatchObject({ quota: price });
    await expectExactLedger();
  });

  it.each(['half', 'good', 'bad'] as const)(
    'while a step is written (%s): it is written later, once',
    async (which) => {
      const name = await submitted(platform);
      await hold(`SELECT 1 FROM ${platform.table} WHERE ${platform.own} AND ${platform.column} = $1 FOR UPDATE`, [
        name,
      ]);
      const before = await refunds();
      tasks.reported.set(name, platform[which]);
      await dieThere();
      if (which === 'half') {
        await until(async () => (await rowOf(platform, name))?.status === 'IN_PROGRESS', 60, 'the step is written');
        tasks.reported.set(name, platform.good);
      }
      await endOf(platform, name, which === 'bad' ? 'FAILURE' : 'SUCCESS');
      expect((await refunds()) - before).toBe(which === 'bad' ? 1 : 0);
      await expectExactLedger();
    },
  );

  it.each([
    ['between the end and the refund', 'users', 'id'],
    ['between the user’s refund and the key’s', 'tokens', 'user_id'],
    ['between the refund and its line in the log', 'logs', ''],
    ...(payer === 'plan'
      ? [
          ['between the refund and what the plan has paid', 'subscription_use', 'account_id'],
          ['between what the plan has paid and its window', 'budget_windows', ''],
        ]
      : []),
  ])('%s: refunded once', async (_where, table, owner) => {
    const name = await submitted(platform);
    const before = await refunds();
    if (owner === '') await hold(`LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`);
    else await hold(`SELECT 1 FROM ${table} WHERE ${owner} = $1 FOR UPDATE`, [user.id]);
    tasks.reported.set(name, platform.bad);
    await dieThere();
    await endOf(platform, name, 'FAILURE');
    expect((await refunds()) - before).toBe(1);
    await expectExactLedger();
  });

  it('after the refund: the provider says it again, and nothing follows', async () => {
    const name = await submitted(platform);
    const before = await refunds();
    tasks.reported.set(name, platform.bad);
    await endOf(platform, name, 'FAILURE');
    await server.kill('SIGKILL');
    server = await start();
    const asked = upstream.requests.length;
    // Polling for another task of this account reports this one again, even as a success.
    const other = await submitted(platform);
    tasks.reported.set(name, platform.good);
    tasks.reported.set(other, platform.good);
    await endOf(platform, other, 'SUCCESS');
    expect(upstream.requests.length).toBeGreaterThan(asked);
    expect(await rowOf(platform, name)).toMatchObject({ status: 'FAILURE' });
    expect((await refunds()) - before).toBe(1);
    await expectExactLedger();
  });
});
