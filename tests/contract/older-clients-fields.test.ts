/**
 * Sends a `PUT` of the REST interface with one field left out, for every field of every noun. Older consoles send a noun
 * back with the fields that they know. So fields that they do not know must stay, and fields that they clear by leaving them
 * out must be cleared.
 */
import { isDeepStrictEqual } from 'node:util';
import { verify } from '@node-rs/argon2';
import type { OpenApiDocument } from '../../server/src/platform/http/openapi/document.js';
import { Site, type Person } from './site.js';

type Shape = Readonly<Record<string, unknown>>;

/** A value that differs from the value of a new noun, and the effect of a `PUT` without the field. */
interface Field {
  readonly value: unknown;
  readonly then: Outcome;
}
type Outcome = 'stays' | 'is refused' | { readonly becomes: unknown };
const stays = (value: unknown): Field => ({ value, then: 'stays' });
const refused = (value: unknown): Field => ({ value, then: 'is refused' });
const cleared = (value: unknown, becomes: unknown): Field => ({ value, then: { becomes } });

interface Noun {
  readonly route: string;
  readonly fields: Readonly<Record<string, Field>>;
  /** Keys of the body that identify the noun, select the kind of change, or have no effect. */
  readonly others?: readonly string[];
  /** Reads the stored noun. Its other fields must not change. */
  readonly read: () => Promise<Shape>;
  readonly identity?: Shape;
  readonly by?: Person;
}

const password = 'password 2';

/**
 * These routes do not send a noun back: they send a name with a value, a list of ids, or one fact of an organisation, which
 * older clients do not know.
 */
const commands = [
  'PUT /api/option',
  'PUT /api/redemption/batch-disable',
  'PUT /api/plan/renewal',
  'PUT /api/organization/{id}',
  'PUT /api/organization/member/{id}',
  'PUT /api/organization/project/{id}',
];

let site: Site;
let root: Person;
let user: Person;
let document: OpenApiDocument;
const nouns: Noun[] = [];

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  user = await site.invite(root);
  for (const name of ['GroupRatio', 'UserUsableGroups']) {
    const value = JSON.stringify(name === 'GroupRatio' ? { default: 1, vip: 1 } : { default: 'all', vip: 'more' });
    await site.expectSuccess(root, 'PUT', '/api/option/', { key: name, value });
  }
  document = (await (await fetch(`${site.server.url}/openapi.json`)).json()) as OpenApiDocument;
  nouns.push(await token(), await channel(), await channelsOfTag(), await otherUser(), self());
  nouns.push(webhookSetting(), mailSetting(), await redemption(), await budget());
  nouns.push(await userKey(), await endpoint(), await plan());
  nouns.push(await signInProvider(), billingProfile());
});
afterAll(() => site.stop());

const data = async (person: Person, method: string, path: string, body?: unknown): Promise<Shape> =>
  (await site.expectSuccess(person, method, path, body)).body.data as Shape;
/** Returns the user's password if it is the one of the test bodies. Otherwise returns the stored hash. */
async function passwordOf(id: number): Promise<string> {
  const [{ hash } = { hash: '' }] = await site.query<{ hash: string }>(
    'SELECT password_hash AS hash FROM users WHERE id = $1',
    [id],
  );
  return (await verify(hash, password)) ? password : hash;
}
const reader = (person: Person, path: string) => (): Promise<Shape> => data(person, 'GET', path);

/**
 * The older consoles know the first eight fields. Leaving one of six fields out clears it. Name and expiry have no valid
 * empty value, so the request is refused.
 */
async function token(): Promise<Noun> {
  const { id } = await data(user, 'POST', '/api/token/', { name: 'plain' });
  return {
    route: 'PUT /api/token',
    by: user,
    identity: { id },
    others: ['id', 'status', 'ungranted_quota'],
    read: reader(user, `/api/token/${String(id)}`),
    fields: {
      name: refused('dev'),
      expired_time: refused(4_000_000_000),
      remain_quota: cleared(5, 0),
      unlimited_quota: cleared(true, false),
      model_limits_enabled: cleared(true, false),
      model_limits: cleared('gpt-4o', ''),
      allow_ips: cleared('10.0.0.1', ''),
      group: cleared('vip', ''),
      fallback_groups: stays('default'),
      fallback_models: stays('gpt-4o-mini'),
      rate_limit_enabled: stays(true),
      rate_limit_period: stays(30),
      rate_limit_count: stays(5),
      rate_limit_success: stays(3),
      scopes: stays('relay'),
    },
  };
}

