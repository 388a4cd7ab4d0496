import { json } from '../support/upstream/replies.js';
import { mailAccount, startMailServer, type MailServer } from '../support/mail-server.js';
import { startServer, type LocalServer } from '../support/server.js';
import { startRedis } from '../support/services/redis.js';
import { acting, OrganisationSite } from './organisation-site.js';
import { askQuestion, organisationQuestions, readingToken } from './question-page.js';
import type { Person } from './site.js';

/** Organisations over the whole way: their members, keys and wallet, and calls to a scripted provider. */
let site: OrganisationSite;
let other: LocalServer;
let redis: Awaited<ReturnType<typeof startRedis>>;

beforeAll(async () => {
  redis = await startRedis();
  const environment = { REDIS_URL: redis.url, REDIS_KEY_PREFIX: 'organisations:' };
  site = await OrganisationSite.open(environment);
  other = await startServer({ database: site.site.server.database, environment });
});
afterAll(async () => {
  await other.stop();
  await site.stop();
  await redis.stop();
});
beforeEach(() => site.upstream.reset());

const person = (): Promise<Person> => site.site.invite(site.root);
const people = (count: number): Promise<Person[]> => Promise.all(Array.from({ length: count }, person));

let counter = 0;
const newName = (): string => `Acme ${++counter}`;

it('ten members share one wallet, and each charge is that of its member', async () => {
  const owner = await person();
  // On a slow machine all calls are reserved at once.
  const quota = 50_000_000;
  const acme = await site.organisation(owner, newName(), quota);
  const members = await people(10);
  const ids = await Promise.all(members.map((member) => site.join(member, acme)));
  const keys = await Promise.all(members.map((member) => site.key(member, acme)));
  const before = await Promise.all(members.map(({ id }) => site.balance(id)));
  const calls = keys.flatMap(({ key }, index) => Array.from({ length: index + 1 }, () => site.call(key)));
  expect(new Set(await Promise.all(calls))).toEqual(new Set([200]));

  const rows = await site.site.query<{ quota: number; member: number }>(
    `SELECT l.quota, t.member_id AS member FROM logs l JOIN tokens t ON t.id = l.token_id
      WHERE l.user_id = $1 AND l.type = 2`,
    [acme],
  );
  expect(rows).toHaveLength(55);
  const price = Number(rows[0]?.quota);
  expect(price).toBeGreaterThan(0);
  expect(await site.balance(acme)).toEqual({ quota: quota - 55 * price, used: 55 * price });
  // No member pays.
  expect(await Promise.all(members.map(({ id }) => site.balance(id)))).toEqual(before);
  const listed = await site.value<Array<{ id: number; usedQuota: number; keyCount: number }>>(
    owner,
    `{ members(organisationId: ${acme}) { id usedQuota keyCount } }`,
  );
  expect(new Map(listed.map(({ id, usedQuota }) => [id, usedQuota]))).toEqual(
    new Map([[listed[0]!.id, 0], ...ids.map((id, index) => [id, (index + 1) * price] as const)]),
  );
  expect(await site.reconcile()).toEqual([]);
});

