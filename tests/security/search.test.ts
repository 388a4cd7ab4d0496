import { buildSchema, getNamedType, getNullableType, isInputObjectType, isListType } from 'graphql';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { anywhere, Site, type Person } from '../contract/site.js';

/** Class: wildcard search (CVE-2026-25591). Every text of every filter in the schema, and every search over REST. */
let site: Site;
let root: Person;

jest.setTimeout(120_000);

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  await site.query(
    `INSERT INTO users (username) SELECT 'user ' || n FROM generate_series(1, 2000) n;
     INSERT INTO logs (created_at, type, user_id, username, model_name, content, token_name)
       SELECT extract(epoch FROM now())::bigint - id, 1 + id % 4, ${root.id}, 'root', 'gpt-4o', 'content', 't' FROM users`,
  );
  for (let n = 1; n <= 3; n++) {
    const channel = { name: `channel ${n}`, key: `sk-${n}`, models: 'gpt-4o', group: 'default', tag: 'tag' };
    await site.expectSuccess(root, 'POST', '/api/channel/', channel);
    await site.expectSuccess(root, 'POST', '/api/token/', { name: `token ${n}`, unlimited_quota: true });
  }
  await site.expectSuccess(root, 'POST', '/api/redemption/', { name: 'code', quota: 1, count: 20 });
});
afterAll(() => site.stop());

const terms = [
  '%',
  '_',
  '%_%',
  '%%%%%%%%%%',
  "'; DROP TABLE users; --",
  '"',
  '\\',
  '\\%',
  '名'.repeat(3000),
  'x'.repeat(10_000),
];
const schema = buildSchema(readFileSync(join(import.meta.dirname, '../../schema/schema.graphql'), 'utf8'));
const filters = Object.values(schema.getQueryType()?.getFields() ?? {}).flatMap((field) => {
  const filter = field.args.find(({ name }) => name === 'filter');
  const input = filter && getNamedType(filter.type);
  if (!isInputObjectType(input) || !getNamedType(field.type).name.endsWith('Page')) return [];
  const texts = Object.values(input.getFields()).filter(({ type }) => String(getNamedType(type)) === 'String');
  const more = field.args.some(({ name }) => name === 'groupBy') ? 'groupBy: [MODEL], ' : '';
  // Lists of the caller's own rows have no filters by name, and refuse filters for admins.
  const notOwn = ['username', 'usernames', 'channelTags', 'upstreamKeys'];
  const asked = texts.filter(({ name }) => !(field.name.startsWith('my') && notOwn.includes(name)));
  return asked.map(({ name, type }): [string, string, string] => [
    `${field.name} by ${name}`,
    `${field.name}(${more}filter: { ${name}: ${isListType(getNullableType(type)) ? '[$term]' : '$term'} })`,
    name,
  ]);
});

it('knows the filters of the schema', () => {
  expect(filters.map(([name]) => name)).toEqual(
    expect.arrayContaining(['channels by keyword', 'users by keyword', 'redemptions by keyword', 'logs by models']),
  );
  expect(filters.length).toBeGreaterThan(25);
});

it.each(filters)('%s takes every term literally and harmlessly', async (_name, field) => {
  for (const term of terms) {
    const query = `query ($term: String!) { ${field} { totalCount } }`;
    const answer = await site.graphql(root, query, { term }, anywhere());
    const [page] = Object.values(answer.data ?? {}) as Array<{ totalCount: number } | null>;
    // A filter may report that the text is too long, but it reports no internal failure and never finds all rows.
    expect([term.slice(0, 30), answer.codes.filter((code) => code !== 'INVALID_INPUT')]).toEqual([
      term.slice(0, 30),
      [],
    ]);
    // Some settings have an underscore in their names.
    const most = field.startsWith('options') && term === '_' ? 100 : 0;
    expect([term.slice(0, 30), (page?.totalCount ?? 0) <= most]).toEqual([term.slice(0, 30), true]);
  }
});

it.each([
  '/api/channel/search?keyword=',
  '/api/channel/search?model=',
  '/api/channel/search?group=',
  '/api/token/search?keyword=',
  '/api/token/search?token=',
  '/api/redemption/search?keyword=',
  '/api/user/search?keyword=',
  '/api/user/search?group=',
  '/api/log/search?keyword=',
  '/api/log/self/search?keyword=',
  '/api/log/?model_name=',
  '/api/log/?token_name=',
  '/api/log/?username=',
  '/api/mj/?mj_id=',
  '/api/task/?task_id=',
])('GET %s the same', async (path) => {
  for (const term of terms) {
    const { status, body } = await site.rest(root, 'GET', path + encodeURIComponent(term), undefined, anywhere());
    const found = Array.isArray(body.data) ? body.data : ((body.data as { items?: unknown[] } | null)?.items ?? []);
    const said = [path, term.slice(0, 30), status, found.length];
    // `%` and `*` match any text in the model filter of the older consoles. Such a filter finds at most a page.
    const most = path.endsWith('model_name=') && /^[%*]+$/.test(term) ? 10 : 0;
    // The length of a request line is limited.
    expect(said).toEqual([path, term.slice(0, 30), status === 431 ? 431 : 200, most]);
  }
});
