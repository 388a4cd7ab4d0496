import { setTimeout } from 'node:timers/promises';
import { OptionService } from '../../server/src/options/option.service.js';
import { optionKeys } from '../../server/src/options/option-registry.js';
import { Site, type Person } from './site.js';

let site: Site;
let root: Person;
let admin: Person;
beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  admin = await site.invite(root, 'admin');
});
afterAll(() => site.stop());

const put = (person: Person, key: unknown, value: unknown) => site.rest(person, 'PUT', '/api/option/', { key, value });
const listed = async (person: Person = root): Promise<Record<string, string>> => {
  const answer = await site.rest(person, 'GET', '/api/option/');
  return Object.fromEntries(
    (answer.body.data as Array<{ key: string; value: string }>).map(({ key, value }) => [key, value]),
  );
};
const stored = async (key: string) =>
  (await site.query<{ value: string }>('SELECT value FROM options WHERE key = $1', [key]))[0]?.value;
const status = async () => (await site.rest(null, 'GET', '/api/status')).body.data as Record<string, unknown>;

const secretKeys = [
  ...['SMTPToken', 'GitHubClientSecret', 'LinuxDOClientSecret', 'WeChatServerToken', 'TelegramBotToken'],
  ...[
    'StripeSecretKey',
    'StripeSigningSecret',
    'TurnstileSecretKey',
    'EpayKey',
    'WorkerValidKey',
    'oidc.client_secret',
  ],
  ...['alerts.webhook_secret', 'alerts.telegram_bot_token', 'alerts.bark_url'],
  ...['guardrails.moderation_token', 'guardrails.webhook_secret'],
];

describe('GET /api/option/', () => {
  it('lists every option as text, and no secret', async () => {
    const options = await listed();
    const hidden = [...secretKeys, 'TurnstileSiteKey'];
    expect(Object.keys(options).sort()).toEqual(optionKeys.filter((key) => !hidden.includes(key)).sort());
    expect(options).toMatchObject({ SystemName: 'Tollgate', RetryTimes: '0', RegisterEnabled: 'true', Price: '7.3' });
    expect(JSON.parse(options['GroupRatio'] ?? '')).toEqual({ default: 1, vip: 1, svip: 1 });
    expect(options['EmailDomainWhitelist']).toMatch(/^gmail\.com,163\.com,/);
  });

  it('is the same for admins', async () => {
    expect(Object.keys(await listed(admin))).toEqual(Object.keys(await listed(root)));
  });
});

