import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { LedgerSql } from '../../server/src/billing/ledger/ledger-sql.js';
import { json } from '../support/upstream/replies.js';
import { RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

/** Budgets of calls (docs/reference/relay/budgets.md). */
let relay: RelayHarness;
/** 2026-03-28 12:00 in Berlin, the day before clocks go forward. The tests move the clock. */
const noon = Date.UTC(2026, 2, 28, 11);
let now = noon;
const clock = { now: () => now };
const berlinMidnight = Date.UTC(2026, 2, 28, 23);
const nextBerlinMidnight = Date.UTC(2026, 2, 29, 22);

const values = {
  SelfUseModeEnabled: true,
  ModelPrice: { 'gpt-4o': 0.03, 'gpt-free': 0 },
  ModelRatio: { 'gpt-ratio': 0.5 },
  CompletionRatio: { 'gpt-ratio': 1 },
  GroupRatio: { default: 1, vip: 1 },
};
relaySuite((started) => (relay = started), { clock, values });
beforeEach(async () => {
  now = noon;
  await relay.sql('DELETE FROM budgets');
  await relay.sql('DELETE FROM budget_windows');
  await relay.changed({ kind: 'budget' });
  await relay.changed({ kind: 'token' });
  await relay.changed({ kind: 'user' });
});

interface BudgetSpec {
  readonly level: string;
  readonly subject?: number;
  readonly group?: string;
  readonly kind?: string;
  /** Quota (500,000 are a dollar), tokens or calls. */
  readonly amount: number;
  readonly span?: string;
  readonly rolling?: boolean;
  readonly zone?: string;
  readonly models?: string[];
  readonly range?: readonly [Date, Date];
}

async function addBudget(spec: BudgetSpec, nodes: readonly RelayHarness[] = [relay]): Promise<number> {
  const [row] = await relay.sql<{ id: number }>(
    `INSERT INTO budgets (level, subject_id, group_name, kind, amount, span, is_rolling, time_zone, models,
       starts_at, ends_at, created_by, by_admin)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 1, true) RETURNING id`,
    [
      ...[spec.level, spec.subject ?? 0, spec.group ?? '', spec.kind ?? 'money', spec.amount, spec.span ?? 'day'],
      ...[spec.rolling ?? false, spec.zone ?? 'Europe/Berlin', spec.models ?? [], ...(spec.range ?? [null, null])],
    ],
  );
  for (const node of nodes) {
    await node.changed({ kind: 'budget' });
    await node.changed({ kind: 'token' });
    await node.changed({ kind: 'user' });
  }
  return row!.id;
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly resetHeader: string | null;
  readonly shouldRetry: string | null;
  readonly error: Record<string, unknown>;
}

async function answerOf(response: Response): Promise<Answer> {
  const { error = {} } = (await response.json()) as { error?: Record<string, unknown> };
  const { headers, status } = response;
  return {
    status,
    retryAfter: headers.get('retry-after'),
    resetHeader: headers.get('x-ratelimit-reset-budget'),
    shouldRetry: headers.get('x-should-retry'),
    error,
  };
}
const ask = async (key: string, body: object = {}, node = relay): Promise<Answer> =>
  answerOf(await node.chat(key, { model: 'gpt-4o', messages: userMessage('hi'), ...body }));

const richToken = async (group = '') =>
  relay.addToken({ userId: await relay.addUser({ quota: 100_000_000, group: group || 'default' }) });
const stateOf = async (id: number): Promise<{ used: number; held: number }> => {
  const [row] = await relay.sql<{ used: string; held: string }>(
    'SELECT coalesce(sum(used), 0) AS used, coalesce(sum(held), 0) AS held FROM budget_windows WHERE budget_id = $1',
    [id],
  );
  return { used: Number(row!.used), held: Number(row!.held) };
};

describe('one dollar a day, and 200 parallel calls of three cents on two nodes', () => {
  let two: RelayHarness;
  beforeAll(async () => {
    two = await RelayHarness.start({ beside: relay, clock });
    two.setOptions(values);
  });
  afterAll(() => two.stop());

  it.each(['token', 'user', 'group', 'channel', 'site'])(
    '33 pass and 167 get 429 with the exact reset: %s',
    async (level) => {
      const id = await relay.addChannel({ key: 'sk-up', group: 'default,vip' });
      // This node still knows a channel of the previous test.
      await two.changed({ kind: 'channel' });
      const token = await richToken('vip');
      const subject = { token: token.id, user: token.userId, channel: id }[level] ?? 0;
      const group = level === 'group' ? 'vip' : '';
      const budget = await addBudget({ level, subject, group, amount: 500_000 }, [relay, two]);
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, at) => ask(token.key, {}, at % 2 === 0 ? relay : two)),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(33);
      const refused = answers.filter(({ status }) => status === 429);
      expect(refused).toHaveLength(167);
      for (const { retryAfter, resetHeader, error } of refused) {
        // The day's budget resets after the 12 hours from 12:00 to 24:00 in Berlin.
        expect({ retryAfter, resetHeader, code: error['code'], reset: error['reset_at'] }).toEqual({
          retryAfter: String(12 * 3600),
          resetHeader: String(berlinMidnight / 1000),
          code: 'budget_exceeded',
          reset: berlinMidnight / 1000,
        });
      }
      await two.idle();
      expect(await stateOf(budget)).toEqual({ used: 33 * 15_000, held: 0 });
    },
  );
});