it('is created by admins only, when the site says so', async () => {
  const { site: all, root } = site;
  const user = await person();
  const set = (value: string) =>
    all.expectSuccess(root, 'PUT', '/api/option/', { key: 'OrganizationCreationEnabled', value });
  const create = (by: Person) => all.rest(by, 'POST', '/api/organization', { name: newName() });
  const refused = {
    success: false,
    code: 'INSUFFICIENT_PRIVILEGES',
    message: 'Only admins create organisations on this site',
  };
  await set('false');
  try {
    expect((await create(user)).body).toMatchObject(refused);
    const input = `mutation { createOrganisation(input: { name: "${newName()}" }) { organisation { id } } }`;
    expect((await all.graphql(user, input)).codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
    expect((await create(root)).body).toMatchObject({ success: true });
    expect((await all.rest(null, 'GET', '/api/status')).body).toMatchObject({
      data: { organization_creation_enabled: false },
    });
  } finally {
    await set('true');
  }
  expect((await create(user)).body).toMatchObject({ success: true });
});

it.each(['member', 'project'] as const)(
  'a budget of a %s is never exceeded by parallel calls of all its keys',
  async (level) => {
    const owner = await person();
    const member = await person();
    const acme = await site.organisation(owner, newName(), 5_000_000);
    const memberId = await site.join(member, acme);
    const create = `mutation { createProject(input: { organisationId: ${acme}, name: "Search" }) { project { id } } }`;
    const { project } = await site.value<{ project: { id: number } }>(owner, create);
    const place = level === 'project' ? `, projectId: ${project.id}` : '';
    const keys = await Promise.all([1, 2, 3].map(() => site.key(member, acme, place)));
    const free = await site.key(owner, acme);
    // Both nodes know the keys before the budget is made.
    for (const { key } of keys) expect([await site.call(key), await site.call(key, other.url)]).toEqual([200, 200]);
    const subject = level === 'member' ? memberId : project.id;
    const budget = `level: ${level.toUpperCase()}, subjectId: ${subject}, kind: REQUESTS, amount: 7, span: DAY`;
    const made = await site.ask(owner, `mutation { createBudget(input: { ${budget} }) { budget { id } } }`, acme);
    expect(made.codes).toEqual([]);
    // The other node hears of it within a second.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const urls = [site.site.server.url, other.url];
    const calls = Array.from({ length: 30 }, (_, n) => site.call(keys[n % 3]!.key, urls[n % 2]));
    const statuses = await Promise.all(calls);
    expect(statuses.filter((status) => status === 200)).toHaveLength(7);
    expect(statuses.filter((status) => status === 429)).toHaveLength(23);
    // Keys of others are not counted.
    expect(await site.call(free.key)).toBe(200);
    expect(await site.reconcile()).toEqual([]);
  },
);

it.each(['removed', 'left'] as const)(
  'keys of a member who is %s stop at once on both nodes, and a running call is charged',
  async (how) => {
    const owner = await person();
    const member = await person();
    const acme = await site.organisation(owner, newName(), 5_000_000);
    const memberId = await site.join(member, acme);
    const shared = await site.key(owner, acme, ', isShared: true');
    const { key } = await site.key(member, acme);
    for (const url of [site.site.server.url, other.url]) expect(await site.call(key, url)).toBe(200);
    const { quota: before } = await site.balance(acme);
    const own = await site.balance(member.id);

    let finish = (): void => undefined;
    const arrived = new Promise<void>((resolve) => {
      site.upstream.script({}, async (response, request) => {
        const released = new Promise<void>((release) => (finish = release));
        resolve();
        await released;
        const message = { role: 'assistant', content: 'Hello' };
        await json({
          id: 'c',
          object: 'chat.completion',
          created: 1,
          model: 'gpt-4o',
          choices: [{ index: 0, message, finish_reason: 'stop' }],
          usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 },
        })(response, request);
      });
    });
    const running = site.call(key);
    await arrived;
    const document = how === 'removed' ? `removeMember(id: ${memberId})` : `leaveOrganisation(id: ${acme})`;
    await site.value(how === 'removed' ? owner : member, `mutation { ${document} { id } }`);
    // The node that did it refuses the next call. The other one hears of it within a second.
    expect(await site.call(key)).toBe(401);
    const deadline = Date.now() + 1000;
    while ((await site.call(key, other.url)) !== 401) expect(Date.now()).toBeLessThan(deadline);
    finish();
    expect(await running).toBe(200);
    site.upstream.reset();

    const { quota: after } = await site.balance(acme);
    expect(before - after).toBeGreaterThan(0);
    // The member takes no money, and the key stays readable for usage.
    expect(await site.balance(member.id)).toEqual(own);
    const former = await site.value<Array<{ id: number; leftAt: string | null; usedQuota: number }>>(
      owner,
      `{ members(organisationId: ${acme}, formerToo: true) { id leftAt usedQuota } }`,
    );
    const row = former.find(({ id }) => id === memberId);
    const listed = async (query: string): Promise<number[]> => {
      const { body } = await site.site.expectSuccess(owner, 'GET', `/api/organization/${acme}/member${query}`);
      return (body.data as Array<{ id: number }>).map(({ id }) => id);
    };
    expect(await listed('?former=true')).toContain(memberId);
    for (const query of ['', '?former=false']) expect(await listed(query)).not.toContain(memberId);
    expect(row?.leftAt).not.toBeNull();
    expect(row?.usedQuota).toBe(5_000_000 - after);
    expect(await site.call(shared.key)).toBe(200);
    // The organisation does not exist for a former member.
    expect((await site.ask(member, '{ myTokens { items { id } } }', acme)).codes).toEqual(['NOT_FOUND']);
    expect(await site.reconcile()).toEqual([]);
  },
);

