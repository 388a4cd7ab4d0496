import { brotliCompressSync, gzipSync } from 'node:zlib';
import { chat } from '../support/upstream/replies.js';
import { type RelayHarness, userMessage, type TokenSpec } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started), { trustedProxies: ['127.0.0.1'] });

const call = { model: 'gpt-4o', messages: userMessage('hi') };
const past = new Date(1_000_000_000);

async function ask(key: string, body: unknown = call, init: RequestInit = {}) {
  const response = await relay.chat(key, body, init);
  const answer = (await response.json()) as { error?: { message: string; type: string; param: unknown; code: string } };
  return { status: response.status, headers: response.headers, error: answer.error };
}

describe('the check order of a key', () => {
  it('1: no key', async () => {
    const response = await fetch(`${relay.url}/v1/chat/completions`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({
      error: {
        message: `No token provided (request id: ${response.headers.get('x-oneapi-request-id')})`,
        type: 'veloera_error',
        param: '',
        code: 'missing_api_key',
      },
    });
  });

  it.each(['sk-', 'sk--5'])('1: %s holds no key either', async (key) => {
    expect(await ask(key)).toMatchObject({ status: 401, error: { code: 'missing_api_key' } });
  });

  it('2: unknown, deleted, of a deleted user', async () => {
    const deleted = await relay.addToken();
    await relay.sql('UPDATE tokens SET deleted_at = now() WHERE id = $1', [deleted.id]);
    const orphan = await relay.addToken();
    await relay.sql('UPDATE users SET deleted_at = now() WHERE id = $1', [orphan.userId]);
    for (const key of ['sk-x', 'sk-a'.padEnd(51, 'b'), deleted.key, orphan.key]) {
      expect(await ask(key)).toMatchObject({ status: 401, error: { code: 'invalid_api_key' } });
    }
  });

  it('2: keys are compared exactly', async () => {
    await relay.addChannel();
    const { key } = await relay.addToken();
    const swapped = key.replace(/[a-z](?=[^a-z]*$)/, (letter) => letter.toUpperCase());
    expect(swapped).not.toBe(key);
    expect((await ask(swapped)).status).toBe(401);
    expect((await ask(key)).status).toBe(200);
  });

  it.each<[row: number, spec: TokenSpec, code: string, text: RegExp]>([
    [3, { status: 'exhausted' }, 'token_quota_exhausted', /^Token quota exhausted \[sk-...\*\*\*...\] /],
    [4, { status: 'expired' }, 'token_expired', /^Token expired /],
    [5, { status: 'disabled' }, 'token_disabled', /^Token is not available /],
    [6, { expiresAt: past }, 'token_expired', /^Token expired /],
    [6, { expiresAt: new Date(0) }, 'token_expired', /^Token expired /],
    [7, { quota: 0 }, 'token_quota_exhausted', /^\[sk-...\*\*\*...\] Token quota exhausted, remaining 0 /],
  ])('%i: %j is 401 %s', async (_row, spec, code, text) => {
    const { key } = await relay.addToken(spec);
    const { status, error } = await ask(key);
    expect(status).toBe(401);
    expect(error).toMatchObject({ type: 'veloera_error', code });
    expect(error?.message).toMatch(text);
  });

  it('writes down that a key expired or ran out, but never over a newer edit', async () => {
    const expired = await relay.addToken({ expiresAt: past });
    const exhausted = await relay.addToken({ quota: 0 });
    const statusOf = async (id: number): Promise<string | undefined> =>
      (await relay.sql<{ status: string }>('SELECT status FROM tokens WHERE id = $1', [id]))[0]?.status;
    await ask(expired.key);
    await ask(exhausted.key);
    expect(await statusOf(expired.id)).toBe('expired');
    expect(await statusOf(exhausted.id)).toBe('exhausted');

    const edited = await relay.addToken({ expiresAt: past, status: 'disabled' });
    await ask(edited.key);
    expect(await statusOf(edited.id)).toBe('disabled');
  });

  it('a key whose quota is held by a call in flight has not run out', async () => {
    await relay.addChannel();
    // The balance is less than the cost of the longest response, so the first call reserves all of it.
    const { key, id } = await relay.addToken({ quota: 20_000 });
    let end = (): void => undefined;
    const isOver = new Promise<void>((resolve) => (end = resolve));
    relay.upstream.script({}, async (response, request) => {
      await isOver;
      return chat({ text: 'ok' })(response, request);
    });
    const first = ask(key);
    const stored = async () =>
      (
        await relay.sql<{ status: string; left: number }>(
          'SELECT status, remain_quota::integer AS left FROM tokens WHERE id = $1',
          [id],
        )
      )[0];
    while ((await stored())?.left !== 0) await new Promise((resolve) => setTimeout(resolve, 10));
    // The ledger makes the first refusal. After it the key is read again, as on a node that reads it for the first time.
    expect((await ask(key)).error?.code).toBe('pre_consume_token_quota_failed');
    expect((await ask(key)).error?.code).toBe('token_quota_exhausted');
    expect(await stored()).toEqual({ status: 'enabled', left: 0 });
    end();
    expect((await first).status).toBe(200);
    expect((await ask(key)).status).toBe(200);
  });

  it('9: a banned user', async () => {
    const { key } = await relay.addToken({ userId: await relay.addUser({ status: 'banned' }) });
    expect(await ask(key)).toMatchObject({ status: 403, error: { code: 'user_banned' } });
  });

  it('10: pinning is for admins', async () => {
    const { key } = await relay.addToken();
    expect(await ask(`${key}-1`)).toMatchObject({ status: 403, error: { code: 'channel_pin_forbidden' } });
  });

  it('12: the allow list knows addresses and ranges, and lets nobody in when it is broken', async () => {
    await relay.addChannel();
    const from = (address: string): RequestInit => ({ headers: { 'x-forwarded-for': address } });
    const { key } = await relay.addToken({ allowIps: '10.1.0.0/16\n2001:db8::/32\n 192.0.2.7 ' });
    for (const address of ['10.1.200.3', '192.0.2.7', '2001:db8::5']) {
      expect((await ask(key, call, from(address))).status).toBe(200);
    }
    for (const address of ['10.2.0.1', '192.0.2.8', '2001:db9::5', '127.0.0.1']) {
      expect(await ask(key, call, from(address))).toMatchObject({ status: 403, error: { code: 'ip_not_allowed' } });
    }
    const broken = await relay.addToken({ allowIps: '10.1.0.0/16\nnonsense' });
    expect((await ask(broken.key, call, from('10.1.0.1'))).status).toBe(403);
  });

  it.each([
    ['{', 'invalid_request', /^Invalid request, /],
    ['[]', 'invalid_request', /^Invalid request, /],
    ['', 'invalid_request', /^Invalid request, /],
    ['{"messages":[]}', 'invalid_text_request', /^model is required /],
    ['{"model":7,"messages":[]}', 'invalid_request', /^Invalid request, /],
  ])('13: body %s is 400 %s', async (body, code, text) => {
    const { key } = await relay.addToken();
    const { status, error } = await ask(key, body);
    expect(status).toBe(400);
    expect(error).toMatchObject({ code });
    expect(error?.message).toMatch(text);
  });

  it('14 and 15: the token names its group', async () => {
    await relay.addChannel({ group: 'default,vip,gone' });
    relay.setOptions({ UserUsableGroups: { default: 'd', vip: 'v', gone: 'g' }, GroupRatio: { default: 1, vip: 2 } });
    const vip = await relay.addToken({ group: 'vip' });
    expect((await ask(vip.key)).status).toBe(200);
    expect((await relay.logs(vip.userId))[0]).toMatchObject({ group: 'vip', other: { group_ratio: 2 } });
    const svip = await relay.addToken({ group: 'svip' });
    expect(await ask(svip.key)).toMatchObject({ status: 403, error: { code: 'group_not_allowed' } });
    const gone = await relay.addToken({ group: 'gone' });
    expect(await ask(gone.key)).toMatchObject({ status: 403, error: { code: 'group_deprecated' } });
  });

  it('16 and 17: the pinned channel', async () => {
    const { key } = await relay.addToken({ userId: await relay.addUser({ role: 'admin' }) });
    const off = await relay.addChannel({ status: 'disabled' });
    const on = await relay.addChannel({ models: 'another-model' });
    expect(await ask(`${key}-x`)).toMatchObject({ status: 400, error: { code: 'invalid_channel_id' } });
    expect(await ask(`${key}-999999`)).toMatchObject({ status: 400, error: { code: 'invalid_channel_id' } });
    expect(await ask(`${key}-${off}`)).toMatchObject({ status: 403, error: { code: 'channel_disabled' } });
    expect((await ask(`${key}-${on}`)).status).toBe(200);
  });

  it('18: model limits, with the routing prefix, also for a pinned channel', async () => {
    const pinned = await relay.addChannel({ prefix: 'fast/', models: 'gpt-4o' });
    await relay.addChannel({ models: 'gpt-4o,gpt-4o-mini' });
    const userId = await relay.addUser({ role: 'admin' });
    const { key } = await relay.addToken({ userId, modelLimits: 'fast/gpt-4o' });
    expect((await ask(key, { ...call, model: 'fast/gpt-4o' })).status).toBe(200);
    expect(await ask(key)).toMatchObject({ status: 403, error: { code: 'model_not_allowed' } });
    expect(await ask(`${key}-${pinned}`)).toMatchObject({ status: 403, error: { code: 'model_not_allowed' } });
    const none = await relay.addToken({ modelLimits: '' });
    expect((await ask(none.key)).status).toBe(403);
  });

  it('19: no channel', async () => {
    await relay.addChannel({ group: 'vip' });
    await relay.addChannel({ status: 'autoDisabled' });
    const { key } = await relay.addToken();
    const { status, error } = await ask(key);
    expect(status).toBe(503);
    expect(error).toMatchObject({ code: 'model_not_found' });
    expect(error?.message).toMatch(/^No available channel for model gpt-4o in group default /);
  });

  it('validates what is left of the body', async () => {
    await relay.addChannel();
    const { key } = await relay.addToken();
    expect(await ask(key, { model: 'gpt-4o' })).toMatchObject({ status: 400, error: { code: 'invalid_text_request' } });
    for (const max of [1_073_741_824, -1, 1.5, 1e300, '5', 18446744073686646784]) {
      const { status, error } = await ask(key, { ...call, max_tokens: max });
      expect(status).toBe(400);
      expect(error?.message).toMatch(/^max_tokens is invalid /);
    }
  });

  it('prices or refuses', async () => {
    await relay.addChannel({ models: 'nobody-priced-this' });
    const body = { ...call, model: 'nobody-priced-this' };
    const { key } = await relay.addToken();
    expect(await ask(key, body)).toMatchObject({ status: 400, error: { code: 'model_not_priced' } });
    const userId = await relay.addUser({ setting: { acceptUnsetModelRatioModel: true } });
    const willing = await relay.addToken({ userId });
    expect((await ask(willing.key, body)).status).toBe(200);
    expect((await relay.logs(userId))[0]).toMatchObject({ other: { model_ratio: 37.5 } });
  });
});

describe('money at the door', () => {
  beforeEach(() => relay.setOptions({ StrictReserve: false }));
  it('refuses an empty balance, and one that does not cover the estimate', async () => {
    await relay.addChannel();
    const empty = await relay.addToken({ userId: await relay.addUser({ quota: 0 }) });
    const { error } = await ask(empty.key);
    expect(error).toMatchObject({ code: 'insufficient_user_quota' });
    expect(error?.message).toMatch(/^user quota is not enough \(request id/);
    const poor = await relay.addToken({ userId: await relay.addUser({ quota: 624 }) });
    // Example B23 of docs/reference/relay/billing.md#worked-examples: 500 tokens of ratio 1.25
    expect((await ask(poor.key)).error?.message).toMatch(/remaining \$0\.001248 quota, required \$0\.001250 quota/);
    const small = await relay.addToken({ quota: 100 });
    expect(await ask(small.key)).toMatchObject({ status: 403, error: { code: 'pre_consume_token_quota_failed' } });
    expect(relay.upstream.requests).toHaveLength(0);
  });

  it('lets a free model go without a balance', async () => {
    await relay.addChannel({ models: 'glm-4-flash' });
    const { key, userId } = await relay.addToken({ userId: await relay.addUser({ quota: 0 }) });
    expect((await ask(key, { ...call, model: 'glm-4-flash' })).status).toBe(200);
    expect(await relay.balance(userId)).toMatchObject({ quota: 0, used: 0, requests: 1 });
  });

  it('serves exactly as many parallel calls as the balance covers', async () => {
    await relay.addChannel();
    const { key, userId } = await relay.addToken({ userId: await relay.addUser({ quota: 6250 }) });
    // Each call keeps its reservation of 625 until all of them have arrived.
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    relay.upstream.script({}, async (response) => {
      await gate;
      response.setHeader('content-type', 'application/json');
      response.end('{"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":100,"completion_tokens":100}}');
    });
    const answers = Array.from({ length: 40 }, () => ask(key));
    while (relay.upstream.requests.length < 10) await new Promise((resolve) => setTimeout(resolve, 10));
    await new Promise((resolve) => setTimeout(resolve, 200));
    open();
    const statuses = (await Promise.all(answers)).map((answer) => answer.status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    expect(statuses.filter((status) => status === 403)).toHaveLength(30);
    expect((await relay.balance(userId)).quota).toBe(0);
  });

  it('sees a top-up at once', async () => {
    await relay.addChannel();
    const { key, id } = await relay.addToken({ quota: 700 });
    expect((await ask(key)).status).toBe(200);
    expect((await ask(key)).status).toBe(200);
    await relay.sql('UPDATE tokens SET unlimited_quota = true WHERE id = $1', [id]);
    await relay.changed({ kind: 'token', id });
    expect((await ask(key)).status).toBe(200);
  });
});

describe('changes', () => {
  it('are in effect as soon as they are announced', async () => {
    const channelId = await relay.addChannel();
    const { key, id, userId } = await relay.addToken();
    expect((await ask(key)).status).toBe(200);

    await relay.sql("UPDATE users SET status = 'banned' WHERE id = $1", [userId]);
    expect((await ask(key)).status).toBe(200);
    await relay.changed({ kind: 'user', id: userId });
    expect((await ask(key)).status).toBe(403);
    await relay.sql("UPDATE users SET status = 'enabled' WHERE id = $1", [userId]);
    await relay.changed({ kind: 'user', id: userId });

    await relay.sql("UPDATE tokens SET status = 'disabled' WHERE id = $1", [id]);
    await relay.changed({ kind: 'token', id });
    expect((await ask(key)).status).toBe(401);
    await relay.sql("UPDATE tokens SET status = 'enabled' WHERE id = $1", [id]);
    await relay.changed({ kind: 'token', id });

    await relay.sql("UPDATE channels SET status = 'disabled' WHERE id = $1", [channelId]);
    await relay.changed({ kind: 'channel', id: channelId });
    expect((await ask(key)).status).toBe(503);
  });
});

describe('the limit of model calls', () => {
  it('counts every call, tells when to come back, and does not count the refused', async () => {
    await relay.addChannel();
    relay.setOptions({ ModelRequestRateLimitEnabled: true, ModelRequestRateLimitCount: 2 });
    const { key } = await relay.addToken();
    expect((await ask(key)).status).toBe(200);
    expect((await ask(key)).status).toBe(200);
    for (let turn = 0; turn < 3; turn++) {
      const { status, error, headers } = await ask(key);
      expect(status).toBe(429);
      expect(error).toMatchObject({ code: 'rate_limit_exceeded' });
      expect(error?.message).toMatch(/^Request limit reached: at most 2 requests in 1 minutes, failures included /);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    const other = await relay.addToken();
    expect((await ask(other.key)).status).toBe(200);
  });

  it('counts successes apart', async () => {
    relay.setOptions({ ModelRequestRateLimitEnabled: true, ModelRequestRateLimitSuccessCount: 1 });
    const { key } = await relay.addToken();
    expect((await ask(key)).status).toBe(503);
    await relay.addChannel();
    expect((await ask(key)).status).toBe(200);
    const { status, error } = await ask(key);
    expect(status).toBe(429);
    expect(error?.message).toMatch(/^Request limit reached: at most 1 requests in 1 minutes \(request id/);
  });
});

describe('the body', () => {
  const packed = (bytes: Buffer, encoding: string): RequestInit => ({
    body: new Uint8Array(bytes),
    headers: { 'content-encoding': encoding },
  });

  it('may be packed with gzip or brotli', async () => {
    await relay.addChannel();
    const { key } = await relay.addToken();
    const plain = Buffer.from(JSON.stringify(call));
    expect((await ask(key, '', packed(gzipSync(plain), 'gzip'))).status).toBe(200);
    expect((await ask(key, '', packed(brotliCompressSync(plain), 'br'))).status).toBe(200);
    expect(relay.upstream.requests[1]?.rawBody).toEqual(plain);
  });

  it('may be packed with Zstandard, in frames that do not want much memory', async () => {
    await relay.addChannel();
    const { key } = await relay.addToken();
    const plain = Buffer.from(JSON.stringify(call));
    // Returns a frame with one uncompressed block, which is the last one.
    const frame = (window: number): Buffer => {
      const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, window, 0, 0, 0]);
      head.writeUIntLE((plain.length << 3) | 1, 6, 3);
      return Buffer.concat([head, plain]);
    };
    expect((await ask(key, '', packed(frame(0x58), 'zstd'))).status).toBe(200);
    expect(relay.upstream.requests[0]?.rawBody).toEqual(plain);
    expect((await ask(key, '', packed(frame(0xa8), 'zstd'))).status).toBe(400);
  });

  it('is refused when it is a bomb, too large, or packed otherwise', async () => {
    const { key } = await relay.addToken();
    const bomb = gzipSync(Buffer.alloc(900 * 1024));
    expect(await ask(key, '', packed(bomb, 'gzip'))).toMatchObject({
      status: 413,
      error: { code: 'request_too_large' },
    });
    expect((await ask(key, { ...call, padding: 'x'.repeat(1024 * 1024) })).status).toBe(413);
    expect((await ask(key, '', packed(Buffer.from('{}'), 'deflate'))).status).toBe(415);
    expect((await ask(key, '', packed(Buffer.from('{}'), 'compress'))).status).toBe(415);
    expect((await ask(key, '', packed(Buffer.from('nonsense'), 'gzip'))).status).toBe(400);
  });

  it('is not read for a stranger', async () => {
    const response = await relay.chat('sk-unknown', 'x'.repeat(900 * 1024));
    expect(response.status).toBe(401);
  });
});

/** docs/reference/relay/routes.md#paths-that-are-not-served. */
const notThere = [
  ['POST', '/edits'],
  ['POST', '/fine-tunes'],
  ['GET', '/fine-tunes'],
  ['GET', '/fine-tunes/ft-1'],
  ['POST', '/fine-tunes/ft-1/cancel'],
  ['GET', '/fine-tunes/ft-1/events'],
  ['DELETE', '/models/gpt-4o'],
] as const;

describe('other routes', () => {
  const get = async (path: string, key: string, headers: Record<string, string> = {}) => {
    const response = await fetch(relay.url + path, { headers: { authorization: `Bearer ${key}`, ...headers } });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  it('list what a key can call, sorted, with prefixes and without the unpriced', async () => {
    await relay.addChannel({ models: 'gpt-4o-mini,gpt-4o,nobody-priced-this' });
    await relay.addChannel({ models: 'gpt-4o', prefix: 'fast/' });
    await relay.addChannel({ models: 'gpt-4', group: 'vip' });
    const { key } = await relay.addToken();
    const { body } = await get('/v1/models', key);
    expect(body).toMatchObject({ success: true, object: 'list' });
    const models = body['data'] as Array<Record<string, unknown>>;
    expect(models.map((model) => [model['id'], model['root']])).toEqual([
      ['fast/gpt-4o', 'gpt-4o'],
      ['gpt-4o', 'gpt-4o'],
      ['gpt-4o-mini', 'gpt-4o-mini'],
    ]);
    expect(models[1]).toMatchObject({ object: 'model', created: 1626777600, owned_by: 'openai', parent: null });
    expect(models[1]?.['permission']).toEqual([expect.objectContaining({ id: 'modelperm-LwHkVFn8AcMItP432fKKDIKJ' })]);
  });

  it('name the maker of a model by the catalogue, not by the channel that serves it', async () => {
    relay.setOptions({ SelfUseModeEnabled: true });
    await relay.addChannel({ type: 14, models: 'gpt-4o,deepseek-chat,nobody-knows-this,mj_own', prefix: 'p/' });
    const owners = async (key: string) =>
      Object.fromEntries(
        ((await get('/v1/models', key)).body['data'] as Array<{ id: string; owned_by: string }>).map((model) => [
          ...[model.id, model.owned_by],
        ]),
      ) as Record<string, string>;
    expect(await owners((await relay.addToken()).key)).toEqual({
      'p/gpt-4o': 'openai',
      'p/deepseek-chat': 'deepseek',
      'p/nobody-knows-this': 'custom',
      'p/mj_own': 'midjourney',
    });
    expect(await owners((await relay.addToken({ modelLimits: 'p/gpt-4o,zeta' })).key)).toEqual({
      'p/gpt-4o': 'openai',
      zeta: 'custom',
    });
  });

  it('list exactly the limits of a limited key', async () => {
    const { key } = await relay.addToken({ modelLimits: 'zeta,alpha' });
    const { body } = await get('/hf/v1/models/', key);
    expect((body['data'] as Array<{ id: string }>).map(({ id }) => id)).toEqual(['alpha', 'zeta']);
  });

  it('answer in the dialect the key was presented in', async () => {
    const { key } = await relay.addToken({ modelLimits: 'gpt-4o' });
    const anthropic = await get('/v1/models', '', { 'x-api-key': key, 'anthropic-version': '2023-06-01' });
    expect(anthropic.body).toEqual({
      data: [
        {
          id: 'gpt-4o',
          created_at: '2021-07-20T10:40:00Z',
          display_name: 'gpt-4o',
          type: 'model',
          max_input_tokens: 128_000,
          max_tokens: 16_384,
        },
      ],
      first_id: 'gpt-4o',
      has_more: false,
      last_id: 'gpt-4o',
    });
    const gemini = await get(`/v1/models?key=${key}`, '');
    expect(gemini.body).toEqual({
      models: [
        {
          name: 'models/gpt-4o',
          displayName: 'gpt-4o',
          supportedGenerationMethods: ['generateContent', 'countTokens'],
          inputTokenLimit: 128_000,
          outputTokenLimit: 16_384,
        },
      ],
      nextPageToken: null,
    });
    const none = await relay.addToken({ modelLimits: '' });
    const empty = await get('/v1/models', '', { 'x-api-key': none.key, 'anthropic-version': '2023-06-01' });
    expect(empty.body).toEqual({ data: [], first_id: null, has_more: false, last_id: null });
  });

  it('have pages, as the SDKs of Anthropic and Google ask for them', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const { key } = await relay.addToken({ modelLimits: names.join() });
    const anthropic = { 'x-api-key': key, 'anthropic-version': '2023-06-01' };
    const page = async (query: string): Promise<unknown[]> => {
      const { body } = await get(`/v1/models?${query}`, '', anthropic);
      return [(body['data'] as Array<{ id: string }>).map(({ id }) => id).join(''), body['has_more'], body['last_id']];
    };
    expect(await page('limit=2')).toEqual(['ab', true, 'b']);
    expect(await page('limit=2&after_id=b')).toEqual(['cd', true, 'd']);
    expect(await page('limit=2&after_id=d')).toEqual(['e', false, 'e']);
    expect(await page('limit=2&before_id=d')).toEqual(['bc', true, 'c']);
    expect(await page('limit=nonsense')).toEqual(['abcde', false, 'e']);
    const google = async (query: string): Promise<unknown[]> => {
      const { body } = await get(`/v1beta/models?${query}`, '', { 'x-goog-api-key': key });
      const ids = (body['models'] as Array<{ displayName: string }>).map(({ displayName }) => displayName);
      return [ids.join(''), body['nextPageToken']];
    };
    expect(await google('pageSize=3')).toEqual(['abc', 'c']);
    expect(await google('pageSize=3&pageToken=c')).toEqual(['de', null]);
  });

  it('show one model, slashes and all, or 404', async () => {
    await relay.addChannel({ models: 'gpt-4o', prefix: 'fast/' });
    const { key } = await relay.addToken();
    expect(await get('/v1/models/fast/gpt-4o', key)).toMatchObject({ status: 200, body: { id: 'fast/gpt-4o' } });
    expect(await get('/v1/models/gpt-4o', key)).toEqual({
      status: 404,
      body: {
        error: {
          message: "The model 'gpt-4o' does not exist",
          type: 'invalid_request_error',
          param: 'model',
          code: 'model_not_found',
        },
      },
    });
  });

  it('refuse in the dialect the key was presented in', async () => {
    const { key } = await relay.addToken();
    const anthropic = { 'x-api-key': key, 'anthropic-version': '2023-06-01' };
    const unknown = await get('/v1/models/nothing', '', anthropic);
    expect(unknown).toEqual({
      status: 404,
      body: {
        type: 'error',
        error: {
          type: 'not_found_error',
          message: expect.stringContaining("The model 'nothing' does not exist") as string,
        },
      },
    });
    expect(await get('/v1/fine-tunes', key, { 'anthropic-version': '2023-06-01' })).toMatchObject({
      status: 501,
      body: { type: 'error', error: { type: 'api_error' } },
    });
    expect(await get('/v1/models', '', { ...anthropic, 'x-api-key': 'sk-unknown' })).toMatchObject({
      status: 401,
      body: { type: 'error', error: { type: 'authentication_error' } },
    });
    expect(await get('/v1beta/models/nothing', '', { 'x-goog-api-key': key })).toMatchObject({
      status: 404,
      body: { error: { code: 404, status: 'NOT_FOUND' } },
    });
  });

  it('check address and group, and want a key', async () => {
    const locked = await relay.addToken({ allowIps: '10.0.0.1' });
    expect((await get('/v1/models', locked.key)).status).toBe(403);
    const foreign = await relay.addToken({ group: 'nowhere' });
    expect((await get('/v1/models', foreign.key)).status).toBe(403);
    expect((await get('/v1/models', 'sk-unknown')).status).toBe(401);
  });

  it.each(['/v1', '/hf/v1'])('%s: what is not there yet says so, to who has a key', async (prefix) => {
    const { key } = await relay.addToken();
    for (const [method, path] of notThere) {
      const ask = (authorization: string): Promise<Response> =>
        fetch(relay.url + prefix + path, { method, headers: { authorization } });
      const response = await ask(`Bearer ${key}`);
      expect([method, path, response.status]).toEqual([method, path, 501]);
      expect(await response.json()).toEqual({
        error: { message: 'API not implemented', type: 'veloera_error', param: '', code: 'api_not_implemented' },
      });
      expect((await ask('Bearer sk-unknown')).status).toBe(401);
    }
  });

  it('/hf/v1 is an exact alias', async () => {
    await relay.addChannel();
    const { key } = await relay.addToken();
    const response = await fetch(`${relay.url}/hf/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `bearer  ${key}` },
      body: JSON.stringify(call),
    });
    expect(response.status).toBe(200);
    expect(relay.upstream.requests[0]?.path).toBe('/v1/chat/completions');
  });

  it('browser extensions are kept out when the admin wants that', async () => {
    relay.setOptions({ 'global.block_browser_extension_enabled': true });
    const { key } = await relay.addToken();
    const answer = await ask(key, call, { headers: { origin: 'chrome-extension://abcdef' } });
    expect(answer).toMatchObject({ status: 403, error: { code: 'browser_extension_blocked' } });
  });
});
