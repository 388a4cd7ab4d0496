import { createHmac } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { MemoryState } from '../../server/src/platform/cache/memory-state.js';
import { entities } from '../../server/src/compose/entities.js';
import { createDataSource } from '../../server/src/platform/db/data-source.js';
import type { Mail } from '../../server/src/platform/mail/mailer.js';
import { NoticeDelivery, type Notice, type Recipient } from '../../server/src/console/notifications/delivery.js';
import { NotificationService } from '../../server/src/console/notifications/notification.service.js';
import { defaultOptionValues } from '../../server/src/options/option-registry.js';
import { NoticeOutbox } from '../../server/src/console/notifications/notice-outbox.js';
import { type UserSetting, UserSettings } from '../../server/src/billing/accounts/index.js';
import type { GuardedRequest } from '../../server/src/platform/outbound/guarded-fetch.js';
import { Secrets } from '../../server/src/shared/secrets.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { mailAccount, startMailServer, type MailServer } from '../support/mail-server.js';
import { startScriptedServer, type ScriptedServer } from '../support/scripted-server.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { anywhere, Site, type Answer, type Person } from './site.js';

const until = async (holds: () => boolean): Promise<void> => {
  for (let tries = 0; tries < 2000 && !holds(); tries++) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(holds()).toBe(true);
};
const clock = { now: () => Date.parse('2026-11-20T10:59:58Z') };
const silent = { warn: () => undefined };
const settings = new UserSettings(new Secrets('encryption key of a test'));

