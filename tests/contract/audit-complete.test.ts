import { randomUUID } from 'node:crypto';
import type { TokenFields } from '../../server/src/console/tokens/token-input.js';
import { customRole } from './operator.js';
import { leastOf, operations } from './roles-table.js';
import { Site, type Person } from './site.js';

/**
 * Every change an admin can make to options, users, channels and codes writes an entry that root can read over GraphQL.
 */
let site: Site;
let root: Person;
beforeAll(async () => {
  site = await Site.open({ OUTBOUND_ALLOW: '127.0.0.1' });
  root = await site.setUp();
});
afterAll(() => site.stop());

let last = 0;
const fresh = (): string => `audited${++last}`;
const idOf = async (table: 'users' | 'channels' | 'redemptions', name: string): Promise<number> => {
  const column = table === 'users' ? 'username' : 'name';
  const rows = await site.query<{ id: number }>(`SELECT id FROM ${table} WHERE ${column} = $1`, [name]);
  return rows[0]?.id ?? 0;
};

async function user(): Promise<number> {
  const username = fresh();
  await site.expectSuccess(root, 'POST', '/api/user/', { username, password: 'a good password' });
  return idOf('users', username);
}
async function channel(more: object = {}): Promise<number> {
  const fields = {
    name: fresh(),
    type: 1,
    key: 'sk-x',
    base_url: 'https://api.example.com',
    models: 'm',
    group: 'default',
  };
  await site.expectSuccess(root, 'POST', '/api/channel/', { ...fields, ...more });
  return idOf('channels', fields.name);
}
async function code(name = fresh()): Promise<number> {
  await site.expectSuccess(root, 'POST', '/api/redemption/', { name, quota: 5, count: 1 });
  return idOf('redemptions', name);
}
const signInProvider = (slug: string): string =>
  `createSignInProvider(input: { slug: "${slug}", name: "x", oauthClientId: "x", issuer: "https://id.example.com" }) { provider { id } }`;
async function addedProvider(): Promise<number> {
  const slug = fresh();
  await site.graphql(root, `mutation { ${signInProvider(slug)} }`);
  const [row] = await site.query<{ id: number }>('SELECT id FROM sign_in_providers WHERE slug = $1', [slug]);
  return row?.id ?? 0;
}
const panel = '{ title: "Notice", kind: TABLE, query: "{ notice }" }';
async function userKey(): Promise<number> {
  const given = { user_id: await user(), name: 'made' };
  return ((await site.expectSuccess(root, 'POST', '/api/key', given)).body.data as { id: number }).id;
}
async function endpoint(): Promise<number> {
  const given = { name: fresh(), url: 'https://hooks.example.com' };
  return ((await site.expectSuccess(root, 'POST', '/api/webhook', given)).body.data as { id: number }).id;
}
async function dashboard(): Promise<number> {
  const { data } = await site.graphql(
    root,
    `mutation { createDashboard(input: { name: "${fresh()}", panels: [${panel}] }) { dashboard { id } } }`,
  );
  return (data?.['createDashboard'] as { dashboard: { id: number } }).dashboard.id;
}
async function organisation(): Promise<number> {
  const created = await site.graphql(
    root,
    `mutation { createOrganisation(input: { name: "${fresh()}" }) { organisation { id } } }`,
  );
  return (created.data?.['createOrganisation'] as { organisation: { id: number } }).organisation.id;
}
const disable = (path: string, id: number) => site.expectSuccess(root, 'PUT', path, { id, status: 2 });

/**
 * Each case creates the object it changes.
 * @returns the field of the mutation, with arguments and selection
 */
