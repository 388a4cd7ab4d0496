/** Work, time and rights that neither a visitor nor a page in a user's browser must get. */
import { TurnstileService } from '../../server/src/console/auth/turnstile.service.js';
import { MemoryState } from '../../server/src/platform/cache/memory-state.js';
import { defaultOptionValues } from '../../server/src/options/option-registry.js';
import { RelayHarness } from '../contract/relay-harness.js';
import { anywhere, Site, type Person } from '../contract/site.js';
import { says } from '../support/upstream/families.js';

describe('a revoked key on a node that no announcement reaches', () => {
  let relay: RelayHarness;
  beforeAll(async () => void (relay = await RelayHarness.start()));
  afterAll(() => relay.stop());
  afterEach(() => jest.restoreAllMocks());

  it('opens nothing after a minute', async () => {
    await relay.addChannel();
    relay.upstream.script({}, says({ text: 'Hello' }));
    const { id, key } = await relay.addToken();
    const status = async (): Promise<number> => {
      const response = await relay.chat(key, { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] });
      await response.text();
      return response.status;
    };
    expect(await status()).toBe(200);
    await relay.sql("UPDATE tokens SET status = 'disabled' WHERE id = $1", [id]);
    // The node's cached copy is still valid.
    expect(await status()).toBe(200);
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + 61_000);
    expect(await status()).toBe(401);
  });
});

describe('a pass of the bot check', () => {
  it('opens for the browser at its address alone', async () => {
    let asked = 0;
    const turnstile = new TurnstileService({
      fetch: {
        fetch: () => {
          asked++;
          return Promise.resolve({ status: 200, headers: {}, body: Buffer.from('{"success":true}'), url: '' });
        },
      } as unknown as ConstructorParameters<typeof TurnstileService>[0]['fetch'],
      state: new MemoryState(),
      options: { values: { ...defaultOptionValues(), TurnstileCheckEnabled: true } },
      baseUrl: 'https://challenges.example',
    });
    const visitor = (): string => 'the browser';
    await turnstile.check({ ip: '203.0.113.1', turnstile: 'token', visitor });
    await turnstile.check({ ip: '203.0.113.1', visitor });
    expect(asked).toBe(1);
    await expect(turnstile.check({ ip: '203.0.113.2', visitor })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(turnstile.check({ ip: '203.0.113.1', visitor: () => 'another' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
    // All addresses of an IPv6 network count as one address.
    await turnstile.check({ ip: '2001:db8:1:2::3', turnstile: 'token', visitor });
    await turnstile.check({ ip: '2001:db8:1:2:ffff::9', visitor });
    expect(asked).toBe(2);
  });
});

describe('a fresh site', () => {
  let site: Site;
  beforeAll(async () => void (site = await Site.open()));
  afterAll(() => site.stop());
  const input = { username: 'root', password: 'password of root', confirmPassword: 'password of root' };
  const setUp = (code: string | undefined, headers: Record<string, string>) =>
    site.rest(null, 'POST', '/api/setup', { ...input, setup_code: code }, headers);

  it('is not set up by a page that a browser on its machine shows', async () => {
    for (const from of ['cross-site', 'same-site']) {
      const answer = await setUp(undefined, { 'content-type': 'text/plain', 'sec-fetch-site': from });
      expect(answer.body).toMatchObject({ success: false, code: 'INSUFFICIENT_PRIVILEGES' });
    }
  });

  it('belongs to nobody who has not read the code that the start printed', async () => {
    const code = site.server.setupCode ?? '';
    expect(code).toMatch(/^[A-Z2-9]{4}-[A-Z2-9]{4}-[A-Z2-9]{4}$/);
    const claims = ['127.0.0.1', '::1', '10.0.0.1, 127.0.0.1'].map((address) => ({ 'x-forwarded-for': address }));
    for (const headers of [anywhere(), ...claims, { forwarded: 'for=127.0.0.1' }, { 'x-real-ip': '127.0.0.1' }]) {
      for (const wrong of [undefined, '', 'AAAA-AAAA-AAAA', code.slice(0, -1)]) {
        const answer = await setUp(wrong, headers);
        expect([headers, answer.body]).toMatchObject([headers, { success: false }]);
        expect(['SETUP_CODE_NEEDED', 'RATE_LIMITED']).toContain(answer.body['code']);
      }
    }
    expect((await setUp(code, anywhere())).body).toMatchObject({ success: true });
  });
});

describe('a site', () => {
  let site: Site;
  let root: Person;
  beforeAll(async () => {
    site = await Site.open();
    root = await site.setUp();
  });
  afterAll(() => site.stop());

  // Validating the repetitions takes up to 200 ms of CPU. It would report the unknown field as well.
  it.each([
    ['one field', `{ ${'me{id} '.repeat(700)} unknown }`],
    ['many fields in one place', `{ me { ${'id username quota role '.repeat(150)} unknown } }`],
    ['one field in many fragments', `${fragments(140)} fragment Unused on User { unknown }`],
  ])('validates no document of a stranger that repeats %s', async (_name, query) => {
    const { status, body } = await site.rest(null, 'POST', '/graphql', { query }, anywhere());
    expect([status, body['errors']]).toEqual([
      400,
      [expect.objectContaining({ message: expect.stringContaining('more than 100 times') as string })],
    ]);
  });

  it('validates every other document', async () => {
    const { status, body } = await site.rest(null, 'POST', '/graphql', { query: '{ me { id unknown } }' }, anywhere());
    expect([status, JSON.stringify(body['errors'])]).toEqual([400, expect.stringContaining('unknown')]);
  });

  it('serves a document that names a field a hundred times', async () => {
    const { data } = await site.graphql(root, `{ me { ${'id '.repeat(100)} } }`);
    expect(data).toEqual({ me: { id: root.id } });
  });

  it('logs a password that was changed without the old one, and ends every other session', async () => {
    const user = await site.invite(root);
    const other = await site.signIn(user.username, user.password);
    const before = site.server.logLines().length;
    await site.expectSuccess(user, 'PUT', '/api/user/self', { password: 'a new password' });
    expect(site.server.logLines().slice(before).join('\n')).toContain('password changed without the old one');
    expect((await site.rest(other, 'GET', '/api/user/self')).status).toBe(401);
    // The console's own page sends the old password, which is checked.
    const again = await site.signIn(user.username, 'a new password');
    const wrong = { password: 'a third password', original_password: 'not it' };
    expect((await site.rest(again, 'PUT', '/api/user/self', wrong)).body).toMatchObject({ success: false });
  });
});

function fragments(count: number): string {
  const names = Array.from({ length: count }, (_none, index) => `f${index}`);
  const spreads = names.map((name) => `...${name}`).join(' ');
  return `{ ${spreads} } ${names.map((name) => `fragment ${name} on Query { me { id } }`).join(' ')}`;
}