async function channel(): Promise<Noun> {
  const id = await site.server.api.createChannel(root, { baseUrl: 'http://127.0.0.1:1', models: ['o1'] });
  return {
    route: 'PUT /api/channel',
    identity: { id },
    others: ['id'],
    read: reader(root, `/api/channel/${id}`),
    fields: {
      type: stays(8),
      name: stays('second'),
      key: stays('sk-second'),
      status: stays(2),
      openai_organization: stays('org-1'),
      test_model: stays('gpt-4o'),
      weight: stays(7),
      priority: stays(3),
      base_url: stays('http://127.0.0.1:2'),
      other: stays('2025-01-01'),
      models: stays('gpt-4o'),
      group: stays('vip'),
      model_mapping: stays('{"gpt-4o":"o1"}'),
      status_code_mapping: stays('{"400":"500"}'),
      auto_ban: stays(0),
      tag: stays('red'),
      setting: stays('{"force_format":true}'),
      param_override: stays('{"temperature":0}'),
      header_override: stays('{"x-team":"a"}'),
      limits: stays('{"channel":{"daily_usd":1}}'),
      timeouts: stays('{"idle_seconds":30}'),
      model_prefix: stays('p-'),
      max_input_tokens: stays(1000),
      owner_id: stays(user.id),
    },
  };
}

async function channelsOfTag(): Promise<Noun> {
  const more = { tag: 'blue' };
  const id = await site.server.api.createChannel(root, { baseUrl: 'http://127.0.0.1:1', models: ['o1'], more });
  return {
    route: 'PUT /api/channel/tag',
    identity: { tag: 'blue' },
    others: ['tag'],
    read: async () => {
      const { group, ...shown } = await data(root, 'GET', `/api/channel/${id}`);
      return { ...shown, groups: group, new_tag: shown['tag'] };
    },
    fields: {
      new_tag: stays('blue'),
      priority: stays(3),
      weight: stays(7),
      model_mapping: stays('{"gpt-4o":"o1"}'),
      models: stays('gpt-4o'),
      groups: stays('vip'),
    },
  };
}

/** The older console clears name, group and balance when they are left out. Here they stay. */
async function otherUser(): Promise<Noun> {
  const { id } = await site.invite(root);
  return {
    route: 'PUT /api/user',
    identity: { id },
    others: ['id', 'role', 'quota_delta', 'ungranted_quota'],
    read: async () => ({ ...(await data(root, 'GET', `/api/user/${id}`)), password: await passwordOf(id) }),
    fields: {
      username: stays('renamed'),
      display_name: stays('Renamed'),
      password: stays(password),
      group: stays('vip'),
      external_id: stays('C-42'),
      quota: stays(500),
    },
  };
}

function self(): Noun {
  return {
    route: 'PUT /api/user/self',
    by: user,
    others: ['original_password'],
    read: async () => ({ ...(await reader(user, '/api/user/self')()), password: await passwordOf(user.id) }),
    fields: {
      username: stays('myself'),
      display_name: stays('Myself'),
      password: stays(password),
    },
  };
}

/** A setting is replaced, except for the fields that only GraphQL writes. */
const settingOf = (fields: Noun['fields']): Noun => ({
  route: 'PUT /api/user/setting',
  by: user,
  read: async () => JSON.parse(String((await data(user, 'GET', '/api/user/self'))['setting'])) as Shape,
  fields,
});

const webhookSetting = (): Noun =>
  settingOf({
    notify_type: refused('webhook'),
    quota_warning_threshold: refused(5),
    webhook_url: refused('https://hooks.example.com/a'),
    webhook_secret: cleared('planted', undefined),
    accept_unset_model_ratio_model: cleared(true, false),
    record_ip_log: cleared(true, undefined),
  });

