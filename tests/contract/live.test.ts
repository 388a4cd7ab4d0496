import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { EventReader } from '../support/event-reader.js';
import { unauthorized } from '../support/upstream/faults.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { Site, type Answer, type Person } from './site.js';

let site: Site;
let upstream: Upstream;
let root: Person;
let user: Person;
let other: Person;
let key: string;
const readers: EventReader[] = [];

const channelKey = 'sk-planted-upstream-key';
const prompt = 'a planted question that nobody may read in a log';

beforeAll(async () => {
  [site, upstream] = await Promise.all([Site.open({ OUTBOUND_ALLOW: '127.0.0.1' }), startUpstream()]);
  root = await site.setUp();
  [user, other] = [await site.invite(root), await site.invite(root)];
  await site.graphql(
    root,
    `mutation { grantQuota(input: { userId: ${user.id}, amount: 5000000, idempotencyKey: "${randomUUID()}" }) { user { id } } }`,
  );
  const channel = {
    name: 'c',
    key: channelKey,
    models: 'gpt-4o,gpt-4o-mini',
    group: 'default',
    base_url: upstream.url,
  };
  await site.expectSuccess(root, 'POST', '/api/channel/', channel);
  const made = await site.expectSuccess(user, 'POST', '/api/token/', { name: 'mine', unlimited_quota: true });
  key = (made.body.data as { key: string }).key;
});
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
});
afterAll(() => Promise.all([site.stop(), upstream.stop()]));

function ask(model: string): Promise<Answer> {
  const body = { model, messages: [{ role: 'user', content: prompt }] };
  const headers = { authorization: `Bearer sk-${key}`, 'content-type': 'application/json' };
  return site.rest(null, 'POST', '/v1/chat/completions', body, headers);
}

async function call(model = 'gpt-4o'): Promise<void> {
  const answer = await ask(model);
  expect([answer.status, answer.body]).toEqual([200, expect.anything()]);
}

async function open(person: Person, query: string, variables = {}): Promise<EventReader> {
  const reader = await EventReader.open(site.server.url, person, query, variables);
  readers.push(reader);
  return reader;
}

interface Row {
  readonly id: number | string;
  readonly type: string;
  readonly userId: number;
  readonly modelName: string;
  readonly tokenName: string;
  readonly channelId: number | null;
  readonly channelName: string | null;
  readonly details: object;
}
const rowsOf = (reader: EventReader, field: string): Row[] =>
  reader.results.flatMap(({ data }) => (data?.[field] as { items: Row[] } | undefined)?.items ?? []);

const columns = 'id type tokenName modelName quota content details requestId';
const adminColumns = `${columns} userId username channelId channelName`;
const allLogs = `subscription ($filter: LogFilter) { logCreated(filter: $filter) { items { ${adminColumns} } missed } }`;
const ownLogs = `subscription ($filter: OwnLogFilter) { myLogCreated(filter: $filter) { items { ${columns} } missed } }`;
const balance = 'subscription { balanceChanged { quota usedQuota requestCount } }';
const channels =
  'subscription { channelChanged { items { id status lastTest { milliseconds } statusReason { reason at } } missed } }';

