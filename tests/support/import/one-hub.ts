import { createHmac } from 'node:crypto';
import type { Content, Row } from './content.js';

/** The types that one-hub has for the channels of a site of one-api. */
const types: Readonly<Record<number, number>> = {
  1: 1,
  2: 34,
  14: 14,
  24: 25,
  28: 30,
  29: 31,
  33: 32,
  34: 38,
  36: 28,
  42: 42,
};

/** A key as one-hub makes it, of which about one half contains `-`. */
export const signedKey = (id: number, userId: number): string => {
  const payload = `k${id}u${userId}`.padEnd(15, 'X');
  return `${payload}_${createHmac('sha256', 'user token secret').update(payload).digest('base64url')}`;
};

const listed = (text: unknown): string[] => (typeof text === 'string' && text !== '' ? text.split(',') : []);

/** Makes a site of one-hub from a site of one-api with the same users, keys, channels, codes and calls. */
export function toOneHub(content: Content, now: number): Content {
  const rows = (table: string): Row[] => [...(content.tables.get(table) ?? [])];
  const tables = new Map<string, Row[]>();
  tables.set(
    'users',
    rows('users').map((user) => ({
      ...user,
      avatar_url: user['id'] === 3 ? 'https://example.com/a.png' : '',
      telegram_id: user['id'] === 4 ? 77 : 0,
      linuxdo_id: user['id'] === 5 ? 55 : 0,
      aff_count: user['id'] === 1 ? 10 : 0,
      aff_quota: user['id'] === 1 ? 777 : 0,
      aff_history: user['id'] === 1 ? 999 : 0,
      last_login_time: now - 50,
      created_time: 1_700_000_000 + Number(user['id']),
      deleted_at: null,
    })),
  );
  const renewed = new Map<string, string>();
  tables.set(
    'tokens',
    rows('tokens').map(({ models, subnet, ...token }) => {
      const id = Number(token['id']);
      const key = id % 2 === 0 ? signedKey(id, Number(token['user_id'])) : String(token['key']);
      renewed.set(`sk-${String(token['key'])}`, `sk-${key}`);
      const ofModels = { enabled: listed(models).length > 0, models: listed(models) };
      const ofAddresses = { enabled: listed(subnet).length > 0, whitelist: listed(subnet) };
      return {
        ...token,
        key,
        group: '',
        backup_group: id === 7 ? 'vip' : '',
        setting: {
          heartbeat: { enabled: id === 8, timeout_seconds: 30 },
          limits: { limit_model_setting: ofModels, limits_ip_setting: ofAddresses },
        },
        deleted_at: null,
      };
    }),
  );
  tables.set('channels', [
    ...rows('channels').map(({ config: _config, system_prompt: _prompt, ...channel }) => channelOf(channel)),
    { ...channelOf(rows('channels')[0] ?? {}), id: 26, status: 1, deleted_at: '2025-06-01 10:11:12' },
  ]);
  tables.set(
    'logs',
    rows('logs').map(({ request_id: _id, elapsed_time: time, ...log }) => ({
      ...log,
      request_time: time,
      source_ip: '203.0.113.7',
      metadata: log['type'] === 2 ? metadataOf(String(log['model_name'])) : null,
    })),
  );
  tables.set('redemptions', rows('redemptions'));
  tables.set('options', [
    ...rows('options').filter(({ key }) => !['ModelRatio', 'CompletionRatio', 'GroupRatio'].includes(String(key))),
    // one-hub no longer reads this table, which it has taken over from one-api.
    { key: 'ModelRatio', value: '{"gpt-4o":[9,9]}' },
    { key: 'LinuxDoClientId', value: 'linux-do-id' },
  ]);
  tables.set('prices', [
    { model: 'gpt-4o', type: 'tokens', channel_type: 1, input: 1.25, output: 5, locked: 0, extra_ratios: null },
    { model: 'gpt-4o-mini', type: 'tokens', channel_type: 1, input: 0.075, output: 0.3, locked: 1, extra_ratios: null },
  ]);
  tables.set('user_groups', [
    { id: 1, symbol: 'default', name: 'Everyone', ratio: 1, public: 1, enable: 1, api_rate: 600, promotion: 0 },
    { id: 2, symbol: 'vip', name: 'VIP', ratio: 1, public: 0, enable: 1, api_rate: 0, promotion: 1 },
  ]);
  tables.set('payments', [{ id: 1, type: 'epay', uuid: 'u', name: 'Epay', currency: 'CNY', enable: 1 }]);
  tables.set(
    'orders',
    [
      ['PAID1', 'success'],
      ['PENDING1', 'pending'],
      ['CLOSED1', 'closed'],
    ].map(([tradeNo, status], index) => ({
      id: index + 1,
      user_id: 4,
      gateway_id: 1,
      trade_no: tradeNo,
      amount: 3,
      order_amount: 21.9,
      order_currency: 'CNY',
      quota: 1_500_000,
      status,
      created_at: now - 600,
      deleted_at: null,
    })),
  );
  return { ...content, tables, keys: content.keys.map((key) => renewed.get(key) ?? key) };
}

function channelOf(channel: Row): Row {
  const id = Number(channel['id']);
  const type = types[Number(channel['type'])];
  return {
    ...channel,
    type,
    key: type === 32 ? `us-east-1|AK${id}|SK${id}` : channel['key'],
    proxy: id === 3 ? 'socks5://user-%s@127.0.0.1:9' : '',
    model_headers: id === 21 ? '{"x-title":"gate"}' : '',
    custom_parameter: id === 1 ? '{"overwrite":true,"per_model":true,"other-model":{"temperature":0.2}}' : '',
    only_chat: id === 21 ? 1 : 0,
    pre_cost: 1,
    compatible_response: 0,
    allow_extra_body: 1,
    cost_ratio: 0,
    disabled_stream: id === 22 ? ['gpt-4o-mini'] : [],
    plugin: id === 21 ? { code_execution: { enable: true } } : null,
    tag: '',
    test_model: '',
    deleted_at: null,
  };
}

const ratios: Readonly<Record<string, readonly [number, number]>> = {
  'gpt-4o': [1.25, 5],
  'gpt-4o-mini': [0.075, 0.3],
};

function metadataOf(model: string): Row {
  const [input, output] = ratios[model] ?? [0, 0];
  return {
    group_name: 'default',
    backup_group_name: '',
    is_backup_group: false,
    price_type: 'tokens',
    group_ratio: 1,
    input_ratio: input,
    output_ratio: output,
    first_response: 300,
  };
}
