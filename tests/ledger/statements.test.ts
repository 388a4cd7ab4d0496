import type { DataSource } from 'typeorm';
import type { TFunction } from 'i18next';
import { creditName } from '../../client/src/screens/statements/creditName.js';
import { entryKinds } from '../../server/src/billing/ledger/ledger.js';
import { toSettleLine } from '../../server/src/billing/ledger/ledger-lines.js';
import { planHoldsOf } from '../../server/src/billing/ledger/settle-within.js';
import { Statement, StatementCloser, StatementMonth, toDocument } from '../../server/src/billing/statements/index.js';
import { entities } from '../../server/src/compose/entities.js';
import { defaultOptionValues, type OptionValues } from '../../server/src/options/option-registry.js';
import { linesOf } from '../../server/src/console/statements/statement-csv.js';
import { paperTexts } from '../../server/src/console/statements/statement-texts.js';
import { createDataSource } from '../../server/src/platform/db/data-source.js';
import { TestLedger, charge } from './test-ledger.js';

let books: TestLedger;
let database: DataSource;
let values: OptionValues;
const announced: number[] = [];

beforeEach(async () => {
  books = await TestLedger.open();
  database = await createDataSource(books.database.url, 4, entities).initialize();
  values = { ...defaultOptionValues(), 'statements.time_zone': 'Asia/Kolkata', SystemName: 'Gate' };
  announced.length = 0;
});
afterEach(async () => {
  await database.destroy();
  await books.close();
});

const closer = (): StatementCloser =>
  new StatementCloser({
    database,
    options: {
      get values() {
        return values;
      },
    },
    announce: (_manager, { accountId }) => Promise.resolve(void announced.push(accountId)),
  });
const second = (text: string): number => Date.parse(text) / 1000;

async function closeAll(at: string): Promise<void> {
  while ((await closer().closeNext(second(at))) !== null);
}

async function addUser(at: string): Promise<number> {
  const id = await books.addUser(0);
  await books.pool.query('UPDATE users SET created_at = $2 WHERE id = $1', [id, at]);
  return id;
}
async function post(userId: number, amount: number, at: string, kind: 'top_up' | 'admin_grant' = 'top_up') {
  const source = `test:${userId}-${at}-${amount}`;
  await books.post({ source, kind, userId, amount });
  await books.pool.query('UPDATE ledger_entries SET created_at = $2 WHERE source = $1', [source, at]);
}
const statementsOf = (accountId: number): Promise<Statement[]> =>
  database.getRepository(Statement).find({ where: { accountId }, order: { month: 'ASC' } });
const amounts = ({ month, opening, credits, usage, closing }: Statement) => [month, opening, credits, usage, closing];

/** A call that was reserved at any time and settled at `at`. */
async function call(
  userId: number,
  id: string,
  quota: number,
  at: string,
  more: Parameters<typeof charge>[1] = {},
  paidBy: { readonly subscriptionId?: number; readonly budgets?: readonly never[] } = {},
) {
  const { ledger } = books.node(`node-${id}`);
  const held = await ledger.reserve({ requestId: id, userId, tokenId: 0, amount: quota, priced: true, ...paidBy });
  const line = toSettleLine(held, charge(quota, more), second(at));
  return { settle: () => ledger.replay(line), held };
}

