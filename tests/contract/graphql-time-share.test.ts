import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { getIntrospectionQuery } from 'graphql';
import { eventually } from '../support/task-site.js';
import { Site, type Person } from './site.js';

/** Documents of one user leave time for all other work, however expensive they are. */
let site: Site;
let root: Person;
let user: Person;
let another: Person;

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  [user, another] = [await site.invite(root), await site.invite(root)];
});
afterAll(() => site.stop());

const me = '{ me { displayName } }';
// The rollups read the log, too.
const reading = `SELECT count(*)::int AS count FROM pg_locks l JOIN pg_stat_activity a USING (pid)
  WHERE l.relation = 'logs'::regclass AND NOT l.granted AND a.datname = current_database() AND a.query LIKE '%user_id = $1%'`;

/** Sends two documents of the user that read the log, whose table is locked until `release` is called. */
async function occupy(): Promise<{ readonly release: () => Promise<void> }> {
  const runner = site.server.dataSource.createQueryRunner();
  await runner.startTransaction();
  await runner.query('LOCK TABLE logs IN ACCESS EXCLUSIVE MODE');
  const slow = [1, 2].map(() => site.graphql(user, '{ myLogs { items { id } } }'));
  await eventually(
    async () => (await site.query<{ count: number }>(reading))[0]?.count,
    (count) => count === 2,
  );
  return {
    release: async () => {
      await runner.commitTransaction();
      await runner.release();
      for (const { codes } of await Promise.all(slow)) expect(codes).toEqual([]);
    },
  };
}

it('two of a user run at once, and those of others do not wait for them', async () => {
  const { release } = await occupy();
  let isAnswered = false;
  const third = site.graphql(user, me).then(({ codes }) => {
    isAnswered = true;
    return codes;
  });
  for (const other of [root, another, root, another]) expect((await site.graphql(other, me)).codes).toEqual([]);
  expect(isAnswered).toBe(false);
  await release();
  expect(await third).toEqual([]);
});

it('many root fields of a document keep one connection to the database busy', async () => {
  const runner = site.server.dataSource.createQueryRunner();
  await runner.startTransaction();
  await runner.query('LOCK TABLE logs IN ACCESS EXCLUSIVE MODE');
  const fields = Array.from({ length: 8 }, (_, index) => `f${index}: myLogs { items { id } }`);
  const answer = site.graphql(user, `{ ${fields.join(' ')} }`);
  await eventually(
    async () => (await site.query<{ count: number }>(reading))[0]?.count,
    (count) => count === 1,
  );
  // All others would be waiting, too.
  await sleep(300);
  expect((await site.query<{ count: number }>(reading))[0]?.count).toBe(1);
  await runner.commitTransaction();
  await runner.release();
  expect((await answer).codes).toEqual([]);
});

it('one whose client has left does not run', async () => {
  const { release } = await occupy();
  const aborter = new AbortController();
  const left = fetch(`${site.server.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie: user.cookie, 'veloera-user': String(user.id) },
    body: JSON.stringify({ query: 'mutation { updateMe(input: { displayName: "gone" }) { __typename } }' }),
    signal: aborter.signal,
  });
  const behind = site.graphql(user, me);
  expect((await site.graphql(another, me)).codes).toEqual([]);
  aborter.abort();
  await expect(left).rejects.toThrow();
  await release();
  expect((await behind).text).not.toContain('gone');
  expect((await site.graphql(user, me)).text).not.toContain('gone');
});

it.each([
  // A megabyte counts 60 ms, a short document 20, and a user may take two seconds at once: the next ones wait for the share,
  // which is tiny here.
  ['a megabyte', `{ ${'a '.repeat(500_000)}}`, 35],
  ['a short one', me, 102],
])('documents of a spent budget wait for the share: %s', async (_, document, most) => {
  const small = await Site.open({ GLOBAL_API_RATE_LIMIT_ENABLE: 'false', GRAPHQL_COST_PER_MINUTE: '600' });
  let refused = 0;
  const connection = async (spender: Person): Promise<void> => {
    for (;;) if ((await small.graphql(spender, document)).codes.includes('RATE_LIMITED')) refused += 1;
  };
  try {
    const admin = await small.setUp();
    const spender = await small.invite(admin);
    // The budget is spent by few documents: on a slow machine many would use up the share before.
    for (let index = 0; index < 2; index++) await small.graphql(spender, getIntrospectionQuery());
    // The connections end with the site.
    for (let index = 0; index < 4; index++) connection(spender).catch(() => undefined);
    for (let before = -1; before < refused || refused === 0;) {
      before = refused;
      for (let index = 0; index < 50; index++) expect((await small.graphql(admin, me)).text).toContain('{');
      await sleep(1000);
    }
    expect(refused).toBeLessThanOrEqual(most);
  } finally {
    await small.stop();
  }
});

it('a body without a stated length that a spent budget refuses is not received', async () => {
  const small = await Site.open({ GLOBAL_API_RATE_LIMIT_ENABLE: 'false', GRAPHQL_COST_PER_MINUTE: '600' });
  try {
    const { cookie, id } = await small.invite(await small.setUp());
    const headers = { 'content-type': 'application/json', cookie, 'veloera-user': String(id) };
    // It may have no end, and costs as much as the longest.
    const endless = request(`${small.server.url}/graphql`, { method: 'POST', headers });
    // The connection may be closed before the client reads the response.
    const ended = new Promise((resolve) => {
      endless.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
      endless.on('response', (response: IncomingMessage) => {
        response.resume();
        resolve([response.statusCode, response.headers.connection]);
      });
    });
    const writing = setInterval(() => endless.write('a '.repeat(10_000)), 10);
    endless.once('close', () => clearInterval(writing));
    expect([[429, 'close'], 'EPIPE', 'ECONNRESET']).toContainEqual(await ended);
    if (!endless.closed) await once(endless, 'close');
  } finally {
    await small.stop();
  }
});
