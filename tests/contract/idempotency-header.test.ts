import { Site, type Answer, type Person } from './site.js';

let site: Site;
let root: Person;
let admin: Person;
let person: Person;

beforeAll(async () => {
  site = await Site.open({ DATABASE_POOL_SIZE: '10' });
  root = await site.setUp();
  admin = await site.invite(root, 'admin');
  person = await site.invite(root);
  const options = {
    PayAddress: 'https://pay.example.com/',
    EpayId: '1000',
    EpayKey: 'key',
    MinTopUp: '1',
    Price: '7.3',
  };
  for (const [key, value] of Object.entries({ ...options, ServerAddress: 'https://gate.example.com' }))
    await site.expectSuccess(root, 'PUT', '/api/option/', { key, value });
});
afterAll(() => site.stop());

const send = (
  caller: Person,
  method: string,
  path: string,
  { key, body }: { key: string; body: unknown },
): Promise<Answer> => site.rest(caller, method, path, body, { 'idempotency-key': key });

const numberOf = async (sql: string, ...parameters: unknown[]): Promise<number> =>
  Number((await site.query<{ n: string }>(sql, parameters))[0]?.n);
const balance = (id: number): Promise<number> => numberOf('SELECT quota AS n FROM users WHERE id = $1', id);
const wasReplayed = ({ headers }: Answer): boolean => headers.get('idempotent-replayed') === 'true';

async function newCode(more: Record<string, unknown> = {}): Promise<string> {
  const body = { name: 'code', quota: 1000, count: 1, ...more };
  const { body: created } = await site.expectSuccess(admin, 'POST', '/api/redemption/', body);
  return (created.data as string[])[0] ?? '';
}

it('a retried grant adds once', async () => {
  const before = await balance(person.id);
  const grant = (quota_delta: number, key = 'grant') =>
    send(admin, 'PUT', '/api/user/', { key, body: { id: person.id, quota_delta } });
  const first = await grant(700);
  const again = await grant(700);
  expect([first.body, again.body]).toEqual([
    { success: true, message: '' },
    { success: true, message: '' },
  ]);
  expect([wasReplayed(first), wasReplayed(again)]).toEqual([false, true]);
  expect(await balance(person.id)).toBe(before + 700);
  const other = await grant(701);
  expect(other.body).toMatchObject({ success: false, code: 'CONFLICT' });
  await grant(700, 'another grant');
  expect(await balance(person.id)).toBe(before + 1400);
});

it('of many equal grants at the same time one adds', async () => {
  const before = await balance(person.id);
  const answers = await Promise.all(
    Array.from({ length: 8 }, () =>
      send(admin, 'PUT', '/api/user/', { key: 'at once', body: { id: person.id, quota_delta: 5 } }),
    ),
  );
  expect(answers.map(({ body }) => body['success'])).toEqual(Array(8).fill(true));
  expect(answers.filter((answer) => !wasReplayed(answer))).toHaveLength(1);
  expect(await balance(person.id)).toBe(before + 5);
});

it('a retried change of a password changes it once', async () => {
  const body = { id: person.id, password: 'another password' };
  await send(admin, 'PUT', '/api/user/', { key: 'password', body });
  expect(wasReplayed(await send(admin, 'PUT', '/api/user/', { key: 'password', body }))).toBe(true);
  const other = { id: person.id, password: 'a third password' };
  expect((await send(admin, 'PUT', '/api/user/', { key: 'password', body: other })).body['code']).toBe('CONFLICT');
  person = await site.signIn(person.username, 'another password');
});

it.each([{}, { is_gift: true, max_uses: 5 }])('a retried redemption (%j) credits once and says so', async (more) => {
  const code = await newCode(more);
  const before = await balance(person.id);
  const key = `redeem ${code}`;
  const redeem = () => send(person, 'POST', '/api/user/topup', { key, body: { key: code } });
  const first = await redeem();
  const again = await redeem();
  expect(again.body).toEqual(first.body);
  expect(again.body).toMatchObject({ success: true, data: { quota: 1000 } });
  expect([wasReplayed(first), wasReplayed(again)]).toEqual([false, true]);
  expect(await balance(person.id)).toBe(before + 1000);
  expect(
    await numberOf(
      'SELECT count(*) AS n FROM ledger_entries WHERE kind = $1 AND user_id = $2 AND source = $3',
      ...['redemption', person.id, `redemption:${await numberOf('SELECT max(id) AS n FROM redemptions')}:${person.id}`],
    ),
  ).toBe(1);
  const refused = await send(person, 'POST', '/api/user/topup', { key: 'fresh', body: { key: code } });
  expect(refused.body).toMatchObject({ success: false });
});

