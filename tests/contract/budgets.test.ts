import { budgetKinds, budgetLevels, budgetSpans } from '../../server/src/shared/budget.js';
import { Site, type Person } from './site.js';

/** Budgets over GraphQL. `relay-budgets.test.ts` tests their effect on calls. */
let site: Site;
let root: Person;
let owner: Person;
let other: Person;
let tokenId: number;

const fields = `id level subjectId group subjectName kind amount span isRolling timeZone startsAt endsAt models enabled
  byAdmin state { startsAt resetsAt used held }`;

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  owner = await site.invite(root);
  other = await site.invite(root);
  const token = { name: 'dev', expired_time: -1, remain_quota: 500_000, unlimited_quota: false };
  const made = await site.expectSuccess(owner, 'POST', '/api/token/', token);
  tokenId = (made.body.data as { id: number }).id;
});
afterAll(() => site.stop());
beforeEach(() => site.query('DELETE FROM budgets'));

type Shown = Record<string, unknown> & { id: number };

const create = (person: Person, input: string) =>
  site.graphql(person, `mutation { createBudget(input: { ${input} }) { budget { ${fields} } } }`);
async function created(person: Person, input: string): Promise<Shown> {
  const { data, codes } = await create(person, input);
  expect(codes).toEqual([]);
  return (data?.['createBudget'] as { budget: Shown }).budget;
}
async function listed(person: Person, args = ''): Promise<Shown[]> {
  const { data, codes } = await site.graphql(person, `query { budgets${args} { items { ${fields} } } }`);
  expect(codes).toEqual([]);
  return (data?.['budgets'] as { items: Shown[] }).items;
}

it.each([
  ['level', 'BudgetLevel', budgetLevels],
  ['kind', 'BudgetKind', budgetKinds],
  ['span', 'BudgetSpan', budgetSpans],
])('the database and GraphQL know every %s', async (column, type, values) => {
  // Windows of plans are budgets that GraphQL shows with their subscription.
  const stored = column === 'level' ? [...values, 'plan'] : values;
  const [check] = await site.query<{ text: string }>(
    'SELECT pg_get_constraintdef(oid) AS text FROM pg_constraint WHERE conname = $1',
    [`budgets_${column}_check`],
  );
  expect([...(check?.text ?? '').matchAll(/'(\w+)'/g)].map(([, value]) => value)).toEqual([...stored]);
  const { data } = await site.graphql(root, `query { __type(name: "${type}") { enumValues { name } } }`);
  expect((data?.['__type'] as { enumValues: unknown[] }).enumValues).toHaveLength(values.length);
});

const ofToken = () => `level: TOKEN, subjectId: ${tokenId}, kind: MONEY, amount: 500000, span: DAY`;

it('an owner sets, changes and deletes a budget of a key, and sees its use and its reset', async () => {
  const budget = await created(owner, `${ofToken()}, timeZone: "Asia/Shanghai", models: [" gpt-* ", "gpt-*"]`);
  const now = Date.now();
  const shanghai = 8 * 3_600_000;
  const midnight = Math.floor((now + shanghai) / 86_400_000) * 86_400_000 - shanghai;
  expect(budget).toMatchObject({
    level: 'TOKEN',
    subjectId: tokenId,
    group: null,
    subjectName: 'dev',
    kind: 'MONEY',
    amount: 500_000,
    span: 'DAY',
    isRolling: false,
    timeZone: 'Asia/Shanghai',
    startsAt: null,
    endsAt: null,
    models: ['gpt-*'],
    enabled: true,
    byAdmin: false,
    state: {
      startsAt: new Date(midnight).toISOString(),
      resetsAt: new Date(midnight + 86_400_000).toISOString(),
      used: 0,
      held: 0,
    },
  });
  await site.query('INSERT INTO budget_windows (budget_id, started_at, used, held) VALUES ($1, $2, 7, 3)', [
    budget.id,
    midnight / 1000,
  ]);
  const { data } = await site.graphql(
    owner,
    `mutation { updateBudget(input: { id: ${budget.id}, amount: 9, enabled: false }) { budget { ${fields} } } }`,
  );
  expect((data?.['updateBudget'] as { budget: Shown }).budget).toMatchObject({
    amount: 9,
    enabled: false,
    models: ['gpt-*'],
    state: { used: 7, held: 3 },
  });
  expect((await site.graphql(owner, `mutation { deleteBudget(id: ${budget.id}) { id } }`)).codes).toEqual([]);
  expect(await listed(owner)).toEqual([]);
});

