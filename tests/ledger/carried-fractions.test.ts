import fc from 'fast-check';
import { toSettleLine } from '../../server/src/billing/ledger/ledger-lines.js';
import { SessionLedger } from '../../server/src/billing/ledger/session-ledger.js';
import { systemClock } from '../../server/src/shared/clock.js';
import { TestLedger, charge } from './test-ledger.js';

/* Fractions of a quota unit are carried from call to call, so that a user pays the sum of their prices to the unit. */

const billion = 1_000_000_000;

let testLedger: TestLedger;
beforeAll(async () => {
  testLedger = await TestLedger.open();
});
afterEach(async () => {
  expect(await testLedger.reconcile()).toEqual([]);
});
afterAll(async () => testLedger.close());

/** A price in billionths, rounded as a formula does. */
function roundedBy(rounding: 'truncate' | 'half-up', price: number): { quota: number; rest: number } {
  const quota = rounding === 'truncate' ? Math.floor(price / billion) : Math.floor(price / billion + 0.5);
  return { quota, rest: price - quota * billion };
}

interface Charged {
  readonly requestId: string;
  readonly quota: number;
  readonly carried: readonly [number, number] | null;
}

async function logsOf(userId: number): Promise<Charged[]> {
  const { rows } = await testLedger.pool.query<{ request_id: string; quota: string; other: string }>(
    'SELECT request_id, quota, other FROM logs WHERE user_id = $1 AND type = 2 ORDER BY id',
    [userId],
  );
  return rows.map(({ request_id: requestId, quota, other }) => ({
    requestId,
    quota: Number(quota),
    carried: (JSON.parse(other) as { carried?: [number, number] }).carried ?? null,
  }));
}

async function restsOf(userId: number): Promise<number> {
  const { rows } = await testLedger.pool.query<{ rests: string }>('SELECT rests FROM quota_carry WHERE user_id = $1', [
    userId,
  ]);
  return Number(rows[0]?.rests ?? 0);
}

const reserveFor =
  (userId: number, tokenId = 0) =>
  (requestId: string, amount: number) => ({
    requestId,
    userId,
    tokenId,
    amount,
    priced: true,
  });

it('300 calls of a tenth of a unit cost 30 units, and each log row names what was carried', async () => {
  const { ledger } = testLedger.node('tiny');
  const user = await testLedger.addUser(1000);
  const token = await testLedger.addToken(user, 500);
  const channel = await testLedger.addChannel();
  const request = reserveFor(user, token);
  await Promise.all(
    Array.from({ length: 300 }, async (_, index) => {
      const held = await ledger.reserve(request(`tiny-${index}`, 1));
      await ledger.settle(held, charge(0, { rest: billion / 10, channelId: channel }));
    }),
  );
  expect(await testLedger.user(user)).toMatchObject({ quota: 970, used_quota: 30, request_count: 300 });
  expect(await testLedger.token(token)).toEqual({ remain_quota: 470, used_quota: 30 });
  expect(await testLedger.channel(channel)).toEqual({ used_quota: 30 });
  const rows = await logsOf(user);
  expect(rows.filter(({ quota }) => quota === 1)).toHaveLength(30);
  for (const { quota, carried } of rows) {
    const [before = 0, after = 0] = carried ?? [];
    expect(quota * billion + after - before).toBe(billion / 10);
    expect(after).toBeLessThan(billion);
  }
});