describe('log rows', () => {
  it('come to admins as they are written, whoever wrote them, and to an owner his own without what is not his', async () => {
    const [forRoot, mine, theirs] = await Promise.all([open(root, allLogs), open(user, ownLogs), open(other, ownLogs)]);
    await call();
    await forRoot.until((reader) => rowsOf(reader, 'logCreated').length === 1);
    await mine.until((reader) => rowsOf(reader, 'myLogCreated').length === 1);
    const [row] = rowsOf(forRoot, 'logCreated');
    expect(row).toMatchObject({
      type: 'CONSUME',
      userId: user.id,
      modelName: 'gpt-4o',
      tokenName: 'mine',
      channelName: 'c',
    });
    expect(row?.details).toHaveProperty('admin_info');
    const [own] = rowsOf(mine, 'myLogCreated');
    expect(own).toMatchObject({
      type: 'CONSUME',
      modelName: 'gpt-4o',
      details: { model_ratio: expect.any(Number) as number },
    });
    // The event has the id of the list, which differs from the row's id.
    const { data } = await site.graphql(user, '{ myLogs(pageSize: 1) { items { id } } }');
    expect(data?.['myLogs']).toEqual({ items: [{ id: own?.id }] });
    expect(String(own?.id)).not.toBe(String(row?.id));
    expect(own?.details).not.toHaveProperty('admin_info');

    // This row is not written by a settlement, so there is no signal, and the live query has to poll.
    await site.expectSuccess(root, 'POST', '/api/user/', { username: 'somebody', password: 'some password' });
    await forRoot.until((reader) => rowsOf(reader, 'logCreated').some(({ type }) => type !== 'CONSUME'));
    expect(rowsOf(theirs, 'myLogCreated')).toEqual([]);
    expect(rowsOf(mine, 'myLogCreated')).toHaveLength(1);
  });

  it('are filtered as the list is', async () => {
    const filters = [
      { models: ['gpt-4o'] },
      { models: ['gpt*mini'] },
      { username: user.username, types: ['CONSUME'] },
      { tokenName: 'nothing of that name' },
      { groups: ['default'], models: ['*'] },
      { channelIds: [999_999] },
    ];
    const open6 = await Promise.all(filters.map((filter) => open(root, allLogs, { filter })));
    await call('gpt-4o');
    await call('gpt-4o-mini');
    for (const [at, count] of [1, 1, 2, 0, 2, 0].entries()) {
      await open6[at]?.until((reader) => rowsOf(reader, 'logCreated').length === count);
    }
    // If a filter failed, other rows would arrive together with the expected ones.
    await delay(100);
    const models = open6.map((reader) => rowsOf(reader, 'logCreated').map(({ modelName }) => modelName));
    const both = ['gpt-4o', 'gpt-4o-mini'];
    expect(models).toEqual([['gpt-4o'], ['gpt-4o-mini'], both, [], both, []]);
  });

  it('hold neither what was said nor a key', async () => {
    const [all, own, channel] = await Promise.all([open(root, allLogs), open(user, ownLogs), open(root, channels)]);
    await call();
    const edit = { id: 1, name: 'renamed', key: 'sk-another-planted-key' };
    await site.expectSuccess(root, 'PUT', '/api/channel/', { ...edit, models: 'gpt-4o,gpt-4o-mini' });
    await all.until((reader) => rowsOf(reader, 'logCreated').length > 0);
    await own.until((reader) => rowsOf(reader, 'myLogCreated').length > 0);
    await channel.until(({ results }) => results.length > 0);
    const text = all.text + own.text + channel.text;
    for (const secret of [prompt, key, channelKey, 'sk-another-planted-key']) expect(text).not.toContain(secret);
  });

  it('that were written while nobody listened are in the list: a reader who comes back misses none', async () => {
    const first = await open(user, ownLogs);
    await call();
    await first.until((reader) => rowsOf(reader, 'myLogCreated').length === 1);
    first.close();
    const since = new Date(Date.now() - 1000).toISOString();
    await call();
    await call();
    const second = await open(user, ownLogs);
    await call();
    await second.until((reader) => rowsOf(reader, 'myLogCreated').length > 0);
    const ids = (rows: Array<{ requestId: string }>): string[] => rows.map(({ requestId }) => requestId);
    const { data } = await site.graphql(
      user,
      `{ myLogs(filter: { at: { from: "${since}" } }) { items { requestId } } }`,
    );
    const listed = ids((data?.['myLogs'] as { items: Array<{ requestId: string }> }).items);
    const seen = [first, second].flatMap((reader) => ids(rowsOf(reader, 'myLogCreated') as never));
    const all = await site.query<{ requestId: string }>(
      `SELECT request_id AS "requestId" FROM logs WHERE user_id = ${user.id} AND type = 2 ORDER BY id DESC LIMIT 4`,
    );
    expect(new Set([...listed, ...seen])).toEqual(new Set([...listed, ...ids(all)]));
    expect(seen).toHaveLength(2);
  });
});