describe('PUT /api/option/', () => {
  it('saves, puts in force at once and notes who did it', async () => {
    expect((await put(admin, 'RetryTimes', '3')).body).toEqual({ success: true, message: '' });
    expect((await listed())['RetryTimes']).toBe('3');
    expect(await stored('RetryTimes')).toBe('3');
    const [row] = await site.query<{ content: string; other: string; user_id: number; type: number }>(
      'SELECT type, user_id, content, other FROM logs ORDER BY created_at DESC, id DESC LIMIT 1',
    );
    expect(row).toMatchObject({ type: 3, user_id: admin.id, content: 'Option RetryTimes changed' });
    expect(JSON.parse(row?.other ?? '')).toMatchObject({ admin_info: { admin_id: admin.id } });
  });

  it('writes nothing for a value that is saved again', async () => {
    const written = (): Promise<unknown> =>
      site.query(
        `SELECT (SELECT count(*) FROM logs) AS logs, (SELECT count(*) FROM audit_entries) AS audit,
                (SELECT max(updated_at) FROM options) AS changed`,
      );
    await put(admin, 'RetryTimes', '4');
    const before = await written();
    expect((await put(root, 'RetryTimes', '4')).body).toEqual({ success: true, message: '' });
    expect(await written()).toEqual(before);
  });

  it('takes bare booleans and numbers, as older clients send them', async () => {
    await put(root, 'DisplayInCurrencyEnabled', false);
    await put(root, 'MinTopUp', 5);
    expect(await status()).toMatchObject({ display_in_currency: false, min_topup: 5 });
    await put(root, 'DisplayInCurrencyEnabled', 'true');
    expect(await status()).toMatchObject({ display_in_currency: true });
  });

  it.each<[string, string, string]>([
    ['CustomCallbackAddress', 'https://callback.example', ''],
    ['SMTPFrom', 'gate@example.com', ''],
    ['GitHubClientId', 'an id', ''],
    ['Notice', '<b>closed</b>', ''],
    ['RetryTimes', '3', '0'],
  ])('takes an absent or null value of %s for an emptied field', async (key, value, emptied) => {
    for (const body of [{ key }, { key, value: null }, { key, value: '' }]) {
      await put(root, key, value);
      const answer = await site.rest(root, 'PUT', '/api/option/', body);
      expect([answer.status, answer.body]).toEqual([200, { success: true, message: '' }]);
      expect([await stored(key), (await listed())[key]]).toEqual([emptied, emptied]);
    }
  });

  it('keeps a hidden setting that a form sends back without its value', async () => {
    for (const key of ['TelegramBotToken', 'WorkerValidKey', 'EpayKey', 'TurnstileSiteKey']) {
      await put(root, key, 'kept');
      const before = await stored(key);
      const answer = await site.rest(root, 'PUT', '/api/option/', { key });
      expect([answer.status, answer.body]).toEqual([200, { success: true, message: '' }]);
      expect([key, await stored(key)]).toEqual([key, before]);
      await put(root, key, '');
      expect([key, await stored(key)]).toEqual([key, '']);
    }
    const noAdmin = await site.rest(await site.invite(root), 'PUT', '/api/option/', { key: 'EpayKey' });
    expect(noAdmin.body).toMatchObject({ success: false, code: 'INSUFFICIENT_PRIVILEGES' });
    const notRoot = await site.rest(await site.invite(root, 'admin'), 'PUT', '/api/option/', { key: 'EpayKey' });
    expect(notRoot.body).toMatchObject({ success: false, code: 'INSUFFICIENT_PRIVILEGES' });
    const unknown = await site.rest(root, 'PUT', '/api/option/', { key: 'NoSuchKey' });
    expect(unknown.body).toMatchObject({ success: false, message: 'Unknown option' });
  });

  it.each(['{', '[]', '"text"', { key: 5, value: 'x' }, { key: 'RetryTimes', value: {} }, { value: 'x' }])(
    'answers 400 to %j',
    async (body) => {
      const answer = await site.rest(root, 'PUT', '/api/option/', body);
      expect([answer.status, answer.body]).toMatchObject([400, { success: false, message: 'Invalid parameter' }]);
    },
  );

  it.each([
    ['ModelRatio', '{"gpt-4": '],
    ['ModelRatio', '{"gpt-4": -1}'],
    ['GroupRatio', '{"vip": "cheap"}'],
    ['RetryTimes', 'many'],
    ['ServerAddress', 'not an address'],
  ])('keeps the old %s when the new value is bad', async (key, value) => {
    const before = [await stored(key), (await listed())[key]];
    const answer = await put(root, key, value);
    expect([answer.status, answer.body]).toMatchObject([
      200,
      { success: false, code: 'INVALID_INPUT', message: expect.stringContaining(key) },
    ]);
    expect([await stored(key), (await listed())[key]]).toEqual(before);
  });

  it('knows no other keys', async () => {
    expect((await put(root, 'NoSuchOption', 'x')).body).toMatchObject({ success: false, message: 'Unknown option' });
    expect((await put(root, '__proto__', 'x')).body).toMatchObject({ success: false, message: 'Unknown option' });
    expect(await stored('NoSuchOption')).toBeUndefined();
  });

  it.each([
    ['GitHubOAuthEnabled', 'GitHubClientId', 'Cannot enable GitHub sign-in'],
    ['oidc.enabled', 'oidc.client_id', 'Cannot enable OIDC sign-in'],
    ['LinuxDOOAuthEnabled', 'LinuxDOClientId', 'Cannot enable Linux DO sign-in'],
    ['WeChatAuthEnabled', 'WeChatServerAddress', 'Cannot enable WeChat sign-in'],
    ['TurnstileCheckEnabled', 'TurnstileSiteKey', 'Cannot enable Turnstile'],
    ['TelegramOAuthEnabled', 'TelegramBotToken', 'Cannot enable Telegram sign-in'],
  ])('%s needs %s first', async (key, needed, message) => {
    expect((await put(root, key, 'true')).body).toMatchObject({
      success: false,
      message: expect.stringContaining(message),
    });
    expect((await put(root, key, 'false')).body).toMatchObject({ success: true });
    expect((await put(root, needed, 'https://filled.example')).body).toMatchObject({ success: true });
    expect((await put(root, key, 'true')).body).toMatchObject({ success: true });
    await put(root, key, 'false');
  });

  it('a switch is decided by what is stored, also when another node stored it just now', async () => {
    await put(root, 'WeChatServerAddress', '');
    // Another node has filled in the address, and this one has not read it yet.
    await site.query(`INSERT INTO options (key, value) VALUES ('WeChatServerAddress', 'https://other.example')
                      ON CONFLICT (key) DO UPDATE SET value = excluded.value`);
    expect((await put(root, 'WeChatAuthEnabled', 'true')).body).toMatchObject({ success: true });
    await put(root, 'WeChatAuthEnabled', 'false');
    await site.query(`UPDATE options SET value = '' WHERE key = 'WeChatServerAddress'`);
    expect((await put(root, 'WeChatAuthEnabled', 'true')).body).toMatchObject({ success: false });
  });

  it('a domain restriction needs domains', async () => {
    await put(root, 'EmailDomainWhitelist', '');
    expect((await put(root, 'EmailDomainRestrictionEnabled', 'true')).body).toMatchObject({
      message: 'Cannot restrict e-mail domains: fill in the whitelist first',
    });
    await put(root, 'EmailDomainWhitelist', 'example.com');
    expect((await put(root, 'EmailDomainRestrictionEnabled', 'true')).body).toMatchObject({ success: true });
  });

  it('lets an admin change how the site works, and not who gets in', async () => {
    for (const key of ['ServerAddress', 'RegisterEnabled', 'SMTPServer', 'TopUpLink', 'Price', 'GitHubClientSecret']) {
      expect((await put(admin, key, 'true')).body).toMatchObject({ success: false, code: 'INSUFFICIENT_PRIVILEGES' });
      expect(await stored(key)).toBeUndefined();
    }
    for (const [key, value] of [
      ['Notice', 'hello'],
      ['ModelPrice', '{}'],
      ['ModelRequestRateLimitEnabled', 'true'],
    ]) {
      expect((await put(admin, key, value)).body).toMatchObject({ success: true });
    }
  });

  it('is not for common users', async () => {
    const user = await site.invite(root);
    expect((await put(user, 'Notice', 'x')).body).toMatchObject({ code: 'INSUFFICIENT_PRIVILEGES' });
    expect((await site.rest(user, 'PUT', '/api/option/', '{')).body).toMatchObject({ code: 'INSUFFICIENT_PRIVILEGES' });
    expect((await site.rest(user, 'GET', '/api/option/')).body).toMatchObject({ code: 'INSUFFICIENT_PRIVILEGES' });
  });
});

