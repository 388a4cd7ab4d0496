import { dryRun } from '../../server/src/import/run.js';
import { openTarget } from '../../server/src/import/write/target.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { makeContent } from '../support/import/content.js';
import { signedKey } from '../support/import/one-hub.js';
import { createSource, type TestSource } from '../support/import/source.js';
import type { ImportReport } from '../../server/src/import/report.js';
import { move, now, optionsFor } from './suite.js';

let source: TestSource;
let database: TestDatabase;
let report: ImportReport;
beforeAll(async () => {
  const content = makeContent({ family: 'one-hub', upstream: 'http://127.0.0.1:9', now, logs: 100 });
  source = await createSource('one-hub', 'sqlite', content);
  const channel = (id: number, type: number, columns: Readonly<Record<string, string>>): Promise<void> => {
    const names = Object.keys(columns).map((name) => `"${name}"`);
    const values = Object.values(columns).map((value) => `'${value}'`);
    return source.execute(
      `INSERT INTO channels (id, type, status, name, models, "group", ${names.join(', ')})
       VALUES (${id}, ${type}, 1, 'channel ${id}', 'gpt-4o,gpt-4o-mini', 'default', ${values.join(', ')})`,
    );
  };
  await source.execute('DELETE FROM channels WHERE id NOT IN (1, 26)');
  await channel(101, 16, { key: 'id.secret' });
  await channel(102, 16, { key: 'k', base_url: 'https://zhipu.example/v9' });
  await channel(103, 35, { key: 'account|token' });
  await channel(104, 32, { key: 'us-east-1|AKID|SECRET|SESSION' });
  await channel(105, 32, { key: 'eu-west-1|api-token' });
  await channel(106, 40, { key: 'SECRETID|SECRETKEY' });
  await channel(107, 42, { key: '{"type":"service_account"}', other: 'us-east5|project' });
  await channel(108, 8, {
    key: 'k',
    base_url: 'https://gateway.example',
    plugin: '{"customize":{"1":"/api/chat","3":"disable"}}',
  });
  await channel(109, 15, { key: 'bce-v3', plugin: '{"use_openai_api":{"enable":true}}' });
  await channel(110, 57, { key: '{"refresh_token":"r"}' });
  await channel(111, 23, { key: '1|id|key' });
  await channel(112, 1, {
    key: 'k',
    proxy: 'socks5://u-%s@proxy.example:1080',
    model_headers: '{"x-team":"blue"}',
    custom_parameter:
      '{"temperature":0.5,"metadata":{"a":{"b":1}},"remove_params":["top_k"],"stop":"__delete__","overwrite":false}',
    disabled_stream: '["gpt-4o","gpt-4o-mini"]',
    model_mapping: '{"gpt-4o":"+o","gpt-4o-mini":"mini"}',
  });
  await channel(113, 1, { key: 'k', disabled_stream: '["gpt-4o"]', cost_ratio: '0.5', model_headers: '{"Host":"x"}' });
  await channel(114, 55, { key: 'k' });
  await source.execute(`INSERT INTO prices (model, type, input, output) VALUES ('mini', 'tokens', 0.075, 0.3)`);
  database = await createTestDatabase();
  report = await move(database, optionsFor(source.address));
}, 120_000);
afterAll(async () => {
  await database.drop();
  await source.drop();
});

const found = (code: string) =>
  report.findings.find((one) => one.code === code)?.examples.map(({ table, id, detail }) => `${table} ${id} ${detail}`);

it('gives each channel the type, address and key form of its provider here', async () => {
  expect(report.isBlocked).toBe(false);
  const target = await openTarget(database.url);
  const rows = await target.query<{ id: number; type: number; status: unknown; base_url: string; other: string }>(
    `SELECT id, type, status, base_url, other FROM channels ORDER BY id`,
  );
  await target.close();
  const enabled = rows[0]?.status;
  expect(rows.map(({ id, type, base_url: base, status }) => [id, type, base, status === enabled])).toEqual([
    [1, 1, 'http://127.0.0.1:9', true],
    [101, 26, '', true],
    [102, 58, 'https://zhipu.example/v9', true],
    [103, 39, '', true],
    [104, 33, '', true],
    [105, 33, '', true],
    [106, 23, '', true],
    [107, 41, '', true],
    [108, 58, 'https://gateway.example', true],
    [109, 46, '', true],
    [110, 57, '', false],
    [111, 23, '', false],
    [112, 1, '', true],
    [113, 1, '', false],
    // Azure's newer API has no address of its own.
    [114, 1, '', false],
  ]);
  const otherOf = (id: number) => rows.find((row) => row.id === id)?.other ?? '';
  expect(otherOf(103)).toBe('account');
  expect(otherOf(107)).toBe('us-east5');
  expect(JSON.parse(otherOf(102))).toMatchObject({ endpoints: { chat: '/chat/completions' } });
  const { endpoints } = JSON.parse(otherOf(108)) as { endpoints: Record<string, string> };
  expect(endpoints).toMatchObject({ chat: '/api/chat', completions: '/v1/completions' });
  expect(endpoints).not.toHaveProperty('embeddings');
});

