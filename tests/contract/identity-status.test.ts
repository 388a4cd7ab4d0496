import { Site, type Person } from './site.js';

let site: Site;
let root: Person;
beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
});
afterAll(() => site.stop());

const set = (key: string, value: string) => site.expectSuccess(root, 'PUT', '/api/option/', { key, value });

describe('GET /api/status', () => {
  it('has every field in its type, never null', async () => {
    const { body } = await site.rest(null, 'GET', '/api/status');
    expect(body).toMatchObject({ success: true, message: '' });
    const types = Object.entries(body.data as object).map(([key, value]) => [
      key,
      Array.isArray(value) ? 'array' : typeof value,
    ]);
    const strings = [
      ...['version', 'system_name', 'logo', 'footer_html', 'server_address', 'docs_link', 'top_up_link'],
      ...[
        'turnstile_site_key',
        'github_client_id',
        'linuxdo_client_id',
        'oidc_client_id',
        'oidc_authorization_endpoint',
      ],
      ...['telegram_bot_name', 'wechat_qrcode', 'data_export_default_time', 'chat_link', 'chat_link2'],
      ...['quota_display_type', 'custom_currency_symbol'],
    ];
    const booleans = [
      ...['setup', 'email_verification', 'turnstile_check', 'github_oauth', 'linuxdo_oauth', 'oidc_enabled'],
      ...['telegram_oauth', 'wechat_login', 'enable_online_topup', 'display_in_currency', 'enable_batch_update'],
      ...['enable_drawing', 'enable_task', 'enable_data_export', 'default_collapse_sidebar', 'mj_notify_enabled'],
      ...['enable_model_health', 'public_model_health', 'enable_status_page'],
      ...[
        'demo_site_enabled',
        'self_use_mode_enabled',
        'check_in_enabled',
        'register_enabled',
        'organization_creation_enabled',
      ],
      // new-api uses this name for the switch.
      'checkin_enabled',
      ...['password_login_enabled', 'password_register_enabled'],
    ];
    const numbers = [
      ...['start_time', 'price', 'min_topup', 'quota_per_unit', 'usd_exchange_rate', 'custom_currency_exchange_rate'],
    ];
    const expected = [
      ...strings.map((key) => [key, 'string']),
      ...booleans.map((key) => [key, 'boolean']),
      ...numbers.map((key) => [key, 'number']),
      ['chats', 'array'],
      ['sign_in_providers', 'array'],
    ];
    expect(Object.fromEntries(types)).toEqual(Object.fromEntries(expected));
    expect(body.data).toMatchObject({ system_name: 'Tollgate', server_address: 'http://localhost:3000', price: 7.3 });
  });

  it('follows the options', async () => {
    await set('SystemName', 'My Gate');
    await set('ServerAddress', 'https://gate.example/');
    await set('CheckInEnabled', 'true');
    expect((await site.rest(null, 'GET', '/api/status')).body.data).toMatchObject({
      system_name: 'My Gate',
      server_address: 'https://gate.example',
      check_in_enabled: true,
      checkin_enabled: true,
    });
    expect((await site.rest(null, 'GET', '/')).body['text']).toContain('<title>My Gate</title>');
    const { data } = await site.graphql(null, '{ status { systemName startedAt chatLinks { name link } } }');
    expect(data?.['status']).toMatchObject({ systemName: 'My Gate', startedAt: expect.stringMatching(/Z$/) });
  });
});

it('says how amounts are shown, as new-api does, and charges and sells in USD all the same', async () => {
  const facts = async () => (await site.rest(null, 'GET', '/api/status')).body.data;
  expect(await facts()).toMatchObject({
    quota_display_type: 'USD',
    usd_exchange_rate: 7.3,
    custom_currency_symbol: '¤',
  });
  await set('general_setting.quota_display_type', 'CUSTOM');
  await set('general_setting.custom_currency_symbol', '₽');
  await set('general_setting.custom_currency_exchange_rate', '90.5');
  const custom = { display_in_currency: true, quota_display_type: 'CUSTOM', custom_currency_symbol: '₽' };
  expect(await facts()).toMatchObject({ ...custom, custom_currency_exchange_rate: 90.5, price: 7.3, min_topup: 1 });
  const { data } = await site.graphql(
    null,
    '{ status { quotaDisplayType usdExchangeRate customCurrencySymbol customCurrencyExchangeRate quotaPerUnit } }',
  );
  expect(data?.['status']).toEqual({
    quotaDisplayType: 'CUSTOM',
    usdExchangeRate: 7.3,
    customCurrencySymbol: '₽',
    customCurrencyExchangeRate: 90.5,
    quotaPerUnit: 500_000,
  });
  await set('DisplayInCurrencyEnabled', 'false');
  expect(await facts()).toMatchObject({ display_in_currency: false, quota_display_type: 'TOKENS' });
  await set('general_setting.custom_currency_symbol', '');
  expect(await facts()).toMatchObject({ custom_currency_symbol: '¤' });
});

describe('GET /api/status/test', () => {
  it('tells admins that the database answers', async () => {
    expect((await site.rest(root, 'GET', '/api/status/test')).body).toEqual({
      success: true,
      message: 'Server is running',
    });
    expect((await site.rest(null, 'GET', '/api/status/test')).status).toBe(401);
  });
});

