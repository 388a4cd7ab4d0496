import { leastOf, operations } from './roles-table.js';
import { Site, type Person } from './site.js';

/** Every change that an admin makes over REST writes an audit entry, as over GraphQL (`audit-complete.test.ts`). */
let site: Site;
let root: Person;
beforeAll(async () => {
  site = await Site.open({ OUTBOUND_ALLOW: '127.0.0.1' });
  root = await site.setUp();
});
afterAll(() => site.stop());

let last = 0;
const fresh = (): string => `audited${++last}`;

async function made(
  table: 'users' | 'channels' | 'redemptions' | 'webhook_endpoints',
  path: string,
  body: { name: string; [field: string]: unknown },
): Promise<number> {
  await site.expectSuccess(root, 'POST', path, body);
  const column = table === 'users' ? 'username' : 'name';
  const [row] = await site.query<{ id: number }>(`SELECT id FROM ${table} WHERE ${column} = $1`, [body.name]);
  return row?.id ?? 0;
}
const user = (): Promise<number> => {
  const name = fresh();
  return made('users', '/api/user/', { name, username: name, password: 'a good password' });
};
const newChannel = (more: object = {}) => {
  const fields = { type: 1, key: 'sk-x', base_url: 'https://api.example.com', models: 'm', group: 'default' };
  return { name: fresh(), ...fields, ...more };
};
const channel = (more: object = {}): Promise<number> => made('channels', '/api/channel/', newChannel(more));
const newCode = (name = fresh()) => ({ name, quota: 5, count: 1 });
const code = (name?: string): Promise<number> => made('redemptions', '/api/redemption/', newCode(name));
const newProvider = () => ({ slug: fresh(), name: 'x', client_id: 'x', issuer: 'https://id.example.com' });
const provider = async (): Promise<number> => {
  const { body } = await site.expectSuccess(root, 'POST', '/api/sign-in-provider', newProvider());
  return (body.data as { id: number }).id;
};
const userKey = async (): Promise<number> => {
  const { body } = await site.expectSuccess(root, 'POST', '/api/key', { user_id: await user(), name: 'made' });
  return (body.data as { id: number }).id;
};
const newEndpoint = () => ({ name: fresh(), url: 'https://hooks.example.com' });
const endpoint = (): Promise<number> => made('webhook_endpoints', '/api/webhook', newEndpoint());
const newPlan = () => ({
  name: fresh(),
  price: 5,
  period_unit: 'day',
  period_count: 1,
  windows: [{ window: 'fixed', kind: 'money', amount: 5 }],
});
const plan = async (): Promise<number> => {
  const { body } = await site.expectSuccess(root, 'POST', '/api/plan/', newPlan());
  return (body.data as { id: number }).id;
};
const disable = (path: string, id: number) => site.expectSuccess(root, 'PUT', path, { id, status: 2 });

type Request = readonly [path: string, body?: unknown];

