import { json } from '../support/upstream/replies.js';
import { failure } from '../support/upstream/faults.js';
import type { Reply } from '../support/upstream/upstream.js';
import { userMessage, type RelayHarness } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

/** Tests of keys in a cooldown, with the relay on a real database (docs/reference/relay/health.md). */
let relay: RelayHarness;
/** The clock of the relay. The tests move it. */
let now = Date.now();

relaySuite((started) => (relay = started), { clock: { now: () => now }, values: { SelfUseModeEnabled: true } });
beforeEach(() => relay.endCooldowns());

/** Returns a key of a user whose balance covers the reservations of every parallel call. */
const richToken = async (): Promise<{ key: string }> =>
  relay.addToken({ userId: await relay.addUser({ quota: 1_000_000_000 }) });

const body = { model: 'gpt-4o', messages: userMessage('hi') };
const limited = (headers: Record<string, string> = {}) =>
  json({ error: { message: 'slow down', type: 'requests', code: 'rate_limit_exceeded' } }, 429, headers);

interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly code: unknown;
}

async function ask(key: string, path = '/v1/chat/completions', given: object = body): Promise<Answer> {
  const response = await relay.post(path, key, given);
  const { error } = (await response.json()) as { error?: { code?: unknown; type?: unknown; status?: unknown } };
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    code: error?.code ?? error?.type,
  };
}

it('429 with Retry-After: 7 gets no call for 7 s, then exactly one, then traffic', async () => {
  await relay.addChannel();
  const { key } = await richToken();
  relay.upstream.script({}, limited({ 'retry-after': '7' }));
  expect(await ask(key)).toMatchObject({ status: 429, retryAfter: '7' });
  expect(relay.upstream.requests).toHaveLength(1);

  for (const [seconds, left] of [
    [0, '7'],
    [3, '4'],
    [6.5, '1'],
  ] as const) {
    now += seconds * 1000;
    expect(await ask(key)).toEqual({ status: 429, retryAfter: left, code: 'channels_busy' });
    now -= seconds * 1000;
  }
  expect(relay.upstream.requests).toHaveLength(1);

  // Twenty calls arrive when the cooldown ends. One of them is the trial, and its provider responds slowly.
  now += 7000;
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const served = json({ choices: [{ message: { content: 'ok' } }], usage: { prompt_tokens: 1, completion_tokens: 1 } });
  relay.upstream.script({}, async (response, request) => {
    await held;
    await served(response, request);
  });
  const together = Array.from({ length: 20 }, () => ask(key));
  const first19 = await Promise.all(
    // The trial gets no response before it is released.
    Array.from({ length: 19 }, (_, at) => at).map(() => nextOf(together)),
  );
  expect(first19.map(({ status }) => status)).toEqual(Array.from({ length: 19 }, () => 429));
  expect(relay.upstream.requests).toHaveLength(2);
  release();
  expect((await Promise.all(together)).filter(({ status }) => status === 200)).toHaveLength(1);

  const traffic = await Promise.all(Array.from({ length: 10 }, () => ask(key)));
  expect(traffic.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
  expect(relay.upstream.requests).toHaveLength(12);
});

/** Returns the next call that gets its response. Each call is returned once. */
const seen = new WeakSet<Promise<Answer>>();
async function nextOf(asked: ReadonlyArray<Promise<Answer>>): Promise<Answer> {
  const open = asked.filter((one) => !seen.has(one));
  const [done, answer] = await Promise.race(open.map((one) => one.then((found) => [one, found] as const)));
  if (seen.has(done)) return nextOf(asked);
  seen.add(done);
  return answer;
}

it('a trial whose client leaves before the provider answers says nothing: the next call is the trial', async () => {
  await relay.addChannel();
  const { key } = await richToken();
  relay.upstream.script({}, limited({ 'retry-after': '7' }));
  expect((await ask(key)).status).toBe(429);
  now += 7000;
  const controller = new AbortController();
  relay.upstream.script({}, () => controller.abort());
  await expect(relay.chat(key, body, { signal: controller.signal })).rejects.toThrow();
  await relay.idle();
  expect(relay.health.cooldowns).toHaveLength(1);
  relay.upstream.reset();
  expect((await ask(key)).status).toBe(200);
  expect(relay.health.cooldowns).toEqual([]);
});

it('200 parallel callers see no 429 while another channel can serve, with no retries allowed', async () => {
  await relay.addChannel({ key: 'sk-limited-one' });
  await relay.addChannel({ key: 'sk-limited-two,sk-limited-three' });
  await relay.addChannel({ key: 'sk-open' });
  relay.setOptions({ SelfUseModeEnabled: true, RetryTimes: 0 });
  for (const key of ['sk-limited-one', 'sk-limited-two', 'sk-limited-three']) {
    relay.upstream.script({ key }, limited({ 'retry-after': '30' }));
  }
  const callers = await Promise.all(
    Array.from({ length: 10 }, async () => relay.addToken({ userId: await relay.addUser({ quota: 100_000_000 }) })),
  );
  const answers = await Promise.all(callers.flatMap(({ key }) => Array.from({ length: 20 }, () => ask(key))));
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  const before = relay.upstream.requests.length;
  await Promise.all(callers.map(({ key }) => ask(key)));
  const after = relay.upstream.requests.slice(before).map(({ key }) => key);
  expect(after).toEqual(Array.from({ length: 10 }, () => 'sk-open'));
});

it('names the soonest time, in the dialect of the client, when every channel is in cooldown', async () => {
  await relay.addChannel({ key: 'sk-slow' });
  await relay.addChannel({ key: 'sk-fast' });
  relay.upstream.script({ key: 'sk-slow' }, limited({ 'retry-after': '60' }));
  relay.upstream.script({ key: 'sk-fast' }, limited({ 'x-ratelimit-reset-requests': '12s' }));
  const { key } = await richToken();
  expect((await ask(key)).status).toBe(429);
  expect(relay.upstream.requests).toHaveLength(2);
  expect(await ask(key)).toEqual({ status: 429, retryAfter: '12', code: 'channels_busy' });
  const messages = await relay.post('/v1/messages', key, { ...body, max_tokens: 5 });
  expect([messages.status, messages.headers.get('retry-after'), await messages.json()]).toMatchObject([
    429,
    '12',
    { type: 'error', error: { type: 'rate_limit_error' } },
  ]);
  const google = await relay.post('/v1beta/models/gpt-4o:generateContent', key, {
    contents: [{ parts: [{ text: 'hi' }] }],
  });
  expect([google.status, google.headers.get('retry-after'), await google.json()]).toMatchObject([
    429,
    '12',
    {
      error: {
        status: 'RESOURCE_EXHAUSTED',
        details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '12s' }],
      },
    },
  ]);
  expect(relay.upstream.requests).toHaveLength(2);
});

