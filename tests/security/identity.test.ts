import { request as httpRequest } from 'node:http';
import { anywhere, Site, type Person } from '../contract/site.js';
import { mailAccount, startMailServer, type MailServer } from '../support/mail-server.js';

/** Identity: classes of vulnerabilities that were published for gateways of this family. */
let site: Site;
let mail: MailServer;
let root: Person;
let user: Person;
let other: Person;
beforeAll(async () => {
  [site, mail] = await Promise.all([Site.open({ LOG_LEVEL: 'trace' }), startMailServer()]);
  root = await site.setUp();
  [user, other] = [await site.invite(root), await site.invite(root)];
  for (const [key, value] of Object.entries({
    SMTPServer: '127.0.0.1',
    SMTPPort: String(mail.port),
    SMTPAccount: mailAccount.user,
    SMTPToken: mailAccount.password,
    ServerAddress: 'https://gate.example',
  })) {
    await site.expectSuccess(root, 'PUT', '/api/option/', { key, value });
  }
});
afterAll(() => Promise.all([site.stop(), mail.stop()]));

const login = (username: string, password: string) =>
  site.rest(null, 'POST', '/api/user/login', { username, password }, anywhere());
const accessToken = async (person: Person): Promise<string> =>
  (await site.rest(person, 'GET', '/api/user/token')).body.data as string;
const asToken = (authorization: string, id: number) =>
  site.rest(null, 'GET', '/api/user/self', undefined, { authorization, 'veloera-user': String(id) });

describe('a stored hash is no credential (GHSA-69x8)', () => {
  it('neither as a password, nor as an access token, nor as a session', async () => {
    const token = await accessToken(user);
    const [row] = await site.query<{ password: string; token: string; sealed: string }>(
      `SELECT password_hash AS password, encode(access_token_hash, 'base64') AS token,
        access_token_sealed AS sealed FROM users WHERE id = $1`,
      [user.id],
    );
    expect(row?.password).toMatch(/^\$argon2id\$/);
    expect((await login(user.username, row?.password ?? '')).body['success']).toBe(false);
    for (const text of [row?.token ?? '', row?.sealed ?? '']) {
      expect(text.length).toBeGreaterThan(20);
      expect((await asToken(text, user.id)).body['success']).toBe(false);
    }
    const sessions = await site.query<{ hash: string; id: string }>(
      `SELECT encode(id_hash, 'base64') AS hash, public_id AS id FROM sessions WHERE user_id = $1`,
      [user.id],
    );
    for (const { hash, id } of sessions) {
      for (const cookie of [`session=${hash}`, `session=${encodeURIComponent(hash)}`, `session=${id}`]) {
        expect((await site.rest({ ...user, cookie }, 'GET', '/api/user/self')).status).toBe(401);
      }
    }
    expect((await asToken(token, user.id)).body['success']).toBe(true);
  });

  it('is a different one for the same password', async () => {
    const users = ['twin-one', 'twin-two'];
    for (const username of users) {
      await site.expectSuccess(root, 'POST', '/api/user/', { username, password: 'the same password' });
    }
    const rows = await site.query<{ hash: string }>(
      'SELECT password_hash AS hash FROM users WHERE username = ANY($1)',
      [users],
    );
    expect(new Set(rows.map(({ hash }) => hash)).size).toBe(2);
  });
});

describe('what was read is kept by the whole credential (CVE-2026-35030)', () => {
  it('an access token that begins like a known one opens nothing', async () => {
    const token = await accessToken(user);
    expect((await asToken(token, user.id)).body['success']).toBe(true);
    for (const alike of [
      token.slice(0, -1),
      `${token}x`,
      `${token.slice(0, 20)}${'A'.repeat(8)}`,
      token.toLowerCase(),
    ]) {
      expect((await asToken(alike, user.id)).body['success']).toBe(false);
    }
  });

  it('nor does a session that begins like a known one', async () => {
    expect((await site.rest(user, 'GET', '/api/user/self')).status).toBe(200);
    const end = user.cookie.at(-1) === 'A' ? 'B' : 'A';
    for (const cookie of [`${user.cookie.slice(0, -1)}${end}`, user.cookie.slice(0, -1), `${user.cookie}${end}`]) {
      expect((await site.rest({ ...user, cookie }, 'GET', '/api/user/self')).status).toBe(401);
    }
  });

  it('nor is somebody remembered as somebody else', async () => {
    const [mine, theirs] = [await accessToken(user), await accessToken(other)];
    for (let round = 0; round < 20; round++) {
      const answers = await Promise.all([asToken(mine, user.id), asToken(theirs, other.id), asToken(mine, other.id)]);
      expect(answers.map(({ body }) => (body.data as { id?: number } | undefined)?.id)).toEqual([
        ...[user.id, other.id, undefined],
      ]);
    }
  });
});

