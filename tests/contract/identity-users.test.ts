import { Site, type Person } from './site.js';

let site: Site;
let root: Person;
let admin: Person;
let user: Person;
beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  admin = await site.invite(root, 'admin');
});
beforeEach(async () => (user = await site.invite(root)));
afterAll(() => site.stop());

/** Runs tests of counts over all users on a site without other users. */
async function alone(run: () => Promise<void>): Promise<void> {
  const shared = { site, root, admin, user };
  site = await Site.open();
  root = await site.setUp();
  admin = await site.invite(root, 'admin');
  user = await site.invite(root);
  await run().finally(() => site.stop());
  ({ site, root, admin, user } = shared);
}

interface List {
  items: Array<{ id: number; username: string; DeletedAt: string | null }>;
  total: number;
  page: number;
  page_size: number;
}

const list = async (path: string, person = admin): Promise<List> => {
  const answer = await site.rest(person, 'GET', `/api/user${path}`);
  expect(answer.body['success']).toBe(true);
  return answer.body.data as List;
};
const quotaOf = async (id: number) =>
  Number((await site.query<{ quota: string }>('SELECT quota FROM users WHERE id = $1', [id]))[0]?.quota);
const logsOf = (id: number) =>
  site.query<{ type: number; content: string; quota: string; other: string }>(
    'SELECT type, content, quota, other FROM logs WHERE user_id = $1 ORDER BY created_at, id',
    [id],
  );

describe('GET /api/user/', () => {
  it('pages from 1, newest first, deleted users included', () =>
    alone(async () => {
      await site.expectSuccess(root, 'POST', '/api/user/manage', { id: user.id, action: 'delete' });
      const first = await list('/?p=1&page_size=2');
      expect(first).toMatchObject({ total: 3, page: 1, page_size: 2 });
      expect(first.items.map(({ id }) => id)).toEqual([user.id, admin.id]);
      expect(first.items[0]?.DeletedAt).toMatch(/^\d{4}-/);
      expect((await list('?p=2&page_size=2')).items.map(({ id }) => id)).toEqual([root.id]);
      expect((await list('/?p=3&page_size=2')).items).toEqual([]);
    }));

  it.each([
    ['', 1, 10],
    ['?p=0&page_size=0', 1, 10],
    ['?p=NaN&page_size=NaN', 1, 10],
    ['?p=-5&page_size=-1', 1, 10],
    ['?p=1&page_size=100000', 1, 100],
    ['?p=99999999999999999999&page_size=1e3', 1, 10],
  ])('takes %s for page %d of %d', async (query, page, size) => {
    expect(await list(query)).toMatchObject({ page, page_size: size });
  });
});

describe('GET /api/user/search', () => {
  it('finds parts of names, addresses and display names, whole ids and groups', () =>
    alone(async () => {
      await site.query(
        `UPDATE users SET email = 'Someone@Example.com', display_name = '50%_off', "group" = 'vip' WHERE id = $1`,
        [user.id],
      );
      const found = async (query: string) => (await list(`/search?${query}`)).items.map(({ id }) => id);
      expect(await found(`keyword=${user.username.slice(1, 6)}`)).toContain(user.id);
      expect(await found('keyword=someone%40exam')).toEqual([user.id]);
      expect(await found(`keyword=${user.id}`)).toContain(user.id);
      expect(await found('group=vip')).toEqual([user.id]);
      expect(await found('keyword=root&group=vip')).toEqual([]);
      expect(await found('keyword=')).toHaveLength(3);
      // Wildcards of SQL are ordinary characters here.
      expect(await found('keyword=50%25_o')).toEqual([user.id]);
      expect(await found('keyword=%25')).toEqual([user.id]);
      expect(await found('keyword=_')).toEqual([user.id]);
      expect(await found('keyword=%00')).toHaveLength(3);
      expect(await found("keyword='%20OR%201=1--")).toEqual([]);
      expect(await found('keyword=99999999999999')).toEqual([]);
    }));
});