it('a count of tokens is not the call that finds out whether a key works again', async () => {
  await relay.addChannel({ type: 14, models: 'claude-sonnet-4-20250514' });
  const { key } = await richToken();
  const given = { ...body, model: 'claude-sonnet-4-20250514', max_tokens: 5 };
  const refused = limited({ 'retry-after': '7' });
  relay.upstream.script({}, (response, request) =>
    (request.path.includes('count_tokens') ? json({ input_tokens: 5 }) : refused)(response, request),
  );
  expect((await ask(key, '/v1/messages', given)).status).toBe(429);
  now += 7000;
  expect((await relay.post('/v1/messages/count_tokens', key, given)).status).toBe(200);
  expect(relay.upstream.requests.map(({ path }) => path)).toContain('/v1/messages/count_tokens');
  expect(relay.health.cooldowns).toMatchObject([{ reason: 'RATE_LIMITED', times: 0 }]);
  // This call is the trial. Its refusal counts as the second one without a success in between.
  relay.upstream.script({}, limited());
  expect((await ask(key, '/v1/messages', given)).status).toBe(429);
  expect(relay.health.cooldowns).toMatchObject([{ reason: 'RATE_LIMITED', times: 1 }]);
});

it('puts a key into cooldown for the time that Google names in its error', async () => {
  await relay.addChannel({ type: 24, models: 'gemini-2.5-flash' });
  const { key } = await richToken();
  const retryInfo = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.07s' };
  const details = [{ '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{}] }, retryInfo];
  relay.upstream.script(
    {},
    json({ error: { code: 429, message: 'wait', status: 'RESOURCE_EXHAUSTED', details } }, 429),
  );
  const path = '/v1beta/models/gemini-2.5-flash:generateContent';
  const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
  for (const [seconds, left] of [
    [0, '35'],
    [30, '5'],
  ] as const) {
    now += seconds * 1000;
    const response = await relay.post(path, key, { contents });
    expect([response.status, response.headers.get('retry-after'), await response.json()]).toMatchObject([
      ...[429, left],
      { error: { details: [{ '@type': retryInfo['@type'], retryDelay: `${left}s` }] } },
    ]);
  }
  expect(await ask(key, undefined, { ...body, model: 'gemini-2.5-flash' })).toMatchObject({ retryAfter: '5' });
  expect(relay.upstream.requests).toHaveLength(1);
});

it('puts one key into cooldown for one model: its other models and keys go on', async () => {
  await relay.addChannel({ key: 'sk-a,sk-b' });
  relay.upstream.script({ key: 'sk-a', model: 'gpt-4o' }, limited({ 'retry-after': '30' }));
  const { key } = await richToken();
  for (let call = 0; call < 4; call++) expect((await ask(key)).status).toBe(200);
  const other = { ...body, model: 'gpt-4o-mini' };
  for (let call = 0; call < 2; call++) expect((await ask(key, undefined, other)).status).toBe(200);
  const sent = relay.upstream.requests.map((request) => `${request.key} ${request.model}`);
  expect(sent.filter((one) => one === 'sk-a gpt-4o')).toHaveLength(1);
  expect(sent).toContain('sk-a gpt-4o-mini');
});

it('never begins a cooldown for the mistakes of a client, and never stops calls for failures alone', async () => {
  await relay.addChannel();
  const { key } = await richToken();
  for (const status of [400, 404, 422]) {
    relay.upstream.script({}, failure(status, 'insufficient_quota: rate limit, billing, 429', 'insufficient_quota'));
    for (let call = 0; call < 4; call++) expect((await ask(key)).status).toBe(status);
    expect(relay.health.cooldowns).toEqual([]);
  }
  relay.upstream.script({}, failure(500, 'broken', 'server_error'));
  for (let call = 0; call < 5; call++) expect((await ask(key)).status).toBe(500);
  expect(relay.health.cooldowns).toMatchObject([{ reason: 'FAILING' }]);
  relay.endCooldowns();
});

it('prefers other channels after three failures in 30 s', async () => {
  await relay.addChannel({ key: 'sk-broken', priority: 9 });
  await relay.addChannel({ key: 'sk-open' });
  relay.setOptions({ SelfUseModeEnabled: true, RetryTimes: 1 });
  relay.upstream.script({ key: 'sk-broken' }, failure(503, 'down', 'server_error'));
  const { key } = await richToken();
  for (let call = 0; call < 8; call++) expect((await ask(key)).status).toBe(200);
  expect(relay.upstream.requests.filter((request) => request.key === 'sk-broken')).toHaveLength(3);
  now += 10_000;
  relay.upstream.script({}, json({ choices: [{ message: { content: 'ok' } }], usage: { prompt_tokens: 1 } }));
  for (let call = 0; call < 3; call++) expect((await ask(key)).status).toBe(200);
  expect(relay.upstream.requests.filter((request) => request.key === 'sk-broken')).toHaveLength(6);
});

/** Sends one event of a stream, then breaks the connection. */
const breaksOff =
  (): Reply =>
  async (response, { path }) => {
    const event = path.startsWith('/v1/responses')
      ? { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0, delta: 'Hel' }
      : {
          id: 'c',
          object: 'chat.completion.chunk',
          created: 1,
          model: 'gpt-4o',
          choices: [{ index: 0, delta: { content: 'Hel' } }],
        };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`data: ${JSON.stringify(event)}\n\n`);
    await new Promise((resolve) => setTimeout(resolve, 20));
    response.socket?.resetAndDestroy();
  };

describe.each([
  ['chat completions', '/v1/chat/completions', { ...body, stream: true }],
  ['Messages', '/v1/messages', { ...body, max_tokens: 50, stream: true }],
  ['Responses', '/v1/responses', { model: 'gpt-4o', input: 'hi', stream: true }],
  ['Gemini', '/v1beta/models/gpt-4o:streamGenerateContent?alt=sse', { contents: [{ parts: [{ text: 'hi' }] }] }],
])('streams of %s that break off', (_dialect, path, given) => {
  it('are failures of their channel, which others are preferred to', async () => {
    const id = await relay.addChannel({ key: 'sk-broken', priority: 9 });
    await relay.addChannel({ key: 'sk-open' });
    relay.upstream.script({ key: 'sk-broken' }, breaksOff());
    const { key } = await richToken();
    const failuresBefore = await relay.metric(`tollgate_upstream_errors_total{channel="${id}"`);
    for (let call = 0; call < 5; call++) await (await relay.post(path, key, given)).text();
    expect(relay.upstream.requests.filter((request) => request.key === 'sk-broken')).toHaveLength(3);
    expect(relay.health.cooldowns).toMatchObject([{ channelId: id, reason: 'FAILING' }]);
    expect([failuresBefore, await relay.metric(`tollgate_upstream_errors_total{channel="${id}"`)]).toEqual([
      [],
      [`tollgate_upstream_errors_total{channel="${id}",kind="reset"} 3`],
    ]);
  });
});

describe('streams that end early, without an error,', () => {
  const chunk = JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content: 'a' }, finish_reason: null }] });
  const cut: Reply = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`data: ${chunk}\n\n`);
  };
  const empty: Reply = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end();
  };

  it.each<[string, string, object, Reply]>([
    ['of chat completions', '/v1/chat/completions', { ...body, stream: true }, cut],
    ['of Messages', '/v1/messages', { ...body, max_tokens: 50, stream: true }, cut],
    ['with nothing in them', '/v1/chat/completions', { ...body, stream: true }, empty],
    ['where one response was asked for', '/v1/chat/completions', body, cut],
  ])('%s are failures of their channel', async (_what, path, given, reply) => {
    relay.setOptions({ RetryTimes: 0 });
    const id = await relay.addChannel({ key: 'sk-cut', priority: 9 });
    await relay.addChannel({ key: 'sk-open' });
    relay.upstream.script({ key: 'sk-cut' }, reply);
    const { key } = await richToken();
    for (let call = 0; call < 5; call++) await (await relay.post(path, key, given)).text();
    expect(relay.upstream.requests.filter((request) => request.key === 'sk-cut')).toHaveLength(3);
    expect(relay.health.cooldowns).toMatchObject([{ channelId: id, reason: 'FAILING' }]);
  });
});

