import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { spawnServer, type SpawnedServer } from '../support/server.js';
import { json } from '../support/upstream/replies.js';
import { ScriptedTasks, scriptMidjourney } from '../support/upstream/tasks.js';
import { startUpstream, type Reply, type Upstream } from '../support/upstream/upstream.js';
import { Auditor, openSite, quickDeath, until } from './traffic.js';
import { isFullSuite, sampled } from '../support/suite.js';

const initial = 100_000_000;
const price = 50_000;

let upstream: Upstream;
let database: TestDatabase;
let dataDir: string;
let server: SpawnedServer;
let auditor: Auditor;
let key: string;
let notifyPath: string;
const tasks = new ScriptedTasks();

const start = (): Promise<SpawnedServer> =>
  spawnServer({ database, environment: { DATA_DIR: dataDir, TASK_POLL_INTERVAL: '1', ...quickDeath } });

beforeAll(async () => {
  upstream = await startUpstream();
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'tollgate-tasks-'));
  server = await start();
  auditor = new Auditor(database);
  const { root, keys } = await openSite(server.api, upstream.url, [{ username: 'painter', quota: initial }]);
  key = keys[0] ?? '';
  const channel = await server.api.createChannel(root, {
    type: 2,
    baseUrl: upstream.url,
    key: 'mj-secret',
    models: ['mj_imagine'],
  });
  await server.api.data(root, 'PUT', '/api/option/', { key: 'MjNotifyEnabled', value: 'true' });
  const { data } = await server.api.graphql(root, `{ drawingNotifyUrl(channelId: ${channel}) }`);
  notifyPath = new URL(data?.drawingNotifyUrl as string, server.url).pathname;
}, 240_000);
afterAll(async () => {
  await auditor.close();
  await server.stop();
  await upstream.stop();
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});
beforeEach(() => {
  upstream.reset();
  scriptMidjourney(upstream, tasks);
});

/** Kills the server and waits until it is dead. */
const kill = (): Promise<void> => server.kill('SIGKILL');

/** @returns the name of the task; null when the submission got no response */
async function submit(): Promise<string | null> {
  try {
    const answer = await fetch(`${server.url}/mj/submit/imagine`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'a cat' }),
    });
    return ((await answer.json()) as { result?: string }).result ?? null;
  } catch {
    return null;
  }
}

const tell = (body: unknown): Promise<unknown> =>
  fetch(server.url + notifyPath, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => null);

interface Row {
  readonly mj_id: string;
  readonly status: string;
  readonly progress: number;
  readonly quota: string;
}

const rows = async (): Promise<Row[]> =>
  (await auditor.pool.query<Row>('SELECT mj_id, status, progress, quota FROM midjourneys ORDER BY id')).rows;

/**
 * The user's balance is the initial one minus the charges of tasks that did not fail, and every other account is
 * consistent.
 */
async function expectExactLedger(): Promise<void> {
  await until(async () => (await auditor.openReservations()) === 0, 90, 'what the dead held is given back');
  expect(await auditor.drifts()).toEqual([]);
  const paid = (await rows())
    .filter(({ status }) => status !== 'FAILURE')
    .reduce((sum, row) => sum + Number(row.quota), 0);
  expect((await auditor.quotaOf('painter')).quota).toBe(initial - paid);
}

const isFinished = async (name: string): Promise<boolean> =>
  (await rows()).some((row) => row.mj_id === name && row.progress === 100);

it('killed while the provider has the submission: nothing is charged', async () => {
  upstream.script({ path: '/mj/submit' }, async (response) => {
    await kill();
    response.destroy();
  });
  expect(await submit()).toBeNull();
  expect(await auditor.drifts()).toEqual([]);
  server = await start();
  await expectExactLedger();
  expect((await rows()).at(-1)).toMatchObject({ mj_id: '', quota: '0' });
  // The provider never reports its result.
  await auditor.pool.query(
    `UPDATE midjourneys SET submit_time = submit_time - interval '700 seconds' WHERE mj_id = ''`,
  );
  await until(async () => (await rows()).every(({ progress }) => progress === 100), 60, 'the submission is given up');
  await expectExactLedger();
}, 240_000);

