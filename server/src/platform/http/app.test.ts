import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { MemoryState } from '../cache/memory-state.js';
import { createLogger } from '../observability/logger.js';
import { AppError } from '../../shared/errors.js';
import { errorResponse } from '../../services/client-errors.js';
import { createApp, type AppDeps } from './app.js';
import { restHandlers } from './rest.js';

const unlimited = { enabled: false, count: 1, seconds: 1 };
const nobody = {
  actorOfSession: () => Promise.resolve(null),
  actorOfAccessToken: () => Promise.resolve(null),
  actorInOrganisation: () => Promise.reject(new Error('no organisations')),
};
const rest = restHandlers(nobody, () => Promise.reject(new Error('no keys')));

const folder = mkdtempSync(join(tmpdir(), 'tollgate-app-'));
const state = new MemoryState();
const apps: FastifyInstance[] = [];
const plainSite = {
  systemName: 'A & B <Gate>',
  turnstile: false,
  telegram: false,
  chatLinks: [],
  checkoutAddresses: [],
  status: async (): Promise<Record<string, unknown>> => ({
    system_name: 'A & B <Gate>',
    footer_html: '</script><b>$&</b>',
  }),
};

const preloads = {
  screens: [
    { path: '/login', access: 'visitor', files: ['/assets/login.js'] },
    { path: '/pricing', access: 'anyone', files: ['/assets/pricing.js'] },
    { path: '/channel/edit/:id', files: ['/assets/channel.js', '/assets/console.js'] },
  ],
  texts: {
    en: { first: ['/assets/en1.js'], screens: ['/assets/en2.js'] },
    zh: { first: ['/assets/zh1.js'], screens: [] },
  },
};

async function start(overrides: Partial<AppDeps> = {}): Promise<FastifyInstance> {
  const app = await createApp({
    logger: createLogger('silent'),
    state,
    trustedProxies: [],
    apiRateLimit: unlimited,
    webRateLimit: unlimited,
    clientRoot: folder,
    errorResponse,
    site: () => plainSite,
    plugins: [
      async (plugin) => {
        plugin.get('/v1/models', async () => ({ object: 'list' }));
      },
    ],
    api: [
      async (scope) => {
        scope.post(
          '/echo',
          rest.open(async ({ body }) => body ?? 'no body'),
        );
        scope.get(
          '/echo',
          rest.open(async ({ query }) => query),
        );
        scope.get(
          '/echo/broken',
          rest.open(() => Promise.reject(new Error('secret detail'))),
        );
        scope.get(
          '/echo/away',
          rest.open(() => Promise.reject(Object.assign(new Error('x'), { code: 'ECONNREFUSED' }))),
        );
        scope.get(
          '/echo/late',
          rest.open(() => Promise.reject(new AppError('RATE_LIMITED', 'slow down', { retryAfterSeconds: 7 }))),
        );
        scope.get(
          '/echo/large',
          rest.open(async () => 'x'.repeat(10_000)),
        );
        scope.get(
          '/echo/address',
          rest.open(async ({ request }) => request.ip),
        );
      },
    ],
    ...overrides,
  });
  apps.push(app);
  return app;
}

beforeAll(() => {
  mkdirSync(join(folder, 'assets'));
  writeFileSync(
    join(folder, 'index.html'),
    '<html><head><title>x</title></head><body><b id="site-name">x</b></body></html>',
  );
  writeFileSync(join(folder, 'preloads.json'), JSON.stringify(preloads));
  writeFileSync(join(folder, 'assets', 'main.js'), 'console.info(1)');
  writeFileSync(join(folder, 'assets', 'main.js.map'), '{}');
  writeFileSync(join(folder, 'assets', 'large.js'), 'console.info(2)');
  writeFileSync(join(folder, 'assets', 'large.js.br'), brotliCompressSync('console.info(2)'));
  writeFileSync(join(folder, 'assets', 'large.js.gz'), gzipSync('console.info(2)'));
});

afterAll(async () => {
  await Promise.all(apps.map((app) => app.close()));
  await state.close();
  rmSync(folder, { recursive: true });
});

