import { createSharedState } from '../../server/src/platform/cache/create-shared-state.js';
import { MemoryState } from '../../server/src/platform/cache/memory-state.js';
import type { SharedState } from '../../server/src/platform/cache/shared-state.js';
import { findRedisServer, startRedis } from '../support/services/redis.js';
import { json } from '../support/upstream/replies.js';
import { RelayHarness, userMessage } from './relay-harness.js';

/** Requests and tokens per minute of keys, users, groups and the site (docs/reference/relay/limits.md#of-callers). */
let relay: RelayHarness;
/** A second node. */
let two: RelayHarness;
/** 15 seconds after the beginning of a minute. The tests move the clock. */
const start = Date.UTC(2026, 2, 28, 11, 0, 15);
let now = start;
let tests = 0;
const clock = { now: () => now };
const values = {
  SelfUseModeEnabled: true,
  ModelRatio: { 'gpt-4o': 0.5, 'gpt-other': 0.5 },
  CompletionRatio: { 'gpt-4o': 1, 'gpt-other': 1 },
  GroupRatio: { default: 1, vip: 1 },
};

/** The shared state of two nodes, and a function that closes it. */
interface Shared {
  readonly states: readonly [SharedState, SharedState];
  stop(): Promise<void>;
}

async function inMemory(): Promise<Shared> {
  const state = new MemoryState();
  return { states: [state, state], stop: () => state.close() };
}

async function inRedis(): Promise<Shared> {
  const redis = await startRedis();
  const observer = {
    logger: { info: () => undefined, warn: () => undefined },
    degraded: { set: (value: number) => expect(value).toBe(0) },
  };
  const open = () => createSharedState({ kind: 'single', url: redis.url }, observer);
  const states = [await open(), await open()] as const;
  return {
    states,
    stop: async () => {
      await Promise.all(states.map((state) => state.close()));
      await redis.stop();
    },
  };
}

async function announce(...nodes: readonly RelayHarness[]): Promise<void> {
  for (const node of nodes) {
    for (const kind of ['budget', 'token', 'user'] as const) await node.changed({ kind });
  }
}

interface RateSpec {
  readonly level: string;
  readonly subject?: number;
  readonly group?: string;
  readonly kind: 'requests' | 'tokens';
  readonly amount: number;
  readonly models?: string[];
}

async function addRate(spec: RateSpec): Promise<void> {
  await relay.sql(
    `INSERT INTO budgets (level, subject_id, group_name, kind, amount, span, models, created_by, by_admin)
     VALUES ($1, $2, $3, $4, $5, 'minute', $6, 1, true)`,
    [spec.level, spec.subject ?? 0, spec.group ?? '', spec.kind, spec.amount, spec.models ?? []],
  );
  await announce(relay, two);
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Record<string, unknown>;
}

