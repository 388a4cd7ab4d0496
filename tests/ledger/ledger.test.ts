import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toSettleLine } from '../../server/src/billing/ledger/ledger-lines.js';
import { TestLedger, charge } from './test-ledger.js';

let testLedger: TestLedger;
beforeAll(async () => {
  testLedger = await TestLedger.open();
});
afterEach(async () => {
  expect(await testLedger.reconcile()).toEqual([]);
});
afterAll(async () => testLedger.close());

const request = (requestId: string, userId: number, tokenId: number, amount: number, priced = true) => ({
  requestId,
  userId,
  tokenId,
  amount,
  priced,
});

/** Simulates a database crash that loses an unflushed reservation: both of its changes are undone. */
async function loseHold(requestId: string, userId: number, amount: number): Promise<void> {
  await testLedger.pool.query('DELETE FROM reservations WHERE request_id = $1', [requestId]);
  await testLedger.pool.query('UPDATE users SET quota = quota + $2 WHERE id = $1', [userId, amount]);
}

describe('a call whose reservation was lost', () => {
  it('is charged all the same, once, beside calls that kept theirs', async () => {
    const { ledger } = testLedger.node('lost');
    const user = await testLedger.addUser(10_000);
    const [kept, lost] = await Promise.all(['l-kept', 'l-lost'].map((id) => ledger.reserve(request(id, user, 0, 100))));
    await loseHold('l-lost', user, 100);
    await Promise.all([ledger.settle(kept!, charge(150)), ledger.settle(lost!, charge(170))]);
    expect(await testLedger.user(user)).toMatchObject({ quota: 9680, used_quota: 320, request_count: 2 });
    expect(await testLedger.count(`logs WHERE user_id = ${user}`)).toBe(2);

    const other = testLedger.node('lost-2').ledger;
    const line = toSettleLine(lost!, charge(170), 1_800_000_000);
    await Promise.all([ledger, other, ledger, other].map((node) => node.replay(line)));
    expect(await testLedger.user(user)).toMatchObject({ quota: 9680, used_quota: 320, request_count: 2 });
    expect(await testLedger.count('reservations')).toBe(0);
  });

  it('is charged once however many nodes try at the same time, logged or not', async () => {
    const nodes = ['l-a', 'l-b', 'l-c'].map((id) => testLedger.node(id).ledger);
    const user = await testLedger.addUser(10_000);
    for (const logged of [true, false]) {
      for (let round = 0; round < 10; round++) {
        const id = `l-race-${logged}-${round}`;
        const held = await nodes[0]!.reserve(request(id, user, 0, 100));
        await loseHold(id, user, 100);
        const line = toSettleLine(held, charge(10, { logged }), 1_800_000_000);
        await Promise.all([...nodes, ...nodes].map((node) => node.replay(line)));
        await nodes[1]!.replay(line);
      }
    }
    expect(await testLedger.user(user)).toMatchObject({ quota: 9800, used_quota: 200, request_count: 20 });
  });

  it('is kept for people where the log of its time was deleted, because nothing tells any more', async () => {
    const { ledger } = testLedger.node('doubt');
    const user = await testLedger.addUser(10_000);
    const held = await ledger.reserve(request('l-doubt', user, 0, 100));
    await loseHold('l-doubt', user, 100);
    const state = await testLedger.pool.query<{ trimmed_before: string }>('SELECT trimmed_before FROM log_state');
    await testLedger.pool.query('UPDATE log_state SET trimmed_before = 99999999999');
    await ledger.settle(held, charge(70));
    await testLedger.pool.query('UPDATE log_state SET trimmed_before = $1', [state.rows[0]!.trimmed_before]);
    expect(await testLedger.user(user)).toMatchObject({ quota: 10_000, used_quota: 0 });
    expect(await readFile(join(testLedger.spoolFolder, 'rejected.jsonl'), 'utf8')).toContain('l-doubt');
  });

  it('stays on the disk, and stops no other call, while the file for people cannot be written', async () => {
    const { ledger, spool } = testLedger.node('unwritable');
    const user = await testLedger.addUser(10_000);
    const held = await ledger.reserve(request('l-unwritable', user, 0, 100));
    await loseHold('l-unwritable', user, 100);
    const state = await testLedger.pool.query<{ trimmed_before: string }>('SELECT trimmed_before FROM log_state');
    await testLedger.pool.query('UPDATE log_state SET trimmed_before = 99999999999');
    const denied = Object.assign(new Error('permission denied'), { code: 'EACCES' });
    const reject = jest.spyOn(spool, 'reject').mockRejectedValue(denied);
    const append = jest.spyOn(spool, 'append');
    await ledger.settle(held, charge(70));
    expect(ledger.available).toBe(true);
    // The whole disk fails: the spool file is kept.
    append.mockRejectedValueOnce(denied);
    await ledger.replaySpool(() => false);
    expect(ledger.available).toBe(true);
    const other = await ledger.reserve(request('l-other', user, 0, 100));
    await ledger.release(other);
    reject.mockRestore();
    append.mockRestore();
    await ledger.replaySpool(() => false);
    await testLedger.pool.query('UPDATE log_state SET trimmed_before = $1', [state.rows[0]!.trimmed_before]);
    const kept = (await readFile(join(testLedger.spoolFolder, 'rejected.jsonl'), 'utf8')).trim().split('\n');
    expect(kept.filter((line) => line.includes('l-unwritable'))).toHaveLength(1);
    expect(await testLedger.user(user)).toMatchObject({ quota: 10_000, used_quota: 0 });
  });
});

