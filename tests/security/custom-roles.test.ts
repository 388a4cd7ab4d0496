import { customRole, enumName, giveRole, operator } from '../contract/operator.js';
import { permissionNames } from '../contract/permissions-table.js';
import { anywhere, rootPassword, Site, type Person } from '../contract/site.js';
import { EventReader } from '../support/event-reader.js';

/* Users with a custom role try to get more than it grants. */

let site: Site;
let root: Person;
let admin: Person;
let common: Person;

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  admin = await site.invite(root, 'admin');
  common = await site.invite(root);
});
afterAll(() => site.stop());

const refused = ['INSUFFICIENT_PRIVILEGES'];
const as = (permissions: readonly string[]): Promise<Person> => operator(site, root, permissions);
const codesOf = async (person: Person, document: string): Promise<string[]> =>
  (await site.graphql(person, document)).codes;
const codeOf = async (person: Person, method: string, path: string, body?: unknown): Promise<unknown> =>
  (await site.rest(person, method, path, body)).body['code'] ?? null;

interface UserRow {
  readonly role: string;
  readonly quota: string;
  readonly display_name: string;
  readonly password_hash: string;
  readonly custom_role_id: number | null;
  readonly status: number;
}
async function rowOf({ id }: Person): Promise<UserRow> {
  const [row] = await site.query<UserRow>(
    'SELECT role, quota, display_name, password_hash, custom_role_id, status FROM users WHERE id = $1',
    [id],
  );
  if (!row) throw new Error(`no user ${id}`);
  return row;
}

/** Returns every operation that changes a user. */
const actions = (id: number): string[] => [
  `mutation { updateUser(input: { id: ${id}, displayName: "taken" }) { user { id } } }`,
  `mutation { updateUser(input: { id: ${id}, password: "a new password" }) { user { id } } }`,
  `mutation { grantQuota(input: { userId: ${id}, amount: 5000, idempotencyKey: "grant ${id} ${Math.random()}" }) { user { id } } }`,
  `mutation { banUser(id: ${id}) { user { id } } }`,
  `mutation { enableUser(id: ${id}) { user { id } } }`,
  `mutation { promoteUser(id: ${id}) { user { id } } }`,
  `mutation { demoteUser(id: ${id}) { user { id } } }`,
  `mutation { deactivateUser(id: ${id}) { user { id } } }`,
  `mutation { removeUser(id: ${id}) { id } }`,
  `mutation { endUserSessions(userId: ${id}) { count } }`,
  `mutation { resetSecondFactors(userId: ${id}) { user { id } } }`,
  `query { userSessions(userId: ${id}) { id } }`,
  `query { user(id: ${id}) { id } }`,
  `mutation { giveCustomRole(input: { userId: ${id} }) { user { id } } }`,
  `mutation { createBudget(input: { level: USER, subjectId: ${id}, kind: MONEY, amount: 1, span: DAY }) { budget { id } } }`,
];
const restActions = (id: number): Array<[string, string, unknown?]> => [
  ['GET', `/api/user/${id}`],
  ['PUT', '/api/user/', { id, display_name: 'taken' }],
  ['PUT', '/api/user/', { id, quota: 5_000_000 }],
  ['POST', '/api/user/manage', { id, action: 'disable' }],
  ['POST', '/api/user/manage', { id, action: 'promote' }],
  ['POST', '/api/user/manage', { id, action: 'delete' }],
  ['DELETE', `/api/user/${id}`],
];

