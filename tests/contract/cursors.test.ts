import { Site, type Person } from './site.js';

/** Every list refuses cursors that were cut, changed or invented. */
let site: Site;
let root: Person;

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  for (const n of [1, 2, 3]) {
    const person = await site.invite(root);
    await site.expectSuccess(person, 'POST', '/api/token/', { name: `key ${n}`, unlimited_quota: true });
    await site.expectSuccess(root, 'POST', '/api/redemption/', { name: `code ${n}`, quota: 10, count: 1 });
    const { codes } = await site.graphql(
      root,
      `mutation { createBudget(input: { level: USER, subjectId: ${person.id}, kind: MONEY, amount: 5, span: DAY }) { budget { id } } }`,
    );
    expect(codes).toEqual([]);
  }
  await site.query(
    `INSERT INTO logs (created_at, type, user_id, username, content) SELECT extract(epoch FROM now())::bigint - n, 1, $1, 'root', 'a row'
       FROM generate_series(1, 3) n`,
    [root.id],
  );
  await site.query(
    `INSERT INTO redemption_uses (redemption_id, user_id, used_at, quota) SELECT (SELECT max(id) FROM redemptions), id, now(), 1 FROM users`,
  );
});
afterAll(() => site.stop());

const values = ['x', '', '2026-13-45', 1e30, 1.5, -1, null, true, '99999-01-01', 'infinity'];

/** A cursor of calls in flight without a call: the sweeper would remove reservations that a test inserts. */
const ofNoCall = ['2026-01-01 00:00:00+00', 'request'];

async function read(
  list: string,
  sort: string,
  after: string | null,
): Promise<{ end: string | null; codes: string[] }> {
  const [field = '', inner] = list.split('/');
  const args = `(pageSize: 1${sort}${inner ? '' : ', after: $after'})`;
  const shown = inner
    ? `items { ${inner}(pageSize: 1, after: $after) { pageInfo { endCursor } } }`
    : 'pageInfo { endCursor }';
  const { data, codes } = await site.graphql(
    root,
    `query ($after: String) { ${field}${inner ? '(pageSize: 1)' : args} { ${shown} } }`,
    { after },
  );
  const end = /"endCursor":"([^"]+)"/.exec(JSON.stringify(data))?.[1] ?? null;
  return { end, codes };
}

it.each([
  ...[
    'users',
    'tokens',
    'redemptions',
    'budgets',
    'auditEntries',
    'logs',
    'liveCalls',
    'users/tokens',
    'redemptions/uses',
  ].map((list) => [list, '']),
  ['users', ', sort: [{ field: CREATED_AT }]'],
  ['users', ', sort: [{ field: USERNAME }, { field: QUOTA }]'],
  ['tokens', ', sort: [{ field: EXPIRES_AT, direction: ASC }]'],
  ['budgets', ', sort: [{ field: LEVEL }, { field: AMOUNT }]'],
])('refuses forged cursors of %s%s', async (list, sort) => {
  const { end, codes } = await read(list, sort, null);
  expect(codes).toEqual([]);
  const parts = end === null ? ofNoCall : (JSON.parse(Buffer.from(end, 'base64url').toString()) as unknown[]);
  const seen = new Map<string, readonly string[]>();
  for (let at = 0; at < parts.length; at++) {
    for (const value of values) {
      const text = JSON.stringify(parts.with(at, value));
      const answer = await read(list, sort, Buffer.from(text).toString('base64url'));
      if (answer.codes.length > 0) seen.set(text, answer.codes);
    }
  }
  for (const cursor of ['', 'x', end?.slice(0, -4) ?? '', `${end}AAAA`]) {
    const answer = await read(list, sort, cursor);
    if (answer.codes.length > 0) seen.set(cursor, answer.codes);
  }
  expect(seen.size).toBeGreaterThan(0);
  expect([...seen].filter(([, [code]]) => code !== 'INVALID_INPUT')).toEqual([]);
});
