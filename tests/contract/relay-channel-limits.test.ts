import { json } from '../support/upstream/replies.js';
import { userMessage, type RelayHarness } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

/** Limits of channels and keys, and their timeouts (docs/reference/relay/limits.md). */
let relay: RelayHarness;
/** 12:00:10 in UTC of today, because charges are booked at the time of the machine. Stepped by the tests. */
let now = new Date().setUTCHours(12, 0, 10, 0);

relaySuite((started) => (relay = started), {
  clock: { now: () => now },
  values: { SelfUseModeEnabled: true, ModelPrice: { 'gpt-4o': 0.1 }, GroupRatio: { default: 1 } },
});
beforeEach(() => relay.endRests());

const body = { model: 'gpt-4o', messages: userMessage('hi') };

interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly code: unknown;
}

async function ask(key: string, given: object = body): Promise<Answer> {
  const response = await relay.chat(key, given);
  const { error } = (await response.json()) as { error?: { code?: unknown } };
  return { status: response.status, retryAfter: response.headers.get('retry-after'), code: error?.code };
}

const richToken = async () => relay.addToken({ userId: await relay.addUser({ quota: 100_000_000 }) });
const callsOf = (key: string): number => relay.upstream.requests.filter((request) => request.key === key).length;

it('a daily cost limit stops exactly at the last call that fits, over parallel callers', async () => {
  // A call costs 0.10 USD: ten fit into 1.05 USD, and the eleventh would exceed it.
  await relay.addChannel({ key: 'sk-limited', limits: { channel: { daily_usd: 1.05 } } });
  const { key } = await richToken();
  const answers = await Promise.all(Array.from({ length: 40 }, () => ask(key)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
  expect(callsOf('sk-limited')).toBe(10);
  const refused = answers.find(({ status }) => status !== 200);
  // From 12:00:10 to midnight in UTC.
  expect(refused).toEqual({ status: 429, retryAfter: String(11 * 3600 + 59 * 60 + 50), code: 'channels_busy' });
  now += 12 * 3_600_000;
  expect((await ask(key)).status).toBe(200);
});

it('a cost limit begins with what the books have', async () => {
  const id = await relay.addChannel({ key: 'sk-limited', limits: { channel: { monthly_usd: 1 } } });
  const [year, month] = [new Date(now).getUTCFullYear(), new Date(now).getUTCMonth()];
  const hour = Date.UTC(year, month, 1) / 1000;
  // 0.75 USD in the first hour of the month: two more calls of 0.10 USD fit.
  await relay.sql(
    `INSERT INTO usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", quota) VALUES ($1, 1, 1, $2, 'm', 'default', 375000)`,
    [hour, id],
  );
  const { key } = await richToken();
  const answers = await Promise.all(Array.from({ length: 6 }, () => ask(key)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
  await relay.sql('DELETE FROM usage_hourly WHERE hour = $1', [hour]);
});

it('moves traffic on while another channel can serve', async () => {
  await relay.addChannel({ key: 'sk-limited', priority: 9, limits: { channel: { requests_per_minute: 3 } } });
  await relay.addChannel({ key: 'sk-open' });
  const { key } = await richToken();
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(key)));
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  expect([callsOf('sk-limited'), callsOf('sk-open')]).toEqual([3, 17]);
});

it('counts each key on its own, and names the soonest time when none can serve', async () => {
  await relay.addChannel({ key: 'sk-a,sk-b', limits: { key: { requests_per_minute: 2 } } });
  const { key } = await richToken();
  const answers = [];
  for (let call = 0; call < 5; call++) answers.push(await ask(key));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 429]);
  expect([callsOf('sk-a'), callsOf('sk-b')]).toEqual([2, 2]);
  expect(Number(answers[4]?.retryAfter)).toBeGreaterThan(50);
});

it('holds the tokens of a call, and corrects them by its usage', async () => {
  await relay.addChannel({ key: 'sk-limited', limits: { channel: { tokens_per_minute: 1000 } } });
  const used = { prompt_tokens: 10, completion_tokens: 20 };
  relay.upstream.script({}, json({ choices: [{ message: { content: 'ok' } }], usage: used }));
  const { key } = await richToken();
  const large = { ...body, max_tokens: 800 };
  // Together they would exceed the limit; one after the other they do not.
  const together = await Promise.all([ask(key, large), ask(key, large)]);
  expect(together.map(({ status }) => status).sort()).toEqual([200, 429]);
  expect(together.find(({ status }) => status === 429)?.retryAfter).toBe(String(60 - (Math.floor(now / 1000) % 60)));
  for (let call = 0; call < 3; call++) expect((await ask(key, large)).status).toBe(200);
});

it('admits so many calls at once, and the next when one is over', async () => {
  await relay.addChannel({ key: 'sk-limited', limits: { channel: { concurrent_calls: 2 } } });
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const served = json({ choices: [{ message: { content: 'ok' } }], usage: { prompt_tokens: 1, completion_tokens: 1 } });
  relay.upstream.script({}, async (response, request) => {
    await held;
    await served(response, request);
  });
  const { key } = await richToken();
  const running = [ask(key), ask(key)];
  while (relay.upstream.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await ask(key)).toEqual({ status: 429, retryAfter: '1', code: 'channels_busy' });
  release();
  expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200]);
  expect((await ask(key)).status).toBe(200);
});

it('gives back the cost of a call that the provider did not serve', async () => {
  await relay.addChannel({ key: 'sk-limited', limits: { channel: { daily_usd: 0.1 } } });
  relay.upstream.script({}, json({ error: { message: 'bad', type: 'invalid_request_error' } }, 400));
  const { key } = await richToken();
  for (let call = 0; call < 3; call++) expect((await ask(key)).status).toBe(400);
  relay.upstream.reset();
  expect((await ask(key)).status).toBe(200);
  expect((await ask(key)).status).toBe(429);
});

it('uses the timeouts of the channel', async () => {
  await relay.addChannel({ key: 'sk-slow', priority: 9, timeouts: { first_byte_seconds: 0.2 } });
  await relay.addChannel({ key: 'sk-open' });
  relay.setOptions({ SelfUseModeEnabled: true, RetryTimes: 1 });
  relay.upstream.script({ key: 'sk-slow' }, () => new Promise(() => undefined));
  const { key } = await richToken();
  expect((await ask(key)).status).toBe(200);
  expect([callsOf('sk-slow'), callsOf('sk-open')]).toEqual([1, 1]);
});