describe('with every permission there is', () => {
  let mighty: Person;
  beforeAll(async () => (mighty = await as(permissionNames)));

  it.each(['root', 'an admin', 'another operator', 'itself'])(
    'acts on no user as high as itself: %s',
    async (which) => {
      const targets: Record<string, Person> = { root, 'an admin': admin, itself: mighty };
      const target = targets[which] ?? (await as(['alerts']));
      const before = await rowOf(target);
      const found = await Promise.all(actions(target.id).map((document) => codesOf(mighty, document)));
      expect(found).toEqual(actions(target.id).map(() => refused));
      for (const [method, path, body] of restActions(target.id)) {
        expect([method, path, await codeOf(mighty, method, path, body)]).toEqual([method, path, refused[0]]);
      }
      expect(await rowOf(target)).toEqual(before);
    },
  );

  it('gives no role and no rank', async () => {
    const roleId = await customRole(site, root, ['audit']);
    for (const { id } of [mighty, common]) {
      const give = `mutation { giveCustomRole(input: { userId: ${id}, customRoleId: ${roleId} }) { user { id } } }`;
      expect(await codesOf(mighty, give)).toEqual(refused);
    }
    const widen = `mutation { updateCustomRole(input: { id: ${roleId}, permissions: [AUDIT] }) { role { id } } }`;
    expect(await codesOf(mighty, widen)).toEqual(refused);
    expect(await codesOf(mighty, `mutation { promoteUser(id: ${common.id}) { user { id } } }`)).toEqual(refused);
    for (const role of [5, 10, 100]) {
      const user = { username: `high${role}`, password: 'long enough', role };
      expect(await codeOf(mighty, 'POST', '/api/user/', user)).toBe(refused[0]);
      expect(await codeOf(mighty, 'PUT', '/api/user/', { id: common.id, role })).toBe(refused[0]);
    }
    expect(await rowOf(common)).toMatchObject({ role: 'common', custom_role_id: null });
    expect(await site.query(`SELECT 1 FROM users WHERE username LIKE 'high%'`)).toEqual([]);
  });

  it.each(['ServerAddress', 'SMTPServer', 'oidc.token_endpoint', 'guardrails.rules', 'content_capture.rules', 'Chats'])(
    'does not change %s, which leads to every right',
    async (key) => {
      const set = `mutation { setOption(input: { key: "${key}", value: "" }) { option { key } } }`;
      expect(await codesOf(mighty, set)).toEqual(refused);
      expect(await codeOf(mighty, 'PUT', '/api/option/', { key, value: '' })).toBe(refused[0]);
    },
  );

  it('is a common user over REST, below admins in their lists', async () => {
    const self = await site.rest(mighty, 'GET', '/api/user/self');
    expect(self.body.data).toMatchObject({ id: mighty.id, role: 1 });
    expect(self.body.data).not.toHaveProperty('custom_role_id');
    const { data } = await site.graphql(mighty, '{ me { role customRole { name } permissions } }');
    expect(data?.['me']).toMatchObject({
      role: 'COMMON',
      permissions: permissionNames.map(enumName).sort((one, other) => order.indexOf(one) - order.indexOf(other)),
    });
  });
});

/** The permissions in the order of the console. */
const order = permissionNames.map(enumName);

