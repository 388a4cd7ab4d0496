import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operator } from './operator.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { Site, type Answer, type Person } from './site.js';

let site: Site;
let root: Person;
let upstream: Upstream;
let authorization: string;

beforeAll(async () => {
  [site, upstream] = await Promise.all([Site.open({ OUTBOUND_ALLOW: '127.0.0.1' }), startUpstream()]);
  root = await site.setUp();
  const account = await operator(site, root, ['users.write', 'users.keys', 'users.quota', 'usage.read']);
  authorization = `Bearer ${await accessToken(account, ['BILLING', 'USAGE_READ'])}`;
  const channel = { name: 'c', type: 1, key: 'sk-x', base_url: upstream.url, models: 'gpt-4o-mini', group: 'default' };
  await site.expectSuccess(root, 'POST', '/api/channel/', channel);
});
afterAll(() => Promise.all([site.stop(), upstream.stop()]));

async function accessToken(person: Person, scopes: readonly string[]): Promise<string> {
  const name = `token ${Math.random()}`;
  const { data, codes } = await site.graphql(
    person,
    `mutation { createAccessToken(input: { name: "${name}", scopes: [${scopes.join()}] }) { secret } }`,
  );
  expect(codes).toEqual([]);
  return (data?.['createAccessToken'] as { secret: string }).secret;
}

interface Step {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: unknown;
}

