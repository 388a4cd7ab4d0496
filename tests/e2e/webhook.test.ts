import { createHmac } from 'node:crypto';
import pg from 'pg';
import type { Person } from '../support/api.js';
import { secondWithinHour } from '../support/hours.js';
import { spawnServer, type SpawnedServer } from '../support/server.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { receiverCertificate, startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.js';
import { buildServer, sleep } from './boot-support.js';

/** From a charged call to the user's https server, without test doubles in between. */

jest.setTimeout(240_000);

const environment = {
  NODE_EXTRA_CA_CERTS: receiverCertificate,
  OUTBOUND_ALLOW: '127.0.0.1',
  NOTIFY_LIMIT_COUNT: '1',
  TRUSTED_PROXIES: '127.0.0.1',
};
const secret = 'planted-webhook-word';
let server: SpawnedServer;
let receiver: WebhookReceiver;
let elsewhere: WebhookReceiver;
let upstream: Upstream;
let pool: pg.Pool;
let root: Person;

beforeAll(async () => {
  buildServer();
  [receiver, elsewhere, upstream] = await Promise.all([
    startWebhookReceiver(),
    startWebhookReceiver('127.0.0.2'),
    startUpstream(),
  ]);
  server = await spawnServer({ environment });
  pool = new pg.Pool({ connectionString: server.database.url, max: 2 });
  root = await server.api.setUp();
  await server.api.createChannel(root, { baseUrl: upstream.url, models: ['gpt-4o'] });
  await server.api.data(root, 'PUT', '/api/option/', { key: 'ServerAddress', value: 'https://gate.example' });
});
afterAll(async () => {
  await pool.end();
  await Promise.all([server.stop(), receiver.stop(), elsewhere.stop(), upstream.stop()]);
});

interface Customer extends Person {
  /** The webhook's path is the user's name. */
  readonly hooks: () => WebhookReceiver['hooks'];
  call(): Promise<void>;
}

/** A user with a quota of one million and a warning threshold of two million. */
async function customer(name: string): Promise<Customer> {
  await server.api.data(root, 'POST', '/api/user/', { username: name, password: 'a good password' });
  const address = `10.1.2.${Math.floor(Math.random() * 250)}`;
  const person = await server.api.signIn(name, 'a good password', { 'x-forwarded-for': address });
  await server.api.data(root, 'PUT', '/api/user/', { id: person.id, quota_delta: 1_000_000 });
  const { key } = await server.api.createToken(person);
  await server.api.data(person, 'PUT', '/api/user/setting', {
    notify_type: 'webhook',
    quota_warning_threshold: 2_000_000,
    webhook_secret: secret,
    webhook_url: `${receiver.url}/${name}`,
  });
  return {
    ...person,
    hooks: () => receiver.hooks.filter(({ path }) => path === `/${name}`),
    async call() {
      const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] };
      const answer = await server.api.relay(key, '/v1/chat/completions', body);
      expect(answer.status).toBe(200);
      await answer.arrayBuffer();
    },
  };
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(50);
}

const waiting = async (userId: number): Promise<number> =>
  (await pool.query('SELECT 1 FROM notices WHERE user_id = $1', [userId])).rowCount ?? 0;