const acts: Record<string, [subject: string, action: string, document: () => Promise<string> | string]> = {
  setOption: ['option', 'update', () => 'setOption(input: { key: "RetryTimes", value: "9" }) { option { key } }'],
  addMember: [
    'organisation',
    'addMember',
    async () =>
      `addMember(input: { organisationId: ${await organisation()}, userId: ${await user()}, role: MEMBER }) { member { id } }`,
  ],
  resetModelRatio: [
    'option',
    'update',
    async () => {
      await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'ModelRatio', value: '{"only":1}' });
      return 'resetModelRatio { option { key } }';
    },
  ],

  createDashboard: [
    'dashboard',
    'create',
    () => `createDashboard(input: { name: "${fresh()}", panels: [${panel}] }) { dashboard { id } }`,
  ],
  updateDashboard: [
    'dashboard',
    'update',
    async () => `updateDashboard(input: { id: ${await dashboard()}, name: "${fresh()}" }) { dashboard { id } }`,
  ],
  deleteDashboard: ['dashboard', 'delete', async () => `deleteDashboard(id: ${await dashboard()}) { id }`],
  createWebhookEndpoint: [
    'webhook',
    'create',
    () => `createWebhookEndpoint(input: { name: "${fresh()}", url: "https://hooks.example.com" }) { secret }`,
  ],
  updateWebhookEndpoint: [
    'webhook',
    'update',
    async () => `updateWebhookEndpoint(input: { id: ${await endpoint()}, name: "${fresh()}" }) { endpoint { id } }`,
  ],
  renewWebhookSecret: [
    'webhook',
    'update',
    async () => `renewWebhookSecret(input: { id: ${await endpoint()} }) { secret }`,
  ],
  deleteWebhookEndpoint: ['webhook', 'delete', async () => `deleteWebhookEndpoint(id: ${await endpoint()}) { id }`],
  createSignInProvider: ['option', 'create', () => signInProvider(fresh())],
  updateSignInProvider: [
    'option',
    'update',
    async () => `updateSignInProvider(input: { id: ${await addedProvider()}, name: "${fresh()}" }) { provider { id } }`,
  ],
  deleteSignInProvider: ['option', 'delete', async () => `deleteSignInProvider(id: ${await addedProvider()}) { id }`],
  createCustomRole: [
    'role',
    'create',
    () => `createCustomRole(input: { name: "${fresh()}", permissions: [ALERTS] }) { role { id } }`,
  ],
  updateCustomRole: [
    'role',
    'update',
    async () =>
      `updateCustomRole(input: { id: ${await customRole(site, root, ['alerts'])}, name: "${fresh()}" }) { role { id } }`,
  ],
  deleteCustomRole: [
    'role',
    'delete',
    async () => `deleteCustomRole(id: ${await customRole(site, root, ['alerts'])}) { id }`,
  ],
  giveCustomRole: [
    'user',
    'giveRole',
    async () =>
      `giveCustomRole(input: { userId: ${await user()}, customRoleId: ${await customRole(site, root, ['alerts'])} }) { user { id } }`,
  ],
  createUserToken: [
    'token',
    'create',
    async () => `createUserToken(input: { userId: ${await user()}, name: "${fresh().slice(0, 20)}" }) { key }`,
  ],
  updateUserToken: [
    'token',
    'update',
    async () => `updateUserToken(input: { id: ${await userKey()}, name: "other" }) { token { id } }`,
  ],
  rotateUserToken: ['token', 'rotate', async () => `rotateUserToken(input: { id: ${await userKey()} }) { key }`],
  revokeUserToken: ['token', 'delete', async () => `revokeUserToken(id: ${await userKey()}) { id }`],
  createUser: [
    'user',
    'create',
    () => `createUser(input: { username: "${fresh()}", password: "a good password" }) { user { id } }`,
  ],
  resetSecondFactors: [
    'user',
    'resetSecondFactors',
    async () => {
      const id = await user();
      await site.query('UPDATE users SET has_second_factor = true WHERE id = $1', [id]);
      return `resetSecondFactors(userId: ${id}) { user { id } }`;
    },
  ],
  updateUser: [
    'user',
    'update',
    async () => `updateUser(input: { id: ${await user()}, displayName: "Other" }) { user { id } }`,
  ],
  grantQuota: [
    'user',
    'grant',
    async () =>
      `grantQuota(input: { userId: ${await user()}, amount: 7, idempotencyKey: "${randomUUID()}" }) { user { id } }`,
  ],
  banUser: ['user', 'disable', async () => `banUser(id: ${await user()}) { user { id } }`],
  banUsers: ['user', 'disable', async () => `banUsers(ids: [${await user()}]) { done }`],
  enableUsers: [
    'user',
    'enable',
    async () => {
      const id = await user();
      await site.query("UPDATE users SET status = 'banned' WHERE id = $1", [id]);
      return `enableUsers(ids: [${id}]) { done }`;
    },
  ],
  setUserGroup: [
    'user',
    'update',
    async () => `setUserGroup(input: { ids: [${await user()}], group: "vip" }) { done }`,
  ],
  endUserSessions: [
    'user',
    'endSessions',
    async () => {
      const id = await user();
      await site.query(
        `INSERT INTO sessions (id_hash, public_id, user_id, last_seen_at, expires_at)
         VALUES (sha256('a session'::bytea), gen_random_uuid(), $1, now(), now() + interval '1 day')`,
        [id],
      );
      return `endUserSessions(userId: ${id}) { count }`;
    },
  ],
  promoteUser: ['user', 'promote', async () => `promoteUser(id: ${await user()}) { user { id } }`],
  enableUser: [
    'user',
    'enable',
    async () => {
      const id = await user();
      await site.query("UPDATE users SET status = 'banned' WHERE id = $1", [id]);
      return `enableUser(id: ${id}) { user { id } }`;
    },
  ],
  demoteUser: [
    'user',
    'demote',
    async () => {
      const id = await user();
      await site.query("UPDATE users SET role = 'admin' WHERE id = $1", [id]);
      return `demoteUser(id: ${id}) { user { id } }`;
    },
  ],
  deactivateUser: ['user', 'delete', async () => `deactivateUser(id: ${await user()}) { user { id } }`],
  removeUser: ['user', 'delete', async () => `removeUser(id: ${await user()}) { id }`],

  applyPrices: [
    'option',
    'update',
    async () => {
      const model = fresh();
      const check = await priceCheck(model);
      return `applyPrices(input: { checkId: ${check}, choices: [{ model: "${model}" }] }) { update { id } }`;
    },
  ],
  undoPrices: [
    'option',
    'update',
    async () => {
      const model = fresh();
      const input = `{ checkId: ${await priceCheck(model)}, choices: [{ model: "${model}" }] }`;
      const { data } = await site.graphql(root, `mutation { applyPrices(input: ${input}) { update { id } } }`);
      const { update } = data?.['applyPrices'] as { update: { id: number } };
      return `undoPrices(input: { updateId: ${update.id} }) { update { id } }`;
    },
  ],
  createChannel: [
    'channel',
    'create',
    () =>
      `createChannel(input: { type: OPENAI, name: "${fresh()}", keys: ["sk-y"], models: ["m"] }) { channel { id } }`,
  ],
  addChannelKeys: [
    'channel',
    'update',
    async () =>
      `addChannelKeys(input: { id: ${await channel()}, keys: ["sk-second-of-a-channel"] }) { channel { id } }`,
  ],
  removeChannelKey: [
    'channel',
    'update',
    async () => {
      const id = await channel();
      const add = `mutation { addChannelKeys(input: { id: ${id}, keys: ["sk-second-of-a-channel"] }) { channel { id } } }`;
      await site.graphql(root, add);
      return `removeChannelKey(input: { id: ${id}, position: 2, ending: "nnel" }) { channel { id } }`;
    },
  ],
  updateChannel: [
    'channel',
    'update',
    async () => `updateChannel(input: { id: ${await channel()}, models: ["n"] }) { channel { id } }`,
  ],
  enableChannel: [
    'channel',
    'update',
    async () => {
      const id = await channel();
      await disable('/api/channel/', id);
      return `enableChannel(id: ${id}) { channel { id } }`;
    },
  ],
  disableChannel: ['channel', 'update', async () => `disableChannel(id: ${await channel()}) { channel { id } }`],
  enableChannels: [
    'channel',
    'update',
    async () => {
      const id = await channel();
      await disable('/api/channel/', id);
      return `enableChannels(ids: [${id}]) { done }`;
    },
  ],
  disableChannels: ['channel', 'update', async () => `disableChannels(ids: [${await channel()}]) { done }`],
  deleteChannel: ['channel', 'delete', async () => `deleteChannel(id: ${await channel()}) { id }`],
  deleteChannels: ['channel', 'delete', async () => `deleteChannels(ids: [${await channel()}]) { done }`],
  deleteDisabledChannels: [
    'channel',
    'delete',
    async () => {
      await disable('/api/channel/', await channel());
      return 'deleteDisabledChannels { count }';
    },
  ],
  setChannelTag: [
    'channel',
    'update',
    async () => `setChannelTag(input: { ids: [${await channel()}], tag: "${fresh()}" }) { done }`,
  ],
  updateChannels: [
    'channel',
    'update',
    async () => `updateChannels(input: { ids: [${await channel()}], weight: 9 }) { done }`,
  ],
  copyChannel: [
    'channel',
    'create',
    async () => `copyChannel(input: { id: ${await channel()}, name: "copy" }) { channel { id } }`,
  ],
  enableChannelTag: [
    'channel',
    'update',
    async () => {
      const tag = fresh();
      await disable('/api/channel/', await channel({ tag }));
      return `enableChannelTag(tag: "${tag}") { count }`;
    },
  ],
  disableChannelTag: [
    'channel',
    'update',
    async () => {
      const tag = fresh();
      await channel({ tag });
      return `disableChannelTag(tag: "${tag}") { count }`;
    },
  ],
  updateChannelTag: [
    'channel',
    'update',
    async () => {
      const tag = fresh();
      await channel({ tag });
      return `updateChannelTag(input: { tag: "${tag}", models: ["q"] }) { count }`;
    },
  ],
  fixChannels: [
    'channel',
    'fix',
    async () => {
      await site.query(`UPDATE channels SET models = '{m,n,m}' WHERE id = $1`, [await channel()]);
      return 'fixChannels { count }';
    },
  ],

  createRedemptions: [
    'redemption',
    'create',
    () => `createRedemptions(input: { batch: "${fresh()}", quota: 5 }) { redemptions { id } }`,
  ],
  updateRedemption: [
    'redemption',
    'update',
    async () => `updateRedemption(input: { id: ${await code()}, batch: "${fresh()}" }) { redemption { id } }`,
  ],
  enableRedemption: [
    'redemption',
    'update',
    async () => {
      const id = await code();
      await disable('/api/redemption/?status_only=true', id);
      return `enableRedemption(id: ${id}) { redemption { id } }`;
    },
  ],
  disableRedemption: [
    'redemption',
    'update',
    async () => `disableRedemption(id: ${await code()}) { redemption { id } }`,
  ],
  disableRedemptions: ['redemption', 'update', async () => `disableRedemptions(ids: [${await code()}]) { done }`],
  deleteRedemption: ['redemption', 'delete', async () => `deleteRedemption(id: ${await code()}) { id }`],
  deleteRedemptionBatch: [
    'redemption',
    'delete',
    async () => {
      const name = fresh();
      await code(name);
      return `deleteRedemptionBatch(batch: "${name}") { count }`;
    },
  ],
  deleteDisabledRedemptions: [
    'redemption',
    'delete',
    async () => {
      await disable('/api/redemption/?status_only=true', await code());
      return 'deleteDisabledRedemptions { count }';
    },
  ],
  disableMatchingRedemptions: [
    'redemption',
    'update',
    async () => `disableMatchingRedemptions(input: { ids: [${await code()}] }) { count }`,
  ],
  deleteMatchingRedemptions: [
    'redemption',
    'delete',
    async () => `deleteMatchingRedemptions(input: { ids: [${await code()}] }) { count }`,
  ],
  markTopUpPaid: [
    'user',
    'markPaid',
    async () => {
      const [row] = await site.query<{ id: number }>(
        `INSERT INTO top_up_orders (user_id, trade_no, provider, merchant_id, payment_method, quota, money, currency, created_at)
         VALUES ($1, $2, 'epay', '1000', 'wxpay', 5, 1, 'CNY', now()) RETURNING id`,
        [await user(), fresh()],
      );
      return `markTopUpPaid(input: { id: ${row?.id}, note: "seen" }) { order { id } }`;
    },
  ],
  refundTopUp: [
    'user',
    'refund',
    async () => {
      // This address does not speak TLS: the outcome of the refund is not known, and it stays pending.
      const settings = { PayAddress: site.server.url.replace('http:', 'https:'), EpayId: '1000', EpayKey: 'key' };
      for (const [key, value] of Object.entries(settings)) {
        await site.expectSuccess(root, 'PUT', '/api/option/', { key, value });
      }
      const [row] = await site.query<{ id: number }>(
        `INSERT INTO top_up_orders (user_id, trade_no, provider, merchant_id, payment_method, quota, money, currency, created_at,
                                    status, paid_at, provider_trade_no)
         VALUES ($1, $2, 'epay', '1000', 'wxpay', 5, 1, 'CNY', now(), 'success', now(), $2) RETURNING id`,
        [await user(), fresh()],
      );
      return `refundTopUp(input: { id: ${row?.id}, note: "asked", belowZero: true }) { order { id } }`;
    },
  ],
  settleTopUpRefund: [
    'user',
    'refund',
    async () => {
      const [row] = await site.query<{ id: number }>(
        `WITH paid AS (
           INSERT INTO top_up_orders (user_id, trade_no, provider, merchant_id, payment_method, quota, money, currency, created_at,
                                      status, paid_at, provider_trade_no)
           VALUES ($1, $2, 'epay', '1000', 'wxpay', 5, 1, 'CNY', now(), 'success', now(), $2) RETURNING id)
         INSERT INTO top_up_reversals (order_id, kind, state, money, quota, taken, created_at, actor_id)
         SELECT id, 'refund', 'pending', 1, 5, 0, now() - interval '1 hour', 1 FROM paid RETURNING order_id AS id`,
        [await user(), fresh()],
      );
      return `settleTopUpRefund(input: { id: ${row?.id}, isMade: false, note: "seen" }) { order { id } }`;
    },
  ],
  createPlan: [
    'plan',
    'create',
    () => `createPlan(input: { name: "${fresh()}", price: 5, periodUnit: DAY, periodCount: 1,
             windows: [{ span: PERIOD, kind: MONEY, amount: 5 }] }) { plan { id } }`,
  ],
  updatePlan: ['plan', 'update', async () => `updatePlan(input: { id: ${await plan()}, price: 6 }) { plan { id } }`],
  deletePlan: ['plan', 'delete', async () => `deletePlan(id: ${await plan()}) { id }`],
  grantPlan: [
    'user',
    'grantPlan',
    async () => `grantPlan(input: { userId: ${await user()}, planId: ${await plan()} }) { replayed }`,
  ],
  refundPlan: [
    'user',
    'refundPlan',
    async () => {
      const given = { user_id: await user(), plan_id: await plan() };
      const { body } = await site.expectSuccess(root, 'POST', '/api/plan/grant', given);
      return `refundPlan(input: { id: ${(body.data as { id: number }).id}, note: "asked" }) { subscription { id } }`;
    },
  ],
  stopPlanRenewal: [
    'user',
    'stopPlanRenewal',
    async () => `stopPlanRenewal(input: { id: ${await renewing()} }) { subscription { id } }`,
  ],
  deleteLogs: ['log', 'delete', () => 'deleteLogs(before: "2020-01-02T00:00:00Z") { count }'],
};

