import { MemoryState } from '../../server/src/platform/cache/memory-state.js';
import { json } from '../support/upstream/replies.js';
import type { Reply } from '../support/upstream/upstream.js';
import { userMessage, type RelayHarness } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

/** Limits of channels and keys, and their timeouts (docs/reference/relay/limits.md). */
let relay: RelayHarness;
/**
 * The clock of the relay, which the tests move. It starts today at 12:00:10 UTC, because charges are recorded with the
 * machine's time.
 */
let now = new Date().setUTCHours(12, 0, 10, 0);

const state = new MemoryState();

relaySuite((started) => (relay = started), {
  state,
  clock: { now: () => now },
  values: { SelfUseModeEnabled: true, ModelPrice: { 'gpt-4o': 0.1 }, GroupRatio: { default: 1 } },
});
beforeEach(() => relay.endCooldowns());

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
  // The limit resets at midnight UTC.
  expect(refused).toEqual({ status: 429, retryAfter: String(11 * 3600 + 59 * 60 + 50), code: 'channels_busy' });
  now += 12 * 3_600_000;
  expect((await ask(key)).status).toBe(200);
});

it('a cost limit begins with what the ledger has', async () => {
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

it('a cost that the shared state lost while a call ran begins with the ledger again', async () => {
  const id = await relay.addChannel({ key: 'sk-limited', limits: { channel: { daily_usd: 0.5 } } });
  relay.setOptions({ SelfUseModeEnabled: true, ModelRatio: { 'gpt-4o': 1 }, GroupRatio: { default: 1 } });
  const hour = new Date(now).setUTCHours(0, 0, 0, 0) / 1000;
  const used = { prompt_tokens: 10, completion_tokens: 1 };
  relay.upstream.script({}, async (response, request) => {
    await state.close();
    // Other calls are charged 0.80 USD meanwhile.
    await relay.sql(
      `INSERT INTO usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", quota) VALUES ($1, 1, 1, $2, 'm', 'default', 400000)`,
      [hour, id],
    );
    await json({ choices: [{ message: { content: 'ok' } }], usage: used })(response, request);
  });
  const { key } = await richToken();
  // The call reserves much more than it costs, so its correction alone is negative.
  expect((await ask(key, { ...body, max_tokens: 100 })).status).toBe(200);
  relay.upstream.reset();
  expect((await ask(key, { ...body, max_tokens: 10 })).status).toBe(429);
  await relay.sql('DELETE FROM usage_hourly WHERE hour = $1 AND model_name = $2', [hour, 'm']);
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
  // The calls together exceed the limit. One after the other they do not.
  const together = await Promise.all([ask(key, large), ask(key, large)]);
  expect(together.map(({ status }) => status).sort()).toEqual([200, 429]);
  // Both calls began in the same second, which counts until all of it is a minute ago.
  expect(together.find(({ status }) => status === 429)?.retryAfter).toBe('61');
  for (let call = 0; call < 3; call++) expect((await ask(key, large)).status).toBe(200);
});

it('counts the tokens of each key on its own, in any 60 seconds', async () => {
  await relay.addChannel({ key: 'sk-a,sk-b', limits: { key: { tokens_per_minute: 1000 } } });
  const used = { prompt_tokens: 100, completion_tokens: 800 };
  relay.upstream.script({}, json({ choices: [{ message: { content: 'ok' } }], usage: used }));
  const { key } = await richToken();
  const large = { ...body, max_tokens: 950 };
  // Some calls are made half a second before the end of a minute of the clock, and some after it.
  now += 60_000 - (now % 60_000) - 500;
  const first = [await ask(key, large), await ask(key, large), await ask(key, large)];
  expect(first.map(({ status }) => status)).toEqual([200, 200, 429]);
  expect([callsOf('sk-a'), callsOf('sk-b')]).toEqual([1, 1]);
  now += 1000;
  expect(await ask(key, large)).toEqual({ status: 429, retryAfter: '60', code: 'channels_busy' });
  // 900 tokens are used, so a small call is accepted.
  expect((await ask(key, { ...body, max_tokens: 50 })).status).toBe(200);
  now += 59_500;
  expect((await ask(key, large)).status).toBe(200);
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

it('gives back what it took when the ledger cannot be read, and reads it for the next call', async () => {
  const id = await relay.addChannel({
    key: 'sk-limited',
    limits: { channel: { concurrent_calls: 2, daily_usd: 0.3 } },
  });
  const hour = new Date(now).setUTCHours(0, 0, 0, 0) / 1000;
  await relay.sql(
    `INSERT INTO usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", quota) VALUES ($1, 1, 1, $2, 'm', 'default', 75000)`,
    [hour, id],
  );
  const { key } = await richToken();
  const query = relay.dataSource.query.bind(relay.dataSource);
  const readsUsage = (sql: string): boolean => sql.includes('FROM usage_hourly WHERE channel_id');
  const reading = jest.spyOn(relay.dataSource, 'query').mockImplementation(async (sql: string, ...rest: unknown[]) => {
    if (!readsUsage(sql)) return query(sql, ...(rest as [])) as never;
    await new Promise((resolve) => setTimeout(resolve, 100));
    throw new Error('connection lost');
  });
  const failed = await Promise.all([ask(key), ask(key)]);
  expect(failed.map(({ status }) => status)).toEqual([500, 500]);
  expect(reading.mock.calls.filter(([sql]) => readsUsage(sql))).toHaveLength(1);
  reading.mockRestore();
  // 0.15 USD were spent before, so that one call of 0.10 USD fits.
  expect((await ask(key)).status).toBe(200);
  expect((await ask(key)).status).toBe(429);
  await relay.sql('DELETE FROM usage_hourly WHERE hour = $1', [hour]);
});

it('a call that a limit refuses leaves a paused key to the next call', async () => {
  const limits = { channel: { requests_per_minute: 5 } };
  const id = await relay.addChannel({ key: 'sk-limited', priority: 9, baseUrl: 'http://127.0.0.1:1', limits });
  const { key } = await richToken();
  for (let call = 0; call < 5; call++) expect((await ask(key)).status).toBe(500);
  await relay.addChannel({ key: 'sk-open' });
  now += 10 * 60_000;
  expect((await ask(key)).status).toBe(200);
  expect(callsOf('sk-open')).toBe(1);
  await relay.sql(`UPDATE channels SET base_url = $2, limits = NULL WHERE id = $1`, [id, relay.upstream.url]);
  await relay.changed({ kind: 'channel', id });
  expect((await ask(key)).status).toBe(200);
  expect([callsOf('sk-limited'), callsOf('sk-open')]).toEqual([1, 1]);
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

describe('the timeouts of a channel', () => {
  const piece = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'more' } }] })}\n\n`;

  /** Begins a stream, sends pieces at intervals, and then sends nothing more. */
  const pieces =
    (count: number, gapMilliseconds: number): Reply =>
    async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let at = 0; at < count && !response.destroyed; at++) {
        response.write(piece);
        await new Promise((resolve) => setTimeout(resolve, gapMilliseconds));
      }
    };

  async function stream(key: string): Promise<{ pieces: number; error: unknown }> {
    const response = await relay.chat(key, { ...body, stream: true });
    const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: {'));
    const events = lines.map(
      (line) => JSON.parse(line.slice(6)) as { error?: { code?: unknown }; choices?: unknown[] },
    );
    return {
      pieces: lines.filter((line) => line.includes('more')).length,
      error: events.find(({ error }) => error !== undefined)?.error?.code ?? null,
    };
  }

  /** Sends a call to a channel that has only these timeouts. The server's own timeouts are 5 s and half an hour. */
  const only = async (timeouts: Record<string, number>): Promise<string> => {
    await relay.addChannel({ key: 'sk-slow', timeouts });
    return (await richToken()).key;
  };

  it('end a stream that stalls', async () => {
    const key = await only({ idle_seconds: 0.3 });
    relay.upstream.script({}, pieces(3, 0));
    expect(await stream(key)).toEqual({ pieces: 3, error: 'stream_response_error' });
    // The connection to the provider is closed, so the provider stops.
    await relay.upstream.requests[0]?.ended;
    expect(relay.upstream.requests[0]?.aborted).toBe(true);
  });

  it('let a stream go on that is slow but never silent for so long', async () => {
    const key = await only({ idle_seconds: 2 });
    relay.upstream.script({}, async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let at = 0; at < 6; at++) {
        response.write(piece);
        await new Promise((resolve) => setTimeout(resolve, 60));
      }
      response.end('data: [DONE]\n\n');
    });
    expect(await stream(key)).toEqual({ pieces: 6, error: null });
  });

  it('end a stream that trickles for ever', async () => {
    const key = await only({ total_seconds: 0.5, idle_seconds: 5 });
    relay.upstream.script({}, pieces(100_000, 20));
    const { pieces: seen, error } = await stream(key);
    expect(error).toBe('do_request_failed');
    expect(seen).toBeGreaterThan(1);
    await relay.upstream.requests[0]?.ended;
    expect(relay.upstream.requests[0]?.aborted).toBe(true);
  });

  it('end a response in one piece that stalls or trickles, with an error', async () => {
    for (const [timeouts, code] of [
      [{ idle_seconds: 0.3 }, 'stream_response_error'],
      [{ total_seconds: 0.5 }, 'do_request_failed'],
    ] as const) {
      await relay.clearChannels();
      relay.endCooldowns();
      const key = await only(timeouts);
      relay.upstream.script({}, async (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{"choices":');
        // JSON may end with whitespace, so the body can go on for ever.
        while ('total_seconds' in timeouts && !response.destroyed) {
          response.write(' ');
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      });
      const answer = await ask(key);
      expect([answer.status, answer.code]).toEqual([500, code]);
    }
  });

  it('move a call on that has sent nothing to the client', async () => {
    await relay.addChannel({ key: 'sk-slow', priority: 9, timeouts: { total_seconds: 0.4 } });
    await relay.addChannel({ key: 'sk-open' });
    relay.setOptions({ SelfUseModeEnabled: true, RetryTimes: 1 });
    relay.upstream.script({ key: 'sk-slow' }, async (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      while (!response.destroyed) {
        response.write(' ');
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    });
    const { key } = await richToken();
    expect((await ask(key)).status).toBe(200);
    expect([callsOf('sk-slow'), callsOf('sk-open')]).toEqual([1, 1]);
  });
});
