import { randomUUID } from 'node:crypto';
import { acting, OrganisationSite } from './organisation-site.js';
import { addStatement } from '../support/account-statements.js';
import { leastOf, operations, pathOfUnknownId } from './roles-table.js';
import type { Person } from './site.js';

/**
 * Who may do what in an organisation: two organisations, every role in one of them, and every operation over GraphQL and
 * REST.
 */
let site: OrganisationSite;
const inside = ['owner', 'billing', 'member'] as const;
type Role = (typeof inside)[number];
/** `outsider` owns another organisation, `stranger` is in none, `admin` administers users of the site. */
const callers = [...inside, 'outsider', 'stranger', 'admin', 'anonymous'] as const;
type CallerName = (typeof callers)[number];
const people = {} as Record<CallerName, Person | null> & { victim: Person; root: Person };
const who = (name: Role | 'outsider' | 'stranger' | 'admin'): Person => people[name] as Person;

/** One organisation with a member for each role, and another person's things in it. */
interface Fixture {
  readonly id: number;
  readonly name: string;
  readonly members: Readonly<Record<Role | 'victim', number>>;
  readonly projectId: number;
  readonly invitationId: number;
  readonly keys: Readonly<Record<Role | 'victim' | 'shared', number>>;
}

async function fixture(owner: Person = who('owner')): Promise<Fixture> {
  const one = async (sql: string, values: unknown[]): Promise<number> =>
    (await site.site.query<{ id: number }>(`${sql} RETURNING id`, values))[0]!.id;
  const name = `Secret ${randomUUID()}`;
  const id = await one("INSERT INTO users (username, kind, display_name) VALUES ($1, 'organisation', 'x')", [name]);
  const join = (person: Person, role: string) =>
    one('INSERT INTO memberships (organisation_id, user_id, role) VALUES ($1, $2, $3)', [id, person.id, role]);
  const key = (memberId: number) =>
    one(
      `INSERT INTO tokens (user_id, member_id, name, key_hash, key_sealed, key_prefix, unlimited_quota)
       VALUES ($1, $2, 'secret key', sha256($3::bytea), '', 'secret', true)`,
      [id, memberId, randomUUID()],
    );
  const members = {
    owner: await join(owner, 'owner'),
    billing: await join(who('billing'), 'billing'),
    member: await join(who('member'), 'member'),
    victim: await join(people.victim, 'owner'),
  };
  const projectId = await one('INSERT INTO projects (organisation_id, name) VALUES ($1, $2)', [id, 'Secret project']);
  const invitationId = await one(
    `INSERT INTO invitations (organisation_id, role, token_hash, created_by, expires_at)
     VALUES ($1, 'member', sha256($2::bytea), 1, now() + interval '1 day')`,
    [id, randomUUID()],
  );
  const keys = {
    owner: await key(members.owner),
    billing: await key(members.billing),
    member: await key(members.member),
    victim: await key(members.victim),
    shared: await key(0),
  };
  return { id, name, members, projectId, invitationId, keys };
}

beforeAll(async () => {
  site = await OrganisationSite.open();
  people.root = site.root;
  people.anonymous = null;
  for (const name of [...inside, 'outsider', 'stranger'] as const) people[name] = await site.site.invite(site.root);
  people.victim = await site.site.invite(site.root);
  people.admin = await site.site.invite(site.root, 'admin');
  await site.organisation(who('outsider'), 'The other one');
});
afterAll(() => site.stop());

interface Row {
  readonly what: string;
  readonly graphql: (given: Fixture) => string;
  readonly rest: (given: Fixture) => readonly [method: string, path: string, body?: unknown];
  readonly may: readonly Role[];
  /** Whether it is an operation of admins alone. */
  readonly isAdmins?: true;
}

