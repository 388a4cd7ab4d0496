import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { providers } from '../../server/src/dialects/makers/providers.js';
import { googleCertificate, startGoogle, type GoogleHosts } from '../agents/vertex.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { freeze, untilAlone, type Freeze } from '../support/freeze.js';
import { spawnServer, type SpawnedServer } from '../support/server.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { videoKey } from '../support/upstream/video-refusals.js';
import { scriptGoogleTokens, vertexVideos } from '../support/upstream/vertex-videos.js';
import { scriptVideos, videoProviders, type VideoProvider } from '../support/upstream/videos.js';
import { Auditor, openSite, quickDeath, until } from './traffic.js';

/**
 * Videos of every provider at once, killed at the steps in which a provider's own names and requests matter. The steps
 * of the ledger, which are the same for all, are those of `task-steps.test.ts`.
 */

const initial = 100_000_000;
const all: Array<[string, VideoProvider]> = [...Object.entries(videoProviders), ['vertex-veo', vertexVideos]];

let database: TestDatabase;
let dataDir: string;
let server: SpawnedServer;
let auditor: Auditor;
let key: string;
let frozen: Freeze | null = null;
let google: GoogleHosts;
/** Runs before a provider responds to a submission. */
let beforeAnswer: (() => Promise<void>) | null = null;
/** The provider's side of each kind: the names that it gave, and what it reports of them. */
const sides = new Map<string, { upstream: Upstream; states: Map<string, object>; names: string[] }>();

const start = (): Promise<SpawnedServer> =>
  spawnServer({
    database,
    environment: {
      DATA_DIR: dataDir,
      TASK_POLL_INTERVAL: '1',
      NODE_EXTRA_CA_CERTS: googleCertificate,
      ...quickDeath,
    },
  });
const sideOf = (kind: string) => {
  const side = sides.get(kind);
  if (!side) throw new Error(`no provider ${kind}`);
  return side;
};

beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'tollgate-videos-'));
  server = await start();
  auditor = new Auditor(database);
  const { root, keys } = await openSite(server.api, 'http://127.0.0.1:1', [{ username: 'filmer', quota: initial }]);
  key = keys[0] ?? '';
  for (const [kind, provider] of all) {
    const upstream = await startUpstream();
    const side = { upstream, states: new Map<string, object>(), names: [] as string[] };
    sides.set(kind, side);
    const nextName = (): string => {
      const name = `${kind}-${side.names.length + 1}`;
      side.names.push(name);
      return name;
    };
    scriptVideos(upstream, provider, side.states, nextName, () => beforeAnswer?.() ?? Promise.resolve());
    const { type, model } = provider;
    if (kind !== 'vertex-veo') {
      await server.api.createChannel(root, { type, baseUrl: upstream.url, key: videoKey(kind), models: [model] });
      continue;
    }
    scriptGoogleTokens(upstream);
    google = await startGoogle(upstream.url);
    const { key: account, ...more } = google.channel;
    await server.api.createChannel(root, { type, baseUrl: '', key: account, models: [model], more });
  }
  await server.api.data(root, 'PUT', '/api/option/', {
    key: 'ModelPrice',
    value: '{"cogvideox-3":0.2,"jimeng_v30":0.4}',
  });
}, 60_000);
afterEach(async () => {
  beforeAnswer = null;
  await frozen?.release();
  frozen = null;
});
afterAll(async () => {
  await auditor.close();
  await server.stop();
  await google.stop();
  for (const { upstream } of sides.values()) await upstream.stop();
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

/** @returns the id of the video; null when the server died before its response */
const submit = ([, { model, seconds = 8 }]: [string, VideoProvider]): Promise<string | null> =>
  fetch(`${server.url}/v1/videos`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, prompt: 'a lighthouse', seconds: String(seconds), size: '1280x720' }),
  }).then(
    async (response) => ((await response.json()) as { id?: string }).id ?? `status ${response.status}`,
    () => null,
  );
const submitAll = (): Promise<Array<string | null>> => Promise.all(all.map(submit));

