import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Secret, TOTP } from 'otpauth';
import { reconcile } from '../../server/src/billing/ledger/reconcile.js';
import type { Person } from '../support/api.js';
import { createTestDatabase } from '../support/database.js';
import { makeContent } from '../support/import/content.js';
import type { Family } from '../support/import/schemas.js';
import { createSource, type TestSource } from '../support/import/source.js';
import { scratchFolder } from '../support/scratch.js';
import { startServer, type LocalServer } from '../support/server.js';
import { eventually } from '../support/task-site.js';

const upstream = 'http://127.0.0.1:9';
const now = Math.floor(Date.now() / 1000);
const closers: Array<() => Promise<unknown>> = [];
// A child process of low priority would wait for all other tests of a busy machine.
beforeAll(() => jest.spyOn(os, 'setPriority').mockImplementation(() => undefined));
afterAll(() => jest.restoreAllMocks());
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface Moving {
  readonly server: LocalServer;
  readonly dataDir: string;
  root: Person;
}

/** Creates a site that was set up and has no other content. */
async function freshSite(environment: Record<string, string> = {}): Promise<Moving> {
  const dataDir = await scratchFolder('import');
  closers.push(() => rm(dataDir, { recursive: true, force: true }));
  const server = await startServer({ environment: { DATA_DIR: dataDir, SHUTDOWN_TIMEOUT: '1', ...environment } });
  closers.push(() => server.stop());
  return { server, dataDir, root: await server.api.setUp() };
}

async function sourceOf(family: Family, engine: 'sqlite' | 'postgres' = 'sqlite', logs = 400): Promise<TestSource> {
  const source = await createSource(family, engine, makeContent({ family, upstream, now, logs }));
  closers.push(() => source.drop());
  return source;
}

interface Job {
  readonly state: string;
  readonly failure: string | null;
  readonly failureText: string;
  readonly hasFile: boolean;
  readonly sourceName: string;
  readonly progress: { step: string; done: number; total: number; secondsLeft: number | null } | null;
  readonly preview: Report | null;
  readonly report: Report | null;
}
interface Report {
  readonly family: string;
  readonly isBlocked: boolean;
  readonly tables: ReadonlyArray<{ table: string; found: number; moved: number; changed: number; leftOut: number }>;
  readonly sums: { userQuota: number };
  readonly channels: ReadonlyArray<{ id: number; there: string | null; here: string | null }>;
  readonly findings: ReadonlyArray<{ code: string; severity: string; count: number; examples: unknown[] }>;
  readonly proof: {
    sumsAreEqual: boolean;
    keysFound: number;
    drifts: number;
    isProven: boolean;
    replayed: number;
  } | null;
}

const report = `family version engine isDryRun isBlocked seconds tables { table found moved changed same leftOut }
  sums { userQuota } findings { code severity list text count examples { table id detail } }
  differences { model } channels { id there here }
  proof { sumsAreEqual keysFound keysExpected drifts replayed replayedEqual isProven }`;
const view = `refusal maxFileBytes run { name family finishedAt } job { state sourceName hasFile failure failureText
  choices { logDays plans } progress { step done total secondsLeft } preview { ${report} } report { ${report} } }`;

interface View {
  readonly refusal: string | null;
  readonly run: { name: string; finishedAt: string | null } | null;
  readonly job: Job | null;
}

async function ask(
  site: Moving,
  query: string,
  variables = {},
): Promise<{ data: Record<string, unknown>; codes: string[] }> {
  const { body } = await site.server.api.rest(site.root, 'POST', '/graphql', { query, variables });
  const { data, errors = [] } = body as {
    data: Record<string, unknown>;
    errors?: Array<{ extensions: { code: string } }>;
  };
  return { data, codes: errors.map(({ extensions }) => extensions.code) };
}

const look = async (site: Moving): Promise<View> =>
  (await ask(site, `{ siteImport { ${view} } }`)).data['siteImport'] as View;
const choices = { plans: 'DROP' };
const check = (site: Moving, input: Record<string, unknown> = {}) =>
  ask(site, `mutation ($input: CheckImportInput!) { checkImport(input: $input) { siteImport { job { state } } } }`, {
    input: { choices, ...input },
  });

/** Starts the import, and adopts the root user's new id. */
async function start(site: Moving): Promise<string[]> {
  const { data, codes } = await ask(site, 'mutation { startImport { siteImport { job { state } } user { id role } } }');
  const { user } = (data?.['startImport'] ?? {}) as { user?: { id: number } };
  if (user) site.root = { ...site.root, id: user.id };
  return codes;
}