const all = inside;
const rows: readonly Row[] = [
  {
    what: 'read the organisation',
    graphql: ({ id }) => `{ organisation(id: ${id}) { name memberCount } }`,
    rest: ({ id }) => ['GET', `/api/organization/${id}`],
    may: all,
  },
  {
    what: 'rename it',
    graphql: ({ id }) =>
      `mutation { renameOrganisation(input: { id: ${id}, name: "N ${randomUUID()}" }) { organisation { id } } }`,
    rest: ({ id }) => ['PUT', `/api/organization/${id}`, { name: `N ${randomUUID()}` }],
    may: ['owner'],
  },
  {
    what: 'delete it',
    graphql: ({ id }) => `mutation { deleteOrganisation(id: ${id}) { id } }`,
    rest: ({ id }) => ['DELETE', `/api/organization/${id}`],
    may: ['owner'],
  },
  {
    what: 'list members',
    graphql: ({ id }) => `{ members(organisationId: ${id}) { id } }`,
    rest: ({ id }) => ['GET', `/api/organization/${id}/member`],
    may: all,
  },
  {
    what: 'add a member',
    graphql: ({ id }) =>
      `mutation { addMember(input: { organisationId: ${id}, userId: 1, role: MEMBER }) { member { id } } }`,
    rest: ({ id }) => ['POST', `/api/organization/${id}/member`, { user_id: 1, role: 'member' }],
    may: [],
    isAdmins: true,
  },
  {
    what: 'change a role',
    graphql: ({ members }) =>
      `mutation { setMemberRole(input: { id: ${members.victim}, role: MEMBER }) { member { id } } }`,
    rest: ({ members }) => ['PUT', `/api/organization/member/${members.victim}`, { role: 'member' }],
    may: ['owner'],
  },
  {
    what: 'remove a member',
    graphql: ({ members }) => `mutation { removeMember(id: ${members.victim}) { id } }`,
    rest: ({ members }) => ['DELETE', `/api/organization/member/${members.victim}`],
    may: ['owner'],
  },
  {
    what: 'list projects',
    graphql: ({ id }) => `{ projects(organisationId: ${id}) { id } }`,
    rest: ({ id }) => ['GET', `/api/organization/${id}/project`],
    may: all,
  },
  {
    what: 'create a project',
    graphql: ({ id }) => `mutation { createProject(input: { organisationId: ${id}, name: "New" }) { project { id } } }`,
    rest: ({ id }) => ['POST', `/api/organization/${id}/project`, { name: 'New' }],
    may: ['owner', 'billing'],
  },
  {
    what: 'archive a project',
    graphql: ({ projectId }) =>
      `mutation { updateProject(input: { id: ${projectId}, isArchived: true }) { project { id } } }`,
    rest: ({ projectId }) => ['PUT', `/api/organization/project/${projectId}`, { archived: true }],
    may: ['owner', 'billing'],
  },
  {
    what: 'list invitations',
    graphql: ({ id }) => `{ invitations(organisationId: ${id}) { id } }`,
    rest: ({ id }) => ['GET', `/api/organization/${id}/invitation`],
    may: ['owner', 'billing'],
  },
  {
    what: 'invite',
    graphql: ({ id }) => `mutation { inviteMember(input: { organisationId: ${id}, role: OWNER }) { link } }`,
    rest: ({ id }) => ['POST', `/api/organization/${id}/invitation`, { role: 'owner' }],
    may: ['owner'],
  },
  {
    what: 'revoke an invitation',
    graphql: ({ invitationId }) => `mutation { revokeInvitation(id: ${invitationId}) { id } }`,
    rest: ({ invitationId }) => ['DELETE', `/api/organization/invitation/${invitationId}`],
    may: ['owner'],
  },
  {
    what: 'leave',
    graphql: ({ id }) => `mutation { leaveOrganisation(id: ${id}) { id } }`,
    rest: ({ id }) => ['POST', `/api/organization/${id}/leave`],
    may: all,
  },
];

/** The expected code: '' for a success. */
function expected({ what, may, isAdmins }: Row, caller: CallerName): string {
  if (caller === 'anonymous') return 'NOT_SIGNED_IN';
  if (caller === 'admin') return what === 'leave' ? 'NOT_FOUND' : '';
  if (isAdmins) return 'INSUFFICIENT_PRIVILEGES';
  if (caller === 'outsider' || caller === 'stranger') return 'NOT_FOUND';
  return may.includes(caller) ? '' : 'INSUFFICIENT_PRIVILEGES';
}