it('a first call costs what its formula says, and the next ones make up for it in both directions', async () => {
  const { ledger } = testLedger.node('first');
  const charged = async (name: string, prices: ReadonlyArray<{ quota: number; rest: number }>): Promise<unknown> => {
    const user = await testLedger.addUser(1000);
    for (const [at, { quota, rest }] of prices.entries()) {
      const held = await ledger.reserve(reserveFor(user)(`${name}-${at}`, 10));
      await ledger.settle(held, charge(quota, { rest }));
    }
    return (await logsOf(user)).map(({ quota, carried }) => [quota, carried]);
  };
  const half = roundedBy('half-up', 0.5 * billion);
  expect(await charged('half', [half, half, half])).toEqual([
    [1, [0, -500_000_000]],
    [0, [-500_000_000, 0]],
    [1, [0, -500_000_000]],
  ]);
  const some = roundedBy('truncate', 2.7 * billion);
  // A charge without a fraction neither uses nor adds a fraction.
  expect(await charged('some', [some, { quota: 5, rest: 0 }, some])).toEqual([
    [2, [0, 700_000_000]],
    [5, null],
    [3, [700_000_000, 400_000_000]],
  ]);
});

it('a free call of a user who carries a fraction changes nothing', async () => {
  const { ledger } = testLedger.node('free');
  const user = await testLedger.addUser(10);
  const request = reserveFor(user);
  await ledger.settle(await ledger.reserve(request('free-1', 1)), charge(0, { rest: 0.9 * billion }));
  await ledger.settle(await ledger.reserve(request('free-2', 0)), charge(0));
  expect(await restsOf(user)).toBe(0.9 * billion);
  expect((await logsOf(user)).map(({ carried }) => carried)).toEqual([[0, 0.9 * billion], null]);
});

it('a settlement is carried once, however often it is repeated, replayed or without its reservation', async () => {
  const nodes = ['twice-a', 'twice-b'].map((id) => testLedger.node(id).ledger);
  const user = await testLedger.addUser(1000);
  const request = reserveFor(user);
  for (let at = 0; at < 10; at++) {
    const held = await nodes[0]!.reserve(request(`twice-${at}`, 5));
    if (at % 2 === 1) {
      // A crash of the database lost the reservation.
      await testLedger.pool.query('DELETE FROM reservations WHERE request_id = $1', [held.requestId]);
      await testLedger.pool.query('UPDATE users SET quota = quota + 5 WHERE id = $1', [user]);
    }
    const logged = at % 3 !== 0;
    const line = toSettleLine(held, charge(1, { rest: 0.25 * billion, logged }), 1_800_000_000);
    await Promise.all([...nodes, ...nodes].map((node) => node.replay(line)));
    await nodes[1]!.replay(line);
  }
  expect(await testLedger.user(user)).toMatchObject({ quota: 988, used_quota: 12, request_count: 10 });
  expect(await restsOf(user)).toBe(2.5 * billion);
});

it('what the balance does not have is not carried', async () => {
  const { ledger } = testLedger.node('short');
  const user = await testLedger.addUser(10);
  const held = await ledger.reserve(reserveFor(user)('short', 10));
  const settled = await ledger.settle(held, charge(15, { least: 10, rest: 0.5 * billion }));
  expect(settled).toEqual({ userQuota: 0, uncharged: 5 });
  expect(await restsOf(user)).toBe(0.5 * billion);
});

it('settlements of a build that knows no rests are charged as they say', async () => {
  const { ledger } = testLedger.node('older');
  const user = await testLedger.addUser(100);
  const request = reserveFor(user);
  await ledger.settle(await ledger.reserve(request('older-1', 1)), charge(1, { rest: 0.9 * billion }));
  const held = await Promise.all(['older-2', 'older-3'].map((id) => ledger.reserve(request(id, 5))));
  await Promise.all(held.map((each) => ledger.settle(each, charge(5))));
  expect(await testLedger.user(user)).toMatchObject({ quota: 89, used_quota: 11 });
});

