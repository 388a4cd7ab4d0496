import { setTimeout } from 'node:timers/promises';
import { reconcile } from '../../server/src/billing/ledger/reconcile.js';
import { poolOf } from '../../server/src/platform/db/data-source.js';
import { Site, type Person } from './site.js';

let site: Site;
let root: Person;
let user: Person;
beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
});
beforeEach(async () => (user = await site.invite(root)));
afterAll(async () => {
  expect(await reconcile(poolOf(site.dataSource))).toEqual([]);
  await site.stop();
});

const option = (key: string, value: string) => site.expectSuccess(root, 'PUT', '/api/option/', { key, value });
const row = async (): Promise<Record<string, string>> =>
  (await site.query<Record<string, string>>('SELECT * FROM users WHERE id = $1', [user.id]))[0] ?? {};
const times = <T>(count: number, run: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, run));

describe('check-in', () => {
  const checkIn = () => site.rest(user, 'POST', '/api/user/check_in');
  beforeEach(async () => {
    await option('CheckInEnabled', 'true');
    await option('CheckInQuota', '1000');
    await option('CheckInMaxQuota', '0');
  });

  it('pays once a day and says "already" after that', async () => {
    const status = () => site.rest(user, 'GET', '/api/user/check_in_status');
    expect((await status()).body).toEqual({ success: true, message: '', data: { can_check_in: true } });
    expect((await checkIn()).body).toEqual({ success: true, message: 'Check-in succeeded', data: { quota: 1000 } });
    expect((await status()).body.data).toEqual({ can_check_in: false });
    expect((await checkIn()).body).toMatchObject({ success: false, message: 'You have already checked in today' });
    expect((await row())['quota']).toBe('1000');
    const [log] = await site.query('SELECT type, username, content, quota FROM logs WHERE user_id = $1 AND type = 5', [
      user.id,
    ]);
    expect(log).toEqual({
      type: 5,
      username: user.username,
      content: 'Check-in reward $0.002000 quota',
      quota: '1000',
    });
  });

  it('pays again on the next day, by UTC', async () => {
    await checkIn();
    await site.query(
      `UPDATE users SET last_check_in_time = date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'
      - interval '1 second' WHERE id = $1`,
      [user.id],
    );
    await site.query(`UPDATE ledger_entries SET source = source || ':yesterday' WHERE user_id = $1`, [user.id]);
    expect((await checkIn()).body).toMatchObject({ success: true });
    expect((await row())['quota']).toBe('2000');
  });

  it('of fifty at once one is paid', async () => {
    const answers = await times(50, checkIn);
    expect(answers.filter(({ body }) => body['success'] === true)).toHaveLength(1);
    for (const { body } of answers.filter((answer) => answer.body['success'] === false)) {
      expect(body['message']).toContain('already');
    }
    expect((await row())['quota']).toBe('1000');
  });

  it('draws between the two bounds', async () => {
    await option('CheckInMaxQuota', '1002');
    const { data } = await site.graphql(user, 'mutation { checkIn { quota } }');
    expect([1000, 1001, 1002]).toContain((data?.['checkIn'] as { quota: number }).quota);
    expect((await site.graphql(user, 'mutation { checkIn { quota } }')).codes).toEqual(['CONFLICT']);
    expect((await site.graphql(user, 'query { canCheckIn }')).data).toEqual({ canCheckIn: false });
  });

  it('needs to be switched on and to have a reward', async () => {
    await option('CheckInQuota', '0');
    expect((await checkIn()).body['message']).toBe('Check-in quota misconfigured');
    await option('CheckInEnabled', 'false');
    expect((await checkIn()).body['message']).toBe('Check-in is not enabled');
    expect((await site.rest(user, 'GET', '/api/user/check_in_status')).body.data).toEqual({ can_check_in: true });
    expect((await row())['last_check_in_time']).toBeNull();
  });
});