it('opens with all that was before, and closes each month in order, with borders in the zone of the site', async () => {
  const user = await addUser('2026-01-05T00:00:00Z');
  await post(user, 10_000, '2026-05-01T00:00:00Z');
  await (await call(user, 'before', 1000, '2026-08-31T18:29:59Z')).settle();
  // September begins at 18:30 UTC in India, in the middle of an hour of the usage.
  await (await call(user, 'first', 200, '2026-08-31T18:30:00Z')).settle();
  await post(user, 5000, '2026-09-10T00:00:00Z');
  await post(user, -300, '2026-09-11T00:00:00Z', 'admin_grant');
  await (await call(user, 'last', 30, '2026-09-30T18:29:59Z', { modelName: 'other' })).settle();
  await (await call(user, 'next', 4, '2026-09-30T18:30:00Z')).settle();
  await post(user, 7, '2026-09-30T18:30:00Z');

  // Six hours after midnight in India.
  await closeAll('2026-10-01T00:29:59Z');
  expect(await statementsOf(user)).toEqual([]);
  await closeAll('2026-10-01T00:30:00Z');
  const [september] = await statementsOf(user);
  expect(amounts(september!)).toEqual(['2026-09', 9000, 4700, 230, 13_470]);
  expect(september!.content).toMatchObject({
    seller: { name: 'Gate' },
    credits: [
      { kind: 'top_up', count: 1, amount: 5000 },
      { kind: 'admin_grant', count: 1, amount: -300 },
    ],
    payments: [{ kind: 'top_up', at: '2026-09-10T00:00:00.000Z', amount: 5000 }],
    usage: [
      { tokenId: 0, modelName: 'gpt-4o', calls: 1, promptTokens: 10, completionTokens: 5, quota: 200 },
      { tokenId: 0, modelName: 'other', calls: 1, quota: 30 },
    ],
  });
  expect(await books.reconcile()).toEqual([]);

  // A site that was off for a month closes both.
  await closeAll('2026-12-05T00:00:00Z');
  expect((await statementsOf(user)).map(amounts)).toEqual([
    ['2026-09', 9000, 4700, 230, 13_470],
    ['2026-10', 13_470, 7, 4, 13_473],
    ['2026-11', 13_473, 0, 0, 13_473],
  ]);
  expect((await books.user(user)).quota).toBe(13_473);
  expect(await books.reconcile()).toEqual([]);
}, 60_000);

it('states what arrives late in the next statement, and replays nowhere', async () => {
  const user = await addUser('2026-09-02T00:00:00Z');
  await post(user, 10_000, '2026-09-02T00:00:00Z');
  const late = await call(user, 'late', 100, '2026-09-30T10:00:00Z');
  const inFlight = await call(user, 'flight', 50, '2026-10-01T03:00:00Z');
  const lost = await call(user, 'gone', 70, '2026-09-15T10:00:00Z');
  const open = await call(user, 'open', 25, '2026-09-15T10:00:00Z');
  await inFlight.settle();
  await closeAll('2026-10-02T00:00:00Z');
  const [september] = await statementsOf(user);
  expect(amounts(september!)).toEqual(['2026-09', 0, 10_000, 0, 10_000]);

  // The spool of a dead node is replayed after the month was closed, twice.
  await Promise.all([late.settle(), late.settle()]);
  await late.settle();
  // A crash lost this reservation.
  await books.pool.query(`DELETE FROM reservations WHERE request_id = 'gone'`);
  await books.pool.query('UPDATE users SET quota = quota + 70 WHERE id = $1', [user]);
  await lost.settle();
  await lost.settle();
  // An entry whose transaction began before midnight.
  await post(user, 3, '2026-09-30T18:29:59Z');
  expect(await books.reconcile()).toEqual([]);
  const preview = await closer().preview(user, new Date('2026-10-20T00:00:00Z'));
  expect(preview).toMatchObject({ month: '2026-10', opening: 10_000, closing: 9783, reserved: 25 });
  expect((await books.user(user)).quota).toBe(9783 - 25);

  await closeAll('2026-11-02T00:00:00Z');
  const statements = await statementsOf(user);
  expect(statements[0]).toEqual(september);
  expect(amounts(statements[1]!)).toEqual(['2026-10', 10_000, 3, 220, 9783]);
  expect(statements[1]!.content.payments).toMatchObject([{ at: '2026-09-30T18:29:59.000Z', amount: 3 }]);
  expect(open.held.amount).toBe(25);
  expect(await books.reconcile()).toEqual([]);
}, 60_000);