it('GraphQL and REST share the keys of a redemption, and neither stores the code', async () => {
  const code = await newCode();
  const query =
    'mutation ($key: String!, $once: String) { redeem(input: { key: $key, idempotencyKey: $once }) { ... on Redeemed { quota kind replayed } ... on RedeemRefused { code } } }';
  const once = 'one key, two forms';
  expect((await site.graphql(person, query, { key: code, once })).data).toEqual({
    redeem: { quota: 1000, kind: 'ONCE', replayed: false },
  });
  expect((await site.graphql(person, query, { key: code, once })).data).toEqual({
    redeem: { quota: 1000, kind: 'ONCE', replayed: true },
  });
  expect(wasReplayed(await send(person, 'POST', '/api/user/topup', { key: once, body: { key: code } }))).toBe(true);
  const stored = await site.query<{ row: string }>('SELECT idempotency_keys::text AS row FROM idempotency_keys');
  expect(stored.filter(({ row }) => row.includes(code))).toEqual([]);
  expect((await site.graphql(person, query, { key: code, once: null })).data).toEqual({
    redeem: { code: 'USED' },
  });
});

it('a refused redemption stores nothing: the key may be used for the right code', async () => {
  const code = await newCode();
  const attempt = (body: unknown) => send(person, 'POST', '/api/user/topup', { key: 'mistyped', body });
  expect((await attempt({ key: 'wrong' })).body).toMatchObject({ success: false, code: 'INVALID_INPUT' });
  expect((await attempt({ key: code })).body).toMatchObject({ success: true });
});

it('a retried transfer of invite earnings moves once', async () => {
  await site.query(`SELECT ledger_post('test:invite', 'invite', 'affiliate', $1, 0, 2000000, 0, '', NULL)`, [
    person.id,
  ]);
  const before = await balance(person.id);
  const transfer = () => send(person, 'POST', '/api/user/aff_transfer', { key: 'move', body: { quota: 600_000 } });
  expect(wasReplayed(await transfer())).toBe(false);
  const again = await transfer();
  expect([again.body['success'], wasReplayed(again)]).toEqual([true, true]);
  expect(await balance(person.id)).toBe(before + 600_000);
});

it('retried codes are those of the first request', async () => {
  const body = { name: 'batch', quota: 10, count: 3 };
  const first = await send(admin, 'POST', '/api/redemption/', { key: 'batch', body });
  const again = await send(admin, 'POST', '/api/redemption/', { key: 'batch', body });
  expect(again.body).toEqual(first.body);
  expect(wasReplayed(again)).toBe(true);
  expect(await numberOf("SELECT count(*) AS n FROM redemptions WHERE name = 'batch'")).toBe(3);
});

it('a retried creation of an API key returns the key of the first one', async () => {
  const create = (name: string) =>
    send(person, 'POST', '/api/token/', { key: 'new key', body: { name, unlimited_quota: true } });
  const first = await create('once');
  const again = await create('once');
  expect(first.body).toMatchObject({ success: true });
  expect(again.body).toEqual(first.body);
  expect([wasReplayed(first), wasReplayed(again)]).toEqual([false, true]);
  expect(await numberOf("SELECT count(*) AS n FROM tokens WHERE name = 'once'")).toBe(1);
  expect((await create('other')).body).toMatchObject({ success: false, code: 'CONFLICT' });
});