it('keys of a member stop while the person is banned, and end with the account', async () => {
  const owner = await person();
  const member = await person();
  const acme = await site.organisation(owner, newName(), 5_000_000);
  await site.join(member, acme);
  const { key } = await site.key(member, acme);
  const manage = (action: string) =>
    site.site.expectSuccess(site.root, 'POST', '/api/user/manage', { id: member.id, action });
  expect(await site.call(key)).toBe(200);
  await manage('disable');
  expect(await site.call(key)).toBe(401);
  await manage('enable');
  expect(await site.call(key)).toBe(200);
  await manage('delete');
  expect(await site.call(key)).toBe(401);
  const rows = await site.site.query('SELECT FROM memberships WHERE user_id = $1 AND left_at IS NULL', [member.id]);
  expect(rows).toEqual([]);
});

it('an organisation keeps an owner', async () => {
  const owner = await person();
  const second = await person();
  const acme = await site.organisation(owner, newName());
  const [{ id: ownerId }] = await site.value<[{ id: number }]>(owner, `{ members(organisationId: ${acme}) { id } }`);
  // Without another member, the organisation would go with the account.
  const secondId = await site.join(second, acme);
  const role = (id: number, to: string) =>
    `mutation { setMemberRole(input: { id: ${id}, role: ${to} }) { member { id } } }`;
  for (const document of [
    `mutation { leaveOrganisation(id: ${acme}) { id } }`,
    `mutation { removeMember(id: ${ownerId}) { id } }`,
    role(ownerId, 'MEMBER'),
    'mutation { deleteMe { id } }',
  ]) {
    expect([document, (await site.ask(owner, document)).codes]).toEqual([document, ['CONFLICT']]);
  }
  const deletion = await site.site.rest(site.root, 'POST', '/api/user/manage', { id: owner.id, action: 'delete' });
  expect(deletion.body).toMatchObject({ success: false });
  const removal = await site.site.rest(site.root, 'DELETE', `/api/user/${owner.id}`);
  expect(removal.body).toMatchObject({ success: false });

  // Two owners who demote each other at once: one of them stays.
  await site.value(owner, role(secondId, 'OWNER'));
  const answers = await Promise.all([
    site.ask(owner, role(secondId, 'MEMBER')),
    site.ask(second, role(ownerId, 'MEMBER')),
  ]);
  expect(answers.filter(({ codes }) => codes.length === 0)).toHaveLength(1);
  const owners = await site.site.query("SELECT FROM memberships WHERE organisation_id = $1 AND role = 'owner'", [acme]);
  expect(owners).toHaveLength(1);
});

it('an organisation is an account that cannot sign in, and lists of accounts say what it is', async () => {
  const owner = await person();
  const name = newName();
  const acme = await site.organisation(owner, name);
  const taken = await site.ask(
    owner,
    `mutation { createOrganisation(input: { name: "${name.toUpperCase()}" }) { organisation { id } } }`,
  );
  expect(taken.codes).toEqual(['CONFLICT']);
  const login = { username: name, password: 'any password' };
  expect((await site.site.rest(null, 'POST', '/api/user/login', login)).body).toMatchObject({ success: false });
  for (const document of [
    `mutation { updateUser(input: { id: ${acme}, password: "a long password" }) { user { id } } }`,
    `mutation { updateUser(input: { id: ${acme}, email: "acme@example.com" }) { user { id } } }`,
    `mutation { promoteUser(id: ${acme}) { user { id } } }`,
  ]) {
    expect([document, (await site.ask(site.root, document)).codes]).toEqual([document, ['CONFLICT']]);
  }
  const kinds = async (filter: string) => {
    const list = `{ users(pageSize: 100, filter: { ${filter} }) { items { id kind } } }`;
    const { items } = await site.value<{ items: Array<{ id: number; kind: string }> }>(site.root, list);
    return items.find(({ id }) => id === acme)?.kind;
  };
  expect([await kinds(''), await kinds('kinds: [PERSON]')]).toEqual(['ORGANISATION', undefined]);
  // The database refuses every sign-in method.
  for (const set of [
    "password_hash = 'x'",
    "email = 'a@b.c'",
    "github_id = '1'",
    "role = 'admin'",
    "access_token_hash = 'x'",
  ]) {
    await expect(site.site.query(`UPDATE users SET ${set} WHERE id = $1`, [acme])).rejects.toThrow(
      'users_organisation',
    );
  }
});