it('killed just as the provider answers: charged with its name, or not at all', async () => {
  const answered: Reply = (response, request) => {
    response.once('finish', () => void kill());
    return json({ code: 1, description: '', result: tasks.nextName('cut') })(response, request);
  };
  upstream.script({ path: '/mj/submit' }, answered);
  const name = await submit();
  await kill();
  server = await start();
  await expectExactLedger();
  const row = (await rows()).at(-1);
  expect(row?.quota).toBe(row?.mj_id === '' ? '0' : String(price));
  if (name !== null) expect(row?.mj_id).toBe(name);
}, 240_000);

it.each(
  sampled(
    [
      ['before the poller hears of the failure', 'before'],
      ['just as the poller hears of the failure', 'after'],
    ],
    1,
  ),
)('killed %s: refunded once', async (_what, when) => {
  const name = (await submit()) ?? '';
  expect(name).not.toBe('');
  let isKilled = false;
  const failure = { id: name, status: 'FAILURE', progress: '100%', failReason: 'no' };
  const list: Reply = async (response, request) => {
    if (isKilled) return json([failure])(response, request);
    isKilled = true;
    if (when === 'before') {
      await kill();
      response.destroy();
      return;
    }
    response.once('finish', () => void kill());
    await json([failure])(response, request);
  };
  upstream.script({ path: '/mj/task/list-by-condition' }, list);
  await until(() => isKilled, 60, 'the poller asks');
  await kill();
  server = await start();
  await until(() => isFinished(name), 60, 'the task ends');
  await expectExactLedger();
});

it('killed among callbacks that all tell of the same failure: refunded once', async () => {
  const name = (await submit()) ?? '';
  const failure = { id: name, status: 'FAILURE', progress: '100%', failReason: 'no' };
  const told = Array.from({ length: 20 }, () => tell(failure));
  await Promise.race(told);
  await kill();
  await Promise.all(told);
  server = await start();
  await Promise.all(Array.from({ length: 20 }, () => tell(failure)));
  expect(await isFinished(name)).toBe(true);
  await expectExactLedger();
}, 240_000);

it('told by callbacks and two pollers at once, each of many failures is refunded once', async () => {
  const names = (await Promise.all(Array.from({ length: 30 }, submit))).filter((name) => name !== null);
  expect(names).toHaveLength(30);
  // Without a shared store every node assumes that it polls alone.
  const second = await start();
  for (const id of names) tasks.reported.set(id, { id, status: 'FAILURE', progress: '100%', failReason: 'no' });
  await Promise.all(names.flatMap((id) => [1, 2, 3].map(() => tell({ id, status: 'FAILURE', progress: '100%' }))));
  for (const id of names) await until(() => isFinished(id), 60, `${id} ends`);
  await second.kill('SIGTERM');
  await expectExactLedger();
}, 240_000);

it('killed again and again under submissions, callbacks and polls: the ledger stays exact', async () => {
  let isOver = false;
  const painters = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      const name = await submit();
      if (name === null) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        continue;
      }
      const good = name.length % 2 === 0 || Math.random() < 0.5;
      tasks.reported.set(
        name,
        good ? { status: 'SUCCESS', progress: '100%' } : { status: 'FAILURE', progress: '100%' },
      );
      if (Math.random() < 0.3) await tell({ id: name, ...tasks.reported.get(name) });
    }
  });
  for (let count = 0; count < (isFullSuite ? 6 : 3); count++) {
    await new Promise((resolve) => setTimeout(resolve, 200 + Math.random() * 1500));
    await kill();
    expect(await auditor.drifts()).toEqual([]);
    server = await start();
  }
  isOver = true;
  await Promise.all(painters);
  await auditor.pool.query(
    `UPDATE midjourneys SET submit_time = submit_time - interval '700 seconds' WHERE mj_id = ''`,
  );
  // A submission that was accepted without a response is missing in the test's list, but exists at the provider.
  for (const { mj_id: name, progress } of await rows()) {
    if (name !== '' && progress !== 100) tasks.reported.set(name, { status: 'FAILURE', progress: '100%' });
  }
  await until(async () => (await rows()).every(({ progress }) => progress === 100), 60, 'every task ends');
  await expectExactLedger();
  expect((await rows()).some(({ status }) => status === 'SUCCESS')).toBe(true);
  expect((await rows()).some(({ status, quota }) => status === 'FAILURE' && quota !== '0')).toBe(true);
}, 240_000);