describe('users', () => {
  it('users.write changes users below, but no balance', async () => {
    const writer = await as(['users.write']);
    const target = await site.invite(root);
    const before = await rowOf(target);
    const rename = `mutation { updateUser(input: { id: ${target.id}, displayName: "renamed" }) { user { displayName } } }`;
    expect(await codesOf(writer, rename)).toEqual([]);
    expect(await codeOf(writer, 'PUT', '/api/user/', { id: target.id, quota: 900 })).toBe(refused[0]);
    expect(await codeOf(writer, 'PUT', '/api/user/', { id: target.id, display_name: 'x', quota: 900 })).toBe(
      refused[0],
    );
    const grant = `mutation { grantQuota(input: { userId: ${target.id}, amount: 1, idempotencyKey: "w" }) { user { id } } }`;
    expect(await codesOf(writer, grant)).toEqual(refused);
    expect(await rowOf(target)).toEqual({ ...before, display_name: 'renamed' });
  });

  it('users.quota changes balances of users below, and nothing else of them', async () => {
    const banker = await as(['users.quota']);
    const target = await site.invite(root);
    const before = await rowOf(target);
    const grant = `mutation { grantQuota(input: { userId: ${target.id}, amount: 700, idempotencyKey: "b" }) { user { id } } }`;
    expect(await codesOf(banker, grant)).toEqual([]);
    for (const change of ['displayName: "x"', 'password: "a new password"', 'group: "vip"']) {
      const update = `mutation { updateUser(input: { id: ${target.id}, ${change} }) { user { id } } }`;
      expect(await codesOf(banker, update)).toEqual(refused);
    }
    expect(await codeOf(banker, 'PUT', '/api/user/', { id: target.id, quota: 1, group: 'vip' })).toBe(refused[0]);
    expect(await rowOf(target)).toEqual({ ...before, quota: String(Number(before.quota) + 700) });
  });

  it('an admin acts on operators whose rights an admin has, not on others', async () => {
    const supporter = await as(['users.read', 'logs.read']);
    expect(await codesOf(admin, `query { user(id: ${supporter.id}) { id } }`)).toEqual([]);
    expect(await codesOf(admin, `mutation { banUser(id: ${supporter.id}) { user { id } } }`)).toEqual([]);
    const auditor = await as(['audit']);
    const before = await rowOf(auditor);
    for (const document of actions(auditor.id).slice(0, 13)) {
      expect([document, await codesOf(admin, document)]).toEqual([document, refused]);
    }
    expect(await rowOf(auditor)).toEqual(before);
    expect(await codesOf(root, `mutation { banUser(id: ${auditor.id}) { user { id } } }`)).toEqual([]);
  });

  it('a promoted operator has the rights of an admin alone', async () => {
    const person = await as(['audit']);
    expect(await codesOf(root, `mutation { promoteUser(id: ${person.id}) { user { id } } }`)).toEqual([]);
    expect(await rowOf(person)).toMatchObject({ role: 'admin', custom_role_id: null });
    const again = await site.signIn(person.username, person.password);
    expect(await codesOf(again, '{ auditEntries { totalCount } }')).toEqual(refused);
    const roleId = await customRole(site, root, ['audit']);
    const give = `mutation { giveCustomRole(input: { userId: ${person.id}, customRoleId: ${roleId} }) { user { id } } }`;
    expect(await codesOf(root, give)).toEqual(['CONFLICT']);
  });
});

describe('keys of channels', () => {
  it('are not read, and not sent to another address, without channels.secrets', async () => {
    const key = 'sk-of-the-channel-4711';
    const id = await site.server.api.createChannel(root, { baseUrl: 'https://one.example', key, models: ['gpt-4o'] });
    const writer = await as(['channels.write']);
    expect(await codesOf(writer, `{ channelKeys(id: ${id}) }`)).toEqual(refused);
    expect(await codeOf(writer, 'GET', `/api/channel/${id}`)).toBe(refused[0]);
    expect(await codesOf(writer, `{ drawingNotifyUrl(channelId: ${id}) }`)).toEqual(refused);
    const { text } = await site.graphql(writer, `{ channel(id: ${id}) { name keys { ending } } }`);
    expect(text).not.toContain(key);

    const changes = ['baseUrl: "https://thief.example"', 'setting: { proxy: "http://thief.example:1" }', 'type: AZURE'];
    for (const change of [...changes, 'headers: { x_key: "{api_key}" }']) {
      const update = `mutation { updateChannel(input: { id: ${id}, ${change} }) { channel { id } } }`;
      expect([change, await codesOf(writer, update)]).toEqual([change, refused]);
    }
    for (const change of [{ base_url: 'https://thief.example' }, { setting: '{"proxy":"http://thief.example:1"}' }]) {
      expect(await codeOf(writer, 'PUT', '/api/channel/', { id, ...change })).toBe(refused[0]);
    }
    // Forms send the unchanged address again.
    const save = `mutation { updateChannel(input: { id: ${id}, baseUrl: "https://one.example", weight: 3 }) { channel { id } } }`;
    expect(await codesOf(writer, save)).toEqual([]);
    const [row] = await site.query('SELECT base_url, weight, setting FROM channels WHERE id = $1', [id]);
    expect(row).toEqual({ base_url: 'https://one.example', weight: 3, setting: {} });

    const copied = await site.graphql(
      writer,
      `mutation { copyChannel(input: { id: ${id}, name: "c" }) { channel { id } } }`,
    );
    const copy = (copied.data?.['copyChannel'] as { channel: { id: number } }).channel.id;
    const steal = `mutation { updateChannel(input: { id: ${copy}, ${changes[0]} }) { channel { id } } }`;
    expect(await codesOf(writer, steal)).toEqual(refused);

    const holder = await as(['channels.secrets']);
    expect((await site.graphql(holder, `{ channelKeys(id: ${id}) }`)).data).toEqual({ channelKeys: [key] });
    expect(await codesOf(holder, save)).toEqual(refused);
  });
});