describe('an invitation', () => {
  const invite = async (owner: Person, organisation: number, rest = '') => {
    const input = `{ organisationId: ${organisation}, role: BILLING ${rest} }`;
    const document = `mutation { inviteMember(input: ${input}) { link invitation { id role email } } }`;
    const { link, invitation } = await site.value<{ link: string; invitation: { id: number } }>(owner, document);
    return { id: invitation.id, token: link.split('/').at(-1)! };
  };
  const accept = (who: Person, token: string) =>
    site.ask(who, `mutation { acceptInvitation(token: "${token}") { organisation { id name role memberCount } } }`);

  it('works once, with the role that it was made with, and its text is stored nowhere', async () => {
    const [owner, first, late] = (await people(3)) as [Person, Person, Person];
    const acme = await site.organisation(owner, newName());
    const { token } = await invite(owner, acme);
    const preview = `{ invitation(token: "${token}") { organisationId role isMember } }`;
    expect(await site.value(first, preview)).toEqual({ organisationId: acme, role: 'BILLING', isMember: false });
    const [stored] = await site.site.query<{ text: string }>(
      'SELECT i::text AS text FROM invitations i ORDER BY id DESC LIMIT 1',
    );
    expect(stored?.text).not.toContain(token);
    const answers = await Promise.all([accept(first, token), accept(late, token)]);
    expect(answers.map(({ codes }) => codes.join()).sort()).toEqual(['', 'NOT_FOUND']);
    const done = answers.find(({ codes }) => codes.length === 0);
    expect(done?.data).toMatchObject({
      acceptInvitation: { organisation: { id: acme, role: 'BILLING', memberCount: 2 } },
    });
    expect((await accept(late, token)).codes).toEqual(['NOT_FOUND']);
    expect(await site.value(late, preview)).toBeNull();
  });

  it('ends when it is revoked, when it expires, and with the organisation', async () => {
    const [owner, guest] = (await people(2)) as [Person, Person];
    const acme = await site.organisation(owner, newName());
    const [revoked, expired, orphan] = [
      await invite(owner, acme),
      await invite(owner, acme),
      await invite(owner, acme),
    ];
    await site.value(owner, `mutation { revokeInvitation(id: ${revoked.id}) { id } }`);
    await site.site.query("UPDATE invitations SET expires_at = now() - interval '1 second' WHERE id = $1", [
      expired.id,
    ]);
    const open = await site.value<Array<{ id: number }>>(owner, `{ invitations(organisationId: ${acme}) { id } }`);
    expect(open).toEqual([{ id: orphan.id }]);
    expect((await accept(guest, revoked.token)).codes).toEqual(['NOT_FOUND']);
    expect((await accept(guest, expired.token)).codes).toEqual(['NOT_FOUND']);
    await site.value(owner, `mutation { deleteOrganisation(id: ${acme}) { id } }`);
    expect((await accept(guest, orphan.token)).codes).toEqual(['NOT_FOUND']);
  });

  it('is refused for a member, and stays valid', async () => {
    const [owner, guest] = (await people(2)) as [Person, Person];
    const acme = await site.organisation(owner, newName());
    const { token } = await invite(owner, acme);
    expect((await accept(owner, token)).codes).toEqual(['CONFLICT']);
    expect((await accept(guest, token)).codes).toEqual([]);
  });
});

it('keys of a deleted organisation stop at once', async () => {
  const owner = await person();
  const acme = await site.organisation(owner, newName(), 5_000_000);
  const { key } = await site.key(owner, acme);
  expect(await site.call(key)).toBe(200);
  await site.value(owner, `mutation { deleteOrganisation(id: ${acme}) { id } }`);
  expect(await site.call(key)).toBe(401);
  expect(await site.value(owner, '{ myOrganisations { id } }')).toEqual([]);
  expect(await site.reconcile()).toEqual([]);
});