describe('failed authentication is nobody (CVE-2026-59822)', () => {
  it.each([
    ['an unknown session', { cookie: 'session=nothing' }],
    ['an empty session', { cookie: 'session=' }],
    ['two sessions', { cookie: 'session=; session=x' }],
    ['an empty token', { authorization: '' }],
    ['a bearer of nothing', { authorization: 'Bearer ' }],
    ['a bearer of null', { authorization: 'Bearer null' }],
    ['SQL', { authorization: `' OR '1'='1` }],
    ['a wildcard', { authorization: '%' }],
    ['a JSON object', { authorization: '{"$ne":null}' }],
  ])('%s', async (_what, headers: Record<string, string>) => {
    for (const id of ['0', '-1', String(root.id), String(user.id)]) {
      const all = { ...headers, 'veloera-user': id };
      const answer = await site.rest(null, 'GET', '/api/user/self', undefined, all);
      expect([answer.body['success'], answer.body.data]).toEqual([false, undefined]);
      const { data } = await site.graphql(null, '{ me { id role } }', {}, all);
      expect(data?.['me'] ?? null).toBeNull();
    }
  });
});

it('a name or password is a value, never a piece of a query (CVE-2026-42208)', async () => {
  for (const text of [`' OR 1=1 --`, `root' --`, `" OR ""="`, `root'; DROP TABLE users; --`, '%', 'root%', `\\`]) {
    const [byName, byPassword] = [await login(text, user.password), await login(user.username, text)];
    expect([byName.body['success'], byPassword.body['success']]).toEqual([false, false]);
  }
  expect((await login(user.username, user.password)).body['success']).toBe(true);
});

it('what has to be unguessable is long, and never the same', async () => {
  const many = <T>(make: () => Promise<T>) => Promise.all(Array.from({ length: 100 }, make));
  const states = await many(
    async () => (await site.rest(null, 'GET', '/api/oauth/state', undefined, anywhere())).body.data as string,
  );
  expect(new Set(states).size).toBe(100);
  // 128 bits
  for (const state of states) expect(state).toMatch(/^[\w-]{22}$/);
  const tokens = [];
  for (let index = 0; index < 30; index++) tokens.push(await accessToken(other));
  expect(new Set(tokens).size).toBe(30);
  for (const token of tokens) expect(Buffer.from(token, 'base64').length).toBeGreaterThanOrEqual(21);
  // 256 bits
  expect(user.cookie.slice('session='.length)).toMatch(/^[\w-]{43}$/);
});

/** `fetch` does not allow setting the host header. */
function raw(path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    httpRequest(`${site.server.url}${path}`, { headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    })
      .on('error', reject)
      .end();
  });
}