describe.each(callers)('%s', (caller) => {
  it.each(rows.map((row) => [row.what, row] as const))('may %s as the table says', async (_, row) => {
    const wanted = expected(row, caller);
    const given = await fixture();
    const answer = await site.ask(people[caller], row.graphql(given));
    // A query of one object is null where it does not exist.
    const isNull = row.what === 'read the organisation' && wanted === 'NOT_FOUND';
    expect(answer.codes.join()).toBe(isNull ? '' : wanted);
    if (isNull) expect(answer.data).toEqual({ organisation: null });
    const second = await fixture();
    const [method, path, body] = row.rest(second);
    const { body: rest } = await site.site.rest(people[caller], method, path, body);
    expect(rest['code'] ?? '').toBe(wanted);
    if (wanted === '') return;
    for (const text of [answer.text, JSON.stringify(rest)]) expect(text).not.toMatch(/secret/i);
  });
});

it('a member sees the own membership, no balance and no usage of others', async () => {
  const given = await fixture();
  const read = `{ organisation(id: ${given.id}) { role balance { quota } } members(organisationId: ${given.id}) { id }
    projects(organisationId: ${given.id}) { usedQuota keyCount } }`;
  const seen = async (role: Role) => (await site.ask(people[role], read)).data;
  const rest = async (role: Role, path: string) =>
    (await site.site.expectSuccess(people[role], 'GET', `/api/organization/${given.id}${path}`)).body.data;
  expect(await rest('member', '')).toMatchObject({ quota: null, used_quota: null });
  expect(await rest('member', '/project')).toMatchObject([{ key_count: null, used_quota: null }]);
  expect(await rest('owner', '')).toMatchObject({ quota: 0, used_quota: 0 });
  expect(await rest('owner', '/project')).toMatchObject([{ key_count: 0, used_quota: 0 }]);
  expect(await seen('member')).toEqual({
    organisation: { role: 'MEMBER', balance: null },
    members: [{ id: given.members.member }],
    projects: [{ usedQuota: null, keyCount: null }],
  });
  for (const role of ['owner', 'billing'] as const) {
    const data = await seen(role);
    expect(data).toMatchObject({ organisation: { balance: { quota: 0 } }, projects: [{ usedQuota: 0, keyCount: 0 }] });
    expect(data?.['members']).toHaveLength(4);
  }
});

interface ActingRow {
  readonly what: string;
  /** `target` is a key of the caller, or of another member. */
  readonly graphql: (given: Fixture, target: number) => string;
  readonly may: readonly Role[];
}
const ofKeys: readonly ActingRow[] = [
  ['tokenKey', 'query'],
  ['enableToken', 'mutation'],
  ['disableToken', 'mutation'],
  ['endTokenOverlap', 'mutation'],
  ['deleteToken', 'mutation'],
].map(([field, kind]) => ({
  what: field!,
  graphql: (_: Fixture, target: number) =>
    `${kind} { ${field}(id: ${target}) ${field === 'tokenKey' ? '' : field === 'deleteToken' ? '{ id }' : '{ token { id } }'} }`,
  may: ['owner'] as const,
}));
const moreOfKeys: readonly ActingRow[] = [
  {
    what: 'updateToken',
    graphql: (_, target) => `mutation { updateToken(input: { id: ${target}, name: "other" }) { token { id } } }`,
    may: ['owner'],
  },
  {
    what: 'rotateToken',
    graphql: (_, target) => `mutation { rotateToken(input: { id: ${target} }) { key } }`,
    may: ['owner'],
  },
  {
    what: 'createBudget',
    graphql: (_, target) =>
      `mutation { createBudget(input: { level: TOKEN, subjectId: ${target}, kind: MONEY, amount: 1, span: DAY }) { budget { id } } }`,
    may: ['owner'],
  },
];