describe('texts of calls', () => {
  const secret = 'the secret prompt';
  const texts = { input_content: secret, output_content: secret, context: secret, system_prompt: secret };
  let requestId = 0;
  const insert = (): Promise<unknown> =>
    site.query(
      `INSERT INTO logs (created_at, request_id, type, user_id, username, token_id, token_name, channel_id, model_name,
         "group", quota, prompt_tokens, completion_tokens, use_time, is_stream, content, other)
       VALUES (extract(epoch FROM now())::bigint, $1, 2, $2, $3, 0, 'k', 0, 'gpt-4o', 'default', 1, 1, 1, 0, false, '', $4)`,
      [`texts-${++requestId}`, common.id, common.username, JSON.stringify(texts)],
    );
  const list = '{ logs { items { modelName conversation { input output context systemPrompt } } } }';
  const ofUser = `{ user(id: $id) { logs { items { conversation { input } } } } }`;

  it('are shown with logs.content alone: lists, relations, search, export', async () => {
    await insert();
    const reader = await as(['logs.read', 'users.read']);
    const answers = [
      (await site.graphql(reader, list)).text,
      (await site.graphql(reader, ofUser.replace('$id', String(common.id)))).text,
      ...(await Promise.all(
        ['/api/log/', '/api/log/search?keyword=2', '/api/log/export'].map(async (path) =>
          JSON.stringify((await site.rest(reader, 'GET', path)).body),
        ),
      )),
    ];
    expect(answers.filter((text) => text.includes(secret))).toEqual([]);
    expect(answers.filter((text) => !/gpt-4o|conversation/.test(text))).toEqual([]);
    expect((await site.graphql(await as(['logs.content']), list)).text).toContain(secret);
    expect((await site.graphql(admin, list)).text).toContain(secret);
    // Captured contents need another permission than texts of log rows.
    const captured = '{ capturedContent(requestId: "x") { request } }';
    expect(await codesOf(await as(['logs.content']), captured)).toEqual(refused);
  });

  it.each([
    [['logs.read'], false],
    [['logs.content'], true],
  ])('are sent live to %p: %p', async (permissions, shown) => {
    const person = await as(permissions);
    const reader = await EventReader.open(
      site.server.url,
      person,
      'subscription { logCreated { items { requestId conversation { input } } } }',
    );
    await reader.until((one) => one.text !== '');
    await insert();
    await site.query(`SELECT pg_notify('logs', '')`);
    await reader.until((one) => one.text.includes(`texts-${requestId}`));
    expect(reader.text.includes(secret)).toBe(shown);
    reader.close();
  });
});

describe('rows that others refer to', () => {
  it('are null without their own permission, and no error', async () => {
    const reader = await as(['logs.read']);
    const { data, codes } = await site.graphql(
      reader,
      '{ logs { items { userId user { id email } token { id } channel { id baseUrl } attempts { id } } } }',
    );
    expect(codes).toEqual([]);
    const { items } = data?.['logs'] as { items: Array<Record<string, unknown>> };
    expect(items.length).toBeGreaterThan(0);
    for (const row of items) {
      expect(row).toEqual({ userId: row['userId'], user: null, token: null, channel: null, attempts: null });
    }
    const usage = await site.graphql(await as(['users.read']), '{ users { items { usage { quota cost { usd } } } } }');
    expect(usage.codes.every((code) => code === refused[0])).toBe(true);
    expect(usage.text).not.toMatch(/"usd":\d/);
  });

  it('of a user are left out: orders, redeemed codes', async () => {
    const { data, codes } = await site.graphql(
      await as(['users.read']),
      `{ user(id: ${common.id}) { topUps { totalCount } redemptions { totalCount } logs { totalCount } } }`,
    );
    expect([data?.['user'], codes]).toEqual([{ topUps: null, redemptions: null, logs: null }, []]);
  });
});