describe('a balance', () => {
  it('is told at once, then whenever it moved, and never somebody else’s', async () => {
    const [mine, theirs] = await Promise.all([open(user, balance), open(other, balance)]);
    type Balance = { quota: number; usedQuota: number; requestCount: number };
    const told = (reader: EventReader): Balance[] =>
      reader.results.map(({ data }) => data?.['balanceChanged'] as Balance);
    await mine.until((reader) => told(reader).length > 0);
    await theirs.until((reader) => told(reader).length > 0);
    const before = told(mine)[0] as Balance;
    await call();
    await mine.until((reader) => (told(reader).at(-1)?.requestCount ?? 0) > before.requestCount);
    expect(told(mine).at(-1)?.quota).toBeLessThan(before.quota);
    const grant = `mutation { grantQuota(input: { userId: ${user.id}, amount: 77, idempotencyKey: "${randomUUID()}" }) { user { id } } }`;
    const now = told(mine).at(-1) as Balance;
    await site.graphql(root, grant);
    await mine.until((reader) => told(reader).at(-1)?.quota === now.quota + 77);
    expect(told(theirs)).toHaveLength(1);
  });
});

describe('channels', () => {
  type Channel = {
    id: number;
    status: string;
    lastTest: { milliseconds: number } | null;
    statusReason: { reason: string; at: string } | null;
  };
  const told = (reader: EventReader): Channel[] =>
    reader.results.flatMap(({ data }) => (data?.['channelChanged'] as { items: Channel[] }).items);

  it('tell their status, and what a test measured', async () => {
    const reader = await open(root, channels);
    await site.expectSuccess(root, 'GET', '/api/channel/test/1');
    await reader.until(() => told(reader).some(({ lastTest }) => (lastTest?.milliseconds ?? 0) > 0));
    await site.graphql(root, 'mutation { disableChannel(id: 1) { channel { id } } }');
    await reader.until(() => told(reader).at(-1)?.status === 'DISABLED');
    await site.graphql(root, 'mutation { enableChannel(id: 1) { channel { id } } }');
    await reader.until(() => told(reader).at(-1)?.status === 'ENABLED');
  });

  it('that go out of service by themselves say why and since when', async () => {
    upstream.script({ key: 'sk-refused' }, unauthorized());
    await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'AutomaticDisableChannelEnabled', value: 'true' });
    const refused = { name: 'refused', key: 'sk-refused', models: 'gpt-4', group: 'default', base_url: upstream.url };
    await site.expectSuccess(root, 'POST', '/api/channel/', refused);
    const reader = await open(root, channels);
    const before = Math.floor(Date.now() / 1000);
    expect((await ask('gpt-4')).status).toBe(401);
    await reader.until(() => told(reader).some(({ status }) => status === 'AUTO_DISABLED'));
    const why = told(reader).at(-1)?.statusReason;
    expect(why?.reason).toContain('Incorrect API key provided');
    expect(Date.parse(why?.at ?? '') / 1000).toBeGreaterThanOrEqual(before);
  });

  it('say that the list is to be read again where many changed at once, or one is gone', async () => {
    const reader = await open(root, channels);
    const missed = (): number =>
      reader.results.reduce((sum, { data }) => sum + (data?.['channelChanged'] as { missed: number }).missed, 0);
    const extra = { name: 'extra', key: 'k', models: 'm', group: 'default', base_url: upstream.url };
    await site.expectSuccess(root, 'POST', '/api/channel/', extra);
    const [row] = await site.query<{ id: number }>(`SELECT id FROM channels WHERE name = 'extra'`);
    await site.expectSuccess(root, 'DELETE', `/api/channel/${row?.id}`);
    await reader.until(() => missed() > 0);
  });
});