describe('a call', () => {
  it('settles above its reservation (B27) and below it (B28)', async () => {
    const { ledger } = testLedger.node('vectors');
    const user = await testLedger.addUser(100_000);
    const token = await testLedger.addToken(user, 50_000);
    const channel = await testLedger.addChannel();

    await ledger.settle(await ledger.reserve(request('b27', user, token, 2500)), charge(3750, { channelId: channel }));
    expect(await testLedger.user(user)).toMatchObject({ quota: 96_250, used_quota: 3750, request_count: 1 });
    expect(await testLedger.token(token)).toEqual({ remain_quota: 46_250, used_quota: 3750 });

    const settled = await ledger.settle(
      await ledger.reserve(request('b28', user, token, 2500)),
      charge(1000, { channelId: channel }),
    );
    expect(settled.userQuota).toBe(95_250);
    expect(await testLedger.user(user)).toMatchObject({ quota: 95_250, used_quota: 4750, request_count: 2 });
    expect(await testLedger.token(token)).toEqual({ remain_quota: 45_250, used_quota: 4750 });
    expect(await testLedger.channel(channel)).toEqual({ used_quota: 4750 });
  });

  it('is charged whatever somebody named something', async () => {
    const { ledger } = testLedger.node('names');
    const user = await testLedger.addUser(100_000);
    const names = ['a\\u0000b', 'half \ud83d', '\0', '\\\\u0000 “ü” 😀', '\\ud800'];
    for (const [index, name] of names.entries()) {
      const held = await ledger.reserve(request(`name-${index}`, user, 0, 100));
      const given = {
        tokenName: name,
        modelName: name,
        username: name,
        content: name,
        other: { note: name, [name]: 1 },
      };
      await ledger.settle(held, charge(150, given));
    }
    expect(await testLedger.user(user)).toMatchObject({
      quota: 100_000 - 150 * names.length,
      request_count: names.length,
    });
    const found = await testLedger.pool.query<{ token_name: string; other: string }>(
      `SELECT token_name, other FROM logs WHERE user_id = $1 ORDER BY id`,
      [user],
    );
    expect(found.rows.map((row) => row.token_name)).toEqual([names[0], 'half \ufffd', '', names[3], names[4]]);
    expect(found.rows.map((row) => (JSON.parse(row.other) as { note: string }).note)).toEqual(
      found.rows.map((row) => row.token_name),
    );
  });

  it('writes one log row and one hour of usage in the same step', async () => {
    const { ledger } = testLedger.node('rows');
    const user = await testLedger.addUser(10_000);
    for (const id of ['rows-1', 'rows-2']) {
      await ledger.settle(
        await ledger.reserve(request(id, user, 0, 100)),
        charge(150, { other: { note: 'Zeichen “ü” \u0000' }, cachedTokens: 4, isStream: true }),
      );
    }
    const log = await testLedger.pool.query(`SELECT * FROM logs WHERE user_id = $1 ORDER BY id`, [user]);
    expect(log.rows).toHaveLength(2);
    expect(log.rows[0]).toMatchObject({
      request_id: 'rows-1',
      type: 2,
      quota: '150',
      prompt_tokens: 10,
      completion_tokens: 5,
      use_time: 1,
      is_stream: true,
    });
    expect(JSON.parse((log.rows[0] as { other: string }).other)).toEqual({ note: 'Zeichen “ü” ' });
    const usage = await testLedger.pool.query(`SELECT * FROM usage_hourly WHERE user_id = $1`, [user]);
    expect(usage.rows).toMatchObject([
      { calls: '2', stream_calls: '2', quota: '300', cached_tokens: '8', logged_calls: '2', duration_ms: '2468' },
    ]);
  });

  it('posts a replayed settlement once, and never after a release', async () => {
    const { ledger } = testLedger.node('replay');
    const user = await testLedger.addUser(10_000);
    const held = await ledger.reserve(request('replay-1', user, 0, 100));
    await Promise.all([ledger.settle(held, charge(90)), ledger.settle(held, charge(90))]);
    await ledger.settle(held, charge(90));
    await ledger.release(held);
    expect(await testLedger.user(user)).toMatchObject({ quota: 9910, used_quota: 90, request_count: 1 });

    const given = await ledger.reserve(request('replay-2', user, 0, 100));
    await ledger.release(given);
    await ledger.release(given);
    await ledger.settle(given, charge(100));
    expect(await testLedger.user(user)).toMatchObject({ quota: 9910, used_quota: 90 });
    expect(await testLedger.count('logs WHERE user_id = $1', [user])).toBe(1);
  });

  it('refuses a request id that is in use', async () => {
    const { ledger } = testLedger.node('twice');
    const user = await testLedger.addUser(10_000);
    const held = await ledger.reserve(request('twice-1', user, 0, 100));
    await expect(ledger.reserve(request('twice-1', user, 0, 100))).rejects.toMatchObject({ code: 'CONFLICT' });
    await ledger.release(held);
    expect((await testLedger.user(user)).quota).toBe(10_000);
  });

  it('without a log row keeps the ledger consistent', async () => {
    const { ledger } = testLedger.node('unlogged');
    const user = await testLedger.addUser(1000);
    await ledger.settle(await ledger.reserve(request('unlogged', user, 0, 10)), charge(20, { logged: false }));
    expect(await testLedger.user(user)).toMatchObject({ quota: 980, used_quota: 20 });
    expect(await testLedger.count('logs WHERE user_id = $1', [user])).toBe(0);
  });
});