describe('GET /api/user/:id', () => {
  it('shows users below the caller only', async () => {
    const other = await site.invite(root, 'admin');
    expect((await site.rest(admin, 'GET', `/api/user/${user.id}`)).body.data).toMatchObject({ id: user.id });
    for (const id of [admin.id, other.id, root.id]) {
      expect((await site.rest(admin, 'GET', `/api/user/${id}`)).body).toMatchObject({
        success: false,
        message: 'No permission to read a user of the same or a higher level',
      });
      expect((await site.rest(root, 'GET', `/api/user/${id}`)).body.data).toMatchObject({ id });
    }
  });

  it.each(['0', '-1', '999999', '99999999999999999999'])('finds nothing for %s', async (id) => {
    const answer = await site.rest(admin, 'GET', `/api/user/${id}`);
    expect([answer.status, answer.body]).toMatchObject([200, { success: false, code: 'NOT_FOUND' }]);
  });

  it('does not find the deleted', async () => {
    await site.expectSuccess(root, 'POST', '/api/user/manage', { id: user.id, action: 'delete' });
    expect((await site.rest(root, 'GET', `/api/user/${user.id}`)).body).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('keeps the secret of the user’s webhook to its owner', async () => {
    const webhook = { notify_type: 'webhook', webhook_url: 'https://hooks.example.com/a', webhook_secret: 'hush' };
    await site.expectSuccess(user, 'PUT', '/api/user/setting', { ...webhook, quota_warning_threshold: 5 });
    for (const path of [`/api/user/${user.id}`, '/api/user/', `/api/user/search?keyword=${user.username}`]) {
      const text = JSON.stringify((await site.rest(root, 'GET', path)).body);
      expect(text).toContain('notify_type');
      expect(text).not.toMatch(/hush|webhook_secret/);
    }
    const setting = 'setting { hasWebhookSecret webhookUrl }';
    const query = `{ user(id: ${user.id}) { ${setting} } users { items { ${setting} } } }`;
    expect((await site.graphql(root, query)).text).not.toContain('hush');
    expect((await site.graphql(root, query)).data?.['user']).toMatchObject({ setting: { hasWebhookSecret: true } });
    expect((await site.graphql(user, `{ me { ${setting} } }`)).data?.['me']).toMatchObject({
      setting: { hasWebhookSecret: true },
    });
  });
});

describe('POST /api/user/', () => {
  it('makes a common user with the start quota in the ledger', async () => {
    await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'QuotaForNewUser', value: 1000 });
    const answer = await site.rest(admin, 'POST', '/api/user/', {
      username: ' bob ',
      password: 'bob has a password',
      role: 1,
      quota: 5e9,
      status: 2,
    });
    await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'QuotaForNewUser', value: 0 });
    const [row] = await site.query<{ id: number }>(`SELECT * FROM users WHERE username = 'bob'`);
    expect(answer.body).toEqual({ success: true, message: '', data: { id: row?.id } });
    expect(row).toMatchObject({
      display_name: 'bob',
      role: 'common',
      status: 'enabled',
      quota: '1000',
      inviter_id: null,
    });
    expect(await site.query('SELECT source, amount FROM ledger_entries WHERE user_id = $1', [row?.id])).toEqual([
      { source: `opening:user:${row?.id}`, amount: '1000' },
    ]);
    const logs = await logsOf(row?.id ?? 0);
    // Clients add up the amounts of credits, so these rows have an amount.
    expect(logs.map(({ type, content, quota }) => [type, content, quota])).toEqual([
      [4, 'New user bonus $0.002000 quota', '1000'],
      [3, 'Administrator created user bob', '0'],
    ]);
    expect(JSON.parse(logs[1]?.other ?? '')).toEqual({
      admin_info: { admin_id: admin.id, admin_username: admin.username },
    });
  });

  it.each([
    ['Invalid parameter', '{'],
    ['Invalid parameter', { username: '', password: 'long enough' }],
    ['Invalid parameter', { username: 'bob' }],
    ['Invalid input', { username: 'bob', password: 'short' }],
    ['Invalid input', { username: 'b@b', password: 'long enough' }],
    ['Invalid input', { username: 'bob', password: 'long enough', display_name: 'x'.repeat(21) }],
    [
      'Cannot create a user with privileges equal to or above your own',
      { username: 'bob', password: 'long enough', role: 10 },
    ],
    ['Username exists or has been deactivated', { username: 'root', password: 'long enough' }],
  ])('refuses: %s', async (message, body) => {
    const before = await site.query('SELECT count(*)::int AS n FROM users');
    const answer = await site.rest(admin, 'POST', '/api/user/', body);
    expect([answer.status, answer.body]).toMatchObject([
      200,
      { success: false, message: expect.stringContaining(message) },
    ]);
    expect(await site.query('SELECT count(*)::int AS n FROM users')).toEqual(before);
  });
});