it.each(['openai', '@anthropic-ai/sdk'])('is no reason for %s to wait or to ask again', async (name) => {
  await relay.addChannel();
  const { key, id } = await richToken();
  await addBudget({ level: 'token', subject: id, kind: 'requests', amount: 1 });
  expect((await ask(key)).status).toBe(200);
  let calls = 0;
  const counted: typeof fetch = (...given) => (calls++, fetch(...given));
  const messages = [{ role: 'user' as const, content: 'hi' }];
  const asked =
    name === 'openai'
      ? new OpenAI({ apiKey: key, baseURL: `${relay.url}/v1`, fetch: counted }).chat.completions.create({
          model: 'gpt-4o',
          messages,
        })
      : new Anthropic({ apiKey: key, baseURL: relay.url, fetch: counted }).messages.create({
          model: 'gpt-4o',
          max_tokens: 5,
          messages,
        });
  await expect(asked).rejects.toMatchObject({ status: 429 });
  expect(calls).toBe(1);
});

it('opens at midnight of its zone, on days of 23 hours as well, without any work between', async () => {
  await relay.addChannel();
  const { key, id } = await richToken();
  await addBudget({ level: 'token', subject: id, kind: 'requests', amount: 1 });
  expect((await ask(key)).status).toBe(200);
  // Without this header, Anthropic's SDKs would wait for twelve hours, and OpenAI's would retry at once.
  expect(await ask(key)).toMatchObject({ retryAfter: String(12 * 3600), shouldRetry: 'false' });
  now = berlinMidnight - 1;
  expect(await ask(key)).toMatchObject({ retryAfter: '1', shouldRetry: null });
  now = berlinMidnight;
  expect((await ask(key)).status).toBe(200);
  // This day has 23 hours.
  expect(await ask(key)).toMatchObject({
    status: 429,
    retryAfter: String(23 * 3600),
    error: { reset_at: nextBerlinMidnight / 1000 },
  });
  now = nextBerlinMidnight;
  expect((await ask(key)).status).toBe(200);
});

it('opens at midnight of its zone on days of 25 hours', async () => {
  await relay.addChannel();
  const { key, id } = await richToken();
  await addBudget({ level: 'token', subject: id, kind: 'requests', amount: 1 });
  // This is midnight in Berlin of Sunday, 2026-10-25, in summer time. Clocks go back at 3:00.
  now = Date.UTC(2026, 9, 24, 22);
  expect((await ask(key)).status).toBe(200);
  expect(await ask(key)).toMatchObject({
    status: 429,
    retryAfter: String(25 * 3600),
    error: { reset_at: Date.UTC(2026, 9, 25, 23) / 1000 },
  });
  now = Date.UTC(2026, 9, 25, 23) - 1;
  expect((await ask(key)).status).toBe(429);
  now += 1;
  expect((await ask(key)).status).toBe(200);
});

