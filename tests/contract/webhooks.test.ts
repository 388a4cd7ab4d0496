import { setTimeout as delay } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { Budget, BudgetRefusals } from '../../server/src/billing/budgets/index.js';
import { BudgetNotices } from '../../server/src/console/budgets/index.js';
import { maxPending } from '../../server/src/console/webhooks/webhook.entity.js';
import { claimSql, endpointsSql, SiteEventRetention } from '../../server/src/console/webhooks/webhook.jobs.js';
import { NotificationService } from '../../server/src/console/notifications/notification.service.js';
import { defaultOptionValues } from '../../server/src/options/option-registry.js';
import { MemoryState } from '../../server/src/platform/cache/memory-state.js';
import { siteEventKinds, siteEvents, type SiteEventKind } from '../../server/src/shared/site-events.js';
import { EventReader } from '../support/event-reader.js';
import { startScriptedServer, type ScriptedCall, type ScriptedServer } from '../support/scripted-server.js';
import { startServer, type LocalServer } from '../support/server.js';
import { ScriptedStripe } from '../support/stripe.js';
import { operator } from './operator.js';
import { Site, type Person } from './site.js';

let site: Site;
let root: Person;
let receiver: ScriptedServer;
/** A second node on the same database. */
let other: LocalServer;

interface Message {
  readonly type: SiteEventKind;
  readonly timestamp: string;
  readonly data: Record<string, never>;
}

const environment = { OUTBOUND_ALLOW: '127.0.0.1' };
beforeAll(async () => {
  receiver = await startScriptedServer(() => ({ status: 204, body: '' }));
  site = await Site.open(environment);
  root = await site.setUp();
  other = await startServer({ environment, database: site.server.database });
});
afterAll(async () => {
  await other.stop();
  await site.stop();
  await receiver.stop();
});
beforeEach(async () => {
  await site.query('DELETE FROM webhook_endpoints');
  receiver.calls.length = 0;
  receiver.answer = () => ({ status: 204, body: '' });
});

/** @returns id and secret */
async function endpoint(
  kinds: readonly SiteEventKind[] = [],
  path = '/hooks',
): Promise<{ id: number; secret: string }> {
  const given = { name: `to ${path}`, url: receiver.url + path, kinds };
  const { body } = await site.expectSuccess(root, 'POST', '/api/webhook', given);
  return body.data as { id: number; secret: string };
}

async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (await holds()) return;
    await delay(100);
  }
  throw new Error(`not in 30 seconds: ${what}`);
}

const messageOf = ({ body }: ScriptedCall): Message => JSON.parse(body) as Message;
const received = (path = '/hooks'): Message[] =>
  receiver.calls.filter(({ url }) => url.pathname === path).map(messageOf);
const arrived = (count: number, path?: string): Promise<void> =>
  until(() => received(path).length >= count, `${count} messages`);
/** Makes retries due. */
const hurry = (): Promise<unknown> =>
  site.query(`UPDATE webhook_deliveries SET due_at = now() WHERE state = 'pending' AND tried_at IS NOT NULL`);

const deliveries = (more = ''): Promise<Array<Record<string, unknown>>> =>
  site.query(`SELECT state, tries, status, response, failure FROM webhook_deliveries ${more} ORDER BY id`);