/** The requests of the guide, in its order. */
const steps = (page: string): Step[] =>
  [...readFileSync(join(import.meta.dirname, '../../docs', page), 'utf8').matchAll(/```http\n([^`]+)```/g)].map(
    ([, text = '']) => {
      const [head = '', content] = text.trim().split('\n\n');
      const [line = '', ...headers] = head.split('\n');
      const [method = '', path = ''] = line.split(' ');
      const entries = headers.map((header) => header.split(': ') as [string, string]);
      return { method, path, headers: Object.fromEntries(entries), body: content && JSON.parse(content) };
    },
  );

const send = ({ method, path, headers, body }: Step): Promise<Answer> =>
  site.rest(null, method, path, body, { ...headers, authorization });

it('does the whole flow of the guide, in which each retry repeats nothing', async () => {
  let userId = 0;
  let keyId = 0;
  const results: unknown[] = [];
  const given = steps('guide/billing-systems.md');
  for (const step of given) {
    const own = JSON.parse(
      JSON.stringify(step)
        .replace(/\/user\/7\/|user_id=7\b|"user_id":7\b/g, (text) => text.replace('7', String(userId)))
        .replace(/\/key\/12|"id":12\b/g, (text) => text.replace('12', String(keyId)))
        .replace(/"id":7\b/g, `"id":${userId}`),
    ) as Step;
    // Usage of the last hour.
    const path = own.path.replace(/start_timestamp.*/, `start_timestamp=${Math.floor(Date.now() / 1000) - 3600}`);
    const answer = await send({ ...own, path });
    expect([step.path, answer.body]).toEqual([step.path, expect.objectContaining({ success: true })]);
    const data = answer.body.data as { id: number; key: string };
    if (step.headers['Idempotency-Key']) {
      const again = await send({ ...own, path });
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(again.body.data).toMatchObject(data);
    }
    if (step.path === '/api/user') userId = data.id;
    if (step.path === '/api/key' && step.method === 'POST') {
      keyId = data.id;
      const body = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] };
      const call = await site.rest(null, 'POST', '/v1/chat/completions', body, {
        authorization: `Bearer sk-${data.key}`,
      });
      expect(call.status).toBe(200);
    }
    results.push(data);
  }
  expect(given.map(({ method, path }) => `${method} ${path}`)).toEqual(
    steps('zh/guide/billing-systems.md').map(({ method, path }) => `${method} ${path}`),
  );
  const [created, found, key, added, set, changed, rotated, revoked, used, disabled, enabled] = results as Array<
    Record<string, unknown>
  >;
  expect(created).toEqual({ id: userId });
  expect(found).toMatchObject([{ id: userId, external_id: 'C-42' }]);
  expect(key).toMatchObject({ id: keyId, user_id: userId, status: 1 });
  expect([Number(added?.['balance']) > 2_500_000, set]).toEqual([true, { balance: 1_000_000 }]);
  expect(changed).toMatchObject({ id: keyId, status: 2, model_limits: 'gpt-4o-mini', unlimited_quota: true });
  expect(String(changed?.['key'])).toMatch(/\*{10}$/);
  expect(rotated?.['key']).not.toBe(key?.['key']);
  expect(revoked).toEqual({ id: keyId });
  expect(used).toMatchObject({ calls: 1 });
  expect(Number(used?.['quota'])).toBeGreaterThan(0);
  expect([disabled, enabled]).toMatchObject([{ status: 2 }, { status: 1 }]);
  const audit = await site.query<{ action: string }>(
    `SELECT action FROM audit_entries WHERE (subject = 'token' AND subject_id = $1) OR (subject = 'user' AND subject_id = $2)
      ORDER BY id`,
    [String(keyId), String(userId)],
  );
  expect(audit.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['create', 'grant', 'update', 'rotate', 'delete', 'disable', 'enable']),
  );
  // One user, one key, one grant, although each request was retried.
  const [counted] = await site.query(
    `SELECT (SELECT count(*)::int FROM users WHERE external_id = 'C-42') AS users,
            (SELECT count(*)::int FROM tokens WHERE user_id = $1) AS keys,
            (SELECT count(*)::int FROM ledger_entries WHERE user_id = $1 AND account = 'user' AND amount = 2500000) AS grants`,
    [userId],
  );
  expect(counted).toEqual({ users: 1, keys: 1, grants: 1 });
});

it('refuses an external id that another user has', async () => {
  const user = (username: string) => ({ username, password: 'a long random text', external_id: 'C-taken' });
  const post = (body: object): Promise<Answer> => send({ method: 'POST', path: '/api/user', headers: {}, body });
  expect((await post(user('taken1'))).body).toMatchObject({ success: true });
  expect((await post(user('taken2'))).body).toMatchObject({ success: false, message: 'External id already in use' });
});

it('suspends and enables customers, and does nothing else to them', async () => {
  const customer = await site.invite(root);
  // Root itself may do all of it: only the scope refuses.
  const token = `Bearer ${await accessToken(root, ['BILLING'])}`;
  const manage = (action: string): Promise<Answer> =>
    site.rest(null, 'POST', '/api/user/manage', { id: customer.id, action }, { authorization: token });
  for (const action of ['delete', 'promote', 'demote']) {
    expect((await manage(action)).body).toMatchObject({ success: false, code: 'INSUFFICIENT_PRIVILEGES' });
  }
  expect((await manage('disable')).body).toMatchObject({ success: true, data: { status: 2 } });
  expect(await site.query('SELECT status, role FROM users WHERE id = $1', [customer.id])).toEqual([
    { status: 'banned', role: 'common' },
  ]);
  expect((await manage('enable')).body).toMatchObject({ success: true, data: { status: 1 } });
});

it('opens nothing else, neither to this scope nor to others', async () => {
  const refused = async (method: string, path: string, token = authorization): Promise<unknown> =>
    (await site.rest(null, method, path, method === 'GET' ? undefined : {}, { authorization: token })).body['success'];
  for (const path of ['/api/option/', '/api/channel/', '/api/log/', '/api/token/', '/api/payment/export']) {
    expect([path, await refused('GET', path)]).toEqual([path, false]);
  }
  const { codes } = await site.graphql(null, '{ users { totalCount } }', {}, { authorization });
  expect(codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
  const reader = `Bearer ${await accessToken(root, ['ADMIN_READ', 'USAGE_READ'])}`;
  for (const [method, path] of [
    ['POST', '/api/user'],
    ['POST', '/api/key'],
    ['POST', '/api/user/1/balance'],
    ['POST', '/api/user/manage'],
  ] as const) {
    expect([path, await refused(method, path, reader)]).toEqual([path, false]);
  }
  const common = await site.invite(root);
  const own = await site.graphql(
    common,
    'mutation { createAccessToken(input: { name: "x", scopes: [BILLING] }) { secret } }',
  );
  expect(own.codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
});

it('changes no key of a user of the same or a higher rank', async () => {
  const made = await site.expectSuccess(root, 'POST', '/api/token/', { name: 'of root', unlimited_quota: true });
  const { id } = made.body.data as { id: number };
  for (const step of [
    { method: 'POST', path: '/api/key', body: { user_id: root.id, name: 'x' } },
    { method: 'PUT', path: '/api/key', body: { id, name: 'x' } },
    { method: 'POST', path: `/api/key/${id}/rotate`, body: {} },
    { method: 'DELETE', path: `/api/key/${id}`, body: undefined },
  ]) {
    expect((await send({ headers: {}, ...step })).body).toMatchObject({ success: false });
  }
  const [row] = await site.query<{ name: string }>('SELECT name FROM tokens WHERE id = $1 AND deleted_at IS NULL', [
    id,
  ]);
  expect(row).toEqual({ name: 'of root' });
});

it('does the same over GraphQL', async () => {
  const ask = async (text: string): Promise<Record<string, unknown>> => {
    const { data, codes } = await site.graphql(null, `mutation { ${text} }`, {}, { authorization });
    expect(codes).toEqual([]);
    return Object.values(data ?? {})[0] as Record<string, unknown>;
  };
  const created = await ask(
    'createUser(input: { username: "gq", password: "a long random text", externalId: "G-1", quota: 7, idempotencyKey: "g1" }) { replayed user { id externalId quota } }',
  );
  const { id } = created['user'] as { id: number };
  expect(created).toEqual({ replayed: false, user: { id, externalId: 'G-1', quota: 7 } });
  const key = await ask(`createUserToken(input: { userId: ${id}, name: "k", quota: 5 }) { key token { id } }`);
  expect(key).toMatchObject({ key: expect.stringMatching(/^sk-/) as string });
  const tokenId = (key['token'] as { id: number }).id;
  await ask(
    `updateUserToken(input: { id: ${tokenId}, enabled: false, modelLimits: ["gpt-4o-mini"] }) { token { id } }`,
  );
  const [row] = await site.query('SELECT status, model_limits FROM tokens WHERE id = $1', [tokenId]);
  expect(row).toEqual({ status: 'disabled', model_limits: ['gpt-4o-mini'] });
  const rotated = await ask(`rotateUserToken(input: { id: ${tokenId} }) { key }`);
  expect(rotated['key']).not.toBe(key['key']);
  expect(await ask(`revokeUserToken(id: ${tokenId}) { id }`)).toEqual({ id: tokenId });
});
