import { ChargeCheckpoints, SessionLedger, type UnsettledCharge } from '../../server/src/billing/ledger/index.js';
import { toSettleLine } from '../../server/src/billing/ledger/ledger-lines.js';
import { seconds, systemClock } from '../../server/src/shared/clock.js';
import { charge, TestLedger } from './test-ledger.js';

/** Charges of running responses, which another node makes when theirs is dead. */

let testLedger: TestLedger;
beforeAll(async () => {
  testLedger = await TestLedger.open();
});
afterAll(() => testLedger.close());

const times = { heartbeatMilliseconds: 50, deadSeconds: 1, strayedSeconds: 60 };
const logger = { warn: () => undefined };

/** A session of a node without heartbeats: for all others it is dead. */
async function sessionOf(name: string, quota = 1000) {
  const { ledger, pool } = testLedger.node(`node of ${name}`);
  const user = await testLedger.addUser(quota);
  const database = {
    query: async (text: string, values?: unknown[]) => (await pool.query(text, values)).rows as unknown,
  };
  const session = new SessionLedger(
    { database, ledger, clock: systemClock, logger },
    { requestId: name, userId: user, tokenId: 0, modelName: 'gpt-4o-realtime' },
  );
  const checkpoints = new ChargeCheckpoints(pool, logger);
  const write = async (charges: UnsettledCharge[]): Promise<void> => {
    await new Promise<void>((read) => checkpoints.note({ unsettled: () => (read(), charges) }));
    // The next source is read after the write.
    await new Promise<void>((read) => checkpoints.note({ unsettled: () => (read(), []) }));
  };
  return { user, session, write };
}

const logOf = async (name: string) => {
  const { rows } = await testLedger.pool.query<{ quota: string; other: string }>(
    `SELECT quota, other FROM logs WHERE request_id = $1 AND type = 2`,
    [name],
  );
  return rows.map(({ quota, other }) => ({ quota: Number(quota), other: JSON.parse(other) as object }));
};

it('charges what a response of a dead node had made, once, however many nodes sweep', async () => {
  const { user, session, write } = await sessionOf('killed');
  const held = await session.reserve(300, true, 0);
  await session.reserve(200, true, 0);
  await write([session.unsettled(held, charge(120, { other: { ws: true } }))]);
  await write([session.unsettled(held, charge(130, { other: { ws: true } }))]);
  const sweepers = [1, 2, 3].map((index) => testLedger.node(`sweeper-${index}`, { times }).keeper);
  await Promise.all(sweepers.map((keeper) => keeper.sweepDead()));
  await sweepers[0]!.sweepDead();
  expect(await testLedger.user(user)).toMatchObject({ quota: 870, used_quota: 130, request_count: 1 });
  expect(await logOf('killed')).toEqual([{ quota: 130, other: { ws: true } }]);
  expect(await testLedger.reconcile()).toEqual([]);
});

it('charges the difference when the node of a charged response was alive, once', async () => {
  const { user, session, write } = await sessionOf('alive');
  const held = await session.reserve(300, true, 0);
  const due = charge(120, { rest: 0.4e9, promptTokens: 10, completionTokens: 5, other: { ws: true } });
  await write([session.unsettled(held, due)]);
  await testLedger.node('sweeper-alive', { times }).keeper.sweepDead();
  expect(await testLedger.user(user)).toMatchObject({ quota: 880, used_quota: 120, request_count: 1 });
  const exact = charge(250, { rest: 0.3e9, promptTokens: 10, completionTokens: 25, other: { ws: true, turns: 1 } });
  expect(await session.settle(held, exact)).toMatchObject({ userQuota: 750, uncharged: 0 });
  await session.settle(held, exact);
  expect(await testLedger.user(user)).toMatchObject({ quota: 750, used_quota: 250, request_count: 1 });
  expect(await logOf('alive')).toMatchObject([{ quota: 250, other: { ws: true, turns: 1 } }]);
  const { rows } = await testLedger.pool.query('SELECT rests % 1e9 AS carried FROM quota_carry WHERE user_id = $1', [
    user,
  ]);
  expect(rows).toEqual([{ carried: String(0.3e9) }]);
  expect(await testLedger.reconcile()).toEqual([]);
});

it('charges nothing more when less was due after all, and no more than the balance has', async () => {
  const { user, session, write } = await sessionOf('less', 200);
  const [first, second] = [await session.reserve(90, true, 0), await session.reserve(90, true, 0)];
  await write([session.unsettled(first, charge(80)), session.unsettled(second, charge(80))]);
  await testLedger.node('sweeper-less', { times }).keeper.sweepDead();
  await session.settle(first, charge(70));
  expect(await testLedger.user(user)).toMatchObject({ quota: 40, used_quota: 160 });
  expect(await session.settle(second, charge(180))).toEqual({ userQuota: 0, uncharged: 60 });
  expect(await testLedger.user(user)).toMatchObject({ quota: 0, used_quota: 200 });
  expect(await testLedger.reconcile()).toEqual([]);
});

it('charges the difference when the spool of the node arrives late', async () => {
  const { user, session, write } = await sessionOf('spooled');
  const held = await session.reserve(300, true, 0);
  await write([session.unsettled(held, charge(120))]);
  await testLedger.node('sweeper-spooled', { times }).keeper.sweepDead();
  const { ledger } = testLedger.node('late');
  const line = toSettleLine(held, charge(200), seconds(systemClock));
  await Promise.all([ledger.replay(line), ledger.replay(line)]);
  await ledger.replay(line);
  expect(await testLedger.user(user)).toMatchObject({ quota: 800, used_quota: 200, request_count: 1 });
  expect(await testLedger.reconcile()).toEqual([]);
});