describe('a charge above its reservation', () => {
  const rows = (user: number) =>
    testLedger.pool
      .query<{ quota: string; other: string }>('SELECT quota, other FROM logs WHERE user_id = $1 ORDER BY request_id', [
        user,
      ])
      .then(({ rows: found }) =>
        found.map(({ quota, other }) => [
          Number(quota),
          (JSON.parse(other) as { uncharged_quota?: number }).uncharged_quota ?? 0,
        ]),
      );
  /** Settles `c-<n>`, one by one or all in one batch. */
  async function settleAll(calls: ReadonlyArray<Awaited<ReturnType<typeof hold>>>, together: boolean) {
    const run = calls.map(
      ({ ledger, held, cost, least }) =>
        () =>
          ledger.settle(held, charge(cost, { least })),
    );
    if (together) return Promise.all(run.map((settle) => settle()));
    const done = [];
    for (const settle of run) done.push(await settle());
    return done;
  }
  async function hold(
    node: ReturnType<TestLedger['node']>,
    of: { id: string; user: number; token?: number; amount: number; cost: number; least: number },
  ) {
    const held = await node.ledger.reserve(request(of.id, of.user, of.token ?? 0, of.amount));
    return { ledger: node.ledger, held, cost: of.cost, least: of.least };
  }

  it.each([
    ['one by one', false],
    ['in one batch', true],
  ])('is charged as far as the balance has it, %s', async (_name, together) => {
    const node = testLedger.node(`least-${together}`);
    const user = await testLedger.addUser(1000);
    const of = (id: string, cost: number) =>
      hold(node, { id: `least-${together}-${id}`, user, amount: 200, cost, least: 200 });
    const settled = await settleAll([await of('a', 500), await of('b', 900), await of('c', 250)], together);
    expect((await testLedger.user(user)).quota).toBe(0);
    expect((await testLedger.user(user)).used_quota).toBe(1000);
    const found = await rows(user);
    expect(found.reduce((sum, [quota]) => sum + quota!, 0)).toBe(1000);
    // Each is charged its reservation at least, and the log has what is missing.
    const costs = [500, 900, 250];
    for (const [index, [quota, uncharged]] of found.entries()) {
      expect(quota).toBeGreaterThanOrEqual(200);
      expect(quota! + uncharged!).toBe(costs[index]);
      expect(settled[index]?.uncharged).toBe(uncharged);
    }
  });

  it('is charged whole where the balance has it, and noted nowhere', async () => {
    const node = testLedger.node('least-rich');
    const user = await testLedger.addUser(1000);
    const settled = await settleAll(
      [await hold(node, { id: 'rich', user, amount: 200, cost: 900, least: 200 })],
      false,
    );
    expect(settled).toEqual([{ userQuota: 100, uncharged: 0 }]);
    expect(await rows(user)).toEqual([[900, 0]]);
  });

  it("is charged as far as the key's own limit has it", async () => {
    const node = testLedger.node('least-key');
    const user = await testLedger.addUser(1000);
    const token = await testLedger.addToken(user, 300);
    const settled = await settleAll(
      [await hold(node, { id: 'least-key', user, token, amount: 200, cost: 900, least: 210 })],
      false,
    );
    expect(settled).toEqual([{ userQuota: 700, uncharged: 600 }]);
    expect((await testLedger.token(token)).remain_quota).toBe(0);
  });

  it('may go below zero only by its least part', async () => {
    const node = testLedger.node('least-below');
    const user = await testLedger.addUser(200);
    const settled = await settleAll(
      [await hold(node, { id: 'least-below', user, amount: 200, cost: 900, least: 205 })],
      false,
    );
    expect(settled).toEqual([{ userQuota: -5, uncharged: 695 }]);
  });

  it('is charged once when it is replayed, also after a sweep and after a lost reservation', async () => {
    const nodes = ['least-r1', 'least-r2'].map((id) => testLedger.node(id));
    for (const fate of ['replayed', 'swept', 'lost']) {
      const user = await testLedger.addUser(500);
      const id = `least-${fate}`;
      const { held } = await hold(nodes[0]!, { id, user, amount: 200, cost: 900, least: 200 });
      if (fate === 'swept') await testLedger.pool.query('SELECT * FROM ledger_release($1, true)', [[id]]);
      if (fate === 'lost') await loseHold(id, user, 200);
      const line = toSettleLine(held, charge(900, { least: 200 }), 1_800_000_000);
      await Promise.all([...nodes, ...nodes].map(({ ledger }) => ledger.replay(line)));
      await nodes[1]!.ledger.replay(line);
      expect(await rows(user)).toEqual([[500, 400]]);
      expect(await testLedger.user(user)).toMatchObject({ quota: 0, used_quota: 500, request_count: 1 });
    }
  });

  it('never lowers a balance below zero, with parallel calls on two nodes', async () => {
    const nodes = ['least-p1', 'least-p2'].map((id) => testLedger.node(id));
    const user = await testLedger.addUser(20_000);
    // All are reserved before the first is settled: settlements that take more than was reserved leave nothing for later calls.
    const calls = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const node = nodes[index % 2]!;
        return { node, ...(await hold(node, { id: `least-p-${index}`, user, amount: 100, cost: 400, least: 100 })) };
      }),
    );
    const lowest = await Promise.all(
      calls.map(async ({ node, held }) => (await node.ledger.settle(held, charge(400, { least: 100 }))).userQuota ?? 0),
    );
    expect(Math.min(...lowest)).toBeGreaterThanOrEqual(0);
    expect(await testLedger.user(user)).toMatchObject({ quota: 0, used_quota: 20_000 });
  });
});