describe('paths', () => {
  it.each(['/api/echo', '/api/echo/', '/api/echo?a=1', '/api/echo/?a=1'])(
    'answers %s without a redirect',
    async (url) => {
      const app = await start();
      expect((await app.inject({ url })).statusCode).toBe(200);
      expect((await app.inject({ method: 'POST', url, payload: '{"a":1}' })).json()).toMatchObject({ data: { a: 1 } });
    },
  );

  it.each([
    ['GET', '/api/x'],
    ['GET', '/v1/x'],
    ['GET', '/assets/gone.js'],
    ['DELETE', '/api/echo'],
    ['POST', '/v1/models'],
  ] as const)('answers %s %s with the 404 body that clients know', async (method, path) => {
    const answer = await (await start()).inject({ method, url: `${path}?token=sk-secret` });
    expect(answer.statusCode).toBe(404);
    expect(answer.json()).toEqual({
      error: { message: `Invalid URL (${method} ${path})`, type: 'invalid_request_error', param: '', code: '' },
    });
  });

  it('answers a key in a query in the form of Google, without the key', async () => {
    const answer = await (await start()).inject({ method: 'GET', url: '/v1/x?key=sk-secret' });
    expect(answer.json()).toMatchObject({ error: { code: 404, status: 'NOT_FOUND' } });
    expect(answer.body).not.toContain('secret');
  });

  it('answers an unknown Google path in that form, with the key in any header', async () => {
    for (const header of ['x-goog-api-key', 'x-api-key']) {
      const answer = await (await start()).inject({ method: 'POST', url: '/v1beta/x', headers: { [header]: 'k' } });
      expect(answer.json()).toMatchObject({ error: { code: 404, status: 'NOT_FOUND' } });
    }
  });

  it.each(['/api/echo%00', '/v1/videos/video_1%00', '/v1/videos/%00/content', '/token/%00', '/assets/a%00.js'])(
    'answers %s with 404',
    async (url) => {
      const answer = await (await start()).inject({ url });
      expect([answer.statusCode, answer.json()]).toMatchObject([404, { error: { type: 'invalid_request_error' } }]);
    },
  );

  it('answers a browser at the address of a model with the console, and a program not', async () => {
    const app = await start();
    const ask = (accept: string) => app.inject({ url: '/model/org%2Fgpt-4o/errors', headers: { accept } });
    expect((await ask('text/html,*/*;q=0.8')).headers['content-type']).toBe('text/html; charset=utf-8');
    expect((await ask('application/json')).statusCode).toBe(404);
  });

  it.each(['/', '/token', '/channel/edit/3', '/index.html'])('answers %s with the console', async (url) => {
    const answer = await (await start()).inject({ url });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-cache');
    expect(answer.headers['content-type']).toContain('text/html');
    expect(answer.body).toContain('<title>A &#38; B &#60;Gate&#62;</title>');
  });

  it('answers a broken escape as an unknown path', async () => {
    const answer = await (await start()).inject({ url: '/api/%zz' });
    expect(answer.statusCode).toBe(404);
  });

  it('says so when the console is not built', async () => {
    const answer = await (await start({ clientRoot: null })).inject({ url: '/' });
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toContain('npm run build');
  });
});

