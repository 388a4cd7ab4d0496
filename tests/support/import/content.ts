import bcrypt from 'bcrypt';
import { SoftwareAuthenticator } from '../software-authenticator.js';
import { toOneHub } from './one-hub.js';
import type { Family } from './schemas.js';

export type Row = Readonly<Record<string, unknown>>;

/** The rows of a source, and the expectations of a test, which are collected apart from the rows. */
export interface Content {
  readonly tables: ReadonlyMap<string, Row[]>;
  /** Users with a password that signs in. */
  readonly people: ReadonlyArray<{ readonly id: number; readonly username: string; readonly password: string }>;
  /** Keys as clients send them, that must make a call. */
  readonly keys: readonly string[];
  readonly balances: ReadonlyMap<number, number>;
  readonly tokenBalances: ReadonlyMap<number, number>;
}

export interface ContentOptions {
  readonly family: Family;
  /** Base URL of a provider in OpenAI's dialect. */
  readonly upstream: string;
  readonly logs?: number;
  /** Unix seconds of the newest log row. */
  readonly now: number;
}

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const users = 30;
const tokens = 60;
const channels = 25;

/** Numbers that are the same in every run. */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const text = (next: (below: number) => number, length: number): string =>
  Array.from({ length }, () => letters[next(letters.length)]).join('');

/** Second factors of a new-api site, as their owners hold them. */
export const factors = {
  /** The secret in the authenticator app of user 2. */
  secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  appUser: 2,
  /** Backup codes of user 2 that were not used. */
  backupCodes: ['AB12-CD34', 'ZZ99-YY88'],
  usedBackupCode: 'QQ11-WW22',
  /** The passkey of user 5, who signs in with a password too. */
  passkeyUser: 5,
  passkey: new SoftwareAuthenticator('https://gate.example', 41),
} as const;

function addFactors(tables: Map<string, Row[]>): void {
  const made = '2025-03-04 05:06:07';
  tables.set('two_fas', [
    { id: 1, user_id: factors.appUser, secret: factors.secret, is_enabled: 1, created_at: made, deleted_at: null },
    // This setup was begun and never confirmed.
    {
      id: 2,
      user_id: 3,
      secret: 'KRSXG5CTMVRXEZLUKRSXG5CTMVRXEZLU',
      is_enabled: 0,
      created_at: made,
      deleted_at: null,
    },
  ]);
  tables.set(
    'two_fa_backup_codes',
    [...factors.backupCodes, factors.usedBackupCode].map((code, index) => ({
      id: index + 1,
      user_id: factors.appUser,
      code_hash: bcrypt.hashSync(code, 4),
      is_used: code === factors.usedBackupCode ? 1 : 0,
      created_at: made,
    })),
  );
  const { id, publicKey } = factors.passkey;
  tables.set('passkey_credentials', [
    {
      id: 1,
      user_id: factors.passkeyUser,
      credential_id: id.toString('base64'),
      public_key: publicKey.toString('base64'),
      sign_count: 41,
      user_present: 1,
      user_verified: 1,
      backup_eligible: 0,
      backup_state: 0,
      transports: '["internal","hybrid"]',
      created_at: made,
    },
  ]);
}

