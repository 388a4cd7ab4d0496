import { Site, type Person } from './site.js';

let site: Site;
let root: Person;
let common: Person;

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  common = await site.invite(root);
});
afterAll(() => site.stop());

const create =
  'mutation($input: CreateAccessTokenInput!) { createAccessToken(input: $input) { secret accessToken { id } } }';

async function tokenOf(person: Person, scopes: string[], more: object = {}): Promise<{ id: number; secret: string }> {
  const input = { name: `token ${Math.random()}`, scopes, ...more };
  const { data, text } = await site.graphql(person, create, { input });
  if (!data?.['createAccessToken']) throw new Error(text);
  const { secret, accessToken } = data['createAccessToken'] as { secret: string; accessToken: { id: number } };
  return { id: accessToken.id, secret };
}

/** Sends a query with the token alone, without a cookie and a user id. */
const as = (secret: string, query: string) => site.graphql(null, query, {}, { authorization: `Bearer ${secret}` });

it('signs in with the token alone', async () => {
  const { secret } = await tokenOf(common, ['ACCOUNT_READ']);
  expect((await as(secret, '{ me { username } }')).data).toEqual({ me: { username: common.username } });
  const wrong = await site.graphql(
    null,
    '{ myGroups { name } }',
    {},
    {
      authorization: `Bearer ${secret}`,
      'veloera-user': String(root.id),
    },
  );
  expect(wrong.codes).toEqual(['USER_ID_MISMATCH']);
});

it('the single access token of the REST contract signs in alone too, and named ones stay with GraphQL', async () => {
  const { data } = await site.graphql(common, 'mutation { renewAccessToken { accessToken } }');
  const { accessToken } = data?.['renewAccessToken'] as { accessToken: string };
  expect((await as(accessToken, '{ me { username } }')).data).toEqual({ me: { username: common.username } });
  const headers = { authorization: `Bearer ${accessToken}` };
  const self = await site.rest(null, 'GET', '/api/user/self', undefined, headers);
  expect(self.body).toMatchObject({ success: true, data: { id: common.id } });
  const named = {
    authorization: `Bearer ${(await tokenOf(common, ['WRITE'])).secret}`,
    'veloera-user': String(common.id),
  };
  expect((await site.rest(null, 'GET', '/api/user/self', undefined, named)).body['code']).toBe('INVALID_ACCESS_TOKEN');
});

it('a session still needs the header', async () => {
  const { cookie } = common;
  const { codes } = await site.graphql(null, '{ myGroups { name } }', {}, { cookie });
  expect(codes).toEqual(['USER_ID_MISMATCH']);
});

const documents = {
  USAGE_READ: 'usage',
  LOGS_READ: 'logs',
  ACCOUNT_READ: 'myTokens',
  ADMIN_READ: 'users',
} as const;