const hold = async (sql: string): Promise<void> => {
  frozen = await freeze(database.url, sql);
};

/** Kills the server, and lets go what it waits for. */
async function die(): Promise<void> {
  await server.kill('SIGKILL');
  await frozen?.release();
  frozen = null;
  await untilAlone(auditor.pool);
  expect(await auditor.drifts()).toEqual([]);
  server = await start();
}

interface Row {
  readonly model: string;
  readonly status: string;
  readonly progress: number;
  readonly quota: number;
}

/** Rows of the newest submission to each provider, by model. */
const newest = async (): Promise<Row[]> =>
  (
    await auditor.pool.query<Row>(
      `SELECT DISTINCT ON (properties ->> 'model') properties ->> 'model' AS model, status, progress, quota::integer
         FROM tasks WHERE platform = 'video' ORDER BY properties ->> 'model', id DESC`,
    )
  ).rows;
const untilAllEnded = (): Promise<void> =>
  until(async () => (await newest()).every(({ progress }) => progress === 100), 60, 'every video ends');
const statuses = async (): Promise<string[]> => (await newest()).map(({ model, status }) => `${model} ${status}`);
const allAre = (status: string): string[] => all.map(([, { model }]) => `${model} ${status}`).sort();
const report = (said: (provider: VideoProvider, name: string) => object): void => {
  for (const [kind, provider] of all) {
    const { states, names } = sideOf(kind);
    for (const name of names) states.set(name, said(provider, name));
  }
};
const done = (): void => report((provider, name) => provider.done(name, 'https://example.com/made.mp4'));

async function expectExactLedger(): Promise<void> {
  await until(async () => (await auditor.openReservations()) === 0, 90, 'nothing is reserved');
  expect(await auditor.drifts()).toEqual([]);
  const sql = `SELECT coalesce(sum(quota), 0)::integer AS paid FROM tasks WHERE status <> 'FAILURE'`;
  const { rows } = await auditor.pool.query<{ paid: number }>(sql);
  expect((await auditor.quotaOf('filmer')).quota).toBe(initial - (rows[0]?.paid ?? 0));
}

it('walks every kind of provider that makes videos', () => {
  const kinds = new Set(providers.flatMap(({ videos }) => videos ?? []));
  expect(all.map(([kind]) => kind).sort()).toEqual([...kinds].sort());
});

it('between the charge and any progress: each goes on at its provider, and is paid once', async () => {
  expect(await submitAll()).toEqual(all.map(() => expect.stringMatching(/^video_/) as unknown));
  await die();
  done();
  await untilAllEnded();
  expect((await statuses()).sort()).toEqual(allAre('SUCCESS'));
  expect((await newest()).filter(({ quota }) => quota === 0)).toEqual([]);
  await expectExactLedger();
});

it('between the providers’ responses and the charge: all of each, or nothing', async () => {
  let waiting = 0;
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  beforeAnswer = async () => {
    if (++waiting === all.length) {
      await hold(`SELECT 1 FROM users WHERE username = 'filmer' FOR UPDATE`);
      open();
    }
    await opened;
  };
  const told = submitAll();
  await until(async () => frozen !== null, 60, 'every provider has its submission');
  await frozen?.reached();
  await die();
  expect(await told).toEqual(all.map(() => null));
  await auditor.pool.query(
    `UPDATE tasks SET submit_time = submit_time - interval '2 hours' WHERE coalesce(properties ->> 'upstream', '') = ''`,
  );
  done();
  await untilAllEnded();
  await expectExactLedger();
});

it('while a failure is written: each is refunded once', async () => {
  await submitAll();
  await hold(`SELECT 1 FROM tasks WHERE platform = 'video' AND progress < 100 FOR UPDATE`);
  report((provider, name) => provider.failed(name, 'no'));
  await frozen?.reached();
  await die();
  await untilAllEnded();
  expect((await statuses()).sort()).toEqual(allAre('FAILURE'));
  await expectExactLedger();
});