describe('settings', () => {
  const set = (key: string, value: string): string =>
    `mutation { setOption(input: { key: "${key}", value: "${value}" }) { option { key } } }`;

  it('are changed by those who hold what the setting decides', async () => {
    const [options, prices, payments] = await Promise.all([as(['options']), as(['prices']), as(['payments.settings'])]);
    const gift = await as(['options', 'users.quota']);
    const rules: Array<[Person, string, string, boolean]> = [
      [options, 'RetryTimes', '1', true],
      [options, 'GroupRatio', '{}', false],
      [options, 'QuotaPerUnit', '500000', false],
      [options, 'CheckInQuota', '999999', false],
      [options, 'QuotaForNewUser', '999999', false],
      [options, 'LogChatContentEnabled', 'true', false],
      [options, 'Price', '1', false],
      [gift, 'CheckInQuota', '1000', true],
      [prices, 'RetryTimes', '1', false],
      [prices, 'QuotaPerUnit', '500000', true],
      [prices, 'PriceSyncMarkup', '1', false],
      [payments, 'Price', '7.3', true],
      [payments, 'QuotaPerUnit', '500000', false],
    ];
    for (const [person, key, value, may] of rules) {
      expect([key, await codesOf(person, set(key, value))]).toEqual([key, may ? [] : refused]);
    }
    const keys = async (person: Person): Promise<string[]> => {
      const { data } = await site.graphql(person, '{ options { items { key isWritable } } }');
      return (data?.['options'] as { items: Array<{ key: string }> }).items.map(({ key }) => key);
    };
    expect((await keys(prices)).sort()).toEqual(
      [
        'CacheRatio',
        'CompletionRatio',
        'GroupRatio',
        'ModelPrice',
        'ModelRatio',
        'PriceCards',
        'QuotaPerUnit',
        'ToolPrices',
        'UnpricedTools',
        'UserUsableGroups',
      ].sort(),
    );
  });
});

describe('a role that changes', () => {
  const subscription = 'subscription { logCreated { missed } }';

  it.each(['loses the permission', 'is taken back', 'belongs to a user who is promoted and demoted'])(
    'ends live updates and rights at once when it %s',
    async (how) => {
      const roleId = await customRole(site, root, ['logs.read', 'alerts']);
      const person = await site.invite(root);
      await giveRole(site, root, person.id, roleId);
      const reader = await EventReader.open(site.server.url, person, subscription);
      await reader.until((one) => one.text !== '');
      if (how === 'loses the permission') {
        const narrow = `mutation { updateCustomRole(input: { id: ${roleId}, permissions: [ALERTS] }) { role { id } } }`;
        expect(await codesOf(root, narrow)).toEqual([]);
      } else if (how === 'is taken back') await giveRole(site, root, person.id, null);
      else {
        await codesOf(root, `mutation { promoteUser(id: ${person.id}) { user { id } } }`);
        await codesOf(root, `mutation { demoteUser(id: ${person.id}) { user { id } } }`);
      }
      await reader.until((one) => one.completed || one.closed || one.codes.length > 0);
      reader.close();
      const again = await site.signIn(person.username, person.password);
      expect(await codesOf(again, '{ logs { totalCount } }')).toEqual(refused);
    },
  );

  it('cannot be deleted while users have it', async () => {
    const roleId = await customRole(site, root, ['alerts']);
    const person = await site.invite(root);
    await giveRole(site, root, person.id, roleId);
    const remove = `mutation { deleteCustomRole(id: ${roleId}) { id } }`;
    expect(await codesOf(root, remove)).toEqual(['CONFLICT']);
    await giveRole(site, root, person.id, null);
    expect(await codesOf(root, remove)).toEqual([]);
    expect(await codesOf(root, remove)).toEqual(['NOT_FOUND']);
  });
});