const mailSetting = (): Noun =>
  settingOf({
    notify_type: refused('email'),
    quota_warning_threshold: refused(5),
    notification_email: cleared('a@b.cd', undefined),
  });

async function redemption(): Promise<Noun> {
  await site.expectSuccess(root, 'POST', '/api/redemption/', { name: 'spring', quota: 5, count: 1 });
  const [{ id } = { id: 0 }] = await site.query<{ id: number }>('SELECT id FROM redemptions');
  return {
    route: 'PUT /api/redemption',
    identity: { id },
    others: ['id'],
    read: reader(root, `/api/redemption/${id}`),
    fields: {
      name: stays('summer'),
      quota: stays(7),
      valid_from: stays(1_000),
      valid_until: stays(4_000_000_000),
    },
  };
}

async function budget(): Promise<Noun> {
  const body = { level: 'user', subject_id: user.id, kind: 'money', amount: 5, window: 'day' };
  const { id } = await data(root, 'POST', '/api/budget/', body);
  return {
    route: 'PUT /api/budget',
    identity: { id },
    others: ['id'],
    read: reader(root, `/api/budget/${String(id)}`),
    fields: {
      amount: stays(7),
      models: stays(['gpt-4o']),
      enabled: stays(false),
    },
  };
}

/** Reads the row of a list with this id. */
const inList = (path: string, id: unknown) => async (): Promise<Shape> => {
  const list = await data(root, 'GET', path);
  const rows = (Array.isArray(list) ? list : list['items']) as Shape[];
  return rows.find((row) => row['id'] === id) ?? {};
};

/** No older console has this route. */
async function userKey(): Promise<Noun> {
  const { id } = await data(root, 'POST', '/api/key', { user_id: user.id, name: 'made' });
  return {
    route: 'PUT /api/key',
    identity: { id },
    others: ['id'],
    read: inList('/api/key', id),
    fields: {
      name: stays('dev'),
      expired_time: stays(4_000_000_000),
      remain_quota: stays(5),
      unlimited_quota: stays(true),
      model_limits_enabled: stays(true),
      model_limits: stays('gpt-4o'),
      allow_ips: stays('10.0.0.1'),
      group: stays('vip'),
      fallback_groups: stays('default'),
      fallback_models: stays('gpt-4o-mini'),
      rate_limit_enabled: stays(true),
      rate_limit_period: stays(30),
      rate_limit_count: stays(5),
      rate_limit_success: stays(3),
      scopes: stays('relay'),
      status: stays(2),
    },
  };
}

/** No older console has this route. */
async function endpoint(): Promise<Noun> {
  const { id } = await data(root, 'POST', '/api/webhook', { name: 'one', url: 'https://hooks.example.com' });
  return {
    route: 'PUT /api/webhook',
    identity: { id },
    others: ['id'],
    read: inList('/api/webhook', id),
    fields: {
      name: stays('two'),
      url: stays('https://hooks.example.com/two'),
      kinds: stays(['payment.paid']),
      enabled: stays(false),
    },
  };
}

/** No older console has this route. */
async function signInProvider(): Promise<Noun> {
  const given = { slug: 'company', name: 'one', client_id: 'x', issuer: 'https://id.example.com' };
  const { id } = await data(root, 'POST', '/api/sign-in-provider', given);
  const claims = { subject: 'id', username: 'login', name: '', email: 'mail', email_verified: '' };
  return {
    route: 'PUT /api/sign-in-provider',
    identity: { id },
    // The secret is never shown.
    others: ['id', 'client_secret'],
    read: inList('/api/sign-in-provider', id),
    fields: {
      name: stays('two'),
      icon: stays('https://id.example.com/icon.png'),
      enabled: stays(false),
      issuer: stays('https://id2.example.com'),
      authorization_endpoint: stays('https://id.example.com/authorize'),
      token_endpoint: stays('https://id.example.com/token'),
      user_info_endpoint: stays('https://id.example.com/me'),
      client_id: stays('y'),
      scopes: stays('openid'),
      claims: stays(claims),
      allowed_domains: stays(['example.com']),
    },
  };
}

