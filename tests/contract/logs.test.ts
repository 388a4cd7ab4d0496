import { entities } from '../../server/src/compose/entities.js';
import { createDataSource } from '../../server/src/platform/db/data-source.js';
import { Aggregator } from '../../server/src/billing/rollups/aggregator.js';
import { Site, type Answer, type Person } from './site.js';

interface Row {
  readonly createdAt: number;
  readonly userId: number;
  readonly username: string;
  readonly type?: number;
  readonly tokenId?: number;
  readonly tokenName?: string;
  readonly channelId?: number;
  readonly model?: string;
  readonly group?: string;
  readonly quota?: number;
  readonly prompt?: number;
  readonly completion?: number;
  readonly other?: string;
  readonly content?: string;
}

type WireLog = Record<string, unknown> & { id: number; content: string };

let site: Site;
let root: Person;
let admin: Person;
let alice: Person;
let bob: Person;
let sequence = 0;

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  admin = await site.invite(root, 'admin');
  alice = await site.invite(root);
  bob = await site.invite(root);
});
afterAll(() => site.stop());
beforeEach(async () => {
  await site.query('DELETE FROM logs');
  await site.query('DELETE FROM usage_hourly');
  await site.query('DELETE FROM channels');
  await site.query('UPDATE log_state SET trimmed_before = 0');
});

/** Runs the aggregation that the server runs periodically. */
async function fold(): Promise<void> {
  const database = await createDataSource(site.server.database.url, 2, entities).initialize();
  await new Aggregator(database, 60_000).run();
  await database.destroy();
}
const now = (): number => Math.floor(Date.now() / 1000);
const hour = 3600;

/** Writes rows as settlements do: the log and the hourly usage together. */
async function settled(...rows: Row[]): Promise<void> {
  for (const row of rows) {
    const { type = 2, tokenId = 1, tokenName = 'dev', channelId = 1, model = 'gpt-4o', group = 'default' } = row;
    const { quota = 0, prompt = 0, completion = 0, other = '', content = '' } = row;
    await site.query(
      `INSERT INTO logs (created_at, request_id, type, user_id, username, token_id, token_name, channel_id, model_name,
         "group", quota, prompt_tokens, completion_tokens, use_time, is_stream, content, other)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 2, true, $14, $15)`,
      [
        ...[
          row.createdAt,
          type === 2 ? `request-${sequence++}` : '',
          type,
          row.userId,
          row.username,
          tokenId,
          tokenName,
        ],
        ...[channelId, model, group, quota, prompt, completion, content, other],
      ],
    );
    if (type !== 2) continue;
    await site.query(
      `INSERT INTO usage_hourly AS h (hour, user_id, token_id, channel_id, model_name, "group", calls, prompt_tokens,
         completion_tokens, quota, logged_calls, logged_quota)
       VALUES ($1, $2, $3, $4, $5, $6, 1, $7, $8, $9, 1, $9)
       ON CONFLICT (hour, user_id, token_id, channel_id, model_name, "group") DO UPDATE SET calls = h.calls + 1,
         prompt_tokens = h.prompt_tokens + excluded.prompt_tokens, quota = h.quota + excluded.quota,
         completion_tokens = h.completion_tokens + excluded.completion_tokens, logged_calls = h.logged_calls + 1,
         logged_quota = h.logged_quota + excluded.logged_quota`,
      [row.createdAt - (row.createdAt % hour), row.userId, tokenId, channelId, model, group, prompt, completion, quota],
    );
  }
}

const of = (person: Person, createdAt: number, more: Partial<Row> = {}): Row => ({
  createdAt,
  userId: person.id,
  username: person.username,
  ...more,
});

const items = (answer: Answer): WireLog[] => (answer.body.data as { items: WireLog[] }).items;
const contents = async (person: Person, path: string): Promise<string[]> =>
  items(await site.rest(person, 'GET', path)).map(({ content }) => content);