describe('PUT /api/user/', () => {
  const put = (person: Person, body: Record<string, unknown>) => site.rest(person, 'PUT', '/api/user/', body);

  it('writes names, group and password, and leaves the rest', async () => {
    const body = { username: 'carol', display_name: 'Carol', group: 'vip', password: 'carol’s new one', role: 1 };
    expect((await put(admin, { id: user.id, ...body, status: 2, email: 'x@y.zz', aff_quota: 9 })).body).toEqual({
      success: true,
      message: '',
    });
    const [row] = await site.query('SELECT * FROM users WHERE id = $1', [user.id]);
    expect(row).toMatchObject({
      username: 'carol',
      display_name: 'Carol',
      group: 'vip',
      status: 'enabled',
      email: '',
      aff_quota: '0',
    });
    expect((await site.rest(user, 'GET', '/api/user/self')).status).toBe(401);
    await site.signIn('carol', 'carol’s new one');
  });

  it('leaves one row in the log for a changed quota, and none for a form that changes nothing', async () => {
    const { data } = (await site.expectSuccess(admin, 'GET', `/api/user/${user.id}`)).body;
    const form = data as { quota: number };
    const before = (await logsOf(user.id)).length;
    await site.expectSuccess(admin, 'PUT', '/api/user/', { ...form });
    await site.expectSuccess(admin, 'PUT', '/api/user/', { ...form, quota: form.quota + 5 });
    await site.expectSuccess(admin, 'PUT', '/api/user/', { id: user.id, display_name: 'Renamed', group: 'vip' });
    expect((await logsOf(user.id)).slice(before).map(({ content }) => content)).toEqual([
      expect.stringMatching(/^Administrator changed quota from /),
      'Administrator edited user: displayName, group',
    ]);
    const entries = await site.query<{ action: string }>(
      `SELECT action FROM audit_entries WHERE subject = 'user' AND subject_id = $1 ORDER BY id`,
      [String(user.id)],
    );
    expect(entries.map(({ action }) => action).slice(-2)).toEqual(['grant', 'update']);
  });

  it('takes back names that a user of another program has, as forms send them with the whole user', async () => {
    const names = { username: `moved-${user.id}@mail.example`, display_name: 'Wolfeschlegelsteinhausenbergerdorff' };
    await site.query('UPDATE users SET username = $2, display_name = $3 WHERE id = $1', [
      ...[user.id, names.username, names.display_name],
    ]);
    const { data } = (await site.expectSuccess(admin, 'GET', `/api/user/${user.id}`)).body;
    const change = (body: object) => site.rest(admin, 'PUT', '/api/user/', { ...(data as object), ...body });
    expect((await change({ quota: 5 })).body).toEqual({ success: true, message: '' });
    expect((await site.expectSuccess(admin, 'GET', `/api/user/${user.id}`)).body.data).toMatchObject({
      ...names,
      quota: 5,
    });
    expect((await change({ display_name: `${names.display_name}!` })).body.message).toContain('at most 20');
    expect((await change({ username: `x${names.username}` })).body.message).toContain('must not contain @');
    const own = { ...names, display_name: names.display_name };
    expect((await site.rest(user, 'PUT', '/api/user/self', { ...own, password: '' })).body).toMatchObject({
      success: true,
    });
  });

  it('keeps what was spent, and what was credited, since a form was loaded', async () => {
    await site.expectSuccess(admin, 'PUT', '/api/user/', { id: user.id, quota: 500_000 });
    const load = async () =>
      (await site.rest(admin, 'GET', `/api/user/${user.id}`)).body.data as Record<string, unknown>;
    const save = async (form: Record<string, unknown>, by = admin): Promise<number> => {
      await site.expectSuccess(by, 'PUT', '/api/user/', form);
      return quotaOf(user.id);
    };
    const loaded = await load();
    expect([loaded['quota'], (await list(`/search?keyword=${user.username}`)).items[0]]).toMatchObject([
      500_000,
      { quota: 500_000, ungranted_quota: loaded['ungranted_quota'] },
    ]);
    // A call is charged in the meantime.
    await site.query('UPDATE users SET quota = quota - 150, used_quota = used_quota + 150 WHERE id = $1', [user.id]);
    // The edit form of the older console sends the whole user.
    expect(await save({ ...loaded, password: '', display_name: 'Alice2' })).toBe(499_850);
    // The form changes the quota. The change counts once, however often the form is saved.
    expect(await save({ ...loaded, quota: 600_000 })).toBe(599_850);
    expect(await save({ ...loaded, quota: 600_000 })).toBe(599_850);
    expect(await save({ ...loaded, quota: 500_000 })).toBe(499_850);
    expect(await save({ ...loaded, quota: 0 })).toBe(-150);
    expect(await save({ ...loaded })).toBe(499_850);
    // A grant by another admin is kept.
    expect(await save({ id: user.id, quota_delta: 1000 }, root)).toBe(500_850);
    expect(await save({ ...loaded, display_name: 'Alice3' })).toBe(500_850);
    expect(await load()).toMatchObject({ quota: 500_850 });
    expect(await save({ ...(await load()), quota: 7 })).toBe(7);
    // Without the quota that the form loaded, a quota is absolute.
    expect(await save({ id: user.id, quota: 100 })).toBe(100);
    for (const wrong of [1.5, '5', 1e300, -9e15]) {
      const body = { ...loaded, quota: 9e15, ungranted_quota: wrong };
      expect((await put(admin, body)).body).toMatchObject({ success: false, code: 'INVALID_INPUT' });
    }
    const [sums] = await site.query<{ sum: string }>(
      `SELECT sum(amount) AS sum FROM ledger_entries WHERE user_id = $1 AND account = 'user'`,
      [user.id],
    );
    expect(sums?.sum).toBe('250');
  });

  it('moves the balance by the difference, through the ledger and with a line in the log', async () => {
    await site.expectSuccess(admin, 'PUT', '/api/user/', { id: user.id, quota: 500_000 });
    await site.expectSuccess(admin, 'PUT', '/api/user/', { id: user.id, quota: 200_000 });
    await site.expectSuccess(admin, 'PUT', '/api/user/', { id: user.id, quota: 999, quota_delta: 50_000 });
    await site.expectSuccess(admin, 'PUT', '/api/user/', { id: user.id });
    expect(await quotaOf(user.id)).toBe(250_000);
    const entries = await site.query(
      'SELECT amount, kind, actor_id FROM ledger_entries WHERE user_id = $1 ORDER BY id',
      [user.id],
    );
    expect(entries).toEqual([
      { amount: '0', kind: 'opening', actor_id: 0 },
      { amount: '500000', kind: 'admin_grant', actor_id: admin.id },
      { amount: '-300000', kind: 'admin_grant', actor_id: admin.id },
      { amount: '50000', kind: 'admin_grant', actor_id: admin.id },
    ]);
    expect((await logsOf(user.id)).map(({ content }) => content)).toContain(
      'Administrator changed quota from $1.000000 quota to $0.400000 quota',
    );
    // Credits have an amount, as codes and payments do. A deduction is not a credit.
    const rows = await site.query<{ quota: string }>(
      `SELECT quota FROM logs WHERE user_id = $1 AND content LIKE 'Administrator changed quota%' ORDER BY id`,
      [user.id],
    );
    expect(rows.map(({ quota }) => Number(quota))).toEqual([500_000, 0, 50_000]);
  });

  it.each([
    ['Invalid parameter', { id: 0 }],
    ['Invalid parameter', { quota: 5 }],
    ['Invalid parameter', { id: '3' }],
    ['Invalid parameter', { id: 3, quota: 1.5 }],
    ['Invalid parameter', { id: 3, quota: 1e300 }],
    ['Invalid input', { id: 3, quota: 9_000_000_000_000_001 }],
    ['Invalid input', { id: 3, username: 'x'.repeat(65) }],
    ['Invalid input', { id: 3, password: 'short' }],
    ['Username exists or has been deactivated', { id: 3, username: 'root' }],
    ['No permission to raise a user to your own level or above', { id: 3, role: 10 }],
    ['User 99999 does not exist', { id: 99999 }],
  ])('refuses: %s', async (message, body) => {
    const given: Record<string, unknown> = { ...body };
    if (given['id'] === 3) given['id'] = user.id;
    const answer = await put(admin, given);
    expect([answer.status, answer.body]).toMatchObject([
      200,
      { success: false, message: expect.stringContaining(message) },
    ]);
    expect(await quotaOf(user.id)).toBe(0);
  });

  it('keeps admins off each other, off themselves and off root', async () => {
    const other = await site.invite(root, 'admin');
    for (const id of [admin.id, other.id, root.id]) {
      expect((await put(admin, { id, quota: 5e9 })).body).toMatchObject({
        success: false,
        message: 'No permission to update a user of the same or a higher level',
      });
    }
    expect((await put(root, { id: admin.id, quota: 5 })).body).toMatchObject({ success: true });
    expect((await put(root, { id: root.id, quota: 5 })).body).toMatchObject({ success: true });
  });

  it('loses no grant when many come at once', async () => {
    const grant = (n: number): string =>
      `mutation { grantQuota(input: { userId: ${user.id}, amount: 10, idempotencyKey: "grant ${n}" }) { user { quota } } }`;
    const edits = Array.from({ length: 10 }, () => put(admin, { id: user.id, quota_delta: 1 }));
    // Each grant is sent twice, as by a client that retries.
    const grants = Array.from({ length: 20 }, (_, n) => site.graphql(root, grant(n % 10)));
    await Promise.all([...edits, ...grants]);
    expect(await quotaOf(user.id)).toBe(110);
  });
});