describe('every window refuses with its exact reset', () => {
  // From Saturday, 2026-03-28 12:00 in Berlin (UTC+1); clocks go forward on Sunday.
  const inHours = (hours: number): number => noon + hours * 3_600_000;
  it.each<[span: string, rolling: boolean, reset: number]>([
    // 0, 5, 10 and 15 o'clock.
    ['5h', false, inHours(3)],
    ['day', false, berlinMidnight],
    ['week', false, Date.UTC(2026, 2, 29, 22)],
    ['month', false, Date.UTC(2026, 2, 31, 22)],
    // A call belongs to a bucket of a sixtieth of the window, and leaves the window with that bucket. All of these buckets
    // begin at 12:00 or before.
    ['5h', true, inHours(5) + 5 * 60_000],
    ['day', true, Date.UTC(2026, 2, 29, 11, 12)],
    ['week', true, Date.UTC(2026, 3, 4, 13, 36)],
    ['month', true, Date.UTC(2026, 3, 27, 12)],
  ])('%s, rolling: %s', async (span, rolling, reset) => {
    await relay.addChannel();
    const { key, id } = await richToken();
    await addBudget({ level: 'token', subject: id, kind: 'requests', amount: 1, span, rolling });
    expect((await ask(key)).status).toBe(200);
    expect(await ask(key)).toMatchObject({
      status: 429,
      retryAfter: String((reset - noon) / 1000),
      resetHeader: String(reset / 1000),
      error: { reset_at: reset / 1000 },
    });
    now = reset - 1;
    expect((await ask(key)).status).toBe(429);
    now = reset;
    expect((await ask(key)).status).toBe(200);
  });

  it('a fixed range, which counts nothing before and after it', async () => {
    await relay.addChannel();
    const { key, id } = await richToken();
    const range = [new Date(inHours(1)), new Date(inHours(2))] as const;
    await addBudget({ level: 'token', subject: id, kind: 'requests', amount: 1, span: 'fixed', range });
    expect([(await ask(key)).status, (await ask(key)).status]).toEqual([200, 200]);
    now = inHours(1);
    expect((await ask(key)).status).toBe(200);
    expect(await ask(key)).toMatchObject({ status: 429, retryAfter: '3600', error: { reset_at: inHours(2) / 1000 } });
    now = inHours(2);
    expect([(await ask(key)).status, (await ask(key)).status]).toEqual([200, 200]);
  });
});

it('a rolling window opens bucket by bucket', async () => {
  await relay.addChannel();
  const { key, id } = await richToken();
  await addBudget({ level: 'token', subject: id, kind: 'requests', amount: 2, span: '5h', rolling: true });
  expect((await ask(key)).status).toBe(200);
  now += 3_600_000;
  expect((await ask(key)).status).toBe(200);
  // The first call was at 12:00, and its bucket ends at 12:05. The bucket counts for five hours from then.
  expect((await ask(key)).retryAfter).toBe(String(4 * 3600 + 300));
  now = noon + (5 * 3600 + 300) * 1000;
  expect((await ask(key)).status).toBe(200);
  expect((await ask(key)).retryAfter).toBe(String(3600));
});

it('counts only its models, and a free model does not need money', async () => {
  await relay.addChannel({ models: 'gpt-4o,gpt-free,gpt-ratio' });
  const { key, id } = await richToken();
  await addBudget({ level: 'token', subject: id, amount: 15_000, models: ['gpt-4*', 'gpt-free'] });
  expect((await ask(key)).status).toBe(200);
  expect((await ask(key)).status).toBe(429);
  expect((await ask(key, { model: 'gpt-free' })).status).toBe(200);
  expect((await ask(key, { model: 'gpt-ratio', max_tokens: 50 })).status).toBe(200);
});

it('of two budgets the narrower one decides, and the reset is that of the one that opens last', async () => {
  await relay.addChannel();
  const { key, id, userId } = await richToken();
  const ofKey = await addBudget({ level: 'token', subject: id, amount: 100_000 });
  const ofUser = await addBudget({ level: 'user', subject: userId, amount: 60_000, span: 'week' });
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(key)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(4);
  // The window ends on Sunday at 24:00 in Berlin, in summer time.
  const monday = Date.UTC(2026, 2, 29, 22) / 1000;
  expect(answers.find(({ status }) => status === 429)?.error['reset_at']).toBe(monday);
  expect([await stateOf(ofKey), await stateOf(ofUser)]).toEqual([
    { used: 60_000, held: 0 },
    { used: 60_000, held: 0 },
  ]);
});