/** Gives a plan to a user, who lets it be renewed. @returns the id of the subscription */
async function renewing(): Promise<number> {
  const given = { user_id: await user(), plan_id: await plan() };
  const { id } = (await site.expectSuccess(root, 'POST', '/api/plan/grant', given)).body.data as { id: number };
  await site.query('UPDATE subscriptions SET renews = true WHERE id = $1', [id]);
  return id;
}

/** Creates a plan. @returns its id */
async function plan(): Promise<number> {
  const windows = [{ window: 'fixed', kind: 'money', amount: 5 }];
  const given = { name: fresh(), price: 5, period_unit: 'day', period_count: 1, windows };
  return ((await site.expectSuccess(root, 'POST', '/api/plan/', given)).body.data as { id: number }).id;
}

/** Stores a price list from a file for `applyPrices`. @returns the id of its check */
async function priceCheck(model: string): Promise<number> {
  const card = { prices: { input: 1, output: 2 } };
  const answer = await site.expectSuccess(root, 'POST', '/api/price_check?name=a.json', { [model]: card });
  return (answer.body.data as { id: number }).id;
}

/** These mutations only read, or change states that no admin sets. None of them changes an audited object. */
const others = [
  ...['discoverOidc', 'fetchUpstreamModels', 'testChannel', 'testAllChannels', 'updateChannelBalance', 'tryGuardrail'],
  ...['updateAllChannelBalances', 'clearChannelCooldowns', 'clearChannelSessions', 'checkPrices'],
  ...['markAlertsSeen', 'sendTestAlert', 'testPayment', 'resendWebhook', 'resendWebhooks', 'testWebhook'],
  // `audit-restore.test.ts` tests the entries of a restored object.
  'restoreAuditEntry',
  // Entries of the import need a source, so `import.test.ts` tests them.
  ...['checkImport', 'startImport', 'cancelImport', 'discardImport'],
];

