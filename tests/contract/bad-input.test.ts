import { anywhere, Site, type Person } from './site.js';

let site: Site;
let root: Person;
let user: Person;
let target: Person;
beforeAll(async () => {
  site = await Site.open({ OUTBOUND_ALLOW: '127.0.0.1' });
  root = await site.setUp();
  [user, target] = [await site.invite(root), await site.invite(root)];
  await site.query(`UPDATE users SET email = 'somebody@example.com' WHERE id = $1`, [target.id]);
});
afterAll(() => site.stop());

/** One generator for every field: wrong types, too long, empty, negative, huge, and text that breaks what is careless. */
const bad: ReadonlyArray<readonly [what: string, value: unknown]> = [
  ...([
    ['null', null],
    ['true', true],
    ['a list', ['x']],
    ['an object', { x: 1 }],
    ['a text', 'x'],
  ] as const),
  ...([
    ['zero', 0],
    ['negative', -1],
    ['a fraction', 0.5],
    ['huge', 1e308],
    ['beyond 64 bits', 2 ** 64],
  ] as const),
  ...([
    ['beyond 32 bits', 2 ** 31],
    ['empty', ''],
    ['blank', '  \t '],
    ['too long', 'x'.repeat(5000)],
  ] as const),
  ...([
    ['NUL', 'a\0b'],
    ['half a surrogate', 'a\ud800b'],
    ['direction marks', '\u202eabc\u2066'],
  ] as const),
  ...([
    ['combined', 'e\u0301👩‍👩‍👧‍👦ﷺ'],
    ['many bytes', '\u{1f600}'.repeat(300)],
    ['a new line', 'a\r\nb: c'],
  ] as const),
  ...([
    ['SQL', `'; DROP TABLE users; --`],
    ['LIKE', '%_%\\'],
    ['a number in text', '-1'],
    ['NaN', 'NaN'],
  ] as const),
  ...([
    ['prototype', '__proto__'],
    ['a template', '${7*7}{{7*7}}'],
  ] as const),
];

/** What only Postgres, TypeORM, a parser or a stack would say. */
const leaks =
  /relation "|column "|syntax error|duplicate key|violates|constraint|QueryFailed|invalid byte|out of range for|at \/|node_modules|ECONN|typeorm|pg_|stack/i;

/** All that a request might half save. */
async function everything(): Promise<unknown> {
  const tables = ['options', 'tokens', 'ledger_entries', 'audit_entries'];
  const columns = 'id, username, password_hash, display_name, role, status, email, quota, "group", setting, aff_quota';
  const parts = [
    site.query(`SELECT ${columns} FROM users ORDER BY id`),
    ...tables.map((table) =>
      site.query(`SELECT count(*), md5(string_agg(t::text, '|' ORDER BY t::text)) FROM ${table} t`),
    ),
  ];
  return Promise.all(parts);
}

type Body = Record<string, unknown>;
interface Endpoint {
  readonly method: string;
  readonly path: () => string;
  readonly body: () => Body;
  readonly as: () => Person | null;
}

const endpoints: Record<string, Endpoint> = {
  login: {
    ...{ method: 'POST', path: () => '/api/user/login', as: () => null },
    body: () => ({ username: user.username, password: 'wrong password' }),
  },
  register: {
    ...{ method: 'POST', path: () => '/api/user/register', as: () => null },
    body: () => ({ username: 'root', password: 'password 1', email: '', verification_code: '', aff_code: '' }),
  },
  reset: {
    ...{ method: 'POST', path: () => '/api/user/reset', as: () => null },
    body: () => ({ email: 'somebody@example.com', token: '0'.repeat(32) }),
  },
  setup: {
    ...{ method: 'POST', path: () => '/api/setup', as: () => null },
    body: () => ({ username: 'x', password: 'password 1', confirmPassword: 'password 1', SelfUseModeEnabled: true }),
  },
  self: {
    ...{ method: 'PUT', path: () => '/api/user/self', as: () => user },
    body: () => ({ username: user.username, display_name: 'x', original_password: 'wrong', password: '' }),
  },
  setting: {
    ...{ method: 'PUT', path: () => '/api/user/setting', as: () => user },
    body: () => ({
      ...{ notify_type: 'webhook', quota_warning_threshold: 5, webhook_url: 'https://x.example.com' },
      ...{ webhook_secret: 'word', notification_email: 'a@b.cd', accept_unset_model_ratio_model: false },
    }),
  },
  transfer: {
    ...{ method: 'POST', path: () => '/api/user/aff_transfer', as: () => user },
    body: () => ({ quota: 500_000 }),
  },
  create: {
    ...{ method: 'POST', path: () => '/api/user/', as: () => root },
    body: () => ({ username: 'root', password: 'password 1', display_name: 'x', role: 1 }),
  },
  update: {
    ...{ method: 'PUT', path: () => '/api/user/', as: () => root },
    body: () => ({ id: target.id, username: target.username, display_name: 'x', group: 'default', quota: 5, role: 1 }),
  },
  delta: {
    ...{ method: 'PUT', path: () => '/api/user/', as: () => root },
    body: () => ({ id: target.id, quota_delta: 1 }),
  },
  manage: {
    ...{ method: 'POST', path: () => '/api/user/manage', as: () => root },
    body: () => ({ id: target.id, action: 'enable' }),
  },
  option: {
    ...{ method: 'PUT', path: () => '/api/option/', as: () => root },
    body: () => ({ key: 'RetryTimes', value: '1' }),
  },
  prices: {
    ...{ method: 'PUT', path: () => '/api/option/', as: () => root },
    body: () => ({ key: 'GroupRatio', value: '{"default":1}' }),
  },
};

