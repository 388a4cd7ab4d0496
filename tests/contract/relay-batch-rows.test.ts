/** Batches with a log row for each line. Their sums are those of the batch. */
import { explainCharge, explainCost } from '../../server/src/billing/prices/explain-charge.js';
import { BatchSite, line } from '../support/batch-site.js';
import { eventually } from '../support/task-site.js';

let batches: BatchSite;

beforeAll(async () => {
  batches = await BatchSite.open();
  await batches.site.setOption('batches.log_rows', 'line');
});
afterEach(async () => {
  expect(await batches.site.drift()).toEqual([]);
});
afterAll(() => batches.close());

const mini = { model: 'gpt-4o-mini' };
/** Ends a batch. Line `n` has a prompt of `n` tokens, and an output of one; line 0 fails. */
const end = (id: string): void =>
  batches.provider.batches.end(id, ({ custom_id: name }) => {
    const prompt = Number(/\d+/.exec(name)?.[0]);
    if (prompt === 0) return { status: 400, message: 'refused' };
    const usage = { prompt_tokens: prompt, completion_tokens: 1, total_tokens: prompt + 1 };
    return { body: { choices: [], usage } };
  });
/** Units of quota of such a line of gpt-4o-mini, at half its price. */
const priceOf = (prompt: number): number => (prompt * 0.15 + 0.6) * 0.25;

interface Row {
  readonly quota: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly other: Record<string, unknown>;
}
/** The log rows of a batch, in the order of its results, once there are so many. */
async function rowsOf(id: string, count: number): Promise<Row[]> {
  const { request_id: request } = (await batches.ended(id)) ?? {};
  const found = await eventually(
    () =>
      batches.site.rows<Record<string, string>>(
        `SELECT quota, prompt_tokens AS prompt, completion_tokens AS completion, other FROM logs
          WHERE request_id = $1 AND type = 2 ORDER BY id`,
        [request],
      ),
    (rows) => rows.length === count,
  );
  return found.map(({ quota, prompt, completion, other }) => ({
    quota: Number(quota),
    promptTokens: Number(prompt),
    completionTokens: Number(completion),
    other: JSON.parse(String(other)) as Record<string, unknown>,
  }));
}
const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0);
const usage = async () =>
  (
    await batches.site.rows<Record<string, string>>(
      `SELECT sum(calls) AS calls, sum(logged_calls) AS logged, sum(cost_calls) AS costs, sum(cost_nano_usd) AS nano,
              sum((SELECT sum(bucket) FROM unnest(duration_buckets) bucket)) AS durations FROM usage_hourly`,
    )
  )[0];

it('the rows add up to the charge, and each explains its own', async () => {
  const { site } = batches;
  const before = await site.balances();
  const counted = await usage();
  const prompts = [7, 0, 11, 13, 1000];
  const made = await batches.create(prompts.map((prompt) => line(`call ${prompt}`, mini)));
  end(made.id);
  const rows = await rowsOf(made.id, 4);
  const charged = before.quota - (await site.balances()).quota;
  expect(sumOf(rows.map(({ quota }) => quota))).toBe(charged);
  expect(await batches.rowOf(made.id)).toMatchObject({ status: 'SUCCESS', quota: String(charged) });
  // To less than a unit, which the user carries.
  expect(Math.abs(charged - sumOf(prompts.filter(Boolean).map(priceOf)))).toBeLessThan(1);
  for (const row of rows) {
    expect(explainCharge(row).quota).toBe(row.quota);
    expect(explainCost(row)).not.toMatch(/differs/);
    expect(Math.abs(row.quota - priceOf(row.promptTokens))).toBeLessThan(1);
    expect(row).toMatchObject({ completionTokens: 1, other: { price_when: { tier: 'batch' } } });
  }
  const notes = rows.map(({ other }) => other['batch'] as { id: string; line: string; lines: number });
  expect(notes.map(({ line: name }) => name).toSorted()).toEqual(['call 1000', 'call 11', 'call 13', 'call 7']);
  expect(rows.map(({ promptTokens }) => `call ${promptTokens}`)).toEqual(notes.map(({ line: name }) => name));
  // One row counts the line that failed, too.
  expect(notes.map(({ lines }) => lines).toSorted()).toEqual([1, 1, 1, 2]);
  expect(new Set(notes.map(({ id }) => id))).toEqual(new Set([made.id]));
  const after = await usage();
  const grown = (name: string): number => Number(after?.[name]) - Number(counted?.[name] ?? 0);
  expect(['calls', 'logged', 'costs', 'durations'].map(grown)).toEqual([4, 4, 4, 4]);
  const costs = rows.map(({ other }) => (other['admin_info'] as { upstream_cost: number }).upstream_cost);
  expect(grown('nano')).toBe(sumOf(costs.map((usd) => Math.round(usd * 1e9))));
});