/** Polls the job without its reports, which are long. */
async function untilJob(site: Moving, isDue: (job: Pick<Job, 'state' | 'progress'>) => boolean): Promise<Job> {
  for (;;) {
    const { data } = await ask(site, '{ siteImport { job { state progress { step done total secondsLeft } } } }');
    const { job } = data['siteImport'] as { readonly job: Job | null };
    if (job && isDue(job)) return { ...(await look(site)).job!, progress: job.progress };
    await delay(100);
  }
}
const ended = ({ state }: Pick<Job, 'state'>): boolean => !['CHECKING', 'MOVING'].includes(state);

async function upload(
  site: Moving,
  name: string,
  body: Uint8Array | ReadableStream,
): Promise<{ status: number; code: unknown }> {
  const { cookie, id } = site.root;
  // A body that is a stream needs `duplex`, which Node's types do not declare.
  const init = {
    method: 'POST',
    headers: { cookie, 'veloera-user': String(id), 'content-type': 'application/octet-stream' },
    body: body as never,
    duplex: 'half',
  };
  const response = await fetch(`${site.server.url}/api/import/file?name=${encodeURIComponent(name)}`, init);
  return { status: response.status, code: ((await response.json()) as { code?: unknown }).code };
}

const uploads = (site: Moving): Promise<string[]> => readdir(join(site.dataDir, 'import')).catch(() => []);

it('moves an uploaded SQLite site: dry run, run, proof, and the file is deleted', async () => {
  const site = await freshSite();
  const source = await sourceOf('veloera');
  const content = makeContent({ family: 'veloera', upstream, now, logs: 400 });
  const balances = [...content.balances.values()].reduce((sum, quota) => sum + quota, 0);
  expect(await look(site)).toMatchObject({ refusal: null, run: null, job: null });

  await source.execute('PRAGMA wal_checkpoint(TRUNCATE)');
  expect((await upload(site, 'C:\\data\\veloera.db', readFileSync(source.address))).status).toBe(200);
  expect((await look(site)).job).toMatchObject({ state: 'READY', sourceName: 'veloera.db', hasFile: true });
  expect(await start(site)).toEqual(['CONFLICT']);

  expect((await check(site)).codes).toEqual([]);
  const checked = await untilJob(site, ended);
  expect(checked).toMatchObject({ state: 'CHECKED', failure: null, report: null });
  expect(checked.preview).toMatchObject({ family: 'veloera', isDryRun: true, isBlocked: false, proof: null });
  expect(checked.preview?.sums.userQuota).toBe(balances);
  expect(checked.preview?.tables).toContainEqual({
    table: 'users',
    found: 30,
    moved: 30,
    changed: 0,
    same: 0,
    leftOut: 0,
  });
  expect(checked.preview?.tables).toContainEqual(expect.objectContaining({ table: 'logs', found: 400, moved: 400 }));
  const codes = checked.preview?.findings.map(({ code }) => code);
  expect(codes).toEqual(expect.arrayContaining(['no-sign-in', 'option-set', 'root-demoted', 'balance-negative']));
  expect(await site.server.dataSource.query('SELECT count(*)::int AS n FROM users')).toEqual([{ n: 1 }]);
  expect(checked.preview?.channels).toContainEqual({
    id: expect.any(Number) as number,
    there: expect.stringMatching(/^http.*completions$/) as string,
    here: expect.stringMatching(/^http.*completions$/) as string,
  });

  expect(await start(site)).toEqual([]);
  expect(site.root.id).toBe(10_030);
  const done = await untilJob(site, ended);
  expect(done).toMatchObject({ state: 'MOVED', hasFile: false });
  expect(done.report?.proof).toEqual({
    sumsAreEqual: true,
    keysFound: 60,
    keysExpected: 60,
    drifts: 0,
    isProven: true,
    replayed: expect.any(Number),
    replayedEqual: done.report?.proof?.replayed,
  });
  // The file is deleted once the job is stored as done.
  expect(
    await eventually(
      () => uploads(site),
      ({ length }) => length === 1,
    ),
  ).toEqual(['work']);
  expect(
    await reconcile({ query: async (text, values) => ({ rows: await site.server.dataSource.query(text, values) }) }),
  ).toEqual([]);

  // The caches of the running server know the imported site at once.
  const person = await site.server.api.signIn('user04', 'password of user04');
  const own = await site.server.api.data<{ quota: number }>(person, 'GET', '/api/user/self');
  expect(own.quota).toBe(content.balances.get(4));
  const [key = ''] = content.keys;
  const models = await site.server.api.rest(null, 'GET', '/v1/models', undefined, { authorization: `Bearer ${key}` });
  expect(models.status).toBe(200);
  const option = await ask(site, '{ options(filter: { keys: ["SystemName"] }) { items { value } } }');
  expect(JSON.stringify(option.data)).toContain('Old site');

  // The log has the complete report and the user who started the import.
  const whole = await site.server.api.data<{ source: { family: string }; findings: unknown[] }>(
    site.root,
    'GET',
    '/api/import/report',
  );
  expect(whole.source.family).toBe('veloera');
  const audit = await ask(site, '{ auditEntries(filter: { subjects: [IMPORT] }) { items { actorId action } } }');
  expect(audit.data).toEqual({ auditEntries: { items: [{ actorId: 10_030, action: 'start' }] } });
}, 300_000);

