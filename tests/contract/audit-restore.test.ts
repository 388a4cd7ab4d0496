import { operator } from './operator.js';
import { Site, type Person } from './site.js';

/** Changes of the audit log that are undone. */
let site: Site;
let root: Person;
let user: Person;
beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  user = await site.invite(root);
});
afterAll(() => site.stop());

/** The id of the newest entry of an object. */
async function lastEntry(subject: string, id: number): Promise<string> {
  const query = `{ auditEntries(filter: { subjects: [${subject}], subjectIds: ["${id}"] }, pageSize: 1) { items { id } } }`;
  const { data } = await site.graphql(root, query);
  return (data?.['auditEntries'] as { items: Array<{ id: string }> }).items[0]?.id ?? '';
}

async function restore(id: string, by = root) {
  const { data, codes, text } = await site.graphql(by, `mutation { restoreAuditEntry(id: "${id}") { restored kept } }`);
  return { ...(data?.['restoreAuditEntry'] as { restored: string[]; kept: string[] } | undefined), codes, text };
}

async function newChannel(): Promise<number> {
  return site.server.api.createChannel(root, {
    baseUrl: 'https://provider.example',
    key: 'sk-planted-first-key',
    models: ['gpt-4o', 'gpt-4.1'],
    more: { tag: 't', model_mapping: '{"a":"b"}', priority: 3 },
  });
}
const rowOf = async (id: number) => (await site.query(`SELECT * FROM channels WHERE id = $1`, [id]))[0];

it('gives every field of a channel its former value, records and announces it', async () => {
  const id = await newChannel();
  const before = await rowOf(id);
  const update = `mutation { updateChannel(input: {
    id: ${id}, name: "other", models: ["gpt-5"], groups: ["default", "vip"], priority: 9, weight: 4, tag: null, autoDisable: false,
    modelMapping: [], cost: { factor: 1.3 }, limits: { key: { requestsPerMinute: 6 } }, maxInputTokens: 100,
    headers: { x: "y" }, timeouts: { idleSeconds: 3 } }) { channel { id } } }`;
  const updated = await site.graphql(root, update);
  expect(updated.text).not.toContain('errors');
  const changed = await rowOf(id);
  const { restored, kept, codes } = await restore(await lastEntry('CHANNEL', id));
  expect(codes).toEqual([]);
  expect([restored?.includes('cost'), restored?.includes('models'), restored?.includes('headers'), kept]).toEqual([
    ...[true, true, true, []],
  ]);
  expect(await rowOf(id)).toEqual(before);
  // The restore is a change itself, which can be undone.
  expect((await restore(await lastEntry('CHANNEL', id))).codes).toEqual([]);
  expect(await rowOf(id)).toEqual(changed);
});

const put = (id: number, change: object) => site.expectSuccess(root, 'PUT', '/api/channel/', { id, ...change });

it('leaves the key, which the audit log does not have', async () => {
  const id = await newChannel();
  await put(id, { weight: 2, key: 'sk-planted-second-key' });
  const changed = (await rowOf(id)) as object;
  expect(await restore(await lastEntry('CHANNEL', id))).toMatchObject({ restored: ['weight'], kept: ['key'] });
  expect(await rowOf(id)).toEqual({ ...changed, weight: 0 });
});

