import { TestLedger, charge } from './test-ledger.js';

/** Reconciliation covers tasks: the charge on a row, its log row, its refund. Every inconsistency is found. */

let testLedger: TestLedger;
let user: number;
let token: number;
let channel: number;

beforeEach(async () => {
  testLedger = await TestLedger.open();
  user = await testLedger.addUser(100_000);
  token = await testLedger.addToken(user, 100_000);
  channel = await testLedger.addChannel();
  const { ledger } = testLedger.node('one');
  for (const [table, name] of [
    ['midjourneys', 'mj_id'],
    ['tasks', 'task_id'],
  ] as const) {
    for (const status of ['SUCCESS', 'FAILURE']) {
      const requestId = `${table}-${status}`;
      const reservation = await ledger.reserve({
        requestId,
        userId: user,
        tokenId: token,
        amount: 500,
        priced: true,
      });
      await ledger.settle(reservation, charge(500, { channelId: channel }));
      const log = await testLedger.pool.query<{ created_at: string }>(
        'SELECT created_at FROM logs WHERE request_id = $1',
        [requestId],
      );
      const more = table === 'tasks' ? ', created_at, updated_at, platform' : '';
      const moreValues = table === 'tasks' ? `, now(), now(), 'suno'` : '';
      const row = await testLedger.pool.query<{ id: number }>(
        `INSERT INTO ${table} (user_id, token_id, channel_id, action, ${name}, submit_time, status, progress, request_id, quota,
                               charged_at, is_logged${more})
         VALUES ($1, $2, $3, 'A', $4, now(), $5, 100, $6, 500, to_timestamp($7), true${moreValues}) RETURNING id`,
        [user, token, channel, requestId, status, requestId, log.rows[0]?.created_at],
      );
      if (status === 'SUCCESS') continue;
      const source = `refund:${table === 'tasks' ? 'task' : 'mj'}:${row.rows[0]?.id}`;
      await testLedger.post({ source, kind: 'refund', userId: user, amount: 500 });
      await testLedger.post({
        source: `${source}:token`,
        kind: 'refund',
        account: 'token',
        userId: user,
        tokenId: token,
        amount: 500,
      });
    }
  }
  expect(await testLedger.reconcile()).toEqual([]);
});
afterEach(() => testLedger.close());

it.each([
  [
    'a charge on a row that nobody paid',
    `UPDATE midjourneys SET quota = 600 WHERE status = 'SUCCESS'`,
    'midjourneys charged',
  ],
  ['the same for songs', `UPDATE tasks SET quota = 400 WHERE status = 'SUCCESS'`, 'tasks charged'],
  [
    'a failure without its refund',
    `UPDATE midjourneys SET status = 'FAILURE' WHERE status = 'SUCCESS'`,
    'midjourneys refund of users',
  ],
  [
    'a refund of what did not fail',
    `UPDATE tasks SET status = 'SUCCESS' WHERE status = 'FAILURE'`,
    'tasks refund of users',
  ],
  [
    'a refund of the user alone',
    `DELETE FROM ledger_entries WHERE source LIKE 'refund:mj:%:token'`,
    'midjourneys refund of tokens',
  ],
  ['a refund of no task', `DELETE FROM tasks WHERE status = 'FAILURE'`, 'refund without a task'],
  [
    'a refund of another amount',
    `UPDATE ledger_entries SET amount = 499 WHERE source LIKE 'refund:task:%' AND source NOT LIKE '%:token'`,
    'tasks refund of users',
  ],
])('finds %s', async (_what, lie, account) => {
  await testLedger.pool.query(lie);
  expect((await testLedger.reconcile()).map((drift) => drift.account)).toContain(account);
});

it('does not mind a log that was trimmed', async () => {
  await testLedger.pool.query(`UPDATE log_state SET trimmed_before = 9000000000`);
  await testLedger.pool.query(`DELETE FROM logs`);
  expect((await testLedger.reconcile()).filter(({ account }) => /midjourneys|tasks|refund/.test(account))).toEqual([]);
});