it('moves what has changed since, from a newer upload of the same name or the same connection', async () => {
  const site = await freshSite();
  const source = await sourceOf('one-api', 'postgres', 50);
  expect((await check(site, { connection: source.address })).codes).toEqual([]);
  expect(await untilJob(site, ended)).toMatchObject({ state: 'CHECKED', failure: null });
  await start(site);
  expect(await untilJob(site, ended)).toMatchObject({ state: 'MOVED' });
  // The import is finished. The next one begins with a new dry run.
  expect(await start(site)).toEqual(['CONFLICT']);
  await source.execute('UPDATE users SET quota = quota + 7 WHERE id = 3');
  await source.execute('DELETE FROM redemptions WHERE id = 1');
  await check(site);
  const { preview } = await untilJob(site, ended);
  expect(preview?.findings).toContainEqual(expect.objectContaining({ code: 'row-deleted', count: 1 }));
  await start(site);
  const { report: second } = await untilJob(site, ended);
  expect(second?.tables.find(({ table }) => table === 'users')).toMatchObject({ moved: 0, changed: 1 });
  expect(second?.proof).toMatchObject({ isProven: true });

  const other = await sourceOf('veloera', 'postgres', 50);
  await check(site, { connection: other.address });
  await untilJob(site, ended);
  await start(site);
  expect(await untilJob(site, ended)).toMatchObject({
    state: 'FAILED',
    failure: 'SITE_REFUSED',
    failureText: expect.stringMatching(/A second source cannot be added/),
  });
}, 300_000);

it('stops on request, keeps what was imported, and continues', async () => {
  const site = await freshSite();
  const source = await sourceOf('new-api', 'postgres', 30_000);
  await check(site, { connection: source.address });
  await untilJob(site, ended);
  await start(site);
  const working = await untilJob(site, ({ progress }) => progress?.step === 'logs');
  expect(working.progress?.total).toBeGreaterThan(30_000);
  expect((await ask(site, 'mutation { discardImport { siteImport { refusal } } }')).codes).toEqual(['CONFLICT']);
  expect((await check(site)).codes).toEqual(['CONFLICT']);
  expect((await ask(site, 'mutation { cancelImport { siteImport { refusal } } }')).codes).toEqual([]);
  expect((await ask(site, 'mutation { cancelImport { siteImport { refusal } } }')).codes).toEqual(['CONFLICT']);
  const [moved] = await site.server.dataSource.query<Array<{ n: number }>>('SELECT count(*)::int AS n FROM users');
  expect(moved?.n).toBe(31);
  expect(await start(site)).toEqual([]);
  const done = await untilJob(site, ended);
  expect(done).toMatchObject({ state: 'MOVED', report: { proof: { isProven: true } } });
  expect(await site.server.dataSource.query('SELECT count(*)::int AS n FROM logs')).toEqual([{ n: 30_000 }]);
}, 300_000);

it('continues after a restart of the server', async () => {
  const database = await createTestDatabase();
  closers.push(() => database.drop());
  const dataDir = await scratchFolder('import');
  closers.push(() => rm(dataDir, { recursive: true, force: true }));
  const environment = { DATA_DIR: dataDir, SHUTDOWN_TIMEOUT: '1' };
  const first = await startServer({ database, environment });
  const site: Moving = { server: first, dataDir, root: await first.api.setUp() };
  const source = await sourceOf('new-api', 'sqlite', 30_000);
  await source.execute('PRAGMA wal_checkpoint(TRUNCATE)');
  await upload(site, 'one-api.db', readFileSync(source.address));
  await check(site);
  await untilJob(site, ended);
  await start(site);
  await untilJob(site, ({ progress }) => progress?.step === 'logs');
  await first.stop();
  const second = await startServer({ database, environment });
  closers.push(() => second.stop());
  const done = await untilJob({ ...site, server: second }, ended);
  expect(done).toMatchObject({ state: 'MOVED', report: { proof: { isProven: true } } });
  expect(await second.dataSource.query('SELECT count(*)::int AS n FROM logs')).toEqual([{ n: 30_000 }]);
}, 300_000);

