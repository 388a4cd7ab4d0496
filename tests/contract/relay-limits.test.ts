import { ModelRateLimit } from '../../server/src/gateway/admit/rate-limit.js';
import { failure } from '../support/upstream/faults.js';
import { chat } from '../support/upstream/replies.js';
import { type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

/** Rate limits of keys and users (docs/reference/relay/access.md#model-rate-limits). */
let relay: RelayHarness;

relaySuite((started) => (relay = started));
beforeEach(async () => {
  await relay.addChannel();
});

interface Refusal {
  readonly status: number;
  readonly retryAfter: number;
  readonly body: { readonly error: Record<string, unknown> };
}

const body = { model: 'gpt-4o', messages: userMessage('hi') };

async function ask(key: string, path = '/v1/chat/completions', more: object = {}): Promise<Refusal> {
  const response = await relay.post(path, key, { ...body, ...more });
  const retryAfter = Number(response.headers.get('retry-after'));
  return { status: response.status, retryAfter, body: (await response.json()) as Refusal['body'] };
}

const statusesOf = async (key: string, calls: number): Promise<number[]> => {
  const seen: number[] = [];
  for (let call = 0; call < calls; call++) seen.push((await ask(key)).status);
  return seen;
};

describe('a key with limits of its own', () => {
  it('is refused with the documented message and Retry-After', async () => {
    const { key, userId } = await relay.addToken({ rateLimit: { period: 30, count: 2, success: 0 } });
    expect(await statusesOf(key, 2)).toEqual([200, 200]);
    const { status, retryAfter, body: refused } = await ask(key);
    expect(status).toBe(429);
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(30);
    expect(refused).toEqual({
      error: {
        message: expect.stringMatching(/^Key-level rate limit exceed\. \(request id: \S+\)$/) as string,
        type: 'veloera_error',
        param: '',
        code: 'rate_limit_exceeded',
      },
    });
    expect(relay.upstream.requests).toHaveLength(2);
    // Another key of the same user is not affected.
    const { key: other } = await relay.addToken({ userId });
    expect((await ask(other)).status).toBe(200);
  });

  it('has calls that count as served when they cannot be counted', async () => {
    const { key } = await relay.addToken({ rateLimit: { period: 30, count: 9, success: 9 } });
    const counted = jest.spyOn(ModelRateLimit.prototype, 'succeeded').mockRejectedValue(new Error('it is closed'));
    try {
      expect((await ask(key)).status).toBe(200);
      await relay.idle();
      expect(counted).toHaveBeenCalledTimes(1);
    } finally {
      counted.mockRestore();
    }
    const calls = await relay.metric('tollgate_relay_calls_total');
    expect(calls.join()).not.toContain('outcome="error"');
  });

  it('is refused in Anthropic’s and in Google’s words where the client speaks them', async () => {
    const { key } = await relay.addToken({ rateLimit: { period: 30, count: 1, success: 0 } });
    await ask(key);
    const messages = await ask(key, '/v1/messages', { max_tokens: 5 });
    expect(messages).toMatchObject({ status: 429, body: { type: 'error', error: { type: 'rate_limit_error' } } });
    expect(messages.body.error['message']).toMatch(/^Key-level rate limit exceed\. /);
    expect(messages.retryAfter).toBeGreaterThan(0);
    const contents = { contents: [{ parts: [{ text: 'hi' }] }] };
    const google = await ask(key, '/v1beta/models/gpt-4o:generateContent', contents);
    expect(google).toMatchObject({ status: 429, body: { error: { code: 429, status: 'RESOURCE_EXHAUSTED' } } });
    expect(google.retryAfter).toBeGreaterThan(0);
  });

  it('counts successes apart from failures', async () => {
    const { key } = await relay.addToken({ rateLimit: { period: 30, count: 0, success: 1 } });
    relay.upstream.script({}, failure(400, 'no', 'invalid_request_error'), chat({ text: 'ok' }));
    expect(await statusesOf(key, 3)).toEqual([400, 200, 429]);
  });

  it('does not count what was refused, and forgets when the period is over', async () => {
    const { key } = await relay.addToken({ rateLimit: { period: 3, count: 1, success: 0 } });
    expect(await statusesOf(key, 4)).toEqual([200, 429, 429, 429]);
    await new Promise((resolve) => setTimeout(resolve, 3050));
    expect((await ask(key)).status).toBe(200);
  });

  it('comes before the limit of its user, whose count a refused call leaves alone', async () => {
    relay.setOptions({ ModelRequestRateLimitEnabled: true, ModelRequestRateLimitCount: 2 });
    const { key, userId } = await relay.addToken({ rateLimit: { period: 30, count: 1, success: 0 } });
    expect(await statusesOf(key, 3)).toEqual([200, 429, 429]);
    const { key: other } = await relay.addToken({ userId });
    expect(await statusesOf(other, 2)).toEqual([200, 429]);
    expect((await ask(other)).body.error['message']).toMatch(
      /^Request limit reached: at most 2 requests in 1 minutes,/,
    );
    expect((await ask(key)).body.error['message']).toMatch(/^Key-level rate limit exceed\./);
  });

  it('never lets parallel calls past it', async () => {
    const { key } = await relay.addToken({ rateLimit: { period: 30, count: 5, success: 0 } });
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await ask(key)).status));
    expect(statuses.filter((status) => status === 200)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(15);
  });
});