it('a mailed link goes to the site’s own address, whatever the Host header says (CVE-2026-27812)', async () => {
  await site.query(`UPDATE users SET email = 'victim@example.com' WHERE id = $1`, [user.id]);
  const forged = { host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' };
  expect(await raw('/api/reset_password?email=victim@example.com', { ...anywhere(), ...forged })).toBe(200);
  const { html } = await mail.mailTo('victim@example.com');
  expect(html).toContain('href="https://gate.example/user/reset?');
  expect(html).not.toContain('evil.example');
});

describe('rank (CVE-2026-64866)', () => {
  it('an admin does nothing to an admin, to root, or to himself as an admin does it', async () => {
    const [admin, peer] = [await site.invite(root, 'admin'), await site.invite(root, 'admin')];
    for (const { id } of [peer, root, admin]) {
      const before = await site.query('SELECT * FROM users WHERE id = $1', [id]);
      const answers = [
        await site.rest(admin, 'GET', `/api/user/${id}`),
        await site.rest(admin, 'PUT', '/api/user/', { id, password: 'a stolen account' }),
        await site.rest(admin, 'PUT', '/api/user/', { id, quota_delta: 5 }),
        await site.rest(admin, 'DELETE', `/api/user/${id}`),
      ];
      for (const action of ['promote', 'demote', 'disable', 'enable', 'delete']) {
        answers.push(await site.rest(admin, 'POST', '/api/user/manage', { id, action }));
      }
      expect(answers.map(({ body }) => body['success'])).toEqual(answers.map(() => false));
      expect(await site.query('SELECT * FROM users WHERE id = $1', [id])).toEqual(before);
    }
  });

  it('nobody makes an account as high as his own', async () => {
    const admin = await site.invite(root, 'admin');
    for (const role of [10, 100, 1000]) {
      const body = { username: `made${role}`, password: 'a good password', role };
      expect((await site.rest(admin, 'POST', '/api/user/', body)).body['success']).toBe(false);
      const raised = { id: user.id, role };
      expect((await site.rest(admin, 'PUT', '/api/user/', raised)).body['success']).toBe(false);
    }
    const rows = await site.query(`SELECT 1 FROM users WHERE username LIKE 'made%' OR (id = $1 AND role <> 'common')`, [
      user.id,
    ]);
    expect(rows).toEqual([]);
  });
});

describe('IDOR (CVE-2026-30886): of two users, neither reaches what is the other’s', () => {
  it('sessions', async () => {
    const { data } = await site.graphql(user, '{ mySessions { id } }');
    const [session] = data?.['mySessions'] as Array<{ id: string }>;
    const revoke = 'mutation ($id: ID!) { revokeSession(id: $id) { id } }';
    for (const person of [other, root]) {
      expect((await site.graphql(person, revoke, { id: session?.id })).codes).toEqual(['NOT_FOUND']);
    }
    expect((await site.rest(user, 'GET', '/api/user/self')).status).toBe(200);
  });

  it('accounts: everything of one’s own takes nobody’s id but the caller’s', async () => {
    const before = await site.query('SELECT * FROM users WHERE id = $1', [other.id]);
    const body = { id: other.id, user_id: other.id, display_name: 'taken over', notify_type: 'email' };
    await site.rest(user, 'PUT', '/api/user/self', body);
    await site.rest(user, 'PUT', '/api/user/setting', { ...body, quota_warning_threshold: 1 });
    await site.rest(user, 'POST', '/api/user/aff_transfer', { ...body, quota: 1 });
    for (const [method, path] of [
      ['GET', `/api/user/${other.id}`],
      ['DELETE', `/api/user/${other.id}`],
      ['PUT', '/api/user/'],
      ['POST', '/api/user/manage'],
    ] as const) {
      const answer = await site.rest(user, method, path, method === 'GET' ? undefined : { ...body, action: 'disable' });
      expect(answer.body).toMatchObject({ success: false, code: 'INSUFFICIENT_PRIVILEGES' });
    }
    expect(await site.query('SELECT * FROM users WHERE id = $1', [other.id])).toEqual(before);
  });
});

it('secrets are in no log line, at whatever level', async () => {
  const password = 'planted login password';
  await login('root', password);
  await login(user.username, user.password);
  const token = await accessToken(user);
  await asToken(token, user.id);
  await asToken(`Bearer ${token}`, user.id);
  await site.rest(user, 'PUT', '/api/user/self', { password: `${password} new`, original_password: `${password} old` });
  await site.rest(null, 'POST', '/api/user/login', `{"username":"root","password":"${password}`, anywhere());
  await site.graphql(null, `mutation { login(input: { username: "root", password: "${password}" }) { user { id } } }`);
  await site.rest(null, 'GET', '/api/oauth/github?code=planted-code&state=planted-state', undefined, anywhere());
  const lines = site.server.logLines().join('\n');
  expect(lines).toContain('/api/user/login');
  for (const secret of [password, user.password, token, user.cookie.slice('session='.length), mailAccount.password]) {
    expect(lines).not.toContain(secret);
  }
  expect(lines).not.toMatch(/planted-(code|state)/);
});
