import { request as httpRequest } from 'node:http';
import { chat } from '../support/upstream/replies.js';
import * as faults from '../support/upstream/faults.js';
import { payloadsOf, type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started));

interface ErrorBody {
  readonly error: { readonly message: string; readonly type: string; readonly param: unknown; readonly code: unknown };
}

const call = { model: 'gpt-4o', messages: userMessage('hi') };
const streamed = { ...call, stream: true };

async function refused(reply: Parameters<RelayHarness['upstream']['script']>[1], body: object = call) {
  await relay.addChannel();
  const { key, userId } = await relay.addToken();
  relay.upstream.script({}, reply);
  const response = await relay.chat(key, body);
  const answer = (await response.json()) as ErrorBody;
  // Nothing was served, so nothing is charged or logged.
  expect(await relay.logs(userId)).toEqual([]);
  expect((await relay.balance(userId)).quota).toBe(1_000_000);
  return { status: response.status, headers: response.headers, ...answer };
}

describe.each([
  ['JSON', call],
  ['stream', streamed],
])('before the first byte of a %s answer', (_name, body) => {
  it('passes a 401 on with its words, without the key', async () => {
    const { status, error } = await refused(faults.unauthorized(), body);
    expect(status).toBe(401);
    expect(error).toMatchObject({ type: 'invalid_request_error', param: null, code: 'invalid_api_key' });
    expect(error.message).toMatch(/^Incorrect API key provided: .* \(request id: \w+\)$/);
    expect(error.message).not.toContain('sk-upstr');
  });

  it('answers 429 with the text of the gateway and Retry-After', async () => {
    const { status, error, headers } = await refused(faults.rateLimited(7), body);
    expect(status).toBe(429);
    expect(error.message).toMatch(/^The upstream of this group is saturated, try again later \(request id: /);
    expect(headers.get('retry-after')).toBe('7');
  });

  it('passes a 500 on', async () => {
    const { status, error } = await refused(faults.serverError(), body);
    expect(status).toBe(500);
    expect(error).toMatchObject({ type: 'server_error', code: null });
  });

  it('does not show the page of a proxy', async () => {
    const { status, error } = await refused(faults.htmlError(502), body);
    expect(status).toBe(502);
    expect(error).toMatchObject({ type: 'upstream_error', param: '502', code: 'bad_response_status_code' });
    expect(error.message).toMatch(/^bad response status code 502 /);
  });

  it('tells of a reset without the address', async () => {
    const { status, error } = await refused(faults.resetBeforeFirstByte(), body);
    expect(status).toBe(500);
    expect(error).toMatchObject({ type: 'veloera_error', param: '', code: 'do_request_failed' });
    expect(error.message).toMatch(/^Request to the upstream address failed /);
    expect(error.message).not.toContain('127.0.0.1');
  });

  it('treats a success with an error inside as a broken upstream', async () => {
    const { status, error } = await refused(faults.errorInside(), body);
    expect(status).toBe(502);
    expect(error).toMatchObject({ type: 'server_error' });
  });

  it('survives an answer that never ends its line', async () => {
    const { status, error } = await refused(faults.endlessLine(), body);
    expect(status).toBe(502);
    expect(error.code).toBe('invalid_response');
  });
});

describe('an address', () => {
  it.each([
    ['where nobody listens', 'http://127.0.0.1:9'],
    ['of the cloud itself', 'http://169.254.169.254/latest'],
    ['that is none', 'nonsense'],
    ['of another kind', 'file:///etc/passwd'],
  ])('%s is a failed request, and is not told', async (_name, baseUrl) => {
    await relay.addChannel({ baseUrl });
    const { key, userId } = await relay.addToken();
    const response = await relay.chat(key, call);
    const { error } = (await response.json()) as ErrorBody;
    expect(response.status).toBe(500);
    expect(error.code).toBe('do_request_failed');
    expect(error.message).not.toMatch(/169\.254|127\.0|passwd|nonsense/);
    expect(await relay.logs(userId)).toEqual([]);
  });
});

describe('a JSON answer that breaks', () => {
  it('in the middle is a failed read', async () => {
    const { status, error } = await refused(faults.resetAfter(0));
    expect(status).toBe(500);
    expect(error.code).toBe('read_response_body_failed');
  });

  it('and is not JSON is an invalid response', async () => {
    const { status, error } = await refused(faults.malformedJson());
    expect(status).toBe(502);
    expect(error.code).toBe('invalid_response');
  });

  it('and is empty is an invalid response', async () => {
    const { status } = await refused(faults.emptyBody());
    expect(status).toBe(502);
  });
});

async function broken(reply: Parameters<RelayHarness['upstream']['script']>[1]) {
  await relay.addChannel();
  await relay.addChannel();
  relay.setOptions({ RetryTimes: 3 });
  const { key, userId } = await relay.addToken();
  relay.upstream.script({}, reply);
  const response = await relay.chat(key, streamed);
  expect(response.status).toBe(200);
  const payloads = payloadsOf(await response.text());
  const [log] = await relay.logs(userId);
  // A call is never retried after its first byte was sent.
  expect(relay.upstream.requests).toHaveLength(1);
  return { payloads, log, error: JSON.parse(payloads.at(-2) ?? '') as ErrorBody };
}

describe('a stream that breaks', () => {
  it('by a reset ends with an error and is charged for what came', async () => {
    const { payloads, log, error } = await broken(faults.resetAfter(20));
    expect(payloads.at(-1)).toBe('[DONE]');
    expect(payloads).toHaveLength(22);
    expect(error.error).toMatchObject({ type: 'veloera_error', code: 'read_response_body_failed' });
    // The first event of the recording has no text, the other 19 have one token each.
    expect(log).toMatchObject({
      prompt_tokens: 8,
      is_stream: true,
      other: { stream_error: 'read_response_body_failed', counted_locally: true },
    });
    expect(log?.completion_tokens).toBeGreaterThanOrEqual(18);
    expect(log?.completion_tokens).toBeLessThanOrEqual(19);
    expect(log?.quota).toBe((8 + 4 * (log?.completion_tokens ?? 0)) * 1.25);
  });

  it('by an error event ends with that error', async () => {
    const { payloads, log, error } = await broken(faults.errorEventAfter(5));
    expect(payloads).toHaveLength(7);
    expect(error.error).toMatchObject({ type: 'server_error', code: 'overloaded' });
    expect(error.error.message).toMatch(/^The server is overloaded\. \(request id: /);
    expect(log?.completion_tokens).toBeGreaterThan(0);
  });

  it('by ending early is not a clean end', async () => {
    const { error, log } = await broken(faults.endsAfter(5));
    expect(error.error.code).toBe('stream_response_error');
    expect(log?.completion_tokens).toBeGreaterThan(0);
  });
});

describe('another channel', () => {
  it('serves the call when the first fails, and both are remembered', async () => {
    const first = await relay.addChannel({ key: 'sk-one', priority: 9 });
    const second = await relay.addChannel({ key: 'sk-two' });
    relay.setOptions({ RetryTimes: 1 });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({ key: 'sk-one' }, faults.serverError());
    const response = await relay.chat(key, streamed);
    expect(response.status).toBe(200);
    expect(payloadsOf(await response.text()).at(-1)).toBe('[DONE]');
    const [log] = await relay.logs(userId);
    expect(log).toMatchObject({
      channel_id: second,
      other: { admin_info: { use_channel: [String(first), String(second)] } },
    });
  });

  it('is never the one that failed while others remain', async () => {
    for (const key of ['sk-1', 'sk-2', 'sk-3', 'sk-4']) await relay.addChannel({ key });
    relay.setOptions({ RetryTimes: 3 });
    const { key } = await relay.addToken();
    relay.upstream.script({}, faults.serverError());
    const response = await relay.chat(key, call);
    expect(response.status).toBe(500);
    expect(relay.upstream.requests.map((request) => request.key).sort()).toEqual(['sk-1', 'sk-2', 'sk-3', 'sk-4']);
  });

  it.each([
    [400, 1],
    [401, 2],
    [404, 2],
    [408, 1],
    [429, 2],
    [500, 2],
    [504, 1],
    [524, 1],
  ])('after status %i there are %i tries', async (status, tries) => {
    await relay.addChannel();
    await relay.addChannel();
    relay.setOptions({ RetryTimes: 1 });
    const { key } = await relay.addToken();
    relay.upstream.script({}, faults.failure(status, 'no', 'some_error'));
    const response = await relay.chat(key, call);
    expect(response.status).toBe(status);
    expect(relay.upstream.requests).toHaveLength(tries);
  });

  it('is not tried for a pinned key', async () => {
    const pinned = await relay.addChannel();
    await relay.addChannel();
    relay.setOptions({ RetryTimes: 3 });
    const { key } = await relay.addToken({ userId: await relay.addUser({ role: 'admin' }) });
    relay.upstream.script({}, faults.serverError());
    expect((await relay.chat(`${key}-${pinned}`, call)).status).toBe(500);
    expect(relay.upstream.requests).toHaveLength(1);
  });

  it('follows the status mapping, which also decides what the client sees', async () => {
    await relay.addChannel({ statusMapping: '{"400":"503","401":500}' });
    relay.setOptions({ RetryTimes: 1 });
    const { key } = await relay.addToken();
    relay.upstream.script({}, faults.failure(400, 'no', 'some_error'));
    expect((await relay.chat(key, call)).status).toBe(503);
    // A provider that refused the request with 400 never gets it again unchanged.
    expect(relay.upstream.requests).toHaveLength(1);
    await relay.addChannel({ priority: -1, key: 'sk-other' });
    relay.upstream.script({ key: 'sk-other' }, chat({ text: ['other'] }));
    expect((await relay.chat(key, call)).status).toBe(200);
    expect(relay.upstream.requests).toHaveLength(3);
  });
});

describe('a channel whose key is dead', () => {
  it('is switched off on what the provider itself said, whatever the mapping says', async () => {
    const id = await relay.addChannel({ statusMapping: '{"401":"400"}' });
    relay.setOptions({ AutomaticDisableChannelEnabled: true, 'global.hide_upstream_error_enabled': true });
    const { key } = await relay.addToken();
    relay.upstream.script({}, faults.unauthorized());
    const response = await relay.chat(key, call);
    expect(response.status).toBe(400);
    expect(((await response.json()) as ErrorBody).error).toMatchObject({
      type: 'upstream_error',
      code: 'bad_response_status_code',
    });
    expect(relay.disabled.filter((entry) => entry.id === id)).toHaveLength(1);
    // The call is refused at once, before the database reports the failure.
    expect((await relay.chat(key, call)).status).toBe(503);
  });

  it('keeps serving with its other keys', async () => {
    const id = await relay.addChannel({ key: 'sk-dead,sk-good' });
    relay.setOptions({ AutomaticDisableChannelEnabled: true, RetryTimes: 1 });
    const { key } = await relay.addToken();
    relay.upstream.script({ key: 'sk-dead' }, faults.unauthorized());
    for (let turn = 0; turn < 4; turn++) expect((await relay.chat(key, call)).status).toBe(200);
    expect(relay.upstream.requests.filter((request) => request.key === 'sk-dead').length).toBeLessThanOrEqual(1);
    expect(relay.disabled.some((entry) => entry.id === id)).toBe(false);
  });
});

describe('a client that leaves', () => {
  it('ends the upstream call and pays for what came', async () => {
    await relay.addChannel();
    const { key, userId } = await relay.addToken();
    // The stream is longer than the test may take. It ends only because the gateway aborts it.
    relay.upstream.script({}, chat({ text: Array<string>(10_000).fill(' word'), gapMilliseconds: 30 }));
    const controller = new AbortController();
    const response = await relay.chat(key, streamed, { signal: controller.signal });
    const reader = response.body?.getReader();
    for (let read = 0; read < 5; read++) await reader?.read();
    controller.abort();
    await relay.upstream.requests[0]?.ended;
    expect(relay.upstream.requests[0]?.aborted).toBe(true);
    const [log] = await relay.logsOf(userId, 1);
    expect(log).toMatchObject({ prompt_tokens: 8, other: { client_gone: true } });
    expect(log?.completion_tokens).toBeGreaterThan(0);
    expect(log?.completion_tokens).toBeLessThan(100);
  });

  it('before anything came pays for the prompt that was sent', async () => {
    await relay.addChannel();
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, faults.silence());
    const controller = new AbortController();
    const response = relay.chat(key, call, { signal: controller.signal });
    while (relay.upstream.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    controller.abort();
    await expect(response).rejects.toThrow();
    const [log] = await relay.logsOf(userId, 1);
    expect(log).toMatchObject({ prompt_tokens: 8, completion_tokens: 0, quota: 10, other: { client_gone: true } });
  });

  it('and does not read stops the upstream instead of filling the memory', async () => {
    await relay.addChannel();
    const { key, userId } = await relay.addToken();
    const block = 'x'.repeat(16 * 1024);
    let written = 0;
    relay.upstream.script({}, async (response) => {
      response.setMaxListeners(0);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      while (!response.destroyed && written < 200 * 1024 * 1024) {
        written += block.length;
        if (!response.write(`data: {"choices":[{"delta":{"content":"${block}"}}]}\n\n`)) {
          await new Promise((resolve) => {
            response.once('drain', resolve);
            response.once('close', resolve);
          });
        }
      }
    });
    // The upstream's idle timeout must not run while this side does not read.
    const incoming = await new Promise<{ destroy(): void }>((resolve, reject) => {
      const outgoing = httpRequest(
        `${relay.url}/v1/chat/completions`,
        { method: 'POST', headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' } },
        (response) => {
          response.pause();
          resolve(response);
        },
      );
      outgoing.on('error', reject);
      outgoing.end(JSON.stringify(streamed));
    });
    // Writing stops long before everything was sent, however slow the machine is.
    for (let seen = -1; seen !== written;) {
      seen = written;
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
    expect(written).toBeLessThan(40 * 1024 * 1024);
    incoming.destroy();
    const [log] = await relay.logsOf(userId, 1);
    expect(log?.other['client_gone']).toBe(true);
  });
});

it('writes no key and no message into the log', async () => {
  await relay.addChannel({ key: 'sk-planted-upstream-key' });
  const { key } = await relay.addToken();
  relay.upstream.script({}, faults.unauthorized());
  await relay.chat(key, { ...call, messages: userMessage('planted message text') });
  const log = relay.logLines.join('\n');
  expect(log).toContain('upstream attempt failed');
  const planted = [key.slice(3), 'sk-planted-upstream-key', 'planted message text', 'sk-upstr', 'Incorrect API key'];
  expect(planted.filter((secret) => log.includes(secret))).toEqual([]);
});

it('lets the server stop only when every call is paid', async () => {
  await relay.addChannel();
  const { key, userId } = await relay.addToken();
  relay.upstream.script({}, chat({ text: ['a', 'b', 'c', 'd'], gapMilliseconds: 100 }));
  const response = await relay.chat(key, streamed);
  await relay.idle();
  expect(await relay.logs(userId)).toHaveLength(1);
  await response.text();
  await relay.idle();
});

// The limit under test is short. The others are long, because a busy machine may be slow.
describe('silence before the first byte', () => {
  relaySuite((started) => (relay = started), { settings: { firstByteTimeout: 600 } });

  it.each([
    ['JSON', call],
    ['stream', streamed],
  ])('is given up after the time for the first byte (%s)', async (_name, body) => {
    const { status, error } = await refused(faults.silence(), body);
    expect(status).toBe(500);
    expect(error.code).toBe('do_request_failed');
    await relay.upstream.requests[0]?.ended;
    expect(relay.upstream.requests[0]?.aborted).toBe(true);
  });

  it('a test of a channel takes a provider that says nothing for slow, not for out of reach', async () => {
    const channelId = await relay.addChannel();
    relay.upstream.script({}, faults.silence());
    const result = await relay.probe.send({ channelId, model: 'gpt-4o', endpoint: 'chat', body: call, retires: false });
    expect(result).toMatchObject({ success: false, unreachable: false, refused: false });
    expect(result.milliseconds).toBeGreaterThan(400);
  });
});

describe('silence within a stream', () => {
  relaySuite((started) => (relay = started), { settings: { idleTimeout: 600 } });

  it('ends it with an error, and the upstream is let go', async () => {
    const { payloads, log, error } = await broken(faults.silenceAfter(5));
    expect(payloads).toHaveLength(7);
    expect(error.error.code).toBe('stream_response_error');
    expect(log?.other['stream_error']).toBe('stream_response_error');
    await relay.upstream.requests[0]?.ended;
  });
});
