/** One server of several processes. Guarantees of a single node and across nodes also hold across its workers. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Api } from '../support/api.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { scratchFolder } from '../support/scratch.js';
import { spawnServer, testEncryptionKey, type SpawnedServer } from '../support/server.js';
import { findRedisServer, startRedis } from '../support/services/redis.js';
import { freePort, type Service } from '../support/services/processes.js';
import { chat, json } from '../support/upstream/replies.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { Auditor, openSite, until } from './traffic.js';
import { sampled } from '../support/suite.js';

const workers = 3;
const program = join(import.meta.dirname, '../../dist/server/main.js');
/** The tariff of the test's model: 100 tokens each way. */
const charge = 625;

interface Answer {
  /** 0: refused or broken. */
  readonly status: number;
  readonly code: string | null;
  readonly failure: string | null;
  readonly requestId: string;
}

/** A call on a connection of its own, so that calls in a row reach every worker. Never throws. */
function call(url: string, key: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve) => {
    const fail = (error: Error): void =>
      resolve({
        status: 0,
        code: null,
        failure: (error as NodeJS.ErrnoException).code ?? error.message,
        requestId: '',
      });
    const outgoing = httpRequest(`${url}/v1/chat/completions`, {
      method: 'POST',
      agent: false,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    });
    outgoing.on('error', fail);
    outgoing.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('error', fail);
      response.on('end', () => {
        const status = response.statusCode ?? 0;
        const code = status === 200 ? null : ((JSON.parse(text) as { error?: { code?: string } }).error?.code ?? null);
        resolve({ status, code, failure: null, requestId: String(response.headers['x-oneapi-request-id'] ?? '') });
      });
    });
    outgoing.end(JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] }));
  });
}

/** Process ids of the workers that serve calls now, from the log. */
function pidsOf(server: SpawnedServer): number[] {
  return server
    .logLines()
    .filter((line) => line.includes('"worker serves calls"'))
    .map((line) => (JSON.parse(line) as { pid: number }).pid)
    .filter(isAlive);
}
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

if (!findRedisServer() && process.env.CI) throw new Error('redis-server is needed in CI');
const stores = [['the primary', false] as const, ...(findRedisServer() ? [['Redis', true] as const] : [])];

