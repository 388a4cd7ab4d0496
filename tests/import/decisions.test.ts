import { createHash } from 'node:crypto';
import { reconcile } from '../../server/src/billing/ledger/reconcile.js';
import { familyOf } from '../../server/src/import/family.js';
import type { ImportReport } from '../../server/src/import/report.js';
import { dryRun } from '../../server/src/import/run.js';
import { parseAddress } from '../../server/src/import/source/address.js';
import { openTarget } from '../../server/src/import/write/target.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { makeContent } from '../support/import/content.js';
import type { Family } from '../support/import/schemas.js';
import { copySource, createSource, type TestSource } from '../support/import/source.js';
import { startServer, type LocalServer } from '../support/server.js';
import { move, now, optionsFor, secrets, stateOf } from './suite.js';

const upstream = 'http://127.0.0.1:9';
const sources: TestSource[] = [];
const originals = new Map<string, Promise<TestSource>>();
const makeOriginal = async (family: Family, logs: number): Promise<TestSource> => {
  const source = await createSource(family, 'sqlite', makeContent({ family, upstream, now, logs }));
  sources.push(source);
  return source;
};
async function smallSource(family: Family, logs = 300): Promise<TestSource> {
  const name = `${family} ${logs}`;
  const original = originals.get(name) ?? makeOriginal(family, logs);
  originals.set(name, original);
  const source = await copySource(await original);
  sources.push(source);
  return source;
}
afterAll(async () => {
  for (const source of sources) await source.drop();
});