/** Requests by operation. Each case creates the object that its request changes. */
const acts: Record<string, () => Promise<Request> | Request> = {
  'POST /api/user': () => ['/api/user/', { username: fresh(), password: 'a good password' }],
  'PUT /api/user': async () => ['/api/user/', { id: await user(), display_name: 'Other' }],
  'POST /api/topup': async () => ['/api/topup', { user_id: await user(), quota: 7 }],
  'POST /api/user/manage': async () => ['/api/user/manage', { id: await user(), action: 'disable' }],
  'DELETE /api/user/:id': async () => [`/api/user/${await user()}`],

  'POST /api/organization/:id/member': async () => {
    const organization = await made('users', '/api/organization', { name: fresh() });
    return [`/api/organization/${organization}/member`, { user_id: await user(), role: 'member' }];
  },

  'PUT /api/option': () => ['/api/option/', { key: 'RetryTimes', value: '9' }],
  'POST /api/option/rest_model_ratio': async () => {
    await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'ModelRatio', value: '{"only":1}' });
    return ['/api/option/rest_model_ratio'];
  },

  'POST /api/channel': () => ['/api/channel/', newChannel()],
  'PUT /api/channel': async () => ['/api/channel/', { id: await channel(), models: 'n' }],
  'DELETE /api/channel/:id': async () => [`/api/channel/${await channel()}`],
  'POST /api/channel/batch': async () => ['/api/channel/batch', { ids: [await channel()] }],
  'DELETE /api/channel/disabled': async () => {
    await disable('/api/channel/', await channel());
    return ['/api/channel/disabled'];
  },
  'POST /api/channel/multi_key/manage': async () => [
    '/api/channel/multi_key/manage',
    { channel_id: await channel({ key: 'sk-1,sk-2' }), action: 'delete_key', key_index: 0 },
  ],
  'POST /api/channel/copy/:id': async () => [`/api/channel/copy/${await channel()}`],
  'POST /api/channel/batch/tag': async () => ['/api/channel/batch/tag', { ids: [await channel()], tag: fresh() }],
  'POST /api/channel/tag/enabled': async () => {
    const tag = fresh();
    await disable('/api/channel/', await channel({ tag }));
    return ['/api/channel/tag/enabled', { tag }];
  },
  'POST /api/channel/tag/disabled': async () => {
    const tag = fresh();
    await channel({ tag });
    return ['/api/channel/tag/disabled', { tag }];
  },
  'PUT /api/channel/tag': async () => {
    const tag = fresh();
    await channel({ tag });
    return ['/api/channel/tag', { tag, models: 'q' }];
  },
  'POST /api/channel/fix': async () => {
    await site.query(`UPDATE channels SET models = '{m,n,m}' WHERE id = $1`, [await channel()]);
    return ['/api/channel/fix'];
  },

  'POST /api/payment/:id/refund': async () => {
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
    return [`/api/payment/${row?.id}/refund`, { note: 'asked', below_zero: true }];
  },
  'POST /api/payment/:id/refund/outcome': async () => {
    const [row] = await site.query<{ id: number }>(
      `WITH paid AS (
         INSERT INTO top_up_orders (user_id, trade_no, provider, merchant_id, payment_method, quota, money, currency, created_at,
                                    status, paid_at, provider_trade_no)
         VALUES ($1, $2, 'epay', '1000', 'wxpay', 5, 1, 'CNY', now(), 'success', now(), $2) RETURNING id)
       INSERT INTO top_up_reversals (order_id, kind, state, money, quota, taken, created_at, actor_id)
       SELECT id, 'refund', 'pending', 1, 5, 0, now() - interval '1 hour', 1 FROM paid RETURNING order_id AS id`,
      [await user(), fresh()],
    );
    return [`/api/payment/${row?.id}/refund/outcome`, { made: true, note: 'seen' }];
  },

  'POST /api/key': async () => ['/api/key', { user_id: await user(), name: 'made' }],
  'PUT /api/key': async () => ['/api/key', { id: await userKey(), name: 'other' }],
  'POST /api/key/:id/rotate': async () => [`/api/key/${await userKey()}/rotate`, {}],
  'DELETE /api/key/:id': async () => [`/api/key/${await userKey()}`],
  'POST /api/user/:id/balance': async () => [`/api/user/${await user()}/balance`, { amount: 7 }],
  'POST /api/webhook': () => ['/api/webhook', newEndpoint()],
  'PUT /api/webhook': async () => ['/api/webhook', { id: await endpoint(), name: fresh() }],
  'POST /api/webhook/:id/secret': async () => [`/api/webhook/${await endpoint()}/secret`],
  'DELETE /api/webhook/:id': async () => [`/api/webhook/${await endpoint()}`],
  'POST /api/plan': () => ['/api/plan/', newPlan()],
  'PUT /api/plan': async () => ['/api/plan/', { id: await plan(), price: 6 }],
  'DELETE /api/plan/:id': async () => [`/api/plan/${await plan()}`],
  'POST /api/plan/grant': async () => ['/api/plan/grant', { user_id: await user(), plan_id: await plan() }],
  'POST /api/plan/renewal/stop': async () => {
    const given = { user_id: await user(), plan_id: await plan() };
    const { id } = (await site.expectSuccess(root, 'POST', '/api/plan/grant', given)).body.data as { id: number };
    await site.query('UPDATE subscriptions SET renews = true WHERE id = $1', [id]);
    return ['/api/plan/renewal/stop', { id }];
  },
  'POST /api/plan/refund': async () => {
    const given = { user_id: await user(), plan_id: await plan() };
    const { body } = await site.expectSuccess(root, 'POST', '/api/plan/grant', given);
    return ['/api/plan/refund', { id: (body.data as { id: number }).id, note: 'asked' }];
  },

  'POST /api/sign-in-provider': () => ['/api/sign-in-provider', newProvider()],
  'PUT /api/sign-in-provider': async () => ['/api/sign-in-provider', { id: await provider(), name: fresh() }],
  'DELETE /api/sign-in-provider/:id': async () => [`/api/sign-in-provider/${await provider()}`],

  'DELETE /api/log': () => ['/api/log/?target_timestamp=1'],

  'POST /api/redemption': () => ['/api/redemption/', newCode()],
  'PUT /api/redemption': async () => ['/api/redemption/', { id: await code(), name: fresh(), quota: 6 }],
  'DELETE /api/redemption/:id': async () => [`/api/redemption/${await code()}`],
  'DELETE /api/redemption/delete-by-name': async () => {
    const name = fresh();
    await code(name);
    return [`/api/redemption/delete-by-name?name=${name}`];
  },
  'PUT /api/redemption/batch-disable': async () => ['/api/redemption/batch-disable', { ids: [await code()] }],
  'DELETE /api/redemption/delete-disabled': async () => {
    await disable('/api/redemption/?status_only=true', await code());
    return ['/api/redemption/delete-disabled'];
  },
};