describe('a reservation', () => {
  it('is refused with the numbers when the user or the token cannot pay', async () => {
    const { ledger } = testLedger.node('poor');
    const user = await testLedger.addUser(100);
    const token = await testLedger.addToken(user, 40);
    await expect(ledger.reserve(request('poor-1', user, 0, 101))).rejects.toMatchObject({
      code: 'INSUFFICIENT_QUOTA',
      available: 100,
      needed: 101,
    });
    await expect(ledger.reserve(request('poor-2', user, token, 41))).rejects.toMatchObject({
      code: 'INSUFFICIENT_TOKEN_QUOTA',
      available: 40,
      needed: 41,
    });
    expect(await testLedger.user(user)).toMatchObject({ quota: 100 });
    expect(await testLedger.token(token)).toMatchObject({ remain_quota: 40 });
  });

  it('of a priced call that rounds to nothing still needs one unit; a free call needs none', async () => {
    const { ledger } = testLedger.node('nothing');
    const user = await testLedger.addUser(0);
    await expect(ledger.reserve(request('nothing-1', user, 0, 0))).rejects.toMatchObject({
      code: 'INSUFFICIENT_QUOTA',
    });
    await ledger.settle(await ledger.reserve(request('nothing-2', user, 0, 0, false)), charge(0));
    expect(await testLedger.user(user)).toMatchObject({ quota: 0, request_count: 1 });
  });

  it('of an unlimited token only asks the user', async () => {
    const { ledger } = testLedger.node('unlimited');
    const user = await testLedger.addUser(1000);
    const token = await testLedger.addToken(user, 'unlimited');
    await ledger.settle(await ledger.reserve(request('unlimited-1', user, token, 800)), charge(700));
    expect(await testLedger.token(token)).toEqual({ remain_quota: -700, used_quota: 700 });
    await expect(ledger.reserve(request('unlimited-2', user, token, 400))).rejects.toMatchObject({
      code: 'INSUFFICIENT_QUOTA',
    });
  });

  it('of an unknown user is refused, and amounts that are no amounts never reach the database', async () => {
    const { ledger } = testLedger.node('odd');
    await expect(ledger.reserve(request('odd-1', 999_999, 0, 1))).rejects.toMatchObject({ code: 'INVALID_API_KEY' });
    const user = await testLedger.addUser(1000);
    for (const amount of [-1, 0.5, Number.NaN, 2 ** 60]) {
      await expect(ledger.reserve(request('odd-2', user, 0, amount))).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
    }
    const held = await ledger.reserve(request('odd-3', user, 0, 5));
    await expect(ledger.settle(held, charge(-5))).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
    await ledger.release(held);
  });

  it('lets exactly the affordable number of parallel calls through', async () => {
    const one = testLedger.node('race-1').ledger;
    const two = testLedger.node('race-2').ledger;
    const user = await testLedger.addUser(1049);
    const token = await testLedger.addToken(user, 100_000);
    const results = await Promise.allSettled(
      Array.from({ length: 200 }, (_, index) =>
        (index % 2 === 0 ? one : two).reserve(request(`race-${index}`, user, token, 100)),
      ),
    );
    const held = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(held).toHaveLength(10);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'INSUFFICIENT_QUOTA' });
    }
    await Promise.all(held.map((reservation) => one.settle(reservation, charge(100))));
    expect(await testLedger.user(user)).toMatchObject({ quota: 49, used_quota: 1000 });
  });

  it('that one bad row spoils does not harm the calls beside it', async () => {
    const { ledger } = testLedger.node('spoiled');
    const user = await testLedger.addUser(8_999_999_999_999_000);
    const held = await Promise.all(['s1', 's2', 's3'].map((id) => ledger.reserve(request(id, user, 0, 10))));
    // Its duration in seconds exceeds the range of the column.
    await testLedger.pool.query('UPDATE users SET request_count = request_count WHERE id = $1', [user]);
    const results = await Promise.allSettled([
      ledger.settle(held[0]!, charge(5)),
      ledger.settle(held[1]!, charge(5, { durationMs: 2 ** 50 })),
      ledger.settle(held[2]!, charge(5)),
    ]);
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await testLedger.user(user)).toMatchObject({ used_quota: 10 });
    expect(await testLedger.count(`reservations WHERE request_id = 's2'`)).toBe(1);
    await ledger.release(held[1]!);
  });
});