describe('budgets that are created with their key', () => {
  const make = (person: Person, name: string, budgets: string) =>
    site.graphql(
      person,
      `mutation { createToken(input: { name: "${name}", quota: 1000, budgets: [${budgets}] }) { key token { id } } }`,
    );
  const tokensNamed = (name: string) => site.query('SELECT 1 FROM tokens WHERE name = $1', [name]);

  it('belong to it from the first call on, and their owner may change them', async () => {
    const { data, codes } = await make(
      owner,
      'with budgets',
      `{ kind: MONEY, amount: 5, span: DAY, timeZone: "Europe/Berlin", models: ["gpt-*"] },
       { kind: REQUESTS, amount: 60, span: MINUTE, enabled: false }`,
    );
    expect(codes).toEqual([]);
    const { id } = (data?.['createToken'] as { token: { id: number } }).token;
    const budgets = await listed(owner, `(filter: { subjectId: ${id} }, sort: [{ field: ID, direction: ASC }])`);
    expect(budgets).toMatchObject([
      {
        level: 'TOKEN',
        kind: 'MONEY',
        amount: 5,
        span: 'DAY',
        timeZone: 'Europe/Berlin',
        models: ['gpt-*'],
        byAdmin: false,
      },
      { level: 'TOKEN', kind: 'REQUESTS', amount: 60, span: 'MINUTE', enabled: false, byAdmin: false },
    ]);
    const change = `mutation { updateBudget(input: { id: ${budgets[0]!.id}, amount: 6 }) { budget { amount } } }`;
    expect((await site.graphql(owner, change)).codes).toEqual([]);
  });

  it.each([
    [
      'a limit of money per minute',
      '{ kind: REQUESTS, amount: 1, span: DAY }, { kind: MONEY, amount: 1, span: MINUTE }',
    ],
    ['an amount below 0', '{ kind: MONEY, amount: -1, span: DAY }'],
    ['21 budgets', '{ kind: MONEY, amount: 1, span: DAY }'.repeat(21)],
  ])('the key is not created with %s', async (name, budgets) => {
    const { codes } = await make(owner, 'refused', budgets);
    expect([name, codes]).toEqual([name, ['INVALID_INPUT']]);
    expect(await tokensNamed('refused')).toEqual([]);
    expect(await listed(owner)).toEqual([]);
  });

  it('over REST, both or none', async () => {
    const token = { name: 'rest', expired_time: -1, remain_quota: 5, unlimited_quota: false };
    const budget = { kind: 'tokens', amount: 100, window: '5h', rolling: true };
    await site.expectSuccess(owner, 'POST', '/api/token/', { ...token, budgets: [budget] });
    expect(await listed(owner)).toMatchObject([
      { subjectName: 'rest', kind: 'TOKENS', span: 'FIVE_HOURS', isRolling: true },
    ]);
    const wrong = { ...token, name: 'refused', budgets: [budget, { ...budget, time_zone: 'Mars/Base' }] };
    expect((await site.rest(owner, 'POST', '/api/token/', wrong)).body).toMatchObject({
      success: false,
      code: 'INVALID_INPUT',
    });
    expect(await tokensNamed('refused')).toEqual([]);
    expect(await listed(owner)).toHaveLength(1);
  });
});

