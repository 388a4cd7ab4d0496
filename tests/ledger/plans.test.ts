import fc from 'fast-check';
import type { BudgetHold } from '../../server/src/billing/ledger/budget-holds.js';
import { LedgerSql } from '../../server/src/billing/ledger/ledger-sql.js';
import {
  SubscriptionEndedError,
  type Reservation,
  type ReserveRequest,
} from '../../server/src/billing/ledger/ledger.js';
import { SessionLedger } from '../../server/src/billing/ledger/session-ledger.js';
import { systemClock } from '../../server/src/shared/clock.js';
import { TestLedger, charge } from './test-ledger.js';

/** Reservations and settlements that a plan pays, when nodes and the database die. */
let testLedger: TestLedger;
beforeAll(async () => {
  testLedger = await TestLedger.open();
});
afterAll(() => testLedger.close());
afterEach(async () => {
  expect(await testLedger.reconcile()).toEqual([]);
  await testLedger.closeNodes();
});

const start = Math.floor(Date.now() / 1000) - 60;
const end = start + 86_400;
let next = 0;

interface Caller {
  readonly userId: number;
  readonly tokenId: number;
  readonly subscriptionId: number;
  readonly budgets: (amount: number) => readonly BudgetHold[];
}

/** An account with a balance, and a plan with one window that nothing was paid for. */
async function addCaller(balance: number, room: number): Promise<Caller> {
  const { pool } = testLedger;
  const userId = await testLedger.addUser(balance);
  const tokenId = await testLedger.addToken(userId, 1_000_000);
  const plan = await pool.query<{ id: number }>(
    `INSERT INTO plans (name, price, period_unit, period_count, windows, overflow)
     VALUES ('Plan', 0, 'day', 1, '[]', 'stop') RETURNING id`,
  );
  const sold = await pool.query<{ id: number }>(
    `INSERT INTO subscriptions (account_id, plan_id, terms, state, starts_at, ends_at, origin, paid)
     VALUES ($1, $2, '{"name": "Plan"}', 'active', to_timestamp($3), to_timestamp($4), 'grant', 0) RETURNING id`,
    [userId, plan.rows[0]!.id, start, end],
  );
  const subscriptionId = sold.rows[0]!.id;
  await pool.query('INSERT INTO subscription_use (subscription_id, account_id) VALUES ($1, $2)', [
    subscriptionId,
    userId,
  ]);
  const budget = await pool.query<{ id: number }>(
    `INSERT INTO budgets (level, subject_id, kind, amount, span, starts_at, ends_at, created_by, by_admin)
     VALUES ('plan', $1, 'money', $2, 'fixed', to_timestamp($3), to_timestamp($4), 1, true) RETURNING id`,
    [subscriptionId, room, start, end],
  );
  const budgetId = budget.rows[0]!.id;
  const budgets = (amount: number): readonly BudgetHold[] => [
    { budgetId, kind: 'money', amount, start, from: start, end, lifetime: null, askedAt: Date.now() },
  ];
  return { userId, tokenId, subscriptionId, budgets };
}

const request = (caller: Caller, amount: number): ReserveRequest => ({
  userId: caller.userId,
  tokenId: caller.tokenId,
  requestId: `plan-${++next}`,
  amount,
  priced: true,
  budgets: caller.budgets(amount),
  subscriptionId: caller.subscriptionId,
});

async function stateOf({ userId, tokenId, subscriptionId }: Caller): Promise<Record<string, number>> {
  const { rows } = await testLedger.pool.query<Record<string, string>>(
    `SELECT used, held, (SELECT sum(held) FROM budget_windows w JOIN budgets b ON b.id = w.budget_id
                          WHERE b.level = 'plan' AND b.subject_id = $1) AS windows
       FROM subscription_use WHERE subscription_id = $1`,
    [subscriptionId],
  );
  const { quota } = await testLedger.user(userId);
  const { remain_quota: key } = await testLedger.token(tokenId);
  return {
    quota,
    key,
    used: Number(rows[0]!['used']),
    held: Number(rows[0]!['held']),
    windows: Number(rows[0]!['windows']),
  };
}