describe('the list', () => {
  it('has every key, the channel by name, newest first, and pages from 1', async () => {
    await site.query(
      `INSERT INTO channels (id, type, name, key_sealed) VALUES (31, 1, 'main', 'v1.x'), (32, 1, 'b', 'v1.x')`,
    );
    const at = now() - 1000;
    await settled(
      of(alice, at, { content: 'first', channelId: 31, quota: 150, prompt: 20, completion: 25, other: '{"frt":1}' }),
      of(bob, at, { content: 'second', channelId: 99 }),
      of(alice, at + 1, { content: 'third', channelId: 32, type: 4 }),
    );
    const answer = await site.rest(admin, 'GET', '/api/log/?page_size=2');
    expect(answer.body).toMatchObject({
      success: true,
      message: '',
      data: {
        total: 3,
        total_capped: false,
        page: 1,
        page_size: 2,
        items: [{ content: 'third' }, { content: 'second' }],
      },
    });
    expect(items(answer)[1]).toMatchObject({ channel: 99, channel_name: '' });
    const second = await site.rest(admin, 'GET', '/api/log?p=2&page_size=2');
    expect(items(second)).toEqual([
      {
        id: expect.any(Number) as number,
        user_id: alice.id,
        created_at: at,
        type: 2,
        content: 'first',
        username: alice.username,
        token_name: 'dev',
        model_name: 'gpt-4o',
        quota: 150,
        prompt_tokens: 20,
        completion_tokens: 25,
        use_time: 2,
        is_stream: true,
        channel: 31,
        channel_name: 'main',
        token_id: 1,
        group: 'default',
        request_id: expect.stringMatching(/^request-/) as string,
        ip: '',
        other: '{"frt":1}',
      },
    ]);
    const empty = await site.rest(admin, 'GET', '/api/log/?p=0&page_size=-5&type=NaN');
    expect(empty.body.data).toMatchObject({ page: 1, page_size: 10, total: 3 });
    expect((await site.rest(admin, 'GET', '/api/log/?p=9')).body.data).toMatchObject({ items: [], total: 3, page: 9 });
    expect((await site.rest(admin, 'GET', '/api/log/?page_size=1000')).body.data).toMatchObject({ page_size: 100 });
  });

  it('takes every filter, alone and together', async () => {
    const at = now() - 1000;
    await settled(
      of(alice, at, { content: 'a', model: 'gpt-4o', tokenName: 'one', channelId: 5, group: 'vip' }),
      of(bob, at + 10, { content: 'b', model: 'gpt-4o-mini', tokenName: 'two', channelId: 6 }),
      of(alice, at + 20, { content: 'c', model: 'claude_3', tokenName: 'two', channelId: 5, type: 3 }),
    );
    const list = (query: string): Promise<string[]> => contents(admin, `/api/log/?${query}`);
    expect(await list('type=3')).toEqual(['c']);
    expect(await list('type=0')).toEqual(['c', 'b', 'a']);
    expect(await list(`username=${alice.username}`)).toEqual(['c', 'a']);
    expect(await list('username=nobody')).toEqual([]);
    expect(await list('token_name=two')).toEqual(['c', 'b']);
    expect(await list('channel=5')).toEqual(['c', 'a']);
    expect(await list('group=vip')).toEqual(['a']);
    const [asked] = await site.query<{ request_id: string }>("SELECT request_id FROM logs WHERE content = 'b'");
    expect(asked?.request_id).not.toBe('');
    expect(await list(`request_id=${asked?.request_id ?? ''}`)).toEqual(['b']);
    expect(await list(`start_timestamp=${at + 10}&end_timestamp=${at + 10}`)).toEqual(['b']);
    expect(await list(`start_timestamp=${at + 11}`)).toEqual(['c']);
    expect(await list(`end_timestamp=${at}&channel=5&group=vip&type=2`)).toEqual(['a']);
    // The name of a model is literal, except for the star, and the percent sign of the old clients.
    expect(await list('model_name=gpt-4o')).toEqual(['a']);
    expect(await list('model_name=gpt*')).toEqual(['b', 'a']);
    expect(await list('model_name=*mini')).toEqual(['b']);
    expect(await list('model_name=*')).toEqual(['c', 'b', 'a']);
    expect(await list('model_name=gpt%25')).toEqual(['b', 'a']);
    expect(await list('model_name=%25mini')).toEqual(['b']);
    expect(await list('model_name=%25-4o%25')).toEqual(['b', 'a']);
    expect(await list('model_name=gpt-4o-%25&type=2&channel=6')).toEqual(['b']);
    expect(await list('model_name=claude_*')).toEqual(['c']);
    expect(await list('model_name=claude%3F*')).toEqual([]);
    expect(await list('model_name=gpt_4*')).toEqual([]);
    await site.query("UPDATE logs SET type = 2, quota = CASE content WHEN 'a' THEN 10 WHEN 'b' THEN 20 ELSE 30 END");
    expect(await list('min_quota=20')).toEqual(['c', 'b']);
    expect(await list('max_quota=20')).toEqual(['b', 'a']);
    expect(await list('min_quota=11&max_quota=29&group=default')).toEqual(['b']);
    expect(await list('min_quota=0&max_quota=0')).toEqual(['c', 'b', 'a']);
    // The quota of a top-up, a grant, a bonus or a check-in is not a cost.
    for (const type of [1, 3, 4, 5]) {
      await site.query(`UPDATE logs SET type = $1 WHERE content = 'b'`, [type]);
      expect([type, await list('min_quota=20'), await list('max_quota=20')]).toEqual([type, ['c'], ['a']]);
      expect(await list(`type=${type}&max_quota=20`)).toEqual(['b']);
      expect(await list('type=0')).toEqual(['c', 'b', 'a']);
    }
  });

  it('takes the percent sign for own rows and sums, too', async () => {
    await settled(
      of(alice, now(), { content: 'a', model: 'gpt-4o', quota: 150 }),
      of(alice, now(), { content: 'b', model: 'claude-3', quota: 7 }),
    );
    expect(await contents(alice, '/api/log/self?model_name=gpt%25')).toEqual(['a']);
    for (const path of ['/api/log/stat', '/api/log/self/stat']) {
      const person = path.includes('self') ? alice : admin;
      expect((await site.rest(person, 'GET', `${path}?model_name=gpt%25`)).body.data).toMatchObject({ quota: 150 });
    }
  });

  it('counts the prompts of Messages calls without cached tokens, whose price old clients add', async () => {
    const cached = '{"claude":true,"cache_tokens":2000,"cache_creation_tokens":500}';
    await settled(
      of(alice, now(), { content: 'claude', prompt: 2510, other: cached }),
      of(alice, now(), { content: 'gpt', prompt: 2510, other: '{"cache_tokens":2000}' }),
      of(alice, now(), { content: 'moved in', prompt: 10, other: cached }),
      of(alice, now(), { content: 'false', prompt: 5, other: '{"claude":false,"cache_tokens":3}' }),
    );
    for (const [person, path] of [
      [admin, '/api/log/'],
      [alice, '/api/log/self'],
    ] as const) {
      const rows = items(await site.rest(person, 'GET', path));
      expect(Object.fromEntries(rows.map(({ content, prompt_tokens: prompt }) => [content, prompt]))).toEqual({
        claude: 10,
        gpt: 2510,
        'moved in': 0,
        false: 5,
      });
    }
  });

  it('finds by name who is gone for good', async () => {
    const gone = await site.invite(root);
    await settled(of(gone, now(), { content: 'left behind' }));
    await site.expectSuccess(root, 'DELETE', `/api/user/${gone.id}`);
    await site.query('DELETE FROM logs WHERE type <> 2');
    expect(await contents(admin, `/api/log/?username=${gone.username}`)).toEqual(['left behind']);
  });

  it('counts up to a cap and says so', async () => {
    await site.query(
      `INSERT INTO logs (created_at, type, user_id, username) SELECT $1 + n / 1000, 2, $2, $3 FROM generate_series(1, 100050) n`,
      [now() - 3 * hour, alice.id, alice.username],
    );
    for (const isFolded of [false, true]) {
      if (isFolded) await fold();
      const answer = await site.rest(admin, 'GET', '/api/log/?p=1000&page_size=100');
      expect(answer.body.data).toMatchObject({ total: 100_000, total_capped: true });
      expect(items(answer)).toHaveLength(100);
    }
    expect(items(await site.rest(admin, 'GET', '/api/log/?p=1001&page_size=100'))).toEqual([]);
    const own = await site.rest(alice, 'GET', '/api/log/self?p=3334&page_size=30');
    const ids = items(own).map(({ id }) => id);
    expect([ids.length, ids.at(-1)]).toEqual([10, 1]);
    // A cursor reaches rows that an offset does not.
    const last = await site.graphql(
      admin,
      '{ logs(page: 999, pageSize: 100) { totalCount pageInfo { endCursor hasNextPage } } }',
    );
    const { totalCount, pageInfo } = last.data?.['logs'] as { totalCount: number; pageInfo: Record<string, unknown> };
    expect([totalCount, pageInfo['hasNextPage']]).toEqual([100_000, true]);
    const next = `{ logs(after: "${String(pageInfo['endCursor'])}", pageSize: 100) { items { id } pageInfo { hasNextPage } } }`;
    const rest = (await site.graphql(admin, next)).data?.['logs'] as { items: unknown[]; pageInfo: object };
    expect([rest.items.length, rest.pageInfo]).toEqual([50, { hasNextPage: false }]);
  });

  it('is for admins', async () => {
    for (const path of ['/', '/stat', '/search?keyword=2']) {
      expect((await site.rest(alice, 'GET', `/api/log${path}`)).body).toMatchObject({
        code: 'INSUFFICIENT_PRIVILEGES',
      });
      expect((await site.rest(null, 'GET', `/api/log${path}`)).status).toBe(401);
    }
    expect((await site.rest(alice, 'DELETE', '/api/log/?target_timestamp=1')).body).toMatchObject({
      code: 'INSUFFICIENT_PRIVILEGES',
    });
  });
});