it('a thousand lines of a plan, with a budget of requests', async () => {
  const { site } = batches;
  const post = (path: string, body: object): Promise<{ id: number }> =>
    site.server.api.data<{ id: number }>(site.root, 'POST', path, body);
  const windows = [{ window: 'fixed', kind: 'money', amount: 5_000_000 }];
  const shape = { name: 'Maker', price: 1, period_unit: 'day', period_count: 30, windows };
  const { id: plan_id } = await post('/api/plan/', shape);
  const { id: plan } = await post('/api/plan/grant', { user_id: site.user.id, plan_id, note: 'for a test' });
  const limits = { window: 'day', kind: 'requests', amount: 2000 };
  await post('/api/budget/', { level: 'token', subject_id: site.tokenId, ...limits });
  const before = await site.balances();
  const lines = Array.from({ length: 1100 }, (_, index) => line(String(index), { ...mini, max_tokens: 1 }));
  const made = await batches.create(lines);
  end(made.id);
  const rows = await rowsOf(made.id, 1099);
  expect((await site.balances()).quota).toBe(before.quota);
  expect(sumOf(rows.map(({ quota }) => quota))).toBe(Number((await batches.rowOf(made.id))?.['quota']));
  for (const { other } of rows) expect(other['plan']).toEqual({ id: plan, name: 'Maker' });
  const [window] = await site.rows<{ used: string }>(
    `SELECT w.used FROM budget_windows w JOIN budgets b ON b.id = w.budget_id WHERE b.level = 'token'`,
  );
  expect(window?.used).toBe('1100');
  const [hour] = await site.rows<{ calls: string }>('SELECT sum(calls) AS calls FROM plan_usage_hourly');
  expect(hour?.calls).toBe(String(rows.filter(({ quota }) => quota !== 0).length));
  await post('/api/plan/refund', { id: plan, note: 'the end of the test' });
});

it('a batch whose charge the balance did not cover keeps one row', async () => {
  const { site } = batches;
  // More than was reserved, which depends on the balance.
  const made = await batches.create([line('100000', mini), line('100001', mini)]);
  const { quota } = await site.balances();
  const setQuota = (amount: number) =>
    site.server.api.data(site.root, 'PUT', '/api/user/', { id: site.user.id, quota: amount });
  await setQuota(0);
  end(made.id);
  const [row] = await rowsOf(made.id, 1);
  expect(row?.other).toMatchObject({ batch: { lines: 2 }, uncharged_quota: expect.any(Number) as unknown });
  expect(row && explainCharge(row).quota).toBe(row?.quota);
  await setQuota(quota);
});

it('without a log of calls there are no rows', async () => {
  const { site } = batches;
  await site.setOption('LogConsumeEnabled', 'false');
  try {
    const made = await batches.create([line('5', mini), line('6', mini)]);
    end(made.id);
    expect(await rowsOf(made.id, 0)).toEqual([]);
  } finally {
    await site.setOption('LogConsumeEnabled', 'true');
  }
});

it('one row has all lines where the site wants it so', async () => {
  await batches.site.setOption('batches.log_rows', 'batch');
  const made = await batches.create([line('5', mini), line('6', mini)]);
  end(made.id);
  const [row] = await rowsOf(made.id, 1);
  expect(row?.other['batch']).toEqual({ id: made.id, lines: 2, ended: 2 });
});
