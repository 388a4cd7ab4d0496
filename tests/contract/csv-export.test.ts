import { Site, type Person } from './site.js';

let site: Site;
let root: Person;
let alice: Person;

beforeAll(async () => {
  site = await Site.open();
  root = await site.setUp();
  alice = await site.invite(root);
  await site.query('DELETE FROM logs');
  await site.query(
    `INSERT INTO logs (created_at, type, user_id, username, token_name, channel_id, model_name, "group", quota, content)
     SELECT 1700000000 + n, 2, CASE WHEN n % 2 = 0 THEN $1::integer ELSE $2::integer END, CASE WHEN n % 2 = 0 THEN $3 ELSE '=cmd' END,
            'key "a", b', 7, 'gpt-4o', 'default', n, 'content' FROM generate_series(1, 2500) n`,
    [alice.id, root.id, alice.username],
  );
});
afterAll(() => site.stop());

async function download(person: Person, path: string): Promise<{ lines: string[]; headers: Headers }> {
  const response = await fetch(`${site.server.url}${path}`, {
    headers: { cookie: person.cookie, 'veloera-user': String(person.id) },
  });
  return {
    lines: Buffer.from(await response.arrayBuffer())
      .toString()
      .split('\r\n')
      .slice(0, -1),
    headers: response.headers,
  };
}

it('exports every row that matches, newest first, over any number of reads', async () => {
  const { lines, headers } = await download(root, '/api/log/export');
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(headers.get('content-disposition')).toBe('attachment; filename="logs.csv"');
  expect(lines[0]).toBe(
    'time,type,username,token,model,group,quota,prompt_tokens,completion_tokens,use_time,is_stream,request_id,content,channel,channel_name,charge_lines,affinity,cost_usd,cost_basis,ip',
  );
  expect(lines).toHaveLength(2501);
  expect(lines[1]).toBe(
    `2023-11-14T22:55:00.000Z,2,${alice.username},"key ""a"", b",gpt-4o,default,2500,0,0,0,false,,content,7,,,,,,`,
  );
  expect(lines[2]).toContain(",'=cmd,");
  expect(new Set(lines).size).toBe(2501);
  const some = await download(root, '/api/log/export?start_timestamp=1700000010&end_timestamp=1700000019&type=2');
  expect(some.lines).toHaveLength(11);
});

it('makes no formula of a name, not even with full-width signs', async () => {
  const signs = [...'=+-@＝＋－＠'];
  await site.query(
    `INSERT INTO logs (created_at, type, user_id, username, quota, content)
     SELECT 1600000005, 2, $1, sign || 'cmd', 1, '' FROM unnest($2::text[]) sign`,
    [root.id, signs],
  );
  const { lines } = await download(root, '/api/log/export?start_timestamp=1600000005&end_timestamp=1600000005');
  const names = lines.slice(1).map((line) => line.split(',')[2] ?? '');
  expect(names.sort()).toEqual(signs.map((sign) => `'${sign}cmd`).sort());
  await site.query('DELETE FROM logs WHERE created_at = 1600000005');
});

it('states the affinity of calls with budgets, whose details Postgres has written', async () => {
  const other = JSON.stringify({ request_path: '/v1/messages', affinity: 'hit' });
  await site.query(
    `INSERT INTO logs (created_at, type, user_id, username, other)
     VALUES (1600000003, 2, $1, 'a', $2::text), (1600000003, 2, $1, 'a', $2::jsonb::text)`,
    [root.id, other],
  );
  const { lines } = await download(root, '/api/log/export?start_timestamp=1600000003&end_timestamp=1600000003');
  expect(lines.slice(1).map((line) => line.split(',').at(-4))).toEqual(['hit', 'hit']);
  await site.query('DELETE FROM logs WHERE created_at = 1600000003');
});