it('compares the addresses of calls, there and here', async () => {
  const { channels } = await dryRun(optionsFor(source.address), false);
  const byId = new Map(channels.map(({ id, there, here }) => [id, [there, here]]));
  const same = (url: string) => [url, url];
  expect(byId.get(1)).toEqual(same('http://127.0.0.1:9/v1/chat/completions'));
  expect(byId.get(101)).toEqual(same('https://open.bigmodel.cn/api/paas/v4/chat/completions'));
  expect(byId.get(102)).toEqual(same('https://zhipu.example/v9/chat/completions'));
  expect(byId.get(108)).toEqual(same('https://gateway.example/api/chat'));
  expect(byId.get(109)).toEqual(same('https://qianfan.baidubce.com/v2/chat/completions'));
});

it('moves proxies, headers and parameters as they apply there', async () => {
  const target = await openTarget(database.url);
  const [row] = await target.query<{ row: Record<string, unknown> }>(
    'SELECT to_jsonb(c) AS row FROM channels c WHERE id = 112',
  );
  await target.close();
  // The proxy tells channels apart by the digest of their key.
  expect(row?.row['setting']).toMatchObject({
    proxy: 'socks5://u-8ce4b16b22b58894aa86c421e8759df3@proxy.example:1080',
    nonStreamOnly: true,
  });
  expect(row?.row['headers']).toEqual({ 'x-team': 'blue' });
  expect(row?.row['model_mapping']).toEqual({ 'gpt-4o': 'o', 'gpt-4o-mini': 'mini' });
  expect(row?.row['parameters']).toEqual({
    operations: [
      { mode: 'delete', path: 'top_k' },
      { mode: 'set', path: 'temperature', value: 0.5, keep_origin: true },
      { mode: 'set', path: 'metadata.a.b', value: 1, keep_origin: true },
      { mode: 'delete', path: 'stop' },
    ],
  });
});

it('names what has no place here', () => {
  expect(found('channel-type')?.map((line) => line.split(':', 1)[0])).toEqual([
    'channels 110 type 57, channel 110',
    'channels 111 type 23, channel 111',
  ]);
  expect(found('channel-settings')?.[0]).toMatch(/^channels 113 header_override: /);
  expect(found('column-left-out')).toEqual([
    'users avatar_url 1 rows',
    'tokens backup_group 1 rows',
    'tokens setting.heartbeat 1 rows',
    'channels cost_ratio 1 rows',
    'channels disabled_stream 1 rows',
  ]);
  expect(found('setting-unmapped')).toEqual(['user_groups default api_rate 600', 'user_groups vip promotion']);
  expect(found('table-left-out')).toEqual(['payments  1 rows']);
  expect(found('order-gateway')).toEqual(['top_ups 2 epay PENDING1']);
  expect(found('order-closed')).toEqual(['top_ups 3 closed']);
});

it('moves keys with dashes in them, limits, groups, external accounts, orders and options', async () => {
  const target = await openTarget(database.url);
  const [orders, accounts, [options], tokens] = [
    await target.query('SELECT trade_no, quota::integer, money::integer, currency FROM top_up_orders'),
    await target.query(`SELECT id, telegram_id, linux_do_id FROM users WHERE id IN (3, 4, 5) ORDER BY id`),
    await target.query<{ all: Record<string, string> }>(`SELECT jsonb_object_agg(key, value) AS all FROM options`),
    await target.query<{ id: number }>(
      `SELECT id, model_limits_enabled, model_limits, allow_ips FROM tokens WHERE id IN (2, 5) ORDER BY id`,
    ),
  ];
  await target.close();
  expect([...Array(60).keys()].some((id) => signedKey(id, id).includes('-'))).toBe(true);
  expect(report.findings.map(({ code }) => code)).not.toContain('token-dash');
  expect(orders).toEqual([{ trade_no: 'PAID1', quota: 1_500_000, money: 2190, currency: 'CNY' }]);
  expect(accounts).toEqual([
    { id: 3, telegram_id: '', linux_do_id: '' },
    { id: 4, telegram_id: '77', linux_do_id: '' },
    { id: 5, telegram_id: '', linux_do_id: '55' },
  ]);
  const optionOf = (key: string): unknown => JSON.parse(options?.all[key] ?? 'null');
  expect(optionOf('GroupRatio')).toEqual({ default: 1, vip: 1 });
  expect(optionOf('UserUsableGroups')).toEqual({ default: 'Everyone' });
  expect(optionOf('ModelRatio')).toMatchObject({ 'gpt-4o': 1.25, 'gpt-4o-mini': 0.075 });
  expect(options?.all['LinuxDOClientId']).toBe('linux-do-id');
  expect(tokens).toEqual([
    { id: 2, model_limits_enabled: false, model_limits: [], allow_ips: ['127.0.0.1/32', '10.0.0.0/8'] },
    { id: 5, model_limits_enabled: true, model_limits: ['gpt-4o', 'gpt-4o-mini'], allow_ips: [] },
  ]);
});
