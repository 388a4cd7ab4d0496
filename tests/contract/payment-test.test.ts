import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { customRole } from './operator.js';
import { Site, type Person } from './site.js';

/**
 * Tests the payment settings against a gateway that validates requests in the order of real gateways: merchant, signature,
 * state of the merchant, amount.
 */

const key = 'the secret key of the merchant';
const merchants = new Map([
  ['1001', 'open'],
  ['1002', 'closed'],
]);

type Form = Readonly<Record<string, string>>;
type Answer = readonly [status: number, body: string, headers?: Record<string, string>];

const page = (text: string): Answer => [
  200,
  `<html><head><title>gateway</title></head><body><h1>${text}</h1><!-- ${Date.now()} --></body></html>`,
];

/** Computes the protocol's MD5 signature, independently of the server's code. */
const signatureOf = (form: Form): string => {
  const names = Object.keys(form).filter((name) => !['sign', 'sign_type'].includes(name) && form[name] !== '');
  const text = names.sort().map((name) => `${name}=${form[name] ?? ''}`);
  return createHash('md5')
    .update(`${text.join('&')}${key}`)
    .digest('hex');
};

function realGateway(form: Form): Answer {
  const state = merchants.get(form['pid'] ?? '');
  if (!state) return page('商户不存在！');
  if (form['sign'] !== signatureOf(form)) return page('签名校验失败，请返回重试！');
  if (state === 'closed') return page('商户已封禁，无法支付！');
  if (Number(form['money']) <= 0) return page('金额不合法');
  orders.push(form);
  return page('订单已创建');
}

let site: Site;
let root: Person;
let gateway: Server;
let answer: (form: Form) => Answer;
let received: Form[] = [];
const orders: Form[] = [];

const serve = (request: IncomingMessage, response: ServerResponse): void => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
    received.push({ ...form, path: request.url ?? '' });
    const [status, body, headers = {}] = answer(form);
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body);
  });
};
const listen = async <T extends Server>(server: T): Promise<number> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};
const set = (settings: Readonly<Record<string, string>>) =>
  Promise.all(
    Object.entries(settings).map(([name, value]) =>
      site.expectSuccess(root, 'PUT', '/api/option/', { key: name, value }),
    ),
  );

let address: string;
beforeAll(async () => {
  gateway = createServer(serve);
  const port = await listen(gateway);
  address = `http://127.0.0.1:${port}`;
  site = await Site.open({ OUTBOUND_ALLOW: '127.0.0.1' });
  root = await site.setUp();
});
afterAll(async () => {
  await site.stop();
  gateway.close();
});
beforeEach(async () => {
  answer = realGateway;
  received = [];
  const settings = { PayAddress: address, EpayId: '1001', EpayKey: key, ServerAddress: 'https://gate.example.com' };
  await set({ ...settings, CustomCallbackAddress: '' });
});
afterEach(() => expect(orders).toEqual([]));

async function test(by: Person | null = root) {
  const { data, codes } = await site.graphql(by, 'mutation { testPayment { outcome message reply callbackUrl } }');
  return {
    ...(data?.['testPayment'] as { outcome: string; message: string; reply: string | null } | undefined),
    codes,
  };
}

it('says that a right key works, and makes no order', async () => {
  expect(await test()).toEqual({
    outcome: 'WORKS',
    message: 'The gateway accepts requests of this merchant with this key.',
    reply: '金额不合法',
    callbackUrl: 'https://gate.example.com/api/user/epay/notify',
    codes: [],
  });
  expect(received).toHaveLength(2);
  expect(received.map(({ path, money, pid }) => [path, money, pid])).toEqual([
    ['/submit.php', '0.00', '1001'],
    ['/submit.php', '0.00', '1001'],
  ]);
  const [order] = await site.query<{ n: number }>('SELECT count(*)::int AS n FROM top_up_orders');
  expect(order).toEqual({ n: 0 });
});

it('never sends the key, which users who may change the address must not learn', async () => {
  await test();
  expect(JSON.stringify(received)).not.toContain(key);
});

it.each<[outcome: string, settings: Record<string, string>]>([
  ['WRONG_KEY', { EpayKey: 'another key' }],
  ['UNKNOWN_MERCHANT', { EpayId: '9999' }],
  ['MERCHANT_DISABLED', { EpayId: '1002' }],
  ['NOT_CONFIGURED', { EpayId: '' }],
  ['CALLBACK_NOT_PUBLIC', { ServerAddress: 'http://localhost:3000' }],
  ['CALLBACK_NOT_PUBLIC', { CustomCallbackAddress: 'http://192.168.1.7' }],
  ['UNREACHABLE', { PayAddress: 'http://127.0.0.1:1' }],
  ['ADDRESS_REFUSED', { PayAddress: 'http://10.0.0.1' }],
  ['ADDRESS_REFUSED', { PayAddress: 'http://169.254.169.254' }],
])('%s: %j', async (outcome, settings) => {
  await set(settings);
  expect((await test()).outcome).toBe(outcome);
});

it.each<[outcome: string, what: string, answer: (form: Form) => Answer]>([
  ['NOT_A_GATEWAY', 'a page that does not exist', () => [404, '<h1>Not Found</h1> nginx']],
  ['UNCLEAR', 'a website that says the same to all', () => page('Our design is new. Keyboards for sale.')],
  ['UNCLEAR', 'a gateway that looks at the amount first', () => page('金额不合法')],
  [
    'WORKS',
    'a gateway that responds in JSON',
    (form) =>
      form['sign'] === signatureOf(form)
        ? [200, '{"code":-1,"msg":"money is too small"}']
        : [200, '{"code":-3,"msg":"sign error"}'],
  ],
  [
    'WORKS',
    'a gateway that redirects to its cashier',
    (form) => (form['sign'] === signatureOf(form) ? [302, '', { location: '/cashier?order=17' }] : page('sign error')),
  ],
  ['WRONG_KEY', 'a JSON error', () => [200, '{"code":-3,"msg":"Invalid signature"}']],
])('%s: %s', async (outcome, _, scripted) => {
  answer = scripted;
  expect((await test()).outcome).toBe(outcome);
});

it('tells a certificate that is not valid from an address that is not reached', async () => {
  const folder = new URL('../support/tls/', import.meta.url);
  const pem = (name: string) => readFileSync(new URL(name, folder));
  const server = createTlsServer({ key: pem('key.pem'), cert: pem('certificate.pem') }, serve);
  try {
    await set({ PayAddress: `https://127.0.0.1:${await listen(server)}` });
    expect(await test()).toMatchObject({ outcome: 'TLS_FAILED', reply: null });
    expect(received).toEqual([]);
  } finally {
    server.close();
  }
});

it('is open to the permission of payment settings, and limited', async () => {
  expect((await test(null)).codes).toEqual(['NOT_SIGNED_IN']);
  const admin = await site.invite(root, 'admin');
  expect((await test(admin)).codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
  const operator = await site.invite(root);
  const role = await customRole(site, root, ['payments.settings']);
  await site.graphql(
    root,
    `mutation { giveCustomRole(input: { userId: ${operator.id}, customRoleId: ${role} }) { user { id } } }`,
  );
  answer = () => [404, ''];
  for (let call = 1; call <= 20; call++) expect((await test(operator)).codes).toEqual([]);
  expect((await test(operator)).codes).toEqual(['RATE_LIMITED']);
});