describe.each(sampled(stores, 1))('three workers that share their state through %s', (_name, onRedis) => {
  let redis: Service | null;
  let upstream: Upstream;
  let database: TestDatabase;
  let server: SpawnedServer;
  let auditor: Auditor;
  let site: Awaited<ReturnType<typeof openSite>>;
  let held: Array<() => void>;
  const holdCalls = (): void => {
    held = [];
    upstream.script({ model: 'gpt-4o' }, async (response, request) => {
      await new Promise<void>((resolve) => held.push(resolve));
      await chat({ text: 'late', usage: { prompt_tokens: 100, completion_tokens: 100 } })(response, request);
    });
  };
  const set = (key: string, value: string) => server.api.data(site.root, 'PUT', '/api/option/', { key, value });
  /** Waits until every worker has the value, by three rounds of connections in turn. */
  const everywhereSet = (key: string, value: string): Promise<void> =>
    until(
      async () => {
        for (let at = 0; at < 3 * workers; at++) {
          const { body } = await server.api.rest(site.root, 'GET', '/api/option/', undefined, { connection: 'close' });
          const { data } = body as { readonly data: ReadonlyArray<{ readonly key: string; readonly value: string }> };
          if (data.find((option) => option.key === key)?.value !== value) return false;
        }
        return true;
      },
      60,
      `every worker has ${key}`,
    );
  const keyOf = (name: string): string => site.keys[['rich', 'ten', 'limited', 'crowd'].indexOf(name)] ?? '';
  /** Returns the value of every worker, by three rounds of connections in turn. */
  const everywhere = async (key: string): Promise<Set<string>> => {
    const seen = new Set<string>();
    for (let at = 0; at < 3 * workers; at++) {
      const { status, code } = await call(server.url, key);
      seen.add(`${status} ${code ?? ''}`.trim());
    }
    return seen;
  };
  /** Makes calls until a condition holds. Endless calls would keep new workers of a small machine from starting. */
  const callUntil = async (isOver: () => boolean, seen: Answer[]): Promise<void> => {
    while (!isOver()) {
      seen.push(await call(server.url, keyOf('rich')));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  /** Returns the number of calls from `/metrics`. */
  const countedCalls = async (): Promise<number> => {
    const text = await (await fetch(`${server.url}/metrics`, { headers: { connection: 'close' } })).text();
    const lines = text.match(/^tollgate_relay_calls_total\{.*outcome="ok".*\} \d+$/gm) ?? [];
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  };
  const capturedContents = async (): Promise<number> => {
    const { rows } = await auditor.pool.query<{ count: string }>('SELECT count(*) FROM captured_contents');
    return Number(rows[0]?.count);
  };
  const becomes = (key: string, state: string): Promise<void> =>
    until(async () => [...(await everywhere(key))].join() === state, 20, `every worker answers ${state}`);

  beforeAll(async () => {
    redis = onRedis ? await startRedis() : null;
    upstream = await startUpstream();
    database = await createTestDatabase();
    server = await spawnServer({
      database,
      environment: {
        WORKERS: String(workers),
        // The interval is far longer than a test waits: a dead worker's reservations are released because the primary
        // requests it.
        NODE_HEARTBEAT_INTERVAL: '1',
        NODE_DEAD_AFTER: '600',
        // A rolling restart needs no such delay, unlike a stop.
        SHUTDOWN_DELAY: '1',
        ...(redis ? { REDIS_URL: redis.url } : {}),
      },
    });
    auditor = new Auditor(database);
    site = await openSite(server.api, upstream.url, [
      { username: 'rich', quota: 50_000_000 },
      { username: 'ten', quota: 10 * charge + 1 },
      { username: 'limited', quota: 50_000_000 },
      { username: 'crowd', quota: 50_000_000 },
    ]);
    await until(() => pidsOf(server).length === workers, 60, 'all workers serve calls');
  });
  afterAll(async () => {
    await auditor.close();
    await server.stop();
    await redis?.stop();
    await upstream.stop();
    await database.drop();
  });
  beforeEach(() => {
    upstream.reset();
    upstream.script(
      { model: 'gpt-4o' },
      chat({ text: 'hello', usage: { prompt_tokens: 100, completion_tokens: 100 } }),
    );
  });

  it('take the connections of one port in turn', async () => {
    holdCalls();
    const calls = Array.from({ length: 3 * workers }, () => call(server.url, keyOf('rich')));
    await until(() => held.length === 3 * workers, 20, 'all calls are in progress');
    const { rows } = await auditor.pool.query<{ calls: string }>(
      'SELECT count(*) AS calls FROM reservations WHERE swept_at IS NULL GROUP BY node_id',
    );
    expect(rows).toHaveLength(workers);
    for (const release of held) release();
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(3 * workers).fill(200));
  });

  it('never spend a balance twice', async () => {
    await set('StrictReserve', 'false');
    await everywhereSet('StrictReserve', 'false');
    const results = await Promise.all(Array.from({ length: 200 }, () => call(server.url, keyOf('ten'))));
    expect(results.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(new Set(results.filter(({ status }) => status !== 200).map(({ code }) => code))).toEqual(
      new Set(['insufficient_user_quota']),
    );
    expect(await auditor.quotaOf('ten')).toEqual({ quota: 1, used: 10 * charge });
    expect(await auditor.drifts()).toEqual([]);
  });

  it('hold a rate limit together', async () => {
    await set('ModelRequestRateLimitCount', '10');
    await set('ModelRequestRateLimitEnabled', 'true');
    await everywhereSet('ModelRequestRateLimitEnabled', 'true');
    const results = await Promise.all(Array.from({ length: 40 }, () => call(server.url, keyOf('limited'))));
    expect(results.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(results.filter(({ status }) => status === 429)).toHaveLength(30);
    await set('ModelRequestRateLimitEnabled', 'false');
    await becomes(keyOf('limited'), '200');
  });

  it('hold a limit of concurrent calls together', async () => {
    await set('ModelRequestUserInFlightLimit', '4');
    await everywhereSet('ModelRequestUserInFlightLimit', '4');
    holdCalls();
    const calls = Array.from({ length: 20 }, () => call(server.url, keyOf('crowd')));
    await until(async () => held.length === 4, 20, 'four calls are in progress');
    const refused = await Promise.race([
      Promise.all(calls).then(() => 'all ended'),
      until(() => held.length > 4, 1, 'a fifth call gets in').catch(() => 'four'),
    ]);
    expect(refused).toBe('four');
    for (const release of held) release();
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(4);
    expect(statuses.filter((status) => status === 429)).toHaveLength(16);
    await set('ModelRequestUserInFlightLimit', '0');
  });

  it('learn of a change together', async () => {
    const key = keyOf('rich');
    expect(await everywhere(key)).toEqual(new Set(['200']));
    await server.api.data(site.root, 'PUT', '/api/channel/', { id: site.channelId, status: 2 });
    await becomes(key, '503 model_not_found');
    await server.api.data(site.root, 'PUT', '/api/channel/', { id: site.channelId, status: 1 });
    await becomes(key, '200');
    const person = site.people[0]!;
    await server.api.data(site.root, 'POST', '/api/user/manage', { id: person.id, action: 'disable' });
    await becomes(key, '403 user_banned');
    await server.api.data(site.root, 'POST', '/api/user/manage', { id: person.id, action: 'enable' });
    await becomes(key, '200');
  });

  it('enter a feature together when it comes into use, and leave it together', async () => {
    const key = keyOf('rich');
    const { api } = server;
    const refused = (): Promise<void> =>
      until(async () => !(await everywhere(key)).has('200'), 20, 'every worker refuses calls');
    const budget = { kind: 'requests', amount: 1, rolling: false, time_zone: 'UTC' };
    for (const more of [
      { level: 'site', window: 'day' },
      { level: 'site', window: 'minute' },
      { level: 'group', group: 'default', window: 'day' },
      { level: 'channel', subject_id: site.channelId, window: 'day' },
      { level: 'user', subject_id: site.people[0]!.id, window: 'day' },
    ]) {
      const { id } = await api.data<{ id: number }>(site.root, 'POST', '/api/budget/', { ...budget, ...more });
      await refused();
      await api.data(site.root, 'DELETE', `/api/budget/${id}`);
      await becomes(key, '200');
    }

    const rule = { name: 'no-greetings', stage: 'input', action: 'block', check: 'words', words: ['hi'] };
    await set('guardrails.rules', JSON.stringify([rule]));
    await becomes(key, '400 guardrail_blocked');
    await set('guardrails.rules', '[]');
    await becomes(key, '200');

    await set('content_capture.rules', JSON.stringify([{ groups: ['default'], percent: 100 }]));
    const captured = async (): Promise<number> => {
      const before = await capturedContents();
      await everywhere(key);
      return (await capturedContents()) - before;
    };
    await until(async () => (await captured()) >= 3 * workers, 20, 'every worker captures content');
    await set('content_capture.rules', '[]');
    await until(async () => (await captured()) === 0, 20, 'no worker captures content');
  });

  it('keep a session of calls on one key', async () => {
    const other = await server.api.createChannel(site.root, { baseUrl: upstream.url, key: 'sk-other' });
    const second = async (): Promise<boolean> => {
      await everywhere(keyOf('rich'));
      return upstream.requests.some(({ key }) => key === 'sk-other');
    };
    await until(second, 20, 'the second channel serves calls');
    for (let session = 0; session < 6; session++) {
      const before = upstream.requests.length;
      for (let turn = 0; turn < 2 * workers; turn++) {
        const { status } = await call(server.url, keyOf('rich'), { 'x-session-affinity': `session-${session}` });
        expect(status).toBe(200);
      }
      expect(new Set(upstream.requests.slice(before).map(({ key }) => key)).size).toBe(1);
    }
    await server.api.data(site.root, 'DELETE', `/api/channel/${other}`);
  });

  it('put a key into cooldown together, and make one call between them to try it again', async () => {
    const limited = { message: 'slow down', type: 'requests', code: 'rate_limit_exceeded' };
    upstream.script({ model: 'gpt-4o' }, json({ error: limited }, 429, { 'retry-after': '4' }));
    expect((await call(server.url, keyOf('rich'))).status).toBe(429);
    const restedAt = performance.now();
    await until(async () => (await everywhere(keyOf('rich'))).size === 1, 3, 'every worker knows of the cooldown');
    const before = upstream.requests.length;
    expect([...(await everywhere(keyOf('rich')))]).toEqual(['429 channels_busy']);
    expect(upstream.requests).toHaveLength(before);

    holdCalls();
    await new Promise((resolve) => setTimeout(resolve, 4200 - (performance.now() - restedAt)));
    const together = Array.from({ length: 4 * workers }, () => call(server.url, keyOf('rich')));
    await until(() => held.length > 0, 20, 'one call is on its way');
    let refused = 0;
    for (const one of together) void one.then(({ status }) => (refused += status === 429 ? 1 : 0));
    await until(() => refused >= together.length - 1, 20, 'the others are refused');
    expect(upstream.requests).toHaveLength(before + 1);
    for (const release of held) release();
    expect((await Promise.all(together)).filter(({ status }) => status === 200)).toHaveLength(1);
    upstream.script({ model: 'gpt-4o' }, chat({ text: 'hello' }));
    await becomes(keyOf('rich'), '200');
  });

  it('show the metrics of all of them, whichever is asked', async () => {
    const before = await countedCalls();
    for (let at = 0; at < 2 * workers; at++) await call(server.url, keyOf('rich'));
    // A call is counted after its response.
    await until(async () => (await countedCalls()) === before + 2 * workers, 20, 'the calls are counted');
    for (let at = 0; at < workers; at++) expect(await countedCalls()).toBe(before + 2 * workers);
  });

  it('are replaced when they are killed, and what they held is given back', async () => {
    const before = await auditor.quotaOf('rich');
    const seen: Answer[] = [];
    let isOver = false;
    // The calls last for some time, and there are more calls than workers, so that each worker has some of them at any
    // moment.
    upstream.script({ model: 'gpt-4o' }, async (response, request) => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      await chat({ text: 'late', usage: { prompt_tokens: 100, completion_tokens: 100 } })(response, request);
    });
    const callers = Array.from({ length: 24 }, () => callUntil(() => isOver, seen));
    const killed: number[] = [];
    for (let kill = 0; kill < 2; kill++) {
      await new Promise((resolve) => setTimeout(resolve, 300 + kill * 70));
      const [pid] = pidsOf(server);
      killed.push(pid!);
      process.kill(pid!, 'SIGKILL');
      await until(() => !pidsOf(server).includes(pid!) && pidsOf(server).length === workers, 60, 'it is replaced');
      expect(await auditor.drifts()).toEqual([]);
    }
    isOver = true;
    await Promise.all(callers);
    expect(new Set(killed).size).toBe(2);
    // Only connections of the killed worker broke, and none was refused.
    expect(new Set(seen.map(({ status }) => status))).toEqual(new Set([200, 0]));
    expect(new Set(seen.map(({ failure }) => failure))).not.toContain('ECONNREFUSED');
    await until(async () => (await auditor.openReservations()) === 0, 40, 'what the dead workers held is given back');
    const answered = seen.filter(({ status }) => status === 200);
    expect(await auditor.notLoggedOnce(answered.map((one) => ({ ...one, whole: true, retryAfter: null })))).toEqual([]);
    expect(await auditor.drifts()).toEqual([]);
    const after = await auditor.quotaOf('rich');
    expect(after.quota + after.used).toBe(before.quota + before.used);
  }, 300_000);

  it('are restarted one after the other without a refused or broken call', async () => {
    const before = pidsOf(server);
    const countedBefore = await countedCalls();
    const seen: Answer[] = [];
    let isOver = false;
    const callers = Array.from({ length: 4 }, () => callUntil(() => isOver, seen));
    const readiness = new Set<number>();
    const balancer = (async () => {
      while (!isOver) readiness.add((await fetch(`${server.url}/readyz`, { headers: { connection: 'close' } })).status);
    })();
    server.process.kill('SIGUSR2');
    await until(
      () => server.logLines().some((line) => line.includes('rolling restart completed')),
      120,
      'it is completed',
    );
    isOver = true;
    await Promise.all([...callers, balancer]);
    expect([...readiness]).toEqual([200]);
    // Counts of workers that ended stay in the sum.
    const counted = countedBefore + seen.length;
    await until(async () => (await countedCalls()) >= counted, 5, `${counted} calls are counted`);
    expect(await countedCalls()).toBe(counted);
    const after = pidsOf(server);
    expect(after).toHaveLength(workers);
    expect(after.filter((pid) => before.includes(pid))).toEqual([]);
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.filter(({ status }) => status !== 200)).toEqual([]);
  });

  it('finish their calls when the server stops', async () => {
    const pids = pidsOf(server);
    holdCalls();
    const calls = Array.from({ length: 2 * workers }, () => call(server.url, keyOf('rich')));
    await until(() => held.length === 2 * workers, 20, 'all calls are in progress');
    server.process.kill('SIGTERM');
    await until(() => server.logLines().filter((line) => line.includes('"stopping"')).length > workers, 20, 'all stop');
    for (const release of held) release();
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(2 * workers).fill(200));
    await server.kill('SIGTERM');
    expect(server.process.exitCode).toBe(0);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(await auditor.openReservations()).toBe(0);
    expect(await auditor.drifts()).toEqual([]);
  });
});

