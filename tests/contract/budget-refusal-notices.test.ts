import { BudgetNotices } from '../../server/src/console/budgets/budget-notices.js';
import { BudgetRefusals } from '../../server/src/billing/budgets/budget-refusals.js';
import { Budget } from '../../server/src/billing/budgets/budget.entity.js';
import type { Notice } from '../../server/src/console/notifications/delivery.js';
import { json } from '../support/upstream/replies.js';
import { RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

/** A budget that refuses a call counts as used up (docs/reference/relay/budgets.md#notices). */
let relay: RelayHarness;
let two: RelayHarness;
const start = Date.UTC(2026, 2, 28, 11);
let now = start;
const clock = { now: () => now };
const values = {
  SelfUseModeEnabled: true,
  ModelPrice: { 'gpt-4o': 0.03 },
  ModelRatio: { 'gpt-ratio': 0.5 },
  CompletionRatio: { 'gpt-ratio': 1 },
  GroupRatio: { default: 1, vip: 1 },
};
const refusals = new BudgetRefusals();
const otherRefusals = new BudgetRefusals();
relaySuite((started) => (relay = started), { clock, values, budgetRefusals: refusals });

const sent: Array<readonly [receiver: number | 'root', notice: Notice]> = [];
let nodes: BudgetNotices[];

beforeAll(async () => {
  two = await RelayHarness.start({ beside: relay, clock, budgetRefusals: otherRefusals });
  two.setOptions(values);
  nodes = [refusals, otherRefusals].map(
    (noted) =>
      new BudgetNotices({
        database: relay.dataSource,
        budgets: relay.dataSource.getRepository(Budget),
        clock,
        refusals: noted,
        notices: {
          notifyUser: (userId, notice) => void sent.push([userId, notice]),
          notifyRoot: (notice) => void sent.push(['root', notice]),
        },
        options: { values: { QuotaPerUnit: 500_000, DisplayInCurrencyEnabled: true } },
        logger: {
          warn: ({ err }: { err?: unknown }) => {
            throw err;
          },
        },
      }),
  );
});
afterAll(() => two.stop());
beforeEach(async () => {
  now = start;
  await relay.sql('DELETE FROM budgets');
  await relay.sql('DELETE FROM budget_windows');
  for (const noted of [refusals, otherRefusals]) noted.take();
});

/** Runs the check for notices on both nodes, at the same time or one after the other. */
async function noticesOfRun(inTurn = false): Promise<Array<readonly [number | 'root', string]>> {
  await Promise.all([relay.idle(), two.idle()]);
  sent.length = 0;
  if (inTurn) for (const node of nodes) await node.run();
  else await Promise.all(nodes.map((node) => node.run()));
  return sent.map(([receiver, { type }]) => [receiver, type] as const);
}

async function addBudget(level: string, subject: number, kind: string, amount: number): Promise<number> {
  const [row] = await relay.sql<{ id: number }>(
    `INSERT INTO budgets (level, subject_id, kind, amount, span, created_by, by_admin)
     VALUES ($1, $2, $3, $4, 'day', 1, true) RETURNING id`,
    [level, subject, kind, amount],
  );
  for (const node of [relay, two]) {
    for (const changed of ['budget', 'token', 'user'] as const) await node.changed({ kind: changed });
  }
  return row!.id;
}

const ask = async (key: string, body: object = {}, node = relay): Promise<number> =>
  (await node.chat(key, { model: 'gpt-4o', messages: userMessage('hi'), ...body })).status;
const richToken = async () => relay.addToken({ userId: await relay.addUser({ quota: 100_000_000 }) });

it('comes once in a window where what is left is too little for a call, from one of two nodes', async () => {
  const channelId = await relay.addChannel();
  await two.changed({ kind: 'channel', id: channelId });
  const { key, id: tokenId, userId } = await richToken();
  const id = await addBudget('token', tokenId, 'money', 500_000);
  const statuses = await Promise.all(Array.from({ length: 60 }, (_, at) => ask(key, {}, at % 2 === 0 ? relay : two)));
  expect(statuses.filter((status) => status === 200)).toHaveLength(33);
  // Each node has refused a call, so either node may send the notice first.
  expect([await ask(key), await ask(key, {}, two)]).toEqual([429, 429]);
  expect(await noticesOfRun()).toEqual([[userId, `budget_${id}_100`]]);
  expect(sent[0]?.[1]).toMatchObject({
    title: 'A budget refuses calls',
    content:
      'Too little is left of the budget of {{value}} for a call: {{value}} of {{value}} is used. It resets at 2026-03-29T00:00:00.000Z.',
    values: [expect.stringMatching(/^the token /) as unknown, '$0.990000 quota', '$1.000000 quota'],
  });
  expect(await ask(key)).toBe(429);
  expect(await noticesOfRun()).toEqual([]);
  // The next window begins.
  now += 24 * 3_600_000;
  expect(await noticesOfRun()).toEqual([]);
  await Promise.all(Array.from({ length: 33 }, () => ask(key)));
  // While no call was refused, a budget that is 99 percent used is reported at the threshold of 80 percent.
  expect(await noticesOfRun()).toEqual([[userId, `budget_${id}_80`]]);
  expect(await ask(key, {}, two)).toBe(429);
  expect(await noticesOfRun()).toEqual([[userId, `budget_${id}_100`]]);
});

it('does not come where only a running call had taken the rest, and that call returned it', async () => {
  await relay.addChannel();
  const { key, id: tokenId } = await richToken();
  await addBudget('token', tokenId, 'requests', 1);
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  relay.upstream.script({}, async (response, request) => {
    await held;
    await json({ error: { message: 'bad', type: 'invalid_request_error' } }, 400)(response, request);
  });
  const running = ask(key);
  while (relay.upstream.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await ask(key)).toBe(429);
  sent.length = 0;
  await nodes[0]!.run();
  expect(sent).toEqual([]);
  release();
  expect(await running).toBe(400);
  expect(await noticesOfRun()).toEqual([]);
  relay.upstream.reset();
  expect(await ask(key)).toBe(200);
});

it('comes after a running call has used the rest', async () => {
  await relay.addChannel();
  const { key, id: tokenId, userId } = await richToken();
  const id = await addBudget('token', tokenId, 'money', 25_000);
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const served = json({ choices: [{ message: { content: 'ok' } }], usage: { prompt_tokens: 1, completion_tokens: 1 } });
  relay.upstream.script({}, async (response, request) => {
    await held;
    await served(response, request);
  });
  const running = ask(key);
  while (relay.upstream.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await ask(key)).toBe(429);
  await nodes[0]!.run();
  release();
  expect(await running).toBe(200);
  // The record of the refusal was kept, because the running call might have returned its reservation. The nodes check one
  // after the other, because a node without a refusal would report the threshold of 50 percent if it came first.
  expect(await noticesOfRun(true)).toEqual([[userId, `budget_${id}_100`]]);
});

it('does not come where a call got less output instead', async () => {
  await relay.addChannel({ models: 'gpt-ratio' });
  const { key, id: tokenId } = await richToken();
  await addBudget('token', tokenId, 'tokens', 1000);
  const usage = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 };
  relay.upstream.script({}, json({ choices: [{ message: { content: 'ok' } }], usage }));
  expect(await ask(key, { model: 'gpt-ratio', max_tokens: 5000 })).toBe(200);
  expect(await noticesOfRun()).toEqual([]);
});

it('of a channel goes to root, although another channel serves the calls', async () => {
  const first = await relay.addChannel({ key: 'sk-first', priority: 9 });
  await relay.addChannel({ key: 'sk-second' });
  const id = await addBudget('channel', first, 'money', 25_000);
  const { key } = await richToken();
  expect([await ask(key), await ask(key)]).toEqual([200, 200]);
  expect(await noticesOfRun(true)).toEqual([['root', `budget_${id}_100`]]);
});
