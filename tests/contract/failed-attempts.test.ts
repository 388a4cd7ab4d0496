import { failure, serverError, unauthorized } from '../support/upstream/faults.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { operator } from './operator.js';
import { Site, type Person } from './site.js';

/** Single failed attempts, by key and by call (docs/reference/relay/health.md#failed-attempts). */
let site: Site;
let first: Upstream;
let second: Upstream;
let root: Person;
let key: string;
let twoKeys: number;

beforeAll(async () => {
  [site, first, second] = await Promise.all([Site.open(), startUpstream(), startUpstream()]);
  root = await site.setUp();
  const channel = (name: string, { url }: Upstream, priority: number, more = {}) =>
    site.server.api.createChannel(root, { baseUrl: url, models: ['gpt-4o'], name, more: { priority, ...more } });
  twoKeys = await channel('two keys', first, 9);
  await channel('rescuer', second, 1);
  await site.graphql(
    root,
    `mutation { addChannelKeys(input: { id: ${twoKeys}, keys: ["sk-another-upstream-key-wxyz"] }) { channel { id } } }`,
  );
  await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'RetryTimes', value: '1' });
  ({ key } = await site.server.api.createToken(root, { name: 'dev', unlimited_quota: true }));
});
afterAll(async () => {
  await Promise.all([site.stop(), first.stop(), second.stop()]);
});

interface Attempt {
  readonly requestId: string;
  readonly channelName: string | null;
  readonly keyEnding: string;
  readonly model: string;
  readonly kind: string;
  readonly status: number | null;
  readonly error: string;
  readonly attempts: number;
}
const fields = 'requestId channelName keyEnding model kind status error attempts';

async function read(filter: string, person = root) {
  const { data, codes } = await site.graphql(
    person,
    `{ failedAttempts(filter: {${filter}}) { ${fields} } keyFailures(filter: {${filter}}) { attempts last { ${fields} } } }`,
  );
  return {
    codes,
    attempts: (data?.['failedAttempts'] ?? []) as Attempt[],
    keys: (data?.['keyFailures'] ?? []) as Array<{ attempts: number; last: Attempt }>,
  };
}

async function call(): Promise<{ status: number; id: string | null }> {
  await site.graphql(root, `mutation { clearChannelCooldowns(input: { id: ${twoKeys} }) { channel { id } } }`);
  const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] };
  const { status, headers } = await site.server.api.relay(key, '/v1/chat/completions', body);
  return { status, id: headers.get('x-request-id') };
}

/** Attempts are stored in the background. */
async function stored(attempts: number): Promise<void> {
  for (;;) {
    const [row] = await site.query<{ sum: string }>('SELECT coalesce(sum(attempts), 0) AS sum FROM failed_attempts');
    if (Number(row?.sum) === attempts) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

it('names the channel, the key and the reason of each failed attempt of a call, also while errors are not logged', async () => {
  await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'LogErrorEnabled', value: 'false' });
  first.script({}, failure(503, 'overloaded, key sk-abcdef1234567890', 'server_error'));
  second.script({}, serverError(502));
  const { status, id } = await call();
  expect(status).toBe(502);
  await stored(2);
  const { attempts } = await read(`requestId: "${id}"`);
  expect(attempts.map(({ channelName, kind, status: code }) => [channelName, kind, code])).toEqual([
    ['rescuer', 'SERVER_ERROR', 502],
    ['two keys', 'SERVER_ERROR', 503],
  ]);
  expect(attempts[1]).toMatchObject({ requestId: id, model: 'gpt-4o', attempts: 1 });
  expect(JSON.stringify(attempts)).not.toContain('sk-abc');
  // No other call has these attempts.
  expect((await read('requestId: "none"')).attempts).toEqual([]);
  expect((await read('models: ["gpt-4"]')).attempts).toEqual([]);
});

it('counts failures by key, so that one bad key among good ones is seen', async () => {
  await site.query('DELETE FROM failed_attempts');
  first.reset();
  second.reset();
  first.script({ key: 'sk-another-upstream-key-wxyz' }, unauthorized());
  for (let n = 0; n < 6; n++) expect((await call()).status).toBe(200);
  const counted = await eventually(async () => (await read(`channelIds: [${twoKeys}]`)).keys);
  expect((await read('keyEndings: ["none"]')).keys).toEqual([]);
  expect((await read('keyEndings: ["wxyz"]')).keys).toHaveLength(1);
  expect(counted.map(({ last }) => [last.keyEnding, last.kind, last.status])).toEqual([['wxyz', 'REFUSED', 401]]);
});

it('stores many equal failures as few rows that stand for all of them', async () => {
  await site.query('DELETE FROM failed_attempts');
  await site.query(
    `INSERT INTO failed_attempts (at, request_id, user_id, channel_id, key_ending, model, kind, error, attempts)
       SELECT now(), 'r' || n, 1, ${twoKeys}, 'wxyz', 'gpt-4o', 'TIMEOUT', 'no response', 40 FROM generate_series(1, 3) n`,
  );
  const { keys, attempts } = await read(`channelIds: [${twoKeys}]`);
  expect(attempts).toHaveLength(3);
  expect(keys).toMatchObject([{ attempts: 120, last: { requestId: 'r3', status: null } }]);
});

it('is for those who may see channels, by user only for those who may see calls', async () => {
  const user = await site.invite(root);
  expect((await read('', user)).codes).toEqual(['INSUFFICIENT_PRIVILEGES', 'INSUFFICIENT_PRIVILEGES']);
  const reader = await operator(site, root, ['channels.read']);
  expect((await read('', reader)).codes).toEqual([]);
  expect((await read('userIds: [1]', reader)).codes).toEqual(['INSUFFICIENT_PRIVILEGES', 'INSUFFICIENT_PRIVILEGES']);
});

async function eventually<T>(ask: () => Promise<readonly T[]>): Promise<readonly T[]> {
  for (;;) {
    const found = await ask();
    if (found.length > 0) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