/** A site with 30 users, 60 keys, 25 channels, codes, orders, invites, check-ins, and every pitfall once. */
export function makeContent({ family, upstream, now, logs = 10_000 }: ContentOptions): Content {
  if (family === 'one-hub') return toOneHub(makeContent({ family: 'one-api', upstream, now, logs }), now);
  const next = generator(7);
  const has = { reseller: family !== 'one-api', newApi: family === 'new-api', veloera: family === 'veloera' };
  const tables = new Map<string, Row[]>();
  const balances = new Map<number, number>();
  const people: Array<{ id: number; username: string; password: string }> = [];
  tables.set(
    'users',
    Array.from({ length: users }, (_, index) => {
      const id = index + 1;
      const username = `user${String(id).padStart(2, '0')}`;
      const password = `password of ${username}`;
      const hasPassword = id !== 7 && id !== 8;
      const quota = id === 6 ? -1234 : 1_000_000 * id + next(999);
      balances.set(id, quota);
      const isDeleted = has.reseller && id === 9;
      // A password alone does not sign in a user with an authenticator app.
      const hasApp = has.newApi && id === factors.appUser;
      if (hasPassword && !isDeleted && !hasApp && id !== 12) people.push({ id, username, password });
      return {
        id,
        username,
        password: hasPassword ? bcrypt.hashSync(password, 4) : '',
        display_name: `User ${id}`,
        role: id === 1 || id === 5 ? 100 : id === 2 ? 10 : 1,
        status: id === 12 ? 2 : 1,
        // Users 3 and 4 have one address, in different cases.
        email: id === 3 ? 'Same@example.com' : id === 4 ? 'same@example.com' : `${username}@example.com`,
        github_id: id === 7 ? 'octocat' : '',
        wechat_id: '',
        oidc_id: '',
        access_token: id === 2 ? text(next, 32) : '',
        quota,
        used_quota: id === 10 ? -50 : 5_000 * id,
        request_count: 10 * id,
        group: id % 3 === 0 ? 'vip' : 'default',
        aff_code: `AF${id}`,
        inviter_id: id > 20 ? 1 : 0,
        ...(has.reseller
          ? {
              aff_count: id === 1 ? 10 : 0,
              aff_quota: id === 1 ? 777 : 0,
              aff_history: id === 1 ? 999 : 0,
              telegram_id: '',
              linux_do_id: '',
              deleted_at: isDeleted ? '2025-06-01 10:11:12' : null,
              setting:
                id === 3
                  ? JSON.stringify({ notify_type: 'webhook', webhook_url: 'https://h.example', webhook_secret: 'hush' })
                  : '',
            }
          : { lark_id: id === 8 ? 'lark-8' : '' }),
        ...(has.veloera ? { last_check_in_time: id === 11 ? '2025-06-01 08:00:00' : null } : {}),
        ...(has.newApi ? { discord_id: '', created_at: 1_700_000_000 + id, last_login_at: 0 } : {}),
      };
    }),
  );

  const tokenBalances = new Map<number, number>();
  const keys: string[] = [];
  tables.set(
    'tokens',
    Array.from({ length: tokens }, (_, index) => {
      const id = index + 1;
      const userId = 1 + (index % users);
      // The newest new-api also has keys of other lengths.
      const key = text(next, has.newApi && id % 10 === 0 ? 60 : 48);
      const remain = 100_000 * id + next(99);
      tokenBalances.set(id, remain);
      const isUsable = ![6, 12].includes(userId) && !(has.reseller && userId === 9) && id % 20 !== 0;
      if (isUsable) keys.push(`sk-${key}`);
      return {
        id,
        user_id: userId,
        key,
        status: id % 20 === 0 ? 2 : 1,
        name: `key ${id}`,
        created_time: now - 9_000_000,
        accessed_time: now - 1000,
        expired_time: -1,
        remain_quota: remain,
        unlimited_quota: id % 4 === 0 ? 1 : 0,
        used_quota: 300 * id,
        ...(has.reseller
          ? {
              model_limits_enabled: id % 5 === 0 ? 1 : 0,
              model_limits: id % 5 === 0 ? 'gpt-4o, gpt-4o-mini' : '',
              allow_ips: id === 2 ? '127.0.0.1\n10.0.0.0/8' : '',
              group: has.newApi && id === 3 ? 'auto' : '',
            }
          : { models: id % 5 === 0 ? 'gpt-4o,gpt-4o-mini' : null, subnet: id === 2 ? '127.0.0.1/32,10.0.0.0/8' : '' }),
      };
    }),
  );

  const types = family === 'one-api' ? [1, 28, 29, 34, 36, 33, 42, 24, 14, 2] : [1, 42, 25, 43, 34, 24, 14, 20, 31, 10];
  tables.set(
    'channels',
    Array.from({ length: channels }, (_, index) => {
      const id = index + 1;
      const type = id === 1 ? 1 : (types[index % types.length] ?? 1);
      return {
        id,
        type: has.newApi && id === 5 ? 57 : type,
        key: id === 4 ? 'sk-one\nsk-two\nsk-three' : `sk-up-${id}`,
        status: id === 1 || id > 20 ? 1 : 2,
        name: `channel ${id}`,
        weight: id % 3,
        created_time: now - 9_000_000,
        test_time: 0,
        response_time: 12,
        base_url: id === 1 ? upstream : id > 20 ? `${upstream}/other` : '',
        other: '',
        balance: 1.5,
        models: id === 1 ? 'gpt-4o,gpt-4o-mini' : 'gpt-4o-mini',
        group: 'default,vip',
        used_quota: 4_000 * id,
        model_mapping: '',
        priority: id === 1 ? 10 : 0,
        balance_updated_time: 0,
        ...(has.reseller
          ? {
              auto_ban: 1,
              tag: id > 20 ? 'group' : '',
              setting: id === 3 ? '{"proxy":"socks5://127.0.0.1:9"}' : '',
              param_override: '',
            }
          : { config: id === 6 ? '{"ak":"AK","sk":"SK","region":"us-east-1"}' : '', system_prompt: '' }),
        ...(has.newApi
          ? {
              header_override: '',
              settings: '',
              remark: 'r',
              channel_info:
                id === 4 ? { is_multi_key: true, multi_key_size: 3, multi_key_status_list: { '1': 2 } } : {},
            }
          : {}),
      };
    }),
  );
  tables.set('logs', makeLogs(family, logs, now, next));
  addRest(tables, family, now, next);
  return { tables, people, keys, balances, tokenBalances };
}