describe('addresses', () => {
  it.each([
    [
      'root:123456@tcp(localhost:3306)/oneapi',
      { host: 'localhost', port: 3306, user: 'root', password: '123456', database: 'oneapi' },
    ],
    [
      'u:p@ss/w:rd@tcp([::1]:3307)/a?charset=utf8mb4&tls=true',
      { host: '::1', port: 3307, password: 'p@ss/w:rd', database: 'a', tls: true },
    ],
    ['u@unix(/run/mysqld.sock)/a', { socketPath: '/run/mysqld.sock', user: 'u', password: '' }],
    ['mysql://u:p%40ss@db/new-api', { host: 'db', port: 3306, password: 'p@ss', database: 'new-api' }],
  ])('reads %s as MySQL', (text, expected) => {
    expect(parseAddress(text)).toMatchObject({ engine: 'mysql', ...expected });
  });

  it('reads Postgres URLs and files, and refuses ClickHouse with a sentence', () => {
    expect(parseAddress('postgresql://u:p@h/d')).toEqual({ engine: 'postgres', url: 'postgresql://u:p@h/d' });
    expect(parseAddress('/data/one-api.db?_busy_timeout=30000')).toEqual({
      engine: 'sqlite',
      path: '/data/one-api.db',
    });
    expect(() => parseAddress('clickhouse://h/logs')).toThrow(/ClickHouse cannot be moved/);
    for (const address of ['postgres://u:p#ss@h/d', 'mysql://u:p#ss@h/d']) {
      expect(() => parseAddress(address)).toThrow(/is not a valid URL\. Characters such as # .* are written as %23/);
    }
    expect(parseAddress('mysql://u:50%@h/d')).toMatchObject({ password: '50%' });
    expect(parseAddress('u:p@tcp(h)/50%')).toMatchObject({ database: '50%' });
  });
});

describe('programs that cannot be moved', () => {
  const withTables = (tables: Record<string, string[]>) => ({
    columns: new Map(Object.entries(tables).map(([name, columns]) => [name, new Set(columns)])),
  });
  it('names an old one-hub and sub2api, and why', () => {
    const oneHub = withTables({ users: ['id', 'avatar_url'], channels: ['id', 'custom_parameter'], tokens: ['key'] });
    expect(() => familyOf(oneHub)).toThrow(/one-hub or done-hub.*start the newest version/);
    const sub2api = withTables({ accounts: ['id'], api_keys: ['key'], groups: ['platform'] });
    expect(() => familyOf(sub2api)).toThrow(/sub2api.*decimal dollars/);
    expect(() => familyOf(withTables({ posts: ['id'] }))).toThrow(
      /no database of one-api, new-api, Veloera, one-hub or done-hub/,
    );
  });
  it('does not begin when a file is missing or is no database', async () => {
    await expect(dryRun(optionsFor('/nowhere/one-api.db'), false)).rejects.toThrow(
      'There is no file /nowhere/one-api.db.',
    );
    await expect(dryRun(optionsFor(__filename), false)).rejects.toThrow(/not a readable SQLite database/);
  });
});

describe('decisions of the operator', () => {
  it('refuses unreadable second factors, subscriptions and prices without a counterpart by default, and writes nothing', async () => {
    const source = await smallSource('new-api');
    await source.execute(`UPDATE two_fas SET secret = 'not base32!' WHERE user_id = 2`);
    await source.execute(`INSERT INTO options ("key", value) VALUES ('GroupGroupRatio', '{"vip": {"default": 0.5}}')`);
    const database = await createTestDatabase();
    const strict = {
      dropTwoFactor: false,
      acceptPriceDifferences: false,
      plans: 'refuse',
      withContent: false,
    } as const;
    const report = await move(database, optionsFor(source.address, { decisions: strict }));
    expect(report.isBlocked).toBe(true);
    const blocking = report.findings.filter(({ severity }) => severity === 'blocking');
    expect(blocking.map(({ code, examples }) => [code, examples[0]?.id, examples[0]?.detail])).toEqual([
      ['second-factors', 'second-factor:2', ''],
      ['plans', '1', ''],
      ['price-keys', 'GroupGroupRatio', ''],
    ]);
    const accepted = { ...strict, dropTwoFactor: true, plans: 'drop', accepted: ['GroupGroupRatio'] } as const;
    expect((await dryRun(optionsFor(source.address, { decisions: accepted }), false)).isBlocked).toBe(false);
    const target = await openTarget(database.url);
    expect(await target.query('SELECT 1 FROM users')).toEqual([]);
    await target.close();
    await database.drop();
  });

  it('credits what is left of subscriptions, and moves only recent log rows, if told so', async () => {
    const source = await smallSource('new-api', 400);
    const database = await createTestDatabase();
    const decisions = {
      dropTwoFactor: true,
      acceptPriceDifferences: false,
      plans: 'balance',
      withContent: false,
    } as const;
    const report = await move(database, optionsFor(source.address, { decisions, logs: { days: 10 } }));
    expect(report.proof).toMatchObject({ sumsAreEqual: true, drifts: [] });
    const target = await openTarget(database.url);
    // The log has 40 days, and a quarter of its rows is from the last ten days.
    const [row] = await target.query<Record<string, string>>(
      `SELECT count(*) AS logs, min(created_at) AS first FROM logs`,
    );
    expect(Number(row?.['logs'])).toBe(100);
    expect(Number(row?.['first'])).toBeGreaterThanOrEqual(now - 10 * 86_400);
    const [entry] = await target.query<Record<string, string>>(`SELECT quota FROM users WHERE id = 4`);
    const content = makeContent({ family: 'new-api', upstream, now, logs: 400 });
    expect(Number(entry?.['quota'])).toBe((content.balances.get(4) ?? 0) + 8000);
    // Hours without log rows come from the hourly usage of the source: two of its three rows.
    const [hours] = await target.query<Record<string, string>>(
      `SELECT sum(calls) AS calls, sum(quota) AS quota FROM usage_hourly WHERE token_id = 0 AND channel_id = 0`,
    );
    expect(hours).toMatchObject({ calls: '6', quota: '2525' });
    await target.close();
    await database.drop();
  });
});

it('keeps who has the addresses of their clients in log rows, and moves no address', async () => {
  const source = await smallSource('new-api');
  await source.execute(`
    UPDATE users SET setting = '{"record_ip_log":true}' WHERE id = 4;
    UPDATE users SET setting = '{"record_ip_log":false}' WHERE id = 11;
    UPDATE users SET setting = '' WHERE id = 13;
    UPDATE logs SET ip = '203.0.113.7' WHERE user_id = 4`);
  const database = await createTestDatabase();
  await move(database, optionsFor(source.address));
  const target = await openTarget(database.url);
  const choices = await target.query(
    `SELECT id, setting -> 'recordIpLog' AS records FROM users WHERE id IN (4, 11, 13) ORDER BY id`,
  );
  expect(choices).toEqual([
    { id: 4, records: true },
    { id: 11, records: null },
    { id: 13, records: null },
  ]);
  expect(await target.query(`SELECT id FROM logs l WHERE l::text LIKE '%203.0.113.7%'`)).toEqual([]);
  await target.close();
  await database.drop();
});

const found = (report: ImportReport, code: string): string[] =>
  report.findings
    .find((one) => one.code === code)
    ?.examples.map(({ table, id, detail }) => `${table} ${id} ${detail}`) ?? [];

describe('second factors', () => {
  it('follow the source in the final run: what was turned off or used there is gone here', async () => {
    const source = await smallSource('new-api');
    const database = await createTestDatabase();
    await move(database, optionsFor(source.address));
    const target = await openTarget(database.url);
    const state = async () => {
      const [row] = await target.query(`SELECT (SELECT count(*)::int FROM authenticator_apps) AS apps,
        (SELECT count(*)::int FROM recovery_codes) AS codes, (SELECT count(*)::int FROM passkeys) AS passkeys,
        (SELECT count(*)::int FROM users WHERE has_second_factor) AS asked`);
      return row;
    };
    expect(await state()).toEqual({ apps: 1, codes: 2, passkeys: 1, asked: 1 });
    await source.execute('UPDATE two_fa_backup_codes SET is_used = 1 WHERE id = 1');
    await source.execute(`UPDATE passkey_credentials SET deleted_at = '2025-06-01 00:00:00' WHERE id = 1`);
    // The lock of imports belongs to one connection.
    await target.query('SELECT pg_advisory_unlock_all()');
    await move(database, optionsFor(source.address));
    expect(await state()).toEqual({ apps: 1, codes: 1, passkeys: 0, asked: 1 });
    await source.execute('UPDATE two_fas SET is_enabled = 0 WHERE id = 1');
    const last = await move(database, optionsFor(source.address));
    expect(await state()).toEqual({ apps: 0, codes: 1, passkeys: 0, asked: 0 });
    expect(last.tables).toContainEqual({ table: 'two_fas', found: 2, moved: 0, changed: 1, same: 0, leftOut: 1 });
    await target.close();
    await database.drop();
  });

  it('whose secret cannot be read are left out by name, and those of other users are moved', async () => {
    const source = await smallSource('new-api');
    await source.execute(`UPDATE two_fas SET secret = 'not base32!', user_id = 3, is_enabled = 1 WHERE id = 2`);
    const database = await createTestDatabase();
    const { decisions } = optionsFor(source.address);
    const report = await move(
      database,
      optionsFor(source.address, { decisions: { ...decisions, accepted: ['second-factor:3'] } }),
    );
    expect(report.isBlocked).toBe(false);
    expect(found(report, 'second-factors')).toEqual(['two_fas second-factor:3 accepted']);
    const target = await openTarget(database.url);
    expect(await target.query('SELECT user_id FROM authenticator_apps')).toEqual([{ user_id: 2 }]);
    expect(await target.query('SELECT count(*)::int AS n FROM passkeys')).toEqual([{ n: 1 }]);
    await target.close();
    await database.drop();
  });

  it('names passkeys that may not work here, and leaves out those without a domain', async () => {
    const source = await smallSource('new-api');
    await source.execute('UPDATE passkey_credentials SET user_verified = 0');
    await source.execute(`INSERT INTO options ("key", value) VALUES ('passkey.rp_id', 'login.example')`);
    const elsewhere = await dryRun(optionsFor(source.address), false);
    expect(found(elsewhere, 'passkey-elsewhere')).toEqual(['passkey_credentials 1 user 5: login.example']);
    expect(found(elsewhere, 'passkey-unverified')).toEqual(['passkey_credentials 1 user 5']);
    await source.execute(`DELETE FROM options WHERE "key" = 'passkey.rp_id'`);
    await source.execute(`UPDATE options SET value = 'http://192.0.2.7:3000' WHERE "key" = 'ServerAddress'`);
    await source.execute(`UPDATE two_fa_backup_codes SET code_hash = 'plain' WHERE id = 2`);
    await source.execute(`UPDATE two_fas SET user_id = 777 WHERE id = 2`);
    const nowhere = await dryRun(optionsFor(source.address), false);
    expect(found(nowhere, 'passkey-domain')).toEqual(['passkey_credentials 1 user 5']);
    expect(found(nowhere, 'backup-code-unreadable')).toEqual(['two_fa_backup_codes 2 user 2']);
    expect(found(nowhere, 'owner-missing')).toEqual(['two_fas 2 user 777']);
    expect(nowhere.isBlocked).toBe(false);
  });

  it('are left out altogether on request', async () => {
    const source = await smallSource('new-api');
    const database = await createTestDatabase();
    const { decisions } = optionsFor(source.address);
    const report = await move(
      database,
      optionsFor(source.address, { decisions: { ...decisions, dropTwoFactor: true } }),
    );
    expect(found(report, 'second-factor-dropped')).toEqual(['two_fas 2 ']);
    const target = await openTarget(database.url);
    for (const table of ['authenticator_apps', 'recovery_codes', 'passkeys']) {
      expect(await target.query(`SELECT 1 FROM ${table}`)).toEqual([]);
    }
    await target.close();
    await database.drop();
  });
});

describe('channels with several documents as keys', () => {
  const document = (name: string) => ({ type: 'service_account', project_id: name, private_key: 'k' });
  const statuses = (list: Record<string, number>) =>
    JSON.stringify({ is_multi_key: true, multi_key_size: 3, multi_key_status_list: list });

  it('become channels of the documents that the old program had not disabled, also in the final run', async () => {
    const source = await smallSource('new-api');
    const documents = JSON.stringify(['first', 'second', 'third'].map(document));
    await source.execute(
      `UPDATE channels SET type = 41, status = 1, "key" = '${documents}', channel_info = '${statuses({ '1': 3 })}' WHERE id = 4`,
    );
    const database = await createTestDatabase();
    const report = await move(database, optionsFor(source.address));
    expect(found(report, 'channel-keys')).toEqual(['channels 4 1 of 3']);
    const target = await openTarget(database.url);
    await target.query('SELECT pg_advisory_unlock_all()');
    const projects = async (): Promise<unknown[]> =>
      (
        await target.query<{ key_sealed: string }>(
          `SELECT key_sealed FROM channels WHERE id % 100000000 = 4 ORDER BY id`,
        )
      ).map(({ key_sealed }) => (JSON.parse(secrets.open(key_sealed)) as Record<string, unknown>)['project_id']);
    expect(await projects()).toEqual(['first', 'third']);
    await source.execute(`UPDATE channels SET channel_info = '${statuses({ '0': 2, '1': 3 })}' WHERE id = 4`);
    await move(database, optionsFor(source.address));
    expect(await projects()).toEqual(['third']);
    await target.close();
    await database.drop();
  });
});

it('API keys of a Vertex channel, one a line, become channels of one key each, and their form is no setting that is lost', async () => {
  const source = await smallSource('new-api');
  const dead = JSON.stringify({ is_multi_key: true, multi_key_size: 3, multi_key_status_list: { '1': 2 } });
  await source.execute(
    `UPDATE channels SET type = 41, status = 1, "key" = 'AIza-1\nAIza-2\nAIza-3', channel_info = '${dead}', settings = '{"vertex_key_type":"api_key"}' WHERE id = 4`,
  );
  const database = await createTestDatabase();
  const report = await move(database, optionsFor(source.address));
  expect(found(report, 'channel-keys')).toEqual(['channels 4 1 of 3']);
  expect(found(report, 'channel-setting-dropped').filter((line) => line.includes('key_type'))).toEqual([]);
  const target = await openTarget(database.url);
  const rows = await target.query<{ key_sealed: string }>(
    `SELECT key_sealed FROM channels WHERE id % 100000000 = 4 ORDER BY id`,
  );
  expect(rows.map(({ key_sealed }) => secrets.open(key_sealed))).toEqual(['AIza-1', 'AIza-3']);
  await target.close();
  await database.drop();
});

it('a channel with more documents than the ids of channels have steps becomes as many channels', async () => {
  const source = await smallSource('new-api');
  const names = Array.from({ length: 60 }, (_, index) => `project-${index}`);
  const documents = names.map((name) => ({ type: 'service_account', project_id: name, private_key: 'k' }));
  const database = await createTestDatabase();
  const target = async () => {
    const opened = await openTarget(database.url);
    await opened.query('SELECT pg_advisory_unlock_all()');
    return opened;
  };
  const projects = async (): Promise<string[]> => {
    const opened = await target();
    const rows = await opened.query<{ key_sealed: string }>(`SELECT key_sealed FROM channels WHERE tag = 'channel-4'`);
    await opened.close();
    return rows.map(({ key_sealed }) => (JSON.parse(secrets.open(key_sealed)) as { project_id: string }).project_id);
  };
  const set = (list: readonly unknown[]) =>
    source.execute(
      `UPDATE channels SET type = 41, status = 1, tag = '', channel_info = '', "key" = '${JSON.stringify(list)}' WHERE id = 4`,
    );
  await set(documents);
  const report = await move(database, optionsFor(source.address));
  expect(found(report, 'record-refused')).toEqual([]);
  expect((await projects()).sort()).toEqual([...names].sort());
  // The old program deletes all documents of a channel with the channel.
  await source.execute('DELETE FROM channels WHERE id = 4');
  await move(database, optionsFor(source.address));
  expect(await projects()).toEqual([]);
  await database.drop();
});

describe('models that the old program served', () => {
  it('are compared with what the channels list, and each difference is named', async () => {
    const source = await smallSource('one-api');
    await source.execute('DELETE FROM channels WHERE id > 2');
    await source.execute(`UPDATE channels SET status = 1, models = 'gpt-4o,gpt-4o-mini', "group" = 'default,vip'`);
    // The table has the rows that the old program writes, except one. It also has a model that a channel no longer has, and
    // a disabled entry.
    await source.execute(
      `INSERT INTO abilities ("group", model, channel_id, enabled) VALUES
         ('default', 'gpt-4o', 1, 1), ('default', 'gpt-4o-mini', 1, 1), ('vip', 'gpt-4o', 1, 1), ('vip', 'gpt-4o-mini', 1, 1),
         ('default', 'gpt-4o', 2, 1), ('default', 'gpt-4o-mini', 2, 1), ('vip', 'gpt-4o', 2, 1), ('vip', 'gpt-4o-mini', 2, 0),
         ('default', 'gpt-3.5-turbo', 1, 1), ('default', 'gpt-4', 9, 0)`,
    );
    const report = await dryRun(optionsFor(source.address), false);
    expect(found(report, 'model-served')).toEqual([
      'abilities 1 default, gpt-3.5-turbo: only there',
      'abilities 2 vip, gpt-4o-mini: only here',
    ]);
    expect(report.isBlocked).toBe(false);
  });
});

describe('a payment that was under way', () => {
  // The old programs store the amount as it was computed, and send it to the gateway with two decimals.
  const payments = [
    ['PENDING1', 21.9, '21.90'],
    ['PENDING2', 6.935, '6.93'],
    ['PENDING3', 8.345, '8.35'],
    ['PENDING4', 0.125, '0.12'],
    ['PENDING5', 0.375, '0.38'],
  ] as const;
  let database: TestDatabase;
  let server: LocalServer;
  beforeAll(async () => {
    const content = makeContent({ family: 'veloera', upstream, now, logs: 300 });
    const pending = content.tables.get('top_ups')?.find((order) => order['trade_no'] === 'PENDING1');
    const orders = payments.map(([trade_no, money], index) => ({ ...pending, id: 101 + index, trade_no, money }));
    const source = await createSource('veloera', 'sqlite', {
      ...content,
      tables: new Map([...content.tables, ['top_ups', orders]]),
    });
    sources.push(source);
    database = await createTestDatabase();
    await move(database, optionsFor(source.address));
    server = await startServer({ database });
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  it.each(payments)('%s of %d is credited here once, by the callback of the gateway', async (order, _stored, money) => {
    const balance = async () =>
      Number(
        (await server.dataSource.query<Array<{ quota: string }>>('SELECT quota FROM users WHERE id = 4'))[0]?.quota,
      );
    const before = await balance();
    const fields: Record<string, string> = {
      pid: '1001',
      trade_no: `gateway-${order}`,
      out_trade_no: order,
      type: 'alipay',
      name: 'TUC3',
      money,
      trade_status: 'TRADE_SUCCESS',
    };
    const signed = Object.keys(fields)
      .sort()
      .map((key) => `${key}=${fields[key]}`)
      .join('&');
    const sign = createHash('md5').update(`${signed}epay secret`).digest('hex');
    const query = new URLSearchParams({ ...fields, sign, sign_type: 'MD5' }).toString();
    for (let times = 0; times < 2; times++) {
      const answer = await server.api.rest(null, 'GET', `/api/user/epay/notify?${query}`);
      expect(answer.body).toBe('success');
    }
    expect(await balance()).toBe(before + 3 * 500_000);
    expect(
      await reconcile({ query: async (text, values) => ({ rows: await server.dataSource.query(text, values) }) }),
    ).toEqual([]);
  });
});

describe('the final run, after the old site has stopped', () => {
  it('moves only what has changed since the first one', async () => {
    const source = await smallSource('new-api');
    const database = await createTestDatabase();
    await move(database, optionsFor(source.address));
    await source.execute(`UPDATE users SET quota = quota - 700, used_quota = used_quota + 700 WHERE id = 3`);
    await source.execute(
      `UPDATE tokens SET remain_quota = remain_quota - 700, used_quota = used_quota + 700 WHERE id = 3`,
    );
    await source.execute(
      `INSERT INTO tokens (id, user_id, "key", status, name, expired_time, remain_quota) VALUES (99, 3, 'newKeyOfTheLastHour', 1, 'new', -1, 5)`,
    );
    await source.execute(`UPDATE channels SET models = 'gpt-4o' WHERE id = 2`);
    await source.execute(
      `INSERT INTO logs (id, user_id, created_at, type, model_name, quota, prompt_tokens, completion_tokens, channel_id, token_id, username, token_name, "group", other, content)
       VALUES (301, 3, ${now}, 2, 'gpt-4o', 700, 160, 100, 1, 3, 'user03', 'key 3', 'default', '{"model_ratio":1.25,"completion_ratio":4,"group_ratio":1}', '')`,
    );
    const report = await move(database, optionsFor(source.address));
    const counts = new Map(report.tables.map(({ table, moved, changed }) => [table, [moved, changed]]));
    expect(
      Object.fromEntries(
        ['users', 'tokens', 'channels', 'logs', 'redemptions'].map((table) => [table, counts.get(table)]),
      ),
    ).toEqual({
      users: [0, 1],
      tokens: [1, 1],
      channels: [0, 1],
      logs: [1, 0],
      redemptions: [0, 0],
    });
    expect(report.proof).toMatchObject({ sumsAreEqual: true, drifts: [], keysFound: 61 });
    await database.drop();
  });

  it('keeps what happened here: codes that were redeemed stay redeemed, and the later use of a key stays', async () => {
    const source = await smallSource('veloera');
    const code = (id: number, changes: string) => source.execute(`UPDATE redemptions SET ${changes} WHERE id = ${id}`);
    await code(1, `"key" = 'normal'`);
    await code(2, `"key" = 'gift', is_gift = 1, max_uses = 2`);
    await code(3, `"key" = 'both', is_gift = 1, max_uses = 3`);
    const database = await createTestDatabase();
    const redeem = async (server: Awaited<ReturnType<typeof startServer>>, user: string, key: string) => {
      const person = await server.api.signIn(user, `password of ${user}`);
      const { body } = await server.api.rest(person, 'POST', '/api/user/topup', { key });
      return (body as { message: string }).message;
    };
    await move(database, optionsFor(source.address));
    let server = await startServer({ database });
    expect(await redeem(server, 'user04', 'normal')).toBe('');
    expect(await redeem(server, 'user04', 'gift')).toBe('');
    expect(await redeem(server, 'user05', 'gift')).toBe('');
    expect(await redeem(server, 'user04', 'both')).toBe('');
    await server.dataSource.query(`UPDATE tokens SET last_used_at = '2030-01-02T03:04:05Z' WHERE id IN (3, 4)`);
    await server.stop();
    for (const id of [1, 2, 3]) await code(id, `name = 'edited'`);
    await code(3, 'used_count = 1');
    await source.execute(`UPDATE tokens SET name = 'edited', accessed_time = created_time WHERE id IN (3, 4)`);
    await move(database, optionsFor(source.address));
    server = await startServer({ database });
    expect(await redeem(server, 'user06', 'normal')).toBe('Redemption failed, Code already used');
    expect(await redeem(server, 'user06', 'gift')).toBe('Redemption failed, Gift code reached its maximum uses');
    // One use here and one there: the third is the last.
    expect(await redeem(server, 'user05', 'both')).toBe('');
    expect(await redeem(server, 'user06', 'both')).toBe('Redemption failed, Gift code reached its maximum uses');
    expect(
      await server.dataSource.query(
        'SELECT name, status, used_count, used_user_id, redeemed_at IS NULL AS unused FROM redemptions WHERE id < 4 ORDER BY id',
      ),
    ).toEqual([
      { name: 'edited', status: 'used', used_count: 0, used_user_id: 4, unused: false },
      { name: 'edited', status: 'used', used_count: 2, used_user_id: null, unused: true },
      { name: 'edited', status: 'used', used_count: 3, used_user_id: null, unused: true },
    ]);
    expect(await server.dataSource.query('SELECT name, last_used_at FROM tokens WHERE id IN (3, 4)')).toEqual(
      [3, 4].map(() => ({ name: 'edited', last_used_at: new Date('2030-01-02T03:04:05Z') })),
    );
    await server.stop();
    await database.drop();
  }, 60_000);

  it('deletes here what was deleted there: users, keys, second factors, channels and codes', async () => {
    const source = await smallSource('new-api');
    const database = await createTestDatabase();
    await move(database, optionsFor(source.address));
    const target = await openTarget(database.url);
    const countsOf = async (): Promise<Record<string, number>> => {
      const counts: Record<string, number> = {};
      const tables = ['users', 'tokens', 'authenticator_apps', 'recovery_codes', 'passkeys', 'channels', 'redemptions'];
      for (const table of tables) {
        counts[table] = (await target.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`))[0]?.n ?? 0;
      }
      return counts;
    };
    const before = await countsOf();
    // The lock of imports belongs to one connection.
    await target.query('SELECT pg_advisory_unlock_all()');
    const keysOfUser = Number(
      (await target.query<{ n: string }>('SELECT count(*) AS n FROM tokens WHERE user_id = 9'))[0]?.n,
    );
    expect(keysOfUser).toBeGreaterThan(0);
    for (const [table, where] of [
      ['users', 'id = 9'],
      ['tokens', 'id = 3'],
      ['two_fas', 'user_id = 2'],
      ['two_fa_backup_codes', 'user_id = 2'],
      ['passkey_credentials', 'user_id = 5'],
      ['channels', 'id = 2'],
      ['redemptions', 'id = 1'],
    ]) {
      await source.execute(`DELETE FROM ${table} WHERE ${where}`);
    }
    // The names of deleted users are free again.
    await source.execute(
      `INSERT INTO users (id, username, password, role, status, aff_code, "group", quota)
       VALUES (31, 'user09', '', 1, 1, 'free', 'default', 5)`,
    );
    const preview = await dryRun(optionsFor(source.address), true, target);
    expect(await countsOf()).toEqual(before);
    const report = await move(database, optionsFor(source.address));
    expect(found(preview, 'row-deleted')).toEqual(found(report, 'row-deleted'));
    expect(found(report, 'row-deleted')).toEqual(
      expect.arrayContaining(['users 9 ', 'tokens 3 ', 'two_fas 1 ', 'channels 2 ', 'redemptions 1 ']),
    );
    expect(await countsOf()).toEqual({
      users: 30,
      tokens: (before['tokens'] ?? 0) - 1 - keysOfUser,
      channels: (before['channels'] ?? 0) - 1,
      authenticator_apps: 0,
      recovery_codes: 0,
      passkeys: 0,
      redemptions: (before['redemptions'] ?? 0) - 1,
    });
    expect(await target.query('SELECT id FROM users WHERE has_second_factor')).toEqual([]);
    expect(await target.query(`SELECT id FROM users WHERE username = 'user09'`)).toEqual([{ id: 31 }]);
    expect(report.findings).toContainEqual(expect.objectContaining({ code: 'row-deleted', severity: 'changed' }));
    expect(report.proof).toMatchObject({ sumsAreEqual: true, drifts: [] });
    await target.close();
    await database.drop();
  });

  it('moves names and addresses that went from one user to another in the meantime', async () => {
    const source = await smallSource('veloera');
    const database = await createTestDatabase();
    await move(database, optionsFor(source.address));
    // In the order of ids, each user takes the name that the next user still has here, and two users exchange their
    // addresses.
    for (const [id, name] of [
      [5, 'another'],
      [4, 'user05'],
      [3, 'user04'],
    ])
      await source.execute(`UPDATE users SET username = '${name}' WHERE id = ${id}`);
    await source.execute(
      `UPDATE users SET email = 'user' || (CASE id WHEN 6 THEN '07' ELSE '06' END) || '@example.com' WHERE id IN (6, 7)`,
    );
    const report = await move(database, optionsFor(source.address));
    expect(found(report, 'record-refused')).toEqual([]);
    expect(report.tables).toContainEqual(expect.objectContaining({ table: 'users', changed: 5, leftOut: 0 }));
    const target = await openTarget(database.url);
    expect(await target.query('SELECT username, email FROM users WHERE id BETWEEN 3 AND 7 ORDER BY id')).toEqual([
      { username: 'user04', email: 'Same@example.com' },
      { username: 'user05', email: '' },
      { username: 'another', email: 'user05@example.com' },
      { username: 'user06', email: 'user07@example.com' },
      { username: 'user07', email: 'user06@example.com' },
    ]);
    await target.close();
    await database.drop();
  });

  it('is refused when most users of the first run are missing: a copy that is not complete, or another site', async () => {
    const source = await smallSource('veloera');
    const database = await createTestDatabase();
    await move(database, optionsFor(source.address));
    const before = await stateOf(database);
    await source.execute('DELETE FROM users WHERE id > 5');
    const target = await openTarget(database.url);
    await expect(dryRun(optionsFor(source.address), true, target)).rejects.toThrow('25 of 30 users');
    await target.close();
    await expect(move(database, optionsFor(source.address))).rejects.toThrow(
      '25 of 30 users that were moved before are not in the source any more. It is another database, or a copy that is not complete.',
    );
    expect(await stateOf(database)).toEqual(before);
    await database.drop();
  });

  it('is refused when all of a few users are missing', async () => {
    const source = await smallSource('veloera');
    await source.execute('DELETE FROM users WHERE id > 3');
    const database = await createTestDatabase();
    await move(database, optionsFor(source.address));
    const before = await stateOf(database);
    await source.execute('UPDATE users SET id = id + 100');
    await expect(move(database, optionsFor(source.address))).rejects.toThrow('users that were moved before are not');
    expect(await stateOf(database)).toEqual(before);
    await database.drop();
  });

  it('does not undo what was changed here', async () => {
    const source = await smallSource('veloera');
    const database = await createTestDatabase();
    await move(database, optionsFor(source.address));
    const target = await openTarget(database.url);
    await target.query('SELECT pg_advisory_unlock_all()');
    await target.query(`UPDATE channels SET name = 'renamed here' WHERE id = 2`);
    await move(database, optionsFor(source.address));
    expect(await target.query('SELECT name FROM channels WHERE id = 2')).toEqual([{ name: 'renamed here' }]);
    await target.close();
    await database.drop();
  });
});

it('keeps names that differ by case only, names them, and moves them again when they change', async () => {
  const source = await smallSource('veloera');
  await source.execute(`UPDATE users SET username = 'USER04' WHERE id = 5`);
  const database = await createTestDatabase();
  const report = await move(database, optionsFor(source.address));
  const found = report.findings.find(({ code }) => code === 'username-alike');
  expect(found).toMatchObject({ severity: 'notice', count: 2 });
  expect(found?.examples.map(({ id, detail }) => [id, detail])).toEqual([
    ['4', 'user04'],
    ['5', 'USER04'],
  ]);
  await source.execute(`UPDATE users SET username = CASE id WHEN 4 THEN 'User04' ELSE 'uSER04' END WHERE id IN (4, 5)`);
  await move(database, optionsFor(source.address));
  const server = await startServer({ database });
  expect((await server.api.signIn('User04', 'password of user04')).id).toBe(4);
  expect((await server.api.signIn('uSER04', 'password of user05')).id).toBe(5);
  await server.stop();
  await database.drop();
});

describe('a site that is not empty', () => {
  it('keeps its root user when it was only set up, beside every user of the source', async () => {
    const source = await smallSource('one-api');
    const database = await createTestDatabase();
    const server = await startServer({ database });
    const root = await server.api.setUp();
    await source.execute(`UPDATE users SET username = 'Root', email = 'Owner@site.example' WHERE id = 1`);
    await server.dataSource.query(`UPDATE users SET email = 'owner@site.example', github_id = '42' WHERE id = 1`);
    await source.execute(`UPDATE users SET github_id = '42' WHERE id = 2`);
    const report = await move(database, optionsFor(source.address));
    expect(report.proof).toMatchObject({ sumsAreEqual: true, drifts: [] });
    const rows = await server.dataSource.query<unknown[]>(
      "SELECT id, username, role FROM users WHERE role IN ('admin', 'root') ORDER BY id",
    );
    expect(rows).toEqual([
      { id: 1, username: 'Root', role: 'admin' },
      { id: 2, username: 'user02', role: 'admin' },
      { id: 5, username: 'user05', role: 'admin' },
      { id: 10_030, username: 'root-2', role: 'root' },
    ]);
    expect(report.findings.find(({ code }) => code === 'site-root')?.examples.map(({ detail }) => detail)).toEqual([
      ...['root-2', 'root-2 without email', 'root-2 without github_id'],
    ]);
    expect(
      await server.dataSource.query('SELECT id, email, github_id FROM users WHERE id IN (1, 2, 10030) ORDER BY id'),
    ).toEqual([
      { id: 1, email: 'Owner@site.example', github_id: '' },
      { id: 2, email: 'user02@example.com', github_id: '42' },
      { id: 10_030, email: '', github_id: '' },
    ]);
    const again = await server.api.signIn('root-2', root.password);
    expect(again.id).toBe(10_030);
    expect((await server.api.signIn('Root', 'password of user01')).id).toBe(1);
    await server.stop();
    await database.drop();
  });

  it('takes along everything that names its root user, and nothing of it stays with the user of the same id', async () => {
    const source = await smallSource('one-api');
    const database = await createTestDatabase();
    const server = await startServer({ database });
    const root = await server.api.setUp();
    const made = await server.api.rest(root, 'POST', '/api/budget/', {
      level: 'user',
      subject_id: root.id,
      kind: 'money',
      amount: 1,
      window: 'day',
    });
    await server.dataSource.query(
      `INSERT INTO price_updates (created_by, markup, before, after, version_before, version_after)
       VALUES ($1, 1, '{}', '{}', '', '')`,
      [root.id],
    );
    await server.dataSource.query(`INSERT INTO price_checks (created_by, sources) VALUES ($1, '[]')`, [root.id]);
    await server.dataSource.query(
      `INSERT INTO import_jobs (state, source_name, source_sealed, started_by) VALUES ('done', '', '', $1)`,
      [root.id],
    );
    const saved = await server.api.rest(root, 'PUT', '/api/user/', {
      id: root.id,
      username: 'root',
      display_name: 'Owner',
    });
    expect([made.body, saved.body]).toEqual([made, saved].map(() => expect.objectContaining({ success: true })));
    await move(database, optionsFor(source.address));
    const [found] = await server.dataSource.query<unknown[]>(`
      SELECT (SELECT json_agg(ARRAY[subject_id, created_by]) FROM budgets) AS budgets,
             (SELECT json_agg(created_by) FROM price_updates) AS updates,
             (SELECT json_agg(created_by) FROM price_checks) AS checks,
             (SELECT json_agg(started_by) FROM import_jobs) AS jobs,
             (SELECT json_agg(DISTINCT subject_id) FROM audit_entries WHERE subject = 'user') AS audit`);
    expect(found).toEqual({
      budgets: [[10_030, 10_030]],
      updates: [10_030],
      checks: [10_030],
      jobs: [10_030],
      audit: ['10030'],
    });
    await server.stop();
    await database.drop();
  });

  it('is refused, and so is a second source', async () => {
    const [first, second] = [await smallSource('one-api'), await smallSource('veloera')];
    const database = await createTestDatabase();
    await move(database, optionsFor(first.address));
    await expect(move(database, optionsFor(second.address))).rejects.toThrow(
      /This site was imported from .*one-api\.db\. A second source/,
    );
    await database.drop();
    const used = await startServer();
    const root = await used.api.setUp();
    await used.api.createChannel(root, { baseUrl: upstream });
    await expect(move(used.database, optionsFor(first.address))).rejects.toThrow(
      'This site is not fresh: it has channels.',
    );
    await used.stop();
  });
});

describe('options', () => {
  it('of one-api let no user choose the group of another for a key, which may be cheaper', async () => {
    const source = await smallSource('one-api');
    await source.execute(`UPDATE options SET value = '{"default":1,"vip":0.5}' WHERE "key" = 'GroupRatio'`);
    const database = await createTestDatabase();
    const report = await move(database, optionsFor(source.address));
    const again = await move(database, optionsFor(source.address));
    expect(again.tables).toContainEqual(expect.objectContaining({ table: 'options', moved: 0, changed: 0 }));
    const server = await startServer({ database });
    const user = await server.api.signIn('user04', 'password of user04');
    const groups = await server.api.rest(user, 'GET', '/api/user/self/groups');
    expect(Object.keys((groups.body as { data: object }).data)).toEqual(['default']);
    const vip = await server.api.rest(user, 'POST', '/api/token/', { name: 'cheap', group: 'vip' });
    expect(vip.body).toMatchObject({ success: false });
    await server.stop();
    expect(found(report, 'groups-closed')).toEqual(['options UserUsableGroups ']);
    // The other programs have the option, with the same built-in value as this site.
    const other = await smallSource('veloera');
    expect(found(await dryRun(optionsFor(other.address), false), 'groups-closed')).toEqual([]);
    await database.drop();
  });

  it('of new-api keep the reward of a check-in, the currency of amounts and its rates', async () => {
    const source = await smallSource('new-api');
    await source.execute(
      `DELETE FROM options WHERE "key" IN ('CheckInEnabled', 'CheckInQuota', 'CheckInMaxQuota', 'general_setting.quota_display_type')`,
    );
    for (const [key, value] of [
      ['checkin_setting.enabled', 'true'],
      ['checkin_setting.min_quota', '700'],
      ['checkin_setting.max_quota', '700'],
      ['general_setting.quota_display_type', 'CNY'],
      ['USDExchangeRate', '7.1'],
      ['general_setting.custom_currency_symbol', '₽'],
      ['general_setting.custom_currency_exchange_rate', '90.5'],
    ])
      await source.execute(`INSERT INTO options ("key", value) VALUES ('${key}', '${value}')`);
    const database = await createTestDatabase();
    const report = await move(database, optionsFor(source.address));
    expect(found(report, 'option-refused')).not.toContainEqual(expect.stringContaining('quota_display_type'));
    expect(found(report, 'option-unknown')).not.toContain('options USDExchangeRate ');
    const server = await startServer({ database });
    const user = await server.api.signIn('user04', 'password of user04');
    const done = await server.api.rest(user, 'POST', '/api/user/checkin');
    expect(done.body).toMatchObject({ success: true, data: { quota_awarded: 700 } });
    const status = await server.api.rest(null, 'GET', '/api/status');
    expect(status.body).toMatchObject({
      data: {
        display_in_currency: true,
        quota_display_type: 'CNY',
        usd_exchange_rate: 7.1,
        custom_currency_symbol: '₽',
        custom_currency_exchange_rate: 90.5,
      },
    });
    await server.stop();
    for (const [type, isCurrency] of [
      ['CUSTOM', true],
      ['TOKENS', false],
      ['USD', true],
    ]) {
      await source.execute(`UPDATE options SET value = '${type}' WHERE "key" = 'general_setting.quota_display_type'`);
      await move(database, optionsFor(source.address));
      const later = await startServer({ database });
      const shown = await later.api.rest(null, 'GET', '/api/status');
      expect(shown.body).toMatchObject({ data: { display_in_currency: isCurrency, quota_display_type: type } });
      await later.stop();
    }
    await database.drop();
  });

  it('that a source has under its older name, too, are taken from the newer one', async () => {
    const source = await smallSource('new-api');
    const add = (key: string, value: string) =>
      source.execute(`INSERT INTO options ("key", value) VALUES ('${key}', '${value}')`);
    await source.execute(
      `DELETE FROM options WHERE "key" IN ('DisplayInCurrencyEnabled', 'ChatLink', 'Chats', 'general_setting.quota_display_type')`,
    );
    await add('general_setting.quota_display_type', 'TOKENS');
    await add('DisplayInCurrencyEnabled', 'true');
    await add('ChatLink', 'https://old.example');
    await add('Chats', '[{"New": "https://new.example"}]');
    const database = await createTestDatabase();
    await move(database, optionsFor(source.address));
    const again = await move(database, optionsFor(source.address));
    const target = await openTarget(database.url);
    expect(
      await target.query(
        `SELECT key, value::jsonb FROM options WHERE key IN ('DisplayInCurrencyEnabled', 'Chats') ORDER BY 1`,
      ),
    ).toEqual([
      { key: 'Chats', value: [{ New: 'https://new.example' }] },
      { key: 'DisplayInCurrencyEnabled', value: false },
    ]);
    expect(again.tables).toContainEqual(expect.objectContaining({ table: 'options', moved: 0, changed: 0 }));
    await target.close();
    await database.drop();
  });
});

describe('bad records', () => {
  it('are reported and never stop the move', async () => {
    const source = await smallSource('new-api');
    await source.execute(`UPDATE users SET quota = 'much' WHERE id = 20`);
    await source.execute(`UPDATE users SET username = 'user22' WHERE id = 21`);
    await source.execute(`UPDATE tokens SET "key" = (SELECT "key" FROM tokens WHERE id = 30) WHERE id = 31`);
    await source.execute(`UPDATE tokens SET user_id = 999 WHERE id = 32`);
    await source.execute(`UPDATE tokens SET "key" = '' WHERE id = 33`);
    await source.execute(`UPDATE logs SET quota = 'x' WHERE id = 5`);
    await source.execute(`UPDATE logs SET type = 9 WHERE id = 6`);
    const database = await createTestDatabase();
    const report = await move(database, optionsFor(source.address));
    const found = (code: string) => report.findings.find((one) => one.code === code);
    const refused = found('record-refused')?.examples.map(({ table, id }) => `${table} ${id}`) ?? [];
    expect(refused).toEqual(expect.arrayContaining(['users 20', 'users 22', 'tokens 31']));
    expect(found('owner-missing')?.examples).toEqual([{ table: 'tokens', id: '32', detail: 'user 999' }]);
    expect(found('key-missing')?.count).toBe(1);
    expect(found('log-refused')?.examples).toMatchObject([{ table: 'logs', id: '5' }]);
    expect(found('log-type')?.count).toBe(1);
    expect(report.proof?.drifts).toEqual([]);
    await database.drop();
  });

  it('are not made of balances that stand for "without limit"', async () => {
    const source = await smallSource('veloera');
    await source.execute(`UPDATE users SET quota = 99999999999999999, used_quota = 9223372036854775807 WHERE id = 20`);
    await source.execute(`UPDATE tokens SET remain_quota = 9223372036854775807 WHERE id = 3`);
    await source.execute(`UPDATE channels SET used_quota = 9223372036854775807 WHERE id = 1`);
    const database = await createTestDatabase();
    const report = await move(database, optionsFor(source.address));
    const cut = report.findings.find(({ code }) => code === 'amount-cut')?.examples ?? [];
    expect(cut.map(({ table, id, detail }) => `${table} ${id} ${detail}`)).toEqual([
      'users 20 quota 99999999999999999',
      'users 20 used_quota 9223372036854775807',
      'tokens 3 remain_quota 9223372036854775807',
      'channels 1 used_quota 9223372036854775807',
    ]);
    expect(report.proof).toMatchObject({ sumsAreEqual: true, drifts: [], keysFound: 60 });
    const target = await openTarget(database.url);
    expect(await target.query(`SELECT quota, used_quota FROM users WHERE id = 20`)).toEqual([
      { quota: '1000000000000000', used_quota: '1000000000000000' },
    ]);
    await target.close();
    await database.drop();
  });

  it('leave the ledger consistent when a later run moves them, corrected, after their log', async () => {
    const source = await smallSource('new-api');
    await source.execute(`UPDATE users SET quota = 'much' WHERE id = 20`);
    await source.execute(`UPDATE tokens SET remain_quota = 'much' WHERE id = 3`);
    await source.execute(`UPDATE channels SET used_quota = 'much' WHERE id = 1`);
    const database = await createTestDatabase();
    await move(database, optionsFor(source.address));
    await source.execute(`UPDATE users SET quota = 1000, used_quota = 70000 WHERE id = 20`);
    await source.execute(`UPDATE tokens SET remain_quota = 2000 WHERE id = 3`);
    await source.execute(`UPDATE channels SET used_quota = 4000000 WHERE id = 1`);
    const report = await move(database, optionsFor(source.address));
    expect(report.tables).toContainEqual(expect.objectContaining({ table: 'users', moved: 1 }));
    expect(report.proof).toMatchObject({ sumsAreEqual: true, drifts: [], keysFound: 60 });
    await database.drop();
  });

  it('are reported in tables that are read as a whole, too', async () => {
    const source = await smallSource('new-api');
    await source.execute(`UPDATE users SET role = 'admin' WHERE id = 23`);
    await source.execute(`UPDATE quota_data SET quota = 'much' WHERE id = 1`);
    await source.execute(`UPDATE user_subscriptions SET amount_used = 'much', end_time = 0`);
    await source.execute(`UPDATE channels SET status = 'on' WHERE id = 7`);
    const database = await createTestDatabase();
    const { decisions } = optionsFor(source.address);
    const report = await move(
      database,
      optionsFor(source.address, { decisions: { ...decisions, plans: 'balance' }, logs: 'none' }),
    );
    const refused = report.findings.find(({ code }) => code === 'record-refused')?.examples ?? [];
    expect(refused.map(({ table, id }) => `${table} ${id}`)).toEqual(
      expect.arrayContaining(['user_subscriptions 1', 'users 23', 'channels 7', 'quota_data 1']),
    );
    expect(report.proof?.drifts).toEqual([]);
    await database.drop();
  });
});