describe('refused', () => {
  it('uploads that are too large, empty, without a name, or no database', async () => {
    const site = await freshSite({ IMPORT_MAX_FILE_MB: '1' });
    const large = randomBytes(1024 * 1024 + 1);
    expect(await upload(site, 'one-api.db', large)).toEqual({ status: 413, code: 'PAYLOAD_TOO_LARGE' });
    const pieces = new ReadableStream({
      start(controller) {
        for (let start = 0; start < large.length; start += 65_536)
          controller.enqueue(large.subarray(start, start + 65_536));
        controller.close();
      },
    });
    expect(await upload(site, 'one-api.db', pieces)).toEqual({ status: 413, code: 'PAYLOAD_TOO_LARGE' });
    expect(await upload(site, 'one-api.db', new Uint8Array())).toMatchObject({ code: 'INVALID_INPUT' });
    expect(await upload(site, ' ', large.subarray(0, 9))).toMatchObject({ code: 'INVALID_INPUT' });
    expect(await uploads(site)).toEqual([]);
    expect((await look(site)).job).toBeNull();

    expect((await upload(site, '../../evil.db', large.subarray(0, 5000))).status).toBe(200);
    await check(site);
    const failed = await untilJob(site, ended);
    expect(failed).toMatchObject({ state: 'FAILED', failure: 'SOURCE_REFUSED', sourceName: 'evil.db', hasFile: true });
    expect(failed.failureText).toMatch(/^evil\.db is not a readable SQLite database/);
    expect(failed.failureText).not.toContain(site.dataDir);
    // The second call has nothing to discard and succeeds.
    for (const _ of [1, 2]) {
      expect((await ask(site, 'mutation { discardImport { siteImport { job { state } } } }')).codes).toEqual([]);
      expect(await uploads(site)).toEqual(['work']);
      const query = `{ auditEntries { items { actorId subject action changes { field before after } } } }`;
      const { items } = (await ask(site, query)).data['auditEntries'] as { items: Array<{ subject: string }> };
      const changes = [{ field: 'source', before: 'evil.db', after: null }];
      expect(items.filter(({ subject }) => subject === 'IMPORT')).toEqual([
        { actorId: site.root.id, subject: 'IMPORT', action: 'delete', changes },
      ]);
    }
  }, 300_000);

  it('files, sockets and certificates of the server as a connection', async () => {
    const site = await freshSite();
    for (const connection of [
      '/data/one-api.db',
      'file:///etc/passwd',
      'root:x@unix(/run/mysqld.sock)/a',
      'mysql://root@h/a?socketPath=/run/mysqld.sock',
      'postgres:///a?host=/run/postgresql',
      'postgres://%2Frun%2Fpostgresql/a',
      'postgres://u:p@h/a?sslrootcert=/etc/passwd',
      'clickhouse://h/a',
    ]) {
      expect([connection, ...(await check(site, { connection })).codes]).toEqual([connection, 'INVALID_INPUT']);
      expect([
        connection,
        ...(await check(site, { connection: 'postgres://h/a', logConnection: connection })).codes,
      ]).toEqual([connection, 'INVALID_INPUT']);
    }
    expect((await check(site)).codes).toEqual(['INVALID_INPUT']);
    expect((await check(site, { connection: 'postgres://h/a', environment: 'no name' })).codes).toEqual([
      'INVALID_INPUT',
    ]);
    expect((await look(site)).job).toBeNull();
  });

  it('a database that does not answer, without its password in the reason', async () => {
    const site = await freshSite();
    await check(site, { connection: 'mysql://root:hidden@127.0.0.1:9/old' });
    const failed = await untilJob(site, ended);
    expect(failed).toMatchObject({ state: 'FAILED', failure: 'SOURCE_REFUSED', sourceName: 'mysql://127.0.0.1:9/old' });
    expect(failed.failureText).toContain('cannot be opened');
    expect(JSON.stringify(failed)).not.toContain('hidden');
    const stored = await site.server.dataSource.query<unknown[]>('SELECT * FROM import_jobs');
    expect(JSON.stringify(stored)).not.toContain('hidden');
  }, 300_000);

  // The last two hosts are names that every resolver turns into 169.254.169.254.
  it.each([
    'mysql://root:hidden@169.254.169.254/old',
    'postgres://root:hidden@[fd00:ec2::254]/old',
    'mysql://root:hidden@0xa9fea9fe/old',
    'postgres://root:hidden@2852039166/old',
  ])(
    'addresses of cloud metadata (%s)',
    async (connection) => {
      const site = await freshSite();
      await check(site, { connection });
      const failed = await untilJob(site, ended);
      expect(failed).toMatchObject({ state: 'FAILED', failure: 'SOURCE_REFUSED' });
      expect(failed.failureText).toContain('This address cannot be called from here');
    },
    300_000,
  );

  it('a site that is not fresh', async () => {
    const site = await freshSite();
    await site.server.api.createChannel(site.root, { baseUrl: upstream });
    expect((await look(site)).refusal).toBe('This site is not fresh: it has channels. Import into an empty database.');
    expect(await upload(site, 'one-api.db', randomBytes(100))).toMatchObject({ code: 'CONFLICT' });
    expect((await check(site, { connection: 'postgres://h/a' })).codes).toEqual(['CONFLICT']);
    expect(await start(site)).toEqual(['CONFLICT']);
    expect(await uploads(site)).toEqual([]);
  });

  it('a move whose findings need a decision', async () => {
    const site = await freshSite();
    const source = await sourceOf('new-api', 'postgres', 20);
    await check(site, { connection: source.address, choices: {} });
    const checked = await untilJob(site, ended);
    expect(checked.preview).toMatchObject({ isBlocked: true });
    expect(checked.preview?.findings.filter(({ severity }) => severity === 'BLOCKING')).toMatchObject([
      { code: 'plans', count: 1, examples: [{ table: 'user_subscriptions', id: '1' }] },
    ]);
    expect(await start(site)).toEqual(['CONFLICT']);
    // The same source is checked again, with the decision.
    await check(site);
    expect((await untilJob(site, ended)).preview).toMatchObject({ isBlocked: false });
  }, 300_000);

  it('a session that has not shown its second factor', async () => {
    const site = await freshSite();
    const begun = await ask(site, 'mutation { beginAuthenticatorApp { secret } }');
    const { secret } = begun.data['beginAuthenticatorApp'] as { secret: string };
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
    await ask(site, `mutation { confirmAuthenticatorApp(code: "${code}") { recoveryCodes } }`);
    await site.server.dataSource.query(`UPDATE sessions SET confirmed_at = confirmed_at - interval '5 minutes'`);
    await ask(site, 'mutation { revokeOtherSessions { count } }');
    expect(await upload(site, 'one-api.db', randomBytes(100))).toMatchObject({ code: 'CONFIRMATION_NEEDED' });
    expect((await check(site, { connection: 'postgres://h/a' })).codes).toEqual(['CONFIRMATION_NEEDED']);
    expect(await start(site)).toEqual(['CONFIRMATION_NEEDED']);
    expect((await look(site)).job).toBeNull();
  });
});

it('reads keys of a config.yaml from the variables that root gives, never from the server', async () => {
  process.env['TOLLGATE_TEST_SECRET'] = 'a secret of the server';
  const site = await freshSite();
  const config = `model_list:
  - model_name: given
    litellm_params: { model: openai/gpt-4o, api_key: os.environ/GIVEN_KEY, input_cost_per_token: 0.000001, output_cost_per_token: 0.000002 }
  - model_name: stolen
    litellm_params: { model: openai/gpt-4o, api_key: os.environ/TOLLGATE_TEST_SECRET, input_cost_per_token: 0.000001, output_cost_per_token: 0.000002 }
`;
  expect((await upload(site, 'config.yaml', Buffer.from(config))).status).toBe(200);
  await check(site, { environment: '# keys\nexport GIVEN_KEY="sk-given"\n' });
  const { preview } = await untilJob(site, ended);
  delete process.env['TOLLGATE_TEST_SECRET'];
  expect(preview).toMatchObject({ family: 'litellm', isBlocked: false });
  expect(preview?.findings.find(({ code }) => code === 'key-environment')).toMatchObject({
    count: 1,
    examples: [{ detail: 'stolen: TOLLGATE_TEST_SECRET' }],
  });
}, 300_000);