describe('POST /api/user/manage', () => {
  const manage = (person: Person, id: number, action: string) =>
    site.rest(person, 'POST', '/api/user/manage', { id, action });

  it('answers the new role and status and nothing else', async () => {
    expect((await manage(admin, user.id, 'disable')).body.data).toMatchObject({
      id: 0,
      username: '',
      role: 1,
      status: 2,
    });
    expect((await manage(admin, user.id, 'enable')).body.data).toMatchObject({ role: 1, status: 1 });
    expect((await manage(root, user.id, 'promote')).body.data).toMatchObject({ role: 10, status: 1 });
    expect((await manage(root, user.id, 'demote')).body.data).toMatchObject({ role: 1, status: 1 });
    expect((await manage(root, user.id, 'delete')).body.data).toMatchObject({ role: 1, status: 1 });
    expect((await logsOf(user.id)).filter(({ content }) => content.startsWith('Administrator action'))).toHaveLength(5);
  });

  it('refuses', async () => {
    const peer = await site.invite(root, 'admin');
    const gone = await site.invite(root);
    await manage(root, gone.id, 'delete');
    const cases: Array<[Person, number, string, string]> = [
      [admin, user.id, 'explode', 'Unknown action'],
      [admin, 99999, 'enable', 'User 99999 does not exist'],
      [admin, peer.id, 'disable', 'No permission to update a user of the same or a higher level'],
      [admin, root.id, 'disable', 'No permission to update a user of the same or a higher level'],
      [admin, admin.id, 'demote', 'No permission to update a user of the same or a higher level'],
      [root, root.id, 'disable', 'Cannot disable the super admin'],
      [root, root.id, 'delete', 'Cannot delete the super admin'],
      [root, root.id, 'demote', 'Cannot demote the super admin'],
      [root, root.id, 'promote', 'User is already an administrator'],
      [admin, user.id, 'promote', 'Only the super admin may promote'],
      [root, admin.id, 'promote', 'User is already an administrator'],
      [root, user.id, 'demote', 'User is already a common user'],
      [root, gone.id, 'enable', 'User has been deleted'],
    ];
    const before = await site.query('SELECT id, role, status, deleted_at FROM users ORDER BY id');
    for (const [person, id, action, message] of cases) {
      const { status, body } = await manage(person, id, action);
      expect([action, status, body]).toMatchObject([action, 200, { success: false, message }]);
    }
    expect((await site.rest(admin, 'POST', '/api/user/manage', '{')).body).toMatchObject({ code: 'INVALID_INPUT' });
    expect(await site.query('SELECT id, role, status, deleted_at FROM users ORDER BY id')).toEqual(before);
  });

  it('makes one admin of two promotions at once', async () => {
    const answers = await Promise.all([manage(root, user.id, 'promote'), manage(root, user.id, 'promote')]);
    expect(answers.filter(({ body }) => body['success'] === true)).toHaveLength(1);
  });
});