describe('tokens', () => {
  const usage = (prompt: number, completion: number) => ({
    id: 'c',
    object: 'chat.completion',
    model: 'gpt-ratio',
    choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
  });

  it('are held as the call may need them and corrected to what it needed', async () => {
    await relay.addChannel({ models: 'gpt-ratio' });
    const { key, id } = await richToken();
    const budget = await addBudget({ level: 'token', subject: id, kind: 'tokens', amount: 100_000 });
    relay.upstream.script({}, json(usage(9, 41)));
    expect((await ask(key, { model: 'gpt-ratio', max_tokens: 500 })).status).toBe(200);
    expect(await stateOf(budget)).toEqual({ used: 50, held: 0 });
  });

  it('limit the output to what is left, and refuse below what is worth a call', async () => {
    await relay.addChannel({ models: 'gpt-ratio' });
    const { key, id } = await richToken();
    const budget = await addBudget({ level: 'token', subject: id, kind: 'tokens', amount: 400 });
    relay.upstream.script({}, json(usage(9, 300)));
    expect((await ask(key, { model: 'gpt-ratio', max_tokens: 5000 })).status).toBe(200);
    const sent = relay.upstream.requests[0]?.body as { max_tokens: number };
    expect(sent.max_tokens).toBeLessThan(400);
    expect(sent.max_tokens).toBeGreaterThan(300);
    expect(await stateOf(budget)).toEqual({ used: 309, held: 0 });
    expect((await ask(key, { model: 'gpt-ratio', max_tokens: 5000 })).status).toBe(429);
    expect(relay.upstream.requests).toHaveLength(1);
  });
});

it('limits output to the money that is left, and refuses below what is worth a call', async () => {
  await relay.addChannel({ models: 'gpt-ratio' });
  const { key, id } = await richToken();
  // The ratio is 0.5 and the completion ratio is 1, so each token costs half a unit.
  const budget = await addBudget({ level: 'token', subject: id, amount: 200 });
  const response = await ask(key, { model: 'gpt-ratio', max_tokens: 5000 });
  expect(response.status).toBe(200);
  const sent = relay.upstream.requests[0]?.body as { max_tokens: number };
  expect(sent.max_tokens).toBeLessThan(400);
  expect((await stateOf(budget)).used).toBeLessThanOrEqual(200);
});

it('a failed call returns what it held', async () => {
  await relay.addChannel();
  const { key, id } = await richToken();
  const budget = await addBudget({ level: 'token', subject: id, kind: 'requests', amount: 1 });
  relay.upstream.script({}, json({ error: { message: 'bad' } }, 400));
  expect((await ask(key)).status).toBe(400);
  expect(await stateOf(budget)).toEqual({ used: 0, held: 0 });
  relay.upstream.reset();
  expect((await ask(key)).status).toBe(200);
});

it('is refused in the dialect of the client', async () => {
  await relay.addChannel({ models: 'gpt-4o' });
  const { key, id } = await richToken();
  await addBudget({ level: 'token', subject: id, kind: 'requests', amount: 0 });
  const reset = berlinMidnight / 1000;
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
  const post = async (path: string, body: object): Promise<{ status: number; body: unknown }> => {
    const response = await fetch(`${relay.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(response.headers.get('retry-after')).toBe(String(12 * 3600));
    return { status: response.status, body: await response.json() };
  };
  const message = expect.stringContaining(
    'The budget of requests is used up. It resets at 2026-03-28T23:00:00Z',
  ) as unknown;
  const messages = userMessage('hi');
  expect(await post('/v1/chat/completions', { model: 'gpt-4o', messages })).toEqual({
    status: 429,
    body: { error: { message, type: 'veloera_error', param: '', code: 'budget_exceeded', reset_at: reset } },
  });
  expect(await post('/v1/messages', { model: 'gpt-4o', messages, max_tokens: 10 })).toEqual({
    status: 429,
    body: {
      type: 'error',
      error: { type: 'rate_limit_error', message, code: 'budget_exceeded', reset_at: reset },
    },
  });
  const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
  expect(await post('/v1beta/models/gpt-4o:generateContent', { contents })).toEqual({
    status: 429,
    body: {
      error: {
        code: 429,
        message,
        status: 'RESOURCE_EXHAUSTED',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'budget_exceeded',
            metadata: { reset_at: String(reset) },
          },
          { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${12 * 3600}s` },
        ],
      },
    },
  });
});

