import 'reflect-metadata';
import fc from 'fast-check';
import type { DataSource } from 'typeorm';
import { Changes } from '../../server/src/platform/cache/changes.js';
import { MemoryState } from '../../server/src/platform/cache/memory-state.js';
import { entities } from '../../server/src/compose/entities.js';
import { createDataSource } from '../../server/src/platform/db/data-source.js';
import { defaultOptionValues } from '../../server/src/options/option-registry.js';
import type { Ledger } from '../../server/src/billing/ledger/ledger.js';
import { postEntry } from '../../server/src/billing/ledger/post-entry.js';
import { creativeKind, drawingKind, TaskLedger } from '../../server/src/console/tasks/task-ledger.js';
import { systemClock } from '../../server/src/shared/clock.js';
import { TestLedger, charge } from './test-ledger.js';

/**
 * Random task lifecycles, reported by several nodes at once, repeatedly and in any order. A task is always charged once
 * or not at all, refunded once if it failed after the charge, and never changed once it has ended.
 */
interface Life {
  readonly kind: 'drawing' | 'creativeTask';
  /** Tasks may share a name: the provider then reports that it already has this task. */
  readonly name: number;
  readonly price: number;
  readonly order: 'taken' | 'taken free' | 'refused' | 'dies';
  /** Reports about the task, and the node that receives each of them. All are sent at once. */
  readonly told: ReadonlyArray<{ readonly node: number; readonly step: 'half' | 'good' | 'bad' | 'given up' }>;
  /** Whether the reports arrive while the task is still being submitted. */
  readonly early: boolean;
}

const life: fc.Arbitrary<Life> = fc.record({
  kind: fc.constantFrom('drawing' as const, 'creativeTask' as const),
  name: fc.nat(6),
  price: fc.nat(500),
  order: fc.constantFrom(
    'taken' as const,
    'taken' as const,
    'taken free' as const,
    'refused' as const,
    'dies' as const,
  ),
  told: fc.array(
    fc.record({
      node: fc.nat(1),
      step: fc.constantFrom('half' as const, 'good' as const, 'bad' as const, 'given up' as const),
    }),
    { maxLength: 6 },
  ),
  early: fc.boolean(),
});

const steps = {
  half: { status: 'IN_PROGRESS', progress: 50 },
  good: { status: 'SUCCESS', progress: 100 },
  bad: { status: 'FAILURE', progress: 100, failReason: 'no' },
  'given up': { status: 'FAILURE', progress: 100, failReason: 'too late' },
} as const;

let testLedger: TestLedger;
let database: DataSource;
let nodes: Array<{ ledger: Ledger; tasks: TaskLedger }>;
const announced: string[] = [];
let run = 0;

beforeAll(async () => {
  testLedger = await TestLedger.open();
  database = await createDataSource(testLedger.database.url, 6, entities).initialize();
  const changes = new Changes(new MemoryState());
  for (const kind of ['drawing', 'creativeTask'] as const) {
    changes.on(kind, ({ id }) => announced.push(`${kind} ${id}`));
  }
  nodes = ['one', 'two'].map((nodeId) => {
    const { ledger } = testLedger.node(nodeId);
    const tasks = new TaskLedger({
      database,
      ledger,
      postEntry,
      changes,
      clock: systemClock,
      options: { values: defaultOptionValues() },
      usageLog: { record: () => Promise.resolve() },
    });
    return { ledger, tasks };
  });
});
afterAll(async () => {
  await database.destroy();
  await testLedger.close();
});

interface Money {
  readonly userId: number;
  readonly tokenId: number;
  readonly channelId: number;
}