it('previews the month before until its statements are closed', async () => {
  const user = await addUser('2026-09-02T00:00:00Z');
  await post(user, 100, '2026-09-02T00:00:00Z');
  await closeAll('2026-10-02T00:00:00Z');
  await post(user, 20, '2026-10-05T00:00:00Z');
  await post(user, 3, '2026-10-31T18:30:00Z');
  // November begins at 18:30 UTC in India.
  const preview = async (at: string) => {
    const { month, opening, credits, content } = (await closer().preview(user, new Date(at)))!;
    return [month, opening, credits, content.startsAt, content.endsAt];
  };
  const october = ['2026-09-30T18:30:00.000Z', '2026-10-31T18:30:00.000Z'];
  expect(await preview('2026-10-31T18:00:00Z')).toEqual(['2026-10', 100, 20, ...october]);
  expect(await preview('2026-11-01T00:29:59Z')).toEqual(['2026-10', 100, 20, ...october]);
  await closeAll('2026-11-01T00:30:00Z');
  expect(await preview('2026-11-01T00:30:00Z')).toEqual([
    ...['2026-11', 120, 3, '2026-10-31T18:30:00.000Z', '2026-11-30T18:30:00.000Z'],
  ]);
}, 60_000);

it('never previews a month that is closed, after a change to a time zone where it still runs', async () => {
  const user = await addUser('2026-09-02T00:00:00Z');
  await post(user, 100, '2026-09-02T00:00:00Z');
  await closeAll('2026-11-01T00:30:00Z');
  values = { ...values, 'statements.time_zone': 'America/Los_Angeles' };
  await post(user, 20, '2026-11-05T00:00:00Z');
  expect(await closer().preview(user, new Date('2026-11-01T01:00:00Z'))).toMatchObject({
    month: '2026-11',
    opening: 100,
    credits: 20,
    closing: 120,
    content: { startsAt: '2026-10-31T18:30:00.000Z', endsAt: '2026-12-01T08:00:00.000Z' },
  });
}, 60_000);

it('opens an imported account with the balance that it had before its imported usage', async () => {
  const user = await addUser('2024-01-01T00:00:00Z');
  // The import ran on September 20: usage of 40 before September and of 2 in it was read from the log of the other program.
  await books.post({ source: `import:${user}`, kind: 'opening', userId: user, amount: 1042, note: 'imported' });
  await books.pool.query(`UPDATE ledger_entries SET created_at = '2026-09-20' WHERE user_id = $1`, [user]);
  await (await call(user, 'old', 40, '2026-03-01T00:00:00Z')).settle();
  await (await call(user, 'new', 2, '2026-09-19T00:00:00Z')).settle();
  expect(await closer().preview(user, new Date('2026-09-25T00:00:00Z'))).toMatchObject({
    opening: 1002,
    closing: 1000,
  });
  await closeAll('2026-10-02T00:00:00Z');
  expect((await statementsOf(user)).map(amounts)).toEqual([['2026-09', 1002, 0, 2, 1000]]);
  expect(await books.reconcile()).toEqual([]);
}, 60_000);

it('changes no closed statement, and reconcile finds one that was changed by force', async () => {
  const user = await addUser('2026-09-02T00:00:00Z');
  await post(user, 500, '2026-09-02T00:00:00Z');
  await closeAll('2026-10-02T00:00:00Z');
  for (const change of ['UPDATE statements SET closing = closing', 'DELETE FROM statements']) {
    await expect(books.pool.query(change)).rejects.toThrow('closed statements cannot be changed');
  }
  await books.pool.query('ALTER TABLE statements DISABLE TRIGGER statements_immutable');
  await books.pool.query('UPDATE statements SET credits = credits + 1, closing = closing + 1, number = number + 1');
  expect((await books.reconcile()).map(({ account, expected, found }) => [account, expected, found])).toEqual([
    ['statement lines', 501, 500],
    ['statement closing', 500, 501],
    ['statement balance', 501, 500],
    ['statement numbers', 2, 1],
  ]);
  await books.pool.query('DELETE FROM statements');
  expect(await books.reconcile()).toEqual([
    { account: 'statement closing', id: String(user), name: 'no statement', expected: 500, found: 0 },
  ]);
}, 60_000);