describe('the console’s page', () => {
  it('shows the name and brings the status along, whatever is in them', async () => {
    const { body } = await (await start()).inject({ url: '/token' });
    expect(body).toContain('<b id="site-name">A &#38; B &#60;Gate&#62;</b>');
    const data = /<script id="site-status" type="application\/json">(.*?)<\/script>/.exec(body)?.[1] ?? '';
    expect(JSON.parse(data)).toEqual(await plainSite.status());
    expect(data).not.toContain('<');
  });

  it('does without a status that cannot be had', async () => {
    const status = () => Promise.reject(new Error('away'));
    const { statusCode, body } = await (await start({ site: () => ({ ...plainSite, status }) })).inject({ url: '/' });
    expect([statusCode, body.includes('site-status')]).toEqual([200, false]);
  });

  it.each([
    ['/login', undefined, ['login'], ['en1']],
    ['/channel/edit/3?tab=1', 'a=b; session=x', ['channel', 'console'], ['en1', 'en2']],
    ['/channel/edit/3', undefined, ['login'], ['en1']],
    ['/pricing', undefined, ['pricing'], ['en1', 'en2']],
    ['/channel/edit/3/4', 'session=x', [], ['en1']],
  ])('names the files that %s needs, cookie %s', async (url, cookie, files, texts) => {
    const { body } = await (await start()).inject({ url, headers: cookie === undefined ? {} : { cookie } });
    const named = [
      ...body.matchAll(/<link rel="modulepreload" fetchpriority="low" crossorigin href="\/assets\/(\w+)\.js">/g),
    ].map(([, name]) => name);
    expect(named).toEqual(files);
    const told = /<meta name="texts" content="([^"]*)">/.exec(body)?.[1]?.replaceAll('&#34;', '"') ?? '';
    expect((JSON.parse(told) as Record<string, string[]>)['en']).toEqual(texts.map((name) => `/assets/${name}.js`));
  });

  it('keeps to itself which files those are', async () => {
    const { body } = await (await start()).inject({ url: '/preloads.json' });
    expect(body).toContain('<title>');
  });

  it('allows its own scripts only, and styles by a nonce that never repeats', async () => {
    const app = await start();
    const nonces = [];
    for (let turn = 0; turn < 2; turn++) {
      const { headers, body } = await app.inject({ url: '/' });
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("script-src 'self';");
      expect(policy).not.toContain('unsafe');
      expect(policy).toContain("frame-ancestors 'none'");
      const nonce = /<meta name="csp-nonce" content="([^"]+)">/.exec(body)?.[1];
      expect(policy).toContain(`style-src 'self' 'nonce-${nonce}'`);
      nonces.push(nonce);
    }
    expect(new Set(nonces).size).toBe(2);
  });

  it('allows one foreign script while bots are checked, and windows while Telegram signs people in', async () => {
    const headersOf = async (site: object) =>
      (await (await start({ site: () => ({ ...plainSite, ...site }) })).inject({ url: '/' })).headers;
    const closed = await headersOf({});
    expect(closed['cross-origin-opener-policy']).toBe('same-origin');
    const open = await headersOf({ turnstile: true, telegram: true });
    expect(open['content-security-policy']).toContain("script-src 'self' https://challenges.cloudflare.com;");
    expect(open['cross-origin-opener-policy']).toBe('same-origin-allow-popups');
  });

  it('frames chat apps without a certificate by their own origin, and nothing that a link smuggles in', async () => {
    const chatLinks = [
      'http://chat.lan:3000/#/?key={key}',
      'http://chat.lan:3000/again',
      'https://chat.example/?url={address}',
      "http://evil.example; script-src 'unsafe-inline'",
      'javascript:alert(1)',
    ];
    const { headers } = await (await start({ site: () => ({ ...plainSite, chatLinks }) })).inject({ url: '/' });
    expect(headers['content-security-policy']).toContain('frame-src https: http://chat.lan:3000;');
    expect(headers['content-security-policy']).not.toContain('evil');
  });

  it('posts orders to a payment gateway without a certificate, and nowhere else without one', async () => {
    const policyOf = async (...checkoutAddresses: string[]) =>
      (await (await start({ site: () => ({ ...plainSite, checkoutAddresses }) })).inject({ url: '/' })).headers[
        'content-security-policy'
      ];
    expect(await policyOf('http://pay.lan:8080/submit')).toContain("form-action 'self' https: http://pay.lan:8080;");
    expect(await policyOf('https://pay.example')).toContain("form-action 'self' https:;");
    expect(await policyOf("http://evil.example; script-src 'unsafe-inline'")).not.toContain('evil');
  });

  it.each([
    ['br, gzip', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['identity', undefined, (bytes: Buffer) => bytes],
  ])('sends to whoever takes %s what the build has compressed', async (accepted, encoding, decompress) => {
    const app = await start();
    const file = await app.inject({ url: '/assets/large.js', headers: { 'accept-encoding': accepted } });
    expect(file.headers['content-encoding']).toBe(encoding);
    expect(file.headers['content-type']).toContain('javascript');
    expect(file.headers['cache-control']).toContain('max-age=604800');
    expect(file.headers.vary).toContain('accept-encoding');
    expect(String(decompress(file.rawPayload))).toBe('console.info(2)');
    // A file without a compressed copy is sent unchanged.
    const other = await app.inject({ url: '/assets/main.js', headers: { 'accept-encoding': accepted } });
    expect([other.statusCode, other.headers['content-type']]).toEqual([200, file.headers['content-type']]);
    // Compressed copies have no URL of their own.
    for (const url of ['/assets/large.js.br', '/assets/large.js.gz']) {
      expect((await app.inject({ url })).statusCode).toBe(404);
    }
  });

  it('serves files for a week and keeps source maps to itself', async () => {
    const app = await start();
    const file = await app.inject({ url: '/assets/main.js' });
    expect(file.headers['cache-control']).toContain('max-age=604800');
    expect(file.headers['x-content-type-options']).toBe('nosniff');
    expect((await app.inject({ url: '/assets/main.js.map' })).statusCode).toBe(404);
    expect((await app.inject({ url: '/assets/..%2f..%2fetc/passwd' })).statusCode).toBe(404);
  });
});

