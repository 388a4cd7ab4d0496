import { customRole } from './operator.js';
import { Site, type Person } from './site.js';

/**
 * Changes of many API keys at once: the caller's own keys, and keys of users whom an admin outranks. The response names
 * every key in exactly one of its two lists.
 */

let site: Site;
let root: Person;
let admin: Person;
let owner: Person;
let stranger: Person;
let ids: readonly number[];

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  admin = await site.invite(root, 'admin');
  owner = await site.invite(root);
  stranger = await site.invite(root);
});
afterAll(() => site.stop());
beforeEach(async () => {
  ids = [await create(owner), await create(owner), await create(owner)];
});

let last = 0;
async function create(by: Person, more = ''): Promise<number> {
  const document = `mutation { createToken(input: { name: "key ${++last}"${more} }) { token { id } } }`;
  const { data, text } = await site.graphql(by, document);
  if (!data) throw new Error(text);
  return (data['createToken'] as { token: { id: number } }).token.id;
}

interface Outcome {
  readonly done: readonly number[];
  readonly failed: ReadonlyArray<{ readonly id: number; readonly code: string; readonly message: string }>;
}

async function change(by: Person | null, field: string, given: readonly number[], more = '') {
  const document = `mutation ($ids: [Int!]!) { outcome: ${field}(${more ? `input: { ids: $ids${more} }` : 'ids: $ids'}) { done failed { id code } } }`;
  const { data, codes } = await site.graphql(by, document, { ids: given });
  return { ...(data?.['outcome'] as Outcome | undefined), codes };
}
const rows = (of: readonly number[] = ids) =>
  site.query<{ status: string; group: string; gone: boolean }>(
    'SELECT status, "group", deleted_at IS NOT NULL AS gone FROM tokens WHERE id = ANY($1) ORDER BY id',
    [of],
  );
const audited = (of: readonly number[] = ids) =>
  site.query(
    `SELECT action, subject_id::int AS id, actor_id AS actor, changes FROM audit_entries
      WHERE subject = 'token' AND subject_id = ANY($1) ORDER BY audit_entries.id`,
    [of.map(String)],
  );
const all = (codes: string, of = ids) => of.map((id) => ({ id, code: codes }));
const untouched = { status: 'enabled', group: '', gone: false };

const operations: ReadonlyArray<[field: string, more: string, changed: object]> = [
  ['disableTokens', '', { status: 'disabled', group: '', gone: false }],
  ['setTokenGroup', ', group: "default"', { status: 'enabled', group: 'default', gone: false }],
  ['deleteTokens', '', { status: 'enabled', group: '', gone: true }],
];

describe.each(operations)('%s', (field, more, changed) => {
  it('changes the caller’s own keys, writes an entry for each, and does the same once more without one', async () => {
    expect(await change(owner, field, ids, more)).toEqual({ done: ids, failed: [], codes: [] });
    expect(await rows()).toEqual([changed, changed, changed]);
    const entries = await audited();
    expect(entries).toHaveLength(3);
    expect(entries).toMatchObject(ids.map((id) => ({ id, actor: owner.id })));
    expect(await change(owner, field, ids, more)).toEqual({ done: ids, failed: [], codes: [] });
    expect(await rows()).toEqual([changed, changed, changed]);
    expect(await audited()).toEqual(entries);
  });

  it('changes the others where one is not the caller’s or does not exist', async () => {
    const foreign = await create(stranger);
    const [first = 0, second = 0] = ids;
    const given = [first, foreign, second, 2_000_000_000, -1, first];
    expect(await change(owner, field, given, more)).toEqual({
      done: [first, second],
      failed: all('NOT_FOUND', [foreign, 2_000_000_000, -1]),
      codes: [],
    });
    expect(await rows([...ids, foreign])).toEqual([changed, changed, untouched, untouched]);
  });

  it('changes nothing of another common user, and does not tell which keys exist', async () => {
    expect(await change(stranger, field, ids, more)).toEqual({ done: [], failed: all('NOT_FOUND'), codes: [] });
    expect(await rows()).toEqual([untouched, untouched, untouched]);
    expect(await audited()).toEqual([]);
  });

  it('changes keys of lower users for an admin, not those of admins and root', async () => {
    const high = [await create(root), await create(await site.invite(root, 'admin'))];
    const own = await create(admin);
    expect(await change(admin, field, [...ids, ...high, own], more)).toEqual({
      done: [...ids, own],
      failed: all('INSUFFICIENT_PRIVILEGES', high),
      codes: [],
    });
    expect(await rows()).toEqual([changed, changed, changed]);
    expect(await rows(high)).toEqual([untouched, untouched]);
    expect(await audited()).toMatchObject(ids.map((id) => ({ id, actor: admin.id })));
  });

  it('is closed without a session', async () => {
    expect((await change(null, field, ids, more)).codes).toEqual(['NOT_SIGNED_IN']);
    expect(await rows()).toEqual([untouched, untouched, untouched]);
  });

  it.each([
    ['no ids', []],
    ['more than 100 ids', Array.from({ length: 101 }, (_, index) => index + 1)],
  ])('refuses %s', async (_, given) => {
    expect((await change(root, field, given, more)).codes).toEqual(['INVALID_INPUT']);
  });
});