it('the audit log has the person, not the organisation', async () => {
  const owner = await person();
  const member = await person();
  const acme = await site.organisation(owner, newName());
  const memberId = await site.join(member, acme);
  await site.value(owner, `mutation { setMemberRole(input: { id: ${memberId}, role: BILLING }) { member { id } } }`);
  const budget = `level: MEMBER, subjectId: ${memberId}, kind: MONEY, amount: 5, span: DAY`;
  await site.value(member, `mutation { createBudget(input: { ${budget} }) { budget { id } } }`, acme);
  const rows = await site.site.query<{ actor: number; subject: string; action: string }>(
    'SELECT actor_id AS actor, subject, action FROM audit_entries WHERE actor_id = ANY ($1) ORDER BY id',
    [[owner.id, member.id]],
  );
  expect(rows).toEqual([
    { actor: owner.id, subject: 'organisation', action: 'create' },
    { actor: owner.id, subject: 'organisation', action: 'update' },
    { actor: member.id, subject: 'budget', action: 'create' },
  ]);
});

describe('mail', () => {
  let mail: MailServer;
  beforeAll(async () => {
    mail = await startMailServer();
    for (const [key, value] of Object.entries({
      SMTPServer: '127.0.0.1',
      SMTPPort: String(mail.port),
      SMTPAccount: mailAccount.user,
      SMTPToken: mailAccount.password,
    })) {
      await site.site.expectSuccess(site.root, 'PUT', '/api/option/', { key, value });
    }
  });
  afterAll(() => mail.stop());

  const addressed = async (name: string): Promise<Person> => {
    const found = await person();
    await site.site.query('UPDATE users SET email = $2 WHERE id = $1', [found.id, `${name}@mail.example`]);
    return found;
  };

  it('brings the link of an invitation', async () => {
    const owner = await person();
    const guest = await person();
    const acme = await site.organisation(owner, newName());
    const input = `{ organisationId: ${acme}, role: MEMBER, email: "guest@mail.example" }`;
    const { link } = await site.value<{ link: string }>(owner, `mutation { inviteMember(input: ${input}) { link } }`);
    const { html } = await mail.mailTo('guest@mail.example');
    expect(html).toContain(link);
    const accept = `mutation { acceptInvitation(token: "${link.split('/').at(-1)}") { organisation { id } } }`;
    expect(await site.value(guest, accept)).toEqual({ organisation: { id: acme } });
  });

  it('tells owners and billing members, and no others, of a low balance', async () => {
    const [owner, billing, member] = [await addressed('owner'), await addressed('billing'), await addressed('member')];
    const acme = await site.organisation(owner, newName(), 5_000_000);
    await site.join(billing, acme, 'BILLING');
    await site.join(member, acme);
    const setting =
      'mutation { updateMySetting(input: { quotaWarningThreshold: 9000000 }) { setting { notifyType } } }';
    await site.value(billing, setting, acme);
    const { key } = await site.key(member, acme);
    expect(await site.call(key)).toBe(200);
    await Promise.all([mail.mailTo('owner@mail.example'), mail.mailTo('billing@mail.example')]);
    expect(mail.mails.flatMap(({ to }) => to)).not.toContain('member@mail.example');
  });
});