it('adds to the log row of the earlier turns', async () => {
  const { user, session, write } = await sessionOf('second');
  await session.settle(await session.reserve(100, true, 0), charge(40, { other: { ws: true } }));
  const held = await session.reserve(100, true, 0);
  await write([session.unsettled(held, charge(25, { other: { ws: true, turns: 2 } }))]);
  await testLedger.node('sweeper-second', { times }).keeper.sweepDead();
  expect(await logOf('second')).toEqual([{ quota: 65, other: { ws: true, turns: 2 } }]);
  expect(await testLedger.user(user)).toMatchObject({ quota: 935, used_quota: 65 });
  expect(await testLedger.reconcile()).toEqual([]);
});

it('does not charge what is no longer due, or was settled meanwhile', async () => {
  const { user, session, write } = await sessionOf('settled');
  const held = await session.reserve(100, true, 0);
  const other = await session.reserve(100, true, 0);
  await write([session.unsettled(held, charge(50)), session.unsettled(other, charge(60))]);
  await write([session.unsettled(other, null)]);
  await session.settle(held, charge(70));
  await write([session.unsettled(held, charge(80))]);
  await testLedger.node('sweeper-settled', { times }).keeper.sweepDead();
  expect(await testLedger.user(user)).toMatchObject({ quota: 930, used_quota: 70 });
  expect(await testLedger.reconcile()).toEqual([]);
});

it('charges no more than the balance has', async () => {
  const { user, session, write } = await sessionOf('short', 100);
  const held = await session.reserve(90, true, 0);
  await write([session.unsettled(held, charge(500, { least: 90 }))]);
  await testLedger.node('sweeper-short', { times }).keeper.sweepDead();
  expect(await testLedger.user(user)).toMatchObject({ quota: 0, used_quota: 100 });
  expect(await logOf('short')).toMatchObject([{ quota: 100, other: { uncharged_quota: 400 } }]);
});

it('releases a response whose charge the database refuses, and sweeps all others', async () => {
  const { user, session, write } = await sessionOf('refused');
  const held = await session.reserve(100, true, 0);
  const other = await session.reserve(100, true, 0);
  await write([session.unsettled(held, charge(50)), session.unsettled(other, charge(60))]);
  await testLedger.pool.query(
    `UPDATE reservations SET due = jsonb_set(due, '{turn,charge}', '"many"') WHERE request_id = $1`,
    [held.requestId],
  );
  await testLedger.node('sweeper-refused', { times }).keeper.sweepDead();
  expect(await testLedger.user(user)).toMatchObject({ quota: 940, used_quota: 60 });
  expect(await testLedger.count(`reservations WHERE user_id = ${user} AND amount > 0`)).toBe(0);
  expect(await testLedger.reconcile()).toEqual([]);
});

it('does not wait for a reservation that is being settled', async () => {
  const { session, write } = await sessionOf('locked');
  const held = await session.reserve(100, true, 0);
  const other = await session.reserve(100, true, 0);
  const client = await testLedger.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM reservations WHERE request_id = $1 FOR UPDATE', [held.requestId]);
    await write([session.unsettled(held, charge(50)), session.unsettled(other, charge(60))]);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
  expect(await testLedger.count(`reservations WHERE request_id LIKE 'locked-%' AND due IS NOT NULL`)).toBe(1);
});

it('keeps no reservation that is released while a checkpoint is written', async () => {
  const { user, session } = await sessionOf('released');
  await session.open(300, true, 0, { isTurn: false });
  const response = await session.reserve(200, true, 0);
  const client = await testLedger.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(`SELECT 1 FROM reservations WHERE request_id LIKE 'released-%' FOR NO KEY UPDATE`);
    const released = Promise.all([session.release(response), session.close()]);
    await Promise.race([released, new Promise((resolve) => setTimeout(resolve, 300))]);
    await client.query('COMMIT');
    await released;
  } finally {
    client.release();
  }
  expect(await testLedger.count(`reservations WHERE user_id = ${user}`)).toBe(0);
  expect(await testLedger.user(user)).toMatchObject({ quota: 1000, used_quota: 0 });
});

it('writes the charges of all sessions but one whose charge cannot be counted', async () => {
  const { session, write } = await sessionOf('broken');
  const held = await session.reserve(100, true, 0);
  const checkpoints = new ChargeCheckpoints(testLedger.pool, logger);
  checkpoints.note({
    unsettled: () => {
      throw new RangeError('no such number');
    },
  });
  await new Promise<void>((read) =>
    checkpoints.note({ unsettled: () => (read(), [session.unsettled(held, charge(50))]) }),
  );
  await write([]);
  expect(await testLedger.count(`reservations WHERE request_id LIKE 'broken-%' AND due IS NOT NULL`)).toBe(1);
});

it('leaves time for other work between the sessions of a node', async () => {
  const { session } = await sessionOf('many', 1_000_000);
  const held = await session.reserve(100, true, 0);
  const sizes: number[] = [];
  const pool = {
    query: async (_text: string, [json]: [string]) => {
      sizes.push((JSON.parse(json) as unknown[]).length);
      await new Promise((done) => setImmediate(done));
    },
  };
  const checkpoints = new ChargeCheckpoints(
    pool as unknown as ConstructorParameters<typeof ChargeCheckpoints>[0],
    logger,
  );
  const one = session.unsettled(held, charge(50));
  await new Promise<void>((read) => {
    for (let index = 0; index < 100; index++) {
      checkpoints.note({
        unsettled: () => {
          if (index === 99) read();
          return Array.from({ length: 100 }, () => one);
        },
      });
    }
  });
  await new Promise((done) => setTimeout(done, 20));
  expect(sizes).toEqual(Array.from({ length: 50 }, () => 200));
});