it('closes each account once, with numbers without gaps, on several nodes and after failures in the middle', async () => {
  for (let index = 0; index < 130; index++) {
    const user = await addUser('2026-09-02T00:00:00Z');
    // Some have nothing to state.
    if (index % 10 !== 0) await post(user, 100 + index, '2026-09-03T00:00:00Z');
    await books.pool.query('INSERT INTO billing_profiles (account_id, notifies) VALUES ($1, $2)', [user, index < 20]);
  }
  let failures = 0;
  const failing = new StatementCloser({
    database,
    options: { values },
    announce: () => (failures++ < 2 ? Promise.reject(new Error('killed')) : Promise.resolve()),
  });
  const at = second('2026-10-02T00:00:00Z');
  await expect(failing.closeNext(at)).rejects.toThrow('killed');
  expect(await database.getRepository(Statement).count()).toBe(0);
  const rounds = Array.from({ length: 4 }, async (_, node) => {
    for (let turn = 0; turn < 20; turn++) await (node === 0 ? failing : closer()).closeNext(at).catch(() => undefined);
  });
  await Promise.all(rounds);
  await closeAll('2026-10-02T00:00:00Z');
  const numbers = await books.pool.query<{ number: number; accounts: string }>(
    'SELECT number, count(*) OVER (PARTITION BY account_id) AS accounts FROM statements ORDER BY number',
  );
  expect(numbers.rows).toEqual(Array.from({ length: 117 }, (_, index) => ({ number: index + 1, accounts: '1' })));
  expect(await database.getRepository(StatementMonth).findOneBy({ month: '2026-09' })).toMatchObject({
    startsAt: new Date('2026-08-31T18:30:00Z'),
    endsAt: new Date('2026-09-30T18:30:00Z'),
    timeZone: 'Asia/Kolkata',
    closedAt: new Date(at * 1000),
  });
  expect(await books.reconcile()).toEqual([]);
}, 60_000);

/** An account with a subscription whose price the balance pays. */
async function subscribe(userId: number, price: number, at: string): Promise<number> {
  const { rows } = await books.pool.query<{ id: number }>(
    `WITH plan AS (
       INSERT INTO plans (name, price, period_unit, period_count, windows, overflow)
       VALUES ('Plan', $2, 'month', 1, '[]', 'wallet') RETURNING id)
     INSERT INTO subscriptions (account_id, plan_id, terms, state, starts_at, ends_at, origin, paid)
     SELECT $1, id, '{"name": "Plan"}', 'active', $3::timestamptz, $3::timestamptz + interval '1 year', 'purchase', $2 FROM plan
     RETURNING id`,
    [userId, price, at],
  );
  const id = rows[0]!.id;
  await books.pool.query('INSERT INTO subscription_use (subscription_id, account_id) VALUES ($1, $2)', [id, userId]);
  const source = `plan:${id}`;
  await books.post({ source, kind: 'plan', userId, amount: -price });
  await books.pool.query('UPDATE ledger_entries SET created_at = $2 WHERE source = $1', [source, at]);
  return id;
}