/** Prices that the options below have: USD 2 per million at ratio 1. */
const ratios: Readonly<Record<string, readonly [number, number]>> = { 'gpt-4o': [1.25, 4], 'gpt-4o-mini': [0.075, 4] };

/** Writes charges as the old programs computed them: one-api rounds up, all others to the nearest unit. */
function makeLogs(family: Family, count: number, now: number, next: (below: number) => number): Row[] {
  const days = 40;
  return Array.from({ length: count }, (_, index) => {
    const userId = 1 + (index % users);
    const model = index % 3 === 0 ? 'gpt-4o' : 'gpt-4o-mini';
    const [ratio, completionRatio] = ratios[model] ?? [1, 1];
    const [prompt, completion] = [10 + next(3000), next(900)];
    const exact = (prompt + completion * completionRatio) * ratio;
    const kind = index % 50;
    const type = kind === 7 ? 1 : kind === 9 ? 4 : kind === 11 ? 5 : kind === 13 && family === 'new-api' ? 6 : 2;
    const quota = type === 2 ? (family === 'one-api' ? Math.ceil(exact) : Math.round(exact)) : 0;
    const other = { model_ratio: ratio, completion_ratio: completionRatio, group_ratio: 1, model_price: -1, frt: 300 };
    return {
      id: index + 1,
      user_id: userId,
      created_at: now - Math.floor(((count - index) * days * 86_400) / count),
      type,
      content: type === 2 ? 'ratios' : `event ${index}`,
      username: `user${String(userId).padStart(2, '0')}`,
      token_name: `key ${userId}`,
      model_name: type === 2 ? model : '',
      quota,
      prompt_tokens: type === 2 ? prompt : 0,
      completion_tokens: type === 2 ? completion : 0,
      channel_id: 1,
      is_stream: index % 2,
      ...(family === 'one-api'
        ? { request_id: `old${index}`, elapsed_time: 1000 + next(9000) }
        : {
            use_time: 1 + next(9),
            token_id: userId,
            group: 'default',
            other: type === 2 ? JSON.stringify(other) : '',
          }),
      ...(family === 'new-api' ? { ip: '203.0.113.7', request_id: '' } : {}),
    };
  });
}

