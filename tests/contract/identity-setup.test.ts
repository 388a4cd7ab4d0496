import { anywhere, Site } from './site.js';

let site: Site;
beforeEach(async () => (site = await Site.open()));
afterEach(() => site.stop());

const password = 'hunter2hunter2';
const complete =
  'mutation ($input: CompleteSetupInput!) { completeSetup(input: $input) { setup { isDone databaseType } } }';
const input = { username: 'boss', password, confirmPassword: password };

describe('GET /api/setup', () => {
  it('tells that nothing is set up, then that it is', async () => {
    const before = await site.rest(null, 'GET', '/api/setup');
    expect(before.body).toEqual({
      success: true,
      data: { status: false, root_init: false, database_type: 'postgres' },
    });
    await site.expectSuccess(null, 'POST', '/api/setup', input);
    const after = await site.rest(null, 'GET', '/api/setup/');
    expect(after.body).toEqual({ success: true, data: { status: true, root_init: false, database_type: '' } });
  });
});

describe('POST /api/setup', () => {
  it('makes the root user with their quota in the ledger, and opens no session', async () => {
    const answer = await site.rest(null, 'POST', '/api/setup', { ...input, username: ' boss ', extra: 'ignored' });
    expect([answer.status, answer.body]).toEqual([200, { success: true, message: 'System initialised' }]);
    expect(answer.headers.getSetCookie()).toEqual([]);

    const [root] = await site.query<Record<string, unknown>>('SELECT * FROM users');
    expect(root).toMatchObject({
      username: 'boss',
      display_name: 'Root User',
      role: 'root',
      status: 'enabled',
      quota: '100000000',
    });
    expect(root?.['aff_code']).toMatch(/^\w{6}$/);
    expect(root?.['access_token_hash']).toBeNull();
    expect(root?.['password_hash']).toMatch(/^\$argon2id\$/);
    const entries = await site.query('SELECT source, kind, amount FROM ledger_entries');
    expect(entries).toEqual([{ source: 'opening:user:1', kind: 'opening', amount: '100000000' }]);
  });

  it('from another machine needs the code that the start printed', async () => {
    const { setupCode } = site.server;
    expect(setupCode).toMatch(/^[A-Z2-9]{4}-[A-Z2-9]{4}-[A-Z2-9]{4}$/);
    const elsewhere = anywhere();
    for (const code of [undefined, '', 'AAAA-AAAA-AAAA', `${setupCode}x`]) {
      const answer = await site.rest(null, 'POST', '/api/setup', { ...input, setup_code: code }, elsewhere);
      expect([answer.status, answer.body]).toMatchObject([400, { success: false, code: 'SETUP_CODE_NEEDED' }]);
      const { codes } = await site.graphql(null, complete, { input: { ...input, code: code ?? null } }, elsewhere);
      expect(codes).toEqual(['SETUP_CODE_NEEDED']);
    }
    const needed = async (headers: Record<string, string>) =>
      (await site.graphql(null, '{ setup { codeNeeded } }', {}, headers)).data;
    expect([await needed(elsewhere), await needed({})]).toEqual([
      { setup: { codeNeeded: true } },
      { setup: { codeNeeded: false } },
    ]);
    const typed = setupCode?.toLowerCase().replaceAll('-', '');
    const answer = await site.rest(null, 'POST', '/api/setup', { ...input, setup_code: typed }, elsewhere);
    expect(answer.body).toMatchObject({ success: true });
  });

  it('keeps the two modes', async () => {
    await site.expectSuccess(null, 'POST', '/api/setup', { ...input, SelfUseModeEnabled: true, DemoSiteEnabled: true });
    const status = await site.rest(null, 'GET', '/api/status');
    expect(status.body.data).toMatchObject({ setup: true, self_use_mode_enabled: true, demo_site_enabled: true });
  });

  it.each([
    ['Username must not be empty', { ...input, username: '  ' }],
    ['Username must have at most 12 characters', { ...input, username: 'thirteen_char' }],
    ['Username must not contain @ or control characters', { ...input, username: 'a@b' }],
    ['The two passwords do not match', { ...input, confirmPassword: 'another one' }],
    ['Password must be at least 8 characters', { ...input, password: 'short', confirmPassword: 'short' }],
    ['Password must be at most 72 bytes', { ...input, password: 'é'.repeat(37), confirmPassword: 'é'.repeat(37) }],
    ['Invalid request parameters', '{"username":'],
    ['Invalid request parameters', { ...input, username: 5 }],
    ['Invalid request parameters', { ...input, SelfUseModeEnabled: 'true' }],
  ])('refuses with 400: %s', async (message, body) => {
    const answer = await site.rest(null, 'POST', '/api/setup', body);
    expect([answer.status, answer.body]).toMatchObject([400, { success: false, message }]);
    expect(await site.query('SELECT 1 FROM users UNION ALL SELECT 1 FROM setup')).toEqual([]);
  });

  it('works once', async () => {
    await site.expectSuccess(null, 'POST', '/api/setup', input);
    for (const body of [input, '{']) {
      const again = await site.rest(null, 'POST', '/api/setup', body);
      expect([again.status, again.body]).toMatchObject([
        400,
        { success: false, message: 'System is already initialised' },
      ]);
    }
  });

  it('lets one of many win who come at the same time', async () => {
    const names = ['one', 'two', 'three', 'four', 'five', 'six'];
    const answers = await Promise.all(
      names.map((username) => site.rest(null, 'POST', '/api/setup', { ...input, username })),
    );
    expect(answers.filter(({ body }) => body['success'] === true)).toHaveLength(1);
    for (const { status, body } of answers.filter(({ body }) => body['success'] !== true)) {
      expect([status, body]).toMatchObject([400, { message: 'System is already initialised' }]);
    }
    expect(await site.query('SELECT count(*)::int AS n FROM users')).toEqual([{ n: 1 }]);
    expect(await site.query('SELECT count(*)::int AS n FROM ledger_entries')).toEqual([{ n: 1 }]);
  });

  it('asks for no credentials when a root user came with the data', async () => {
    await site.query(`INSERT INTO users (username, role) VALUES ('old', 'root')`);
    expect((await site.rest(null, 'GET', '/api/setup')).body.data).toMatchObject({ status: false, root_init: true });
    await site.expectSuccess(null, 'POST', '/api/setup', {});
    expect(await site.query('SELECT username FROM users')).toEqual([{ username: 'old' }]);
  });
});