describe('DELETE /api/user/:id', () => {
  it('removes a user below the caller for good', async () => {
    expect((await site.rest(admin, 'DELETE', `/api/user/${user.id}/`)).body).toEqual({ success: true, message: '' });
    expect(await site.query('SELECT 1 FROM users WHERE id = $1', [user.id])).toEqual([]);
    await site.expectSuccess(admin, 'POST', '/api/user/', { username: user.username, password: user.password });
  });

  it('removes nobody of the same or a higher level, and never root', async () => {
    const other = await site.invite(root, 'admin');
    for (const [person, id] of [
      [admin, admin.id],
      [admin, other.id],
      [admin, root.id],
      [root, root.id],
    ] as const) {
      expect((await site.rest(person, 'DELETE', `/api/user/${id}`)).body).toMatchObject({
        success: false,
        message: 'No permission to delete a user of the same or a higher level',
      });
    }
    expect((await site.rest(root, 'DELETE', `/api/user/${other.id}`)).body).toMatchObject({ success: true });
    expect((await site.rest(root, 'DELETE', '/api/user/999999')).body).toMatchObject({ code: 'NOT_FOUND' });
    expect((await site.rest(root, 'DELETE', '/api/user/abc')).status).toBe(404);
  });

  it('waits for calls in flight', async () => {
    await site.query(`INSERT INTO reservations (request_id, node_id, user_id, amount) VALUES ('r', 'n', $1, 0)`, [
      user.id,
    ]);
    expect((await site.rest(root, 'DELETE', `/api/user/${user.id}`)).body).toMatchObject({ code: 'CONFLICT' });
  });
});