describe('every answer', () => {
  it.each(['/', '/api/echo', '/api/x', '/v1/models', '/assets/main.js', '/api/echo/broken'])(
    'of %s names its request',
    async (url) => {
      const { headers } = await (await start()).inject({ url, headers: { 'request-id': 'forged' } });
      expect(headers['x-oneapi-request-id']).toMatch(/^\d{14}\d{9}[0-9A-Za-z]{8}$/);
    },
  );

  it('of a caller who does not speak HTTP, too', async () => {
    const app = await start();
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as { port: number };
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(port, '127.0.0.1', () => socket.write('HELLO\r\n\r\n'));
      socket.on('data', (bytes) => (text += bytes.toString())).on('close', () => resolve(text));
    });
    expect(answer).toMatch(/^HTTP\/1.1 400/);
    expect(answer).toMatch(/X-Oneapi-Request-Id: \d{23}/);
  });

  it('under /api is not stored, and compressed when asked', async () => {
    const app = await start();
    const answer = await app.inject({ url: '/api/echo/large', headers: { 'accept-encoding': 'gzip' } });
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers['content-encoding']).toBe('gzip');
    expect(answer.rawPayload.length).toBeLessThan(1000);
  });
});

describe('bodies under /api', () => {
  it.each([undefined, 'application/json', 'text/plain', 'application/x-www-form-urlencoded', 'nonsense'])(
    'are JSON when the type says %s',
    async (type) => {
      const answer = await (
        await start()
      ).inject({
        method: 'POST',
        url: '/api/echo',
        payload: Buffer.from('{"a":[1]}'),
        headers: type === undefined ? {} : { 'content-type': type },
      });
      expect(answer.json()).toEqual({ success: true, message: '', data: { a: [1] } });
    },
  );

  it('that are not JSON count as absent', async () => {
    const app = await start();
    for (const payload of ['{"a":', '', gzipSync('{}')]) {
      const answer = await app.inject({ method: 'POST', url: '/api/echo', payload });
      expect(answer.json()).toMatchObject({ data: 'no body' });
    }
  });

  it('have an end', async () => {
    const answer = await (await start()).inject({ method: 'POST', url: '/api/echo', payload: `"${'x'.repeat(5e6)}"` });
    expect(answer.statusCode).toBe(413);
    expect(answer.json()).toMatchObject({ success: false, code: 'PAYLOAD_TOO_LARGE' });
  });
});

describe('failures', () => {
  it('that nobody foresaw tell nothing', async () => {
    const answer = await (await start()).inject({ url: '/api/echo/broken' });
    expect(answer.statusCode).toBe(500);
    expect(answer.json()).toEqual({
      success: false,
      message: 'Internal error',
      code: 'INTERNAL_ERROR',
      error: { message: 'Internal error', type: 'veloera_panic' },
    });
  });

  it('say when to come back', async () => {
    const app = await start();
    const late = await app.inject({ url: '/api/echo/late' });
    expect([late.statusCode, late.headers['retry-after']]).toEqual([429, '7']);
    const away = await app.inject({ url: '/api/echo/away' });
    expect([away.statusCode, away.headers['retry-after']]).toEqual([503, '5']);
    expect(away.body).not.toContain('ECONNREFUSED');
  });
});

