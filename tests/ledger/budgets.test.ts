import fc from 'fast-check';
import type { BudgetKind } from '../../server/src/shared/budget.js';
import { BudgetError, type BudgetHold } from '../../server/src/billing/ledger/budget-holds.js';
import { LedgerSql } from '../../server/src/billing/ledger/ledger-sql.js';
import type { Ledger, Reservation, ReserveRequest } from '../../server/src/billing/ledger/ledger.js';
import { TestLedger, charge } from './test-ledger.js';

let testLedger: TestLedger;
beforeAll(async () => {
  testLedger = await TestLedger.open();
});
afterAll(() => testLedger.close());
afterEach(() => testLedger.closeNodes());

const now = Math.floor(Date.now() / 1000);
const today = now - (now % 86_400);
let next = 0;

async function addBudget(kind: BudgetKind, amount: number, level = 'token'): Promise<number> {
  const { rows } = await testLedger.pool.query<{ id: number }>(
    `INSERT INTO budgets (level, subject_id, kind, amount, span, created_by, by_admin)
     VALUES ($1, 1, $2, $3, 'day', 1, true) RETURNING id`,
    [level, kind, amount],
  );
  return rows[0]!.id;
}

const hold = (budgetId: number, kind: BudgetKind, amount: number, rest: Partial<BudgetHold> = {}): BudgetHold => ({
  budgetId,
  kind,
  amount,
  start: today,
  from: today,
  end: today + 86_400,
  lifetime: null,
  askedAt: now * 1000,
  ...rest,
});

const windows = async (budgetId: number): Promise<Array<{ start: number; used: number; held: number }>> => {
  const { rows } = await testLedger.pool.query<Record<string, string>>(
    'SELECT started_at, used, held FROM budget_windows WHERE budget_id = $1 ORDER BY started_at',
    [budgetId],
  );
  return rows.map((row) => ({
    start: Number(row['started_at']),
    used: Number(row['used']),
    held: Number(row['held']),
  }));
};

async function addCaller(quota = 1_000_000_000): Promise<{ userId: number; tokenId: number }> {
  const userId = await testLedger.addUser(quota);
  return { userId, tokenId: await testLedger.addToken(userId, 'unlimited') };
}

const request = (
  caller: { userId: number; tokenId: number },
  amount: number,
  budgets?: readonly BudgetHold[],
): ReserveRequest => ({ ...caller, requestId: `budget-${++next}`, amount, priced: true, ...(budgets && { budgets }) });

async function tryReserve(ledger: Ledger, wanted: ReserveRequest): Promise<Reservation | BudgetError> {
  try {
    return await ledger.reserve(wanted);
  } catch (error) {
    if (error instanceof BudgetError) return error;
    throw error;
  }
}
const isRefused = (result: Reservation | BudgetError): result is BudgetError => result instanceof BudgetError;

describe('one dollar a day, 200 parallel calls of three cents on two nodes', () => {
  it('33 pass and 167 are refused with the end of the day; settled calls keep it so', async () => {
    const caller = await addCaller();
    const budgetId = await addBudget('money', 500_000);
    const nodes = [testLedger.node('a').ledger, testLedger.node('b').ledger];
    const call = (ledger: Ledger) => tryReserve(ledger, request(caller, 15_000, [hold(budgetId, 'money', 15_000)]));
    const results = await Promise.all(Array.from({ length: 200 }, (_, at) => call(nodes[at % 2]!)));
    const passed = results.filter((result) => !isRefused(result)) as Reservation[];
    const refused = results.filter(isRefused);
    expect([passed.length, refused.length]).toEqual([33, 167]);
    for (const { code, resetAt, available, retryAfterSeconds } of refused) {
      expect({ code, resetAt }).toEqual({ code: 'BUDGET_EXCEEDED', resetAt: today + 86_400 });
      expect(available).toBeLessThan(15_000);
      expect(retryAfterSeconds).toBeGreaterThan(0);
    }
    expect(await windows(budgetId)).toEqual([{ start: today, used: 0, held: 495_000 }]);

    await Promise.all(passed.map((reservation, at) => nodes[at % 2]!.settle(reservation, charge(15_000))));
    expect(await windows(budgetId)).toEqual([{ start: today, used: 495_000, held: 0 }]);
    expect(isRefused(await call(nodes[0]!))).toBe(true);
    expect((await testLedger.user(caller.userId)).quota).toBe(1_000_000_000 - 495_000);
    expect(await testLedger.reconcile()).toEqual([]);
  });
});