/** Runs one lifecycle. Its steps are concurrent. */
async function live({ kind, name, price, order, told, early }: Life, money: Money, requestId: string): Promise<void> {
  const { ledger, tasks } = nodes[0]!;
  const priced = order === 'taken' ? price : 0;
  const reservation = await ledger.reserve({ requestId, ...money, amount: priced, priced: false });
  const taskName = `run${run}-${name}`;
  const row = { ...money, username: 'user', requestId, action: 'A', keyPrint: '' };
  const id =
    kind === 'drawing'
      ? await tasks.open(drawingKind, { ...row, submitTime: new Date() }, reservation)
      : await tasks.open(
          creativeKind,
          { ...row, platform: 'suno', createdAt: new Date(), updatedAt: new Date(), submitTime: new Date() },
          reservation,
        );
  const tell = (): Promise<unknown> =>
    Promise.all(
      told.map(({ node, step }) => {
        const { tasks } = nodes[node]!;
        return kind === 'drawing'
          ? tasks.move(drawingKind, id, steps[step])
          : tasks.move(creativeKind, id, steps[step]);
      }),
    );
  const answer = async (): Promise<unknown> => {
    if (order === 'dies') {
      // The sweeper returns its amount.
      return ledger.release(reservation);
    }
    const cost = order === 'taken' ? charge(price, { channelId: money.channelId, counted: price > 0 }) : null;
    if (order === 'refused') {
      return kind === 'drawing'
        ? tasks.refuse(drawingKind, id, { failReason: 'no' }, reservation)
        : tasks.refuse(creativeKind, id, { failReason: 'no' }, reservation);
    }
    return kind === 'drawing'
      ? tasks.accept(drawingKind, id, { mjId: taskName, status: 'SUBMITTED' }, reservation, cost)
      : tasks.accept(creativeKind, id, { taskId: taskName, status: 'SUBMITTED' }, reservation, cost);
  };
  if (early) await Promise.all([answer(), tell()]);
  else await answer();
  await tell();
}

it('pays each task once and refunds each failure once, whoever tells it, however often and when', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 8 }), async (lives) => {
      run++;
      const userId = await testLedger.addUser(100_000);
      const money = {
        userId,
        tokenId: await testLedger.addToken(userId, 100_000),
        channelId: await testLedger.addChannel(),
      };
      await Promise.all(lives.map((one, index) => live(one, money, `run-${run}-${index}`)));

      expect(await testLedger.reconcile()).toEqual([]);
      const rows = (
        await testLedger.pool.query<{ status: string; quota: string }>(
          `SELECT status, quota FROM midjourneys WHERE user_id = $1 UNION ALL SELECT status, quota FROM tasks WHERE user_id = $1`,
          [userId],
        )
      ).rows;
      const paid = rows.filter(({ status }) => status !== 'FAILURE').reduce((sum, { quota }) => sum + Number(quota), 0);
      const charged = rows.reduce((sum, { quota }) => sum + Number(quota), 0);
      const user = await testLedger.user(userId);
      expect([user.quota, user.used_quota]).toEqual([100_000 - paid, charged]);
      expect((await testLedger.token(money.tokenId)).remain_quota).toBe(100_000 - paid);
      expect(await testLedger.count('reservations')).toBe(0);
      // Each name has one row per user and channel.
      expect(
        await testLedger.count(
          `(SELECT mj_id FROM midjourneys WHERE user_id = $1 AND mj_id <> '' GROUP BY mj_id HAVING count(*) > 1) AS twice`,
          [userId],
        ),
      ).toBe(0);
    }),
    { numRuns: 25, seed: 7 },
  );
});

it('announces every step of a task after it is committed, and nothing that did not happen', async () => {
  const userId = await testLedger.addUser(1000);
  const money = { userId, tokenId: 0, channelId: await testLedger.addChannel() };
  const { ledger, tasks } = nodes[0]!;
  const reservation = await ledger.reserve({ requestId: 'announced', ...money, amount: 10, priced: true });
  announced.length = 0;
  const heard = async (act: () => Promise<unknown>): Promise<string[]> => {
    await act();
    await new Promise((resolve) => setImmediate(resolve));
    return announced.splice(0);
  };
  let id = 0;
  const opening = await heard(async () => {
    id = await tasks.open(
      drawingKind,
      { ...money, requestId: 'announced', action: 'IMAGINE', submitTime: new Date() },
      reservation,
    );
  });
  expect(opening).toEqual([`drawing ${id}`]);
  const accept = (): Promise<unknown> =>
    tasks.accept(drawingKind, id, { mjId: 'announced' }, reservation, charge(10, { channelId: money.channelId }));
  expect(await heard(accept)).toEqual([`drawing ${id}`]);
  expect(await heard(() => tasks.move(drawingKind, id, steps.half))).toEqual([`drawing ${id}`]);
  expect(await heard(() => tasks.move(drawingKind, id, steps.bad))).toEqual([`drawing ${id}`]);
  expect(await heard(() => tasks.move(drawingKind, id, steps.good))).toEqual([]);
  expect(await heard(() => tasks.move(drawingKind, 999_999, steps.good))).toEqual([]);
});