it.each([
  ['ERR_HTTP_REQUEST_TIMEOUT', 'HTTP/1.1 408 Request Timeout'],
  ['HPE_HEADER_OVERFLOW', 'HTTP/1.1 431 Request Header Fields Too Large'],
  ['HPE_INVALID_METHOD', 'HTTP/1.1 400 Bad Request'],
])('closes a connection for %s with %s', async (code, line) => {
  const app = await start();
  const socket = new PassThrough();
  app.server.emit('clientError', Object.assign(new Error('refused'), { code }), socket);
  expect(String(socket.read()).split('\r\n')[0]).toBe(line);
});

describe('limits', () => {
  it('count calls of one address together and refuse with an envelope', async () => {
    const app = await start({ apiRateLimit: { enabled: true, count: 2, seconds: 60 } });
    const from = (remoteAddress: string) => app.inject({ url: '/api/echo', remoteAddress });
    expect((await from('203.0.113.1')).statusCode).toBe(200);
    expect((await from('203.0.113.1')).statusCode).toBe(200);
    const refused = await from('203.0.113.1');
    expect(refused.statusCode).toBe(429);
    expect(refused.json()).toMatchObject({ success: false, code: 'RATE_LIMITED' });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await from('203.0.113.2')).statusCode).toBe(200);
    expect((await app.inject({ url: '/v1/models', remoteAddress: '203.0.113.1' })).statusCode).toBe(200);
  });

  it('count pages and unknown paths apart from the API', async () => {
    const app = await start({ webRateLimit: { enabled: true, count: 1, seconds: 60 } });
    const remoteAddress = '203.0.113.9';
    expect((await app.inject({ url: '/', remoteAddress })).statusCode).toBe(200);
    expect((await app.inject({ url: '/nothing', remoteAddress })).statusCode).toBe(429);
    expect((await app.inject({ url: '/assets/main.js', remoteAddress })).statusCode).toBe(200);
    expect((await app.inject({ url: '/api/nothing', remoteAddress })).statusCode).toBe(429);
    expect((await app.inject({ url: '/api/echo', remoteAddress })).statusCode).toBe(200);
  });

  it('show browsers a page that loads again by itself, and programs the error', async () => {
    const app = await start({ webRateLimit: { enabled: true, count: 1, seconds: 60 } });
    const from = (url: string, accept: string) =>
      app.inject({ url, remoteAddress: '203.0.113.8', headers: { accept } });
    const browser = 'text/html,application/xhtml+xml,*/*;q=0.8';
    expect((await from('/', browser)).statusCode).toBe(200);
    for (const url of ['/token', '/assets-less.svg']) {
      const page = await from(url, browser);
      const seconds = Number(page.headers['retry-after']);
      expect([page.statusCode, page.headers['content-type']]).toEqual([429, 'text/html; charset=utf-8']);
      expect(seconds).toBeGreaterThan(0);
      expect(page.body).toContain(`<meta http-equiv="refresh" content="${seconds}">`);
      expect(page.headers['content-security-policy']).not.toContain('script');
    }
    const program = await from('/token', '*/*');
    expect(program.statusCode).toBe(429);
    expect(program.json()).toMatchObject({ success: false, code: 'RATE_LIMITED' });
  });

  it('let calls through while their store is away', async () => {
    const broken = { ...nobody, hit: () => Promise.reject(new Error('away')) } as unknown as AppDeps['state'];
    const app = await start({ state: broken, apiRateLimit: { enabled: true, count: 1, seconds: 60 } });
    for (let turn = 0; turn < 3; turn++) expect((await app.inject({ url: '/api/echo' })).statusCode).toBe(200);
  });
});

