import type { Person } from '../support/api.js';
import { startServer, type TestServer } from '../support/server.js';

let server: TestServer;
let root: Person;

beforeAll(async () => {
  server = await startServer();
  root = await server.api.setUp();
  for (const [key, value] of [
    ['PayAddress', 'https://pay.example.com'],
    ['EpayId', '1'],
    ['EpayKey', 'k'],
  ])
    await server.api.data(root, 'PUT', '/api/option/', { key, value });
});
afterAll(() => server.stop());

const values: readonly unknown[] = [
  ...[null, '', ' ', 'text', '0', '-1', 'NaN', true, [], {}, [null], { a: 1 }],
  ...[0, -1, 1.5, 1e300, -1e300, 2 ** 31, 2 ** 53, 9_000_000_000_000_001, 18_446_744_073_686_647_000],
  ...[
    '\u0000',
    'a\u0000b',
    '\ud800',
    '名'.repeat(5000),
    'x'.repeat(10_000),
    "'; DROP TABLE users; --",
    '%_\\',
    '__proto__',
  ],
];

/** Valid bodies. Each of their fields is replaced by invalid values, one at a time. */
const bodies: ReadonlyArray<[method: string, path: string, good: Record<string, unknown>]> = [
  [
    'POST',
    '/api/redemption/',
    { name: 'n', quota: 1, count: 1, is_gift: true, max_uses: 1, valid_from: 1, valid_until: 2, key: '' },
  ],
  ['PUT', '/api/redemption/', { id: 1, name: 'n', quota: 1, valid_from: 1, valid_until: 2 }],
  ['PUT', '/api/redemption/?status_only=1', { id: 1, status: 2 }],
  ['PUT', '/api/redemption/batch-disable', { ids: [1] }],
  ['POST', '/api/user/topup', { key: 'code' }],
  ['POST', '/api/user/amount', { amount: 1, top_up_code: '' }],
  ['POST', '/api/user/pay', { amount: 1, payment_method: 'wx' }],
];

/** The query parameters, each of which gets invalid values. */
const queries: ReadonlyArray<[path: string, parameters: string[]]> = [
  ['/api/redemption/', ['p', 'page_size']],
  ['/api/redemption/search', ['keyword', 'p', 'page_size']],
  ['/api/redemption/count-by-name', ['name']],
  [
    '/api/log/',
    [
      'p',
      'page_size',
      'type',
      'username',
      'token_name',
      'model_name',
      'group',
      'channel',
      'start_timestamp',
      'end_timestamp',
    ],
  ],
  ['/api/log/stat', ['username', 'token_name', 'model_name', 'group', 'channel', 'start_timestamp', 'end_timestamp']],
  ['/api/log/search', ['keyword']],
  ['/api/log/self/export', ['token_name', 'model_name', 'group', 'start_timestamp']],
  ['/api/data/', ['username', 'start_timestamp', 'end_timestamp']],
  ['/api/data/export', ['group_by', 'user_id', 'model_name', 'group']],
  ['/api/user/epay/notify', ['out_trade_no', 'sign', 'money', 'trade_status']],
];

const databaseWords = /syntax error|violates|constraint|relation "|invalid byte|QueryFailed|out of range for type/i;

async function expectCalm(method: string, path: string, body?: unknown): Promise<void> {
  const answer = await server.api.rest(root, method, path, body);
  const text = JSON.stringify(answer.body);
  expect([method, path, body, answer.status === 500, databaseWords.test(text)]).toEqual([
    method,
    path,
    body,
    false,
    false,
  ]);
}

it.each(bodies)('%s %s takes any value for any field without falling over', async (method, path, good) => {
  for (const field of Object.keys(good)) {
    await Promise.all(values.map((value) => expectCalm(method, path, { ...good, [field]: value })));
  }
  await Promise.all([null, [], 'text', 5, {}].map((body) => expectCalm(method, path, body)));
});

it.each(queries)('GET %s takes any value for any parameter without falling over', async (path, parameters) => {
  const texts = values.filter((value) => typeof value !== 'object').map((value) => String(value).slice(0, 4000));
  for (const name of parameters) {
    await Promise.all(
      texts.map((text) =>
        expectCalm('GET', `${path}?${name}=${encodeURIComponent(text.replace(/\p{Surrogate}/gu, ''))}`),
      ),
    );
  }
});

it('leaves nothing half-saved: every created code has a name and a quota', async () => {
  const list = await server.api.data<{ items: Array<{ name: string; quota: number }> }>(
    root,
    'GET',
    '/api/redemption/?page_size=100',
  );
  for (const { name, quota } of list.items) expect([name.trim() !== '', quota > 0]).toEqual([true, true]);
});