describe.each(Object.keys(endpoints))('%s', (name) => {
  const { method, path, body, as } = endpoints[name] as Endpoint;

  it('answers every bad field clearly, and saves nothing of what it refuses', async () => {
    for (const field of Object.keys(body())) {
      for (const [what, value] of bad) {
        const before = await everything();
        const answer = await site.rest(as(), method, path(), { ...body(), [field]: value }, anywhere());
        const said = { field, what, status: answer.status, body: answer.body };
        expect(said).toMatchObject({ body: { success: expect.any(Boolean) } });
        expect([said, answer.status < 500]).toEqual([said, true]);
        expect([said, leaks.test(JSON.stringify(answer.body))]).toEqual([said, false]);
        if (answer.body['success'] === true) continue;
        expect([said, String(answer.body['message']).trim().length > 0]).toEqual([said, true]);
        expect([said, await everything()]).toEqual([said, before]);
      }
    }
  });

  it.each(['', 'null', '[]', '5', '"x"', '{', '{"a":', '\0', `{"__proto__":{"role":100}}`])(
    'takes the body %j for what it is',
    async (text) => {
      const before = await everything();
      const answer = await site.rest(as(), method, path(), text, anywhere());
      expect([answer.status < 500, answer.body['success'] === true && name !== 'self']).toEqual([true, false]);
      expect(JSON.stringify(answer.body)).not.toMatch(leaks);
      expect(await everything()).toEqual(before);
    },
  );
});

const queries: ReadonlyArray<readonly [string, ...string[]]> = [
  ['/api/verification', 'email', 'turnstile'],
  ['/api/reset_password', 'email'],
  ['/api/oauth/email/bind', 'email', 'code'],
  ['/api/oauth/wechat/bind', 'code'],
  ['/api/oauth/github', 'code', 'state'],
  ['/api/oauth/telegram/login', 'id', 'hash', 'auth_date'],
  ['/api/oauth/state', 'aff', 'provider'],
  ['/api/user/search', 'keyword', 'group', 'p', 'page_size'],
];

it.each(queries)('GET %s', async (path, ...fields) => {
  for (const field of fields) {
    for (const [what, value] of bad.filter(([, one]) => typeof one === 'string' || typeof one === 'number')) {
      const query = new URLSearchParams({ [field]: String(value).slice(0, 3000) }).toString();
      const person = path === '/api/user/search' ? root : path.endsWith('bind') ? user : null;
      const headers = { ...anywhere(), ...(person ? {} : { 'veloera-user': '-1' }) };
      const answer = await site.rest(person, 'GET', `${path}?${query}`, undefined, headers);
      const said = { field, what, status: answer.status, body: answer.body };
      expect([said, answer.status < 500, leaks.test(JSON.stringify(answer.body))]).toEqual([said, true, false]);
    }
  }
});

const mutations: ReadonlyArray<readonly [string, (person: Person) => Person | null]> = [
  ['mutation ($x: String!) { login(input: { username: $x, password: $x }) { id } }', () => null],
  ['mutation ($x: String!) { register(input: { username: "root", password: $x, affCode: $x }) }', () => null],
  ['mutation ($x: String!) { sendEmailCode(email: $x, turnstile: $x) }', () => null],
  ['mutation ($x: String!) { resetPassword(email: $x, token: $x) }', () => null],
  ['mutation ($x: String!) { bindEmail(email: $x, code: $x) }', (one) => one],
  ['mutation ($x: String!) { revokeSession(id: $x) }', (one) => one],
  ['mutation ($x: String!) { updateMe(input: { displayName: $x, password: "x" }) { id } }', (one) => one],
  ['mutation ($x: SafeInt!) { transferInviteQuota(quota: $x) }', (one) => one],
  [
    'mutation ($x: String!) { updateMySetting(input: { notifyType: WEBHOOK, quotaWarningThreshold: 1, webhookUrl: $x }) { webhookUrl } }',
    (one) => one,
  ],
  ['mutation ($x: String!) { setOption(key: $x, value: "1") { key } }', () => root],
  ['mutation ($x: String!) { setOption(key: "GroupRatio", value: $x) { key } }', () => root],
  ['mutation ($x: String!) { discoverOidc(wellKnown: $x) { tokenEndpoint } }', () => root],
  ['mutation ($x: Int!) { setUserStatus(id: $x, status: $x) { id } }', () => root],
  ['mutation ($x: SafeInt!) { grantQuota(userId: 999999, amount: $x, note: "x") { id } }', () => root],
  ['query ($x: String!) { auditEntries(filter: { subject: $x, subjectId: $x }) { totalCount } }', () => root],
  ['query ($x: Int!) { auditEntries(filter: { actorId: $x }, page: $x, pageSize: $x) { totalCount } }', () => root],
  ['query ($x: String!) { users(filter: { keyword: $x, group: $x }) { totalCount } }', () => root],
];

it.each(mutations)('%s', async (document, as) => {
  for (const [what, x] of bad) {
    const answer = await site.graphql(as(user), document, { x }, anywhere());
    const said = { what, text: answer.text };
    expect([said, answer.codes.includes('INTERNAL_ERROR'), leaks.test(answer.text)]).toEqual([said, false, false]);
  }
});