function addRest(tables: Map<string, Row[]>, family: Family, now: number, next: (below: number) => number): void {
  const has = { reseller: family !== 'one-api', newApi: family === 'new-api', veloera: family === 'veloera' };
  const table = (index: 0 | 1): string =>
    JSON.stringify(Object.fromEntries(Object.entries(ratios).map(([model, pair]) => [model, pair[index]])));
  tables.set('options', [
    ...[
      { key: 'ModelRatio', value: table(0) },
      { key: 'CompletionRatio', value: table(1) },
    ],
    ...[
      { key: 'GroupRatio', value: '{"default":1,"vip":1}' },
      { key: 'SystemName', value: 'Old site' },
    ],
    ...[
      { key: 'SMTPToken', value: 'mail secret' },
      { key: 'Theme', value: 'default' },
      { key: 'RetryTimes', value: '-3' },
    ],
    ...(has.reseller
      ? [
          { key: 'EpayId', value: '1001' },
          { key: 'EpayKey', value: 'epay secret' },
          { key: 'PayAddress', value: 'https://pay.example' },
        ]
      : []),
    ...(has.newApi ? [{ key: 'ServerAddress', value: factors.passkey.origin }] : []),
  ]);
  tables.set(
    'redemptions',
    Array.from({ length: 10 }, (_, index) => ({
      id: index + 1,
      user_id: 1,
      key: text(next, 32),
      status: index < 7 ? 1 : 3,
      name: `code ${index}`,
      quota: index === 9 ? 0 : 500 + index,
      created_time: now - 1000,
      redeemed_time: index < 7 ? 0 : now - 500,
      ...(has.reseller ? { used_user_id: index < 7 ? 0 : 4 } : {}),
      ...(has.veloera
        ? {
            is_gift: index === 8 ? 1 : 0,
            max_uses: index === 8 ? 2 : -1,
            used_count: index === 8 ? 3 : index < 7 ? 0 : 1,
            valid_from: 0,
            valid_until: 0,
          }
        : {}),
      ...(has.newApi ? { expired_time: 0 } : {}),
    })),
  );
  if (!has.reseller) return;
  const order = (id: number, trade: string, status: string): Row => ({
    id,
    user_id: 4,
    amount: 3,
    money: 21.9,
    trade_no: trade,
    create_time: now - 600,
    status,
    ...(has.newApi
      ? { payment_method: 'alipay', payment_provider: 'epay', complete_time: status === 'success' ? now - 300 : 0 }
      : {}),
  });
  tables.set('top_ups', [
    order(1, 'PAID1', 'success'),
    order(2, 'PENDING1', 'pending'),
    order(3, 'OLD1', 'expired'),
    order(4, 'PAID1', 'pending'),
  ]);
  const submit = now - 5000;
  tables.set('midjourneys', [
    {
      id: 1,
      code: 1,
      user_id: 4,
      action: 'IMAGINE',
      mj_id: 'mj-1',
      prompt: 'a cat',
      submit_time: submit * 1000,
      status: 'SUCCESS',
      progress: '100%',
      channel_id: 1,
      quota: 500,
    },
  ]);
  tables.set('tasks', [
    {
      id: 1,
      created_at: submit,
      updated_at: submit,
      task_id: 's-1',
      platform: 'suno',
      user_id: 4,
      channel_id: 1,
      quota: 40,
      action: 'MUSIC',
      status: 'SUCCESS',
      submit_time: submit,
      progress: '100%',
      properties: { input: 'song' },
      data: [{ id: 'clip' }],
    },
    {
      id: 2,
      created_at: submit,
      updated_at: submit,
      task_id: 'v-1',
      platform: 'kling',
      user_id: 4,
      channel_id: 1,
      quota: 70,
      action: 'VIDEO',
      status: 'IN_PROGRESS',
      submit_time: submit,
      progress: '30%',
      properties: {},
      data: {},
    },
  ]);
  // One hour that the log no longer has, in two rows, and one hour that it has.
  const old = now - 60 * 86_400 - ((now - 60 * 86_400) % 3600);
  const recent = now - 86_400 - ((now - 86_400) % 3600);
  tables.set('quota_data', [
    {
      id: 1,
      user_id: 4,
      username: 'user04',
      model_name: 'gpt-4o',
      created_at: old,
      token_used: 1000,
      count: 5,
      quota: 2500,
    },
    {
      id: 2,
      user_id: 4,
      username: 'user04',
      model_name: 'gpt-4o',
      created_at: old,
      token_used: 10,
      count: 1,
      quota: 25,
    },
    {
      id: 3,
      user_id: 4,
      username: 'user04',
      model_name: 'gpt-4o',
      created_at: recent,
      token_used: 9999,
      count: 99,
      quota: 99_999,
    },
  ]);
  tables.set('setups', [{ id: 1, version: 'v9.9.9', initialized_at: now - 9_000_000 }]);
  if (has.veloera) {
    tables.set('redemption_logs', [
      ...[4, 5, 6].map((user, index) => ({ id: index + 1, redemption_id: 9, user_id: user, used_time: now - 400 })),
      { id: 4, redemption_id: 9, user_id: 4, used_time: now - 399 },
    ]);
  }
  if (has.newApi) {
    tables.set('checkins', [
      { id: 1, user_id: 11, checkin_date: '2025-05-31', quota_awarded: 5 },
      { id: 2, user_id: 11, checkin_date: '2025-06-01', quota_awarded: 5 },
    ]);
    addFactors(tables);
    tables.set('user_subscriptions', [
      { id: 1, user_id: 4, amount_total: 9000, amount_used: 1000, end_time: 0, status: 'active' },
    ]);
    tables.set('vendors', [{ id: 1, name: 'a vendor' }]);
  }
}
