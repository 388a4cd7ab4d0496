import { optionBody } from '../../server/src/console/options/option.wire.js';
import * as userWire from '../../server/src/console/users/user.wire.js';
import { badValues, badValuesFor, leaks, savedState } from '../support/bad-values.js';
import { anywhere, Site, type Person } from './site.js';

let site: Site;
let root: Person;
let user: Person;
let target: Person;
beforeAll(async () => {
  site = await Site.open({ OUTBOUND_ALLOW: '127.0.0.1' });
  root = await site.setUp();
  [user, target] = [await site.invite(root), await site.invite(root)];
  await site.query(`UPDATE users SET email = 'somebody@example.com' WHERE id = $1`, [target.id]);
});
afterAll(() => site.stop());

const everything = async (): Promise<unknown> => (await site.query(savedState))[0];

type Body = Record<string, unknown>;
interface Endpoint {
  readonly method: string;
  readonly path: () => string;
  readonly body: () => Body;
  readonly as: () => Person | null;
}

const endpoints: Record<string, Endpoint> = {
  login: {
    method: 'POST',
    path: () => '/api/user/login',
    as: () => null,
    body: () => ({ username: user.username, password: 'wrong password' }),
  },
  register: {
    method: 'POST',
    path: () => '/api/user/register',
    as: () => null,
    body: () => ({ username: 'root', password: 'password 1', email: '', verification_code: '', aff_code: '' }),
  },
  reset: {
    method: 'POST',
    path: () => '/api/user/reset',
    as: () => null,
    body: () => ({ email: 'somebody@example.com', token: '0'.repeat(32) }),
  },
  setup: {
    method: 'POST',
    path: () => '/api/setup',
    as: () => null,
    body: () => ({ username: 'x', password: 'password 1', confirmPassword: 'password 1', SelfUseModeEnabled: true }),
  },
  self: {
    method: 'PUT',
    path: () => '/api/user/self',
    as: () => user,
    body: () => ({ username: user.username, display_name: 'x', original_password: 'wrong', password: '' }),
  },
  setting: {
    method: 'PUT',
    path: () => '/api/user/setting',
    as: () => user,
    body: () => ({
      notify_type: 'webhook',
      quota_warning_threshold: 5,
      webhook_url: 'https://x.example.com',
      webhook_secret: 'word',
      notification_email: 'a@b.cd',
      accept_unset_model_ratio_model: false,
      record_ip_log: false,
    }),
  },
  transfer: {
    method: 'POST',
    path: () => '/api/user/aff_transfer',
    as: () => user,
    body: () => ({ quota: 500_000 }),
  },
  create: {
    method: 'POST',
    path: () => '/api/user/',
    as: () => root,
    body: () => ({
      username: 'root',
      password: 'password 1',
      display_name: 'x',
      role: 1,
      group: 'default',
      external_id: 'C-1',
      balance: 5,
    }),
  },
  update: {
    method: 'PUT',
    path: () => '/api/user/',
    as: () => root,
    body: () => ({
      id: target.id,
      username: target.username,
      display_name: 'x',
      password: '',
      group: 'default',
      external_id: 'C-2',
      quota: 5,
      ungranted_quota: 5,
      role: 1,
    }),
  },
  delta: {
    method: 'PUT',
    path: () => '/api/user/',
    as: () => root,
    body: () => ({ id: target.id, quota_delta: 1 }),
  },
  manage: {
    method: 'POST',
    path: () => '/api/user/manage',
    as: () => root,
    body: () => ({ id: target.id, username: target.username, action: 'enable' }),
  },
  credit: {
    method: 'POST',
    path: () => '/api/topup',
    as: () => root,
    body: () => ({ user_id: target.id, quota: 1, remark: 'Order 1042' }),
  },
  option: {
    method: 'PUT',
    path: () => '/api/option/',
    as: () => root,
    body: () => ({ key: 'RetryTimes', value: '1' }),
  },
  prices: {
    method: 'PUT',
    path: () => '/api/option/',
    as: () => root,
    body: () => ({ key: 'GroupRatio', value: '{"default":1}' }),
  },
};