describe('the caller’s address', () => {
  const headers = { 'x-forwarded-for': '198.51.100.7' };

  it('is what the connection says, whatever a header claims', async () => {
    const answer = await (await start()).inject({ url: '/api/echo/address', headers });
    expect(answer.json()).toMatchObject({ data: '127.0.0.1' });
  });

  it('is what a trusted proxy says', async () => {
    const app = await start({ trustedProxies: ['127.0.0.0/8'] });
    expect((await app.inject({ url: '/api/echo/address', headers })).json()).toMatchObject({ data: '198.51.100.7' });
  });

  it.each([
    ['198.51.100.7:4711', '198.51.100.7'],
    ['[2001:db8::7]:4711', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['2001:db8::7', '2001:db8::7'],
    ['203.0.113.1:1, 198.51.100.7:4711, 10.0.0.1:80', '198.51.100.7'],
    ['unknown', 'unknown'],
  ])('is that of %s without the port of a connection', async (forwardedFor, address) => {
    const app = await start({ trustedProxies: ['127.0.0.0/8', '10.0.0.0/8'] });
    const answer = await app.inject({ url: '/api/echo/address', headers: { 'x-forwarded-for': forwardedFor } });
    expect(answer.json()).toMatchObject({ data: address });
  });

  it('counts one client once in limits, whatever port its proxy adds', async () => {
    const app = await start({
      trustedProxies: ['127.0.0.0/8'],
      apiRateLimit: { enabled: true, count: 2, seconds: 60 },
    });
    const statuses: number[] = [];
    for (const port of [1, 2, 3]) {
      const from = { 'x-forwarded-for': `198.51.100.99:${port}` };
      statuses.push((await app.inject({ url: '/api/echo', headers: from })).statusCode);
    }
    expect(statuses).toEqual([200, 200, 429]);
  });
});

describe('other sites', () => {
  const headers = { origin: 'https://elsewhere.example', 'access-control-request-method': 'POST' };

  it('may ask before they call the relay', async () => {
    const answer = await (await start()).inject({ method: 'OPTIONS', url: '/v1/chat/completions', headers });
    expect(answer.statusCode).toBe(204);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    expect(answer.headers['access-control-max-age']).toBe('43200');
    expect(answer.headers['access-control-allow-headers']).toContain('Authorization');
  });

  it.each([
    'authorization,content-type,http-referer,x-title',
    'x-client',
    'x-goog-api-client, x-goog-api-key',
    'x-stainless-helper,x-stainless-poll-helper,x-stainless-custom-poll-interval',
    'api-key,traceparent,x-my-app,new-api-user',
  ])('may send any headers to the relay, without credentials: %s', async (names) => {
    const app = await start();
    for (const url of [
      '/v1/chat/completions',
      '/v1beta/models/m:generateContent',
      '/api/log/token',
      '/api/usage/token/',
    ]) {
      const asked = { ...headers, 'access-control-request-headers': names };
      const answer = await app.inject({ method: 'OPTIONS', url, headers: asked });
      expect(String(answer.headers['access-control-allow-headers']).split(/, ?/)).toEqual(names.split(/, ?/));
      expect(answer.headers['vary']).toContain('Access-Control-Request-Headers');
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    }
  });

  it('are not answered with what is no header name', async () => {
    const asked = { ...headers, 'access-control-request-headers': 'x-a, x b, <x>, , x-c' };
    const answer = await (await start()).inject({ method: 'OPTIONS', url: '/v1/chat/completions', headers: asked });
    expect(answer.headers['access-control-allow-headers']).toBe('x-a, x-c');
  });

  it('may read what the relay answers', async () => {
    const answer = await (await start()).inject({ url: '/v1/models', headers: { origin: headers.origin } });
    expect(answer.headers['access-control-allow-origin']).toBe('*');
  });

  it('may neither ask nor read anything else', async () => {
    const app = await start();
    for (const url of ['/api/echo', '/', '/api/user/self']) {
      const asked = await app.inject({ method: 'OPTIONS', url, headers });
      const read = await app.inject({ url, headers: { origin: headers.origin } });
      expect(asked.headers['access-control-allow-origin']).toBeUndefined();
      expect(read.headers['access-control-allow-origin']).toBeUndefined();
    }
  });
});
