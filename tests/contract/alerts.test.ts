import { createHmac } from 'node:crypto';
import { AlertClock } from '../../server/src/console/alerts/alert.jobs.js';
import { AlertConditions, type Found } from '../../server/src/console/alerts/alert-conditions.js';
import { AlertStore } from '../../server/src/console/alerts/alert-store.js';
import { BelowCostService } from '../../server/src/console/prices/below-cost.service.js';
import { Channel } from '../../server/src/console/channels/channel.entity.js';
import { defaultOptionValues, type OptionValues } from '../../server/src/options/option-registry.js';
import type { Actor } from '../../server/src/shared/actor.js';
import { mailAccount, startMailServer, type MailServer } from '../support/mail-server.js';
import { startScriptedServer, type ScriptedServer } from '../support/scripted-server.js';
import { Site, type Person } from './site.js';

/* Alerts: conditions, the notification centre, and messages by mail, webhook, Telegram and Bark. */

const until = async <T>(read: () => Promise<T | undefined> | T | undefined): Promise<T> => {
  for (let tries = 0; tries < 2000; tries++) {
    const found = await read();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('the condition never held');
};

let site: Site;
let root: Person;
let admin: Person;
let mail: MailServer;
let receiver: ScriptedServer;

beforeAll(async () => {
  [mail, receiver, site] = await Promise.all([
    startMailServer(),
    startScriptedServer(() => ({ body: { ok: true } })),
    Site.open({ OUTBOUND_ALLOW: '127.0.0.1' }),
  ]);
  root = await site.setUp();
  admin = await site.invite(root, 'admin');
});
afterAll(() => Promise.all([site.stop(), mail.stop(), receiver.stop()]));
beforeEach(async () => {
  await site.query('DELETE FROM alerts; DELETE FROM channels; DELETE FROM usage_five_minutes');
  receiver.calls.length = 0;
  receiver.answer = () => ({ body: { ok: true } });
});

const set = (key: string, value: string) => site.expectSuccess(root, 'PUT', '/api/option/', { key, value });

async function channel(name: string, more: Record<string, unknown> = {}): Promise<number> {
  const fields = { type: 1, name, key_sealed: '', models: ['gpt-4.1'], ...more };
  const columns = Object.keys(fields).map((column) => `"${column}"`);
  const places = columns.map((_, index) => `$${index + 1}`);
  const sql = `INSERT INTO channels (${columns.join(', ')}) VALUES (${places.join(', ')}) RETURNING id`;
  const [row] = await site.query<{ id: number }>(sql, Object.values(fields));
  return row?.id ?? 0;
}
const disabled = { status: 'autoDisabled', status_reason: '401 invalid key', status_changed_at: new Date(1000) };

interface Alert {
  readonly id: number;
  readonly kind: string;
  readonly channelId: number | null;
  readonly channelName: string | null;
  readonly reason: string | null;
  readonly openedAt: string;
  readonly endedAt: string | null;
  readonly failedMessages: ReadonlyArray<{ readonly target: string; readonly error: string }>;
}
interface Page {
  readonly items: readonly Alert[];
  readonly totalCount: number;
  readonly unseenCount: number;
}

async function alerts(person = root, filter: Record<string, unknown> = {}): Promise<Page> {
  const document = `query ($filter: AlertFilter) { alerts(filter: $filter) { totalCount unseenCount
    items { id kind channelId channelName reason openedAt endedAt failedMessages { target error } } } }`;
  const { data, text } = await site.graphql(person, document, { filter });
  if (!data) throw new Error(text);
  return data['alerts'] as Page;
}

describe('conditions', () => {
  let values: OptionValues;
  /** The server deletes five-minute rows that are older than two days, so the rows are recent. */
  const five = Math.floor(Date.now() / 300_000) * 300;
  const now = (five + 120) * 1000;
  const conditions = () =>
    new AlertConditions({
      database: site.dataSource,
      belowCost: new BelowCostService({
        channels: site.dataSource.getRepository(Channel),
        options: { values },
        clock: { now: () => now },
      }),
      options: { values },
      clock: { now: () => now },
    });
  beforeEach(() => {
    values = defaultOptionValues();
  });

  it('find channels that the gateway disabled, with the reason, not those that an admin did', async () => {
    const id = await channel('dead', disabled);
    await channel('off', { status: 'disabled' });
    expect([...(await conditions().disabledChannels())]).toEqual([
      [id, { channelName: 'dead', reason: '401 invalid key' }],
    ]);
    values = { ...values, 'alerts.channel_disabled': false };
    expect([...(await conditions().disabledChannels())]).toEqual([]);
  });

  it('find enabled channels below the balance of the setting, if a balance is known', async () => {
    const poor = await channel('poor', { balance: 4.99, balance_at: new Date(1000) });
    await channel('rich', { balance: 5, balance_at: new Date(1000) });
    await channel('unknown', { balance: 0 });
    await channel('off', { status: 'disabled', balance: 1, balance_at: new Date(1000) });
    expect([...(await conditions().lowBalances())]).toEqual([]);
    values = { ...values, 'alerts.channel_balance_below': 5 };
    expect([...(await conditions().lowBalances())]).toEqual([
      [poor, { channelName: 'poor', balance: 4.99, threshold: 5 }],
    ]);
  });

  it('find channels of which half of at least twenty calls failed within the last minutes', async () => {
    const [half, fewer, rare, old] = [
      await channel('half'),
      await channel('fewer'),
      await channel('rare'),
      await channel('old'),
    ];
    const count = (start: number, id: number, calls: number, failed: number, model = 'm') =>
      site.query(
        'INSERT INTO usage_five_minutes (start, channel_id, model_name, calls, failed_calls) VALUES ($1, $2, $3, $4, $5)',
        [start, id, model, calls, failed],
      );
    await count(five - 600, half, 8, 4);
    await count(five, half, 2, 6, 'n');
    await count(five, fewer, 11, 9);
    await count(five, rare, 0, 19);
    // These calls are at least ten minutes old.
    await count(five - 900, old, 0, 100);
    expect([...(await conditions().errorRates())]).toEqual([
      [half, { channelName: 'half', calls: 20, failedCalls: 10, threshold: 50 }],
    ]);
    values = { ...values, 'alerts.error_rate_percent': 45 };
    expect([...(await conditions().errorRates()).keys()].sort()).toEqual([half, fewer].sort());
    values = { ...values, 'alerts.error_rate_percent': 0 };
    expect([...(await conditions().errorRates())]).toEqual([]);
  });

  it('find channels that fail while others rescue their calls', async () => {
    const [hidden, both] = [await channel('hidden'), await channel('both')];
    const attempts = (id: number, kind: string, failed: number) =>
      site.query(
        `INSERT INTO channel_failures (start, channel_id, kind, attempts, last_at, last_model, last_error)
         VALUES ($1, $2, $3, $4, $1, 'm', 'status 500')`,
        [five, id, kind, failed],
      );
    await attempts(hidden, 'SERVER', 20);
    await attempts(hidden, 'TIMEOUT', 10);
    // Calls that no other channel served are counted as attempts, too.
    await attempts(both, 'SERVER', 12);
    await site.query(
      `INSERT INTO usage_five_minutes (start, channel_id, model_name, calls, failed_calls) VALUES ($1, $2, 'm', 10, 12)`,
      [five, both],
    );
    const found = await conditions().errorRates();
    expect([hidden, both].map((id) => found.get(id))).toEqual([
      { channelName: 'hidden', calls: 30, failedCalls: 30, threshold: 50 },
      { channelName: 'both', calls: 22, failedCalls: 12, threshold: 50 },
    ]);
    await site.query('DELETE FROM channel_failures');
  });

  it('find models that are sold below cost, once for all their channels', async () => {
    await channel('loses', { cost: { factor: 3, cards: {} }, models: ['gpt-4.1-mini', 'gpt-4.1'] });
    await channel('loses too', { cost: { factor: 2, cards: {} }, models: ['gpt-4.1'] });
    await channel('earns', { cost: { factor: 0.5, cards: {} } });
    const actor: Actor = { id: root.id, username: 'root', role: 'root', status: 'enabled', group: 'default' };
    expect([...(await conditions().salesBelowCost(actor))]).toEqual([
      [null, { models: ['gpt-4.1 (2)', 'gpt-4.1-mini'], count: 2 }],
    ]);
  });

  it('find a ledger that does not add up, and none that does', async () => {
    expect([...(await conditions().drifts())]).toEqual([]);
    await site.query('UPDATE users SET quota = quota + 5 WHERE id = $1', [admin.id]);
    expect([...(await conditions().drifts())]).toEqual([[null, { count: 1 }]]);
    await site.query('UPDATE users SET quota = quota - 5 WHERE id = $1', [admin.id]);
  });

  it('are periodic from the first look, one look a period', async () => {
    const store = new AlertStore(site.dataSource);
    expect([await store.isDue('a check', 24), await store.isDue('a check', 24)]).toEqual([false, false]);
    await site.query(`UPDATE alert_checks SET at = now() - interval '25 hours' WHERE name = 'a check'`);
    expect([await store.isDue('a check', 24), await store.isDue('a check', 24)]).toEqual([true, false]);
  });

  it('are due again an hour after a look that failed, or whose node died', async () => {
    const store = new AlertStore(site.dataSource);
    const pass = (time: string) =>
      site.query(`UPDATE alert_checks SET at = at - $1::interval WHERE name = 'a failing check'`, [time]);
    await store.isDue('a failing check', 24);
    await pass('25 hours');
    expect(await store.isDue('a failing check', 24)).toBe(true);
    await pass('59 minutes');
    expect(await store.isDue('a failing check', 24)).toBe(false);
    await pass('2 minutes');
    expect(await store.isDue('a failing check', 24)).toBe(true);
    await store.noteChecked('a failing check');
    await pass('23 hours');
    expect(await store.isDue('a failing check', 24)).toBe(false);
  });

  it('count as looked at when they could be read', async () => {
    const none = async (): Promise<Found> => new Map();
    const reads = [() => Promise.reject(new Error('cancelled')), none];
    const store = { isDue: async () => true, noteChecked: jest.fn(), apply: none, claim: async () => [], trim: none };
    let look = (): void => undefined;
    const clock = new AlertClock({
      database: { query: async () => [] as never },
      conditions: {
        disabledChannels: none,
        lowBalances: none,
        errorRates: none,
        salesBelowCost: none,
        drifts: () => (reads.shift() ?? none)(),
      } as unknown as AlertConditions,
      store: store as unknown as AlertStore,
      targets: { active: [], send: async () => undefined },
      state: { lease: async () => true, release: async () => undefined },
      nodeId: 'one',
      changes: { on: (_kind, then) => void (look = then as () => void) },
      options: { values: defaultOptionValues() },
      logger: { warn: () => undefined },
    });
    clock.start();
    look();
    await until(() => (reads.length === 1 ? true : undefined));
    expect(store.noteChecked).not.toHaveBeenCalled();
    look();
    await until(() => (store.noteChecked.mock.calls.length > 0 ? true : undefined));
    await clock.stop();
  });
});

it('opens one alert while a channel is disabled, and ends it when the channel serves again', async () => {
  const id = await channel('flaky', disabled);
  await set('RetryTimes', '1');
  const [alert] = await until(async () => ((await alerts()).items.length > 0 ? (await alerts()).items : undefined));
  expect(alert).toMatchObject({ kind: 'CHANNEL_DISABLED', channelId: id, channelName: 'flaky', endedAt: null });
  expect(alert?.reason).toBe('401 invalid key');

  // The failures go on, and no second alert is opened.
  await set('RetryTimes', '2');
  await site.graphql(root, 'mutation ($id: Int!) { enableChannel(id: $id) { channel { id } } }', { id });
  await until(async () => ((await alerts()).items[0]?.endedAt ? true : undefined));
  expect(await alerts()).toMatchObject({ totalCount: 1, unseenCount: 0 });
  expect(await alerts(root, { isOpen: true })).toMatchObject({ totalCount: 0 });

  const { openedAt = '' } = (await alerts()).items[0] ?? {};
  expect(await alerts(root, { opened: { from: openedAt } })).toMatchObject({ totalCount: 1 });
  expect(await alerts(root, { opened: { until: openedAt } })).toMatchObject({ totalCount: 0 });
  const backwards = { opened: { from: '2026-11-02T00:00:00Z', until: '2026-11-01T00:00:00Z' } };
  const refused = 'query ($filter: AlertFilter) { alerts(filter: $filter) { totalCount } }';
  expect((await site.graphql(root, refused, { filter: backwards })).text).toContain('"field":"filter.opened"');
});

it('counts what an admin has not seen, for each admin', async () => {
  await site.query(
    `INSERT INTO alerts (kind, channel_id, facts) VALUES ('ERROR_RATE', 8, '{}'), ('ERROR_RATE', 9, '{}')`,
  );
  const [newest] = (await alerts()).items;
  expect((await alerts()).unseenCount).toBe(2);
  const { data } = await site.graphql(
    root,
    'mutation ($until: Int!) { markAlertsSeen(until: $until) { unseenCount } }',
    {
      until: newest?.id,
    },
  );
  expect(data?.['markAlertsSeen']).toEqual({ unseenCount: 0 });
  // Marking alerts as seen up to an older id changes nothing.
  await site.graphql(root, 'mutation { markAlertsSeen(until: 0) { unseenCount } }');
  expect([(await alerts()).unseenCount, (await alerts(admin)).unseenCount]).toEqual([0, 2]);
});

it('does not mark alerts as seen that open later', async () => {
  await site.graphql(root, 'mutation { markAlertsSeen(until: 2147483647) { unseenCount } }');
  expect((await alerts()).unseenCount).toBe(0);
  const later = await channel('later', disabled);
  await set('RetryTimes', '3');
  await until(async () => ((await alerts()).items[0]?.channelId === later ? true : undefined));
  expect((await alerts()).unseenCount).toBe(1);
});

describe('messages', () => {
  beforeAll(async () => {
    // Messages of the alerts above would go to the targets below.
    await until(async () => ((await site.query('SELECT FROM notices')).length === 0 ? true : undefined));
    for (const [key, value] of Object.entries({
      SMTPServer: '127.0.0.1',
      SMTPPort: String(mail.port),
      SMTPAccount: mailAccount.user,
      SMTPToken: mailAccount.password,
      ServerAddress: 'https://gate.example',
      SystemName: 'Gate',
      'alerts.mail': 'ops@example.com,boss@example.com',
      'alerts.webhook_url': `${receiver.url}/hook`,
      'alerts.webhook_secret': 'hook-secret',
      'alerts.telegram_bot_token': '12:abc',
      'alerts.telegram_chat_id': '-100',
      'alerts.telegram_server': `${receiver.url}/tg`,
      'alerts.bark_url': `${receiver.url}/bark/device-key`,
    })) {
      await set(key, value);
    }
  });
  beforeEach(() => mail.reset());

  const callTo = (path: string) => until(() => receiver.calls.find(({ url }) => url.pathname === path));

  it('go to every target: mail, a signed webhook, Telegram and Bark, once', async () => {
    const id = await channel('paid', disabled);
    await set('RetryTimes', '3');
    const title = `Channel paid (#${id}) was disabled`;
    const hook = await callTo('/hook');
    const body = JSON.parse(hook.body) as Record<string, unknown>;
    expect(body).toMatchObject({
      type: 'alert_channel_disabled',
      title,
      values: [`paid (#${id})`, '401 invalid key'],
    });
    expect(body['content']).toBe(`The gateway has disabled channel paid (#${id}): 401 invalid key`);
    expect(hook.headers['x-webhook-signature']).toBe(
      createHmac('sha256', 'hook-secret').update(hook.body).digest('hex'),
    );
    expect(hook.headers['authorization']).toBe('Bearer hook-secret');

    const telegram = JSON.parse((await callTo('/tg/bot12:abc/sendMessage')).body) as { chat_id: string; text: string };
    expect(telegram.chat_id).toBe('-100');
    expect(telegram.text).toContain(title);
    expect(telegram.text).toContain('https://gate.example/alert');

    const bark = JSON.parse((await callTo('/bark/push')).body) as Record<string, unknown>;
    expect(bark).toMatchObject({ device_key: 'device-key', title, group: 'Gate', url: 'https://gate.example/alert' });

    const letter = await mail.mailTo('ops@example.com');
    expect(letter.subject).toBe(title);
    await mail.mailTo('boss@example.com');

    // The channel is enabled and disabled again within the hour: the alert is shown again, but not sent again.
    await site.graphql(root, 'mutation ($id: Int!) { enableChannel(id: $id) { channel { id } } }', { id });
    await until(async () => ((await alerts(root, { isOpen: true })).totalCount === 0 ? true : undefined));
    await site.query("UPDATE channels SET status = 'autoDisabled' WHERE id = $1", [id]);
    await set('RetryTimes', '4');
    await until(async () => ((await alerts(root, { isOpen: true })).totalCount === 1 ? true : undefined));
    const queued = await site.query('SELECT id FROM alert_messages WHERE due_at IS NOT NULL');
    expect([queued.length, receiver.calls.length]).toEqual([0, 3]);
  });

  it('are sent, and the other conditions checked, while one condition cannot be read', async () => {
    const broken = jest.spyOn(AlertConditions.prototype, 'lowBalances').mockRejectedValue(new Error('canceled'));
    try {
      const id = await channel('cut off', disabled);
      const rates = jest.spyOn(AlertConditions.prototype, 'errorRates');
      await set('RetryTimes', '7');
      const hook = await until(() => receiver.calls.find(({ url }) => url.pathname === '/hook'));
      expect(JSON.parse(hook.body)).toMatchObject({ title: `Channel cut off (#${id}) was disabled` });
      expect(rates).toHaveBeenCalled();
      expect(broken).toHaveBeenCalled();
    } finally {
      jest.restoreAllMocks();
    }
  });

  it('that fail are tried again, and the alert says why', async () => {
    receiver.answer = ({ url }) => ({ status: url.pathname === '/hook' ? 500 : 200 });
    await channel('broken', disabled);
    await set('RetryTimes', '5');
    const [failed] = await until(async () => {
      const found = (await alerts()).items[0]?.failedMessages ?? [];
      return found.length > 0 ? found : undefined;
    });
    expect(failed).toEqual({ target: 'WEBHOOK', error: 'webhook answered with status 500' });

    receiver.answer = () => ({});
    await site.query('UPDATE alert_messages SET due_at = now() WHERE due_at IS NOT NULL');
    await set('RetryTimes', '6');
    await until(async () => ((await alerts()).items[0]?.failedMessages.length === 0 ? true : undefined));
    const tries = await site.query('SELECT tries, due_at FROM alert_messages WHERE target = $1', ['WEBHOOK']);
    expect(tries).toEqual([{ tries: 2, due_at: null }]);
  });

  it('can be tried by root, and a failure has its reason', async () => {
    const test = (target: string, person = root) =>
      site.graphql(person, 'mutation ($target: AlertTarget!) { sendTestAlert(target: $target) { target } }', {
        target,
      });
    for (const target of ['MAIL', 'WEBHOOK', 'TELEGRAM', 'BARK']) {
      expect((await test(target)).data).toEqual({ sendTestAlert: { target } });
    }
    expect((await mail.mailTo('ops@example.com')).subject).toBe('Test message of Gate');
    expect(receiver.calls.map(({ url }) => url.pathname).sort()).toEqual([
      '/bark/push',
      '/hook',
      '/tg/bot12:abc/sendMessage',
    ]);
    receiver.answer = () => ({ status: 403 });
    const refused = await test('TELEGRAM');
    expect(refused.codes).toEqual(['UPSTREAM_UNREACHABLE']);
    expect(refused.text).toContain('Telegram answered with status 403');
    expect(refused.text).not.toContain('12:abc');
    expect((await test('MAIL', admin)).codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
    await set('alerts.bark_url', '');
    expect((await test('BARK')).codes).toEqual(['INVALID_INPUT']);
  });
});
