import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Site, type Person } from '../contract/site.js';

/** Hostile price lists: no list changes a price, each fails with a stable code, and the server keeps working. */
let site: Site;
let root: Person;
let lists: Server;
let url: string;
let respond: (response: ServerResponse) => void;

beforeAll(async () => {
  lists = createServer((_request, response) => respond(response));
  await new Promise<void>((resolve) => void lists.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(lists.address() as AddressInfo).port}/prices.json`;
  site = await Site.open({ OUTBOUND_ALLOW: '127.0.0.1' });
  root = await site.setUp();
});
afterAll(async () => {
  lists.closeAllConnections();
  await new Promise((resolve) => lists.close(resolve));
  await site.stop();
});
afterEach(async () => {
  expect(await site.query('SELECT id FROM price_checks')).toEqual([]);
  expect(await site.query('SELECT id FROM price_updates')).toEqual([]);
  expect(await site.query(`SELECT key FROM options WHERE key = 'PriceCards'`)).toEqual([]);
  expect((await site.rest(null, 'GET', '/api/status')).status).toBe(200);
});

const check = async (address = url): Promise<string[]> => {
  const query = 'mutation ($input: CheckPricesInput!) { checkPrices(input: $input) { check { id } } }';
  return (await site.graphql(root, query, { input: { urls: [address] } })).codes;
};
const json =
  (text: string | Buffer, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(text);

/** The code of a file, and its message. */
async function upload(text: string | Buffer): Promise<{ code: string; status: number }> {
  const { url: base } = site.server;
  const response = await fetch(`${base}/api/price_check?name=x.json`, {
    method: 'POST',
    headers: { cookie: root.cookie, 'veloera-user': String(root.id), 'content-type': 'application/octet-stream' },
    body: new Uint8Array(Buffer.from(text)),
  });
  const body = (await response.json()) as { success: boolean; code?: string };
  expect(body.success).toBe(false);
  return { code: body.code ?? '', status: response.status };
}

const entry = (fields: string): string =>
  `{"good":{"litellm_provider":"openai","input_cost_per_token":1e-6},"m":{"litellm_provider":"openai",${fields}}}`;
const openRouter = (prompt: string): string =>
  `{"data":[{"id":"a/m","pricing":{"prompt":${prompt},"completion":"0.1"}}]}`;
const deep = (depth: number): string => `{"m":${'['.repeat(depth)}${']'.repeat(depth)}}`;

const documents: ReadonlyArray<readonly [what: string, text: string]> = [
  ['a negative price', entry('"input_cost_per_token":-0.000001')],
  ['a negative price of a tier', entry('"input_cost_per_token":1e-6,"input_cost_per_token_above_200k_tokens_flex":-1')],
  ['1e308', entry('"input_cost_per_token":1e308')],
  ['a number that is infinite', entry('"input_cost_per_token":1e999')],
  ['a number above the largest price', entry('"input_cost_per_token":1.1')],
  ['NaN, which is not JSON', entry('"input_cost_per_token":NaN')],
  ['a text in place of a number', entry('"input_cost_per_token":"0.000001"')],
  ['a list in place of a number', entry('"input_cost_per_token":[1]')],
  ['NaN as a text', openRouter('"NaN"')],
  ['Infinity as a text', openRouter('"Infinity"')],
  ['a hexadecimal text', openRouter('"0x10"')],
  ['a negative text', openRouter('"-0.5"')],
  ['an enormous text', openRouter('"1e308"')],
  ['__proto__ as a model', '{"__proto__":{"litellm_provider":"openai","input_cost_per_token":1e-6,"isAdmin":true}}'],
  ['__proto__ in a list', '{"data":[{"model_name":"__proto__","quota_type":0,"model_ratio":1,"completion_ratio":1}]}'],
  [
    'a model twice',
    '{"m":{"litellm_provider":"openai","input_cost_per_token":1e-6},"m":{"litellm_provider":"openai","input_cost_per_token":1}}',
  ],
  ['a model twice, once escaped', '{"m":{"litellm_provider":"openai","input_cost_per_token":1e-6},"\\u006d":{}}'],
  ['a price twice', entry('"input_cost_per_token":1e-6,"input_cost_per_token":1e-9')],
  [
    'a model twice in a list',
    '{"data":[{"id":"a","pricing":{"prompt":"1e-6"}},{"id":"a","pricing":{"prompt":"1e-9"}}]}',
  ],
  ['a negative ratio', '{"data":{"model_ratio":{"m":-1}}}'],
  [
    'ratios whose product is too large',
    '{"data":[{"model_name":"m","quota_type":0,"model_ratio":500000,"completion_ratio":500000}]}',
  ],
  ['a card with an unknown field', '{"m":{"prices":{"input":1},"code":"x"}}'],
  ['a card with a negative price', '{"data":[{"model_name":"m","quota_type":0,"price_card":{"prices":{"input":-1}}}]}'],
  [
    'a tier in an unknown form',
    '{"openai":{"models":{"m":{"cost":{"input":1,"tiers":[{"tier":{"type":"time","size":1}}]}}}}}',
  ],
  ['deep nesting', deep(100_000)],
  ['an unknown form', '{"hello":"world"}'],
  ['no model', '{}'],
  ['a list', '[]'],
  ['null', 'null'],
  ['no text', ''],
  ['half a document', '{"m":{"litellm_provider":"openai"'],
  ['only free models', entry('"input_cost_per_token":0').replace('1e-6', '0')],
];

describe.each(documents)('%s', (_what, text) => {
  it('fails from an address', async () => {
    respond = json(text);
    expect(await check()).toEqual(['UPSTREAM_INVALID_RESPONSE']);
  });

  it('fails from a file', async () => {
    expect(await upload(text)).toEqual({ code: 'INVALID_INPUT', status: 200 });
  });
});

it('a name cannot change objects of the program', async () => {
  respond = json('{"__proto__":{"litellm_provider":"openai","input_cost_per_token":1e-6,"polluted":true}}');
  await check();
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

it('200 MB are not read to the end', async () => {
  let sent = 0;
  const piece = Buffer.alloc(1024 * 1024, ' ');
  respond = (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const more = (): void => {
      while (sent < 200 && !response.destroyed) {
        sent++;
        if (!response.write(piece)) return void response.once('drain', more);
      }
      response.end();
    };
    more();
  };
  expect(await check()).toEqual(['UPSTREAM_INVALID_RESPONSE']);
  expect(sent).toBeLessThan(100);
});

it('200 MB that are announced are not read at all', async () => {
  respond = (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(200 * 1024 * 1024) });
    response.write('{');
  };
  expect(await check()).toEqual(['UPSTREAM_INVALID_RESPONSE']);
});

it('a file above the limit is refused', async () => {
  expect((await upload(Buffer.alloc(10 * 1024 * 1024 + 1, ' '))).status).toBe(413);
});

it('many values in few bytes are refused before they are parsed', async () => {
  respond = json(`{"m":[${'[],'.repeat(700_000)}[]]}`);
  expect(await check()).toEqual(['UPSTREAM_INVALID_RESPONSE']);
});

it.each([
  ['a bomb', gzipSync(Buffer.alloc(200 * 1024 * 1024, ' ')), 'gzip'],
  ['no gzip', Buffer.from('{}'), 'gzip'],
  ['another encoding', Buffer.from('{}'), 'br'],
])('what is packed is unpacked up to the limit: %s', async (_what, body, encoding) => {
  respond = json(body, { 'content-encoding': encoding });
  expect(await check()).toEqual(['UPSTREAM_INVALID_RESPONSE']);
});

it.each(['text/html; charset=utf-8', 'image/png', 'multipart/form-data'])('%s is no list of prices', async (type) => {
  respond = json('{"m":{"prices":{"input":1}}}', { 'content-type': type });
  expect(await check()).toEqual(['UPSTREAM_INVALID_RESPONSE']);
});

it.each([
  'http://169.254.169.254/latest/meta-data/',
  'http://[fd00:ec2::254]/',
  'http://10.0.0.1/',
  'http://127.0.0.2/',
  'file:///etc/passwd',
  'http://user:password@example.com/',
  'http://example.com:25/',
])('neither an address nor a redirect reaches %s', async (address) => {
  expect(await check(address)).toEqual(['INVALID_INPUT']);
  respond = (response) => void response.writeHead(302, { location: address }).end();
  expect(await check()).toEqual(['INVALID_INPUT']);
});

it('redirects without end are given up', async () => {
  respond = (response) => void response.writeHead(302, { location: url }).end();
  expect(await check()).toEqual(['UPSTREAM_INVALID_RESPONSE']);
});

it.each([404, 500])('status %i is a failure, whatever the body says', async (status) => {
  respond = (response) => void response.writeHead(status).end('{"m":{"prices":{"input":1}}}');
  expect(await check()).toEqual(['UPSTREAM_ERROR']);
});

it('an admin may neither check nor apply', async () => {
  const admin = await site.invite(root, 'admin');
  const { codes } = await site.graphql(
    admin,
    'mutation { checkPrices(input: { urls: ["https://a.example"] }) { check { id } } }',
  );
  expect(codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
  const { body } = await site.rest(admin, 'POST', '/api/price_check', { m: { prices: { input: 1 } } });
  expect(body['success']).toBe(false);
});
