import type { EntityManager } from 'typeorm';
import { TokenExpiryWatch } from '../../server/src/console/tokens/token-expiry.jobs.js';
import { KeyUses } from '../../server/src/gateway/admit/key-uses.js';
import type { KnownToken } from '../../server/src/gateway/admit/key-directory.js';
import { Site, type Answer, type Person } from './site.js';
import { until } from '../faults/traffic.js';

interface WireToken {
  readonly id: number;
  readonly key: string;
  readonly name: string;
  readonly scopes: string;
  readonly previous_key_until: number;
}

let site: Site;
let root: Person;
let owner: Person;
let other: Person;

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  owner = await site.invite(root);
  other = await site.invite(root);
});
afterAll(() => site.stop());

const now = (): number => Math.floor(Date.now() / 1000);

async function create(more: Record<string, unknown> = {}, person = owner): Promise<WireToken> {
  const body = { name: 'key', unlimited_quota: true, expired_time: -1, ...more };
  return (await site.expectSuccess(person, 'POST', '/api/token/', body)).body.data as WireToken;
}

/** A request with only an API key. */
const withKey = (key: string, method: string, path: string, body?: unknown, more: Record<string, string> = {}) =>
  site.rest(null, method, path, body, { authorization: `Bearer sk-${key}`, ...more });

/** The code of listing the models with a key; `ok` when it works. */
async function use(key: string, headers: Record<string, string> = {}): Promise<string> {
  const { status, body } = await withKey(key, 'GET', '/v1/models', undefined, headers);
  return status === 200 ? 'ok' : ((body['error'] as { code?: string } | undefined)?.code ?? String(status));
}

const codeOf = ({ body }: Answer): unknown => body['code'] ?? (body['success'] === true ? 'ok' : 'none');

const rotate = (id: number, overlap_until: number, person: Person | null = owner): Promise<Answer> =>
  site.rest(person, 'POST', `/api/token/${id}/rotate`, { overlap_until });

