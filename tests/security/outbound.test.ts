import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GuardedFetch } from '../../server/src/platform/outbound/guarded-fetch.js';
import { OutboundGuard, type Resolver } from '../../server/src/platform/outbound/outbound-guard.js';
import { Site, type Person } from '../contract/site.js';
import { startScriptedServer, type ScriptedServer } from '../support/scripted-server.js';

/** SSRF (CVE-2025-59146, -62155, CVE-2026-42339, -33655, -55245): addresses to which this server must not connect. */
let inside: ScriptedServer;
beforeAll(async () => {
  inside = await startScriptedServer(() => ({ body: 'planted inside' }));
});
beforeEach(() => void (inside.calls.length = 0));
afterAll(() => inside.stop());

const port = (): string => new URL(inside.url).port;
const refused = { code: 'INVALID_INPUT' };

/** Resolves each lookup to the next list of addresses. */
function resolving(...answers: string[][]): Resolver {
  let asked = 0;
  return (_hostname, _options, callback) => {
    const answer = answers[Math.min(asked++, answers.length - 1)] ?? [];
    callback(
      null,
      answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
}

async function call(url: string, resolver?: Resolver, allow: string[] = []) {
  const fetcher = new GuardedFetch(new OutboundGuard(allow, resolver));
  try {
    return await fetcher.fetch({ url, policy: 'public-only', timeoutMs: 2000 });
  } finally {
    await fetcher.close();
  }
}

describe('addresses that are not public', () => {
  it.each([
    ...['127.0.0.1', '127.8.8.8', '0.0.0.0', '0.1.2.3', '10.1.1.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ...['169.254.169.254', '100.64.0.1', '100.127.255.255', '192.0.0.1', '198.18.0.1', '224.0.0.1', '240.0.0.1'],
    ...['255.255.255.255', '::', '::1', 'fe80::1', 'fc00::1', 'fd12::1', 'fec0::1', 'ff02::1'],
    ...[
      '::ffff:127.0.0.1',
      '::ffff:10.0.0.1',
      '2002:7f00:1::',
      '2002:a00:1::',
      '64:ff9b::7f00:1',
      '64:ff9b::a9fe:a9fe',
    ],
    ...['2001:db8::1', '::127.0.0.1'],
  ])('%s is reached neither by number nor by a name', async (address) => {
    const literal = address.includes(':') ? `[${address}]` : address;
    await expect(call(`http://${literal}/`)).rejects.toMatchObject(refused);
    await expect(call('http://name.example/', resolving([address]))).rejects.toMatchObject(refused);
    await expect(call('http://name.example/', resolving(['93.184.215.14', address]))).rejects.toMatchObject(refused);
  });

  it.each(['http://2130706433/', 'http://0x7f000001/', 'http://0177.0.0.1/', 'http://127.1/', 'http://①②⑦.0.0.1/'])(
    'nor is one written as %s',
    async (url) => {
      await expect(call(url)).rejects.toMatchObject(refused);
    },
  );
});

it('what was checked is what is connected to: a second answer of the name does not count', async () => {
  // The name resolves to a public address first, and to a private one on the second lookup.
  const rebinding = resolving(['192.0.2.1'], ['127.0.0.1']);
  await expect(call(`http://rebind.example:8080/`, rebinding)).rejects.toMatchObject({
    code: expect.stringMatching(/^(INVALID_INPUT|UPSTREAM_(UNREACHABLE|TIMEOUT))$/),
  });
  expect(inside.calls).toEqual([]);
});

it.each([301, 302, 303, 307, 308])('a redirect (%i) is checked like the first address', async (status) => {
  const opened = await startScriptedServer(() => ({ status, headers: { location: `http://127.0.0.2:${port()}/x` } }));
  await expect(call(opened.url, undefined, ['127.0.0.1'])).rejects.toMatchObject(refused);
  expect(inside.calls).toEqual([]);
  await opened.stop();
});

describe('through the running server', () => {
  let site: Site;
  let root: Person;
  beforeAll(async () => {
    site = await Site.open();
    root = await site.setUp();
  });
  afterAll(() => site.stop());

  it('a webhook is refused when it is saved, and discovery reaches nothing inside', async () => {
    const user = await site.invite(root);
    const webhook = { notify_type: 'webhook', quota_warning_threshold: 1, webhook_url: `https://127.0.0.1:${port()}/` };
    expect((await site.rest(user, 'PUT', '/api/user/setting', webhook)).body['success']).toBe(false);
    const query = 'mutation ($url: String!) { discoverOidc(wellKnown: $url) { endpoints { tokenEndpoint } } }';
    const url = `${inside.url}/.well-known/openid-configuration`;
    const answer = await site.graphql(root, query, { url });
    expect([answer.data, answer.text.includes('planted')]).toEqual([{ discoverOidc: null }, false]);
    expect(inside.calls).toEqual([]);
  });
});

it('nothing but the guard, and the relay’s pools for what admins typed, opens connections', () => {
  const source = join(import.meta.dirname, '../../server/src');
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?<!\.test)\.ts$/.test(name),
  );
  const opens =
    /from '(undici|node:https|node:http2)'|import \{[^}]*\brequest\b[^}]*\} from 'node:http'|(?<![\w.])fetch\(/;
  const found = files.filter((name) => opens.test(readFileSync(join(source, name), 'utf8')));
  expect(found.filter((name) => !/^(platform\/outbound|gateway\/upstream)\//.test(name))).toEqual([
    // The exporter connects to the collector that an environment variable names, never to an address from the database.
    'platform/observability/otlp/otlp-exporter.ts',
  ]);
});