describe.each(inside)('%s, who acts for an organisation', (role) => {
  it.each([...ofKeys, ...moreOfKeys].map((row) => [row.what, row] as const))(
    'calls %s for the own keys, and for those of others as the table says',
    async (_, row) => {
      const given = await fixture();
      const elsewhere = await fixture(who('outsider'));
      for (const [target, may] of [
        [given.keys[role], true],
        [given.keys.victim, row.may.includes(role)],
        [given.keys.shared, row.may.includes(role)],
        [elsewhere.keys.victim, false],
      ] as const) {
        const { codes, text } = await site.ask(people[role], row.graphql(given, target), given.id);
        // The sealed text of these keys is empty, so an allowed read of it fails later.
        const wanted = may ? (row.what === 'tokenKey' ? 'INTERNAL_ERROR' : '') : 'NOT_FOUND';
        expect([target, codes.join()]).toEqual([target, wanted]);
        if (!may) expect(text).not.toMatch(/secret/i);
      }
    },
  );

  it('changes many keys at once, and no keys of others unless the table says so', async () => {
    const given = await fixture();
    const elsewhere = await fixture(who('outsider'));
    const ids = [given.keys[role], given.keys.victim, elsewhere.keys.victim];
    const document = `mutation { disableTokens(ids: [${ids.join()}]) { done failed { id code } } }`;
    const { done } = await site.value<{ done: number[] }>(who(role), document, given.id);
    expect(done).toEqual(role === 'owner' ? ids.slice(0, 2) : ids.slice(0, 1));
  });

  it('lists keys, calls and usage', async () => {
    const given = await fixture();
    const fields = 'id memberId projectId grantedQuota lastUse { at } usedUpBudgets { id }';
    const { data, codes } = await site.ask(who(role), `{ myTokens(pageSize: 100) { items { ${fields} } } }`, given.id);
    expect(codes).toEqual([]);
    const ids = (data as { myTokens: { items: Array<{ id: number }> } }).myTokens.items.map(({ id }) => id);
    const own = given.keys[role];
    expect([...ids].sort()).toEqual(role === 'owner' ? Object.values(given.keys).sort() : [own]);
    await site.site.query(
      `INSERT INTO logs (created_at, type, user_id, username, token_id, token_name, model_name, quota, request_id)
       SELECT extract(epoch FROM now())::bigint, 2, $1, 'x', id, 'secret key', 'gpt-4o', 5, gen_random_uuid()::text
         FROM unnest($2::integer[]) AS id`,
      [given.id, [own, given.keys.victim]],
    );
    const logs = `{ myLogs { items { tokenId token { id name } } } }`;
    const read = await site.value<{ items: Array<{ tokenId: number }> }>(who(role), logs, given.id);
    const seen = read.items.map(({ tokenId }) => tokenId).sort();
    expect(seen).toEqual(role === 'owner' ? [own, given.keys.victim].sort() : [own]);
    const { body } = await site.site.rest(who(role), 'GET', '/api/log/self', undefined, acting(given.id));
    expect((body['data'] as { items: unknown[] }).items).toHaveLength(role === 'owner' ? 2 : 1);
    const stat = await site.site.rest(who(role), 'GET', '/api/log/self/stat', undefined, acting(given.id));
    expect(stat.body['data']).toMatchObject({ quota: role === 'owner' ? 10 : 5 });
    const found = await site.site.rest(who(role), 'GET', '/api/log/self/search?keyword=2', undefined, acting(given.id));
    expect(JSON.stringify(found.body).match(/"quota":5/g)).toHaveLength(role === 'owner' ? 2 : 1);
  });

  it('reads the statements of the organisation and no other, and keeps its billing details', async () => {
    const given = await fixture();
    const elsewhere = await fixture(who('outsider'));
    const statement = (account: number) => addStatement((text, values) => site.site.query(text, [...values]), account);
    const [own, others] = [await statement(given.id), await statement(elsewhere.id)];
    const may = role !== 'member';
    const refused = may ? '' : 'INSUFFICIENT_PRIVILEGES';
    const list = await site.ask(
      who(role),
      '{ myStatements { items { id } } statementPreview { accountId } }',
      given.id,
    );
    expect(list.codes.every((code) => code === refused)).toBe(true);
    expect(list.data).toEqual(
      may
        ? { myStatements: { items: [{ id: own }] }, statementPreview: { accountId: given.id } }
        : { myStatements: null, statementPreview: null },
    );
    for (const [id, code] of [
      [own, refused],
      [others, may ? 'NOT_FOUND' : refused],
    ] as const) {
      for (const file of ['', '/csv', '/pdf', '/print']) {
        const path = `/api/statement/${id}${file}`;
        const { body } = await site.site.rest(who(role), 'GET', path, undefined, acting(given.id));
        expect([path, body['code'] ?? '']).toEqual([path, code]);
      }
    }
    const update = 'mutation { updateBillingProfile(input: { name: "Org Ltd" }) { profile { name } } }';
    expect((await site.ask(who(role), update, given.id)).codes.join()).toBe(refused);
    const stored = await site.site.query('SELECT name FROM billing_profiles WHERE account_id = $1', [given.id]);
    expect(stored).toEqual(may ? [{ name: 'Org Ltd' }] : []);
    const profile = await site.site.rest(who(role), 'GET', '/api/statement/profile', undefined, acting(given.id));
    expect(profile.body).toMatchObject(may ? { data: { name: 'Org Ltd' } } : { code: refused });
    // For the own account, the organisation's statement does not exist.
    const { body } = await site.site.rest(who(role), 'GET', `/api/statement/${own}`);
    expect(body['code']).toBe('NOT_FOUND');
  });

  it('sets budgets of members and projects, and reads what concerns it', async () => {
    const given = await fixture();
    const elsewhere = await fixture(who('outsider'));
    const create = (level: string, subject: number) =>
      site.ask(
        who(role),
        `mutation { createBudget(input: { level: ${level}, subjectId: ${subject}, kind: MONEY, amount: 1, span: DAY }) { budget { id } } }`,
        given.id,
      );
    const wanted = role === 'member' ? 'INSUFFICIENT_PRIVILEGES' : '';
    expect((await create('MEMBER', given.members.victim)).codes.join()).toBe(wanted);
    expect((await create('PROJECT', given.projectId)).codes.join()).toBe(wanted);
    const refused = role === 'member' ? 'INSUFFICIENT_PRIVILEGES' : 'NOT_FOUND';
    expect((await create('MEMBER', elsewhere.members.victim)).codes.join()).toBe(refused);
    expect((await create('PROJECT', elsewhere.projectId)).codes.join()).toBe(refused);
    expect((await create('USER', given.id)).codes.join()).toBe('INSUFFICIENT_PRIVILEGES');
    await site.site.query(
      `INSERT INTO budgets (level, subject_id, kind, amount, span, created_by, by_admin)
       SELECT level, subject, 'money', 7, 'day', 1, false
         FROM unnest($1::text[], $2::integer[]) AS x(level, subject)`,
      [
        ['member', 'token', 'token', 'member'],
        [given.members[role], given.keys[role], given.keys.victim, elsewhere.members.victim],
      ],
    );
    const list = '{ budgets(pageSize: 100) { items { level subjectId amount } } }';
    const { items } = await site.value<{ items: Array<{ level: string; subjectId: number; amount: number }> }>(
      who(role),
      list,
      given.id,
    );
    const read = items.filter(({ amount }) => amount === 7).map(({ subjectId }) => subjectId);
    expect(read.sort()).toEqual(
      [given.members[role], given.keys[role], ...(role === 'owner' ? [given.keys.victim] : [])].sort(),
    );
    // A member changes no budget that an owner set for the member's key.
    const [set] = await site.site.query<{ id: number }>(
      "SELECT id FROM budgets WHERE level = 'token' AND subject_id = $1",
      [given.keys[role]],
    );
    const change = `mutation { updateBudget(input: { id: ${set!.id}, amount: 9 }) { budget { id } } }`;
    expect((await site.ask(who(role), change, given.id)).codes.join()).toBe(
      role === 'owner' ? '' : 'INSUFFICIENT_PRIVILEGES',
    );
  });
});