it.each([
  ['server_is_overloaded', 'FAILING'],
  ['server_error', 'FAILING'],
  ['rate_limit_exceeded', 'RATE_LIMITED'],
  ['context_length_exceeded', null],
])('a streamed response that failed with %s is a failure as in one piece: %s', async (code, reason) => {
  await relay.addChannel();
  const { key } = await richToken();
  const response = { id: 'resp_1', object: 'response', status: 'failed', error: { code, message: 'no' }, output: [] };
  const stream = [
    { type: 'response.created', response: { ...response, status: 'in_progress', error: null } },
    { type: 'response.output_text.delta', item_id: 'm', output_index: 0, content_index: 0, delta: 'a' },
    { type: 'response.failed', response },
  ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  relay.upstream.script({}, (answer) => {
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    answer.end(stream.join(''));
  });
  for (let call = 0; call < (reason === 'RATE_LIMITED' ? 1 : 3); call++) {
    const { status, text } = await relay
      .post('/v1/responses', key, { model: 'gpt-4o', input: 'hi', stream: true })
      .then(async (answer) => ({ status: answer.status, text: await answer.text() }));
    expect([status, text]).toEqual([200, stream.join('')]);
  }
  expect(relay.health.cooldowns.map(({ reason: found }) => found)).toEqual(reason === null ? [] : [reason]);
});

it('puts a key without quota into cooldown for all models until a test of it succeeds', async () => {
  const id = await relay.addChannel();
  const { key } = await richToken();
  relay.upstream.script({}, failure(429, 'You exceeded your current quota', 'insufficient_quota'));
  expect((await ask(key)).status).toBe(429);
  expect(await ask(key, undefined, { ...body, model: 'gpt-4o-mini' })).toEqual({
    status: 429,
    retryAfter: '3600',
    code: 'channels_busy',
  });
  relay.upstream.reset();
  const tested = { channelId: id, endpoint: 'chat' as const, model: 'gpt-4o', retires: false };
  const result = await relay.probe.send({ ...tested, body: { model: 'gpt-4o', messages: userMessage('hi') } });
  expect(result).toMatchObject({ success: true });
  expect((await ask(key)).status).toBe(200);
});
