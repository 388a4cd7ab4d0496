import fc from 'fast-check';
import { toReserveJson, toSettleLine } from '../../server/src/billing/ledger/ledger-lines.js';
import { LedgerSql } from '../../server/src/billing/ledger/ledger-sql.js';
import { TestLedger, charge } from './test-ledger.js';

/* A single settlement uses other SQL than a batch: both must have the same result. */

interface Call {
  readonly amount: number;
  readonly priced: boolean;
  readonly withToken: boolean;
  readonly knownUser: boolean;
  readonly charge: number;
  /** Billionths of a unit. */
  readonly rest: number;
  /** The part that is charged regardless of the balance. */
  readonly least: number | null;
  readonly counted: boolean;
  readonly logged: boolean;
  readonly durationMs: number;
  readonly firstTokenMs: number | null;
  readonly upstreamUsd: number | undefined;
  readonly isStream: boolean;
  readonly model: string;
  readonly hour: number;
  readonly settled: boolean;
}

const call: fc.Arbitrary<Call> = fc.record({
  amount: fc.oneof(fc.nat(3), fc.nat(400)),
  priced: fc.boolean(),
  withToken: fc.boolean(),
  knownUser: fc.integer({ min: 0, max: 9 }).map((at) => at > 0),
  charge: fc.oneof(fc.constant(0), fc.nat(600)),
  rest: fc.oneof(fc.constant(0), fc.integer({ min: -500_000_000, max: 999_999_999 })),
  least: fc.option(fc.nat(600), { nil: null }),
  counted: fc.boolean(),
  logged: fc.boolean(),
  durationMs: fc.oneof(fc.nat(100), fc.nat(200_000)),
  firstTokenMs: fc.option(fc.oneof(fc.nat(100), fc.nat(200_000)), { nil: null }),
  upstreamUsd: fc.option(fc.double({ min: 0, max: 20, noNaN: true }), { nil: undefined }),
  isStream: fc.boolean(),
  model: fc.constantFrom('a', 'b'),
  hour: fc.nat(1),
  settled: fc.integer({ min: 0, max: 4 }).map((at) => at > 0),
});

let testLedger: TestLedger;
beforeAll(async () => {
  testLedger = await TestLedger.open();
});
afterAll(async () => testLedger.close());

let run = 0;
const anHour = 1_763_600_400;
const rich = 1_000_000;