describe('each kind', () => {
  it.each([
    ['money', 40, 40],
    ['tokens', 15, 15],
    ['requests', 1, 1],
  ] as const)('%s: the charge, the tokens or the call replace the hold', async (kind, used, smallest) => {
    const caller = await addCaller();
    const budgetId = await addBudget(kind, 100);
    const { ledger } = testLedger.node('a');
    const held = kind === 'requests' ? 1 : 100;
    const first = (await tryReserve(ledger, request(caller, 100, [hold(budgetId, kind, held)]))) as Reservation;
    expect(await windows(budgetId)).toEqual([{ start: today, used: 0, held }]);
    await ledger.settle(first, charge(40, { promptTokens: 10, completionTokens: 5 }));
    expect(await windows(budgetId)).toEqual([{ start: today, used, held: 0 }]);
    expect(isRefused(await tryReserve(ledger, request(caller, 1, [hold(budgetId, kind, 101 - smallest)])))).toBe(true);
    expect(isRefused(await tryReserve(ledger, request(caller, 1, [hold(budgetId, kind, 100 - smallest)])))).toBe(false);
  });

  it('a released call returns what it held', async () => {
    const caller = await addCaller();
    const budgetId = await addBudget('requests', 1);
    const { ledger } = testLedger.node('a');
    const first = (await tryReserve(ledger, request(caller, 5, [hold(budgetId, 'requests', 1)]))) as Reservation;
    expect(isRefused(await tryReserve(ledger, request(caller, 5, [hold(budgetId, 'requests', 1)])))).toBe(true);
    await ledger.release(first);
    expect(await windows(budgetId)).toEqual([{ start: today, used: 0, held: 0 }]);
    expect(isRefused(await tryReserve(ledger, request(caller, 5, [hold(budgetId, 'requests', 1)])))).toBe(false);
  });

  it('a call that a budget refuses takes nothing from the user, the key or another budget', async () => {
    const caller = await addCaller(1000);
    const [wide, narrow] = [await addBudget('money', 900), await addBudget('money', 10)];
    const { ledger } = testLedger.node('a');
    const both = [hold(wide, 'money', 100), hold(narrow, 'money', 100)];
    expect(isRefused(await tryReserve(ledger, request(caller, 100, both)))).toBe(true);
    expect([await windows(wide), await windows(narrow)]).toEqual([[], []]);
    expect((await testLedger.user(caller.userId)).quota).toBe(1000);
    expect(await testLedger.reconcile()).toEqual([]);
  });

  it('a charge that the balance does not have is not counted', async () => {
    for (const batch of [1, 2]) {
      const caller = await addCaller(100);
      const budgetId = await addBudget('money', 1000);
      const { ledger } = testLedger.node(`short-${batch}`);
      const open = await Promise.all(
        Array.from({ length: batch }, () => ledger.reserve(request(caller, 10, [hold(budgetId, 'money', 10)]))),
      );
      await Promise.all(open.map((one) => ledger.settle(one, charge(10_000, { least: 10 }))));
      expect((await testLedger.user(caller.userId)).quota).toBe(0);
      expect(await windows(budgetId)).toEqual([{ start: today, used: 100, held: 0 }]);
    }
    expect(await testLedger.reconcile()).toEqual([]);
  });
});