describe('a site with calls, a mail server and a worker', () => {
  let site: Site;
  let root: Person;
  let user: Person;
  let key: string;
  let mail: MailServer;
  let worker: ScriptedServer;
  let upstream: Upstream;

  beforeAll(async () => {
    [mail, worker, upstream, site] = await Promise.all([
      startMailServer(),
      startScriptedServer(() => ({})),
      startUpstream(),
      Site.open({ OUTBOUND_ALLOW: '127.0.0.1' }),
    ]);
    root = await site.setUp();
    for (const [option, value] of Object.entries({
      SMTPServer: '127.0.0.1',
      SMTPPort: String(mail.port),
      SMTPAccount: mailAccount.user,
      SMTPToken: mailAccount.password,
      ServerAddress: 'https://gate.example',
    })) {
      await site.expectSuccess(root, 'PUT', '/api/option/', { key: option, value });
    }
    await site.expectSuccess(root, 'POST', '/api/channel/', {
      name: 'c',
      type: 1,
      key: 'sk-upstream',
      base_url: upstream.url,
      models: 'gpt-4o',
      group: 'default',
    });
  });
  beforeEach(async () => {
    mail.reset();
    worker.calls.length = 0;
    user = await site.invite(root);
    await site.expectSuccess(root, 'PUT', '/api/user/', { id: user.id, quota_delta: 1_000_000 });
    await site.query('UPDATE users SET email = $1 WHERE id = $2', [`${user.username}@example.com`, user.id]);
    await site.expectSuccess(user, 'POST', '/api/token/', { name: 't', unlimited_quota: true, expired_time: -1 });
    key = ((await site.rest(user, 'GET', '/api/token/?p=0')).body.data as Array<{ key: string }>)[0]?.key ?? '';
  });
  afterAll(() => Promise.all([site.stop(), mail.stop(), worker.stop(), upstream.stop()]));

  const setting = (body: object) =>
    site.expectSuccess(user, 'PUT', '/api/user/setting', {
      notify_type: 'email',
      quota_warning_threshold: 2_000_000,
      ...body,
    });
  const call = async (): Promise<void> => {
    const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] };
    const answer = await site.rest(null, 'POST', '/v1/chat/completions', body, { authorization: `Bearer sk-${key}` });
    expect(answer.status).toBe(200);
  };

  it('reports a sign-in from a browser that the account does not know, by mail', async () => {
    await site.query(`UPDATE users SET created_at = now() - interval '1 day' WHERE id = $1`, [user.id]);
    const { username, password } = user;
    const signIn = (headers: Record<string, string>): Promise<Answer> =>
      site.rest(null, 'POST', '/api/user/login', { username, password }, { ...anywhere(), ...headers });
    const first = await signIn({ 'user-agent': 'Browser <one>', 'x-forwarded-for': '10.9.8.7' });
    const letter = await mail.mailTo(`${username}@example.com`);
    expect(letter.subject).toContain('New sign-in');
    expect(letter.html).toContain('10.9.8.7');
    expect(letter.html).toContain('Browser &#60;one&#62;');

    mail.reset();
    const known =
      first.headers
        .getSetCookie()
        .find((cookie) => cookie.startsWith('known-browser='))
        ?.split(';')[0] ?? '';
    await signIn({ cookie: known });
    // A later notice has arrived, and no notice about the known browser came before it.
    await signIn({ 'user-agent': 'Browser two' });
    await until(() => mail.mails.length > 0);
    expect(mail.mails.filter(({ subject }) => subject.includes('New sign-in'))).toHaveLength(1);
  });

  it('warns by mail when the balance falls below the user’s threshold', async () => {
    await setting({});
    await call();
    const letter = await mail.mailTo(`${user.username}@example.com`);
    expect(letter.subject).toBe('Your quota is running out');
    expect(letter.html).toMatch(/\$1\.\d{6} quota is left/);
    expect(letter.html).toContain('href="https://gate.example/topup"');
  });

  it('writes to the address of the setting, once for twenty calls at once', async () => {
    // Each call reserves the price of the longest response, so twenty of them need a larger balance than other tests have.
    await site.expectSuccess(root, 'PUT', '/api/user/', { id: user.id, quota_delta: 9_000_000 });
    await setting({ notification_email: 'desk@example.com', quota_warning_threshold: 20_000_000 });
    await Promise.all(Array.from({ length: 20 }, call));
    await mail.mailTo('desk@example.com');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(mail.mails.filter(({ to }) => to.includes('desk@example.com'))).toHaveLength(1);
  });

  it('is silent above the threshold', async () => {
    await setting({ quota_warning_threshold: 10 });
    await call();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(mail.mails).toEqual([]);
  });

  it('calls the webhook through the worker, signed over its body', async () => {
    await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'WorkerUrl', value: worker.url });
    await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'WorkerValidKey', value: 'worker key' });
    await setting({ notify_type: 'webhook', webhook_url: 'https://hooks.example.com/a', webhook_secret: 'word' });
    await call();
    await until(() => worker.calls.length > 0);
    await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'WorkerUrl', value: '' });
    const sent = JSON.parse(worker.calls[0]?.body ?? '') as Record<string, unknown> & { body: object };
    expect(sent).toEqual({
      url: 'https://hooks.example.com/a',
      key: 'worker key',
      method: 'POST',
      body: expect.anything(),
      headers: {
        'content-type': 'application/json',
        authorization: 'Bearer word',
        'x-webhook-signature': createHmac('sha256', 'word').update(JSON.stringify(sent.body)).digest('hex'),
      },
    });
    expect(sent.body).toEqual({
      type: 'quota_exceed',
      title: 'Your quota is running out',
      timestamp: expect.any(Number),
      content: expect.stringMatching(/\$1\.\d{6} quota is left.*https:\/\/gate\.example\/topup$/),
      values: [expect.stringMatching(/^\$1\.\d{6} quota$/), 'https://gate.example/topup'],
    });
  });

  it('tells root when a channel goes out of service by itself, and when it comes back', async () => {
    await site.query(`UPDATE users SET email = 'root@example.com' WHERE id = $1`, [root.id]);
    await site.expectSuccess(root, 'PUT', '/api/user/self', { display_name: 'Root' });
    await site.expectSuccess(root, 'PUT', '/api/user/setting', { notify_type: 'email', quota_warning_threshold: 1 });
    await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'AutomaticDisableChannelEnabled', value: 'true' });
    upstream.script({}, (response) => {
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: 'Incorrect API key', code: 'invalid_api_key' } }));
    });
    const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] };
    await site.rest(null, 'POST', '/v1/chat/completions', body, { authorization: `Bearer sk-${key}` });
    const letter = await mail.mailTo('root@example.com');
    expect(letter.subject).toMatch(/^Channel \d+ was disabled automatically$/);
    upstream.reset();

    await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'AutomaticEnableChannelEnabled', value: 'true' });
    mail.reset();
    await site.expectSuccess(root, 'GET', '/api/channel/test');
    await until(() => mail.mails.length >= 2);
    expect(mail.mails.map(({ subject }) => subject).sort()).toEqual([
      letter.subject.replace('disabled', 'enabled'),
      'The channel test is complete',
    ]);
  });
});