it('exports for people what the console lists: one type without tests, and rows that cost nothing', async () => {
  await site.query(
    `INSERT INTO logs (created_at, type, user_id, username, quota, content)
     VALUES (1600000001, 2, $1, 'a', 0, 'free'), (1600000001, 7, $1, 'a', 9, 'test'), (1600000001, 0, $1, 'a', 5, 'unknown')`,
    [root.id],
  );
  const exported = async (query: string): Promise<string[]> => {
    const range = 'start_timestamp=1600000001&end_timestamp=1600000001&format=people';
    const { lines } = await download(root, `/api/log/export?${range}&${query}`);
    return lines.slice(1).map((line) => /free|test|unknown/.exec(line)?.[0] ?? '');
  };
  expect(await exported('type=&max_quota=')).toEqual(['unknown', 'test', 'free']);
  expect(await exported('type=2')).toEqual(['free']);
  expect(await exported('type=0')).toEqual(['unknown']);
  expect(await exported('max_quota=0')).toEqual(['free']);
  // No cost is below zero, so the file is empty, as the list is.
  expect(await exported('max_quota=-1')).toEqual([]);
  await site.query('DELETE FROM logs WHERE created_at = 1600000001');
});

it('exports the log for people: USD, local times and names', async () => {
  const range = 'start_timestamp=1700002500&end_timestamp=1700002500&format=people';
  const { lines } = await download(root, `/api/log/export?${range}&time_zone=Asia/Shanghai`);
  expect(lines).toEqual([
    '\uFEFFTime (Asia/Shanghai),Type,User,Token,Group,Model,Upstream model,Cost (USD),Credit (USD),Input tokens,Cached tokens,Output tokens,Group ratio,Duration (s),First token (s),Stream,Request ID,Address,Content,Channel,Channels tried,Upstream cost (USD),Margin (USD)',
    `2023-11-15 06:55:00,Consume,${alice.username},"key ""a"", b",default,gpt-4o,,0.005,,0,0,0,,0,,false,,,content,,,,`,
  ]);
  const zh = await download(alice, `/api/log/self/export?${range}&time_zone=America/New_York&language=zh`);
  expect(zh.lines[0]).toMatch(/^\uFEFF时间（America\/New_York）,类型,用户,.*,内容$/);
  expect(zh.lines[1]).toMatch(/^2023-11-14 17:55:00,消费,/);
  expect((await site.rest(root, 'GET', `/api/log/export?${range}&time_zone=Mars`)).body).toMatchObject({
    code: 'INVALID_INPUT',
  });
});

it('keeps credits and deductions out of the costs', async () => {
  const user = await site.invite(root);
  await site.query('DELETE FROM logs WHERE user_id = $1', [user.id]);
  const change = (quota: number) => site.expectSuccess(root, 'PUT', '/api/user/', { id: user.id, quota_delta: quota });
  await change(1_000_000);
  await change(-250_000);
  await site.query(
    `INSERT INTO logs (created_at, type, user_id, username, quota, content)
     VALUES (1600000005, 1, $1, $2, 500000, 'code'), (1600000005, 5, $1, $2, 5000, 'check-in'),
            (1600000005, 2, $1, $2, 50000, 'call')`,
    [user.id, user.username],
  );
  const { lines } = await download(root, `/api/log/export?username=${user.username}&format=people`);
  const zh = await download(root, `/api/log/export?username=${user.username}&format=people&language=zh`);
  expect(zh.lines[2]).toContain('管理员调整余额：$0.000000 → $2.000000');
  const cells = lines.slice(1).map((line) => line.split(','));
  const amounts = cells.map((row) => [row[1], row[7], row[8]]);
  expect(amounts).toEqual([
    ['Manage', '', '-0.5'],
    ['Manage', '', '2'],
    ['Consume', '0.1', ''],
    ['Check-in', '', '0.01'],
    ['Top-up', '', '1'],
  ]);
  const { data } = await site.graphql(user, '{ myLogs(filter: { types: [MANAGE] }) { items { quota usd } } }');
  expect(data).toEqual({
    myLogs: {
      items: [
        { quota: -250_000, usd: -0.5 },
        { quota: 1_000_000, usd: 2 },
      ],
    },
  });
  // REST clients have always read a deduction as 0.
  const stored = await site.query<{ quota: string }>(
    'SELECT quota FROM logs WHERE user_id = $1 AND type = 3 ORDER BY id',
    [user.id],
  );
  expect(stored.map(({ quota }) => Number(quota))).toEqual([1_000_000, 0]);
});