it.each(['person', 'organisation'])(
  'credits what plans paid of the usage to a %s, in the month of the settlement, and equals the balance',
  async (kind) => {
    const user = await addUser('2026-09-02T00:00:00Z');
    await books.pool.query('UPDATE users SET kind = $2 WHERE id = $1', [user, kind]);
    await post(user, 10_000, '2026-09-02T00:00:00Z');
    const plan = await subscribe(user, 1000, '2026-09-03T00:00:00Z');
    const paidBy = { subscriptionId: plan, budgets: [] };
    await (await call(user, 'by-plan', 700, '2026-09-10T00:00:00Z', {}, paidBy)).settle();
    await (await call(user, 'by-wallet', 50, '2026-09-10T00:00:00Z')).settle();
    // September ends at 18:30 UTC in India, in the middle of an hour.
    await (await call(user, 'last', 20, '2026-09-30T18:29:59Z', {}, paidBy)).settle();
    await (await call(user, 'next', 3, '2026-09-30T18:30:00Z', {}, paidBy)).settle();
    const late = await call(user, 'late', 400, '2026-09-30T10:00:00Z', {}, paidBy);
    await call(user, 'open', 35, '2026-09-30T10:00:00Z', {}, paidBy);
    await call(user, 'held', 8, '2026-09-30T10:00:00Z');
    await post(user, -100, '2026-09-20T00:00:00Z', 'admin_grant');
    expect(await books.reconcile()).toEqual([]);

    await closeAll('2026-10-02T00:00:00Z');
    const [september] = await statementsOf(user);
    expect(amounts(september!)).toEqual(['2026-09', 0, 10_000 - 1000 - 100 + 720, 770, 8850]);
    expect(september!.content.credits).toEqual([
      { kind: 'top_up', count: 1, amount: 10_000 },
      { kind: 'plan', count: 1, amount: -1000 },
      { kind: 'admin_grant', count: 1, amount: -100 },
      { kind: 'paid_by_plan', count: 2, amount: 720 },
    ]);
    expect(await books.reconcile()).toEqual([]);

    // A settlement of September, replayed in October: usage and payment are in the same statement.
    await Promise.all([late.settle(), late.settle()]);
    await books.post({ source: `plan:${plan}:refund`, kind: 'plan', userId: user, amount: 600 });
    await books.pool.query(`UPDATE subscriptions SET refunded = 600 WHERE id = $1`, [plan]);
    await books.pool.query(`UPDATE ledger_entries SET created_at = '2026-10-05' WHERE source = $1`, [
      `plan:${plan}:refund`,
    ]);
    const preview = await closer().preview(user, new Date('2026-10-20T00:00:00Z'));
    expect(preview).toMatchObject({ opening: 8850, credits: 600 + 403, usage: 403, closing: 9450, reserved: 8 });
    expect((await books.user(user)).quota).toBe(9442);
    await closeAll('2026-11-02T00:00:00Z');
    expect(amounts((await statementsOf(user))[1]!)).toEqual(['2026-10', 8850, 1003, 403, 9450]);
    expect(await books.reconcile()).toEqual([]);

    // The stated and the unstated amounts do not add up to the balance.
    await books.pool.query('UPDATE statement_plan_usage SET quota = quota + 1');
    expect((await books.reconcile()).map(({ account, expected, found }) => [account, expected, found])).toEqual([
      ['statement closing', 9451, 9450],
      ['statement balance', 9441, 9442],
      ['stated payments of plans', 1123, 1124],
    ]);
  },
  60_000,
);

/** A failed task whose charge came back at `at`: to its plan, or else to the balance. */
async function failedTask(
  userId: number,
  id: string,
  amount: number,
  plan: number | null,
  charged: string,
  at: string,
) {
  const paidBy = plan === null ? {} : { subscriptionId: plan, budgets: [] };
  const { settle, held } = await call(userId, id, amount, charged, {}, paidBy);
  await settle();
  const holds = plan === null ? null : JSON.stringify(planHoldsOf(held));
  const { rows } = await books.pool.query<{ id: number }>(
    `INSERT INTO tasks (created_at, updated_at, platform, user_id, channel_id, action, status, submit_time, progress, request_id, quota,
                        charged_at, is_logged, plan_holds)
     VALUES ($3, $3, 'suno', $1, 1, 'MUSIC', 'FAILURE', $3, 100, $2, $4, $3, true, $5) RETURNING id`,
    [userId, id, charged, amount, holds],
  );
  const source = `refund:task:${rows[0]!.id}`;
  await books.post({ source, kind: 'refund', userId, amount });
  await books.pool.query('UPDATE ledger_entries SET created_at = $2 WHERE source = $1', [source, at]);
  if (holds === null) return;
  await books.pool.query('SELECT ledger_return_to_plan($1, $2, true)', [holds, amount]);
  // The function counts it in the hour that runs.
  await books.pool.query(
    `WITH moved AS (DELETE FROM plan_usage_hourly WHERE account_id = $1 AND hour > $2 + 86400 RETURNING *)
     INSERT INTO plan_usage_hourly AS u SELECT $2 - $2 % 3600, account_id, calls, quota FROM moved
     ON CONFLICT (hour, account_id) DO UPDATE SET calls = u.calls + excluded.calls, quota = u.quota + excluded.quota`,
    [userId, second(at)],
  );
}