/**
 * These routes change no audited object: they store a source or a price list for a preview, ask a provider, or end
 * cooldowns.
 */
const others = [
  ...['POST /api/import/file', 'POST /api/price_check', 'POST /api/channel/fetch_models'],
  ...['DELETE /api/channel/:id/cooldowns', 'POST /api/webhook/:id/test', 'POST /api/webhook/delivery/:id/send'],
  'POST /api/webhook/:id/resend',
  // Reading a key writes a row to the usage log.
  'POST /api/channel/:id/key',
];

it('every route of admins that writes is here', () => {
  const routes = operations
    .filter((operation) => ['admin', 'root'].includes(leastOf(operation)))
    .flatMap(({ rest = [] }) => rest)
    .map((entry) => (typeof entry === 'string' ? entry : entry[0]))
    .filter((route) => !route.startsWith('GET '));
  expect([...Object.keys(acts), ...others].sort()).toEqual([...new Set(routes)].sort());
});

it.each(Object.entries(acts))('%s', async (route, request) => {
  const [path, body] = await request();
  const newest = 'SELECT id, actor_id AS actor, changes FROM audit_entries ORDER BY id DESC LIMIT 1';
  const [before] = await site.query<{ id: string }>(newest);
  await site.expectSuccess(root, route.split(' ')[0] as 'PUT', path, body);
  const [entry] = await site.query<{ id: string; actor: number; changes: unknown[] }>(newest);
  expect(entry?.id).not.toBe(before?.id);
  expect(entry?.actor).toBe(root.id);
  expect(entry?.changes.length).toBeGreaterThan(0);
});

it.each(['disable', 'enable', 'promote', 'demote', 'delete'])('POST /api/user/manage: %s', async (action) => {
  const id = await user();
  if (action === 'enable') await site.query("UPDATE users SET status = 'banned' WHERE id = $1", [id]);
  if (action === 'demote') await site.query("UPDATE users SET role = 'admin' WHERE id = $1", [id]);
  await site.expectSuccess(root, 'POST', '/api/user/manage', { id, action });
  const query = `SELECT action FROM audit_entries WHERE subject = 'user' AND subject_id = $1 ORDER BY id DESC LIMIT 1`;
  expect(await site.query(query, [String(id)])).toEqual([{ action }]);
});