/** No older console has this route. */
const billingProfile = (): Noun => ({
  route: 'PUT /api/statement/profile',
  identity: {},
  read: () => data(root, 'GET', '/api/statement/profile'),
  fields: { name: stays('Example Ltd'), address: stays('London'), tax_id: stays('GB1'), notifies: stays(true) },
});

async function plan(): Promise<Noun> {
  const windows = [{ window: 'week', kind: 'money', amount: 5 }];
  const body = { name: 'Plan', price: 5, period_unit: 'day', period_count: 1, windows };
  const { id } = await data(root, 'POST', '/api/plan/', body);
  return {
    route: 'PUT /api/plan',
    identity: { id },
    others: ['id'],
    read: async () => {
      const { body: listed } = await site.expectSuccess(root, 'GET', '/api/plan');
      return (listed.data as Shape[]).find((one) => one['id'] === id) ?? {};
    },
    fields: {
      name: stays('Other'),
      description: stays('text'),
      price: stays(7),
      period_unit: stays('month'),
      period_count: stays(2),
      windows: stays([{ window: 'day', kind: 'tokens', amount: 7 }]),
      groups: stays(['vip']),
      models: stays(['gpt-4o']),
      max_concurrent: stays(7),
      max_requests: stays(7),
      overflow: stays('wallet'),
      overflow_ratio: stays(0.5),
      position: stays(7),
      on_sale: stays(false),
    },
  };
}

it('has a decision for every field that a body may have', () => {
  const puts = Object.entries(document.paths).flatMap(([path, { put }]) => {
    const schema = put?.requestBody?.content['application/json']?.['schema'] as { properties: Shape } | undefined;
    return schema ? [[`PUT ${path}`, Object.keys(schema.properties).sort()] as const] : [];
  });
  const decided = (route: string): string[] => {
    const own = nouns.filter((noun) => noun.route === route);
    return own.flatMap(({ fields, others = [] }) => [...Object.keys(fields), ...others]);
  };
  const expected = puts
    .filter(([route]) => route.startsWith('PUT /api/') && !commands.includes(route))
    .map(([route]) => [route, [...new Set(decided(route))].sort()]);
  expect(puts.filter(([route]) => !commands.includes(route))).toEqual(expected);
  expect(expected.length).toBeGreaterThan(6);
});

it.each([
  'PUT /api/token',
  'PUT /api/channel',
  'PUT /api/channel/tag',
  'PUT /api/user',
  'PUT /api/user/self',
  'PUT /api/user/setting',
  'PUT /api/redemption',
  'PUT /api/budget',
  'PUT /api/key',
  'PUT /api/webhook',
  'PUT /api/sign-in-provider',
  'PUT /api/statement/profile',
  'PUT /api/plan',
])('%s keeps what older clients do not know, and clears what they clear, by leaving it out', async (route) => {
  for (const noun of nouns.filter((one) => one.route === route)) {
    const outcomes: Record<string, unknown> = {};
    for (const name of Object.keys(noun.fields)) outcomes[name] = await leaveOut(noun, name);
    const expected = Object.entries(noun.fields).map(([name, { then }]) => [name, then]);
    expect(outcomes).toEqual(Object.fromEntries(expected));
  }
});

/** Sends the whole noun, and then the noun without one field. */
async function leaveOut({ route, fields, identity, by = root, read }: Noun, name: string): Promise<unknown> {
  const path = route.replace('PUT ', '');
  const values = Object.entries(fields).map(([field, { value }]) => [field, value] as const);
  await site.expectSuccess(by, 'PUT', path, { ...identity, ...Object.fromEntries(values) });
  const before = await read();
  expect({ [name]: before[name] }).toEqual({ [name]: fields[name]?.value });

  const others = values.filter(([field]) => field !== name);
  const answer = await site.rest(by, 'PUT', path, { ...identity, ...Object.fromEntries(others) });
  const after = await read();
  expect({ ...after, [name]: null }).toEqual({ ...before, [name]: null });
  const stayed = isDeepStrictEqual(after[name], before[name]);
  if (!answer.body['success']) return stayed ? 'is refused' : answer.body;
  return stayed ? 'stays' : { becomes: after[name] };
}