describe('where keys are sent', () => {
  const other = 'https://other.example';
  const newKey = { key: 'sk-planted-second-key' };

  it.each([
    ['the key that came with the address', [{ base_url: other, ...newKey }]],
    ['a key that came later', [{ base_url: other }, newKey]],
    ['a key in an override', [{ base_url: other, param_override: '{"api_key":"sk-planted-fourth-key"}' }]],
    ['the key that came with another provider', [{ type: 20, ...newKey }]],
    ['the key that came with a proxy', [{ setting: '{"proxy":"http://proxy.example:3128"}', ...newKey }]],
  ])('is never the former place for %s', async (_, [first, ...later]) => {
    const id = await newChannel();
    await put(id, first as object);
    const entry = await lastEntry('CHANNEL', id);
    for (const change of later) await put(id, change);
    const changed = await rowOf(id);
    const { codes, text } = await restore(entry);
    expect(codes).toEqual(['CONFLICT']);
    expect(text).toContain('would be sent to the former destination');
    expect(await rowOf(id)).toEqual(changed);
  });

  it('is restored while the key is that of before', async () => {
    const id = await newChannel();
    await put(id, newKey);
    const before = await rowOf(id);
    await put(id, { base_url: other });
    expect((await restore(await lastEntry('CHANNEL', id))).codes).toEqual([]);
    expect(await rowOf(id)).toEqual(before);
  });
});

it('checks former values as those of any other change', async () => {
  const id = await newChannel();
  await site.query(`UPDATE channels SET name = '' WHERE id = $1`, [id]);
  await put(id, { name: 'named' });
  const { codes, text } = await restore(await lastEntry('CHANNEL', id));
  expect([codes, text]).toEqual([['INVALID_INPUT'], expect.stringContaining('Channel name must not be empty')]);
  expect(await rowOf(id)).toMatchObject({ name: 'named' });
});

it('disables a channel that the server had disabled', async () => {
  const id = await newChannel();
  await site.query(`UPDATE channels SET status = 'autoDisabled' WHERE id = $1`, [id]);
  await put(id, { status: 1 });
  expect(await restore(await lastEntry('CHANNEL', id))).toMatchObject({ restored: ['status'] });
  expect(await rowOf(id)).toMatchObject({ status: 'disabled' });
});

it('refuses an entry that has a long table in parts', async () => {
  const id = await newChannel();
  const mapping = Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`model-${at}`, 'x'.repeat(100)]));
  await put(id, { model_mapping: JSON.stringify(mapping) });
  await put(id, { model_mapping: '{}', weight: 2 });
  expect((await restore(await lastEntry('CHANNEL', id))).codes).toEqual(['INVALID_INPUT']);
  expect(await rowOf(id)).toMatchObject({ model_mapping: {}, weight: 2 });
});