it('opens keys of others to operators who may change users, not to those who may read them', async () => {
  for (const [permission, code] of [
    ['users.read', 'NOT_FOUND'],
    ['users.write', undefined],
  ] as const) {
    const operator = await site.invite(root);
    const role = await customRole(site, root, [permission]);
    await site.graphql(
      root,
      `mutation { giveCustomRole(input: { userId: ${operator.id}, customRoleId: ${role} }) { user { id } } }`,
    );
    const { done, failed } = await change(operator, 'disableTokens', ids);
    expect([permission, done, failed]).toEqual([permission, code ? [] : ids, code ? all(code) : []]);
  }
});

it('makes a key without a quota unlimited, not dead', async () => {
  const made = (quota: string) =>
    site.graphql(owner, `mutation { createToken(input: { name: "q"${quota} }) { token { quota { remaining } } } }`);
  const left = (remaining: number | null) => ({ createToken: { token: { quota: { remaining } } } });
  expect((await made('')).data).toEqual(left(null));
  expect((await made(', quota: null')).data).toEqual(left(null));
  expect((await made(', quota: 0')).data).toEqual(left(0));
  expect((await made(', quota: 700')).data).toEqual(left(700));
});

it('enables keys, and names the reason for those that have expired or are used up', async () => {
  const [first = 0, expired = 0, exhausted = 0] = ids;
  await change(owner, 'disableTokens', [first]);
  await site.query("UPDATE tokens SET status = 'expired', expires_at = to_timestamp(1000) WHERE id = $1", [expired]);
  await site.query("UPDATE tokens SET status = 'exhausted', unlimited_quota = false WHERE id = $1", [exhausted]);
  const document = `mutation ($ids: [Int!]!) { enableTokens(ids: $ids) { done failed { id message } } }`;
  const { data } = await site.graphql(owner, document, { ids });
  expect(data?.['enableTokens']).toEqual({
    done: [first],
    failed: [
      { id: expired, message: 'Token expired, change its expiry first' },
      { id: exhausted, message: 'Token quota exhausted, change its quota first' },
    ],
  });
  expect(await rows()).toMatchObject([{ status: 'enabled' }, { status: 'expired' }, { status: 'exhausted' }]);
});

it('moves a key only to a group that its owner can use, also for root', async () => {
  // The group `hidden` is in the price table, but only its own users may use it.
  const set = (key: string, value: object) =>
    site.expectSuccess(root, 'PUT', '/api/option/', { key, value: JSON.stringify(value) });
  await set('GroupRatio', { default: 1, vip: 1, hidden: 1 });
  await set('UserUsableGroups', { default: 'Default', vip: 'VIP' });
  const other = await create(stranger);
  await site.query(`UPDATE users SET "group" = 'hidden' WHERE id = $1`, [stranger.id]);
  expect(await change(owner, 'setTokenGroup', ids, ', group: "hidden"')).toMatchObject({
    done: [],
    failed: all('INVALID_INPUT'),
  });
  expect(await change(root, 'setTokenGroup', [...ids, other], ', group: "hidden"')).toMatchObject({
    done: [other],
    failed: all('INVALID_INPUT'),
  });
  expect(await change(root, 'setTokenGroup', ids, ', group: "vip"')).toMatchObject({ done: ids, failed: [] });
  expect(await rows()).toMatchObject([{ group: 'vip' }, { group: 'vip' }, { group: 'vip' }]);
  expect(await change(owner, 'setTokenGroup', ids, ', group: null')).toMatchObject({ done: ids, failed: [] });
  expect(await rows()).toMatchObject([{ group: '' }, { group: '' }, { group: '' }]);
});

it('stops a disabled key at once, and starts an enabled one', async () => {
  const document = 'mutation { createToken(input: { name: "x", quota: null }) { key token { id } } }';
  const { data } = await site.graphql(owner, document);
  const { key, token } = data?.['createToken'] as { key: string; token: { id: number } };
  const models = async () => {
    const headers = { authorization: `Bearer ${key}` };
    return (await fetch(`${site.server.url}/v1/models`, { headers })).status;
  };
  expect(await models()).toBe(200);
  await change(owner, 'disableTokens', [token.id]);
  expect(await models()).toBe(401);
  await change(owner, 'enableTokens', [token.id]);
  expect(await models()).toBe(200);
});