it('holds in the plan and in the key, and nothing of the balance', async () => {
  const caller = await addCaller(0, 1000);
  const { ledger } = testLedger.node('a');
  const open = await ledger.reserve(request(caller, 600));
  expect(await stateOf(caller)).toEqual({ quota: 0, key: 999_400, used: 0, held: 600, windows: 600 });
  expect(await testLedger.reconcile()).toEqual([]);
  await expect(ledger.reserve(request(caller, 401))).rejects.toMatchObject({ code: 'BUDGET_EXCEEDED' });
  expect(await ledger.settle(open, charge(250))).toEqual({ userQuota: null, uncharged: 0 });
  expect(await stateOf(caller)).toEqual({ quota: 0, key: 999_750, used: 250, held: 0, windows: 0 });
});

it('pays all of a charge above the reservation, which the balance does not have', async () => {
  const caller = await addCaller(5, 1000);
  const { ledger } = testLedger.node('a');
  await ledger.settle(await ledger.reserve(request(caller, 100)), charge(700, { least: 100 }));
  expect(await stateOf(caller)).toMatchObject({ quota: 5, used: 700 });
});

it('a killed node: the sweep returns what it held, and its late settlement is paid by the plan', async () => {
  const caller = await addCaller(0, 1000);
  const { ledger } = testLedger.node('dead');
  const open = await ledger.reserve(request(caller, 600));
  await testLedger.node('alive').keeper.sweepDead();
  expect(await stateOf(caller)).toEqual({ quota: 0, key: 1_000_000, used: 0, held: 0, windows: 0 });
  expect(await testLedger.reconcile()).toEqual([]);
  await ledger.settle(open, charge(250));
  await ledger.settle(open, charge(250));
  expect(await stateOf(caller)).toEqual({ quota: 0, key: 999_750, used: 250, held: 0, windows: 0 });
});

it('a killed node: the plan pays for a response of a session, and for the rest when the node was alive', async () => {
  const caller = await addCaller(5, 1000);
  const { userId, tokenId, subscriptionId, budgets } = caller;
  const { ledger, pool } = testLedger.node('dead session');
  const database = {
    query: async (text: string, values?: unknown[]) => (await pool.query(text, values)).rows as unknown,
  };
  const session = new SessionLedger(
    { database, ledger, clock: systemClock, logger: { warn: () => undefined } },
    { requestId: 'planned session', userId, tokenId },
  );
  const plan = { name: 'plan', subscriptionId, holds: (money: number) => budgets(money) };
  const first = await session.reserve(100, true, 0, { payer: plan });
  expect(await session.settle(first, charge(40, { other: { ws: true } }))).toEqual({ userQuota: null, uncharged: 0 });
  const held = await session.reserve(300, true, 0, { payer: plan });
  const ofBalance = await session.reserve(5, true, 0);
  const { due } = session.unsettled(held, charge(120, { other: { ws: true } }));
  await pool.query('UPDATE reservations SET due = $2 WHERE request_id = $1', [held.requestId, due]);
  await testLedger.node('sweeper of sessions').keeper.sweepDead();
  expect(await stateOf(caller)).toEqual({ quota: 5, key: 999_840, used: 160, held: 0, windows: 0 });
  expect(await testLedger.reconcile()).toEqual([]);
  await session.settle(held, charge(250, { other: { ws: true } }));
  await session.settle(held, charge(250, { other: { ws: true } }));
  await session.settle(ofBalance, charge(3, { other: { ws: true } }));
  expect(await stateOf(caller)).toEqual({ quota: 2, key: 999_707, used: 290, held: 0, windows: 0 });
  const { rows } = await pool.query<{ quota: string; plan: string | null }>(
    `SELECT quota::float8, other::jsonb #>> '{plan,id}' AS plan FROM logs WHERE user_id = $1 ORDER BY id`,
    [userId],
  );
  expect(rows).toEqual([
    { quota: 290, plan: String(subscriptionId) },
    { quota: 3, plan: null },
  ]);
});