it('groups may have limits of their own, in place of everybody’s', async () => {
  relay.setOptions({
    ModelRequestRateLimitEnabled: true,
    ModelRequestRateLimitCount: 1,
    ModelRequestRateLimitGroup: { vip: [3, 0], free: [0, 1] },
    UserUsableGroups: { default: 'd', vip: 'v', free: 'f' },
    GroupRatio: { default: 1, vip: 1, free: 1 },
  });
  await relay.addChannel({ group: 'vip,free' });
  expect(await statusesOf((await relay.addToken()).key, 2)).toEqual([200, 429]);
  const vip = await relay.addToken({ userId: await relay.addUser({ group: 'vip' }) });
  expect(await statusesOf(vip.key, 4)).toEqual([200, 200, 200, 429]);
  // The token's group takes precedence over the user's.
  const free = await relay.addToken({ group: 'free', userId: await relay.addUser({ group: 'vip' }) });
  expect(await statusesOf(free.key, 2)).toEqual([200, 429]);
  expect((await ask(free.key)).body.error['message']).toMatch(
    /^Request limit reached: at most 1 requests in 1 minutes/,
  );
});

describe('calls under way at once', () => {
  const slow = chat({ text: ['a', 'b'], gapMilliseconds: 400 });
  const stream = (key: string): Promise<Response> => relay.chat(key, { ...body, stream: true });

  it.each([
    ['of a key', { ModelRequestTokenInFlightLimit: 2 }, /^Too many calls at once: at most 2 of this key/],
    ['of a user', { ModelRequestUserInFlightLimit: 2 }, /^Too many calls at once: at most 2 of this user/],
  ])('%s are capped, and each end makes room', async (_whose, options, message) => {
    relay.setOptions(options);
    relay.upstream.script({}, slow);
    const { key, userId } = await relay.addToken();
    const under = await Promise.all([stream(key), stream(key)]);
    const { status, retryAfter, body: refused } = await ask(key);
    expect([status, retryAfter, refused.error['code']]).toEqual([429, 1, 'rate_limit_exceeded']);
    expect(refused.error['message']).toMatch(message);
    const { key: second } = await relay.addToken({ userId });
    expect((await ask(second)).status).toBe('ModelRequestUserInFlightLimit' in options ? 429 : 200);
    for (const response of under) await response.text();
    expect((await ask(key)).status).toBe(200);
  });

  it('that fail or are left make room, too', async () => {
    relay.setOptions({ ModelRequestTokenInFlightLimit: 1, ModelRequestUserInFlightLimit: 1 });
    const { key } = await relay.addToken();
    relay.upstream.script({}, failure(400, 'no', 'invalid_request_error'), slow, chat({ text: 'ok' }));
    expect((await ask(key)).status).toBe(400);
    const leaving = new AbortController();
    const left = await relay.chat(key, { ...body, stream: true }, { signal: leaving.signal });
    leaving.abort();
    await left.text().catch(() => '');
    await relay.idle();
    expect((await ask(key)).status).toBe(200);
  });

  it('are as many as there are while the site sets no limit', async () => {
    relay.upstream.script({}, slow);
    const { key } = await relay.addToken();
    const under = await Promise.all(Array.from({ length: 12 }, () => stream(key)));
    expect(under.map(({ status }) => status)).toEqual(Array(12).fill(200));
    for (const response of under) await response.text();
  });
});