describe('delivery', () => {
  const notice = {
    type: 't',
    title: 'Title',
    content: 'Left: {{value}}, go to {{value}}',
    values: ['<5>', 'https://x.yz'],
  };
  const recipient = (setting: Partial<UserSetting>): Recipient => ({
    id: 1,
    email: 'a@b.cd',
    setting: settings.read(settings.stored(setting)),
  });
  const webhook = { notifyType: 'webhook', webhookUrl: 'https://hooks.example.com/a', webhookSecret: 'word' } as const;

  function create(status = 200) {
    const requests: GuardedRequest[] = [];
    const mails: Mail[] = [];
    const delivery = new NoticeDelivery({
      mailer: { send: (letter) => Promise.resolve(void mails.push(letter)) },
      fetch: {
        fetch: (request) => {
          requests.push(request);
          return Promise.resolve({ status, headers: {}, body: Buffer.alloc(0), url: request.url });
        },
      },
      options: { values: defaultOptionValues() },
      clock,
      state: new MemoryState(),
    });
    return { delivery, requests, mails };
  }

  it('posts to public addresses only, with both forms of the secret, and fills the content', async () => {
    const { delivery, requests } = create();
    await delivery.deliver(recipient(webhook), notice);
    const [request] = requests;
    expect(request).toMatchObject({
      url: webhook.webhookUrl,
      policy: 'public-only',
      method: 'POST',
      timeoutMs: 5000,
      followRedirects: false,
    });
    expect(JSON.parse(String(request?.body))).toEqual({
      type: 't',
      title: 'Title',
      content: 'Left: <5>, go to https://x.yz',
      values: notice.values,
      timestamp: 1_795_172_398,
    });
    expect(request?.headers).toEqual({
      'content-type': 'application/json',
      authorization: 'Bearer word',
      'x-webhook-signature': createHmac('sha256', 'word').update(String(request?.body)).digest('hex'),
    });
  });

  it.each([199, 302, 404, 500])('takes the status %i for a failure', async (status) => {
    await expect(create(status).delivery.deliver(recipient(webhook), notice)).rejects.toThrow(String(status));
  });

  it('never leaves https, whatever an older console stored', async () => {
    const { delivery, requests } = create();
    const plain = recipient({ ...webhook, webhookUrl: 'http://hooks.example.com' });
    await expect(delivery.deliver(plain, notice)).rejects.toThrow('https');
    expect(requests).toEqual([]);
  });

  it('sends few mails to one address that its owner has not confirmed, whoever asks for it', async () => {
    const { delivery, mails } = create();
    for (let id = 1; id <= 20; id++) {
      const stranger = recipient({ notificationEmail: id % 2 ? 'stranger@example.com' : 'Stranger@Example.com' });
      await delivery.deliver({ ...stranger, id }, notice);
    }
    expect(mails).toHaveLength(6);
    // The account's address was confirmed, so it has no limit of mails.
    for (let count = 0; count < 8; count++) await delivery.deliver(recipient({ notificationEmail: 'a@b.cd' }), notice);
    expect(mails).toHaveLength(14);
  });

  it('counts each of several addresses, so that a second one hides none', async () => {
    const { delivery, mails } = create();
    for (let id = 1; id <= 20; id++) {
      const one = recipient({ notificationEmail: `stranger@example.com;n${id}` });
      await delivery.deliver({ ...one, id }, notice);
    }
    expect(mails.filter(({ to }) => to.includes('stranger'))).toHaveLength(6);
    await delivery.deliver(recipient({ notificationEmail: 'stranger@example.com; a@b.cd' }), notice);
    expect(mails.at(-1)?.to).toBe('a@b.cd');
  });

  it('escapes what it fills into a mail', async () => {
    const { delivery, mails } = create();
    await delivery.deliver(recipient({ notificationEmail: 'x@y.zz' }), notice);
    expect(mails).toEqual([
      {
        to: 'x@y.zz',
        subject: 'Title',
        html: '<p>Left: &#60;5&#62;, go to <a href="https://x.yz">https://x.yz</a></p>',
      },
    ]);
  });
});