describe('secrets', () => {
  it.each(secretKeys)('%s is sealed at rest and shown to nobody', async (key) => {
    const secret = `super-secret-of-${key}`;
    expect((await put(root, key, secret)).body).toEqual({ success: true, message: '' });
    expect(await stored(key)).toMatch(/^v1\./);
    const everything = [
      (await site.rest(root, 'GET', '/api/option/')).body,
      (await site.rest(null, 'GET', '/api/status')).body,
      await site.query('SELECT l::text FROM logs l'),
      await site.query('SELECT o::text FROM options o'),
    ];
    expect(JSON.stringify(everything)).not.toContain(secret);
    const query = `{ options(filter: { keys: ["${key}"] }) { items { key value json isSecret isSet isWritable } } }`;
    expect((await site.graphql(root, query)).data).toEqual({
      options: { items: [{ key, value: '', json: null, isSecret: true, isSet: true, isWritable: true }] },
    });
    const set = `mutation { setOption(input: { key: "${key}", value: "${secret}" }) { option { value json defaultValue } } }`;
    expect((await site.graphql(root, set)).text).not.toContain(secret);
  });

  it('count where they are needed', async () => {
    await put(root, 'StripeSecretKey', '');
    await put(root, 'PayAddress', 'https://pay.example');
    await put(root, 'EpayId', '1001');
    expect(await status()).toMatchObject({ enable_online_topup: true });
    await put(root, 'EpayKey', '');
    expect(await status()).toMatchObject({ enable_online_topup: false });
  });
});

describe('POST /api/option/rest_model_ratio', () => {
  it('brings back the built-in ratios and nothing else', async () => {
    await put(root, 'ModelRatio', '{"only": 1}');
    await put(root, 'ModelPrice', '{"only": 2}');
    expect((await site.rest(admin, 'POST', '/api/option/rest_model_ratio')).body).toMatchObject({
      code: 'INSUFFICIENT_PRIVILEGES',
    });
    const answer = await site.rest(root, 'POST', '/api/option/rest_model_ratio');
    expect(answer.body).toEqual({ success: true, message: 'Model ratios reset' });
    const options = await listed();
    expect(Object.keys(JSON.parse(options['ModelRatio'] ?? '') as object)).toHaveLength(180);
    expect(JSON.parse(options['ModelPrice'] ?? '')).toEqual({ only: 2 });
  });
});

