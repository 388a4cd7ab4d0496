import { randomUUID } from 'node:crypto';
import { createClient } from 'graphql-sse';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createTestDatabase } from '../support/database.js';
import { EventReader } from '../support/event-reader.js';
import { findRedis } from '../support/services/redis.js';
import { rootPassword, Site, type Person } from './site.js';

let site: Site;
let root: Person;
let user: Person;
const readers: EventReader[] = [];

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  user = await site.invite(root);
});
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
});
afterAll(() => site.stop());

const balance = 'subscription { balanceChanged { quota } }';
const allLogs = 'subscription { logCreated { items { id content username } missed } }';

async function open(person: Person | null, query: string, more: { at?: Site; headers?: Record<string, string> } = {}) {
  const reader = await EventReader.open((more.at ?? site).server.url, person, query, {}, more.headers);
  readers.push(reader);
  return reader;
}

/** Returns the last message of an ended stream. */
async function lastWords(reader: EventReader): Promise<string[]> {
  await reader.until(({ closed }) => closed);
  expect(reader.completed).toBe(true);
  return reader.codes;
}

const addLog = (count = 1, content = 'planted'): Promise<unknown> =>
  site.query(
    `INSERT INTO logs (created_at, type, user_id, username, content)
     SELECT extract(epoch FROM now())::bigint, 4, $1, $2, $3 || n FROM generate_series(1, $4) n`,
    [user.id, user.username, content, count],
  );

it('names the address of streams where a subscription is sent to the other one', async () => {
  const { codes, text } = await site.graphql(user, balance);
  expect([codes, text]).toEqual([['BAD_REQUEST'], expect.stringContaining('/graphql/stream')]);
});

describe('the wire', () => {
  it('is the one of graphql-sse: its own client reads it', async () => {
    const client = createClient({
      url: `${site.server.url}/graphql/stream`,
      headers: { cookie: user.cookie, 'veloera-user': String(user.id) },
      retryAttempts: 0,
    });
    const results = client.iterate({ query: balance });
    const first = await results.next();
    expect(first.value).toMatchObject({ data: { balanceChanged: { quota: expect.any(Number) as number } } });
    await results.return?.();
    const refused = client.iterate({ query: allLogs });
    expect((await refused.next()).value).toMatchObject({
      errors: [{ extensions: { code: 'INSUFFICIENT_PRIVILEGES' } }],
    });
    expect((await refused.next()).done).toBe(true);
  });

  it('is open before anything happens, never stored, and passed on at once', async () => {
    const headers = { cookie: root.cookie, 'veloera-user': String(root.id), 'content-type': 'application/json' };
    const aborter = new AbortController();
    const response = await fetch(`${site.server.url}/graphql/stream`, {
      method: 'POST',
      headers: { ...headers, accept: 'text/event-stream' },
      body: JSON.stringify({ query: allLogs }),
      signal: aborter.signal,
    });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-oneapi-request-id': expect.stringMatching(/./) as string,
    });
    aborter.abort();
  });

  it.each<[string, string, string]>([
    ['a query', '{ me { id } }', 'BAD_REQUEST'],
    ['a mutation', 'mutation { logout { wasSignedIn } }', 'BAD_REQUEST'],
    ['what is no document', 'subscription {', 'GRAPHQL_PARSE_FAILED'],
    ['a field that is not there', 'subscription { nothing }', 'GRAPHQL_VALIDATION_FAILED'],
    [
      'two subscriptions at once',
      'subscription { balanceChanged { quota } logCreated { missed } }',
      'GRAPHQL_VALIDATION_FAILED',
    ],
    ['too many tokens', `subscription { balanceChanged { ${'quota '.repeat(3100)} } }`, 'GRAPHQL_PARSE_FAILED'],
    [
      'too many aliases',
      `subscription { balanceChanged { ${Array.from({ length: 20 }, (_, n) => `a${n}: quota`).join(' ')} } }`,
      'GRAPHQL_VALIDATION_FAILED',
    ],
    [
      'a variable that is wrong',
      'subscription ($f: OwnLogFilter!) { myLogCreated(filter: $f) { missed } }',
      'BAD_USER_INPUT',
    ],
  ])('refuses %s with its code', async (_name, query, code) => {
    const reader = await open(user, query);
    expect(await lastWords(reader)).toContain(code);
  });

  it('refuses a name that is repeated too often, before it is validated', async () => {
    const query = `subscription { balanceChanged { ${'quota '.repeat(101)} } }`;
    const answer = await site.graphql(user, query, {}, { accept: 'text/event-stream' });
    expect(answer.codes).toEqual(['INVALID_INPUT']);
    expect(answer.text).toContain('names quota more than 100 times');
  });

  it('refuses what costs more than an operation may, for as many rows as one delivery may hold', async () => {
    const tokens = (selection: string): string => `tokens(pageSize: 100) { items { ${selection} } }`;
    const ask = (selection: string): string =>
      `subscription { myLogCreated { items { token { user { ${selection} } } } } }`;
    for (const query of [ask(tokens(`user { ${tokens('id')} }`)), ask(tokens('usage { quota }'))]) {
      expect(await lastWords(await open(user, query))).toEqual(['QUERY_TOO_EXPENSIVE']);
    }
    const reader = await open(user, ask('username'));
    await addLog();
    await reader.until(({ results }) => results.length > 0);
    expect(reader.codes).toEqual([]);
  });

  it('asks for JSON, for a reader of events, and for a caller of our own page', async () => {
    const post = (headers: Record<string, string>, body: string) =>
      site.rest(user, 'POST', '/graphql/stream', body, headers);
    const json = { 'content-type': 'application/json' };
    const events = { accept: 'text/event-stream' };
    const ask = JSON.stringify({ query: balance });
    expect((await post(json, ask)).status).toBe(400);
    // A page of another site may send only this content type without a preflight.
    expect((await post({ ...events, 'content-type': 'text/plain' }, ask)).status).toBe(400);
    expect((await post({ ...events, ...json }, '{')).status).toBe(400);
    expect((await post({ ...events, ...json }, '{"query":7}')).status).toBe(400);
    expect((await post({ ...events, ...json }, JSON.stringify({ query: 'x'.repeat(70_000) }))).status).toBe(413);
    expect((await site.rest(user, 'GET', '/graphql/stream', undefined, events)).status).toBe(404);
    const forged = await open(null, balance, { headers: { cookie: user.cookie } });
    expect(await lastWords(forged)).toEqual(['USER_ID_MISMATCH']);
  });
});