describe('windows', () => {
  it('the next window is open without any work, and a late settlement counts where it was reserved', async () => {
    const caller = await addCaller();
    const budgetId = await addBudget('money', 100);
    const { ledger } = testLedger.node('a');
    const late = (await tryReserve(ledger, request(caller, 100, [hold(budgetId, 'money', 100)]))) as Reservation;
    const tomorrow = { start: today + 86_400, from: today + 86_400, end: today + 2 * 86_400 };
    const next = await tryReserve(ledger, request(caller, 100, [hold(budgetId, 'money', 100, tomorrow)]));
    expect(isRefused(next)).toBe(false);
    await ledger.settle(late, charge(90));
    expect(await windows(budgetId)).toEqual([
      { start: today, used: 90, held: 0 },
      { start: today + 86_400, used: 0, held: 100 },
    ]);
  });

  it('a rolling window adds up its buckets, and names the time at which enough of them have left', async () => {
    const caller = await addCaller();
    const budgetId = await addBudget('money', 100);
    const { ledger } = testLedger.node('a');
    const length = 5 * 3600;
    const base = today - (today % 300);
    const at = (bucket: number, amount: number): BudgetHold =>
      hold(budgetId, 'money', amount, {
        start: base + bucket * 300,
        from: base + bucket * 300 - length,
        end: base + (bucket + 1) * 300,
        lifetime: length + 300,
      });
    for (const [bucket, amount] of [
      [0, 30],
      [1, 20],
      [3, 45],
    ] as const) {
      const open = (await tryReserve(ledger, request(caller, amount, [at(bucket, amount)]))) as Reservation;
      await ledger.settle(open, charge(amount));
    }
    // 95 are used. 10 fit when the first bucket has left the window, 40 after the second, and 60 after the third.
    for (const [amount, bucket] of [
      [10, 0],
      [40, 1],
      [60, 3],
      [200, null],
    ] as const) {
      const refusal = await tryReserve(ledger, request(caller, amount, [at(4, amount)]));
      expect(isRefused(refusal) && refusal.resetAt).toBe(base + (bucket ?? 4) * 300 + length + 300);
    }
    // One bucket earlier, the first bucket still counts.
    expect(isRefused(await tryReserve(ledger, request(caller, 10, [at(60, 10)])))).toBe(true);
    expect(isRefused(await tryReserve(ledger, request(caller, 10, [at(61, 10)])))).toBe(false);
  });

  it('a budget that was disabled or deleted after the call was prepared holds nothing', async () => {
    const caller = await addCaller();
    const [disabled, deleted] = [await addBudget('money', 1), await addBudget('money', 1)];
    await testLedger.pool.query('UPDATE budgets SET enabled = false WHERE id = $1', [disabled]);
    await testLedger.pool.query('DELETE FROM budgets WHERE id = $1', [deleted]);
    const { ledger } = testLedger.node('a');
    const open = await ledger.reserve(
      request(caller, 100, [hold(disabled, 'money', 100), hold(deleted, 'money', 100)]),
    );
    await ledger.settle(open, charge(100));
    expect([await windows(disabled), await windows(deleted)]).toEqual([[], []]);
    expect(await testLedger.reconcile()).toEqual([]);
  });
});

describe('crashes', () => {
  it('a dead node holds nothing any more, and its late settlement still counts', async () => {
    const caller = await addCaller();
    const budgetId = await addBudget('money', 100);
    const { ledger } = testLedger.node('dead');
    const open = await ledger.reserve(request(caller, 60, [hold(budgetId, 'money', 60)]));
    const { keeper } = testLedger.node('alive');
    await keeper.sweepDead();
    expect(await windows(budgetId)).toEqual([{ start: today, used: 0, held: 0 }]);
    await ledger.settle(open, charge(50));
    expect(await windows(budgetId)).toEqual([{ start: today, used: 50, held: 0 }]);
    expect(await testLedger.reconcile()).toEqual([]);
  });

  it('a call whose reservation a crash of the database lost is counted once', async () => {
    const caller = await addCaller();
    const budgetId = await addBudget('money', 100);
    const { ledger } = testLedger.node('a');
    const open = await ledger.reserve(request(caller, 60, [hold(budgetId, 'money', 60)]));
    await testLedger.pool.query('DELETE FROM reservations WHERE request_id = $1', [open.requestId]);
    await testLedger.pool.query('UPDATE users SET quota = quota + 60 WHERE id = $1', [caller.userId]);
    await testLedger.pool.query('UPDATE tokens SET remain_quota = remain_quota + 60 WHERE id = $1', [caller.tokenId]);
    await testLedger.pool.query('DELETE FROM budget_windows WHERE budget_id = $1', [budgetId]);
    await ledger.settle(open, charge(50));
    await ledger.settle(open, charge(50));
    expect(await windows(budgetId)).toEqual([{ start: today, used: 50, held: 0 }]);
    expect(await testLedger.reconcile()).toEqual([]);
  });
});

describe('budgets of a channel', () => {
  it('are held with the reservation, returned when the channel fails, and settled with the call', async () => {
    const caller = await addCaller();
    const [ofKey, ofChannel] = [await addBudget('money', 1000), await addBudget('requests', 1, 'channel')];
    const { ledger } = testLedger.node('a');
    const open = await ledger.reserve(request(caller, 10, [hold(ofKey, 'money', 10)]));
    const other = await ledger.reserve(request(caller, 10));
    const holds = [hold(ofChannel, 'requests', 1)];
    expect(await ledger.addBudgets(open.requestId, holds)).toBeNull();
    expect(await ledger.addBudgets(other.requestId, holds)).toEqual({
      budgetId: ofChannel,
      left: 0,
      freesAt: today + 86_400,
    });
    await ledger.dropBudgets(open.requestId, holds);
    expect(await ledger.addBudgets(other.requestId, holds)).toBeNull();
    await ledger.settle(other, charge(10));
    await ledger.release(open);
    expect(await windows(ofChannel)).toEqual([{ start: today, used: 1, held: 0 }]);
    expect(await windows(ofKey)).toEqual([{ start: today, used: 0, held: 0 }]);
    expect(await testLedger.reconcile()).toEqual([]);
  });
});