describe('through GraphQL', () => {
  const query = `query($page: Int, $pageSize: Int, $after: String, $sort: [UserSort!], $filter: UserFilter) {
    users(page: $page, pageSize: $pageSize, after: $after, sort: $sort, filter: $filter) {
      totalCount totalCapped pageInfo { endCursor hasNextPage } items { id username }
    }
  }`;
  interface UserPage {
    readonly totalCount: number;
    readonly pageInfo: { readonly endCursor: string | null; readonly hasNextPage: boolean };
    readonly items: ReadonlyArray<{ readonly id: number }>;
  }
  async function list(variables: Record<string, unknown>): Promise<UserPage> {
    const { data, text } = await site.graphql(admin, query, variables);
    if (!data?.['users']) throw new Error(text);
    return data['users'] as UserPage;
  }
  const ids = async (variables: Record<string, unknown>): Promise<number[]> => {
    const page = await list(variables);
    return [page.totalCount, ...page.items.map(({ id }) => id)];
  };

  it('lists with page, sort and filter', () =>
    alone(async () => {
      await site.query("UPDATE users SET created_at = '2026-01-01T00:00:00Z' WHERE id = $1", [admin.id]);
      expect(await ids({})).toEqual([3, user.id, admin.id, root.id]);
      expect(await ids({ page: 1, pageSize: 2 })).toEqual([3, root.id]);
      expect(await ids({ sort: { field: 'QUOTA' }, pageSize: 1 })).toEqual([3, root.id]);
      expect(await ids({ sort: { field: 'CREATED_AT', direction: 'ASC' }, pageSize: 1 })).toEqual([3, admin.id]);
      expect(await ids({ filter: { roles: ['ADMIN'] } })).toEqual([1, admin.id]);
      expect(await ids({ filter: { roles: ['ADMIN', 'COMMON'] } })).toEqual([2, user.id, admin.id]);
      expect(await ids({ filter: { roles: [] } })).toEqual([0]);
      expect(await ids({ filter: { statuses: ['BANNED'] } })).toEqual([0]);
      expect(await ids({ filter: { ids: [root.id, 99_999] } })).toEqual([1, root.id]);
      expect(await ids({ filter: { quota: { below: 1 } } })).toEqual([2, user.id, admin.id]);
      expect(await ids({ filter: { quota: { atLeast: 1 } } })).toEqual([1, root.id]);
      expect(await ids({ filter: { isDeleted: true } })).toEqual([0]);
      const year = { from: '2026-01-01T00:00:00Z', until: '2026-01-01T00:00:01Z' };
      expect(await ids({ filter: { created: year } })).toEqual([1, admin.id]);
      expect(await ids({ filter: { created: { ...year, from: null, until: year.from } } })).toEqual([0]);
      expect((await site.graphql(admin, query, { sort: { field: 'PASSWORD_HASH' } })).codes).toEqual([
        'BAD_USER_INPUT',
      ]);
      const both = { filter: { created: { calendar: 'TODAY', from: year.from } } };
      expect((await site.graphql(admin, query, both)).codes).toEqual(['INVALID_INPUT']);
    }));

  it.each([
    { field: 'ID', direction: 'ASC' },
    { field: 'QUOTA', direction: 'DESC' },
    { field: 'CREATED_AT', direction: 'DESC' },
    { field: 'LAST_CHECK_IN_AT', direction: 'ASC' },
    { field: 'USERNAME', direction: 'DESC' },
  ])('reads on from a cursor as it reads by pages: %j', async (sort) => {
    await site.query(
      `INSERT INTO users (username, quota, last_check_in_time)
       SELECT 'page ' || $1 || n, n % 3, CASE WHEN n % 2 = 0 THEN now() - n * interval '1 millisecond' END
       FROM generate_series(1, 12) n`,
      [`${sort.field} `],
    );
    const filter = { keyword: `page ${sort.field}` };
    const byPage = (await list({ sort, filter, pageSize: 100 })).items.map(({ id }) => id);
    const byCursor: number[] = [];
    let after: string | null = null;
    do {
      const page: UserPage = await list({ sort, filter, pageSize: 4, after });
      byCursor.push(...page.items.map(({ id }) => id));
      after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
    } while (after !== null);
    expect(byPage).toHaveLength(12);
    expect(byCursor).toEqual(byPage);
  });

  it('refuses a cursor beside a page, of another sort, or made up', async () => {
    const { endCursor: after } = (await list({ pageSize: 1 })).pageInfo;
    for (const variables of [{ after, page: 0 }, { after, sort: { field: 'QUOTA' } }, { after: 'made up' }]) {
      const { codes, text } = await site.graphql(admin, query, variables);
      expect([codes, text]).toEqual([['INVALID_INPUT'], expect.stringContaining('"field":"after"')]);
    }
  });

  it('adds up all that match, not the page', () =>
    alone(async () => {
      await site.query('UPDATE users SET aff_quota = 7 WHERE id = ANY($1)', [[user.id, admin.id]]);
      await site.query(
        `INSERT INTO reservations (request_id, node_id, user_id, amount) VALUES ('s1', 'n', $1, 30), ('s2', 'n', $1, 4)`,
        [user.id],
      );
      const { data } = await site.graphql(
        admin,
        '{ users(pageSize: 1, filter: { roles: [COMMON, ADMIN] }) { sums { quota heldQuota inviteQuota usedQuota usd } } }',
      );
      expect(data).toEqual({ users: { sums: { quota: 0, heldQuota: 34, inviteQuota: 14, usedQuota: 0, usd: 0 } } });
    }));

  it('shows a user with enums, structure and null for none', async () => {
    await site.query("UPDATE users SET github_id = 'gh', inviter_id = $2, quota = 250000 WHERE id = $1", [
      user.id,
      admin.id,
    ]);
    await site.query(`INSERT INTO reservations (request_id, node_id, user_id, amount) VALUES ('h', 'n', $1, 5)`, [
      user.id,
    ]);
    const fields =
      'role status email balanceUsd quota heldQuota lastCheckInAt identities { provider subject } invite { count inviter { username } } setting { notifyType }';
    const { data } = await site.graphql(admin, `{ user(id: ${user.id}) { ${fields} } nobody: user(id: 99999) { id } }`);
    expect(data).toEqual({
      user: {
        role: 'COMMON',
        status: 'ENABLED',
        email: null,
        balanceUsd: 0.5,
        quota: 250_000,
        heldQuota: 5,
        lastCheckInAt: null,
        identities: [{ provider: 'GITHUB', subject: 'gh' }],
        invite: { count: 0, inviter: { username: admin.username } },
        setting: { notifyType: 'EMAIL' },
      },
      nobody: null,
    });
    const own = await site.graphql(user, '{ me { heldQuota invite { count inviter { email } } } }');
    expect([own.codes, own.data?.['me']]).toEqual([
      ['INSUFFICIENT_PRIVILEGES'],
      { heldQuota: 5, invite: { count: 0, inviter: null } },
    ]);
  });

  it('creates, edits, grants, bans, promotes, deactivates and removes', async () => {
    const created = await site.graphql(
      admin,
      'mutation($i: CreateUserInput!) { createUser(input: $i) { user { id group } } }',
      { i: { username: 'dave', password: 'dave’s password', group: 'vip' } },
    );
    const { id } = (created.data?.['createUser'] as { user: { id: number } }).user;
    const run = async (field: string) => (await site.graphql(root, `mutation { ${field} }`)).data;
    const grant = (amount: number, key: string): string =>
      `grantQuota(input: { userId: ${id}, amount: ${amount}, note: "welcome", idempotencyKey: "${key}" }) { user { quota } replayed }`;
    expect(await run(`updateUser(input: { id: ${id}, email: "d@example.com" }) { user { email } }`)).toEqual({
      updateUser: { user: { email: 'd@example.com' } },
    });
    expect(await run(`updateUser(input: { id: ${id}, email: null }) { user { email } }`)).toEqual({
      updateUser: { user: { email: null } },
    });
    expect(await run(grant(5, 'one'))).toEqual({ grantQuota: { user: { quota: 5 }, replayed: false } });
    expect(await run(grant(-2, 'two'))).toEqual({ grantQuota: { user: { quota: 3 }, replayed: false } });
    expect(await run(grant(5, 'one'))).toEqual({ grantQuota: { user: { quota: 3 }, replayed: true } });
    expect((await site.graphql(root, `mutation { ${grant(6, 'one')} }`)).codes).toEqual(['CONFLICT']);
    expect(await run(`banUser(id: ${id}) { user { status } }`)).toEqual({ banUser: { user: { status: 'BANNED' } } });
    expect(await run(`enableUser(id: ${id}) { user { status } }`)).toEqual({
      enableUser: { user: { status: 'ENABLED' } },
    });
    expect(await run(`promoteUser(id: ${id}) { user { role } }`)).toEqual({ promoteUser: { user: { role: 'ADMIN' } } });
    expect(await run(`demoteUser(id: ${id}) { user { role } }`)).toEqual({ demoteUser: { user: { role: 'COMMON' } } });
    expect(await run(`deactivateUser(id: ${id}) { user { deletedAt } }`)).toEqual({
      deactivateUser: { user: { deletedAt: expect.any(String) } },
    });
    expect(await run(`removeUser(id: ${id}) { id }`)).toEqual({ removeUser: { id } });
    expect((await logsOf(id)).map(({ content }) => content)).toContain(
      'Administrator changed quota from $0.000000 quota to $0.000010 quota: welcome',
    );
  });

  const key = 'idempotencyKey: "refused"';
  it.each([
    [`grantQuota(input: { userId: $user, amount: 0, ${key} }) { replayed }`, 'INVALID_INPUT'],
    [
      `grantQuota(input: { userId: $user, amount: 9000000000000001, ${key} }) { replayed }`,
      'GRAPHQL_VALIDATION_FAILED',
    ],
    [`grantQuota(input: { userId: $user, amount: 1.5, ${key} }) { replayed }`, 'GRAPHQL_VALIDATION_FAILED'],
    ['grantQuota(input: { userId: $user, amount: 1 }) { replayed }', 'GRAPHQL_VALIDATION_FAILED'],
    ['grantQuota(input: { userId: $user, amount: 1, idempotencyKey: "" }) { replayed }', 'INVALID_INPUT'],
    [`grantQuota(input: { userId: $admin, amount: 1, ${key} }) { replayed }`, 'INSUFFICIENT_PRIVILEGES'],
    ['updateUser(input: { id: $user, username: null }) { user { id } }', 'INVALID_INPUT'],
    ['updateUser(input: { id: 99999 }) { user { id } }', 'NOT_FOUND'],
  ])('refuses %s', async (field, code) => {
    const called = field.replace('$user', String(user.id)).replace('$admin', String(admin.id));
    expect((await site.graphql(admin, `mutation { ${called} }`)).codes).toEqual([code]);
    expect(await quotaOf(user.id)).toBe(0);
  });
});
