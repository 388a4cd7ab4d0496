import { getIntrospectionQuery } from 'graphql';
import { Site, type Person } from './site.js';

let site: Site;
let root: Person;

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
});
afterAll(() => site.stop());

interface Answer {
  readonly errors?: ReadonlyArray<{ message: string; extensions: { code: string; field?: string } }>;
  readonly data?: Record<string, unknown> | null;
  readonly extensions?: { cost: { requested: number } };
}

async function ask(query: string, variables: Record<string, unknown> = {}, person: Person | null = root) {
  const headers = { 'content-type': 'application/json' };
  const { status, body } = await site.rest(person, 'POST', '/graphql', { query, variables }, headers);
  return { status, ...(body as Answer) };
}

const names = (count: number, of: (index: number) => unknown): unknown[] =>
  Array.from({ length: count }, (_, n) => of(n));

describe('what one search may compare rows with', () => {
  it.each<[string, string, Record<string, unknown>, string]>([
    [
      'values',
      'query($f: OwnLogFilter) { myLogs(filter: $f) { totalCount } }',
      { f: { models: names(201, String) } },
      'filter.models',
    ],
    [
      'patterns',
      'query($f: OwnLogFilter) { myLogs(filter: $f) { totalCount } }',
      { f: { models: names(21, (n) => `m${n}*`) } },
      'filter.models',
    ],
    [
      'a long pattern',
      'query($f: OwnLogFilter) { myLogs(filter: $f) { totalCount } }',
      { f: { models: ['a*'.repeat(200)] } },
      'filter.models',
    ],
    [
      'ids',
      'query($f: UserFilter) { users(filter: $f) { totalCount } }',
      { f: { ids: names(201, (n) => n + 1) } },
      'filter.ids',
    ],
    [
      'a long text',
      'query($f: UserFilter) { users(filter: $f) { totalCount } }',
      { f: { keyword: 'x'.repeat(5000) } },
      'filter.keyword',
    ],
    [
      'usage',
      'query($m: [String!]) { myUsage(filter: { models: $m }) { items { metrics { quota } } } }',
      { m: names(201, String) },
      'filter.models',
    ],
  ])('%s have an end, and the error names the argument', async (_name, query, variables, field) => {
    const { status, data, errors } = await ask(query, variables);
    expect(errors).toMatchObject([{ extensions: { code: 'INVALID_INPUT', field } }]);
    expect({ status, data }).toEqual({ status: 400, data: undefined });
  });

  it('a subscription has the same bounds', async () => {
    const { body } = await site.rest(
      root,
      'POST',
      '/graphql/stream',
      {
        query: 'subscription($f: OwnLogFilter) { myLogCreated(filter: $f) { __typename } }',
        variables: { f: { models: names(201, String) } },
      },
      { 'content-type': 'application/json', accept: 'text/event-stream' },
    );
    expect(JSON.stringify(body)).toContain('filter.models has more than 200 values');
  });

  it('200 values are served, and each costs', async () => {
    const query = 'query($f: OwnLogFilter) { myLogs(filter: $f) { totalCount } }';
    const one = await ask(query, { f: { models: ['a'] } });
    const many = await ask(query, { f: { models: names(200, (n) => (n < 20 ? `m${n}*` : `m${n}`)) } });
    expect(many.errors).toBeUndefined();
    // The body of 200 names is longer than 1,000 bytes.
    expect((many.extensions?.cost.requested ?? 0) - (one.extensions?.cost.requested ?? 0)).toBe(179 + 20 * 10 + 1);
  });

  it.each([
    ['/api/audit/export?subject_id=', Array.from({ length: 201 }, (_, n) => n).join(','), 'subject_id'],
    ['/api/log/?model_name=', 'a%25'.repeat(200), 'model_name'],
    ['/api/log/self?model_name=', 'a%25'.repeat(200), 'model_name'],
  ])('%s has the same bounds', async (path, value, parameter) => {
    const { body } = await site.rest(root, 'GET', path + value);
    expect(JSON.stringify(body)).toContain(`${parameter} has`);
  });
});