it('states the charges of failed tasks that came back within the hour of the border on the side of their time', async () => {
  const user = await addUser('2026-09-02T00:00:00Z');
  await post(user, 10_000, '2026-09-02T00:00:00Z');
  const plan = await subscribe(user, 1000, '2026-09-03T00:00:00Z');
  // September ends at 18:30 UTC in India, in the middle of an hour.
  const charged = '2026-09-30T18:05:00Z';
  await failedTask(user, 'before', 300, plan, charged, '2026-09-30T18:29:59Z');
  await failedTask(user, 'after', 200, plan, charged, '2026-09-30T18:30:00Z');
  await failedTask(user, 'of the balance', 100, null, charged, '2026-09-30T18:20:00Z');
  expect((await books.user(user)).quota).toBe(9000);
  expect(await books.reconcile()).toEqual([]);

  await closeAll('2026-10-02T00:00:00Z');
  const [september] = await statementsOf(user);
  expect(amounts(september!)).toEqual(['2026-09', 0, 10_000 - 1000 + 400 + 200, 600, 9000]);
  expect(september!.content.credits).toEqual([
    { kind: 'top_up', count: 1, amount: 10_000 },
    { kind: 'plan', count: 1, amount: -1000 },
    { kind: 'task_refund', count: 2, amount: 400 },
    { kind: 'paid_by_plan', count: 1, amount: 200 },
  ]);
  expect(await books.reconcile()).toEqual([]);

  // The plan got back more than it paid in October.
  await closeAll('2026-11-02T00:00:00Z');
  const [, october] = await statementsOf(user);
  expect(amounts(october!)).toEqual(['2026-10', 9000, 0, 0, 9000]);
  expect(october!.content.credits).toEqual([
    { kind: 'task_refund', count: 1, amount: 200 },
    { kind: 'paid_by_plan', count: -1, amount: -200 },
  ]);
  expect(await books.reconcile()).toEqual([]);
}, 60_000);

it('has a name for every kind of movement, on paper and in the console', async () => {
  const user = await addUser('2026-09-02T00:00:00Z');
  const ofUsers = entryKinds.filter((kind) => kind !== 'token_limit');
  for (const kind of ofUsers) await books.post({ source: `test:${kind}`, kind, userId: user, amount: 1000 });
  await books.post({ source: 'reversal:1', kind: 'top_up', userId: user, amount: -1 });
  const plan = await subscribe(user, 10, '2026-09-03T00:00:00Z');
  const paidBy = { subscriptionId: plan, budgets: [] };
  await (await call(user, 'by-plan', 700, '2026-09-10T00:00:00Z', {}, paidBy)).settle();
  await books.pool.query(`UPDATE ledger_entries SET created_at = '2026-09-10' WHERE user_id = $1`, [user]);
  const preview = await closer().preview(user, new Date('2026-09-20T00:00:00Z'));
  const kinds = preview!.content.credits.map(({ kind }) => kind);
  expect(kinds).toHaveLength(ofUsers.length + 2);
  const onPaper: Readonly<Record<string, string>> = paperTexts.en.kinds;
  expect(kinds.filter((kind) => !onPaper[kind])).toEqual([]);
  const name = ((key: string) => key) as unknown as TFunction;
  expect(kinds.filter((kind) => creditName(name, kind) === kind)).toEqual([]);
}, 60_000);

/** A reproducible source of numbers from 0 to `below` - 1. */
function numbersOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