it('usage is grouped by member and project, deleted keys included', async () => {
  const [owner, member] = (await people(2)) as [Person, Person];
  const organisation = newName();
  const acme = await site.organisation(owner, organisation, 5_000_000);
  const memberId = await site.join(member, acme);
  const create = `mutation { createProject(input: { organisationId: ${acme}, name: "Search" }) { project { id } } }`;
  const { project } = await site.value<{ project: { id: number } }>(owner, create);
  const placed = await site.key(member, acme, `, projectId: ${project.id}`);
  const plain = await site.key(member, acme);
  const shared = await site.key(owner, acme, ', isShared: true');
  for (const { key } of [placed, placed, plain, shared]) expect(await site.call(key)).toBe(200);
  const rows = await site.value(
    site.root,
    `{ tokens(filter: { ids: [${placed.id}, ${shared.id}] }, sort: [{ field: ID, direction: ASC }]) {
       items { project { name organisation { name } } member { username organisation { id } } } } }`,
  );
  expect(rows).toEqual({
    items: [
      {
        project: { name: 'Search', organisation: { name: organisation } },
        member: { username: member.username, organisation: { id: acme } },
      },
      { project: null, member: null },
    ],
  });
  await site.value(owner, `mutation { removeMember(id: ${memberId}) { id } }`);
  /** Calls by member or project, with the id and the name of each. */
  const grouped = async (dimension: 'MEMBER' | 'PROJECT', field = 'myUsage', filter = '', asker = owner) => {
    const noun = dimension.toLowerCase();
    const list = `{ ${field}(groupBy: [${dimension}], filter: { ${filter} }) {
      items { key { id: ${noun}Id name: ${noun}Name } metrics { calls } } } }`;
    const { items } = await site.value<{
      items: Array<{ key: { id: number; name: string | null }; metrics: { calls: number } }>;
    }>(asker, list, field === 'usage' ? undefined : acme);
    return new Set(items.map(({ key, metrics }) => [key.id, key.name, metrics.calls]));
  };
  const [ofMember, ofProject] = [
    (calls: number) => [memberId, member.username, calls],
    (calls: number) => [project.id, 'Search', calls],
  ];
  expect(await grouped('MEMBER')).toEqual(new Set([ofMember(3), [0, null, 1]]));
  expect(await grouped('PROJECT')).toEqual(new Set([ofProject(2), [0, null, 2]]));
  expect(await grouped('MEMBER', 'myUsage', `projectIds: [${project.id}]`)).toEqual(new Set([ofMember(2)]));
  expect(await grouped('PROJECT', 'myUsage', `memberIds: [${memberId}]`)).toEqual(
    new Set([ofProject(2), [0, null, 1]]),
  );
  // Admins ask for the whole site, and other accounts find nothing of this one.
  expect(await grouped('MEMBER', 'usage', `projectIds: [${project.id}]`, site.root)).toEqual(new Set([ofMember(2)]));
  expect(await grouped('PROJECT', 'usage', `memberIds: [${memberId}], projectIds: [${project.id}]`, site.root)).toEqual(
    new Set([ofProject(2)]),
  );
  // The quota is that of the log.
  const token = await readingToken(site.site, site.root);
  const { usage } = (await askQuestion(site.site, token, organisationQuestions[0]!, { organisation })) as unknown as {
    usage: { items: Array<{ key: object; metrics: object }> };
  };
  const spend = await site.site.query<{ key: object; metrics: object }>(
    `SELECT jsonb_build_object('projectId', t.project_id, 'projectName', p.name, 'memberId', t.member_id, 'memberName', u.username) AS key,
            jsonb_build_object('quota', sum(l.quota), 'calls', count(*)) AS metrics
       FROM logs l JOIN tokens t ON t.id = l.token_id LEFT JOIN projects p ON p.id = t.project_id
       LEFT JOIN memberships m ON m.id = t.member_id LEFT JOIN users u ON u.id = m.user_id
      WHERE l.user_id = $1 AND l.type = 2 GROUP BY t.project_id, p.name, t.member_id, u.username`,
    [acme],
  );
  expect(spend).toHaveLength(3);
  expect(new Set(usage.items)).toEqual(new Set(spend));
  const elsewhere = `{ myUsage(groupBy: [PROJECT], filter: { projectIds: [${project.id}] }) { items { key { projectName } } } }`;
  expect(await site.value(member, elsewhere)).toEqual({ items: [] });

  const response = await fetch(`${site.site.server.url}/api/data/self/export?group_by=member,project`, {
    headers: { cookie: owner.cookie, 'veloera-user': String(owner.id), ...acting(acme) },
  });
  const [header = '', ...lines] = (await response.text()).trim().split(/\r?\n/);
  const columns = header.replace('\uFEFF', '').split(',');
  const cells = lines.map((line) => {
    const row = line.split(',');
    return ['member_id', 'member', 'project_id', 'project', 'calls'].map((name) => row[columns.indexOf(name)]);
  });
  expect(new Set(cells.map((row) => row.join()))).toEqual(
    new Set([
      `${memberId},${member.username},${project.id},Search,2`,
      `${memberId},${member.username},0,,1`,
      '0,,0,,1',
    ]),
  );
});