describe('through GraphQL', () => {
  it('sets up once', async () => {
    const read = '{ setup { isDone needsRootUser databaseType } status { isSetUp } }';
    expect((await site.graphql(null, read)).data).toEqual({
      setup: { isDone: false, needsRootUser: true, databaseType: 'postgres' },
      status: { isSetUp: false },
    });
    expect((await site.graphql(null, complete, { input })).data).toEqual({
      completeSetup: { setup: { isDone: true, databaseType: null } },
    });
    expect((await site.graphql(null, complete, { input })).codes).toEqual(['ALREADY_SET_UP']);
    expect((await site.graphql(null, read)).data).toEqual({
      setup: { isDone: true, needsRootUser: false, databaseType: null },
      status: { isSetUp: true },
    });
  });

  it('names the field at fault and never repeats a password', async () => {
    const answer = await site.graphql(null, complete, { input: { ...input, confirmPassword: 'other' } });
    expect(answer.codes).toEqual(['INVALID_INPUT']);
    expect(answer.text).toContain('"field":"confirmPassword"');
    const coerced = await site.graphql(null, complete, { input: { ...input, selfUseModeEnabled: 'yes' } });
    expect(coerced.codes).toEqual(['BAD_USER_INPUT']);
    for (const { text } of [answer, coerced]) expect(text).not.toContain(password);
  });
});