describe('through GraphQL', () => {
  it('lists with filter and page', async () => {
    const query = `query($filter: OptionFilter, $page: Int, $pageSize: Int, $after: String, $sort: [OptionSort!]) {
      options(filter: $filter, page: $page, pageSize: $pageSize, after: $after, sort: $sort) {
        totalCount items { key kind isWritable } pageInfo { endCursor hasNextPage }
      }
    }`;
    const read = async (variables: object) =>
      (await site.graphql(admin, query, { ...variables })).data?.['options'] as {
        totalCount: number;
        items: Array<{ key: string; kind: string; isWritable: boolean }>;
        pageInfo: { endCursor: string | null; hasNextPage: boolean };
      };
    const all = await read({});
    expect([all.totalCount, all.items.length]).toEqual([optionKeys.length, optionKeys.length]);
    expect(await read({ filter: { keyword: 'smtpport' } })).toMatchObject({
      totalCount: 1,
      items: [{ key: 'SMTPPort', kind: 'INTEGER', isWritable: false }],
    });
    const sort = [{ field: 'KEY', direction: 'ASC' }];
    const byOffset = await read({ page: 1, pageSize: 2, sort });
    const first = await read({ pageSize: 2, sort });
    const byCursor = await read({ after: first.pageInfo.endCursor, pageSize: 2, sort });
    expect([byOffset.items.length, byOffset.items]).toEqual([2, byCursor.items]);
    const rest = await read({ after: byCursor.pageInfo.endCursor, sort });
    expect([rest.items.length, rest.pageInfo.hasNextPage]).toEqual([optionKeys.length - 4, false]);
    expect((await site.graphql(admin, query, { after: 'nothing' })).codes).toEqual(['INVALID_INPUT']);
    expect((await site.graphql(admin, query, { sort: [{ field: 'VALUE' }] })).codes).toEqual(['BAD_USER_INPUT']);
  });

  it('tells what a value means, and who changed it last', async () => {
    await put(root, 'GroupRatio', '{"default": 1, "vip": 0.5}');
    await put(admin, 'RetryTimes', '4');
    const query = `{ options(filter: { keys: ["GroupRatio", "RetryTimes", "EmailDomainWhitelist", "Footer"] }, sort: { field: CHANGED_AT }) {
      items { key json defaultValue writer changedAt changedBy { username } }
    } }`;
    const { data } = await site.graphql(root, query);
    const { items } = data?.['options'] as { items: Array<Record<string, unknown>> };
    expect(items).toMatchObject([
      { key: 'RetryTimes', json: 4, defaultValue: '0', writer: 'ADMIN', changedBy: { username: admin.username } },
      { key: 'GroupRatio', json: { default: 1, vip: 0.5 }, changedBy: { username: 'root' } },
      expect.anything(),
      expect.anything(),
    ]);
    const times = items.map(({ changedAt }) => changedAt);
    expect((times[0] as string) > (times[1] as string)).toBe(true);
    expect(items.find(({ key }) => key === 'Footer')).toMatchObject({ json: null, changedAt: null, changedBy: null });
  });

  it('sets with the same checks', async () => {
    const text = 'mutation($input: SetOptionInput!) { setOption(input: $input) { option { key value isSet } } }';
    const set = (key: string, value: string) => site.graphql(admin, text, { input: { key, value } });
    expect((await set('RetryTimes', ' 7 ')).data).toEqual({
      setOption: { option: { key: 'RetryTimes', value: '7', isSet: true } },
    });
    expect((await set('RetryTimes', 'x')).codes).toEqual(['INVALID_INPUT']);
    expect((await set('Nope', 'x')).codes).toEqual(['INVALID_INPUT']);
    expect((await set('SMTPServer', 'x')).codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
    await put(root, 'ModelRatio', '{"only": 1}');
    expect((await site.graphql(root, 'mutation { resetModelRatio { option { isSet changedAt } } }')).data).toEqual({
      resetModelRatio: { option: { isSet: false, changedAt: null } },
    });
  });
});

it('keeps every one of many changes at once', async () => {
  const changes = { RetryTimes: '9', CheckInQuota: '77', MinTopUp: '3', SystemName: 'Parallel', SMTPPort: '2525' };
  await Promise.all(Object.entries(changes).map(([key, value]) => put(root, key, value)));
  expect(await listed()).toMatchObject(changes);
});

it('applies a stored setting although the read after it failed', async () => {
  jest.spyOn(OptionService.prototype as never, 'load').mockRejectedValueOnce(new Error('connection lost') as never);
  expect((await put(root, 'SystemName', 'Stored')).status).toBe(500);
  const name = async () => (await listed())['SystemName'];
  for (let tries = 0; tries < 100 && (await name()) !== 'Stored'; tries++) await setTimeout(20);
  expect(await name()).toBe('Stored');
});

it('survives rows that this version cannot read', async () => {
  await site.query(`INSERT INTO options (key, value) VALUES ('FromTheFuture', 'x'), ('TelegramBotName', 'fine')
                    ON CONFLICT (key) DO UPDATE SET value = excluded.value`);
  await site.query(`INSERT INTO options (key, value) VALUES ('MinTopUp', 'broken'), ('SMTPToken', 'v1.broken')
                    ON CONFLICT (key) DO UPDATE SET value = excluded.value`);
  await put(root, 'RetryTimes', '1');
  expect(await status()).toMatchObject({ min_topup: 1, telegram_bot_name: 'fine' });
});