it('a killed database: a call whose reservation was lost is paid by the plan, once', async () => {
  const caller = await addCaller(0, 1000);
  const { ledger } = testLedger.node('a');
  const open = await ledger.reserve(request(caller, 600));
  // The crash loses the transaction of the reservation.
  await testLedger.pool.query('DELETE FROM reservations WHERE request_id = $1', [open.requestId]);
  await testLedger.pool.query('UPDATE tokens SET remain_quota = remain_quota + 600 WHERE id = $1', [caller.tokenId]);
  await testLedger.pool.query('UPDATE subscription_use SET held = 0 WHERE subscription_id = $1', [
    caller.subscriptionId,
  ]);
  await testLedger.pool.query(
    'UPDATE budget_windows SET held = 0 FROM budgets b WHERE b.id = budget_id AND b.subject_id = $1',
    [caller.subscriptionId],
  );
  await ledger.settle(open, charge(250));
  await ledger.settle(open, charge(250));
  expect(await stateOf(caller)).toEqual({ quota: 0, key: 999_750, used: 250, held: 0, windows: 0 });
});

it.each(['ended', 'refunded', 'upgraded'])('does not pay for a new call when it has %s', async (state) => {
  const caller = await addCaller(1000, 1000);
  const { ledger } = testLedger.node('a');
  await testLedger.pool.query('UPDATE subscriptions SET state = $2 WHERE id = $1', [caller.subscriptionId, state]);
  await expect(ledger.reserve(request(caller, 10))).rejects.toBeInstanceOf(SubscriptionEndedError);
  expect(await stateOf(caller)).toMatchObject({ quota: 1000, used: 0, held: 0 });
});

it('does not pay for the calls of another account', async () => {
  const [one, other] = [await addCaller(1000, 1000), await addCaller(1000, 1000)];
  const { ledger } = testLedger.node('a');
  const stolen = { ...request(one, 10), subscriptionId: other.subscriptionId };
  await expect(ledger.reserve(stolen)).rejects.toBeInstanceOf(SubscriptionEndedError);
});

it('batches of two nodes settle calls of plans and of balances together, exact to the unit', async () => {
  const callers = [await addCaller(500_000, 100_000), await addCaller(500_000, 100_000)];
  const nodes = [testLedger.node('a').ledger, testLedger.node('b').ledger];
  const amounts = fc.array(
    fc.record({
      caller: fc.nat(1),
      node: fc.nat(1),
      held: fc.integer({ min: 1, max: 900 }),
      share: fc.nat(12),
      plan: fc.boolean(),
    }),
    { minLength: 1, maxLength: 40 },
  );
  await fc.assert(
    fc.asyncProperty(amounts, async (calls) => {
      const before = await Promise.all(callers.map(stateOf));
      let [byPlan, byBalance] = [0, 0];
      await Promise.all(
        calls.map(async ({ caller, node, held, share, plan }) => {
          const wanted = request(callers[caller]!, held);
          const { budgets: _budgets, subscriptionId: _id, ...plain } = wanted;
          const ledger = nodes[node]!;
          let open: Reservation;
          try {
            open = await ledger.reserve(plan ? wanted : plain);
          } catch {
            return;
          }
          if (share === 0) return ledger.release(open);
          const quota = Math.floor((held * share) / 10);
          if (plan) byPlan += quota;
          else byBalance += quota;
          await ledger.settle(open, charge(quota));
        }),
      );
      const after = await Promise.all(callers.map(stateOf));
      const sum = (states: readonly Record<string, number>[], name: string): number =>
        states.reduce((total, state) => total + state[name]!, 0);
      expect(sum(after, 'used') - sum(before, 'used')).toBe(byPlan);
      expect(sum(before, 'quota') - sum(after, 'quota')).toBe(byBalance);
      expect(await testLedger.reconcile()).toEqual([]);
    }),
    { numRuns: 15 },
  );
});

it('has no statement of its own for callers without a plan', async () => {
  const caller = await addCaller(1000, 1000);
  const budgeted = jest.spyOn(LedgerSql.prototype, 'reserveBudgeted');
  const { ledger } = testLedger.node('a');
  const { budgets: _budgets, subscriptionId: _id, ...plain } = request(caller, 10);
  await ledger.settle(await ledger.reserve(plain), charge(10));
  expect(budgeted).not.toHaveBeenCalled();
  budgeted.mockRestore();
});