/** A database with one user, one key and one channel, in which the calls are settled in batches of one size. */
async function book(calls: readonly Call[], balances: { user: number; token: number | 'unlimited' }, size: number) {
  run += 1;
  const sql = new LedgerSql(testLedger.pool, `single-${run}`);
  const user = await testLedger.addUser(balances.user);
  const token = await testLedger.addToken(user, balances.token);
  const channel = await testLedger.addChannel();
  const mayRunOut = balances.user === 300 || balances.token === 250;
  const rows = calls.map((each, index) => {
    const reservation = {
      requestId: `${run}:${index}`,
      userId: each.knownUser ? user : 2_000_000_000,
      tokenId: each.withToken ? token : 0,
      modelName: each.model,
      amount: each.amount,
      // A priced call needs a positive balance, even to reserve nothing. In a batch it precedes the calls that use the
      // balance up.
      priced: each.priced && !(mayRunOut && each.amount === 0),
      reservedAt: 0,
    };
    const settlement = charge(each.charge, {
      // The order of several calls decides which of them gets the last of a balance.
      ...(each.least !== null && balances.user === rich && balances.token !== 250 ? { least: each.least } : {}),
      channelId: channel,
      rest: each.charge === 0 ? Math.abs(each.rest) : each.rest,
      counted: each.counted,
      logged: each.logged,
      durationMs: each.durationMs,
      firstTokenMs: each.firstTokenMs,
      upstreamUsd: each.upstreamUsd,
      isStream: each.isStream,
      modelName: each.model,
    });
    return {
      settled: each.settled,
      hold: toReserveJson(reservation),
      line: toSettleLine(reservation, settlement, anHour + each.hour * 3600).json,
    };
  });
  const batches = <Item>(items: readonly Item[]): Item[][] =>
    Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, at * size + size));
  const bare = (id: string): string => id.slice(id.indexOf(':'));

  const refused: unknown[] = [];
  for (const batch of batches(rows.map(({ hold }) => hold))) {
    for (const [id, refusal] of await sql.reserve(batch, false)) refused.push([bare(id), refusal]);
  }
  const missing: string[] = [];
  let balance: number | undefined;
  for (const batch of batches(rows.filter(({ settled }) => settled).map(({ line }) => line))) {
    const done = await sql.settle(batch);
    missing.push(...[...done.missing].map(bare));
    balance = done.balances.get(user) ?? balance;
  }

  const read = async (text: string): Promise<unknown[]> =>
    (await testLedger.pool.query<Record<string, unknown>>(text, [`${run}:%`, user])).rows;
  const bareId = `substr(request_id, strpos(request_id, ':')) AS request`;
  return {
    refused,
    missing: missing.sort(),
    balance,
    user: await testLedger.user(user),
    token: await testLedger.token(token),
    used: await testLedger.channel(channel),
    carry: await read("SELECT rests FROM quota_carry WHERE user_id = $2 AND $1 <> ''"),
    holds: await read(`SELECT ${bareId}, amount, model_name, token_id <> 0 AS keyed FROM reservations
                       WHERE request_id LIKE $1 AND $2 > 0 ORDER BY 1`),
    logs: await read(`SELECT ${bareId}, created_at, type, username, token_id <> 0 AS keyed, token_name, model_name, "group",
                             quota, prompt_tokens, completion_tokens, use_time, is_stream, content, other
                      FROM logs WHERE request_id LIKE $1 AND user_id = $2 ORDER BY 1`),
    unlogged: await read(`SELECT ${bareId} FROM settled_unlogged WHERE request_id LIKE $1 AND $2 > 0 ORDER BY 1`),
    usage: await read(`SELECT hour, token_id <> 0 AS keyed, model_name, "group", calls, stream_calls, prompt_tokens,
                              completion_tokens, cached_tokens, quota, rest, logged_calls, logged_quota, logged_rest, duration_ms, duration_buckets,
                              first_token_buckets, cost_calls, cost_quota, cost_nano_usd
                       FROM usage_hourly WHERE user_id = $2 AND $1 <> '' ORDER BY 1, 2, 3`),
    recent: (
      await testLedger.pool.query<Record<string, unknown>>(
        `SELECT start, model_name, calls, stream_calls, prompt_tokens, completion_tokens, cached_tokens, quota, logged_calls,
                logged_quota, duration_ms, duration_buckets, first_token_buckets, cost_calls, cost_quota, cost_nano_usd
           FROM usage_five_minutes WHERE channel_id = $1 ORDER BY 1, 2`,
        [channel],
      )
    ).rows,
  };
}

it('calls leave the same whether they are settled one by one or together', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(call, { minLength: 2, maxLength: 12 }),
      fc.record({
        user: fc.constantFrom(0, 300, rich),
        token: fc.constantFrom('unlimited' as const, 250, rich),
      }),
      async (calls, balances) => {
        const together = await book(calls, balances, calls.length);
        const alone = await book(calls, balances, 1);
        expect(alone).toEqual(together);
        // Both tables count the same calls: each hour begins with a five-minute bucket that contains all of them.
        const byModel = (rows: unknown[]): Record<string, number> => {
          const sums: Record<string, number> = {};
          for (const row of rows as Array<Record<string, string> & { first_token_buckets: string[] }>) {
            const firsts = row.first_token_buckets.reduce((sum, count) => sum + Number(count), 0);
            const counted = { calls: row['calls'], quota: row['quota'], cost: row['cost_nano_usd'], firsts };
            for (const [name, value] of Object.entries(counted)) {
              sums[`${row['model_name']} ${name}`] = (sums[`${row['model_name']} ${name}`] ?? 0) + Number(value);
            }
          }
          return sums;
        };
        expect(byModel(alone.recent)).toEqual(byModel(alone.usage));
      },
    ),
    { numRuns: 60 },
  );
});
