import { chat } from '../support/upstream/replies.js';
import { failure, serverError, unauthorized } from '../support/upstream/faults.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { countStatements } from '../support/statements.js';
import { Site, type Person } from './site.js';

/** Tests the list of channels that fail or are slow (docs/reference/relay/health.md#figures-of-channels). */
let site: Site;
let first: Upstream;
let second: Upstream;
let root: Person;
let user: Person;
let key: string;
let failing: number;
let serving: number;

const now = Math.floor(Date.now() / 1000);
const start = now - (now % 300);
const hour = now - (now % 3600);

beforeAll(async () => {
  [site, first, second] = await Promise.all([Site.open(), startUpstream(), startUpstream()]);
  root = await site.setUp();
  user = await site.invite(root);
  const channel = (name: string, { url }: Upstream, priority: number) =>
    site.server.api.createChannel(root, { baseUrl: url, models: ['gpt-4o'], name, more: { priority } });
  failing = await channel('first', first, 9);
  serving = await channel('second', second, 1);
  await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'RetryTimes', value: '1' });
  ({ key } = await site.server.api.createToken(root, { name: 'dev', unlimited_quota: true }));
});
afterAll(async () => {
  await Promise.all([site.stop(), first.stop(), second.stop()]);
});

interface Failure {
  readonly kind: string;
  readonly attempts: number;
  readonly lastModel: string;
  readonly lastError: string;
}
interface Row {
  readonly channelId: number;
  readonly channelName: string;
  readonly calls: number;
  readonly failedAttempts: number;
  readonly failureRate: number | null;
  readonly rescuedAttempts: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly failures: readonly Failure[];
}

const fields = `rows { channelId channelName calls failedAttempts failureRate rescuedAttempts p50Ms p95Ms
  failures { kind attempts lastModel lastError } }`;

async function read(args: string, person = root): Promise<readonly Row[]> {
  const { data, text } = await site.graphql(person, `{ channelHealth(${args}) { ${fields} } }`);
  if (!data) throw new Error(text);
  return (data['channelHealth'] as { rows: Row[] }).rows;
}

/** Counts are stored in the background. */
async function stored(attempts: number, rescues: number): Promise<void> {
  for (;;) {
    const [row] = await site.query<{ attempts: string; rescues: string }>(
      `SELECT coalesce((SELECT sum(attempts) FROM channel_failures), 0) AS attempts,
              coalesce((SELECT sum(attempts) FROM channel_rescues), 0) AS rescues,
              (SELECT sum(calls) FROM usage_five_minutes) AS calls`,
    );
    if (Number(row?.attempts) === attempts && Number(row?.rescues) === rescues) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function call(): Promise<number> {
  await site.graphql(root, `mutation { clearChannelCooldowns(input: { id: ${failing} }) { channel { id } } }`);
  const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] };
  return (await site.server.api.relay(key, '/v1/chat/completions', body)).status;
}

it('counts failed attempts by kind with their last error, and those that another channel made good', async () => {
  // Otherwise the message of a refused request is kept, which may repeat the prompt.
  await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'LogErrorEnabled', value: 'false' });
  first.script(
    {},
    chat({ text: 'one' }),
    failure(503, 'overloaded at https://inner.example/v1, key sk-abcdef1234567890', 'server_error'),
    serverError(),
    unauthorized(),
    failure(400, 'bad prompt: my secret prompt', 'invalid_request_error', 'bad_value'),
    serverError(500),
  );
  expect([await call(), await call(), await call(), await call()]).toEqual([200, 200, 200, 200]);
  // A refused request is not tried again.
  expect(await call()).toBe(400);
  // No further channel could serve the last call.
  second.script({}, serverError(502));
  expect(await call()).toBe(502);
  await stored(6, 3);

  const rows = await read('window: HOUR');
  expect(rows.map(({ channelName, failures: _, p50Ms: _half, p95Ms: _most, ...row }) => [channelName, row])).toEqual([
    // Five attempts were not refused because of the request, and four of them failed with 503, 500, 401 and 500.
    ['first', { channelId: failing, calls: 1, failedAttempts: 4, failureRate: 0.8, rescuedAttempts: 3 }],
    ['second', { channelId: serving, calls: 3, failedAttempts: 1, failureRate: 0.25, rescuedAttempts: 0 }],
  ]);
  const [row] = rows;
  expect(row?.p95Ms).toBeGreaterThan(0);
  const failures = [...(row?.failures ?? [])].sort((one, other) => (one.kind < other.kind ? -1 : 1));
  expect(failures).toEqual([
    { kind: 'REFUSED', attempts: 1, lastModel: 'gpt-4o', lastError: expect.stringMatching(/^status 401: Incorrect/) },
    // The provider's message repeats the prompt.
    { kind: 'REQUEST', attempts: 1, lastModel: 'gpt-4o', lastError: 'status 400: bad_value' },
    {
      kind: 'SERVER_ERROR',
      attempts: 3,
      lastModel: 'gpt-4o',
      lastError: 'status 500: The server had an error while processing your request.',
    },
  ]);
  const texts = await site.query<{ last_error: string }>('SELECT last_error FROM channel_failures');
  expect(JSON.stringify(texts)).not.toMatch(/inner\.example|sk-abc|secret prompt/);
});