it('brings a warning, signed over its very bytes and with the bearer word', async () => {
  const begun = Date.now() / 1000;
  const alice = await customer('alice');
  await alice.call();
  await until(() => alice.hooks().length > 0);
  const [hook] = alice.hooks();
  expect(hook).toMatchObject({
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${secret}`,
      'x-webhook-signature': createHmac('sha256', secret)
        .update(hook?.body ?? '')
        .digest('hex'),
    },
  });
  const body = JSON.parse(hook?.body ?? '') as { timestamp: number };
  expect(body).toEqual({
    type: 'quota_exceed',
    title: 'Your quota is running out',
    timestamp: expect.any(Number),
    content: expect.stringMatching(/\$1\.\d{6} quota is left.*https:\/\/gate\.example\/topup$/),
    values: [expect.stringMatching(/^\$1\.\d{6} quota$/), 'https://gate.example/topup'],
  });
  expect([body.timestamp >= begun - 1, body.timestamp <= Date.now() / 1000]).toEqual([true, true]);
  await until(async () => (await waiting(alice.id)) === 0);
});

it('tries three times with pauses that grow, and then no more; the limit keeps the next notice back', async () => {
  // The limit counts within an hour of the clock.
  secondWithinHour(60);
  const [bob, carol] = [await customer('bob'), await customer('carol')];
  receiver.answer = ({ path }) => {
    if (path === '/bob') return { status: 500 };
    return { status: path === '/carol' && carol.hooks().length < 3 ? 503 : 204 };
  };
  await Promise.all([bob.call(), carol.call()]);
  await until(() => bob.hooks().length === 3 && carol.hooks().length === 3);
  const [first = 0, second = 0, third = 0] = bob.hooks().map(({ at }) => at);
  expect(second - first).toBeGreaterThanOrEqual(2000);
  expect(third - second).toBeGreaterThanOrEqual(10_000);
  expect(new Set(bob.hooks().map(({ body }) => (JSON.parse(body) as { content: string }).content)).size).toBe(1);
  await until(async () => (await waiting(bob.id)) + (await waiting(carol.id)) === 0);
  // The wait is long enough for the node to check the balance again: this site allows one notice.
  await Promise.all([bob.call(), carol.call()]);
  await sleep(3000);
  expect([bob.hooks().length, carol.hooks().length]).toEqual([3, 3]);
  receiver.answer = () => ({ status: 204 });
  expect(server.logLines().join('\n')).not.toContain(secret);
});

it('follows no redirect, and reaches no address that is closed, whatever is stored', async () => {
  const [dan, eve] = [await customer('dan'), await customer('eve')];
  receiver.answer = () => ({ status: 307, headers: { location: `${receiver.url}/followed` } });
  const stored = { notifyType: 'webhook', quotaWarningThreshold: 2_000_000, webhookUrl: `${elsewhere.url}/eve` };
  await pool.query('UPDATE users SET setting = $1 WHERE id = $2', [JSON.stringify(stored), eve.id]);
  await Promise.all([dan.call(), eve.call()]);
  await until(() => dan.hooks().length > 1);
  await until(async () => {
    const { rows } = await pool.query<{ tries: number }>('SELECT tries FROM notices WHERE user_id = $1', [eve.id]);
    return (rows[0]?.tries ?? 0) > 1;
  });
  expect(receiver.hooks.filter(({ path }) => path === '/followed')).toEqual([]);
  expect(elsewhere.hooks).toEqual([]);
  receiver.answer = () => ({ status: 204 });
});

it('loses no try when its node is killed: the next one takes it up', async () => {
  const fay = await customer('fay');
  receiver.answer = ({ path }) => ({ status: path === '/fay' ? 500 : 204 });
  await fay.call();
  // The second attempt has failed, and the third follows in ten seconds.
  await until(async () => {
    const { rows } = await pool.query<{ due: number }>(
      'SELECT extract(epoch FROM due_at - now())::float AS due FROM notices WHERE user_id = $1 AND tries = 2',
      [fay.id],
    );
    return (rows[0]?.due ?? 60) <= 10;
  });
  await server.kill();
  expect(fay.hooks()).toHaveLength(2);
  receiver.answer = () => ({ status: 204 });
  const before = server;
  server = await spawnServer({ environment, database: before.database });
  await until(() => fay.hooks().length === 3);
  await until(async () => (await waiting(fay.id)) === 0);
  const [first, , third] = fay.hooks();
  expect(JSON.parse(third?.body ?? '')).toMatchObject({
    content: (JSON.parse(first?.body ?? '') as { content: string }).content,
  });
  // The first server owns the database and drops it.
  const second = server;
  server = { ...before, stop: () => second.stop().then(() => before.stop()) };
});