it('a call that ends while its channel still returns a hold is released', async () => {
  const caller = await addCaller();
  const budget = await addBudget('requests', 5, 'channel');
  const { ledger } = testLedger.node('a');
  const open = await ledger.reserve(request(caller, 10));
  const holds = [hold(budget, 'requests', 1)];
  await ledger.addBudgets(open.requestId, holds);
  const other = await testLedger.pool.connect();
  try {
    // Another call is being counted in the window.
    await other.query('BEGIN');
    await other.query('SELECT 1 FROM budget_windows WHERE budget_id = $1 FOR UPDATE', [budget]);
    void ledger.dropBudgets(open.requestId, holds);
    const waiting = `SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%ledger_drop_budgets%'`;
    while ((await testLedger.pool.query(waiting)).rowCount === 0)
      await new Promise((resolve) => setTimeout(resolve, 10));
    const released = ledger.release(open);
    await Promise.race([released, new Promise((resolve) => setTimeout(resolve, 300))]);
    await other.query('COMMIT');
    await released;
  } finally {
    other.release();
  }
  expect(
    (await testLedger.pool.query('SELECT 1 FROM reservations WHERE request_id = $1', [open.requestId])).rows,
  ).toEqual([]);
  expect(await windows(budget)).toEqual([{ start: today, used: 0, held: 0 }]);
  expect(await testLedger.reconcile()).toEqual([]);
});

describe('a call is not counted at a channel that did not serve it', () => {
  const add = LedgerSql.prototype.addBudgets;
  const failure = new Error('connection lost');
  afterEach(() => jest.restoreAllMocks());

  async function open(budget: number) {
    const { ledger } = testLedger.node('a');
    const caller = await addCaller();
    return { ledger, reservation: await ledger.reserve(request(caller, 10)), holds: [hold(budget, 'requests', 1)] };
  }

  it.each([
    ['the hold cannot be returned at once', 1],
    ['the settlement cannot return it either and is spooled', 2],
  ])('%s', async (_when, failures) => {
    const budget = await addBudget('requests', 5, 'channel');
    const { ledger, reservation, holds } = await open(budget);
    await ledger.addBudgets(reservation.requestId, holds);
    const drop = jest.spyOn(LedgerSql.prototype, 'dropBudgets');
    for (let failed = 0; failed < failures; failed++) drop.mockRejectedValueOnce(failure);
    await ledger.dropBudgets(reservation.requestId, holds);
    await ledger.settle(reservation, charge(8));
    while (drop.mock.calls.length <= failures) await new Promise((resolve) => setTimeout(resolve, 10));
    await ledger.drain();
    expect(await windows(budget)).toEqual([{ start: today, used: 0, held: 0 }]);
    expect(await testLedger.reconcile()).toEqual([]);
  });

  it('it is unknown whether it was held', async () => {
    const budget = await addBudget('requests', 5, 'channel');
    const { ledger, reservation, holds } = await open(budget);
    jest.spyOn(LedgerSql.prototype, 'addBudgets').mockImplementationOnce(async function (this: LedgerSql, ...asked) {
      await add.apply(this, asked);
      throw failure;
    });
    await expect(ledger.addBudgets(reservation.requestId, holds)).rejects.toThrow('temporarily unavailable');
    while (!ledger.available) await new Promise((resolve) => setTimeout(resolve, 10));
    await ledger.settle(reservation, charge(8));
    expect(await windows(budget)).toEqual([{ start: today, used: 0, held: 0 }]);
    expect(await testLedger.reconcile()).toEqual([]);
  });

  it('the same channel serves it after all', async () => {
    const budget = await addBudget('requests', 5, 'channel');
    const { ledger, reservation, holds } = await open(budget);
    await ledger.addBudgets(reservation.requestId, holds);
    jest.spyOn(LedgerSql.prototype, 'dropBudgets').mockRejectedValueOnce(failure);
    await ledger.dropBudgets(reservation.requestId, holds);
    await ledger.addBudgets(reservation.requestId, holds);
    await ledger.settle(reservation, charge(8));
    expect(await windows(budget)).toEqual([{ start: today, used: 1, held: 0 }]);
    expect(await testLedger.reconcile()).toEqual([]);
  });
});