describe('who may', () => {
  const forAdmins = ['logCreated', 'channelChanged', 'drawingChanged', 'creativeTaskChanged'];
  const forOwners = ['myLogCreated', 'myDrawingChanged', 'myCreativeTaskChanged'];

  it('is everything for admins, one’s own for users, and nothing for strangers', async () => {
    const codes = async (person: Person | null, field: string): Promise<string[]> =>
      lastWords(await open(person, `subscription { ${field} { missed } }`));
    for (const field of forAdmins) expect(await codes(user, field)).toEqual(['INSUFFICIENT_PRIVILEGES']);
    for (const field of [...forAdmins, ...forOwners]) expect(await codes(null, field)).toEqual(['NOT_SIGNED_IN']);
    expect(await lastWords(await open(null, balance))).toEqual(['NOT_SIGNED_IN']);
    for (const field of forOwners) {
      const reader = await open(user, `subscription { ${field} { missed } }`);
      await reader.until(({ text }) => text !== '');
      expect([reader.closed, reader.codes]).toEqual([false, []]);
    }
  });
});

describe('a stream ends at once', () => {
  const endsWith = async (reader: EventReader, act: () => Promise<unknown>, code: string): Promise<void> => {
    await reader.until(({ text }) => text !== '');
    await act();
    expect(await lastWords(reader)).toEqual([code]);
  };

  it('when its session is revoked', async () => {
    const person = await site.invite(root);
    const elsewhere = await site.signIn(person.username, person.password);
    const reader = await open(elsewhere, balance);
    const kept = await open(person, balance);
    await endsWith(reader, () => site.graphql(person, 'mutation { revokeOtherSessions { count } }'), 'NOT_SIGNED_IN');
    expect([kept.closed, kept.codes]).toEqual([false, []]);
  });

  it('when its user signs out', async () => {
    const person = await site.signIn('root', rootPassword);
    await endsWith(
      await open(person, allLogs),
      () => site.graphql(person, 'mutation { logout { wasSignedIn } }'),
      'NOT_SIGNED_IN',
    );
  });

  it('when its user is banned', async () => {
    const person = await site.invite(root);
    const ban = `mutation { banUser(id: ${person.id}) { user { id } } }`;
    const reader = await open(person, balance);
    await reader.until(({ text }) => text !== '');
    await site.graphql(root, ban);
    const [code] = await lastWords(reader);
    expect(['USER_BANNED', 'NOT_SIGNED_IN']).toContain(code);
  });

  it('when its user is demoted, and then says nothing more', async () => {
    const admin = await site.invite(root, 'admin');
    const reader = await open(admin, allLogs);
    const demote = `mutation { demoteUser(id: ${admin.id}) { user { id } } }`;
    await reader.until(({ text }) => text !== '');
    await site.graphql(root, demote);
    const [code] = await lastWords(reader);
    expect(['INSUFFICIENT_PRIVILEGES', 'NOT_SIGNED_IN']).toContain(code);
    const { length } = reader.text;
    await addLog();
    await delay(500);
    expect(reader.text).toHaveLength(length);
  });

  it('when its access token is renewed', async () => {
    const { data } = await site.graphql(user, 'mutation { renewAccessToken { accessToken } }');
    const headers = {
      authorization: `Bearer ${(data?.['renewAccessToken'] as { accessToken: string }).accessToken}`,
      'veloera-user': String(user.id),
    };
    const reader = await open(null, balance, { headers });
    await endsWith(
      reader,
      () => site.graphql(user, 'mutation { renewAccessToken { accessToken } }'),
      'INVALID_ACCESS_TOKEN',
    );
  });
});