it('turns of a session carry as calls do, with the sums of its turns in its log row', async () => {
  const { ledger, pool } = testLedger.node('session');
  const user = await testLedger.addUser(1000);
  const session = { requestId: 'session', userId: user, tokenId: 0 };
  const database = {
    query: async (text: string, values?: unknown[]) => (await pool.query(text, values)).rows as unknown,
  };
  const silent = { warn: () => undefined };
  const turns = new SessionLedger({ database, ledger, clock: systemClock, logger: silent }, session);
  const request = reserveFor(user);
  for (let at = 0; at < 5; at++) {
    const held = await turns.reserve(0, true, 0);
    await turns.settle(held, charge(2, { rest: 0.6 * billion, other: { ws: true } }));
    // Calls between the turns are charged the units that the turns carry over.
    await ledger.settle(await ledger.reserve(request(`between-${at}`, 1)), charge(0, { rest: 0.4 * billion }));
  }
  await turns.close();
  expect(await testLedger.user(user)).toMatchObject({ quota: 985, used_quota: 15 });
  const row = (await logsOf(user)).find(({ requestId }) => requestId === 'session');
  const [before = 0, after = 0] = row?.carried ?? [];
  expect(row!.quota * billion + after - before).toBe(5 * 2.6 * billion);
});

it('reconciliation finds a fraction that no call left, and a log row that says another one', async () => {
  const { ledger } = testLedger.node('found');
  const user = await testLedger.addUser(100);
  await ledger.settle(await ledger.reserve(reserveFor(user)('found', 1)), charge(0, { rest: 0.3 * billion }));
  await testLedger.pool.query('UPDATE quota_carry SET rests = rests + 1 WHERE user_id = $1', [user]);
  expect(await testLedger.reconcile()).toMatchObject([
    { account: 'carried billionths', id: String(user), expected: 300_000_000, found: 300_000_001 },
  ]);
  await testLedger.pool.query('UPDATE quota_carry SET rests = rests - 1 WHERE user_id = $1', [user]);
  const change = `UPDATE logs SET other = replace(other, $2, $3) WHERE user_id = $1`;
  await testLedger.pool.query(change, [user, '300000000', '400000000']);
  expect(await testLedger.reconcile()).toMatchObject([{ account: 'log', id: String(user) }]);
  await testLedger.pool.query(change, [user, '400000000', '300000000']);
});

const call = fc.record({
  price: fc.oneof(fc.nat(billion), fc.nat(5 * billion)),
  rounding: fc.constantFrom('truncate' as const, 'half-up' as const),
  user: fc.nat(1),
  node: fc.nat(2),
  logged: fc.boolean(),
  isReplayed: fc.boolean(),
});

let run = 0;

it('with any prices, on three nodes at once, a user pays the sum of the prices to the unit', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 60 }), async (calls) => {
      run += 1;
      const nodes = [0, 1, 2].map((index) => testLedger.node(`r${run}-${index}`).ledger);
      const users = await Promise.all([0, 1].map(() => testLedger.addUser(1_000_000)));
      const due = [0, 0];
      await Promise.all(
        calls.map(async ({ price, rounding, user, node, logged, isReplayed }, index) => {
          due[user]! += price;
          const rounded = roundedBy(rounding, price);
          const request = reserveFor(users[user]!)(`r${run}-${index}`, Math.max(1, Math.ceil(price / billion)));
          const held = await nodes[node]!.reserve(request);
          await nodes[node]!.settle(held, charge(rounded.quota, { rest: rounded.rest, logged }));
          if (isReplayed) await nodes[(node + 1) % 3]!.settle(held, charge(rounded.quota, { rest: rounded.rest }));
        }),
      );
      for (const [index, user] of users.entries()) {
        const { used_quota: used, quota } = await testLedger.user(user);
        expect(quota + used).toBe(1_000_000);
        expect(used * billion + ((await restsOf(user)) % billion)).toBe(due[index]);
        for (const row of await logsOf(user)) {
          const { price } = calls[Number(row.requestId.split('-')[1])]!;
          const [before = 0, after = 0] = row.carried ?? [];
          expect(row.quota * billion + after - before).toBe(price);
          // A reservation that is rounded up therefore pays for the call, whatever fraction its user carries.
          expect([Math.floor(price / billion), Math.ceil(price / billion)]).toContain(row.quota);
        }
      }
      expect(await testLedger.reconcile()).toEqual([]);
      await testLedger.closeNodes();
    }),
    { numRuns: 40 },
  );
}, 300_000);