/** Fields and routes that are open to a member who acts for an organisation, by the least that they need. */
const open: Readonly<Record<string, readonly Role[]>> = {
  ...Object.fromEntries(
    ['myTokens', 'tokenKey', 'createToken', 'updateToken', 'enableToken', 'disableToken', 'deleteToken'].map((name) => [
      name,
      all,
    ]),
  ),
  ...Object.fromEntries(
    ['enableTokens', 'disableTokens', 'deleteTokens', 'setTokenGroup', 'rotateToken', 'endTokenOverlap'].map((name) => [
      name,
      all,
    ]),
  ),
  ...Object.fromEntries(['myGroups', 'myModels', 'myLogs', 'myUsage', 'myLogCreated'].map((name) => [name, all])),
  ...Object.fromEntries(
    ['budgets', 'budget', 'createBudget', 'updateBudget', 'deleteBudget'].map((name) => [name, all]),
  ),
  ...Object.fromEntries(
    [
      'mySetting',
      'updateMySetting',
      'myTopUps',
      'redeem',
      'startTopUp',
      'payableAmount',
      'paymentMethods',
      'balanceChanged',
      ...['plans', 'myPlans', 'planUpgrade', 'buyPlan', 'upgradePlan', 'setPlanRenewal', 'startPlanPayment'],
      ...['myStatements', 'statement', 'statementPreview', 'billingProfile', 'updateBillingProfile'],
    ].map((name) => [name, ['owner', 'billing'] as const]),
  ),
};
const openRoutes: Readonly<Record<string, readonly Role[]>> = {
  ...Object.fromEntries(
    operations
      .flatMap(({ rest = [] }) => rest.map((entry) => (typeof entry === 'string' ? entry : entry[0])))
      .filter((route) => / \/api\/(token|budget)\b/.test(route))
      .map((route) => [route, all]),
  ),
  ...Object.fromEntries(
    [
      ...['GET /api/user/self/groups', 'GET /api/user/models', 'GET /api/models'],
      ...['GET /api/log/self', 'GET /api/log/self/search', 'GET /api/log/self/stat', 'GET /api/log/self/export'],
      'GET /api/data/self/export',
    ].map((route) => [route, all]),
  ),
  ...Object.fromEntries(
    [
      ...['GET /api/plan', 'GET /api/plan/self', 'GET /api/subscription/plans', 'GET /api/subscription/self'],
      ...[
        'POST /api/user/amount',
        'GET /api/user/topup/info',
        'GET /api/user/topup/self',
        'GET /api/statement/self',
        'GET /api/statement/preview',
      ],
      ...[
        'GET /api/statement/:id',
        'GET /api/statement/:id/csv',
        'GET /api/statement/:id/pdf',
        'GET /api/statement/preview/pdf',
      ],
      ...['GET /api/statement/:id/print', 'GET /api/statement/preview/print'],
      ...['GET /api/statement/profile', 'PUT /api/statement/profile'],
    ].map((route) => [route, ['owner', 'billing'] as const]),
  ),
  // It reads no session: the caller has a key.
  'GET /api/log/token': all,
};