describe('bounds', () => {
  it('a user has at most twenty open, and gets room when one of them is gone', async () => {
    const person = await site.invite(root);
    const many = await Promise.all(Array.from({ length: 20 }, () => open(person, balance)));
    await Promise.all(many.map((reader) => reader.until(({ text }) => text !== '')));
    expect(await lastWords(await open(person, balance))).toEqual(['RATE_LIMITED']);
    const another = await open(user, balance);
    await another.until(({ results }) => results.length > 0);
    many[0]?.close();
    // The server notices the closed connections some time later.
    const codes = async (): Promise<string[]> => {
      const again = await open(person, balance);
      await again.until(({ results }) => results.length > 0);
      return again.codes;
    };
    for (;;) {
      const [refused] = await codes();
      if (refused === undefined) break;
      expect(refused).toBe('RATE_LIMITED');
      await delay(20);
    }
  });

  it('a reader who does not read loses the oldest, is told how many, and costs no memory', async () => {
    const { port } = new URL(site.server.url);
    const body = JSON.stringify({ query: allLogs });
    const socket = connect({ port: Number(port), host: '127.0.0.1' });
    socket.write(
      `POST /graphql/stream HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\naccept: text/event-stream\r\n` +
        `cookie: ${root.cookie}\r\nveloera-user: ${root.id}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await new Promise<void>((resolve) => socket.once('data', () => resolve()));
    socket.pause();
    const quick = await open(root, allLogs);
    await quick.until(({ text }) => text !== '');
    // The rows are larger than all buffers of sockets.
    for (let round = 0; round < 24; round++) {
      await addLog(200, `${'x'.repeat(4000)} ${round} `);
      await delay(300);
    }
    const count = (text: string): number => text.match(/"username"/g)?.length ?? 0;
    const missed = (text: string): number =>
      [...text.matchAll(/"missed":(\d+)/g)].reduce((sum, [, number]) => sum + Number(number), 0);
    await quick.until(({ text }) => count(text) + missed(text) === 4800);
    let text = '';
    socket.setEncoding('utf8').on('data', (part: string) => (text += part));
    socket.resume();
    for (let tries = 0; tries < 400 && count(text) + missed(text) < 4800; tries++) await delay(100);
    socket.destroy();
    expect(missed(text)).toBeGreaterThan(0);
    expect(count(text) + missed(text)).toBe(4800);
    // The newest rows are present, the oldest are not.
    expect(text).toContain(' 23 200"');
  });

  it('a server that stops says so to each of them', async () => {
    const short = await Site.open();
    const person = await short.setUp();
    const reader = await open(person, balance, { at: short });
    await reader.until(({ text }) => text !== '');
    await short.stop();
    expect(await lastWords(reader)).toEqual(['SERVICE_UNAVAILABLE']);
  });
});

describe('two nodes', () => {
  it('tell each other what happened, and end each other’s streams', async () => {
    const redis = await findRedis();
    if (!redis) {
      // Outside CI a machine may have no Redis, which `npm test` reports in its first lines; in CI that is a failure.
      expect(process.env.CI).toBeUndefined();
      return;
    }
    const database = await createTestDatabase();
    const prefix = `nodes-${randomUUID()}:`;
    const environment = { DATABASE_URL: database.url, REDIS_URL: redis.url, REDIS_KEY_PREFIX: prefix };
    const one = await Site.open(environment);
    const two = await Site.open(environment);
    try {
      const admin = await one.setUp();
      const person = await one.invite(admin);
      const there = await open(person, balance, { at: two });
      const logs = await open(admin, 'subscription { logCreated { items { type username } missed } }', { at: two });
      const channels = await open(admin, 'subscription { channelChanged { items { name } missed } }', { at: two });
      await there.until(({ results }) => results.length === 1);
      await logs.until(({ text }) => text !== '');
      await channels.until(({ text }) => text !== '');
      await one.graphql(
        admin,
        `mutation { grantQuota(input: { userId: ${person.id}, amount: 1234, idempotencyKey: "${randomUUID()}" }) { user { id } } }`,
      );
      // Without a signal, a node reads all balances later than this.
      await there.until(({ results }) => results.length === 2, 8000);
      await logs.until(({ text }) => text.includes('"username"'));
      const channel = { name: 'seen from afar', key: 'k', models: 'm', group: 'default' };
      await one.expectSuccess(admin, 'POST', '/api/channel/', channel);
      await channels.until(({ text }) => text.includes('seen from afar'));
      await one.graphql(person, 'mutation { logout { wasSignedIn } }');
      expect(await lastWords(there)).toEqual(['NOT_SIGNED_IN']);
    } finally {
      await two.stop();
      await one.stop();
      await database.drop();
      await redis.stop();
    }
  });
});