it('has percentiles of the durations of a day, as the rollups know them', async () => {
  const ids = await site.query<{ id: number }>(
    `INSERT INTO channels (type, name, key_sealed, models) VALUES (1, 'slow', '', '{m}') RETURNING id`,
  );
  const id = ids[0]?.id ?? 0;
  // Nine calls of 200 to 300 ms and one of 2 to 3 s, five hours ago: outside the last hour.
  await site.query(
    `INSERT INTO usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", calls, duration_buckets)
       VALUES ($1, 1, 1, $2, 'm', 'default', 10, '{0,0,0,9,0,0,0,0,0,1}')`,
    [hour - 5 * 3600, id],
  );
  // The failures happened 25 hours ago and 23 hours ago.
  await site.query(
    `INSERT INTO channel_failures VALUES ($1, $3, 'TIMEOUT', 70, $1, 'm', 'old'),
     ($2, $3, 'TIMEOUT', 30, $2, 'm', 'no response')`.replaceAll('$3', String(id)),
    [start - 26 * 3600, start - 23 * 3600],
  );
  const [row, ...others] = await read(`window: DAY, channelIds: [${id}]`);
  expect(others).toEqual([]);
  expect(row).toEqual({
    channelId: id,
    channelName: 'slow',
    calls: 10,
    failedAttempts: 30,
    failureRate: 0.75,
    rescuedAttempts: 0,
    // The median is five ninths of the distance from 200 to 300 ms, and the 95th percentile is half of the distance from
    // 2,000 to 3,000 ms.
    p50Ms: 256,
    p95Ms: 2500,
    failures: [{ kind: 'TIMEOUT', attempts: 30, lastModel: 'm', lastError: 'no response' }],
  });
  expect(await read(`window: HOUR, channelIds: [${id}]`)).toEqual([]);
});

it('takes as many statements for sixty channels as for two', async () => {
  const ask = async (): Promise<number> => {
    let rows = 0;
    const statements = await countStatements(other, async () => {
      const { data } = await other.graphql(admin, `{ channelHealth { ${fields} } }`);
      rows = (data?.['channelHealth'] as { rows: Row[] }).rows.length;
    });
    return statements.length * 1000 + rows;
  };
  // These tests have sites of their own, because a node reads the figures at most every ten seconds.
  let other = await Site.open();
  let admin = await other.setUp();
  const fill = (channels: number) =>
    other.query(
      `INSERT INTO channels (type, name, key_sealed, models)
         SELECT 1, 'c' || n, '', '{m}' FROM generate_series(1, ${channels}) n;
       INSERT INTO usage_five_minutes (start, channel_id, model_name, calls) SELECT ${start}, id, 'm', 1 FROM channels;
       INSERT INTO channel_failures SELECT ${start}, id, 'TIMEOUT', 1, ${start}, 'm', '' FROM channels`,
    );
  await fill(2);
  const two = await ask();
  await other.stop();
  other = await Site.open();
  admin = await other.setUp();
  await fill(60);
  const sixty = await ask();
  // All readers within ten seconds get the same figures.
  const again = await ask();
  await other.stop();
  expect([two % 1000, sixty % 1000, sixty - 60]).toEqual([2, 60, two - 2]);
  expect(two).toBeLessThan(9000);
  expect(again).toBe(60);
});

it('is for those who may see channels', async () => {
  const { codes } = await site.graphql(user, `{ channelHealth { ${fields} } }`);
  expect(codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
});