it('reconciliation finds windows that differ from the log and from the reservations', async () => {
  const caller = await addCaller();
  const [money, tokens] = [await addBudget('money', 1000), await addBudget('tokens', 1000)];
  const { ledger } = testLedger.node('a');
  const done = await ledger.reserve(request(caller, 10, [hold(money, 'money', 10), hold(tokens, 'tokens', 50)]));
  await ledger.settle(done, charge(8));
  const open = await ledger.reserve(request(caller, 10, [hold(money, 'money', 10)]));
  expect(await testLedger.reconcile()).toEqual([]);
  await testLedger.pool.query('UPDATE budget_windows SET logged = 7, used = 7 WHERE budget_id = $1', [money]);
  await testLedger.pool.query('UPDATE budget_windows SET held = 3 WHERE budget_id = $1', [tokens]);
  expect(await testLedger.reconcile()).toEqual([
    { account: 'budget used', id: String(money), name: `window ${today}`, expected: 8, found: 7 },
    { account: 'budget held', id: String(tokens), name: `window ${today}`, expected: 0, found: 3 },
  ]);
  await ledger.release(open);
  await testLedger.pool.query('DELETE FROM budget_windows WHERE budget_id IN ($1, $2)', [money, tokens]);
  await testLedger.pool.query('DELETE FROM budgets WHERE id IN ($1, $2)', [money, tokens]);
});

it('deletes windows that began more than 62 days ago, unless they are held or of a fixed range', async () => {
  const [daily, fixed] = [await addBudget('money', 10), await addBudget('money', 10)];
  await testLedger.pool.query(
    `UPDATE budgets SET span = 'fixed', starts_at = to_timestamp(1), ends_at = to_timestamp(9000000000) WHERE id = $1`,
    [fixed],
  );
  const day = 86_400;
  for (const [id, start, held] of [
    [daily, today - 64 * day, 0],
    [daily, today - 63 * day, 3],
    [daily, today - 61 * day, 0],
    [daily, today, 0],
    [fixed, today - 64 * day, 0],
  ] as const) {
    await testLedger.pool.query(
      'INSERT INTO budget_windows (budget_id, started_at, used, held) VALUES ($1, $2, 5, $3)',
      [...[id, start, held]],
    );
  }
  const { keeper } = testLedger.node('a');
  await keeper.heartbeat();
  expect((await windows(daily)).map(({ start }) => start)).toEqual([today - 63 * day, today - 61 * day, today]);
  expect(await windows(fixed)).toHaveLength(1);
  await keeper.stop();
  await testLedger.pool.query('DELETE FROM budget_windows WHERE budget_id IN ($1, $2)', [daily, fixed]);
  await testLedger.pool.query('DELETE FROM budgets WHERE id IN ($1, $2)', [daily, fixed]);
});

it('two budgets together: whatever is reserved, settled and released, neither is ever exceeded', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 50, max: 400 }),
      fc.integer({ min: 50, max: 400 }),
      fc.array(
        fc.record({
          amount: fc.integer({ min: 1, max: 90 }),
          tokens: fc.integer({ min: 1, max: 90 }),
          budgets: fc.constantFrom('key', 'user', 'both'),
          node: fc.integer({ min: 0, max: 1 }),
          spent: fc.double({ min: 0, max: 1, noNaN: true }),
          released: fc.boolean(),
        }),
        { minLength: 5, maxLength: 30 },
      ),
      async (ofKey, ofUser, calls) => {
        const caller = await addCaller();
        const [key, user] = [await addBudget('money', ofKey), await addBudget('tokens', ofUser, 'user')];
        const nodes = [testLedger.node('a').ledger, testLedger.node('b').ledger];
        await Promise.all(
          calls.map(async ({ amount, tokens, budgets, node, spent, released }) => {
            const holds = [
              ...(budgets === 'user' ? [] : [hold(key, 'money', amount)]),
              ...(budgets === 'key' ? [] : [hold(user, 'tokens', tokens)]),
            ];
            const result = await tryReserve(nodes[node]!, request(caller, amount, holds));
            for (const [id, limit] of [
              [key, ofKey],
              [user, ofUser],
            ] as const) {
              for (const { used, held } of await windows(id)) expect(used + held).toBeLessThanOrEqual(limit);
            }
            if (isRefused(result)) return;
            if (released) return nodes[node]!.release(result);
            const done = { promptTokens: Math.floor(tokens * spent), completionTokens: 0 };
            return nodes[node]!.settle(result, charge(Math.floor(amount * spent), done)).then(() => undefined);
          }),
        );
        expect((await windows(key)).every(({ held, used }) => held === 0 && used <= ofKey)).toBe(true);
        expect((await windows(user)).every(({ held, used }) => held === 0 && used <= ofUser)).toBe(true);
        expect(await testLedger.reconcile()).toEqual([]);
        await testLedger.closeNodes();
      },
    ),
    { numRuns: 15 },
  );
});