describe('the own list', () => {
  it('hides channels, admins and how much the site is used', async () => {
    const at = now() - 100;
    // The ids of budgets reveal how many budgets the site has, so users do not see them.
    const other = JSON.stringify({ model_ratio: 1, budgets: [[5, at]], admin_info: { use_channel: ['3', '5'] } });
    await settled(
      of(alice, at, { content: 'old', other }),
      of(bob, at, { content: 'foreign' }),
      of(alice, at + 1, { content: 'broken', other: 'no json' }),
      of(alice, at + 2, { content: 'new' }),
    );
    const answer = await site.rest(alice, 'GET', '/api/log/self?channel=7&username=x');
    expect(answer.body.data).toMatchObject({ total: 3, page: 1, page_size: 10 });
    expect(items(answer)).toMatchObject([
      { id: 3, content: 'new', channel: 0, channel_name: '', other: '' },
      { id: 2, content: 'broken', other: '' },
      { id: 1, content: 'old', channel: 0, channel_name: '', other: '{"model_ratio":1}' },
    ]);
    const paged = await site.rest(alice, 'GET', '/api/log/self/?p=2&page_size=2');
    expect(items(paged).map(({ id }) => id)).toEqual([1]);
  });

  it('hides the channel at which a call failed, over REST and GraphQL', async () => {
    await site.query(
      `INSERT INTO logs (created_at, type, user_id, username, channel_id, content, other)
       VALUES ($1, 6, $2, $3, 12, 'failed', $4::jsonb::text)`,
      [
        ...[now(), alice.id, alice.username],
        JSON.stringify({
          error_code: 'no_capacity',
          status_code: 503,
          admin_info: { use_channel: ['12'] },
          channel_id: 12,
          channel_name: 'cheap supplier',
          channel_type: 14,
        }),
      ],
    );
    const shown = { error_code: 'no_capacity', status_code: 503 };
    const [row] = items(await site.rest(alice, 'GET', '/api/log/self?type=6'));
    expect(JSON.parse(String(row?.['other']))).toEqual(shown);
    const own = await site.graphql(
      alice,
      '{ myLogs(filter: { types: [ERROR] }) { items { details error { code } } } }',
    );
    expect(own.data).toEqual({ myLogs: { items: [{ details: shown, error: { code: 'no_capacity' } }] } });
    const all = await site.graphql(admin, '{ logs(filter: { types: [ERROR] }) { items { details } } }');
    expect(all.data).toMatchObject({ logs: { items: [{ details: { channel_name: 'cheap supplier' } }] } });
  });

  it('shows no row of another, whatever is asked', async () => {
    await settled(of(bob, now(), { content: 'foreign' }));
    for (const query of [`username=${bob.username}`, `user_id=${bob.id}`, 'token_name=dev', 'model_name=*', 'type=2']) {
      expect(await contents(alice, `/api/log/self?${query}`)).toEqual([]);
    }
  });
});