describe.each(Object.keys(endpoints).map((name, ordinal) => [name, ordinal] as const))('%s', (name, ordinal) => {
  const { method, path, body, as } = endpoints[name] as Endpoint;

  it('answers every bad field clearly, and saves nothing of what it refuses', async () => {
    for (const [index, field] of Object.keys(body()).entries()) {
      for (const [what, value] of badValuesFor(ordinal + index)) {
        const before = await everything();
        const answer = await site.rest(as(), method, path(), { ...body(), [field]: value }, anywhere());
        const said = { field, what, status: answer.status, body: answer.body };
        expect(said).toMatchObject({ body: { success: expect.any(Boolean) } });
        expect([said, answer.status < 500]).toEqual([said, true]);
        expect([said, leaks(JSON.stringify(answer.body))]).toEqual([said, false]);
        if (answer.body['success'] === true) continue;
        expect([said, String(answer.body['message']).trim().length > 0]).toEqual([said, true]);
        expect([said, await everything()]).toEqual([said, before]);
      }
    }
  });

  it.each(['', 'null', '[]', '5', '"x"', '{', '{"a":', '\0', `{"__proto__":{"role":100}}`])(
    'takes the body %j for what it is',
    async (text) => {
      const before = await everything();
      const answer = await site.rest(as(), method, path(), text, anywhere());
      expect([answer.status < 500, answer.body['success'] === true && name !== 'self']).toEqual([true, false]);
      expect(leaks(JSON.stringify(answer.body))).toBe(false);
      expect(await everything()).toEqual(before);
    },
  );
});

const queries: ReadonlyArray<readonly [string, ...string[]]> = [
  ['/api/verification', 'email', 'turnstile'],
  ['/api/reset_password', 'email'],
  ['/api/oauth/email/bind', 'email', 'code'],
  ['/api/oauth/wechat/bind', 'code'],
  ['/api/oauth/github', 'code', 'state'],
  ['/api/oauth/telegram/login', 'id', 'hash', 'auth_date'],
  ['/api/oauth/state', 'aff', 'provider'],
  ['/api/user/search', 'keyword', 'group', 'p', 'page_size'],
];

it.each(queries)('GET %s', async (path, ...fields) => {
  const fitting = badValues.filter(([, one]) => typeof one === 'string' || typeof one === 'number');
  for (const [ordinal, field] of fields.entries()) {
    for (const [what, value] of badValuesFor(ordinal + path.length, fitting)) {
      const query = new URLSearchParams({ [field]: String(value).slice(0, 3000) }).toString();
      const person = path === '/api/user/search' ? root : path.endsWith('bind') ? user : null;
      const headers = { ...anywhere(), ...(person ? {} : { 'veloera-user': '-1' }) };
      const answer = await site.rest(person, 'GET', `${path}?${query}`, undefined, headers);
      const said = { field, what, status: answer.status, body: answer.body };
      expect([said, answer.status < 500, leaks(JSON.stringify(answer.body))]).toEqual([said, true, false]);
    }
  }
});

it('every field that a body of an account may have is tried', () => {
  const shapes = {
    login: userWire.loginBody,
    self: userWire.selfBody.in,
    setting: userWire.settingBody.in,
    create: userWire.createBody.in,
    update: userWire.updateBody.in,
    manage: userWire.manageBody,
    option: optionBody,
  };
  for (const [name, schema] of Object.entries(shapes)) {
    const tried = Object.keys({ ...endpoints[name]?.body(), ...(name === 'update' ? endpoints['delta']?.body() : {}) });
    expect([name, tried.sort()]).toEqual([name, Object.keys(schema.shape).sort()]);
  }
});
