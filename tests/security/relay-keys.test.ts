import { createHash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { json, openStream } from '../support/upstream/replies.js';
import { RelayHarness, userMessage } from '../contract/relay-harness.js';

let relay: RelayHarness;

beforeAll(async () => {
  relay = await RelayHarness.start();
});
afterAll(async () => {
  await relay.stop();
});
beforeEach(async () => {
  relay.upstream.reset();
  relay.setOptions({ SelfUseModeEnabled: true, LogErrorEnabled: true, LogChatContentEnabled: true });
  await relay.clearChannels();
});
afterEach(async () => {
  await relay.idle();
  expect(await relay.openReservations()).toBe(0);
  expect(await relay.drift()).toEqual([]);
});

const body = { model: 'gpt-4o', messages: userMessage('hi') };

describe('a key of a channel is in no answer, in no log line and in no row (CVE-2024-9606)', () => {
  /** Keys in the providers' forms; some have no recognisable form. */
  const keys: ReadonlyArray<readonly [type: number, key: string, secret: string]> = [
    [1, 'sk-proj-abcdefghijklmnopqrstuv', 'abcdefghijklmnopqrstuv'],
    [1, 'plainwordsofsomebodyshost', 'plainwordsofsomebodyshost'],
    [14, 'sk-ant-api03-Zm9vYmFyYmF6cXV4', 'Zm9vYmFyYmF6cXV4'],
    [24, 'AIzaSyD1a2b3c4d5e6f7g8h9i0j', 'SyD1a2b3c4d5e6f7'],
    [34, 'Qx7Rt2Lm9Vb4Nc6Ks1Wd', 'Qx7Rt2Lm9Vb4Nc6Ks1Wd'],
    [26, 'a1b2c3d4e5.s3cr3tPartOfIt', 's3cr3tPartOfIt'],
    [45, '3f2b8c1e-77aa-4d0e-9b1c-2f5e6a7b8c9d', '77aa-4d0e-9b1c'],
    [23, '1300000000|AKIDz8krbsJ5yKBZQpn|Gu5t9xGARNpq86', 'Gu5t9xGARNpq86'],
  ];
  const places = [
    (said: string) => json({ error: { message: said, type: said, param: said, code: said } }, 401),
    (said: string) => json({ error: said }, 500),
    (said: string) => json({ error: { message: said, type: 'server_error' } }, 200, { 'x-request-id': 'r' }),
    (said: string) => json({ message: said }, 403, { 'set-cookie': said, 'openai-organization': said }),
  ];

  it.each(keys)('type %i: %s', async (type, key, secret) => {
    await relay.addChannel({ type, key });
    const { key: clientKey, userId } = await relay.addToken();
    const said = `the key ${key} (${key.split('|').at(-1)}, ${key.split('.').at(-1)}) is not good`;
    const answers: string[] = [];
    for (const place of places) {
      relay.upstream.script({}, place(said));
      for (const stream of [false, true]) {
        const response = await relay.chat(clientKey, { ...body, stream });
        answers.push(JSON.stringify([...response.headers]) + (await response.text()));
      }
    }
    relay.upstream.script({}, (response) => {
      openStream(response);
      response.write('data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n');
      response.end(`data: ${JSON.stringify({ error: { message: said, type: 'server_error' } })}\n\n`);
    });
    answers.push(await (await relay.chat(clientKey, { ...body, stream: true })).text());
    for (const answer of answers) expect(answer).not.toContain(secret);
    expect(relay.logLines.join('\n')).not.toContain(secret);
    const rows = await relay.sql('SELECT content, other FROM logs WHERE user_id = $1', [userId]);
    expect(JSON.stringify(rows)).not.toContain(secret);
    expect(relay.disabled.map(({ reason }) => reason).join('\n')).not.toContain(secret);
  });
});

describe('a client’s key', () => {
  it('is compared whole: one that begins like a known one opens nothing (CVE-2026-35030)', async () => {
    await relay.addChannel();
    const { key } = await relay.addToken();
    expect((await relay.chat(key, body)).status).toBe(200);
    const last = key.at(-1) === 'a' ? 'b' : 'a';
    const others = [key.slice(0, -1), key.slice(0, -1) + last, `${key}a`, key.toLowerCase(), key.slice(0, 23)];
    for (const other of others) {
      if (other === key) continue;
      expect([other.length, (await relay.chat(other, body)).status]).toEqual([other.length, 401]);
    }
    expect((await relay.chat(key, body)).status).toBe(200);
  });

  it.each([
    ['an always true one', "' OR '1'='1"],
    ['a union', "x' UNION SELECT * FROM tokens --"],
    ['a second statement', "'; DROP TABLE tokens; --"],
    ['a wildcard', '%'],
    ['many wildcards', '_'.repeat(48)],
    ['a long one', 'a'.repeat(8000)],
    ['one of other letters', '\u00e9'.repeat(24)],
  ])('is a value, never a piece of a query (CVE-2026-42208): %s', async (_name, given) => {
    await relay.addChannel();
    await relay.addToken();
    const response = await relay.post('/v1/chat/completions', 'x', body, {
      headers: { authorization: `Bearer sk-${given}` },
    });
    expect(response.status).toBe(401);
    const [row] = await relay.sql<{ count: string }>('SELECT count(*) FROM tokens');
    expect(Number(row?.count)).toBeGreaterThan(0);
  });

  it('is not its own digest: what the database holds opens nothing (GHSA-69x8)', async () => {
    await relay.addChannel();
    const { id } = await relay.addToken();
    const [row] = await relay.sql<{ key_hash: Buffer; key_sealed: string; key_prefix: string }>(
      'SELECT key_hash, key_sealed, key_prefix FROM tokens WHERE id = $1',
      [id],
    );
    const held = [row?.key_hash.toString('hex'), row?.key_hash.toString('base64'), row?.key_sealed, row?.key_prefix];
    for (const given of held) expect((await relay.chat(`sk-${given}`, body)).status).toBe(401);
  });

  it('is no plain digest in the database: nobody finds it by hashing guesses', async () => {
    const { id, key } = await relay.addToken();
    const [row] = await relay.sql<{ key_hash: Buffer }>('SELECT key_hash FROM tokens WHERE id = $1', [id]);
    for (const text of [key, key.slice(3)]) {
      expect(row?.key_hash.equals(createHash('sha256').update(text).digest())).toBe(false);
    }
  });

  it('never reaches a provider, wherever the client put it', async () => {
    await relay.addChannel();
    const { key } = await relay.addToken();
    const bare = key.slice(3);
    const headers = { 'x-api-key': key, 'x-goog-api-key': key, 'proxy-authorization': key, cookie: `session=${key}` };
    await (await relay.post(`/v1/chat/completions?key=${key}`, key, body, { headers })).text();
    await (
      await relay.post(`/v1beta/models/gpt-4o:generateContent?key=${key}`, key, {
        contents: [{ parts: [{ text: 'hi' }] }],
      })
    ).text();
    const received = relay.upstream.requests.map(({ path, headers: sent }) => path + JSON.stringify(sent)).join('\n');
    expect(relay.upstream.requests.length).toBeGreaterThan(0);
    expect(received).not.toContain(bare);
    expect(relay.logLines.join('\n')).not.toContain(bare);
  });
});

describe('what is served is decided by the path alone (CVE-2026-49468)', () => {
  const asked = (headers: Record<string, string>): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const call = httpRequest(`${relay.url}/v1/chat/completions`, { method: 'POST', headers }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode));
      });
      call.on('error', reject).end(JSON.stringify(body));
    });

  it.each<Record<string, string>>([
    { host: 'gateway.example/v1/models' },
    { host: '127.0.0.1/api/status?' },
    { host: '169.254.169.254' },
    { host: 'gateway.example', 'x-forwarded-host': 'gateway.example/api/status', 'x-forwarded-prefix': '/api/status' },
    { host: 'gateway.example', 'x-original-url': '/api/status', 'x-rewrite-url': '/api/status' },
  ])('whatever a header says: %j', async (headers) => {
    await relay.addChannel();
    const { key } = await relay.addToken();
    expect(await asked(headers)).toBe(401);
    expect(relay.upstream.requests).toHaveLength(0);
    expect(await asked({ ...headers, authorization: `Bearer ${key}` })).toBe(200);
    const [sent] = relay.upstream.requests;
    expect(sent?.path).toBe('/v1/chat/completions');
    expect(JSON.stringify(sent?.headers)).not.toMatch(/example|169\.254|api\/status/);
  });
});

it('any page may call, and none with somebody’s cookies', async () => {
  await relay.addChannel();
  const { key } = await relay.addToken();
  const response = await relay.chat(key, body, { headers: { origin: 'https://elsewhere.example' } });
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  const withCookie = await fetch(`${relay.url}/v1/models`, {
    headers: { cookie: `session=${key}; Authorization=${key}` },
  });
  expect(withCookie.status).toBe(401);
});