describe('roles themselves', () => {
  it('have unique names, known permissions, and are made once per idempotency key', async () => {
    const create = (name: string, permissions: string, key = ''): Promise<{ codes: string[]; data: unknown }> =>
      site.graphql(
        root,
        `mutation { createCustomRole(input: { name: "${name}", permissions: [${permissions}]${key} }) { role { id name permissions } replayed } }`,
        {},
        anywhere(),
      );
    const key = ', idempotencyKey: "one role"';
    const first = await create(' Support ', 'LOGS_READ, USERS_READ, LOGS_READ', key);
    expect(first).toMatchObject({
      codes: [],
      data: {
        createCustomRole: { role: { name: 'Support', permissions: ['USERS_READ', 'LOGS_READ'] }, replayed: false },
      },
    });
    expect((await create(' Support ', 'LOGS_READ, USERS_READ, LOGS_READ', key)).data).toMatchObject({
      createCustomRole: { replayed: true },
    });
    expect((await create('SUPPORT', 'ALERTS')).codes).toEqual(['CONFLICT']);
    expect((await create('', 'ALERTS')).codes).toEqual(['INVALID_INPUT']);
    expect((await create('x'.repeat(65), 'ALERTS')).codes).toEqual(['INVALID_INPUT']);
    expect((await create('None', '')).codes).toEqual(['INVALID_INPUT']);
    const { data } = await site.graphql(
      root,
      '{ auditEntries(filter: { subjects: [ROLE] }) { items { action changes { field before after } } } }',
    );
    const { items } = data?.['auditEntries'] as { items: Array<{ action: string }> };
    expect(items[0]).toEqual({
      action: 'create',
      changes: [
        { field: 'name', before: null, after: 'Support' },
        { field: 'permissions', before: null, after: expect.stringContaining('users.read') as unknown },
      ],
    });
  });

  it('are not reached by a stolen session of root', async () => {
    const roleId = await customRole(site, root, ['alerts']);
    const stolen = await site.signIn('root', rootPassword);
    await site.query('UPDATE users SET has_second_factor = true WHERE id = $1', [root.id]);
    try {
      for (const change of [
        'createCustomRole(input: { name: "x", permissions: [AUDIT] }) { role { id } }',
        `updateCustomRole(input: { id: ${roleId}, permissions: [AUDIT] }) { role { id } }`,
        `deleteCustomRole(id: ${roleId}) { id }`,
        `giveCustomRole(input: { userId: ${common.id}, customRoleId: ${roleId} }) { user { id } }`,
      ]) {
        expect([change, await codesOf(stolen, `mutation { ${change} }`)]).toEqual([change, ['CONFIRMATION_NEEDED']]);
      }
    } finally {
      await site.query('UPDATE users SET has_second_factor = false WHERE id = $1', [root.id]);
    }
  });
});

// These tests come last, because root has no second factor and is locked out by them.
describe('what roles share with admins', () => {
  it('a second factor that admins need is needed by operators', async () => {
    const person = await as(['alerts']);
    const rule = (value: string): Promise<string[]> =>
      codesOf(
        root,
        `mutation { setOption(input: { key: "SecondFactorRequiredFor", value: "${value}" }) { option { key } } }`,
      );
    expect(await rule('root')).toEqual([]);
    expect(await codesOf(person, '{ alerts { unseenCount } }')).toEqual([]);
    expect(await rule('admins')).toEqual([]);
    const again = await site.signIn(person.username, person.password);
    expect(await codesOf(again, '{ alerts { unseenCount } }')).toEqual(['SECOND_FACTOR_REQUIRED']);
    // The console reads this field, which the site's settings determine.
    expect((await site.graphql(again, '{ secondFactors { isRequired } }')).data).toEqual({
      secondFactors: { isRequired: true },
    });
    expect(await codesOf(await site.signIn(common.username, common.password), '{ inviteCode }')).toEqual([]);
  });
});