describe('invite earnings', () => {
  const transfer = (quota: unknown) => site.rest(user, 'POST', '/api/user/aff_transfer', { quota });
  beforeEach(async () => {
    await site.query(`SELECT ledger_post($1, 'invite', 'affiliate', $2, 0, 1600000, 0, '', NULL)`, [
      `test:${user.id}`,
      user.id,
    ]);
  });

  it('move to the balance in one step', async () => {
    expect((await transfer(600_000)).body).toEqual({ success: true, message: 'Transfer succeeded' });
    expect(await row()).toMatchObject({ quota: '600000', aff_quota: '1000000', aff_history_quota: '1600000' });
    const [log] = await site.query('SELECT content, quota FROM logs WHERE user_id = $1 AND type = 4', [user.id]);
    expect(log).toEqual({ content: 'Transferred $1.200000 quota of invite earnings to the balance', quota: '600000' });
  });

  it.each([
    [0, 'Invalid parameter'],
    [-600_000, 'Transfer failed, minimum is $1.000000 quota'],
    [499_999, 'Transfer failed, minimum is $1.000000 quota'],
    [1_600_001, 'Transfer failed, insufficient invite quota'],
    ['600000', 'Invalid parameter: quota: Invalid input: expected number, received string'],
    [1e300, expect.stringContaining('Invalid parameter')],
    [600_000.5, expect.stringContaining('Invalid parameter')],
  ])('refuse %s', async (quota, message) => {
    expect((await transfer(quota)).body).toMatchObject({ success: false, message });
    expect(await row()).toMatchObject({ quota: '0', aff_quota: '1600000' });
  });

  it('of fifty at once as many succeed as there is for', async () => {
    const answers = await times(50, () => transfer(500_000));
    expect(answers.filter(({ body }) => body['success'] === true)).toHaveLength(3);
    expect(await row()).toMatchObject({ quota: '1500000', aff_quota: '100000' });
  });

  describe('over GraphQL', () => {
    const send = (quota: number, idempotencyKey: string) =>
      site.graphql(
        user,
        `mutation ($input: TransferInviteQuotaInput!) {
           transferInviteQuota(input: $input) { replayed user { quota invite { quota } } }
         }`,
        { input: { quota, idempotencyKey } },
      );

    it('return the user as they are now', async () => {
      expect((await send(500_000, 'a')).data).toEqual({
        transferInviteQuota: { replayed: false, user: { quota: 500_000, invite: { quota: 1_100_000 } } },
      });
      expect((await send(2_000_000, 'b')).codes).toEqual(['INSUFFICIENT_QUOTA']);
    });

    it('move once for each idempotency key, however often and at once it is sent', async () => {
      const answers = await times(10, () => send(500_000, 'once'));
      const replayed = answers.map(({ data }) => (data?.['transferInviteQuota'] as { replayed: boolean }).replayed);
      expect(replayed.filter((again) => !again)).toHaveLength(1);
      expect(await row()).toMatchObject({ quota: '500000', aff_quota: '1100000' });
      expect((await send(600_000, 'once')).codes).toEqual(['CONFLICT']);
      expect((await send(500_000, '')).codes).toEqual(['INVALID_INPUT']);
      // A failed transfer leaves its key free.
      expect((await send(1_500_000, 'later')).codes).toEqual(['INSUFFICIENT_QUOTA']);
      await site.query(`SELECT ledger_post($1, 'invite', 'affiliate', $2, 0, 1600000, 0, '', NULL)`, [
        `test:more:${user.id}`,
        user.id,
      ]);
      expect((await send(1_500_000, 'later')).data).toMatchObject({ transferInviteQuota: { replayed: false } });
      expect(await row()).toMatchObject({ quota: '2000000', aff_quota: '1200000' });
    });
  });
});

describe('the invite code', () => {
  it('is the one there is, and is made when there is none', async () => {
    const code = async () => (await site.rest(user, 'GET', '/api/user/aff')).body.data;
    const first = await code();
    expect(first).toBe((await row())['aff_code']);
    await site.query('UPDATE users SET aff_code = NULL WHERE id = $1', [user.id]);
    const made = await times(10, code);
    expect(made[0]).toMatch(/^\w{6}$/);
    expect(new Set(made).size).toBe(1);
    expect((await site.graphql(user, 'query { inviteCode }')).data).toEqual({ inviteCode: made[0] });
  });
});