it.each(['Asia/Kolkata', 'America/New_York', 'UTC'])(
  'equals the ledger for every person and organisation of a generated site in %s, and so does its CSV file',
  async (zone) => {
    values = { ...values, 'statements.time_zone': zone };
    const next = numbersOf(zone.length);
    const users = [];
    for (let index = 0; index < 8; index++) users.push(await addUser('2026-06-01T00:00:00Z'));
    await books.pool.query(`UPDATE users SET kind = 'organisation' WHERE id % 2 = 0`);
    const { ledger } = books.node('generated');
    /** Every movement: its time, its amount, and the end of the last month that was closed before it was written. */
    const written: Array<{ user: number; at: number; amount: number; closed: number; usage: boolean }> = [];
    let closed = -Infinity;
    const months = ['2026-07', '2026-08', '2026-09', '2026-10', '2026-11'];
    const borders = new Map<string, number>();
    let serial = 0;
    const stock: Array<() => Promise<void>> = [];
    for (const [index, month] of months.entries()) {
      const start = second(`${month}-01T00:00:00Z`) - 86_400;
      for (let event = 0; event < 60; event++) {
        const user = users[next(users.length)]!;
        // A third is close to a border of the month in any zone.
        const at = start + (next(3) === 0 ? next(172_800) : next(31 * 86_400));
        const amount = 1 + next(5000);
        if (next(4) === 0) {
          await post(user, amount * 20, new Date(at * 1000).toISOString(), next(2) ? 'top_up' : 'admin_grant');
          written.push({ user, at, amount: amount * 20, closed, usage: false });
          continue;
        }
        const requestId = `g-${serial++}`;
        const held = await ledger
          .reserve({ requestId, userId: user, tokenId: 0, amount: amount + 1, priced: true })
          .catch(() => null);
        if (!held) continue;
        if (next(8) === 0) {
          await ledger.release(held);
          continue;
        }
        const line = toSettleLine(
          held,
          charge(amount, { rest: next(2) ? next(1_000_000_000) - 500_000_000 : 0, modelName: `model-${next(3)}` }),
          at,
        );
        const settle = async () => {
          const before = closed;
          await Promise.all([ledger.replay(line), ledger.replay(line)]);
          const { rows } = await books.pool.query<{ quota: string }>('SELECT quota FROM logs WHERE request_id = $1', [
            requestId,
          ]);
          written.push({ user, at, amount: Number(rows[0]!.quota), closed: before, usage: true });
        };
        // Some settlements wait in a spool until after the month was closed.
        if (next(5) === 0) stock.push(settle);
        else await settle();
      }
      const later = index + 1 < months.length ? `${months[index + 1]}-03T00:00:00Z` : '2026-12-03T00:00:00Z';
      await closeAll(later);
      const row = await database.getRepository(StatementMonth).findOneByOrFail({ month });
      borders.set(month, row.endsAt.getTime() / 1000);
      closed = row.endsAt.getTime() / 1000;
      for (const settle of stock.splice(0)) await settle();
      expect(await books.reconcile()).toEqual([]);
    }
    const first =
      (await database.getRepository(StatementMonth).findOneByOrFail({ month: '2026-07' })).startsAt.getTime() / 1000;
    for (const user of users) {
      const mine = written.filter((one) => one.user === user);
      let opening = mine
        .filter(({ at, closed: before }) => at < first && before === -Infinity)
        .reduce((sum, one) => sum + signed(one), 0);
      const statements = new Map((await statementsOf(user)).map((one) => [one.month, one]));
      let start = first;
      let until = -Infinity;
      for (const [month, end] of borders) {
        // Written before this month was closed, and before its end; of earlier times only what was written after those were closed.
        const within = mine.filter(
          ({ at, closed: before }) =>
            before <= until &&
            at < end &&
            (before === until ? (until === -Infinity ? at >= start : true) : at >= start),
        );
        const credits = within.filter(({ usage }) => !usage).reduce((sum, { amount }) => sum + amount, 0);
        const usage = within.filter(({ usage: isUsage }) => isUsage).reduce((sum, { amount }) => sum + amount, 0);
        const statement = statements.get(month);
        expect([month, statement?.opening ?? 0, statement?.credits ?? 0, statement?.usage ?? 0]).toEqual([
          month,
          opening,
          credits,
          usage,
        ]);
        const of = (kind: string): number =>
          (statement ? linesOf(toDocument(statement)) : [])
            .filter(({ line }) => line === kind)
            .reduce((sum, { quota }) => sum + quota, 0);
        if (statement)
          expect(['opening', 'credit', 'usage', 'closing'].map(of)).toEqual([
            opening,
            credits,
            0 - usage,
            opening + credits - usage,
          ]);
        opening += credits - usage;
        until = end;
        start = end;
      }
      const preview = await closer().preview(user, new Date('2026-12-10T00:00:00Z'));
      expect((preview?.closing ?? 0) - (preview?.reserved ?? 0)).toBe((await books.user(user)).quota);
    }
  },
  120_000,
);

const signed = ({ amount, usage }: { amount: number; usage: boolean }): number => (usage ? -amount : amount);