describe('an endpoint', () => {
  it('has a secret that is shown once and stored encrypted, and its changes are audited', async () => {
    const { id, secret } = await endpoint(['payment.paid']);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const listed = await site.expectSuccess(root, 'GET', '/api/webhook');
    expect(listed.body.data).toEqual([
      {
        id,
        name: 'to /hooks',
        url: `${receiver.url}/hooks`,
        kinds: ['payment.paid'],
        enabled: true,
        created_time: expect.any(Number) as number,
        failing_since: 0,
        switched_off_time: 0,
        previous_secret_until: 0,
      },
    ]);
    const [row] = await site.query<{ secret_sealed: string }>('SELECT secret_sealed FROM webhook_endpoints');
    expect(row?.secret_sealed).not.toContain(secret.slice(6));
    const renewed = await site.graphql(
      root,
      `mutation { renewWebhookSecret(input: { id: ${id} }) { secret endpoint { id } } }`,
    );
    expect((renewed.data?.['renewWebhookSecret'] as { secret: string }).secret).not.toBe(secret);
    await site.expectSuccess(root, 'PUT', '/api/webhook', { id, kinds: [], enabled: false });
    await site.expectSuccess(root, 'DELETE', `/api/webhook/${id}`);
    const audit = await site.query<{ action: string; changes: unknown }>(
      `SELECT action, changes FROM audit_entries WHERE subject = 'webhook' AND subject_id = $1 ORDER BY id`,
      [String(id)],
    );
    expect(audit.map(({ action }) => action)).toEqual(['create', 'update', 'update', 'delete']);
    expect(JSON.stringify(audit)).not.toContain('whsec_');
  });

  it.each([
    ['url', { url: 'http://billing.example.com/hooks' }],
    ['url', { url: 'https://10.0.0.1/hooks' }],
    ['url', { url: 'https://169.254.169.254/latest' }],
    ['url', { url: 'https://user:password@billing.example.com' }],
    ['url', { url: 'ftp://billing.example.com' }],
    ['url', { url: 'no address' }],
    ['name', { name: ' ' }],
    ['kinds', { kinds: ['payment.invented'] }],
  ])('is refused for its %s: %j', async (field, change) => {
    const given = { name: 'x', url: 'https://billing.example.com/hooks', ...change };
    const { body } = await site.rest(root, 'POST', '/api/webhook', given);
    expect(body).toMatchObject({ success: false, code: 'INVALID_INPUT' });
    if (field !== 'kinds') {
      const create =
        'mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { secret } }';
      const { codes, text } = await site.graphql(root, create, { input: given });
      expect(codes).toEqual(['INVALID_INPUT']);
      expect(text).toContain(`"field":"${field}"`);
    } else expect(body['message']).toBe('Unknown kind of event');
    expect(await site.query('SELECT 1 FROM webhook_endpoints')).toEqual([]);
  });

  it('is for holders of the permission', async () => {
    const common = await site.invite(root);
    const holder = await operator(site, root, ['webhooks']);
    for (const query of ['{ webhookEndpoints { id } }', '{ webhookDeliveries { totalCount } }']) {
      expect((await site.graphql(common, query)).codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
      expect((await site.graphql(holder, query)).codes).toEqual([]);
    }
  });
});

describe('a message', () => {
  it('is signed as Standard Webhooks has it, and names the test', async () => {
    const { id, secret } = await endpoint(['user.created']);
    const { data } = await site.graphql(root, `mutation { testWebhook(id: ${id}) { delivery { id eventId state } } }`);
    await arrived(1);
    const [call] = receiver.calls;
    const headers = call?.headers as Record<string, string>;
    expect(new Webhook(secret).verify(call?.body ?? '', headers)).toEqual({
      type: 'webhook.test',
      timestamp: expect.any(String) as string,
      data: { endpoint: { id, name: 'to /hooks' } },
    });
    const { delivery } = data?.['testWebhook'] as { delivery: { id: string; eventId: string } };
    expect(headers['webhook-id']).toBe(delivery.eventId);
    expect(() => new Webhook(secret).verify(`${call?.body} `, headers)).toThrow();
    await until(async () => (await deliveries())[0]?.['state'] === 'delivered', 'the outcome is stored');
    const page = await site.graphql(
      root,
      '{ webhookDeliveries { items { id endpoint { name } kind state status tries request failure nextAt } } }',
    );
    const shown = { id: delivery.id, kind: 'webhook.test', state: 'DELIVERED', status: 204, tries: 1 };
    expect(page.data?.['webhookDeliveries']).toEqual({
      items: [{ ...shown, endpoint: { name: 'to /hooks' }, request: call?.body, failure: null, nextAt: null }],
    });
  });

  it('reports users and keys in the order of their changes, once, without the text of a key', async () => {
    await endpoint();
    const username = `hooked${Date.now() % 1e6}`;
    await site.expectSuccess(root, 'POST', '/api/user/', { username, password: `password of ${username}` });
    const user = await site.signIn(username, `password of ${username}`);
    const made = await site.expectSuccess(user, 'POST', '/api/token/', { name: 'mine', unlimited_quota: true });
    const { id, key } = made.body.data as { id: number; key: string };
    await site.graphql(user, `mutation { updateToken(input: { id: ${id}, name: "ours" }) { token { id } } }`);
    const rotated = await site.graphql(user, `mutation { rotateToken(input: { id: ${id} }) { key } }`);
    await site.expectSuccess(user, 'DELETE', `/api/token/${id}`);
    for (const action of ['disable', 'enable', 'delete']) {
      await site.expectSuccess(root, 'POST', '/api/user/manage', { id: user.id, action });
    }
    await arrived(8);
    await delay(1500);
    expect(received().map(({ type }) => type)).toEqual([
      ...(['user.created', 'key.created', 'key.changed', 'key.changed', 'key.revoked'] as const),
      ...(['user.disabled', 'user.enabled', 'user.deleted'] as const),
    ]);
    for (const { type, data } of received()) siteEvents[type].data.parse(data);
    expect(received().slice(2, 4)).toMatchObject([{ data: { changed: ['name'] } }, { data: { changed: ['key'] } }]);
    const bodies = receiver.calls.map(({ body }) => body).join();
    expect(bodies).not.toContain(key.replace('sk-', ''));
    const renewed = (rotated.data?.['rotateToken'] as { key: string }).key.replace('sk-', '');
    expect(renewed).toMatch(/^\w{20,}$/);
    expect(bodies).not.toContain(renewed);
    expect(new Set(receiver.calls.map(({ headers }) => headers['webhook-id'])).size).toBe(8);
  });

  it('knows of each column of a key whether its change is an event', async () => {
    // Charges and uses change these, or nothing does.
    const without = [
      ...['id', 'user_id', 'member_id', 'project_id', 'key_prefix', 'key_sealed', 'previous_key_until', 'created_at'],
      ...['last_used_at', 'remain_quota', 'used_quota', 'expiry_noticed'],
    ];
    const columns = await site.query<{ name: string }>(
      "SELECT attname AS name FROM pg_attribute WHERE attrelid = 'tokens'::regclass AND attnum > 0 AND NOT attisdropped",
    );
    const watched = await site.query<{ name: string }>(
      `SELECT a.attname AS name FROM pg_trigger t JOIN pg_attribute a ON a.attrelid = t.tgrelid AND a.attnum = ANY (t.tgattr)
        WHERE t.tgname = 'tokens_changed'`,
    );
    const names = (rows: typeof columns): string[] => rows.map(({ name }) => name);
    expect([...names(watched), ...without].toSorted()).toEqual(names(columns).toSorted());
  });

  it('says whether an account is a person or an organisation', async () => {
    await endpoint(['user.created', 'user.deleted']);
    const owner = await site.invite(root);
    const create = 'mutation { createOrganisation(input: { name: "Acme" }) { organisation { id } } }';
    const { data } = await site.graphql(owner, create);
    const { id } = (data?.['createOrganisation'] as { organisation: { id: number } }).organisation;
    await site.expectSuccess(owner, 'DELETE', `/api/organization/${id}`);
    await arrived(3);
    expect(received().map(({ type, data: { user } }) => [type, user])).toMatchObject([
      ['user.created', { id: owner.id, kind: 'person' }],
      ['user.created', { id, kind: 'organisation', username: 'Acme' }],
      ['user.deleted', { id, kind: 'organisation' }],
    ]);
    for (const { type, data: sent } of received()) siteEvents[type].data.parse(sent);
  });

  it('is not sent for what was rolled back, and is for what was committed just before a crash', async () => {
    await endpoint(['user.created']);
    const insert = `INSERT INTO users (username, aff_code) VALUES ($1, $1)`;
    await expect(
      site.dataSource.transaction(async (manager) => {
        await manager.query(insert, ['rolledback']);
        throw new Error('rolled back');
      }),
    ).rejects.toThrow('rolled back');
    // A process that dies after its commit leaves no more than this row.
    await site.query(insert, ['committed']);
    await arrived(1);
    await delay(1200);
    expect(received()).toMatchObject([{ type: 'user.created', data: { user: { username: 'committed' } } }]);
  });

  it('goes to the endpoints that want its kind, and not to one that is switched off', async () => {
    await endpoint(['user.created'], '/users');
    await endpoint(['key.created'], '/keys');
    const off = await endpoint([], '/off');
    await site.expectSuccess(root, 'PUT', '/api/webhook', { id: off.id, enabled: false });
    await site.invite(root);
    await arrived(1, '/users');
    await delay(1200);
    expect([received('/users').length, received('/keys').length, received('/off').length]).toEqual([1, 0, 0]);
  });
});

describe('an endpoint that fails', () => {
  it('gets the event again with the same id, later ones wait for its first attempts, and the end is stored', async () => {
    const { id } = await endpoint(['user.created', 'user.deleted']);
    receiver.answer = () => ({ status: 503, body: 'x'.repeat(5000) });
    const user = await site.invite(root);
    await arrived(1);
    await site.expectSuccess(root, 'POST', '/api/user/manage', { id: user.id, action: 'delete' });
    await delay(1200);
    // The second event waits for the first one.
    expect(received()).toHaveLength(1);
    expect(await deliveries()).toMatchObject([
      {
        state: 'pending',
        tries: 1,
        status: 503,
        response: 'x'.repeat(2048),
        failure: 'status',
      },
      { state: 'pending', tries: 0 },
    ]);
    receiver.answer = () => ({ status: 200 });
    await hurry();
    await arrived(3);
    expect(received().map(({ type }) => type)).toEqual(['user.created', 'user.created', 'user.deleted']);
    const [first, second] = receiver.calls;
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(second?.body).toBe(first?.body);
    await until(async () => (await deliveries(`WHERE state = 'delivered'`)).length === 2, 'both are delivered');
    const [row] = await site.query('SELECT failing_since FROM webhook_endpoints WHERE id = $1', [id]);
    expect(row).toEqual({ failing_since: null });
  });

  it('is given up after the last attempt, and the event can be sent again', async () => {
    await endpoint(['user.created']);
    receiver.answer = () => ({ status: 500 });
    await site.invite(root);
    await arrived(1);
    await until(async () => (await deliveries())[0]?.['tries'] === 1, 'the first outcome');
    await site.query('UPDATE webhook_deliveries SET tries = 11');
    await hurry();
    await until(async () => (await deliveries())[0]?.['state'] === 'failed', 'the last outcome');
    receiver.answer = () => ({ status: 200 });
    const [{ id } = { id: '' }] = await site.query<{ id: string }>('SELECT id FROM webhook_deliveries');
    await site.expectSuccess(root, 'POST', `/api/webhook/delivery/${id}/send`);
    await until(async () => (await deliveries())[0]?.['state'] === 'delivered', 'it is delivered');
    expect(new Set(receiver.calls.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('is switched off after three days, with an alert, and at once if it is gone', async () => {
    const { id } = await endpoint(['user.created'], '/dead');
    receiver.answer = () => ({ status: 500 });
    await site.invite(root);
    await arrived(1, '/dead');
    await until(async () => (await deliveries())[0]?.['status'] === 500, 'the first outcome');
    await site.query(`UPDATE webhook_endpoints SET failing_since = now() - interval '73 hours'`);
    await hurry();
    const off = async (): Promise<boolean> =>
      (await site.query('SELECT 1 FROM webhook_endpoints WHERE id = $1 AND NOT enabled', [id])).length === 1;
    await until(off, 'it is switched off');
    expect(await deliveries()).toMatchObject([{ state: 'failed', status: 500 }]);
    // The conditions of alerts are checked after a change of settings, too.
    await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'Footer', value: String(Date.now()) });
    const alerts = async (): Promise<unknown> =>
      (await site.graphql(root, '{ alerts(filter: { kinds: [WEBHOOK_OFF], isOpen: true }) { items { endpoints } } }'))
        .data?.['alerts'];
    await until(async () => JSON.stringify(await alerts()).includes('to /dead'), 'the alert');
    receiver.answer = () => ({ status: 410 });
    await site.expectSuccess(root, 'PUT', '/api/webhook', { id, enabled: true });
    await site.invite(root);
    await until(off, 'it is gone');
  });

  it('that redirects, hangs up or sends without end does not keep the others waiting', async () => {
    await endpoint(['user.created'], '/redirect');
    await endpoint(['user.created'], '/fine');
    receiver.answer = ({ url }) =>
      url.pathname === '/redirect'
        ? { status: 302, headers: { location: `${receiver.url}/elsewhere` } }
        : { status: 200 };
    await site.invite(root);
    await arrived(1, '/redirect');
    await arrived(1, '/fine');
    await until(async () => (await deliveries(`WHERE status = 302 AND state = 'pending'`)).length === 1, 'refused');
    expect(received('/elsewhere')).toEqual([]);
  });
});

/** Fills the queue of an endpoint, behind one delivery that waits for its second attempt. */
async function fill(endpointId: number, count: number): Promise<void> {
  await site.query(
    `WITH event AS (INSERT INTO site_events (kind, data) SELECT 'user.created', '{}' RETURNING id)
     INSERT INTO webhook_deliveries (endpoint_id, event_id, tries, due_at)
     SELECT $1, event.id, CASE n WHEN 1 THEN 1 ELSE 0 END, now() + CASE n WHEN 1 THEN interval '1 hour' ELSE interval '0' END
       FROM event, generate_series(1, $2::integer) n`,
    [endpointId, count],
  );
}

interface Plan {
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}
/** Rows that a query reads from tables and indexes. */
const rowsRead = ({ Plans = [], ...node }: Plan): number =>
  ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)) * (node['Actual Loops'] ?? 0) +
  Plans.reduce((sum, one) => sum + rowsRead(one), 0);

describe('a backlog', () => {
  it('costs a tick no more than an empty queue', async () => {
    const { id } = await endpoint(['user.created']);
    await fill(id, 5000);
    await site.query(
      `UPDATE webhook_deliveries SET tries = 4, due_at = now() + interval '1 day'
        WHERE id IN (SELECT id FROM webhook_deliveries WHERE tries = 0 ORDER BY id LIMIT 2000)`,
    );
    await site.query('ANALYZE webhook_deliveries');
    for (const [sql, values] of [
      [endpointsSql, []],
      [claimSql, [id]],
    ] as const) {
      const [row] = await site.query<{ 'QUERY PLAN': Array<{ Plan: Plan }> }>(`EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`, [
        ...values,
      ]);
      const plan = row?.['QUERY PLAN'][0]?.Plan;
      expect(plan && rowsRead(plan)).toBeLessThan(100);
    }
    // The first one blocks the others.
    await delay(1500);
    expect(receiver.calls).toEqual([]);
  });

  it('is bounded: an event that has no place has failed, and is sent again later', async () => {
    const { id } = await endpoint(['user.deleted']);
    await fill(id, maxPending);
    const user = await site.invite(root);
    await site.expectSuccess(root, 'POST', '/api/user/manage', { id: user.id, action: 'delete' });
    expect(await deliveries(`WHERE state = 'failed'`)).toMatchObject([{ tries: 0, failure: 'backlog' }]);
    const again = async (): Promise<unknown> =>
      (await site.expectSuccess(root, 'POST', `/api/webhook/${id}/resend`)).body.data;
    expect(await again()).toEqual({ count: 0 });
    await site.query(`DELETE FROM webhook_deliveries WHERE state = 'pending'`);
    expect(await again()).toEqual({ count: 1 });
    await arrived(1);
    expect(received()).toMatchObject([{ type: 'user.deleted', data: { user: { id: user.id } } }]);
  });
});

describe('sending again', () => {
  it('is refused while the event is being sent, and makes one that waits due', async () => {
    const { id: endpointId } = await endpoint(['user.created']);
    let respond = (): void => undefined;
    const held = new Promise<void>((resolve) => (respond = resolve));
    receiver.answer = async () => {
      await held;
      return { status: 500 };
    };
    await site.invite(root);
    await arrived(1);
    const [{ id } = { id: '' }] = await site.query<{ id: string }>('SELECT id FROM webhook_deliveries');
    const again = (): Promise<string[]> =>
      site.graphql(root, `mutation { resendWebhook(id: "${id}") { delivery { tries } } }`).then(({ codes }) => codes);
    expect(await again()).toEqual(['CONFLICT']);
    const all = `mutation { resendWebhooks(input: { endpointId: ${endpointId}, states: [PENDING] }) { count } }`;
    expect((await site.graphql(root, all)).data).toEqual({ resendWebhooks: { count: 0 } });
    respond();
    await until(async () => (await deliveries())[0]?.['tries'] === 1, 'the first outcome');
    receiver.answer = () => ({ status: 204 });
    // It would wait for five seconds, which is less than the lease of an attempt.
    expect(await again()).toEqual([]);
    expect(await deliveries()).not.toMatchObject([{ tries: 1 }]);
    await until(async () => (await deliveries())[0]?.['state'] === 'delivered', 'it is delivered');
  });

  it('of many goes by endpoint, state, kind and time, as the list does', async () => {
    const { id } = await endpoint(['user.created', 'key.created'], '/one');
    const other = await endpoint(['user.created'], '/other');
    await site.invite(root);
    await site.invite(root);
    await site.expectSuccess(root, 'POST', '/api/token/', { name: 'one', unlimited_quota: true });
    await arrived(3, '/one');
    await arrived(2, '/other');
    await until(async () => (await deliveries(`WHERE state = 'delivered'`)).length === 5, 'all are delivered');
    await site.query(`UPDATE webhook_deliveries SET state = 'failed', failure = 'status'`);
    await site.query(
      `UPDATE site_events SET created_at = now() - interval '2 days'
        WHERE id = (SELECT min(event_id) FROM webhook_deliveries WHERE endpoint_id = $1)`,
      [id],
    );
    receiver.calls.length = 0;
    const today = Math.floor(Date.now() / 1000) - 3600;
    const listed = async (query: string): Promise<unknown> =>
      ((await site.expectSuccess(root, 'GET', `/api/webhook/delivery?${query}`)).body.data as { total: number }).total;
    expect(await listed(`endpoint_id=${id}`)).toBe(3);
    expect(await listed(`endpoint_id=${id}&kind=user.created`)).toBe(2);
    expect(await listed(`endpoint_id=${id}&kind=user.created&start_timestamp=${today}`)).toBe(1);
    expect(await listed(`endpoint_id=${id}&end_timestamp=${today}`)).toBe(1);
    const resent = await site.expectSuccess(root, 'POST', `/api/webhook/${id}/resend`, {
      kinds: ['user.created'],
      start_timestamp: today,
    });
    expect(resent.body.data).toEqual({ count: 1 });
    await arrived(1, '/one');
    await until(async () => (await deliveries(`WHERE state = 'delivered'`)).length === 1, 'it is delivered');
    const rest = `mutation { resendWebhooks(input: { endpointId: ${id}, states: [FAILED] }) { count } }`;
    expect((await site.graphql(root, rest)).data).toEqual({ resendWebhooks: { count: 2 } });
    await arrived(3, '/one');
    await delay(1200);
    expect([received('/one').length, received('/other').length]).toEqual([3, 0]);
    await site.expectSuccess(root, 'PUT', '/api/webhook', { id: other.id, enabled: false });
    const refused = await site.rest(root, 'POST', `/api/webhook/${other.id}/resend`);
    expect(refused.body).toMatchObject({ success: false, code: 'CONFLICT' });
  });
});

it('signs with the previous secret, too, until its overlap ends', async () => {
  const { id, secret } = await endpoint(['user.created']);
  const renew = async (body?: object): Promise<string> =>
    ((await site.expectSuccess(root, 'POST', `/api/webhook/${id}/secret`, body)).body.data as { secret: string })
      .secret;
  const second = await renew();
  /** The secrets with which the next message is signed. */
  const signers = async (): Promise<string[]> => {
    receiver.calls.length = 0;
    await site.invite(root);
    await arrived(1);
    const [call] = receiver.calls;
    return [secret, second, third].filter((one) => {
      try {
        return Boolean(new Webhook(one).verify(call?.body ?? '', call?.headers as Record<string, string>));
      } catch {
        return false;
      }
    });
  };
  let third = second.replace(/.{4}=$/, 'AAA=');
  expect(await signers()).toEqual([secret, second]);
  await site.query(`UPDATE webhook_endpoints SET previous_secret_until = now() - interval '1 second'`);
  expect(await signers()).toEqual([second]);
  third = await renew({ overlap_hours: 0 });
  expect(await signers()).toEqual([third]);
  const tooLong = await site.rest(root, 'POST', `/api/webhook/${id}/secret`, { overlap_hours: 169 });
  expect(tooLong.body).toMatchObject({ success: false, code: 'INVALID_INPUT' });
});

it('deletes deliveries with their events after 30 days, but none that is still to be sent', async () => {
  const { id } = await endpoint(['user.deleted']);
  const old = async (state: string, age: string): Promise<void> => {
    await site.query(
      `WITH event AS (INSERT INTO site_events (kind, data, created_at) VALUES ('user.deleted', '{}', now() - $3::interval) RETURNING id)
       INSERT INTO webhook_deliveries (endpoint_id, event_id, state, due_at) SELECT $1, id, $2, now() + interval '1 day' FROM event`,
      [id, state, age],
    );
  };
  await old('delivered', '31 days');
  await old('failed', '31 days');
  await old('pending', '31 days');
  await old('delivered', '29 days');
  const retention = new SiteEventRetention({
    database: site.dataSource,
    state: new MemoryState(() => undefined),
    nodeId: 'one',
    clock: { now: () => Date.now() },
    logger: { info: () => undefined, warn: () => undefined },
  });
  expect(await retention.drop()).toBeGreaterThanOrEqual(2);
  expect((await deliveries()).map(({ state }) => state)).toEqual(['pending', 'delivered']);
});

it('sends the events of payments, with amounts in the currency of the order', async () => {
  await endpoint(['payment.paid', 'payment.refunded']);
  const buyer = await site.invite(root);
  await site.query(
    `INSERT INTO top_up_orders (user_id, trade_no, provider, merchant_id, payment_method, quota, money, currency, created_at)
     VALUES ($1, 'hooked', 'epay', '1000', 'wxpay', 1000000, 1460, 'CNY', now())`,
    [buyer.id],
  );
  const [{ id } = { id: 0 }] = await site.query<{ id: number }>(
    `SELECT id FROM top_up_orders WHERE trade_no = 'hooked'`,
  );
  await site.graphql(root, `mutation { markTopUpPaid(input: { id: ${id}, note: "seen" }) { order { id } } }`);
  await arrived(1);
  const [message] = received();
  siteEvents['payment.paid'].data.parse(message?.data);
  expect(message).toMatchObject({
    type: 'payment.paid',
    data: {
      user: { id: buyer.id, username: buyer.username, external_id: null },
      order: { number: 'hooked', amount: '14.60', refunded: '0.00', currency: 'CNY', quota: 1_000_000 },
      detail: 'seen',
    },
  });
});

it('sends the events of refunds and disputes that a gateway reports, in order, with their money', async () => {
  await endpoint(siteEventKinds.filter((kind) => /^payment\.(refund|dispute)/.test(kind)));
  const stripe = await ScriptedStripe.start();
  for (const [key, value] of Object.entries(stripe.settings)) {
    await site.expectSuccess(root, 'PUT', '/api/option/', { key, value });
  }
  const buyer = await site.invite(root);
  await site.query(
    `INSERT INTO top_up_orders (user_id, trade_no, provider, merchant_id, payment_method, quota, money, currency, created_at,
                                status, paid_at, provider_trade_no)
     VALUES ($1, 'returned', 'stripe', 'test', 'stripe_checkout', 1000000, 1000, 'USD', now(), 'success', now(), 'pi_1')`,
    [buyer.id],
  );
  const report = async (type: string, object: string, id: string, amount: number, status: string): Promise<void> => {
    const event = stripe.event(type, { object, id, payment_intent: 'pi_1', currency: 'usd', amount, status });
    // It is sent again, as gateways do, and reported once.
    for (let times = 0; times < 2; times++) expect(await stripe.send(site.server.url, event)).toBe(200);
  };
  await report('charge.dispute.created', 'dispute', 'du_1', 600, 'needs_response');
  await report('charge.dispute.closed', 'dispute', 'du_1', 600, 'won');
  await report('refund.created', 'refund', 're_1', 250, 'succeeded');
  await report('refund.failed', 'refund', 're_1', 250, 'failed');
  await report('charge.dispute.created', 'dispute', 'du_2', 1000, 'needs_response');
  await report('charge.dispute.closed', 'dispute', 'du_2', 1000, 'lost');
  await arrived(6);
  await delay(1500);
  const order = { number: 'returned', payment: 'pi_1', amount: '10.00', currency: 'USD', quota: 1_000_000 };
  const sent = (type: SiteEventKind, refunded: string) => ({
    type,
    data: { user: { id: buyer.id, username: buyer.username }, order: { ...order, refunded } },
  });
  expect(received()).toMatchObject([
    sent('payment.disputed', '6.00'),
    sent('payment.dispute_won', '0.00'),
    sent('payment.refunded', '2.50'),
    sent('payment.refund_failed', '0.00'),
    sent('payment.disputed', '10.00'),
    sent('payment.dispute_lost', '10.00'),
  ]);
  for (const { type, data } of received()) siteEvents[type].data.parse(data);
  await stripe.stop();
});

it('reports a low balance once until money comes in, and a used-up budget once in its window', async () => {
  await endpoint(['balance.low', 'budget.used_up']);
  const user = await site.invite(root);
  const common = { database: site.dataSource, clock: { now: () => Date.now() }, logger: { warn: () => undefined } };
  const options = { values: defaultOptionValues() };
  // Each one is another node, which has sent no warning yet.
  const ranLow = (): void =>
    new NotificationService({
      ...common,
      options,
      state: new MemoryState(() => undefined),
      outbox: { post: () => Promise.resolve(), postWithin: () => Promise.resolve() },
      limit: { count: 100, seconds: 60 },
    }).ranLow(user.id, 5);
  ranLow();
  await arrived(1);
  ranLow();
  await delay(1500);
  expect(received()).toHaveLength(1);
  await site.expectSuccess(root, 'POST', `/api/user/${user.id}/balance`, { amount: 10 });
  ranLow();
  await arrived(2);
  expect(received()).toMatchObject([{ type: 'balance.low', data: { balance: 5 } }, { type: 'balance.low' }]);
  const given = { level: 'user', subject_id: user.id, kind: 'money', amount: 100, window: 'day' };
  const { id } = (await site.expectSuccess(root, 'POST', '/api/budget', given)).body.data as { id: number };
  for (let node = 0; node < 2; node++) {
    const refusals = new BudgetRefusals();
    refusals.note(id, 100);
    const notices = { notifyUser: () => undefined, notifyRoot: () => undefined };
    await new BudgetNotices({
      ...common,
      options,
      refusals,
      notices,
      budgets: site.dataSource.getRepository(Budget),
    }).run();
  }
  await arrived(3);
  await delay(1200);
  expect(received().slice(2)).toMatchObject([
    { type: 'budget.used_up', data: { budget: { id, level: 'user', subject_id: user.id, amount: 100, used: 0 } } },
  ]);
  for (const { type, data } of received()) siteEvents[type].data.parse(data);
});

it('streams the same events to a subscription of an admin, and to nobody else', async () => {
  const text = 'subscription { siteEventCreated(kinds: [USER_CREATED]) { items { id kind data } missed } }';
  const reader = await EventReader.open(other.url, root, text);
  await delay(300);
  const user = await site.invite(root);
  const events = (): unknown[] =>
    reader.results.flatMap(({ data }) => (data?.['siteEventCreated'] as { items: unknown[] } | undefined)?.items ?? []);
  await until(() => events().length > 0, 'the event');
  expect(events()).toMatchObject([{ kind: 'USER_CREATED', data: { user: { id: user.id, username: user.username } } }]);
  reader.close();
  const refused = await EventReader.open(other.url, user, text);
  await until(() => refused.codes.length > 0, 'the refusal');
  expect(refused.codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
});

it('lists the kinds for the console, each with its meaning', async () => {
  const { data } = await site.graphql(root, '{ siteEventKinds { kind name about } }');
  expect(data?.['siteEventKinds']).toEqual(
    siteEventKinds.map((name) => ({ kind: name.replace('.', '_').toUpperCase(), name, about: siteEvents[name].about })),
  );
});