describe.each(Object.keys(documents) as Array<keyof typeof documents>)('a token with %s', (scope) => {
  it('reads what the scope names and nothing else, and changes nothing', async () => {
    const { secret } = await tokenOf(root, [scope]);
    const query =
      '{ usage(groupBy: [USER]) { totalCount } logs { totalCount } myTokens { totalCount } users { totalCount } }';
    const { data, text } = await as(secret, query);
    if (!data) throw new Error(text);
    const readable = Object.entries(data).filter(([, page]) => page !== null);
    expect(readable.map(([field]) => field)).toEqual([documents[scope]]);
    expect((await as(secret, `mutation { banUser(id: ${common.id}) { user { id } } }`)).codes).toEqual([
      'INSUFFICIENT_PRIVILEGES',
    ]);
    // Secrets require KEYS_READ.
    expect((await as(secret, '{ accessToken }')).codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
  });
});

it('reads codes without their text, which is worth money, unless it may read secrets', async () => {
  await site.expectSuccess(root, 'POST', '/api/redemption/', { name: 'scoped', quota: 5, key: 'a-secret-code' });
  await site.expectSuccess(root, 'POST', '/api/user/topup', { key: 'a-secret-code' });
  const lists =
    '{ redemptions { items { batch key } } users(filter: { ids: [ID] }) { items { redemptions { items { redemption { key } } } } } }';
  const read = async (scopes: string[]) =>
    (await as((await tokenOf(root, scopes)).secret, lists.replace('ID', String(root.id)))).data;
  const seen = (key: string) => ({
    redemptions: { items: [{ batch: 'scoped', key }] },
    users: { items: [{ redemptions: { items: [{ redemption: { key } }] } }] },
  });
  expect(await read(['ADMIN_READ'])).toEqual(seen('**********'));
  expect(await read(['ADMIN_READ', 'WRITE'])).toEqual(seen('**********'));
  expect(await read(['ADMIN_READ', 'KEYS_READ'])).toEqual(seen('a-secret-code'));
  expect((await site.graphql(root, '{ redemptions { items { key } } }')).text).toContain('a-secret-code');
});

describe('a token with WRITE and without KEYS_READ', () => {
  const [address, elsewhere] = ['http://127.0.0.1:9', 'http://127.0.0.1:10'];
  const refused = ['INSUFFICIENT_PRIVILEGES'];
  let changing: string;
  let reading: string;
  let channel: number;

  beforeAll(async () => {
    changing = (await tokenOf(root, ['ACCOUNT_READ', 'ADMIN_READ', 'WRITE'])).secret;
    reading = (await tokenOf(root, ['WRITE', 'KEYS_READ'])).secret;
    channel = await site.server.api.createChannel(root, { baseUrl: address });
  });

  /** The payload of a mutation that must succeed. */
  async function made<T>(query: string): Promise<T> {
    const { data, text } = await as(changing, query);
    const [payload] = Object.values(data ?? {});
    if (!payload) throw new Error(text);
    return payload as T;
  }

  it('sees the key that it creates or rotates, and no other', async () => {
    const created = await made<{ key: string; token: { id: number } }>(
      'mutation { createToken(input: { name: "by a program" }) { key token { id } } }',
    );
    expect(created.key).toMatch(/^sk-\w{48}$/);
    const { id } = created.token;
    const rotated = await made<{ key: string }>(`mutation { rotateToken(input: { id: ${id} }) { key } }`);
    expect(rotated.key).toMatch(/^sk-\w{48}$/);
    expect(rotated.key).not.toBe(created.key);
    const shown = `{ tokenKey(id: ${id}) }`;
    expect((await as(changing, shown)).codes).toEqual(refused);
    expect((await as(reading, shown)).data).toEqual({ tokenKey: rotated.key });
  });

  it('sees the codes that it creates, and no others', async () => {
    const create =
      'mutation { createRedemptions(input: { batch: "sold", quota: 5, count: 2 }) { redemptions { key } } }';
    const { redemptions } = await made<{ redemptions: Array<{ key: string }> }>(create);
    expect(redemptions.map(({ key }) => key)).toEqual([
      expect.stringMatching(/^\w{32}$/),
      expect.stringMatching(/^\w{32}$/),
    ]);
    const list = await as(changing, '{ redemptions(filter: { batch: "sold" }) { items { key } } }');
    expect(list.data).toEqual({ redemptions: { items: Array(2).fill({ key: '**********' }) } });
  });

  it('neither reads the keys of a channel nor has them sent elsewhere', async () => {
    const keys = `{ channelKeys(id: ${channel}) }`;
    expect((await as(changing, keys)).codes).toEqual(refused);
    expect((await as(reading, keys)).codes).toEqual([]);
    const updates = (url: string) => [
      `mutation { updateChannel(input: { id: ${channel}, baseUrl: "${url}" }) { channel { id } } }`,
      `mutation { updateChannel(input: { id: ${channel}, headers: { x_key: "{api_key}" } }) { channel { id } } }`,
    ];
    for (const update of updates(elsewhere)) expect((await as(changing, update)).codes).toEqual(refused);
    const weight = `mutation { updateChannel(input: { id: ${channel}, baseUrl: "${address}", weight: 3 }) { channel { weight } } }`;
    expect((await as(changing, weight)).data).toEqual({ updateChannel: { channel: { weight: 3 } } });
    for (const update of updates(elsewhere)) expect((await as(reading, update)).codes).toEqual([]);
  });
});

it('reads the account of its user with a scope for that alone', async () => {
  const me = '{ me { username email quota identities { provider } } }';
  for (const scope of ['USAGE_READ', 'LOGS_READ', 'WRITE']) {
    const { data, codes } = await as((await tokenOf(root, [scope])).secret, me);
    expect([data, codes]).toEqual([{ me: null }, ['INSUFFICIENT_PRIVILEGES']]);
  }
  for (const scope of ['ACCOUNT_READ', 'ADMIN_READ']) {
    const { data } = await as((await tokenOf(root, [scope])).secret, me);
    expect(data).toMatchObject({ me: { username: root.username } });
  }
});

it('never has more permissions than its user', async () => {
  const { secret } = await tokenOf(common, ['USAGE_READ', 'LOGS_READ', 'WRITE']);
  const { codes } = await as(secret, '{ logs { totalCount } }');
  expect(codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
  const refused = await site.graphql(common, create, { input: { name: 'admin', scopes: ['ADMIN_READ'] } });
  expect(refused.codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
});

it('cannot make or revoke others', async () => {
  const { id, secret } = await tokenOf(root, ['WRITE']);
  const make = 'mutation { createAccessToken(input: { name: "x", scopes: [ADMIN_READ] }) { secret } }';
  expect((await as(secret, make)).codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
  expect((await as(secret, `mutation { revokeAccessToken(id: ${id}) { accessToken { id } } }`)).codes).toEqual([
    'INSUFFICIENT_PRIVILEGES',
  ]);
});

it('neither reads nor renews the single access token, which has all rights and no end', async () => {
  await site.graphql(root, 'mutation { renewAccessToken { accessToken } }');
  const { secret } = await tokenOf(root, ['ACCOUNT_READ', 'WRITE']);
  expect((await as(secret, '{ accessToken }')).codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
  const renew = 'mutation { renewAccessToken { accessToken } }';
  expect((await as(secret, renew)).codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
});

it('binds nothing with which its user could sign in, and neither does the single access token', async () => {
  const { secret } = await tokenOf(common, ['WRITE']);
  const { data } = await site.graphql(common, 'mutation { renewAccessToken { accessToken } }');
  const { accessToken } = data?.['renewAccessToken'] as { accessToken: string };
  for (const document of [
    'mutation { bindEmail(input: { email: "x@example.com", code: "abcdef" }) { user { id } } }',
    'mutation { bindWechat(code: "abcdef") { user { id } } }',
  ]) {
    expect((await as(secret, document)).codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
    expect((await as(accessToken, document)).codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
  }
});

it('neither ends its user’s account nor takes a way to sign in', async () => {
  const person = await site.invite(root);
  const { secret } = await tokenOf(person, ['ACCOUNT_READ', 'WRITE']);
  const password = `password of ${person.username}`;
  for (const document of [
    'mutation { deleteMe { id } }',
    `mutation { updateMe(input: { password: "a new password", originalPassword: "${password}" }) { user { id } } }`,
    'mutation { updateMe(input: { username: "another-name" }) { user { id } } }',
    'mutation { unbindIdentity(provider: GITHUB) { user { id } } }',
  ]) {
    expect((await as(secret, document)).codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
  }
  expect((await site.signIn(person.username, password)).id).toBe(person.id);
  const shown = 'mutation { updateMe(input: { displayName: "Shown" }) { user { displayName } } }';
  expect((await as(secret, shown)).data).toEqual({ updateMe: { user: { displayName: 'Shown' } } });
});

it('works until it is revoked, by its owner alone', async () => {
  const { id, secret } = await tokenOf(common, ['ACCOUNT_READ']);
  const revoke = `mutation { revokeAccessToken(id: ${id}) { accessToken { id } } }`;
  expect((await site.graphql(root, revoke)).codes).toEqual(['NOT_FOUND']);
  expect((await as(secret, '{ myGroups { name } }')).codes).toEqual([]);
  expect((await site.graphql(common, revoke)).codes).toEqual([]);
  expect((await as(secret, '{ myGroups { name } }')).codes).toEqual(['INVALID_ACCESS_TOKEN']);
});

it('works until it expires, or its user is banned', async () => {
  const person = await site.invite(root);
  const { id, secret } = await tokenOf(person, ['ACCOUNT_READ'], { expiresAt: '2100-01-01T00:00:00Z' });
  expect((await as(secret, '{ myGroups { name } }')).codes).toEqual([]);
  await site.graphql(root, `mutation { banUser(id: ${person.id}) { user { id } } }`);
  expect((await as(secret, '{ myGroups { name } }')).codes).toEqual(['USER_BANNED']);
  await site.query("UPDATE access_tokens SET expires_at = now() - interval '1 second' WHERE id = $1", [id]);
  await site.graphql(root, `mutation { enableUser(id: ${person.id}) { user { id } } }`);
  expect((await as(secret, '{ myGroups { name } }')).codes).toEqual(['INVALID_ACCESS_TOKEN']);
});

it('is listed with its scopes, when it was used and when it expires, and never with the secret', async () => {
  const person = await site.invite(root);
  const { secret } = await tokenOf(person, ['WRITE', 'USAGE_READ'], {
    name: 'Grafana',
    expiresAt: '2100-01-01T00:00:00Z',
  });
  const query = '{ accessTokens { name scopes createdAt lastUsedAt expiresAt } }';
  const list = async () => (await site.graphql(person, query)).data?.['accessTokens'];
  const row = { name: 'Grafana', scopes: ['USAGE_READ', 'WRITE'], expiresAt: '2100-01-01T00:00:00.000Z' };
  expect(await list()).toEqual([{ ...row, createdAt: expect.any(String), lastUsedAt: null }]);
  await as(secret, '{ me { id } }');
  expect(await list()).toEqual([{ ...row, createdAt: expect.any(String), lastUsedAt: expect.any(String) }]);
  const stored = JSON.stringify(await site.query('SELECT * FROM access_tokens'));
  expect(stored).not.toContain(secret);
});

it.each([
  [{ name: ' ', scopes: ['WRITE'] }, 'INVALID_INPUT'],
  [{ name: 'x'.repeat(65), scopes: ['WRITE'] }, 'INVALID_INPUT'],
  [{ name: 'none', scopes: [] }, 'INVALID_INPUT'],
  [{ name: 'past', scopes: ['WRITE'], expiresAt: '2020-01-01T00:00:00Z' }, 'INVALID_INPUT'],
  [{ name: 'unknown', scopes: ['EVERYTHING'] }, 'BAD_USER_INPUT'],
])('refuses %j', async (input, code) => {
  expect((await site.graphql(common, create, { input })).codes).toEqual([code]);
});

it('names are unique for a user, and there are at most 20', async () => {
  const person = await site.invite(root);
  for (let n = 0; n < 20; n++) await tokenOf(person, ['WRITE'], { name: `t${n}` });
  expect((await site.graphql(person, create, { input: { name: 'one more', scopes: ['WRITE'] } })).codes).toEqual([
    'CONFLICT',
  ]);
  await site.query("DELETE FROM access_tokens WHERE name = 't1'");
  expect((await site.graphql(person, create, { input: { name: 't0', scopes: ['WRITE'] } })).codes).toEqual([
    'CONFLICT',
  ]);
});