it('gives users their own rows, without channels', async () => {
  const { lines } = await download(alice, '/api/log/self/export?username=root&channel=1');
  expect(lines).toHaveLength(1251);
  expect(lines[0]).not.toContain('channel');
  expect(lines.slice(1).every((line) => line.includes(alice.username))).toBe(true);
});

it('exports usage by any dimensions', async () => {
  await site.query(
    `INSERT INTO usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", calls, quota, duration_ms)
     SELECT $2::bigint - n * 3600, $1, 0, 0, 'm' || n, 'default', 2, 250000, 100 FROM generate_series(1, 5) n`,
    [alice.id, Math.floor(Date.now() / 3_600_000) * 3600],
  );
  const { lines, headers } = await download(root, '/api/data/export?group_by=user,model');
  expect(headers.get('content-disposition')).toContain('usage.csv');
  expect(lines).toHaveLength(6);
  expect(lines[1]).toContain(`,${alice.id},${alice.username},,,,,m1,,2,0,0,0,0,250000,0.5,50,`);
  expect((await download(alice, '/api/data/self/export?group_by=HOUR&model_name=m3')).lines).toHaveLength(2);
  const hers = await download(root, `/api/data/export?group_by=user,model&username=${alice.username}`);
  expect(hers.lines).toEqual(lines);
  expect((await download(root, '/api/data/export?username=nobody-has-this-name')).lines).toHaveLength(1);
});

it('exports usage in the days of a time zone', async () => {
  await site.query(
    `INSERT INTO usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", calls, quota, duration_ms)
     SELECT extract(epoch FROM time::timestamptz)::bigint, $1, 0, 0, 'zoned', 'default', 2, 10, 100
       FROM unnest(ARRAY['2026-10-01T20:00Z', '2026-10-02T10:00Z']) time`,
    [alice.id],
  );
  const range = 'start_timestamp=1790800000&end_timestamp=1791100000&group_by=day&model_name=zoned';
  const times = async (query: string): Promise<string[]> => {
    const { lines } = await download(alice, `/api/data/self/export?${range}${query}`);
    return lines.slice(1).map((line) => line.split(',')[0] ?? '');
  };
  expect(await times('')).toEqual(['2026-10-01T00:00:00.000Z', '2026-10-02T00:00:00.000Z']);
  expect(await times('&time_zone=Asia/Shanghai')).toEqual(['2026-10-01T16:00:00.000Z']);
  // Usage is counted by the hour, so that a midnight within one moves to its end.
  expect(await times('&time_zone=Asia/Kolkata')).toEqual(['2026-10-01T19:00:00.000Z']);
  const { body } = await site.rest(alice, 'GET', `/api/data/self/export?${range}&time_zone=Mars`);
  expect(body).toMatchObject({ success: false, code: 'INVALID_INPUT' });
});

it('answers failures as every endpoint does, before a file begins', async () => {
  for (const path of ['/api/log/export', '/api/data/export', '/api/data/self/export?group_by=channel']) {
    expect((await site.rest(alice, 'GET', path)).body).toMatchObject({
      success: false,
      code: 'INSUFFICIENT_PRIVILEGES',
    });
  }
  expect((await site.rest(root, 'GET', '/api/data/export?group_by=nothing')).body).toMatchObject({
    code: 'INVALID_INPUT',
  });
  expect((await site.rest(root, 'GET', '/api/data/export?group_by=day,hour')).body).toMatchObject({
    code: 'INVALID_INPUT',
  });
});