describe('PUT /api/user/setting', () => {
  const put = (body: unknown) => site.rest(user, 'PUT', '/api/user/setting', body);
  const stored = async (): Promise<unknown> => {
    const { setting } = (await site.rest(user, 'GET', '/api/user/self')).body.data as { setting: string };
    return setting === '' ? null : JSON.parse(setting);
  };
  const webhook = { notify_type: 'webhook', quota_warning_threshold: 5, webhook_url: 'https://hooks.example.com/a' };

  it('stores what applies and replaces the rest', async () => {
    expect((await put({ ...webhook, webhook_secret: 'word', notification_email: 'a@b.cd' })).body).toEqual({
      success: true,
      message: 'Settings updated',
    });
    expect(await stored()).toEqual({ ...webhook, webhook_secret: 'word', accept_unset_model_ratio_model: false });
    await put({
      notify_type: 'email',
      quota_warning_threshold: 100_000,
      notification_email: 'a@b.cd',
      webhook_url: 'https://x.example',
      accept_unset_model_ratio_model: true,
    });
    expect(await stored()).toEqual({
      notify_type: 'email',
      quota_warning_threshold: 100_000,
      notification_email: 'a@b.cd',
      accept_unset_model_ratio_model: true,
    });
  });

  it.each([
    [{}, 'Invalid notification type'],
    [{ notify_type: 'sms', quota_warning_threshold: 0 }, 'Invalid notification type'],
    [{ notify_type: 'email', quota_warning_threshold: 0 }, 'Threshold must be above 0'],
    [{ notify_type: 'email', quota_warning_threshold: -1 }, 'Threshold must be above 0'],
    [{ notify_type: 'email', quota_warning_threshold: 1e17 }, 'Threshold must be at most 9000000000000000'],
    [{ notify_type: 'email', quota_warning_threshold: 1, notification_email: 'nobody' }, 'Invalid e-mail address'],
    [{ ...webhook, webhook_url: ' ' }, 'Webhook URL must not be empty'],
    [{ ...webhook, webhook_url: 'hooks' }, 'Invalid webhook URL'],
    [{ ...webhook, webhook_url: 'http://hooks.example.com' }, 'Invalid webhook URL: it must begin with https://'],
    [{ ...webhook, webhook_secret: 'two\r\nlines' }, 'Webhook secret must be printable ASCII without spaces'],
  ])('refuses %j', async (body, message) => {
    expect((await put(body)).body).toMatchObject({ success: false, message });
    expect(await stored()).toBeNull();
  });

  it('leaves the rest of the row alone', async () => {
    const before = await row();
    await put(webhook);
    expect(await row()).toEqual({ ...before, setting: expect.any(Object) });
  });

  it('seals the secret at rest', async () => {
    await put({ ...webhook, webhook_secret: 'planted-word' });
    expect(JSON.stringify(await row())).not.toContain('planted-word');
    expect(await stored()).toMatchObject({ webhook_secret: 'planted-word' });
  });

  it('GraphQL changes what is given, keeps the secret and never shows it', async () => {
    const update = (input: string) =>
      site.graphql(
        user,
        `mutation { updateMySetting(input: ${input}) { setting { hasWebhookSecret webhookUrl notifyType } } }`,
      );
    const shown = async (input: string) => (await update(input)).data?.['updateMySetting'];
    const common = 'notifyType: WEBHOOK, quotaWarningThreshold: 5, webhookUrl: "https://hooks.example.com/a"';
    const signed = { setting: { hasWebhookSecret: true } };
    expect(await shown(`{ ${common}, webhookSecret: "word" }`)).toMatchObject(signed);
    expect(await shown(`{ ${common} }`)).toMatchObject(signed);
    expect(await shown(`{ ${common}, webhookSecret: null }`)).toMatchObject({ setting: { hasWebhookSecret: false } });
    const fields = 'notifyType quotaWarningThreshold webhookUrl notificationEmail acceptsUnpricedModels';
    const read = async () => (await site.graphql(user, `{ mySetting { ${fields} } }`)).data?.['mySetting'];
    const before = {
      notifyType: 'WEBHOOK',
      quotaWarningThreshold: 5,
      webhookUrl: 'https://hooks.example.com/a',
      notificationEmail: null,
      acceptsUnpricedModels: false,
    };
    expect(await read()).toEqual(before);
    // Absent fields stay as they are, null clears.
    await update('{ acceptsUnpricedModels: true }');
    expect(await read()).toEqual({ ...before, acceptsUnpricedModels: true });
    await update('{ quotaWarningThreshold: null }');
    expect(await read()).toEqual({ ...before, acceptsUnpricedModels: true, quotaWarningThreshold: null });
    await update('{ notifyType: EMAIL, notificationEmail: "to@example.com" }');
    expect(await read()).toMatchObject({ notifyType: 'EMAIL', notificationEmail: 'to@example.com', webhookUrl: null });
    expect((await update('{ acceptsUnpricedModels: null }')).codes).toEqual(['INVALID_INPUT']);
    expect((await update('{ notifyType: WEBHOOK }')).codes).toEqual(['INVALID_INPUT']);
  });

  describe('display choices', () => {
    const update = (input: string) =>
      site.graphql(user, `mutation { updateMySetting(input: ${input}) { setting { displayCurrency timeZone } } }`);
    const read = async () =>
      (await site.graphql(user, '{ mySetting { displayCurrency timeZone } }')).data?.['mySetting'];

    it('are none at first, are saved one by one, and cleared by null', async () => {
      expect(await read()).toEqual({ displayCurrency: null, timeZone: null });
      await update('{ displayCurrency: LOCAL }');
      await update('{ timeZone: "Asia/Shanghai" }');
      expect(await read()).toEqual({ displayCurrency: 'LOCAL', timeZone: 'Asia/Shanghai' });
      expect((await site.graphql(user, '{ me { setting { timeZone } } }')).data).toEqual({
        me: { setting: { timeZone: 'Asia/Shanghai' } },
      });
      await update('{ displayCurrency: USD, timeZone: null }');
      expect(await read()).toEqual({ displayCurrency: 'USD', timeZone: null });
      await update('{ displayCurrency: null }');
      expect(await read()).toEqual({ displayCurrency: null, timeZone: null });
    });

    it('are both kept when two windows save them at once', async () => {
      const connection = site.dataSource.createQueryRunner();
      await connection.startTransaction();
      await connection.query('SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE', [user.id]);
      const answers = [update('{ displayCurrency: LOCAL }'), update('{ timeZone: "Asia/Shanghai" }')];
      await waitingForLocks(answers.length);
      await connection.commitTransaction();
      await connection.release();
      await Promise.all(answers);
      expect(await read()).toEqual({ displayCurrency: 'LOCAL', timeZone: 'Asia/Shanghai' });
    });

    it.each(['Mars/Olympus', '+08:00', '', `A${'/a'.repeat(40)}`])('refuse the zone %j', async (zone) => {
      const { codes, text } = await update(`{ timeZone: ${JSON.stringify(zone)} }`);
      expect(codes).toEqual(['INVALID_INPUT']);
      expect(JSON.parse(text)).toMatchObject({ errors: [{ extensions: { field: 'timeZone' } }] });
      expect(await read()).toEqual({ displayCurrency: null, timeZone: null });
    });

    it('refuse a currency that is not offered', async () => {
      expect((await update('{ displayCurrency: EUR }')).codes).not.toEqual([]);
      expect(await read()).toEqual({ displayCurrency: null, timeZone: null });
    });

    it('stay when an older client replaces the setting over REST, and are no field of that route', async () => {
      await update('{ displayCurrency: LOCAL, timeZone: "America/New_York" }');
      await put({ ...webhook, display_currency: 'usd', time_zone: 'UTC' });
      expect(await read()).toEqual({ displayCurrency: 'LOCAL', timeZone: 'America/New_York' });
      expect(await stored()).toEqual({
        ...webhook,
        accept_unset_model_ratio_model: false,
        display_currency: 'local',
        time_zone: 'America/New_York',
      });
      await update('{ notifyType: EMAIL }');
      expect(await read()).toEqual({ displayCurrency: 'LOCAL', timeZone: 'America/New_York' });
    });
  });
});