describe('public texts', () => {
  it.each([
    ['/api/notice', 'Notice', 'notice'],
    ['/api/about', 'About', 'about'],
    ['/api/home_page_content', 'HomePageContent', 'homePageContent'],
  ])('%s is option %s', async (path, key, field) => {
    expect((await site.rest(null, 'GET', path)).body).toEqual({ success: true, message: '', data: '' });
    await set(key, `# ${key}\n<b>text</b>`);
    expect((await site.rest(null, 'GET', path)).body.data).toBe(`# ${key}\n<b>text</b>`);
    expect((await site.graphql(null, `{ ${field} }`)).data).toEqual({ [field]: `# ${key}\n<b>text</b>` });
  });
});

describe('groups', () => {
  it('are the keys of GroupRatio, sorted', async () => {
    await set('GroupRatio', '{"vip": 0.5, "default": 1, "hidden": 2}');
    expect((await site.rest(root, 'GET', '/api/group')).body).toEqual({
      success: true,
      message: '',
      data: ['default', 'hidden', 'vip'],
    });
    expect((await site.graphql(root, '{ groups }')).data).toEqual({ groups: ['default', 'hidden', 'vip'] });
  });

  it('a user may pick the public ones and his own', async () => {
    await set('GroupRatio', '{"vip": 0.5, "default": 1, "hidden": 2}');
    await set('UserUsableGroups', '{"vip": "VIP group", "gone": "no ratio"}');
    const user = await site.invite(root);
    await site.expectSuccess(root, 'PUT', '/api/user/', { id: user.id, group: 'hidden' });
    const own = await site.signIn(user.username, user.password);
    const shown = { vip: { desc: 'VIP group', ratio: 0.5 }, hidden: { desc: 'User group', ratio: 2 } };
    expect((await site.rest(own, 'GET', '/api/user/self/groups')).body).toEqual({
      success: true,
      message: '',
      data: shown,
    });
    expect((await site.rest(null, 'GET', '/api/user/groups')).body.data).toEqual({
      vip: { desc: 'VIP group', ratio: 0.5 },
      default: { desc: 'Default group', ratio: 1 },
    });
    expect((await site.graphql(own, '{ myGroups { name description ratio } }')).data).toEqual({
      myGroups: [
        { name: 'hidden', description: 'User group', ratio: 2 },
        { name: 'vip', description: 'VIP group', ratio: 0.5 },
      ],
    });
  });

  it('decide which models a user can reach', async () => {
    await set('GroupRatio', '{"vip": 0.5, "default": 1, "hidden": 2}');
    await set('UserUsableGroups', '{"vip": "VIP group"}');
    const add = (models: string, groups: string, status = 'enabled') =>
      site.query(`INSERT INTO channels (type, key_sealed, models, groups, status) VALUES (1, '', $1, $2, $3)`, [
        models.split(','),
        groups.split(','),
        status,
      ]);
    const user = await site.invite(root);
    expect((await site.rest(user, 'GET', '/api/user/models')).body).toEqual({ success: true, message: '', data: [] });
    await add('gpt-4o,shared', 'vip');
    await add('shared,plain', 'default,other');
    await add('secret', 'hidden');
    await add('off', 'default', 'disabled');
    // Written without the service, so the cached copy must be invalidated.
    await site.expectSuccess(root, 'POST', '/api/channel/fix');
    expect((await site.rest(user, 'GET', '/api/user/models')).body.data).toEqual(['gpt-4o', 'plain', 'shared']);
    expect((await site.graphql(user, '{ myModels }')).data).toEqual({ myModels: ['gpt-4o', 'plain', 'shared'] });
  });
});

it('limits what one document may ask', async () => {
  const deep = `{ __schema { types { fields { type { ofType { ofType { ofType { ofType { ofType { ofType { name } } } } } } } } } } }`;
  expect((await site.graphql(null, deep)).codes).toEqual([]);
  const aliases = Array.from({ length: 30 }, (_, turn) => `a${turn}: status { version }`).join(' ');
  expect(await site.graphql(null, `{ ${aliases} }`)).toMatchObject({ codes: ['GRAPHQL_VALIDATION_FAILED'] });
  const tokens = `{ ${'status { version } '.repeat(2000)} }`;
  expect((await site.graphql(null, tokens)).codes[0]).toMatch(/^GRAPHQL_(PARSE|VALIDATION)_FAILED$/);
});

it('takes documents as JSON only, so that no foreign form can send one', async () => {
  const headers = { 'content-type': 'text/plain' };
  const answer = await site.rest(root, 'POST', '/graphql', { query: 'mutation { logout { wasSignedIn } }' }, headers);
  expect([400, 415]).toContain(answer.status);
  expect((await site.rest(root, 'GET', '/api/user/self')).status).toBe(200);
  // A link to the site sends the session's cookie, but it cannot send the header that a GET needs.
  expect(await site.rest(root, 'GET', '/graphql?query={me{id}}')).toMatchObject({
    status: 400,
    body: { errors: [{ extensions: { code: 'BAD_REQUEST' } }] },
  });
});

it('limits GraphQL by address, and says so in its own shape', async () => {
  const limited = await Site.open({ GLOBAL_API_RATE_LIMIT_ENABLE: 'true', GLOBAL_API_RATE_LIMIT: '1' });
  for (let turn = 0; turn < 4; turn++)
    expect((await limited.graphql(null, '{ status { isSetUp } }')).codes).toEqual([]);
  const refused = await limited.rest(
    null,
    'POST',
    '/graphql',
    { query: '{ notice }' },
    { 'content-type': 'application/json' },
  );
  expect([refused.status, refused.body]).toMatchObject([429, { errors: [{ extensions: { code: 'RATE_LIMITED' } }] }]);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  await limited.stop();
});