describe('the outbox', () => {
  const notice: Notice = { type: 't', title: 'Title', content: '{{value}}', values: ['x'] };
  const [user, other] = [{ id: 1 }, { id: 2 }];
  // No server runs on this database, because it would deliver due notices.
  let database: TestDatabase;
  let dataSource: DataSource;
  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await createDataSource(database.url, 6, entities).initialize();
    await dataSource.query(`INSERT INTO users (id, username) VALUES (1, 'user'), (2, 'other')`);
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  /**
   * Creates a separate node whose attempts to deliver have these outcomes. False is a failure.
   * @param meanwhile runs during each attempt
   */
  function node(outcomes: boolean[], meanwhile: () => Promise<unknown> = () => Promise.resolve()) {
    const told: Array<[number, Notice]> = [];
    const outbox = new NoticeOutbox({
      database: dataSource,
      settings,
      logger: silent,
      pauses: [1, 1],
      delivery: {
        deliver: async ({ id }, { type, title, content, values }) => {
          told.push([id, { type, title, content, values }]);
          await meanwhile();
          if (outcomes[told.length - 1] === false) throw new Error('away');
        },
      },
    });
    return { outbox, told };
  }
  const rows = () => dataSource.query<Array<{ tries: number }>>('SELECT tries FROM notices');
  const empty = async (): Promise<void> => {
    for (let tries = 0; tries < 100 && (await rows()).length > 0; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(await rows()).toEqual([]);
  };

  it.each([
    ['arrives at once', [true], 1],
    ['arrives at the third try', [false, false, true], 3],
    ['is given up after the third try', [false, false, false, true], 3],
  ])('a notice %s', async (_what, outcomes, tries) => {
    const { outbox, told } = node(outcomes);
    await outbox.post(user.id, notice);
    await empty();
    await outbox.run();
    await outbox.stop();
    expect(told).toEqual(Array.from({ length: tries }, () => [user.id, notice]));
  });

  it('a node tries again by itself, however its timers and the clock of the database fall', async () => {
    for (let repeats = 0; repeats < 100; repeats++) {
      const { outbox, told } = node([false, false, true]);
      await outbox.post(user.id, notice);
      await empty();
      await outbox.stop();
      expect(told).toHaveLength(3);
    }
  });

  it('what a stopped node left is taken up by exactly one of the others', async () => {
    const first = node([false]);
    await first.outbox.post(user.id, notice);
    await first.outbox.stop();
    await new Promise((resolve) => setTimeout(resolve, 20));
    const others = Array.from({ length: 5 }, () => node([true]));
    await Promise.all(others.map(({ outbox }) => outbox.run()));
    expect(others.flatMap(({ told }) => told)).toEqual([[user.id, notice]]);
    await empty();
  });

  it('of a node that died while it tried, another takes over when the lease is over, until three tries are spent', async () => {
    const insert = `INSERT INTO notices (user_id, type, title, content, fillings, tries, due_at)
      VALUES ($1, 't', 'Title', '{{value}}', '["x"]', $2, now() + $3 * interval '1 second')`;
    const { outbox, told } = node([]);
    await dataSource.query(insert, [user.id, 1, 30]);
    await outbox.run();
    expect([told.length, (await rows()).length]).toEqual([0, 1]);
    await dataSource.query(`UPDATE notices SET due_at = now() - interval '1 second'`);
    await outbox.run();
    expect([told.length, (await rows()).length]).toEqual([1, 0]);
    await dataSource.query(insert, [user.id, 3, -1]);
    await outbox.run();
    expect([told.length, (await rows()).length]).toEqual([1, 0]);
  });

  it('reads where to at each try, and tells nobody who is gone', async () => {
    const leave = () => dataSource.query('UPDATE users SET deleted_at = now() WHERE id = $1', [other.id]);
    const { outbox, told } = node([false, true], leave);
    await outbox.post(other.id, notice);
    await empty();
    await outbox.stop();
    expect(told).toHaveLength(1);
  });
});

describe('the limit', () => {
  it('is two of a kind for a user, on however many nodes, in ten minutes', async () => {
    const state = new MemoryState();
    const posted: Array<[number, string]> = [];
    const node = () =>
      new NotificationService({
        database: { query: <T>() => Promise.resolve([] as T) },
        state,
        clock,
        logger: silent,
        limit: { count: 2, seconds: 600 },
        options: { values: defaultOptionValues() },
        outbox: {
          post: (userId, { type }) => Promise.resolve(void posted.push([userId, type])),
          postWithin: () => Promise.resolve(),
        },
      });
    const nodes = [node(), node(), node()];
    for (const one of nodes) one.ranLow(7, 999);
    await until(() => posted.length >= 2);
    await Promise.all(nodes.map((one) => one.stop()));
    expect(posted).toEqual(Array.from({ length: 2 }, () => [7, 'quota_exceed']));
    const another = node();
    another.ranLow(9, 999);
    await another.stop();
    expect(posted).toHaveLength(3);
    await state.close();
  });
});