describe('own sessions', () => {
  const list = async (person: Person) => {
    const { data } = await site.graphql(person, '{ mySessions { id ip userAgent isCurrent createdAt } }');
    return data?.['mySessions'] as Array<{ id: string; isCurrent: boolean; ip: string }>;
  };

  it('are listed and revoked one by one', async () => {
    const other = await site.signIn(user.username, user.password);
    const sessions = await list(user);
    expect(sessions).toHaveLength(2);
    expect(sessions.filter(({ isCurrent }) => isCurrent)).toHaveLength(1);
    expect(sessions[0]?.ip).toMatch(/^10\./);
    const id = sessions.find(({ isCurrent }) => !isCurrent)?.id;
    const answer = await site.graphql(user, 'mutation ($id: ID!) { revokeSession(id: $id) { id } }', { id });
    expect(answer.data).toEqual({ revokeSession: { id } });
    expect((await site.rest(other, 'GET', '/api/user/self')).status).toBe(401);
    expect((await site.rest(user, 'GET', '/api/user/self')).status).toBe(200);
  });

  it('all others end at once', async () => {
    const others = await times(3, () => site.signIn(user.username, user.password));
    expect((await site.graphql(user, 'mutation { revokeOtherSessions { count } }')).data).toEqual({
      revokeOtherSessions: { count: 3 },
    });
    for (const other of others) expect((await site.rest(other, 'GET', '/api/user/self')).status).toBe(401);
    expect(await list(user)).toHaveLength(1);
  });

  it('nobody ends somebody else’s', async () => {
    const [mine] = await list(user);
    const revoke = (person: Person, id?: string) =>
      site.graphql(person, 'mutation ($id: ID!) { revokeSession(id: $id) { id } }', { id });
    expect((await revoke(root, mine?.id)).codes).toEqual(['NOT_FOUND']);
    expect((await revoke(user, 'no such session')).codes).toEqual(['NOT_FOUND']);
    expect(await list(user)).toHaveLength(1);
  });

  it('are not listed once they are over', async () => {
    const other = await site.signIn(user.username, user.password);
    await site.query(
      `UPDATE sessions SET expires_at = now() - interval '1 second' WHERE user_id = $1
         AND id_hash <> (SELECT id_hash FROM sessions WHERE user_id = $1 ORDER BY created_at LIMIT 1)`,
      [user.id],
    );
    expect((await site.rest(other, 'GET', '/api/user/self')).status).toBe(401);
    expect(await list(user)).toHaveLength(1);
  });
});

it('says whether the account has a password, and sets a first one without an old one', async () => {
  const stranger = await site.invite(root);
  const has = async () => (await site.graphql(stranger, '{ hasPassword }')).data;
  expect(await has()).toEqual({ hasPassword: true });
  await site.query('UPDATE users SET password_hash = NULL WHERE id = $1', [stranger.id]);
  expect(await has()).toEqual({ hasPassword: false });
  const document = 'mutation { updateMe(input: { password: "the first password" }) { user { id } } }';
  expect((await site.graphql(stranger, document)).codes).toEqual([]);
  expect(await has()).toEqual({ hasPassword: true });
  await site.signIn(stranger.username, 'the first password');
});

/** Resolves once `count` statements wait for locks. */
async function waitingForLocks(count: number): Promise<void> {
  for (;;) {
    const rows = await site.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    if (rows.length >= count) return;
    await setTimeout(20);
  }
}