it('lists the budgets of a user and of the keys of that user', async () => {
  const ofKey = await created(owner, ofToken());
  const ofUser = await created(root, `level: USER, subjectId: ${owner.id}, kind: MONEY, amount: 9, span: MONTH`);
  await created(root, `level: USER, subjectId: ${other.id}, kind: MONEY, amount: 9, span: MONTH`);
  await created(root, 'level: SITE, kind: MONEY, amount: 9, span: MONTH');
  const idsFor = async (person: Person, userId: number): Promise<number[]> =>
    (await listed(person, `(filter: { userId: ${userId} })`)).map(({ id }) => id);
  expect(await idsFor(root, owner.id)).toEqual([ofUser.id, ofKey.id]);
  expect(await idsFor(owner, owner.id)).toEqual([ofUser.id, ofKey.id]);
  // The caller gets only those ids of another user that the caller may read anyway.
  expect(await idsFor(owner, other.id)).toEqual([]);
  const { body } = await site.expectSuccess(root, 'GET', `/api/budget/?user_id=${owner.id}`);
  expect((body.data as { items: Array<{ id: number }> }).items.map(({ id }) => id)).toEqual([ofUser.id, ofKey.id]);
});

it('owners read budgets of themselves and their keys, and cannot change those of an admin', async () => {
  await created(owner, ofToken());
  const byAdmin = await created(root, ofToken());
  const ofUser = await created(root, `level: USER, subjectId: ${owner.id}, kind: REQUESTS, amount: 5, span: MONTH`);
  await created(root, 'level: SITE, kind: TOKENS, amount: 5, span: WEEK, isRolling: true');
  await created(root, 'level: GROUP, group: "vip", kind: TOKENS, amount: 5, span: FIVE_HOURS');
  expect((await listed(owner)).map(({ level, byAdmin }) => [level, byAdmin])).toEqual([
    ['USER', true],
    ['TOKEN', true],
    ['TOKEN', false],
  ]);
  expect(await listed(other)).toEqual([]);
  expect(await listed(root)).toHaveLength(5);
  expect(
    (await listed(root, '(filter: { level: GROUP, group: "vip" })')).map(({ subjectName }) => subjectName),
  ).toEqual(['vip']);
  for (const { id } of [byAdmin, ofUser]) {
    const change = `mutation { updateBudget(input: { id: ${id}, amount: 9 }) { budget { id } } }`;
    expect((await site.graphql(owner, change)).codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
    expect((await site.graphql(owner, `mutation { deleteBudget(id: ${id}) { id } }`)).codes).toEqual([
      'INSUFFICIENT_PRIVILEGES',
    ]);
    expect((await site.graphql(other, change)).codes).toEqual(['NOT_FOUND']);
  }
});

it.each([
  ['of a key of another user', 'other', () => ofToken(), 'NOT_FOUND'],
  [
    'of a user, by a user',
    'owner',
    () => `level: USER, subjectId: 1, kind: MONEY, amount: 1, span: DAY`,
    'INSUFFICIENT_PRIVILEGES',
  ],
  [
    'of the site, by a user',
    'owner',
    () => 'level: SITE, kind: MONEY, amount: 1, span: DAY',
    'INSUFFICIENT_PRIVILEGES',
  ],
  [
    'of an unknown channel',
    'root',
    () => 'level: CHANNEL, subjectId: 999999, kind: MONEY, amount: 1, span: DAY',
    'NOT_FOUND',
  ],
  ['without a key', 'owner', () => 'level: TOKEN, kind: MONEY, amount: 1, span: DAY', 'INVALID_INPUT'],
  ['without a group', 'root', () => 'level: GROUP, kind: MONEY, amount: 1, span: DAY', 'INVALID_INPUT'],
  ['with a negative amount', 'owner', () => ofToken().replace('500000', '-1'), 'INVALID_INPUT'],
  ['with a range without an end', 'owner', () => ofToken().replace('DAY', 'FIXED'), 'INVALID_INPUT'],
  [
    'with a rolling range',
    'owner',
    () =>
      `${ofToken().replace('DAY', 'FIXED')}, isRolling: true, startsAt: "2026-01-01T00:00:00Z", endsAt: "2027-01-01T00:00:00Z"`,
    'INVALID_INPUT',
  ],
])('refuses a budget %s', async (_name, who, input, code) => {
  const person = { owner, other, root }[who]!;
  expect((await create(person, input())).codes).toEqual([code]);
  expect(await listed(root)).toEqual([]);
});

it('one key has at most 20 budgets', async () => {
  for (let count = 0; count < 20; count++) await created(owner, ofToken());
  expect((await create(owner, ofToken())).codes).toEqual(['INVALID_INPUT']);
});

it('an admin limits lower users and their keys, and neither root, other admins nor what is set for the admin', async () => {
  const [admin, peer] = [await site.invite(root, 'admin'), await site.invite(root, 'admin')];
  const keyOf = async (person: Person): Promise<number> => {
    const token = { name: `key of ${person.id}`, expired_time: -1, remain_quota: 5, unlimited_quota: false };
    return ((await site.expectSuccess(person, 'POST', '/api/token/', token)).body.data as { id: number }).id;
  };
  const none = 'kind: MONEY, amount: 0, span: DAY';
  const ownKey = await keyOf(admin);
  const refused = [
    ...[root, peer, admin].map(({ id }) => `level: USER, subjectId: ${id}, ${none}`),
    ...[await keyOf(root), await keyOf(peer)].map((id) => `level: TOKEN, subjectId: ${id}, ${none}`),
  ];
  for (const input of refused) expect((await create(admin, input)).codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
  expect(await listed(root)).toEqual([]);

  const limits = [
    await created(root, `level: USER, subjectId: ${admin.id}, ${none}`),
    await created(root, `level: TOKEN, subjectId: ${ownKey}, ${none}`),
    await created(peer, `level: TOKEN, subjectId: ${await keyOf(peer)}, ${none}`),
    await created(root, `level: USER, subjectId: ${root.id}, ${none}`),
  ];
  for (const { id } of limits) {
    for (const change of [
      `updateBudget(input: { id: ${id}, amount: 9 }) { budget { id } }`,
      `deleteBudget(id: ${id}) { id }`,
    ])
      expect((await site.graphql(admin, `mutation { ${change} }`)).codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
    const { body } = await site.rest(admin, 'DELETE', `/api/budget/${id}`);
    expect(body).toMatchObject({ success: false, code: 'INSUFFICIENT_PRIVILEGES' });
  }
  expect((await listed(root)).map(({ amount }) => amount)).toEqual([0, 0, 0, 0]);

  for (const input of [
    ofToken(),
    `level: USER, subjectId: ${owner.id}, ${none}`,
    `level: TOKEN, subjectId: ${ownKey}, ${none}`,
  ]) {
    const { id } = await created(admin, input);
    expect((await site.graphql(admin, `mutation { deleteBudget(id: ${id}) { id } }`)).codes).toEqual([]);
  }
});

it('records what an admin changes', async () => {
  const { id } = await created(root, 'level: SITE, kind: MONEY, amount: 5, span: DAY');
  await site.graphql(root, `mutation { updateBudget(input: { id: ${id}, amount: 9 }) { budget { id } } }`);
  await site.graphql(root, `mutation { deleteBudget(id: ${id}) { id } }`);
  const rows = await site.query<{ action: string; changes: Array<{ field: string; before: unknown; after: unknown }> }>(
    `SELECT action, changes FROM audit_entries WHERE subject = 'budget' AND subject_id = $1 ORDER BY id`,
    [String(id)],
  );
  expect(rows.map(({ action }) => action)).toEqual(['create', 'update', 'delete']);
  expect(rows[1]?.changes).toEqual([{ field: 'quota', before: '5', after: '9' }]);
  expect(rows[0]?.changes).not.toContainEqual(expect.objectContaining({ field: 'amount' }));
});