describe.each(inside)(
  '%s, who acts for an organisation, is refused every operation that does not name what it needs',
  (role) => {
    // Subscriptions are opened by another path; their services ask for the same abilities.
    const documents = operations
      .filter((operation) => leastOf(operation) !== 'anonymous')
      .flatMap(({ graphql = [] }) => graphql)
      .filter((text) => !text.startsWith('subscription'));
    it.each(documents)('%s', async (text) => {
      const given = await fixture();
      const name = /\{\s*(\w+)/.exec(text)?.[1] ?? '';
      const { codes } = await site.ask(who(role), text, given.id);
      const isOpen = open[name]?.includes(role) ?? false;
      expect([name, codes.includes('INSUFFICIENT_PRIVILEGES')]).toEqual([name, !isOpen]);
    });

    const routes = operations
      .filter((operation) => leastOf(operation) !== 'anonymous')
      .flatMap(({ rest = [] }) => rest)
      .filter((entry) => typeof entry === 'string' || entry[1].headers === undefined);
    it.each(routes.map((entry) => [typeof entry === 'string' ? entry : entry[0], entry] as const))(
      '%s',
      async (route, entry) => {
        const given = await fixture();
        const [method = '', pattern = ''] = route.split(' ');
        const { query, body } = typeof entry === 'string' ? {} : entry[1];
        const path = pathOfUnknownId(pattern) + (query ? `?${query}` : '');
        const sent = method === 'GET' ? undefined : (body ?? {});
        const answer = await site.site.rest(who(role), method, path, sent, acting(given.id));
        const isOpen = openRoutes[route]?.includes(role) ?? false;
        if (isOpen) expect(answer.body['code']).not.toBe('INSUFFICIENT_PRIVILEGES');
        else expect([route, answer.body['success'] === true]).toEqual([route, false]);
      },
    );
  },
);