async function send(key: string, path: string, body: object, node = relay): Promise<Answer> {
  const response = await fetch(`${node.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const headers = [...response.headers].filter(([name]) => /ratelimit|retry-after/.test(name));
  return {
    status: response.status,
    headers: Object.fromEntries(headers),
    body: (text.startsWith('{') ? JSON.parse(text) : { text }) as Record<string, unknown>,
  };
}

const messages = userMessage('hi');
const chat = (key: string, more: object = {}, node = relay): Promise<Answer> =>
  send(key, '/v1/chat/completions', { model: 'gpt-4o', messages, max_tokens: 100, ...more }, node);

const usage = (prompt: number, completion: number, headers: Record<string, string> = {}) => {
  const body = {
    id: 'c',
    object: 'chat.completion',
    model: 'gpt-4o',
    choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
  };
  return json(body, 200, headers);
};

async function channel(): Promise<void> {
  const id = await relay.addChannel({ models: 'gpt-4o,gpt-other', group: 'default,vip' });
  await two.changed({ kind: 'channel', id });
}
const token = async (group = 'vip') => relay.addToken({ group, unlimited: true });

const stores: Array<readonly [string, () => Promise<Shared>]> = [['the memory of the process', inMemory]];
// In CI a missing Redis is a failure.
if (findRedisServer() || process.env.CI) stores.push(['a Redis', inRedis]);

describe.each(stores)('limits per minute, counted in %s,', (_, open) => {
  let shared: Shared;
  beforeAll(async () => {
    shared = await open();
    const [first, second] = shared.states;
    relay = await RelayHarness.start({ clock, state: first, nodes: first });
    two = await RelayHarness.start({ clock, state: second, nodes: second, beside: relay });
    two.setOptions(values);
  });
  afterAll(async () => {
    await two.stop();
    await relay.stop();
    await shared.stop();
  });
  beforeEach(async () => {
    // The calls of the previous test have left the window.
    now = start + ++tests * 600_000;
    relay.upstream.reset();
    relay.setOptions(values);
    await relay.clearChannels();
    await two.changed({ kind: 'channel' });
    await relay.sql('DELETE FROM budgets');
    await announce(relay, two);
  });
  afterEach(async () => {
    await Promise.all([relay.idle(), two.idle()]);
    expect(await relay.openReservations()).toBe(0);
    expect(await relay.drift()).toEqual([]);
  });

  it.each(['token', 'user', 'group', 'site'])('of a %s admit exactly the limit of requests', async (level) => {
    await channel();
    const { key, id, userId } = await token();
    const subject = { token: id, user: userId }[level] ?? 0;
    await addRate({ level, subject, group: level === 'group' ? 'vip' : '', kind: 'requests', amount: 5 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => chat(key)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(15);
    for (const { headers, body } of refused) {
      // All calls were counted in one second. They leave the window when the whole second has left it.
      expect(headers['retry-after']).toBe('61');
      const whose = level === 'token' ? 'key' : level;
      expect(body['error']).toMatchObject({
        code: 'rate_limit_exceeded',
        message: expect.stringContaining(
          `Rate limit reached: at most 5 requests per minute of this ${whose}`,
        ) as unknown,
      });
    }
    now += 60_999;
    expect((await chat(key)).headers['retry-after']).toBe('1');
    now += 1;
    expect((await chat(key)).headers).toEqual({
      'x-ratelimit-limit-requests': '5',
      'x-ratelimit-remaining-requests': '4',
      'x-ratelimit-reset-requests': '61s',
    });
  });

  describe.each(['channel', 'key'] as const)('of a provider’s %s', (level) => {
    const limited = async (limits: object): Promise<void> => {
      const id = await relay.addChannel({ key: 'sk-limited', group: 'default,vip', limits: { [level]: limits } });
      await two.changed({ kind: 'channel', id });
    };

    it('admit exactly the limit of requests over two nodes', async () => {
      await limited({ requests_per_minute: 5 });
      const { key } = await token();
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, at) => chat(key, {}, at % 2 === 0 ? relay : two)),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
      for (const { status, headers, body } of answers.filter((answer) => answer.status !== 200)) {
        expect({ status, code: (body['error'] as { code?: unknown }).code }).toEqual({
          status: 429,
          code: 'channels_busy',
        });
        expect(Number(headers['retry-after'])).toBeGreaterThan(50);
        expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
      }
      expect(relay.upstream.requests).toHaveLength(5);
    });

    it('hold and correct tokens over two nodes, in any 60 seconds', async () => {
      await limited({ tokens_per_minute: 1000 });
      const { key } = await token();
      relay.upstream.script({}, usage(20, 380));
      now += 44_500;
      const calls = [chat(key, { max_tokens: 900 }), chat(key, { max_tokens: 900 }, two)];
      expect((await Promise.all(calls)).map(({ status }) => status).sort()).toEqual([200, 429]);
      await Promise.all([relay.idle(), two.idle()]);
      // The next minute of the clock has begun. The first call used 400 tokens.
      now += 1000;
      expect((await chat(key, { max_tokens: 700 })).status).toBe(429);
      expect((await chat(key, { max_tokens: 550 }, two)).status).toBe(200);
      await Promise.all([relay.idle(), two.idle()]);
      now += 59_999;
      expect((await chat(key, { max_tokens: 900 })).status).toBe(429);
    });
  });

  it('a burst around the end of a minute passes the limit once, and not twice', async () => {
    await channel();
    const { key, id } = await token();
    await addRate({ level: 'token', subject: id, kind: 'requests', amount: 10 });
    const burst = async (): Promise<number> => {
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, at) => chat(key, {}, at % 2 === 0 ? relay : two)),
      );
      return answers.filter(({ status }) => status === 200).length;
    };
    // The first burst comes 59.5 seconds into a minute of the clock, and the second 0.2 seconds into the next minute.
    now += 44_500;
    expect(await burst()).toBe(10);
    now += 700;
    expect(await burst()).toBe(0);
  });

  it('no 60 seconds have more than the limit, and use counts for at most 61', async () => {
    await channel();
    const { key, id } = await token();
    await addRate({ level: 'token', subject: id, kind: 'requests', amount: 6 });
    const served: number[] = [];
    for (let call = 0; call < 60; call++) {
      now += 3700;
      const { status, headers } = await chat(key, {}, call % 2 === 0 ? relay : two);
      const within = (milliseconds: number): number => served.filter((at) => at > now - milliseconds).length;
      if (status === 200) expect(within(60_000)).toBeLessThan(6);
      else expect(within(61_000)).toBeGreaterThanOrEqual(6);
      if (status === 200) served.push(now);
      // The next call is accepted when the oldest of the six calls has left the window.
      else
        expect(Number(headers['retry-after'])).toBe(
          Math.ceil((Math.floor(served.at(-6)! / 1000) * 1000 + 61_000 - now) / 1000),
        );
    }
    expect(served.length).toBeGreaterThanOrEqual(18);
  });

  it('are counted over two nodes together', async () => {
    await channel();
    const { key, id } = await token();
    await addRate({ level: 'token', subject: id, kind: 'requests', amount: 33 });
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, at) => chat(key, {}, at % 2 === 0 ? relay : two)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(33);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(67);
  });

  it('tokens are held at the start and corrected at the end', async () => {
    await channel();
    const { key, id } = await token();
    await addRate({ level: 'token', subject: id, kind: 'tokens', amount: 1000 });
    relay.upstream.script({}, usage(10, 40));
    const first = await chat(key, { max_tokens: 700 });
    expect(first.status).toBe(200);
    // The prompt is estimated: a few more than 700 tokens are reserved.
    const remaining = Number(first.headers['x-ratelimit-remaining-tokens']);
    expect(remaining).toBeLessThan(300);
    expect(remaining).toBeGreaterThan(270);
    expect(first.headers['x-ratelimit-limit-tokens']).toBe('1000');
    await relay.idle();
    // The call used 50 tokens, so another call of 700 is accepted. Both reservations together would not be.
    const second = await chat(key, { max_tokens: 700 });
    expect([second.status, Number(second.headers['x-ratelimit-remaining-tokens'])]).toEqual([200, remaining - 50]);
    await relay.idle();
    const third = await chat(key, { max_tokens: 950 });
    expect([third.status, third.headers['x-ratelimit-remaining-tokens'], third.headers['retry-after']]).toEqual([
      ...[429, '900', '61'],
    ]);
    // The refused call has used nothing.
    expect((await chat(key, { max_tokens: 700 })).status).toBe(200);
  });

  it.each(['token', 'user', 'group', 'site'])('of a %s hold and correct tokens over two nodes', async (level) => {
    await channel();
    const { key, id, userId } = await token();
    const subject = { token: id, user: userId }[level] ?? 0;
    await addRate({ level, subject, group: level === 'group' ? 'vip' : '', kind: 'tokens', amount: 1000 });
    relay.upstream.script({}, usage(20, 380));
    const calls = [chat(key, { max_tokens: 900 }), chat(key, { max_tokens: 900 }, two)];
    // The reservations of both calls together exceed 1000.
    expect((await Promise.all(calls)).map(({ status }) => status).sort()).toEqual([200, 429]);
    await Promise.all([relay.idle(), two.idle()]);
    // The accepted call used 400 tokens.
    const second = await chat(key, { max_tokens: 550 }, two);
    expect([second.status, second.headers['x-ratelimit-limit-tokens']]).toEqual([200, '1000']);
    await Promise.all([relay.idle(), two.idle()]);
    const refused = await chat(key, { max_tokens: 250 });
    expect([refused.status, refused.headers['x-ratelimit-remaining-tokens']]).toEqual([429, '200']);
  });

  it('parallel calls together hold no more tokens than the limit', async () => {
    await channel();
    const { key, id } = await token();
    await addRate({ level: 'token', subject: id, kind: 'tokens', amount: 1000 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => chat(key, { max_tokens: 300 })));
    const served = answers.filter(({ status }) => status === 200).length;
    expect(served).toBeGreaterThan(0);
    expect(served).toBeLessThanOrEqual(3);
  });

  it('a failed call stays a request and returns its tokens', async () => {
    await channel();
    const { key, id } = await token();
    await addRate({ level: 'token', subject: id, kind: 'requests', amount: 10 });
    await addRate({ level: 'token', subject: id, kind: 'tokens', amount: 1000 });
    relay.upstream.script({}, json({ error: { message: 'bad' } }, 400));
    expect((await chat(key, { max_tokens: 900 })).status).toBe(400);
    await relay.idle();
    relay.upstream.reset();
    const { status, headers } = await chat(key, { max_tokens: 900 });
    expect([status, headers['x-ratelimit-remaining-requests']]).toEqual([200, '8']);
  });

  it('shows the limit of which the least is left, and counts only its models', async () => {
    await channel();
    const { key, id, userId } = await token();
    await addRate({ level: 'token', subject: id, kind: 'requests', amount: 100 });
    await addRate({ level: 'user', subject: userId, kind: 'requests', amount: 3, models: ['gpt-4*'] });
    expect((await chat(key)).headers['x-ratelimit-limit-requests']).toBe('3');
    const other = await chat(key, { model: 'gpt-other' });
    expect(other.headers['x-ratelimit-limit-requests']).toBe('100');
    expect(other.headers['x-ratelimit-remaining-requests']).toBe('98');
  });

  it('names the headers as the dialect of the client does, in place of those of the provider', async () => {
    await channel();
    const { key, id } = await token();
    relay.upstream.script({}, usage(9, 12, { 'x-ratelimit-remaining-images': '77' }));
    // Without a limit the provider's headers are shown.
    expect((await chat(key)).headers).toEqual({ 'x-ratelimit-remaining-images': '77' });
    await addRate({ level: 'token', subject: id, kind: 'requests', amount: 3 });
    expect((await chat(key)).headers).toEqual({
      'x-ratelimit-limit-requests': '3',
      'x-ratelimit-remaining-requests': '2',
      'x-ratelimit-reset-requests': '61s',
    });
    const asked = { model: 'gpt-4o', messages, max_tokens: 10 };
    const reset = new Date(now + 61_000).toISOString().replace('.000Z', 'Z');
    expect((await send(key, '/v1/messages', asked)).headers).toEqual({
      'anthropic-ratelimit-requests-limit': '3',
      'anthropic-ratelimit-requests-remaining': '1',
      'anthropic-ratelimit-requests-reset': reset,
    });
    relay.upstream.reset();
    const stream = await chat(key, { stream: true });
    expect([stream.status, stream.headers['x-ratelimit-remaining-requests']]).toEqual([200, '0']);
    const refused = await send(key, '/v1/messages', asked);
    expect(refused).toEqual({
      status: 429,
      headers: {
        'anthropic-ratelimit-requests-limit': '3',
        'anthropic-ratelimit-requests-remaining': '0',
        'anthropic-ratelimit-requests-reset': reset,
        'retry-after': '61',
      },
      body: expect.objectContaining({
        type: 'error',
        error: expect.objectContaining({ type: 'rate_limit_error' }) as unknown,
      }) as unknown,
    });
  });

  it('0 refuses every call, and nothing stays reserved', async () => {
    await channel();
    const { key, id } = await token();
    await addRate({ level: 'token', subject: id, kind: 'tokens', amount: 0 });
    expect((await chat(key)).status).toBe(429);
    expect(relay.upstream.requests).toHaveLength(0);
    expect(await relay.sql('SELECT 1 FROM reservations')).toEqual([]);
  });
});