it('workers serve on the embedded database, also after the first process was killed', async () => {
  const folder = await scratchFolder('workers');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const start = async (): Promise<ChildProcess> => {
    const child = spawn(process.execPath, [program], {
      stdio: 'ignore',
      env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: String(port), WORKERS: '2', DATA_DIR: folder },
    });
    const isReady = () =>
      fetch(`${url}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      );
    await until(isReady, 100, 'the server is ready');
    return child;
  };
  const isDown = () =>
    fetch(url).then(
      () => false,
      () => true,
    );
  const killed = await start();
  const api = new Api(url);
  await api.setUp();
  killed.kill('SIGKILL');
  await until(isDown, 30, 'its workers end with it');
  const again = await start();
  expect((await fetch(`${url}/api/status`)).status).toBe(200);
  again.kill('SIGTERM');
  expect(await once(again, 'exit')).toEqual([0, null]);
  expect(await isDown()).toBe(true);
}, 240_000);

it('a worker that crashes during a rolling restart is replaced once', async () => {
  const server = await spawnServer({ environment: { WORKERS: '2' } });
  const serving = (): number => pidsOf(server).length;
  try {
    await until(() => serving() === 2, 60, 'both workers serve calls');
    const [, second = 0] = pidsOf(server);
    server.process.kill('SIGUSR2');
    process.kill(second, 'SIGKILL');
    const said = (text: string): boolean => server.logLines().some((line) => line.includes(text));
    await until(() => said('rolling restart completed'), 120, 'it is completed');
    await until(() => serving() >= 2, 60, 'both are replaced');
    // The wait is longer than the start of a third server that begins together with the others.
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect(serving()).toBe(2);
  } finally {
    await server.stop();
  }
}, 240_000);

it('workers export their metrics as series of their own', async () => {
  const names = new Set<string>();
  const collector = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      if (request.url === '/v1/metrics') names.add(JSON.stringify(resourceOf(text)));
      response.end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const server = await spawnServer({
    environment: {
      WORKERS: '2',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
      OTEL_METRIC_EXPORT_INTERVAL: '300',
    },
  });
  try {
    await until(() => names.size >= 2, 30, 'two resources export');
  } finally {
    await server.stop();
    collector.close();
  }
});
const resourceOf = (text: string): unknown =>
  (JSON.parse(text) as { resourceMetrics: Array<{ resource: unknown }> }).resourceMetrics[0]?.resource;

it('a server of workers that cannot listen says why in one line, and ends', async () => {
  const database = await createTestDatabase();
  const occupant = createServer().listen(0, '127.0.0.1');
  await once(occupant, 'listening');
  const { port } = occupant.address() as AddressInfo;
  try {
    const child = spawn(process.execPath, [program], {
      env: {
        PATH: process.env.PATH,
        HOST: '127.0.0.1',
        PORT: String(port),
        WORKERS: '2',
        LOG_LEVEL: 'silent',
        DATABASE_URL: database.url,
        DATA_DIR: await scratchFolder('workers'),
        SESSION_SECRET: 'session secret of a test',
        ENCRYPTION_KEY: testEncryptionKey,
      },
    });
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    expect(await once(child, 'exit')).toEqual([1, null]);
    expect(errors).toBe(`tollgate: port ${port} is in use: set PORT to another one\n`);
  } finally {
    occupant.close();
    await database.drop();
  }
});