describe('searching', () => {
  it('finds by type or by the beginning of the content; users by type only', async () => {
    const at = now();
    await settled(
      of(alice, at, { type: 3, content: 'changed 100% of it' }),
      of(bob, at + 1, { type: 2, content: 'changed_it' }),
    );
    const search = async (person: Person, path: string): Promise<unknown[]> =>
      ((await site.rest(person, 'GET', path)).body.data as WireLog[]).map(({ content }) => content);
    expect(await search(admin, '/api/log/search?keyword=changed')).toEqual(['changed_it', 'changed 100% of it']);
    expect(await search(admin, '/api/log/search?keyword=changed_')).toEqual(['changed_it']);
    expect(await search(admin, '/api/log/search?keyword=3')).toEqual(['changed 100% of it']);
    expect(await search(alice, '/api/log/self/search?keyword=3')).toEqual(['changed 100% of it']);
    expect(await search(alice, '/api/log/self/search?keyword=2')).toEqual([]);
    expect(await search(alice, '/api/log/self/search?keyword=changed')).toEqual([]);
  });

  it('by an own key shows its rows, of any other key none', async () => {
    const made = await site.expectSuccess(alice, 'POST', '/api/token/', { name: 'k', unlimited_quota: true });
    const { id, key } = made.body.data as { id: number; key: string };
    await settled(of(alice, now(), { tokenId: id, content: 'mine' }), of(alice, now(), { tokenId: id + 1 }));
    const rows = async (person: Person, query: string, headers = {}): Promise<unknown> =>
      ((await site.rest(person, 'GET', `/api/log/token${query}`, undefined, headers)).body.data as WireLog[]).map(
        ({ content }) => content,
      );
    expect(await rows(alice, `?key=sk-${key}`)).toEqual(['mine']);
    expect(await rows(alice, `?key=${key}`)).toEqual(['mine']);
    expect(await rows(alice, '', { 'x-api-key': `sk-${key}` })).toEqual(['mine']);
    expect(await rows(bob, `?key=sk-${key}`)).toEqual([]);
    expect(await rows(alice, '?key=sk-unknown')).toEqual([]);
    expect(await rows(alice, '')).toEqual([]);
    const foreignPage = await site.rest(alice, 'GET', '/api/log/token', undefined, { origin: 'https://example.com' });
    expect(foreignPage.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('shows the rows of a key to those who have it, without a user', async () => {
    const made = await site.expectSuccess(alice, 'POST', '/api/token/', { name: 'k', unlimited_quota: true });
    const { id, key } = made.body.data as { id: number; key: string };
    await settled(
      of(alice, now() - 1, {
        tokenId: id,
        content: 'older',
        channelId: 31,
        other: '{"admin_info":{"use_channel":["31"]}}',
      }),
      of(alice, now(), { tokenId: id, content: 'newer' }),
      of(alice, now(), { tokenId: id + 1, content: 'of another key' }),
    );
    const ask = (query: string, headers: Record<string, string> = {}) =>
      site.rest(null, 'GET', `/api/log/token${query}`, undefined, headers);
    // neko-api-key-tool asks in the first or the second form, depending on its version. Other tools send the id headers.
    const asked = [
      await ask(`?key=sk-${key}`),
      await ask(`?key=${key}&p=1&page_size=100`),
      await ask('', { authorization: `Bearer sk-${key}` }),
      await ask('', { authorization: `bearer sk-${key}`, 'new-api-user': '1' }),
      await ask('/', { authorization: `sk-${key}` }),
      await ask('', { 'x-api-key': `sk-${key}` }),
    ];
    for (const { status, body } of asked) {
      expect([status, body]).toMatchObject([
        200,
        { success: true, data: [{ content: 'newer' }, { content: 'older', channel: 0, other: '{}' }] },
      ]);
    }
    const refused = async (query: string, headers: Record<string, string> = {}): Promise<unknown[]> => {
      const { status, body } = await ask(query, headers);
      return [status, body['success'], body['code']];
    };
    expect(await refused('?key=sk-unknown')).toEqual([401, false, 'INVALID_API_KEY']);
    expect(await refused('', { authorization: 'Bearer sk-unknown' })).toEqual([401, false, 'INVALID_API_KEY']);
    expect(await refused('')).toEqual([401, false, 'NOT_SIGNED_IN']);
    // An access token that signs its user in cannot read the key of another user.
    expect(await refused(`?key=sk-${key}`, { authorization: 'no-access-token' })).toEqual([
      ...[200, false, 'INVALID_ACCESS_TOKEN'],
    ]);
    await site.query("UPDATE tokens SET status = 'exhausted' WHERE id = $1", [id]);
    expect((await ask(`?key=sk-${key}`)).status).toBe(200);
    // The key works only from its allowed addresses, as for calls of models.
    const allow = (...addresses: string[]) =>
      site.query('UPDATE tokens SET allow_ips = $2 WHERE id = $1', [id, addresses]);
    for (const addresses of [['10.0.0.0/8'], ['192.0.2.1', '2001:db8::/32'], ['unreadable']]) {
      await allow(...addresses);
      expect(await refused(`?key=sk-${key}`)).toEqual([403, false, 'IP_NOT_ALLOWED']);
      expect(await refused('', { authorization: `Bearer sk-${key}` })).toEqual([403, false, 'IP_NOT_ALLOWED']);
    }
    await allow('10.0.0.0/8', '127.0.0.1');
    expect((await ask(`?key=sk-${key}`)).status).toBe(200);
    await site.query("UPDATE tokens SET status = 'disabled' WHERE id = $1", [id]);
    expect(await refused(`?key=sk-${key}`)).toEqual([401, false, 'TOKEN_DISABLED']);
  });
});

describe('the sums', () => {
  const stat = async (person: Person, path: string): Promise<unknown> =>
    (await site.rest(person, 'GET', path)).body.data;

  /** Computes the expected result from the log rows. */
  async function added(condition: string): Promise<number> {
    const [row] = await site.query<{ sum: string }>(
      `SELECT coalesce(sum(quota), 0)::text AS sum FROM logs WHERE type = 2 AND ${condition}`,
    );
    return Number(row?.sum);
  }

  it('are exact to the unit for any range, filter and edge', async () => {
    const start = Math.floor(now() / hour) * hour - 6 * hour;
    const models = ['gpt-4o', 'gpt-4o-mini'];
    const rows = Array.from({ length: 60 }, (_, index) =>
      of(index % 3 ? alice : bob, start + index * 359, {
        quota: 1 + index * 7,
        model: models[index % 2] ?? '',
        channelId: index % 4,
        group: index % 5 ? 'default' : 'vip',
        tokenName: index % 2 ? 'odd' : 'even',
      }),
    );
    await settled(...rows, of(alice, start + 4000, { type: 1, quota: 1_000_000 }));
    await fold();
    await settled(of(alice, start + 2 * hour + 5, { quota: 7 }), of(bob, start - 5, { quota: 9 }));
    const bounds = [0, start, start + 1, start + hour - 1, start + hour, start + 3 * hour + 17, start + 5 * hour];
    const filters: Array<[string, string]> = [
      ['', 'TRUE'],
      [`&username=${alice.username}`, `user_id = ${alice.id}`],
      ['&model_name=gpt-4o', `model_name = 'gpt-4o'`],
      ['&model_name=*mini', `model_name LIKE '%mini'`],
      ['&channel=2', 'channel_id = 2'],
      ['&group=vip', `"group" = 'vip'`],
      ['&token_name=odd', `token_name = 'odd'`],
    ];
    for (const [query, condition] of filters) {
      for (const from of bounds) {
        for (const to of [0, ...bounds.filter((bound) => bound >= from && bound > 0)]) {
          const range = `created_at >= ${from}${to ? ` AND created_at <= ${to}` : ''}`;
          const path = `/api/log/stat?start_timestamp=${from}&end_timestamp=${to}${query}`;
          expect([path, await stat(admin, path)]).toEqual([
            path,
            expect.objectContaining({ quota: await added(`${condition} AND ${range}`) }),
          ]);
        }
      }
    }
  });

  it('are read for hours that were folded, and not for one that changed since', async () => {
    const start = Math.floor(now() / hour) * hour - 10 * hour;
    await settled(of(alice, start + 5, { quota: 10 }));
    await fold();
    await site.query('UPDATE log_by_route SET quota = 11');
    expect(await stat(admin, '/api/log/stat')).toMatchObject({ quota: 11 });
    await settled(of(alice, start + 6, { quota: 1 }));
    expect(await stat(admin, '/api/log/stat')).toMatchObject({ quota: 11 });
    await settled(of(alice, start + 7, { quota: 1 }));
    expect(await stat(admin, '/api/log/stat')).toMatchObject({ quota: 12 });
    await fold();
    expect(await stat(admin, '/api/log/stat')).toMatchObject({ quota: 12 });
  });

  it('count channel tests, which only the log knows', async () => {
    const start = Math.floor(now() / hour) * hour - 10 * hour;
    await settled(of(alice, start + 5, { quota: 10 }));
    await site.query(
      `INSERT INTO logs (created_at, type, user_id, username, token_name, quota) VALUES ($1, 2, $2, 'x', 'model test', 3)`,
      [start + 6, admin.id],
    );
    expect(await stat(admin, '/api/log/stat')).toMatchObject({ quota: 13 });
    expect(await stat(admin, `/api/log/stat?username=${alice.username}`)).toMatchObject({ quota: 10 });
    expect(await stat(admin, `/api/log/stat?start_timestamp=${start + hour}`)).toMatchObject({ quota: 0 });
  });

  it('of the last minute ignore the range and the type, not the other filters', async () => {
    await settled(
      of(alice, now() - 5, { prompt: 10, completion: 3, quota: 1 }),
      of(bob, now() - 10, { prompt: 100, completion: 1, quota: 1 }),
      of(alice, now() - 120, { prompt: 1000, quota: 5 }),
      of(alice, now() - 1, { type: 3, prompt: 7 }),
    );
    expect(await stat(admin, '/api/log/stat?type=3&end_timestamp=1')).toEqual({ quota: 0, rpm: 2, tpm: 114 });
    expect(await stat(alice, '/api/log/self/stat')).toEqual({ quota: 6, rpm: 1, tpm: 13 });
    expect(await stat(alice, `/api/log/self/stat?username=${bob.username}`)).toMatchObject({ quota: 6 });
  });
});

describe('deleting', () => {
  const remove = (target: unknown): Promise<Answer> =>
    site.rest(admin, 'DELETE', `/api/log/?target_timestamp=${String(target)}`);

  it('takes rows of all types before the moment, keeps later ones, and tells the log', async () => {
    const at = now() - 10 * hour;
    await settled(
      of(alice, at, { quota: 5 }),
      of(alice, at + 1, { type: 3 }),
      of(alice, at + 2, { quota: 9, content: 'kept' }),
    );
    expect((await remove(at + 2)).body).toEqual({ success: true, message: '', data: 2 });
    const left = await site.query<{ content: string; username: string }>(
      'SELECT content, username FROM logs ORDER BY id',
    );
    expect(left[0]).toMatchObject({ content: 'kept' });
    expect(left[1]).toMatchObject({ username: admin.username });
    expect(left[1]?.content).toMatch(/^Deleted 2 log rows older than /);
  });

  it('takes in steps what is more than one statement should', async () => {
    await site.query(`INSERT INTO logs (created_at, type, user_id) SELECT $1, 2, 1 FROM generate_series(1, 12000)`, [
      now() - hour,
    ]);
    expect((await remove(now() - 60)).body).toMatchObject({ data: 12_000 });
  });

  it('drops whole months', async () => {
    await site.query(`SELECT logs_ensure_partitions('2020-01-15'::timestamptz, 1)`);
    const january = Date.UTC(2020, 0, 20) / 1000;
    const february = Date.UTC(2020, 1, 20) / 1000;
    await settled(of(alice, january), of(alice, january + 1), of(alice, february), of(alice, february + 10));
    expect((await remove(february + 5)).body).toMatchObject({ data: 3 });
    const tables = await site.query(
      `SELECT to_regclass('logs_202001') AS january, to_regclass('logs_202002') AS february`,
    );
    expect(tables).toEqual([{ january: null, february: 'logs_202002' }]);
  });

  it('leaves sums that agree with what is left', async () => {
    const start = Math.floor(now() / hour) * hour - 10 * hour;
    await settled(
      ...[0, 100, 200, hour, 2 * hour].map((offset, index) => of(alice, start + offset, { quota: 10 ** index })),
    );
    await remove(start + 150);
    expect((await site.rest(admin, 'GET', '/api/log/stat')).body.data).toMatchObject({ quota: 11_100 });
    expect((await site.rest(admin, 'GET', `/api/log/stat?end_timestamp=${start + 5 * hour}`)).body.data).toMatchObject({
      quota: 11_100,
    });
  });

  it('of the future means until now', async () => {
    await settled(of(alice, now() - 5));
    expect((await remove(now() + 100_000)).body).toMatchObject({ data: 1 });
    const [state] = await site.query<{ trimmed_before: string }>('SELECT trimmed_before FROM log_state');
    expect(Number(state?.trimmed_before)).toBeLessThanOrEqual(now() + 1);
  });

  it.each(['', '0', 'NaN', '-5'])('wants a moment, not %j', async (target) => {
    await settled(of(alice, now() - 5));
    const refused = { success: false, message: 'The target timestamp is required', code: 'INVALID_INPUT' };
    expect((await remove(target)).body).toEqual(refused);
    expect(await site.query('SELECT 1 FROM logs')).toHaveLength(1);
  });
});

describe('the GraphQL presentation', () => {
  it('lists rows of other programs that state times and counts which no call has', async () => {
    const at = now() - 50;
    const absurd = { frt: 1e300, cache_tokens: 9e15, reasoning_tokens: 2.5, audio: true, audio_input: -9e15 };
    const other = JSON.stringify({ ...absurd, status_code: 1e12, admin_info: { use_channel: ['7', '9000000000'] } });
    await settled(of(alice, at, { other, type: 6 }), of(alice, at + 1, { other: '{"duration_ms":1e300}' }));
    // These are rows of a program that stored Unix times as durations.
    await site.query('UPDATE logs SET use_time = 1764000000 WHERE type = 6');
    await site.query('UPDATE usage_hourly SET duration_ms = 1764000000000 * calls');
    const items = `items { seconds durationMs timeToFirstTokenMs cachedTokens reasoningTokens audio { audioInputTokens } error { status } `;
    const { data, codes } = await site.graphql(
      admin,
      `{ logs(sort: { field: AT, direction: ASC }) { ${items} attemptIds } } usage { total { averageMs } } }`,
    );
    const most = 2_147_483_647;
    const none = {
      timeToFirstTokenMs: null,
      cachedTokens: 0,
      reasoningTokens: 0,
      audio: null,
      error: null,
      attemptIds: [],
    };
    expect(data?.['usage']).toEqual({ total: { averageMs: most } });
    expect([codes, data?.['logs']]).toEqual([
      [],
      {
        items: [
          {
            seconds: 1_764_000_000,
            durationMs: most,
            timeToFirstTokenMs: most,
            cachedTokens: most,
            reasoningTokens: 3,
            audio: { audioInputTokens: -most },
            error: { status: most },
            attemptIds: [7],
          },
          { seconds: expect.any(Number) as number, durationMs: most, ...none },
        ],
      },
    ]);
    const own = await site.graphql(alice, `{ myLogs(sort: { field: AT, direction: ASC }) { ${items} } } }`);
    expect([own.codes, (own.data?.['myLogs'] as { items: unknown[] }).items]).toMatchObject([
      [],
      [{ durationMs: most, timeToFirstTokenMs: most }, { durationMs: most }],
    ]);
  });

  const fields = 'id at type content modelName quota usd isStream requestId timeToFirstTokenMs details';
  const adminFields = `${fields} username channelId channelName attemptIds upstreamUsd`;

  it('lists for admins and for owners', async () => {
    await site.query(`INSERT INTO channels (id, type, name, key_sealed) VALUES (31, 1, 'main', 'v1.x')`);
    const at = now() - 50;
    const other = JSON.stringify({ frt: 2, admin_info: { use_channel: ['7', '31'], upstream_cost: 0.5 } });
    await settled(of(alice, at, { channelId: 31, other, quota: 4 }), of(bob, at + 1, { type: 3, channelId: 0 }));
    const all = await site.graphql(admin, `{ logs { totalCount totalCapped items { ${adminFields} } } }`);
    expect(all.data?.['logs']).toMatchObject({
      totalCount: 2,
      totalCapped: false,
      items: [
        { channelId: null, channelName: null, type: 'MANAGE', requestId: null, details: null, attemptIds: [] },
        {
          channelId: 31,
          channelName: 'main',
          type: 'CONSUME',
          at: new Date(at * 1000).toISOString(),
          timeToFirstTokenMs: 2,
          attemptIds: [7, 31],
          upstreamUsd: 0.5,
          quota: 4,
          usd: 0.000008,
          details: JSON.parse(other) as object,
        },
      ],
    });
    const own = await site.graphql(alice, `{ myLogs { totalCount items { ${fields} } } }`);
    expect(own.data?.['myLogs']).toMatchObject({
      totalCount: 1,
      items: [{ details: { frt: 2 }, timeToFirstTokenMs: 2, quota: 4 }],
    });
    expect(JSON.stringify(own.data)).not.toContain('admin_info');
    expect((await site.graphql(alice, '{ logs { totalCount } }')).codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
    expect((await site.graphql(null, '{ myLogs { totalCount } }')).codes).toEqual(['NOT_SIGNED_IN']);
  });

  it('gives own rows ids that stay the same and are not those of the rows', async () => {
    const at = now() - 50;
    await settled(of(alice, at, { content: 'a' }), of(bob, at + 1), of(alice, at + 2, { content: 'b' }));
    const ids = async (query: string): Promise<Record<string, string>> => {
      const { data } = await site.graphql(alice, query);
      const rows = (data?.['myLogs'] as { items: Array<{ id: string; content: string }> }).items;
      return Object.fromEntries(rows.map(({ id, content }) => [content, id]));
    };
    const both = await ids('{ myLogs { items { id content } } }');
    const stored = await site.query<{ id: string }>('SELECT id::text FROM logs');
    expect(new Set(Object.values(both)).size).toBe(2);
    for (const { id } of stored) expect(Object.values(both)).not.toContain(id);
    await settled(of(alice, at + 3, { content: 'c' }));
    expect(await ids('{ myLogs { items { id content } } }')).toMatchObject(both);
    expect(await ids('{ myLogs(page: 1, pageSize: 1) { items { id content } } }')).toEqual({ b: both['b'] });
  });

  it('reads the details of calls and failures as fields', async () => {
    const call = {
      model_ratio: 1.5,
      completion_ratio: 5,
      group_ratio: 0.8,
      model_price: -1,
      price_version: 'abc',
      cache_tokens: 12,
      cache_ratio: 0.1,
      frt: 1800.4,
      request_path: '/v1/chat/completions',
      is_model_mapped: true,
      upstream_model_name: 'real',
      reasoning_tokens: 3,
      reasoning_effort: 'low',
      counted_locally: true,
      client_gone: true,
      stream_error: 'upstream_error',
      input_content: 'hi',
    };
    const failed = { error_type: 'server', error_code: 'no_channel', status_code: 503 };
    const image = { model_ratio: 0, model_price: 0.04, group_ratio: 1, user_group_ratio: 2 };
    const speech = { audio: true, model_ratio: 1, text_input: 1, audio_input: 2, text_output: 3, audio_output: 4 };
    const at = now() - 50;
    await settled(
      of(alice, at, { other: JSON.stringify(call) }),
      of(alice, at + 1, { other: JSON.stringify(failed), type: 6, content: 'No channel' }),
      of(alice, at + 2, { other: JSON.stringify(image) }),
      of(alice, at + 3, { other: JSON.stringify({ ...speech, audio_ratio: 16, audio_completion_ratio: 2 }) }),
      of(alice, at + 4, { other: '[1' }),
    );
    const { data, text } = await site.graphql(
      alice,
      `{ myLogs(sort: { field: AT, direction: ASC }) { items { cachedTokens reasoningTokens timeToFirstTokenMs path upstreamModel
         reasoningEffort isUsageEstimated hasClientDisconnected streamError error { status code message }
         price { version modelPrice modelRatio completionRatio cacheRatio cacheWriteRatio audioRatio audioCompletionRatio groupRatio }
         audio { textInputTokens audioInputTokens textOutputTokens audioOutputTokens } conversation { input output } } } }`,
    );
    if (!data) throw new Error(text);
    const none = {
      cachedTokens: 0,
      reasoningTokens: 0,
      timeToFirstTokenMs: null,
      path: null,
      upstreamModel: null,
      reasoningEffort: null,
      isUsageEstimated: false,
      hasClientDisconnected: false,
      streamError: null,
      error: null,
      price: null,
      audio: null,
      conversation: null,
    };
    const perCall = { modelRatio: null, completionRatio: null, cacheRatio: null, cacheWriteRatio: null };
    const noAudio = { audioRatio: null, audioCompletionRatio: null };
    expect((data['myLogs'] as { items: unknown[] }).items).toEqual([
      {
        cachedTokens: 12,
        reasoningTokens: 3,
        timeToFirstTokenMs: 1800,
        path: '/v1/chat/completions',
        upstreamModel: 'real',
        reasoningEffort: 'low',
        isUsageEstimated: true,
        hasClientDisconnected: true,
        streamError: 'upstream_error',
        error: null,
        audio: null,
        conversation: { input: 'hi', output: null },
        price: {
          version: 'abc',
          modelPrice: null,
          modelRatio: 1.5,
          completionRatio: 5,
          cacheRatio: 0.1,
          cacheWriteRatio: 1.25,
          ...noAudio,
          groupRatio: 0.8,
        },
      },
      { ...none, error: { status: 503, code: 'no_channel', message: 'No channel' } },
      { ...none, price: { version: null, modelPrice: 0.04, ...perCall, ...noAudio, groupRatio: 2 } },
      {
        ...none,
        price: {
          version: null,
          modelPrice: null,
          modelRatio: 1,
          completionRatio: 0,
          cacheRatio: 1,
          cacheWriteRatio: 1.25,
          audioRatio: 16,
          audioCompletionRatio: 2,
          groupRatio: 1,
        },
        audio: { textInputTokens: 1, audioInputTokens: 2, textOutputTokens: 3, audioOutputTokens: 4 },
      },
      none,
    ]);
  });

  it('filters, sorts and pages', async () => {
    const at = now() - 50;
    await settled(
      of(alice, at, { model: 'a', tokenId: 1, channelId: 5 }),
      of(alice, at + 9, { model: 'ab', tokenId: 2, group: 'vip' }),
      of(bob, at + 9, { model: 'c', type: 6, tokenId: 3 }),
    );
    const models = async (args: string, person = admin, field = 'logs'): Promise<unknown> => {
      const { data, text } = await site.graphql(person, `{ ${field}(${args}) { items { modelName } } }`);
      if (!data?.[field]) throw new Error(text);
      return (data[field] as { items: Array<{ modelName: string }> }).items.map(({ modelName }) => modelName);
    };
    expect(await models('filter: { models: ["a*"] }')).toEqual(['ab', 'a']);
    expect(await models('filter: { models: ["a", "c"] }')).toEqual(['c', 'a']);
    expect(await models('filter: { models: [] }')).toEqual([]);
    expect(await models(`filter: { userIds: [${alice.id}] }`)).toEqual(['ab', 'a']);
    expect(await models(`filter: { userIds: [${alice.id}, ${bob.id}], types: [ERROR] }`)).toEqual(['c']);
    expect(await models(`filter: { username: "${alice.username}", userIds: [${bob.id}] }`)).toEqual([]);
    expect(await models('filter: { tokenIds: [1, 3] }')).toEqual(['c', 'a']);
    expect(await models('filter: { channelIds: [5] }')).toEqual(['a']);
    expect(await models('filter: { groups: ["vip"] }')).toEqual(['ab']);
    expect(await models('sort: { field: AT, direction: ASC }, pageSize: 1, page: 1')).toEqual(['ab']);
    const middle = new Date((at + 9) * 1000).toISOString();
    expect(await models(`filter: { at: { until: "${middle}" } }`)).toEqual(['a']);
    expect(await models(`filter: { at: { from: "${middle}" } }`)).toEqual(['c', 'ab']);
    expect(await models('filter: { at: { calendar: LAST_MONTH } }')).toEqual([]);
    const [first] = await site.query<{ request_id: string }>('SELECT request_id FROM logs ORDER BY id');
    expect(await models(`filter: { requestId: "${first?.request_id ?? ''}" }`)).toEqual(['a']);
    // Users see only their own rows, whatever the filter contains.
    expect(await models('filter: { tokenIds: [1, 3] }', alice, 'myLogs')).toEqual(['a']);
    for (const args of ['sort: { field: MODEL }', 'filter: { userIds: [1] }']) {
      const field = args.startsWith('sort') ? 'logs' : 'myLogs';
      const refused = await site.graphql(alice, `{ ${field}(${args}) { totalCount } }`);
      expect(refused.codes).toEqual(['GRAPHQL_VALIDATION_FAILED']);
    }
    const both = await site.graphql(admin, '{ logs(after: "x", page: 1) { totalCount } }');
    expect(both.codes).toEqual(['INVALID_INPUT']);
  });

  it('finds and sorts rows by their cost, and counts and sums those', async () => {
    const at = now() - 1000;
    await settled(
      of(alice, at, { model: 'a', quota: 155_000 }),
      of(alice, at + 10, { model: 'b', quota: 20 }),
      of(bob, at + 20, { model: 'c', quota: 900_000 }),
      of(alice, at + 30, { model: 'd', quota: 155_000 }),
    );
    await fold();
    const range = `at: { from: "${new Date(at * 1000).toISOString()}", until: "${new Date((at + 100) * 1000).toISOString()}" }`;
    const models = async (args: string, person = admin, field = 'logs'): Promise<unknown> => {
      const asked = `{ ${field}(${args}) { totalCount sums { quota } pageInfo { hasNextPage endCursor } items { modelName } } }`;
      const { data, text } = await site.graphql(person, asked);
      if (!data?.[field]) throw new Error(text);
      const { items, totalCount, sums, pageInfo } = data[field] as {
        items: Array<{ modelName: string }>;
        totalCount: number;
        sums: { quota: number };
        pageInfo: { hasNextPage: boolean; endCursor: string | null };
      };
      return [items.map(({ modelName }) => modelName).join(), totalCount, sums.quota, pageInfo.hasNextPage];
    };
    expect(await models('filter: { quota: { atLeast: 152500, below: 157500 } }')).toEqual(['d,a', 2, 310_000, false]);
    expect(await models('filter: { quota: { below: 155000 } }')).toEqual(['b', 1, 20, false]);
    expect(await models('filter: { quota: { atLeast: 155001 } }', alice, 'myLogs')).toEqual(['', 0, 0, false]);
    await site.query(
      `INSERT INTO logs (created_at, type, user_id, username, model_name, quota) VALUES ($1, 1, $2, $3, 'top-up', 156000)`,
      [at + 40, alice.id, alice.username],
    );
    const credited = `filter: { ${range}, quota: { atLeast: 152500, below: 157500 } }`;
    expect(await models(credited)).toEqual(['d,a', 2, 310_000, false]);
    expect(await models(credited, alice, 'myLogs')).toEqual(['d,a', 2, 310_000, false]);
    const topUps = `filter: { ${range}, types: [TOP_UP], quota: { atLeast: 156000 } }`;
    expect(await models(topUps, alice, 'myLogs')).toMatchObject(['top-up', 1, expect.anything(), false]);
    await site.query(`DELETE FROM logs WHERE model_name = 'top-up'`);
    const sorted = (direction: string, more = '') =>
      `filter: { ${range} }, sort: { field: QUOTA, direction: ${direction} }${more}`;
    expect(await models(sorted('DESC'))).toEqual(['c,d,a,b', 4, 1_210_020, false]);
    expect(await models(sorted('ASC'))).toEqual(['b,a,d,c', 4, 1_210_020, false]);
    expect(await models(sorted('DESC', ', pageSize: 2'))).toEqual(['c,d', 4, 1_210_020, true]);
    expect(await models(sorted('DESC', ', pageSize: 2, page: 1'))).toEqual(['a,b', 4, 1_210_020, false]);
    expect(await models(sorted('DESC'), alice, 'myLogs')).toEqual(['d,a,b', 3, 310_020, false]);
    const month = (days: number) => new Date((at - days * 86_400) * 1000).toISOString();
    for (const args of [
      'sort: { field: QUOTA }',
      `sort: { field: QUOTA }, filter: { at: { from: "${month(32)}" } }`,
      `sort: { field: QUOTA }, after: "x", filter: { ${range} }`,
    ]) {
      expect((await site.graphql(admin, `{ logs(${args}) { items { id } } }`)).codes).toEqual(['INVALID_INPUT']);
    }
    const ofUser = await site.graphql(
      admin,
      `{ user(id: ${alice.id}) { logs(sort: { field: QUOTA }) { totalCount } } }`,
    );
    expect(ofUser.codes).toEqual(['INVALID_INPUT']);
  });

  it('sums and deletes', async () => {
    await settled(of(alice, now() - 5, { quota: 7, prompt: 3, completion: 4 }), of(bob, now() - 5, { quota: 1 }));
    const sums = 'sums { quota usd promptTokens completionTokens } lastMinute { calls tokens }';
    const answer = await site.graphql(admin, `{ logs { ${sums} } myLogs { ${sums} } }`);
    expect(answer.data).toEqual({
      logs: {
        sums: { quota: 8, usd: 0.000016, promptTokens: 3, completionTokens: 4 },
        lastMinute: { calls: 2, tokens: 7 },
      },
      myLogs: {
        sums: { quota: 0, usd: 0, promptTokens: 0, completionTokens: 0 },
        lastMinute: { calls: 0, tokens: 0 },
      },
    });
    const mine = await site.graphql(
      alice,
      `{ myLogs(filter: { models: ["gpt*"] }) { totalCount ${sums} items { quota } } }`,
    );
    expect(mine.data).toMatchObject({
      myLogs: { totalCount: 1, sums: { quota: 7 }, lastMinute: { calls: 1, tokens: 7 }, items: [{ quota: 7 }] },
    });
    const before = new Date((now() - 1) * 1000).toISOString();
    const gone = await site.graphql(admin, `mutation { deleteLogs(before: "${before}") { count } }`);
    expect(gone.data).toEqual({ deleteLogs: { count: 2 } });
    expect((await site.graphql(alice, `mutation { deleteLogs(before: "${before}") { count } }`)).codes).toEqual([
      'INSUFFICIENT_PRIVILEGES',
    ]);
  });
});