describe('a posting', () => {
  it('is posted once for its source', async () => {
    const user = await testLedger.addUser(0);
    const posting = { source: `redemption:abc:${user}`, kind: 'redemption' as const, userId: user, amount: 500 };
    const results = await Promise.all(Array.from({ length: 20 }, () => testLedger.post(posting)));
    expect(results.filter((after) => after !== null)).toEqual([500]);
    expect((await testLedger.user(user)).quota).toBe(500);
  });

  it('respects its floor and the range of balances', async () => {
    const user = await testLedger.addUser(100);
    await expect(
      testLedger.post({ source: `floor:${user}`, kind: 'transfer', userId: user, amount: -101, floor: 0 }),
    ).rejects.toMatchObject({ code: 'INSUFFICIENT_QUOTA' });
    await expect(
      testLedger.post({ source: `range:${user}`, kind: 'admin_grant', userId: user, amount: 9_000_000_000_000_000 }),
    ).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(
      testLedger.post({ source: `half:${user}`, kind: 'admin_grant', userId: user, amount: 0.5 }),
    ).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect((await testLedger.user(user)).quota).toBe(100);
    expect(await testLedger.count('ledger_entries WHERE user_id = $1', [user])).toBe(1);
  });

  it('leaves room for what calls in flight give back, so that their settlement fits', async () => {
    const most = 9_000_000_000_000_000;
    const { ledger } = testLedger.node('room');
    const user = await testLedger.addUser(1000);
    const token = await testLedger.addToken(user, 1000);
    const held = await ledger.reserve(request('room-1', user, token, 400));
    const fill = (posting: object, amount: number) =>
      testLedger.post({
        source: `fill:${user}:${Math.random()}`,
        kind: 'admin_grant',
        userId: user,
        amount,
        ...posting,
      });
    const ofToken = { kind: 'token_limit', tokenId: token } as const;
    for (const posting of [{}, ofToken]) {
      await expect(fill(posting, most - 600)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
      await expect(fill(posting, most - 999)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
      expect(await fill(posting, most - 1000)).toBe(most - 400);
    }
    await ledger.settle(held, charge(150));
    expect(await testLedger.user(user)).toMatchObject({ quota: most - 150, used_quota: 150 });
    expect(await testLedger.token(token)).toMatchObject({ remain_quota: most - 150, used_quota: 150 });
  });

  it('moves invite earnings, which never fall below zero', async () => {
    const user = await testLedger.addUser(0);
    await testLedger.post({
      source: `invite:${user}`,
      kind: 'invite',
      account: 'affiliate',
      userId: user,
      amount: 300,
    });
    const transfer = (index: number) =>
      testLedger.post({
        source: `out:${user}:${index}`,
        kind: 'transfer',
        account: 'affiliate',
        userId: user,
        amount: -200,
      });
    const results = await Promise.allSettled([transfer(1), transfer(2), transfer(3)]);
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    expect((await testLedger.user(user)).aff_quota).toBe(100);
  });
});

describe('what a dead node left', () => {
  const quick = { heartbeatMilliseconds: 50, deadSeconds: 1, strayedSeconds: 60 };

  it('is given back once by whoever sweeps first', async () => {
    const user = await testLedger.addUser(1000);
    const token = await testLedger.addToken(user, 1000);
    const dead = testLedger.node('dead-1');
    await dead.ledger.reserve(request('dead-1', user, token, 300));
    const sweepers = ['alive-1', 'alive-2', 'alive-3'].map((id) => testLedger.node(id, { times: quick }).keeper);
    const swept = await Promise.all(sweepers.map((keeper) => keeper.sweepDead()));
    expect(swept.reduce((sum, count) => sum + count, 0)).toBe(1);
    expect((await testLedger.user(user)).quota).toBe(1000);
    expect((await testLedger.token(token)).remain_quota).toBe(1000);
  });

  it('in its spool is still charged once after the sweep', async () => {
    const user = await testLedger.addUser(1000);
    const dead = testLedger.node('dead-2');
    const held = await dead.ledger.reserve(request('dead-2', user, 0, 300));
    const { toSettleLine } = await import('../../server/src/billing/ledger/ledger-lines.js');
    const line = toSettleLine(held, charge(250), 1_800_000_000);
    await dead.spool.append([line, line]);
    const { keeper } = testLedger.node('alive-4', { times: quick });
    await keeper.heartbeat();
    await keeper.heartbeat();
    expect(await testLedger.user(user)).toMatchObject({ quota: 750, used_quota: 250, request_count: 1 });
    expect(await testLedger.count(`logs WHERE request_id = 'dead-2'`)).toBe(1);
  });

  it('stays while the node lives', async () => {
    const user = await testLedger.addUser(1000);
    const alive = testLedger.node('alive-5', { times: { ...quick, deadSeconds: 30 } });
    await alive.keeper.start(false);
    const held = await alive.ledger.reserve(request('alive-5', user, 0, 300));
    await testLedger.node('alive-6', { times: { ...quick, deadSeconds: 30 } }).keeper.sweepDead();
    expect((await testLedger.user(user)).quota).toBe(700);
    await alive.ledger.settle(held, charge(100));
    await alive.keeper.stop();
  });

  it('is not taken from a node whose maintenance takes long', async () => {
    const user = await testLedger.addUser(1000);
    const slow = testLedger.node('slow-1', { times: { ...quick, deadSeconds: 2 } });
    const replay = jest.spyOn(slow.ledger, 'replaySpool');
    let finish = (): void => undefined;
    replay.mockReturnValue(new Promise((resolve) => (finish = () => resolve(0))));
    await Promise.race([slow.keeper.start(false), new Promise((resolve) => setTimeout(resolve, 100))]);
    const beating = setInterval(() => void slow.keeper.heartbeat(), 100);
    await slow.ledger.reserve(request('slow-1', user, 0, 300));
    await new Promise((resolve) => setTimeout(resolve, 2500));
    await testLedger.node('slow-2', { times: { ...quick, deadSeconds: 2 } }).keeper.sweepDead();
    clearInterval(beating);
    expect((await testLedger.user(user)).quota).toBe(700);
    expect(replay).toHaveBeenCalledTimes(1);
    finish();
    await slow.ledger.release({ ...request('slow-1', user, 0, 300), reservedAt: 0 });
    await slow.keeper.stop();
  });

  it('lives while its first maintenance takes long, until it stops', async () => {
    const { keeper, ledger } = testLedger.node('slow-3', { times: { ...quick, deadSeconds: 30 } });
    let finish = (): void => undefined;
    jest.spyOn(ledger, 'replaySpool').mockReturnValue(new Promise((resolve) => (finish = () => resolve(0))));
    const starting = keeper.start(false);
    const lastBeat = async (): Promise<string | undefined> => {
      const { rows } = await testLedger.pool.query<{ at: string }>(
        `SELECT heartbeat_at::text AS at FROM nodes WHERE id = 'slow-3'`,
      );
      return rows[0]?.at;
    };
    const beats = new Set<string | undefined>();
    while (beats.size < 4) beats.add(await lastBeat());
    finish();
    await Promise.all([starting, keeper.stop()]);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await testLedger.count(`nodes WHERE id = 'slow-3'`)).toBe(0);
  });

  it('is not taken from nodes that were cut off from the database together', async () => {
    const times = { heartbeatMilliseconds: 50, deadSeconds: 1, strayedSeconds: 60 };
    const [one, two, dead] = ['cut-1', 'cut-2', 'cut-3'].map((id) => testLedger.node(id, { times }));
    const user = await testLedger.addUser(1000);
    for (const node of [one, two, dead]) await node!.keeper.heartbeat();
    const held = await two!.ledger.reserve(request('cut-2', user, 0, 300));
    await dead!.ledger.reserve(request('cut-3', user, 0, 50));
    await new Promise((resolve) => setTimeout(resolve, 1200));
    // The first node that reaches the database again sees old heartbeats of all others.
    await one!.keeper.heartbeat();
    expect((await testLedger.user(user)).quota).toBe(650);
    await two!.keeper.heartbeat();
    // A node that is really dead is detected a little later.
    while ((await testLedger.user(user)).quota === 650) {
      await Promise.all([one!.keeper.heartbeat(), two!.keeper.heartbeat()]);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect((await testLedger.user(user)).quota).toBe(700);
    await two!.ledger.settle(held, charge(100));
    expect(await testLedger.user(user)).toMatchObject({ quota: 900, used_quota: 100 });
    for (const node of [one, two, dead]) await node!.keeper.stop();
  });

  it('is charged once by a node that was only late, and given back once', async () => {
    const user = await testLedger.addUser(1000);
    const late = testLedger.node('late-1');
    const [settled, released] = await Promise.all(
      ['late-a', 'late-b'].map((id) => late.ledger.reserve(request(id, user, 0, 300))),
    );
    expect(await testLedger.node('late-2', { times: quick }).keeper.sweepDead()).toBe(2);
    expect((await testLedger.user(user)).quota).toBe(1000);
    await late.ledger.settle(settled!, charge(250));
    await late.ledger.settle(settled!, charge(250));
    await late.ledger.release(released!);
    expect(await testLedger.user(user)).toMatchObject({ quota: 750, used_quota: 250, request_count: 1 });
  });

  it('in a shared folder is replayed whole, even when the node still writes', async () => {
    const user = await testLedger.addUser(1000);
    const late = testLedger.node('late-3');
    const lineOf = async (id: string) =>
      toSettleLine(await late.ledger.reserve(request(id, user, 0, 100)), charge(100), 1_800_000_000);
    await late.spool.append([await lineOf('late-3a')]);
    const { keeper, ledger } = testLedger.node('late-4', { times: quick });
    await keeper.heartbeat();
    expect((await testLedger.user(user)).quota).toBe(900);
    // The file that it had opened is gone.
    await late.spool.append([await lineOf('late-3b')]);
    await late.spool.append([await lineOf('late-3c')]);
    await ledger.replaySpool(() => true);
    expect(await testLedger.user(user)).toMatchObject({ quota: 700, used_quota: 300, request_count: 3 });
    await late.spool.close();
  });

  it('and a reservation that nobody remembers is given back by its own node', async () => {
    const user = await testLedger.addUser(1000);
    const node = testLedger.node('alive-7', {
      times: { heartbeatMilliseconds: 50, deadSeconds: 30, strayedSeconds: 0 },
    });
    const known = await node.ledger.reserve(request('known', user, 0, 100));
    await testLedger.pool.query(
      `INSERT INTO reservations (request_id, node_id, user_id, amount) VALUES ('strayed', 'alive-7', $1, 0)`,
      [user],
    );
    await node.keeper.heartbeat();
    expect(await testLedger.count(`reservations WHERE request_id = 'strayed' AND swept_at IS NOT NULL`)).toBe(1);
    expect(await testLedger.count(`reservations WHERE request_id = 'known' AND swept_at IS NULL`)).toBe(1);
    // A charge that is not an amount ends its call as well.
    await expect(node.ledger.settle(known, charge(Number.NaN))).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
    await node.keeper.heartbeat();
    expect(await testLedger.count(`reservations WHERE request_id = 'known' AND swept_at IS NULL`)).toBe(0);
  });
});

it('tidying goes on after the wall clock was set back by years', async () => {
  const { keeper } = testLedger.node('tidy-1');
  const old = (): Promise<number> => testLedger.count(`nodes WHERE id = 'tidy-old'`);
  const wall = jest.spyOn(Date, 'now').mockReturnValue(Date.UTC(2040, 0));
  await keeper.heartbeat();
  wall.mockRestore();
  await testLedger.pool.query(`INSERT INTO nodes (id, heartbeat_at) VALUES ('tidy-old', now() - interval '2 days')`);
  await keeper.heartbeat();
  expect(await old()).toBe(1);
  const later = performance.now() + 2 * 3_600_000;
  const monotonic = jest.spyOn(performance, 'now').mockReturnValue(later);
  await keeper.heartbeat();
  monotonic.mockRestore();
  expect(await old()).toBe(0);
});

describe('months of the log', () => {
  const partitions = async (): Promise<unknown[]> =>
    (
      await testLedger.pool.query(
        `SELECT tableoid::regclass::text AS name, content FROM logs WHERE type = 4 ORDER BY content`,
      )
    ).rows;

  it('get their partition although a clock that was ahead has written into them', async () => {
    const { ledger } = testLedger.node('ahead');
    const user = await testLedger.addUser(1000);
    const held = await ledger.reserve(request('ahead', user, 0, 100));
    await ledger.replay(toSettleLine(held, charge(100), Date.UTC(2104, 1, 29, 23, 59, 59) / 1000));
    const write = (at: number, content: string) =>
      testLedger.pool.query('INSERT INTO logs (created_at, type, user_id, content) VALUES ($1, 4, 1, $2)', [
        at / 1000,
        content,
      ]);
    await write(Date.UTC(2104, 1, 29), 'leap day');
    await write(Date.UTC(2104, 2, 1), 'next month');
    await testLedger.pool.query(`SELECT logs_ensure_partitions('2104-01-31T23:00:00Z', 1)`);
    expect(await partitions()).toEqual([
      { name: 'logs_210402', content: 'leap day' },
      { name: 'logs_default', content: 'next month' },
    ]);
    await testLedger.pool.query(`SELECT logs_ensure_partitions('2104-03-31T00:00:00Z', 0)`);
    await write(Date.UTC(2104, 2, 31), 'the same month');
    expect(await partitions()).toEqual([
      { name: 'logs_210402', content: 'leap day' },
      { name: 'logs_210403', content: 'next month' },
      { name: 'logs_210403', content: 'the same month' },
    ]);
    const { rows } = await testLedger.pool.query<{ indexes: number }>(
      `SELECT count(*)::int AS indexes FROM pg_index WHERE indrelid IN ('logs_210402'::regclass, 'logs_default'::regclass)
        GROUP BY indrelid`,
    );
    expect(rows[0]).toEqual(rows[1]);
    await testLedger.pool.query('DELETE FROM logs WHERE type = 4');
  });
});

it('reconcile sees a drift of one unit anywhere', async () => {
  const user = await testLedger.addUser(1000);
  const token = await testLedger.addToken(user, 500);
  const channel = await testLedger.addChannel();
  const { ledger } = testLedger.node('drift');
  await ledger.settle(await ledger.reserve(request('drift', user, token, 10)), charge(10, { channelId: channel }));
  const wrong = [
    [`UPDATE users SET quota = quota + $2 WHERE id = $1`, user, 'user balance'],
    [`UPDATE users SET used_quota = used_quota + $2 WHERE id = $1`, user, 'users used'],
    [`UPDATE tokens SET remain_quota = remain_quota + $2 WHERE id = $1`, token, 'token balance'],
    [`UPDATE tokens SET used_quota = used_quota + $2 WHERE id = $1`, token, 'tokens used'],
    [`UPDATE channels SET used_quota = used_quota + $2 WHERE id = $1`, channel, 'channels used'],
    [`UPDATE logs SET quota = quota + $2 WHERE user_id = $1`, user, 'log'],
    [`UPDATE users SET aff_quota = aff_quota + $2 WHERE id = $1`, user, 'invite earnings'],
  ] as const;
  for (const [sql, id, account] of wrong) {
    await testLedger.pool.query(sql, [id, 1]);
    const drifts = await testLedger.reconcile();
    expect(drifts.map((drift) => drift.account)).toEqual([account]);
    expect(drifts[0]!.found - drifts[0]!.expected).toBe(1);
    await testLedger.pool.query(sql, [id, -1]);
  }
});