describe('reading the schema', () => {
  const query = getIntrospectionQuery();

  it.each([
    ['root', () => root],
    ['a stranger', () => null],
  ])('costs %s 500 and is answered alike each time', async (_who, who) => {
    const first = await ask(query, {}, who());
    const again = await ask(`# the same\n${query}`, {}, who());
    expect(again.data).toEqual(first.data);
    expect(again.extensions?.cost.requested).toBeGreaterThanOrEqual(510);
    expect(again.extensions?.cost.requested).toBeLessThan(530);
  });

  it('costs the same with variables, and beside another field', async () => {
    const once = await ask('query($n: String!) { __type(name: $n) { name } }', { n: 'Log' });
    const again = await ask('query($n: String!) { __type(name: $n) { name } }', { n: 'User' });
    const beside = await ask('{ me { id } __type(name: "Log") { name } }');
    expect([once.data, again.data]).toEqual([{ __type: { name: 'Log' } }, { __type: { name: 'User' } }]);
    for (const { extensions } of [once, again, beside]) expect(extensions?.cost.requested).toBeGreaterThanOrEqual(510);
  });

  it('costs by size, for each time that it is asked', async () => {
    const { extensions } = await ask('{ a: __type(name: "Log") { name } b: __type(name: "User") { name } }');
    expect(extensions?.cost.requested).toBe(1010);
    const wide = `{ __schema { types { ${names(9, (n) => `a${String(n)}: fields { type { fields { name } } }`).join(' ')} } } }`;
    expect((await ask(wide)).extensions?.cost.requested).toBeGreaterThan(2_000);
  });
});

describe('a request', () => {
  it('costs its bytes', async () => {
    const { extensions } = await ask('{ me { id } }', { unused: 'x'.repeat(500_000) });
    expect(extensions?.cost.requested).toBe(10 + 1 + 500);
  });

  it('nests no value in its document deeper than in its variables', async () => {
    const create = (value: string): string =>
      `mutation { createChannel(input: { parameters: ${value} }) { __typename } }`;
    const { errors } = await ask(create(`{ a: ${'['.repeat(70)}${']'.repeat(70)} }`));
    expect(errors?.map(({ message }) => message)).toContainEqual(expect.stringMatching(/nested more than 62 levels/));
    const shallow = await ask(create(`{ a: ${'['.repeat(50)}${']'.repeat(50)} }`));
    expect(shallow.errors?.some(({ message }) => message.includes('nested'))).toBe(false);
  });
});

it.each<[string, string, string?]>([
  ['logs', 'username: $text'],
  ['logs', 'tokenName: $text'],
  ['logs', 'models: [$text]'],
  ['logs', 'groups: [$text]'],
  ['logs', 'requestId: $text'],
  ['usage', 'models: [$text]', 'groupBy: [MODEL]'],
  ['usage', 'usernames: [$text]', 'groupBy: [USER]'],
  ['users', 'keyword: $text'],
  ['users', 'groups: [$text]'],
  ['tokens', 'keyword: $text'],
  ['channels', 'keyword: $text'],
  ['channels', 'tags: [$text]'],
])('a text with U+0000, which no row has, matches nothing: %s by %s', async (list, filter, more = '') => {
  // The rows have the text that would be left without it.
  await site.query(
    `INSERT INTO logs (created_at, request_id, type, user_id, username, token_name, model_name, "group")
     VALUES (extract(epoch FROM now())::bigint, 'ab', 2, 1, 'ab', 'ab', 'ab', 'ab')`,
  );
  const { errors, data } = await ask(
    `query ($text: String!) { ${list}(filter: { ${filter} } ${more}) { items { __typename } } }`,
    {
      text: 'a\u0000b',
    },
  );
  expect([errors, data]).toEqual([undefined, { [list]: { items: [] } }]);
});

it('the budget of a credential holds where addresses are not limited', async () => {
  const small = await Site.open({ GLOBAL_API_RATE_LIMIT_ENABLE: 'false', GRAPHQL_COST_PER_MINUTE: '600' });
  try {
    const person = await small.setUp();
    const codes = [];
    for (let call = 0; call < 4; call++) {
      codes.push(...(await small.graphql(person, '{ __type(name: "Log") { name } }')).codes);
    }
    expect(codes).toContain('RATE_LIMITED');
  } finally {
    await small.stop();
  }
});