it('a retry over GraphQL returns the API key, and the codes, that REST made with the same input', async () => {
  const budget = { kind: 'money', amount: 7, window: 'day' };
  const body = { name: 'two forms', remain_quota: 5, model_limits_enabled: true, model_limits: 'a,b', group: '' };
  const first = await send(person, 'POST', '/api/token/', { key: 'forms', body: { ...body, budgets: [budget] } });
  const create = (quota: number) =>
    site.graphql(
      person,
      `mutation ($input: CreateTokenInput!) { createToken(input: $input) { key token { id } replayed } }`,
      {
        input: {
          idempotencyKey: 'forms',
          name: 'two forms',
          modelLimits: ['a', 'b'],
          quota,
          budgets: [{ amount: 7, kind: 'MONEY', span: 'DAY' }],
        },
      },
    );
  const { id, key } = first.body.data as { id: number; key: string };
  expect((await create(5)).data).toEqual({ createToken: { key: `sk-${key}`, token: { id }, replayed: true } });
  expect((await create(6)).codes).toEqual(['CONFLICT']);

  const codes = { name: 'two forms', quota: 10, count: 2 };
  const made = await send(admin, 'POST', '/api/redemption/', { key: 'forms', body: codes });
  const again = await site.graphql(
    admin,
    `mutation { createRedemptions(input: { batch: "two forms", quota: 10, count: 2, idempotencyKey: "forms" })
       { redemptions { id } replayed } }`,
  );
  expect(again.data).toMatchObject({ createRedemptions: { replayed: true } });
  expect((made.body.data as string[]).length).toBe(2);
  expect(await numberOf("SELECT count(*) AS n FROM redemptions WHERE name = 'two forms'")).toBe(2);
});

it('a retried creation of channels creates no more', async () => {
  const create = (key: string) =>
    send(admin, 'POST', '/api/channel/', {
      key: 'channels',
      body: { mode: 'batch', channel: { type: 1, name: 'batch', key, models: 'gpt-4o', group: 'default' } },
    });
  const first = await create('sk-one\nsk-two');
  const again = await create('sk-one\nsk-two');
  expect([first.body['success'], again.body]).toEqual([true, first.body]);
  expect([wasReplayed(first), wasReplayed(again)]).toEqual([false, true]);
  expect(await numberOf("SELECT count(*) AS n FROM channels WHERE name = 'batch'")).toBe(2);
  expect((await create('sk-three')).body).toMatchObject({ success: false, code: 'CONFLICT' });
  const stored = await site.query<{ row: string }>('SELECT idempotency_keys::text AS row FROM idempotency_keys');
  expect(stored.filter(({ row }) => row.includes('sk-one'))).toEqual([]);
});

it('a retried creation of a budget returns the budget of the first one, over REST and GraphQL', async () => {
  const body = { level: 'user', subject_id: person.id, kind: 'money', amount: 5, window: 'day' };
  const first = await send(admin, 'POST', '/api/budget/', { key: 'budget', body });
  const again = await send(admin, 'POST', '/api/budget/', { key: 'budget', body });
  expect(first.body).toMatchObject({ success: true });
  expect(again.body).toEqual(first.body);
  expect([wasReplayed(first), wasReplayed(again)]).toEqual([false, true]);
  const create = (amount: number) =>
    site.graphql(
      admin,
      `mutation { createBudget(input: { level: USER, subjectId: ${person.id}, kind: MONEY, amount: ${amount}, span: DAY, idempotencyKey: "budget" })
         { budget { id } replayed } }`,
    );
  const { id } = first.body.data as { id: number };
  expect((await create(5)).data).toEqual({ createBudget: { budget: { id }, replayed: true } });
  expect((await create(6)).codes).toEqual(['CONFLICT']);
  expect(await numberOf("SELECT count(*) AS n FROM budgets WHERE level = 'user'")).toBe(1);
});

it('a retried top-up returns the same order', async () => {
  const pay = (amount: number) =>
    send(person, 'POST', '/api/user/pay', { key: 'pay', body: { amount, payment_method: 'wx' } });
  const first = await pay(10);
  const again = await pay(10);
  expect(first.body).toMatchObject({ success: true });
  expect(again.body).toEqual(first.body);
  expect(wasReplayed(again)).toBe(true);
  expect(await numberOf('SELECT count(*) AS n FROM top_up_orders WHERE user_id = $1', person.id)).toBe(1);
  const other = await pay(11);
  expect(other.body).toMatchObject({ success: false, code: 'CONFLICT' });
});

it('refuses a key that is empty or too long', async () => {
  const body = { name: 'never', quota: 10, count: 1 };
  for (const key of ['', 'x'.repeat(129)])
    expect((await send(admin, 'POST', '/api/redemption/', { key, body })).body['code']).toBe('INVALID_INPUT');
  expect(await numberOf("SELECT count(*) AS n FROM redemptions WHERE name = 'never'")).toBe(0);
});