describe('rotation', () => {
  it('both keys work during the overlap, as one key with its limits and usage', async () => {
    const token = await create({ name: 'both', model_limits_enabled: true, model_limits: 'gpt-4o' });
    expect(await use(token.key)).toBe('ok');
    const end = now() + 3600;
    const { data } = (await rotate(token.id, end)).body as { data: WireToken };
    expect(data).toMatchObject({ id: token.id, name: 'both', model_limits: 'gpt-4o', previous_key_until: end });
    expect(data.key).toMatch(/^[A-Za-z0-9]{48}$/);
    expect(data.key).not.toBe(token.key);
    expect([await use(token.key), await use(data.key)]).toEqual(['ok', 'ok']);
    const usage = async (key: string) => (await withKey(key, 'GET', '/api/usage/token')).body;
    expect(await usage(token.key)).toEqual(await usage(data.key));
    expect((await site.rest(owner, 'GET', `/api/token/search?token=${data.key}`)).body.data).toMatchObject([
      { id: token.id, key: data.key },
    ]);
    const [row] = await site.query('SELECT * FROM tokens WHERE id = $1', [token.id]);
    for (const key of [token.key, data.key]) expect(JSON.stringify(row)).not.toContain(key);
  });

  it('the old key ends at its second, also while it is cached', async () => {
    const token = await create();
    const { data } = (await rotate(token.id, now() + 5)).body as { data: WireToken };
    expect([await use(token.key), await use(data.key)]).toEqual(['ok', 'ok']);
    await until(async () => (await use(token.key)) !== 'ok', 50, 'the old key ends');
    expect(['token_expired', 'invalid_api_key']).toContain(await use(token.key));
    expect(await use(data.key)).toBe('ok');
    // The key itself has not expired.
    expect(await site.query('SELECT status, expires_at FROM tokens WHERE id = $1', [token.id])).toEqual([
      { status: 'enabled', expires_at: null },
    ]);
  });

  it('without an overlap the old key ends at once', async () => {
    const token = await create();
    expect(await use(token.key)).toBe('ok');
    const { data } = (await rotate(token.id, 0)).body as { data: WireToken };
    expect([await use(token.key), await use(data.key)]).toEqual(['invalid_api_key', 'ok']);
  });

  it('another rotation ends the key before the last one, and the overlap can be ended', async () => {
    const first = await create();
    const second = ((await rotate(first.id, now() + 600)).body as { data: WireToken }).data;
    const third = ((await rotate(first.id, now() + 600)).body as { data: WireToken }).data;
    expect([await use(first.key), await use(second.key), await use(third.key)]).toEqual([
      ...['invalid_api_key', 'ok', 'ok'],
    ]);
    await site.expectSuccess(owner, 'DELETE', `/api/token/${first.id}/previous`);
    expect([await use(second.key), await use(third.key)]).toEqual(['invalid_api_key', 'ok']);
  });

  it('the overlap does not outlive the key', async () => {
    const token = await create({ expired_time: now() + 5 });
    await rotate(token.id, now() + 600);
    await until(async () => (await use(token.key)) !== 'ok', 50, 'the key expires');
    expect(await use(token.key)).toBe('token_expired');
  });

  it('refuses a past or far overlap, and keys of others', async () => {
    const token = await create();
    expect(codeOf(await rotate(token.id, now() - 1))).toBe('INVALID_INPUT');
    expect(codeOf(await rotate(token.id, now() + 367 * 86_400))).toBe('INVALID_INPUT');
    for (const path of [`/api/token/${token.id}/rotate`, `/api/token/${token.id}/previous`]) {
      const method = path.endsWith('rotate') ? 'POST' : 'DELETE';
      expect(codeOf(await site.rest(other, method, path, method === 'POST' ? {} : undefined))).toBe('NOT_FOUND');
    }
    expect(await use(token.key)).toBe('ok');
  });

  it('a retry with the same idempotency key rotates once, so the old text works until its end', async () => {
    const first = await create();
    const end = now() + 600;
    const send = (overlap_until: number, key = 'rotation'): Promise<Answer> =>
      site.rest(owner, 'POST', `/api/token/${first.id}/rotate`, { overlap_until }, { 'idempotency-key': key });
    const answers = [await send(end), await send(end)];
    expect(answers[1]?.body).toEqual(answers[0]?.body);
    expect(answers.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
    const { key } = answers[0]?.body.data as WireToken;
    expect([await use(first.key), await use(key)]).toEqual(['ok', 'ok']);
    const { data } = await site.graphql(
      owner,
      'mutation ($input: RotateTokenInput!) { rotateToken(input: $input) { key replayed } }',
      { input: { id: first.id, overlapUntil: new Date(end * 1000).toISOString(), idempotencyKey: 'rotation' } },
    );
    expect(data).toEqual({ rotateToken: { key: `sk-${key}`, replayed: true } });
    expect(codeOf(await send(end + 1))).toBe('CONFLICT');
    // Neither the text nor its plain hash is stored with the key.
    const rows = await site.query<{ row: string }>('SELECT idempotency_keys::text AS row FROM idempotency_keys');
    expect(rows.filter(({ row }) => row.includes(key))).toEqual([]);
    await rotate(first.id, end);
    expect(codeOf(await send(end))).toBe('CONFLICT');
    const refused = await send(now() - 1, 'past');
    expect([codeOf(refused), codeOf(await send(end, 'past'))]).toEqual(['INVALID_INPUT', 'ok']);
  });

  it('a program gets the text of its own lost rotation, and not that of another', async () => {
    const [token, manager, second] = [
      await create(),
      await create({ scopes: 'keys' }),
      await create({ scopes: 'keys' }),
    ];
    const path = `/api/token/${token.id}/rotate`;
    const send = (by: string) => withKey(by, 'POST', path, {}, { 'idempotency-key': 'by program' });
    const done = await send(manager.key);
    expect((await send(manager.key)).body).toEqual(done.body);
    expect(codeOf(await send(second.key))).toBe('CONFIRMATION_NEEDED');
  });

  it('GraphQL rotates, shows the end and ends it', async () => {
    const token = await create();
    const overlapUntil = new Date((now() + 600) * 1000).toISOString();
    const { data } = await site.graphql(
      owner,
      'mutation ($input: RotateTokenInput!) { rotateToken(input: $input) { key token { id previousKeyUntil } } }',
      { input: { id: token.id, overlapUntil } },
    );
    const rotated = data?.['rotateToken'] as { key: string; token: unknown };
    expect(rotated.token).toEqual({ id: token.id, previousKeyUntil: overlapUntil });
    expect([await use(token.key), await use(rotated.key.slice(3))]).toEqual(['ok', 'ok']);
    const end = `mutation { endTokenOverlap(id: ${token.id}) { token { previousKeyUntil } } }`;
    expect((await site.graphql(owner, end)).data).toEqual({ endTokenOverlap: { token: { previousKeyUntil: null } } });
    expect(await use(token.key)).toBe('invalid_api_key');
  });
});

describe('scopes', () => {
  it('a key without relay calls nothing, one without usage reads nothing', async () => {
    const reader = await create({ scopes: 'usage' });
    const caller = await create({ scopes: 'relay' });
    const readAll = async (key: string): Promise<unknown[]> => [
      codeOf(await withKey(key, 'GET', '/api/log/token')),
      (await withKey(key, 'GET', '/dashboard/billing/subscription')).status,
      (await withKey(key, 'GET', '/api/usage/token')).status,
    ];
    expect(await use(reader.key)).toBe('key_scope_missing');
    expect(await readAll(reader.key)).toEqual(['ok', 200, 200]);
    expect(await use(caller.key)).toBe('ok');
    expect(await readAll(caller.key)).toEqual(['KEY_SCOPE_MISSING', 403, 403]);
    const call = await withKey(reader.key, 'POST', '/v1/chat/completions', { model: 'gpt-4o', messages: [] });
    expect([call.status, (call.body['error'] as { code: string }).code]).toEqual([403, 'key_scope_missing']);
  });

  it('a changed scope counts at once', async () => {
    const token = await create();
    expect(await use(token.key)).toBe('ok');
    await site.graphql(owner, `mutation { updateToken(input: { id: ${token.id}, scopes: [USAGE] }) { token { id } } }`);
    expect(await use(token.key)).toBe('key_scope_missing');
  });

  it('a key with the scope keys manages the keys of its owner, and nothing else', async () => {
    const manager = await create({ name: 'manager', scopes: 'keys' });
    const listed = (await withKey(manager.key, 'GET', '/api/token/?p=0')).body.data as WireToken[];
    expect(listed.length).toBeGreaterThan(1);
    expect(listed.every(({ key }) => key.endsWith('**********'))).toBe(true);
    const made = await withKey(manager.key, 'POST', '/api/token/', { name: 'made', unlimited_quota: true });
    const { id, key } = made.body.data as WireToken;
    expect(await use(key)).toBe('ok');
    const again = (await withKey(manager.key, 'POST', `/api/token/${id}/rotate`, {})).body.data as WireToken;
    expect([await use(key), await use(again.key)]).toEqual(['invalid_api_key', 'ok']);
    expect(codeOf(await withKey(manager.key, 'DELETE', `/api/token/${id}`))).toBe('ok');
    expect(await use(again.key)).toBe('invalid_api_key');
    // A managing key is neither a session nor an access token.
    for (const path of ['/api/user/self', '/api/log/self', '/api/user/token', '/api/data/self'])
      expect(codeOf(await withKey(manager.key, 'GET', path))).toBe('INVALID_ACCESS_TOKEN');
    expect(
      (await site.graphql(null, '{ me { id } }', {}, { authorization: `Bearer sk-${manager.key}` })).codes,
    ).toEqual(['INVALID_ACCESS_TOKEN']);
    expect(await use(manager.key)).toBe('key_scope_missing');
    const foreign = await create({}, other);
    expect(codeOf(await withKey(manager.key, 'DELETE', `/api/token/${foreign.id}`))).toBe('NOT_FOUND');
  });

  it('a managing key obeys its expiry, its addresses, its status and its owner', async () => {
    const list = (key: string) => withKey(key, 'GET', '/api/token/?p=0');
    expect(codeOf(await list((await create()).key))).toBe('KEY_SCOPE_MISSING');
    expect(codeOf(await list((await create({ scopes: 'keys', allow_ips: '198.51.100.7' })).key))).toBe(
      'IP_NOT_ALLOWED',
    );
    const disabled = await create({ scopes: 'keys' });
    await site.expectSuccess(owner, 'PUT', '/api/token/?status_only=true', { id: disabled.id, status: 2 });
    expect(codeOf(await list(disabled.key))).toBe('TOKEN_DISABLED');
    const expired = await create({ scopes: 'keys' });
    await site.query('UPDATE tokens SET expires_at = to_timestamp(1000) WHERE id = $1', [expired.id]);
    expect(codeOf(await list(expired.key))).toBe('TOKEN_EXPIRED');
    const banned = await site.invite(root);
    const { key } = await create({ scopes: 'keys' }, banned);
    expect(codeOf(await list(key))).toBe('ok');
    await site.expectSuccess(root, 'POST', '/api/user/manage', { id: banned.id, action: 'disable' });
    expect(codeOf(await list(key))).toBe('USER_BANNED');
  });

  it('a managing key loosens none of its limits, and makes, changes and rotates no other managing key', async () => {
    const limits = { scopes: 'keys', expired_time: now() + 3600, allow_ips: '127.0.0.1' };
    const manager = await create({ name: 'manager', ...limits });
    const other = await create({ name: 'other', scopes: 'relay,keys', expired_time: now() + 3600 });
    const plain = await create({ name: 'plain' });
    const send = async (method: string, path: string, body: unknown) =>
      codeOf(await withKey(manager.key, method, `/api/token/${path}`, body));
    const form = { unlimited_quota: true, ...limits };
    const refused: ReadonlyArray<readonly [string, string, object]> = [
      ['PUT', '', { id: manager.id, name: 'manager', ...form, expired_time: -1 }],
      ['PUT', '', { id: manager.id, name: 'manager', ...form, allow_ips: '' }],
      ['PUT', '', { id: manager.id, name: 'manager', ...form, scopes: 'relay,keys' }],
      ['PUT', '', { id: other.id, name: 'other', unlimited_quota: true, expired_time: -1 }],
      ['PUT', '', { id: plain.id, name: 'plain', unlimited_quota: true, expired_time: -1, scopes: 'keys' }],
      ['POST', '', { name: 'heir', unlimited_quota: true, scopes: 'keys' }],
      ['POST', `${other.id}/rotate`, {}],
    ];
    for (const [method, path, body] of refused)
      expect([method, path, body, await send(method, path, body)]).toEqual([
        ...[method, path, body],
        'INSUFFICIENT_PRIVILEGES',
      ]);
    expect((await site.rest(owner, 'GET', `/api/token/${manager.id}`)).body.data).toMatchObject(limits);
    // The key may still change its name, manage other keys and rotate its own text.
    expect(await send('PUT', '', { id: manager.id, name: 'renamed', ...form })).toBe('ok');
    expect(
      await send('PUT', '', { id: plain.id, name: 'plain', unlimited_quota: true, expired_time: now() + 60 }),
    ).toBe('ok');
    expect(await send('POST', `${manager.id}/rotate`, { overlap_until: now() + 60 })).toBe('ok');
    expect(await send('DELETE', String(other.id), undefined)).toBe('ok');
  });

  it('has one at least, and known ones', async () => {
    for (const scopes of ['', 'admin', 'relay,admin'])
      expect(codeOf(await site.rest(owner, 'POST', '/api/token/', { name: 's', scopes }))).toBe('INVALID_INPUT');
    expect((await create({ scopes: 'usage, relay,usage' })).scopes).toBe('relay,usage');
    const query =
      'mutation ($scopes: [TokenScope!]) { createToken(input: { name: "g", scopes: $scopes }) { token { scopes } } }';
    expect((await site.graphql(owner, query, { scopes: [] })).codes).toEqual(['INVALID_INPUT']);
    expect((await site.graphql(owner, query, { scopes: ['KEYS'] })).data).toEqual({
      createToken: { token: { scopes: ['KEYS'] } },
    });
  });

  it('older clients change a key without losing its scopes', async () => {
    const { id } = await create({ scopes: 'usage' });
    await site.expectSuccess(owner, 'PUT', '/api/token/', {
      id,
      name: 'renamed',
      unlimited_quota: true,
      expired_time: -1,
    });
    expect((await site.rest(owner, 'GET', `/api/token/${id}`)).body.data).toMatchObject({ scopes: 'usage' });
  });
});

describe('the last use', () => {
  const lastUse = async (person: Person, id: number): Promise<{ address: string; at: string } | null> => {
    const { data } = await site.graphql(
      person,
      `{ myTokens(filter: { ids: [${id}] }) { items { lastUse { address at } } } }`,
    );
    return (data?.['myTokens'] as { items: Array<{ lastUse: { address: string; at: string } | null }> }).items[0]!
      .lastUse;
  };

  it('shows the address and time of a call, with calls from two addresses the later', async () => {
    const { id, key } = await create();
    expect(await lastUse(owner, id)).toBeNull();
    const before = Date.now();
    await use(key, { 'x-forwarded-for': '203.0.113.9' });
    await use(key, { 'x-forwarded-for': '203.0.113.10' });
    await until(async () => (await lastUse(owner, id)) !== null, 50, 'the address is stored');
    const stored = await lastUse(owner, id);
    expect(stored?.address).toBe('203.0.113.10');
    const at = Date.parse(stored?.at ?? '');
    expect([at >= before - 1000, at <= Date.now()]).toEqual([true, true]);
  });

  it('writes nothing for calls from the same address, and keeps what cannot be written out of the way', async () => {
    const writes: unknown[] = [];
    const failures: unknown[] = [];
    const query = jest.fn(async (_sql: string, parameters?: unknown[]) => void writes.push(parameters) as never);
    const uses = new KeyUses({ query }, (error) => failures.push(error));
    const token = { id: 5, address: '' } as KnownToken;
    for (let call = 0; call < 3; call++) uses.note(token, '10.0.0.1');
    await uses.store();
    uses.note(token, '10.0.0.1');
    await uses.store();
    expect(writes).toEqual([[[5], ['10.0.0.1']]]);
    query.mockRejectedValueOnce(new Error('no database'));
    uses.note(token, '10.0.0.2');
    await uses.store();
    expect(failures).toHaveLength(1);
    // The playground has no key.
    uses.note({ id: 0, address: '' } as KnownToken, '10.0.0.3');
    await uses.store();
    expect(writes).toHaveLength(1);
  });
});

describe('notices before expiry', () => {
  it('are stored once per expiry: a week before, or after three quarters of a shorter life', async () => {
    const day = 86_400;
    const aged = async (name: string, ageSeconds: number, leftSeconds: number): Promise<number> => {
      const { id } = await create({ name }, other);
      await site.query('UPDATE tokens SET created_at = to_timestamp($2), expires_at = to_timestamp($3) WHERE id = $1', [
        ...[id, now() - ageSeconds, now() + leftSeconds],
      ]);
      return id;
    };
    const soon = await aged('old and soon', 90 * day, 6 * day);
    await aged('old and later', 90 * day, 8 * day);
    await aged('short and late', 76_000, 10_000);
    await aged('short and early', 30_000, 50_000);
    await aged('gone', 90 * day, -day);
    const posted: Array<[number, string[]]> = [];
    const notices = {
      keysExpire: async (
        _manager: Pick<EntityManager, 'query'>,
        userId: number,
        keys: ReadonlyArray<{ name: string }>,
      ) => void posted.push([userId, keys.map(({ name }) => name)]),
    };
    const clock = { now: () => Date.now() };
    const report = (error: unknown): void => {
      throw error;
    };
    const watch = () => new TokenExpiryWatch({ database: site.dataSource, notices, clock, report });
    const nodes = [watch(), watch(), watch()];
    await Promise.all(nodes.map((node) => node.run()));
    expect(posted).toEqual([[other.id, ['old and soon', 'short and late']]]);
    await watch().run();
    expect(posted).toHaveLength(1);
    await site.query("UPDATE tokens SET expires_at = expires_at - interval '1 minute' WHERE id = $1", [soon]);
    await watch().run();
    expect(posted.slice(1)).toEqual([[other.id, ['old and soon']]]);
  });
});