interface Entry {
  readonly id: string;
  readonly actorId: number;
  readonly action: string;
  readonly subject: string;
  readonly changes: ReadonlyArray<{ readonly field: string }>;
}

async function newest(): Promise<Entry | undefined> {
  const query = 'query { auditEntries(pageSize: 1) { items { id actorId action subject changes { field } } } }';
  const { data, text } = await site.graphql(root, query);
  if (!data) throw new Error(text);
  return (data['auditEntries'] as { items: Entry[] }).items[0];
}

it('every mutation of admins is here', () => {
  const mutations = operations
    .filter((operation) => ['admin', 'root'].includes(leastOf(operation)))
    .flatMap(({ graphql = [] }) => graphql)
    .map((document) => /^mutation \{ (\w+)/.exec(document)?.[1])
    .filter((name) => name !== undefined);
  expect([...Object.keys(acts), ...others].sort()).toEqual([...mutations].sort());
});

it.each(Object.entries(acts))('%s', async (_name, [subject, action, document]) => {
  const text = await document();
  const before = await newest();
  expect((await site.graphql(root, `mutation { ${text} }`)).codes).toEqual([]);
  const entry = await newest();
  expect(entry?.id).not.toBe(before?.id);
  expect(entry).toMatchObject({ actorId: root.id, subject: subject.toUpperCase(), action });
  expect(entry?.changes.length).toBeGreaterThan(0);
});

/** A change of each field of a key, and the field of the entry that shows it. */
const changesOfKey: Readonly<Record<keyof TokenFields, readonly [input: string, field: string]>> = {
  name: ['name: "other"', 'name'],
  group: ['group: "vip"', 'group'],
  fallbackGroups: ['fallbackGroups: ["vip"]', 'fallbackGroups'],
  fallbackModels: ['fallbackModels: ["gpt-4o"]', 'fallbackModels'],
  remainQuota: ['quota: 5', 'remainQuota'],
  unlimitedQuota: ['quota: null', 'unlimitedQuota'],
  modelLimits: ['modelLimits: ["gpt-4o"]', 'models'],
  modelLimitsEnabled: ['modelLimits: ["gpt-4o"]', 'models'],
  allowIps: ['allowIps: ["10.0.0.0/8"]', 'allowIps'],
  rateLimit: ['rateLimit: { calls: 5 }', 'rateLimit'],
  expiresAt: ['expiresAt: "2100-01-01T00:00:00Z"', 'expiresAt'],
  scopes: ['scopes: [RELAY]', 'scopes'],
};

it.each(Object.entries(changesOfKey))('an entry of a key shows a change of %s', async (_name, [input, field]) => {
  const id = await userKey();
  await site.query('UPDATE users SET "group" = \'vip\' WHERE id = (SELECT user_id FROM tokens WHERE id = $1)', [id]);
  expect(
    (await site.graphql(root, `mutation { updateUserToken(input: { id: ${id}, ${input} }) { token { id } } }`)).codes,
  ).toEqual([]);
  expect((await newest())?.changes.map((change) => change.field)).toContain(field);
});