it('refuses a field that another request is changing', async () => {
  const id = await newChannel();
  await put(id, { weight: 5 });
  const entry = await lastEntry('CHANNEL', id);
  const waiting = async () =>
    (await site.query<{ count: number }>('SELECT count(*)::int FROM pg_locks WHERE NOT granted'))[0]?.count;
  const restoring = await site.dataSource.transaction(async (manager) => {
    await manager.query('UPDATE channels SET weight = 8 WHERE id = $1', [id]);
    const started = restore(entry);
    while ((await waiting()) === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    return { started };
  });
  expect((await restoring.started).codes).toEqual(['CONFLICT']);
  expect(await rowOf(id)).toMatchObject({ weight: 8 });
});

it('restores the state and the group of an API key together', async () => {
  const { id } = await site.server.api.createToken(user, { name: 'both', unlimited_quota: true });
  const entry = async (group: string) => {
    const changes = [
      { field: 'group', before: group, after: '' },
      { field: 'status', before: 'disabled', after: 'enabled' },
    ];
    const [row] = await site.query<{ id: string }>(
      `INSERT INTO audit_entries (actor_id, actor_name, action, subject, subject_id, changes)
       VALUES (1, 'root', 'update', 'token', $1, $2) RETURNING id`,
      [String(id), JSON.stringify(changes)],
    );
    return row?.id ?? '';
  };
  expect((await restore(await entry('no-such-group'))).codes).toEqual(['INVALID_INPUT']);
  const state = async () => (await site.query('SELECT status, "group" FROM tokens WHERE id = $1', [id]))[0];
  expect(await state()).toEqual({ status: 'enabled', group: '' });
  expect((await restore(await entry('default'))).codes).toEqual([]);
  expect(await state()).toEqual({ status: 'disabled', group: 'default' });
});

it('refuses a field that has changed since, and changes nothing', async () => {
  const id = await newChannel();
  const set = (priority: number) =>
    site.expectSuccess(root, 'PUT', '/api/channel/', { id, priority, weight: priority });
  await set(5);
  const entry = await lastEntry('CHANNEL', id);
  await site.expectSuccess(root, 'PUT', '/api/channel/', { id, weight: 6 });
  const { codes, text } = await restore(entry);
  expect(codes).toEqual(['CONFLICT']);
  expect(text).toContain('weight has changed since');
  expect(await rowOf(id)).toMatchObject({ priority: 5, weight: 6 });
});

it('restores the account of a user and the group and state of an API key', async () => {
  await site.expectSuccess(root, 'PUT', '/api/user/', { id: user.id, group: 'vip', display_name: 'Ada' });
  expect(await restore(await lastEntry('USER', user.id))).toMatchObject({
    restored: ['displayName', 'group'],
    kept: [],
  });
  expect((await site.query('SELECT "group" FROM users WHERE id = $1', [user.id]))[0]).toEqual({ group: 'default' });

  const { id } = await site.server.api.createToken(user, { name: 'dev', unlimited_quota: true });
  const bulk = await site.graphql(root, `mutation { disableTokens(ids: [${id}]) { done } }`);
  expect(bulk.codes).toEqual([]);
  expect(await restore(await lastEntry('TOKEN', id))).toMatchObject({ restored: ['status'] });
  expect((await site.query('SELECT status FROM tokens WHERE id = $1', [id]))[0]).toEqual({ status: 'enabled' });
});

it('never takes a masked or hidden value for the former one', async () => {
  const id = await newChannel();
  const withPassword = { proxy: 'http://someone:planted-word@proxy.example:3128' };
  await site.expectSuccess(root, 'PUT', '/api/channel/', { id, setting: JSON.stringify(withPassword) });
  await site.expectSuccess(root, 'PUT', '/api/channel/', { id, setting: '', weight: 2 });
  const { restored, kept } = await restore(await lastEntry('CHANNEL', id));
  expect([restored, kept]).toEqual([['weight'], ['setting']]);
  await site.expectSuccess(root, 'PUT', '/api/channel/', { id, key: 'sk-planted-third-key' });
  expect((await restore(await lastEntry('CHANNEL', id))).codes).toEqual(['INVALID_INPUT']);
});

it.each([
  ['a balance', () => site.expectSuccess(root, 'PUT', '/api/user/', { id: user.id, quota_delta: 500 }), 'USER'],
  ['a ban', () => site.expectSuccess(root, 'POST', '/api/user/manage', { id: user.id, action: 'disable' }), 'USER'],
])('does not restore %s, which has ways of its own', async (_, change, subject) => {
  await change();
  expect((await restore(await lastEntry(subject, user.id))).codes).toEqual(['INVALID_INPUT']);
});

it('does not bring deleted objects back, and knows no entry that is not there', async () => {
  const id = await newChannel();
  await site.expectSuccess(root, 'DELETE', `/api/channel/${id}`);
  expect((await restore(await lastEntry('CHANNEL', id))).codes).toEqual(['INVALID_INPUT']);
  for (const none of ['999999999', '0', 'x', '1e3', '99999999999999999999']) {
    expect((await restore(none)).codes).toEqual(['NOT_FOUND']);
  }
});

it('needs the permission of the change beside that of the audit log', async () => {
  const id = await newChannel();
  await site.expectSuccess(root, 'PUT', '/api/channel/', { id, weight: 7 });
  const entry = await lastEntry('CHANNEL', id);
  expect((await restore(entry, await site.invite(root))).codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
  const reader = await operator(site, root, ['audit', 'channels.read']);
  expect((await restore(entry, reader)).codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
  expect(await rowOf(id)).toMatchObject({ weight: 7 });
  const writer = await operator(site, root, ['audit', 'channels.read', 'channels.write']);
  expect((await restore(entry, writer)).codes).toEqual([]);
});