describe('budgets of channels', () => {
  it('stop exactly, over parallel callers and two kinds, and name the reset', async () => {
    const id = await relay.addChannel({ key: 'sk-spent' });
    const budget = await addBudget({ level: 'channel', subject: id, amount: 500_000 });
    const { key } = await richToken();
    const answers = await Promise.all(Array.from({ length: 200 }, () => ask(key)));
    const served = answers.filter(({ status }) => status === 200);
    expect(served).toHaveLength(33);
    for (const { status, retryAfter, error } of answers.filter((answer) => !served.includes(answer))) {
      expect({ status, retryAfter, code: error['code'], reset: error['reset_at'] }).toEqual({
        status: 429,
        retryAfter: String(12 * 3600),
        code: 'budget_exceeded',
        reset: berlinMidnight / 1000,
      });
    }
    expect(await stateOf(budget)).toEqual({ used: 33 * 15_000, held: 0 });
  });

  it('move traffic to another channel, and a failed attempt returns what it held', async () => {
    const first = await relay.addChannel({ key: 'sk-first', priority: 9 });
    await relay.addChannel({ key: 'sk-second' });
    const budget = await addBudget({ level: 'channel', subject: first, kind: 'requests', amount: 2 });
    relay.setOptions({ ...values, RetryTimes: 1 });
    const { key } = await richToken();
    relay.upstream.script({ key: 'sk-first' }, json({ error: { message: 'down' } }, 500));
    expect((await ask(key)).status).toBe(200);
    await relay.idle();
    expect(await stateOf(budget)).toEqual({ used: 0, held: 0 });
    relay.upstream.reset();
    relay.endCooldowns();
    for (let call = 0; call < 5; call++) expect((await ask(key)).status).toBe(200);
    const callsOf = (name: string): number => relay.upstream.requests.filter((one) => one.key === name).length;
    expect([callsOf('sk-first'), callsOf('sk-second')]).toEqual([2, 3]);
    expect(await stateOf(budget)).toEqual({ used: 2, held: 0 });
  });

  it('refuse a priced call whose reservation rounds to nothing once they are used up', async () => {
    relay.setOptions({ ...values, StrictReserve: false, PreConsumedQuota: 0 });
    const channel = await relay.addChannel({ key: 'sk-up', models: 'gpt-ratio' });
    const budget = await addBudget({ level: 'channel', subject: channel, amount: 1 });
    const { key } = await richToken();
    expect((await ask(key, { model: 'gpt-ratio' })).status).toBe(200);
    expect((await stateOf(budget)).used).toBeGreaterThan(1);
    expect((await ask(key, { model: 'gpt-ratio' })).status).toBe(429);
  });

  it('do not count a call that another channel served before the hold was returned', async () => {
    const first = await relay.addChannel({ key: 'sk-first', priority: 9 });
    await relay.addChannel({ key: 'sk-second' });
    const budget = await addBudget({ level: 'channel', subject: first, kind: 'requests', amount: 2 });
    relay.setOptions({ ...values, RetryTimes: 1 });
    const { key } = await richToken();
    relay.upstream.script({ key: 'sk-first' }, json({ error: { message: 'down' } }, 500));
    const dropBudgets = LedgerSql.prototype.dropBudgets;
    const slow = jest.spyOn(LedgerSql.prototype, 'dropBudgets').mockImplementation(async function (
      this: LedgerSql,
      ...a
    ) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      await dropBudgets.apply(this, a);
    });
    expect((await ask(key)).status).toBe(200);
    await relay.idle();
    expect(await stateOf(budget)).toEqual({ used: 0, held: 0 });
    expect(slow).toHaveBeenCalledTimes(1);
    slow.mockRestore();
  });
});
