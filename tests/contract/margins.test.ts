import { randomUUID } from 'node:crypto';
import { Aggregator } from '../../server/src/billing/rollups/aggregator.js';
import { chat, type ReportedUsage } from '../support/upstream/replies.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { Site, type Person } from './site.js';

/* Costs and margins: as providers report them, else by the cost of the channel, else by the list price. */

let site: Site;
let upstream: Upstream;
let root: Person;
let user: Person;
let key: string;
let ids: Record<'router' | 'silent', number>;

beforeAll(async () => {
  [site, upstream] = await Promise.all([Site.open({ OUTBOUND_ALLOW: '127.0.0.1' }), startUpstream()]);
  root = await site.setUp();
  user = await site.invite(root);
  await site.graphql(
    root,
    `mutation { grantQuota(input: { userId: ${user.id}, amount: 50000000, idempotencyKey: "${randomUUID()}" }) { user { id } } }`,
  );
  const channel = { key: 'sk-upstream', group: 'default', base_url: upstream.url };
  await site.expectSuccess(root, 'POST', '/api/channel/', { ...channel, name: 'router', type: 20, models: 'gpt-4o' });
  await site.expectSuccess(root, 'POST', '/api/channel/', {
    ...channel,
    name: 'silent',
    type: 1,
    models: 'gpt-4o-mini',
  });
  const rows = await site.query<{ id: number; name: 'router' | 'silent' }>('SELECT id, name FROM channels');
  ids = Object.fromEntries(rows.map(({ id, name }) => [name, id])) as typeof ids;
  const made = await site.expectSuccess(user, 'POST', '/api/token/', { name: 'mine', unlimited_quota: true });
  key = (made.body.data as { key: string }).key;
});
afterAll(() => Promise.all([site.stop(), upstream.stop()]));
beforeEach(async () => {
  upstream.reset();
  await site.query('DELETE FROM usage_hourly');
  await site.query('DELETE FROM usage_five_minutes');
});

async function call(model: string, stream: boolean, cost: object): Promise<void> {
  const usage: ReportedUsage = { prompt_tokens: 100_000, completion_tokens: 0, total_tokens: 100_000, ...cost };
  // The response has no text, because reported output of 0 tokens is accepted only for an empty response.
  upstream.script({}, chat({ text: '', usage }));
  const body = {
    model,
    stream,
    ...(stream ? { stream_options: { include_usage: true } } : {}),
    messages: [{ role: 'user', content: 'hi' }],
  };
  const headers = { authorization: `Bearer sk-${key}`, 'content-type': 'application/json' };
  const answer = await fetch(`${site.server.url}/v1/chat/completions`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  expect([answer.status, (await answer.text()).length > 0]).toEqual([200, true]);
}

interface Row {
  key: { channelId: number; channelName: string };
  metrics: { calls: number; cost: Record<string, number> };
}

async function ask(person: Person, args = ''): Promise<Row[]> {
  const cost = 'cost { knownCalls coverage usd upstreamUsd marginUsd }';
  const order = 'groupBy: [CHANNEL], orderBy: { metric: MARGIN_USD }';
  const query = `{ usage(${order} ${args}) { items { key { channelId channelName } metrics { calls ${cost} } } } }`;
  const { data, text } = await site.graphql(person, query);
  if (!data?.['usage']) throw new Error(text);
  return (data['usage'] as { items: Row[] }).items;
}

const close = (value: number): number => expect.closeTo(value, 9) as number;

it('adds up what providers report, whole and streamed, and list prices where they report nothing', async () => {
  // 100,000 tokens at 2.5 USD per million: 0.25 USD.
  await call('gpt-4o', false, { cost: 0.2 });
  await call('gpt-4o', true, { cost: 0.1 });
  await call('gpt-4o', false, {});
  await call('gpt-4o-mini', false, {});
  const expected = [
    {
      key: { channelId: ids.router, channelName: 'router' },
      metrics: {
        calls: 3,
        // Two calls have the reported costs 0.2 and 0.1. The third call costs its list price, at which it is sold.
        cost: {
          knownCalls: 3,
          coverage: 1,
          usd: close(0.75),
          upstreamUsd: close(0.55),
          marginUsd: close(0.2),
        },
      },
    },
    {
      key: { channelId: ids.silent, channelName: 'silent' },
      // 100,000 tokens of gpt-4o-mini at 0.15 USD per million.
      metrics: {
        calls: 1,
        cost: { knownCalls: 1, coverage: 1, usd: close(0.015), upstreamUsd: close(0.015), marginUsd: 0 },
      },
    },
  ];
  expect(await ask(root)).toEqual(expected);
  expect(await ask(root, ', range: { calendar: TODAY }, bucket: MINUTE_5')).toMatchObject(
    expect.arrayContaining([
      expect.objectContaining({ key: { channelId: ids.router, channelName: 'router' } }),
    ]) as object[],
  );
  // The last call turns the margin into a loss.
  await call('gpt-4o', false, { cost: 1 });
  expect(await ask(root)).toMatchObject([
    { key: { channelName: 'silent' }, metrics: { cost: { marginUsd: 0 } } },
    { key: { channelName: 'router' }, metrics: { cost: { knownCalls: 4, marginUsd: close(-0.55) } } },
  ]);
});

it('shows what plans paid apart, in every table of usage', async () => {
  const windows = [{ window: 'fixed', kind: 'money', amount: 50_000_000 }];
  const shape = { name: 'All', price: 1, period_unit: 'day', period_count: 1, windows, models: ['gpt-4o'] };
  const plan = (await site.expectSuccess(root, 'POST', '/api/plan/', shape)).body.data as { id: number };
  const gift = { user_id: user.id, plan_id: plan.id, note: 'for a test' };
  const given = (await site.expectSuccess(root, 'POST', '/api/plan/grant', gift)).body.data as { id: number };
  await call('gpt-4o', false, { cost: 0.2 });
  await call('gpt-4o', true, { cost: 0.1 });
  await site.expectSuccess(root, 'POST', '/api/plan/refund', { id: given.id, note: 'for a test' });
  await call('gpt-4o', false, { cost: 0.2 });
  const cost = {
    knownCalls: 3,
    usd: close(0.25),
    planUsd: close(0.5),
    upstreamUsd: close(0.5),
    marginUsd: close(-0.25),
  };
  const read = async (args: string) => {
    const query = `{ usage(filter: { models: ["gpt-4o"] }, range: { calendar: TODAY }, ${args}) {
      total { quota cost { knownCalls usd planUsd upstreamUsd marginUsd } } } }`;
    return ((await site.graphql(root, query)).data?.['usage'] as { total: unknown }).total;
  };
  for (const groupBy of ['[CHANNEL], bucket: MINUTE_5', '[USER]', '[TOKEN, MODEL]']) {
    expect(await read(`groupBy: ${groupBy}`)).toEqual({ quota: 375_000, cost });
  }
  // The log has the calls of the tests before, too, which no plan paid.
  const logged = (await read('groupBy: [UPSTREAM_KEY]')) as { cost: { planUsd: number } };
  expect(logged.cost.planUsd).toBeCloseTo(0.5, 9);
});

it('keeps costs in the rollups, for any dimension', async () => {
  const start = Math.floor(Date.now() / 1000 / 3600) * 3600 - 5 * 3600;
  for (const model of ['a', 'b']) {
    await site.query(
      `INSERT INTO usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", calls, quota, cost_calls, cost_quota, cost_nano_usd)
       VALUES ($1, $2, 0, $3, $4, 'default', 2, 1000000, 1, 500000, 250000000)`,
      [start, user.id, ids.router, model],
    );
  }
  const read = async (): Promise<unknown> => {
    const query = `{ usage(groupBy: [MODEL]) { items { key { modelName } metrics { cost { marginUsd coverage } } } total { cost { knownCalls upstreamUsd } } } }`;
    return (await site.graphql(root, query)).data?.['usage'];
  };
  const row = (modelName: string) => ({ key: { modelName }, metrics: { cost: { marginUsd: 0.75, coverage: 0.5 } } });
  const expected = { items: [row('a'), row('b')], total: { cost: { knownCalls: 2, upstreamUsd: 0.5 } } };
  expect(await read()).toEqual(expected);
  const sums = () => site.query('SELECT 1 FROM usage_by_model WHERE start = $1', [start]);
  // The site's own aggregator may be running. Then this one does nothing, and the rows do not exist yet.
  do await new Aggregator(site.dataSource, 60_000).run();
  while ((await sums()).length === 0);
  expect(await read()).toEqual(expected);
});

it('orders by margin and by what is known, with groups of unknown costs last', async () => {
  const start = Math.floor(Date.now() / 1000 / 3600) * 3600 - 3600;
  for (const [model, calls, known, sold, nanoUsd] of [
    ['loss', 4, 2, 500_000, 2_000_000_000],
    ['profit', 10, 10, 5_000_000, 9_000_000_000],
    ['thin', 10, 1, 50_000_000, 99_500_000_000],
    ['unknown', 90, 0, 0, 0],
  ] as const) {
    await site.query(
      `INSERT INTO usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", calls, quota, cost_calls, cost_quota, cost_nano_usd)
       VALUES ($1, $2, 0, $3, $4, 'default', $5, 60000000, $6, $7, $8)`,
      [start, user.id, ids.router, model, calls, known, sold, nanoUsd],
    );
  }
  const by = async (metric: string, direction: string): Promise<string[]> => {
    const query = `{ usage(groupBy: [MODEL], orderBy: [{ metric: ${metric}, direction: ${direction} }]) { items { key { modelName } } } }`;
    const { items } = (await site.graphql(root, query)).data?.['usage'] as { items: { key: { modelName: string } }[] };
    return items.map(({ key: { modelName } }) => modelName);
  };
  expect(await by('MARGIN_USD', 'ASC')).toEqual(['loss', 'thin', 'profit', 'unknown']);
  expect(await by('MARGIN_USD', 'DESC')).toEqual(['profit', 'thin', 'loss', 'unknown']);
  expect(await by('MARGIN_SHARE', 'DESC')).toEqual(['profit', 'thin', 'loss', 'unknown']);
  expect(await by('KNOWN_USD', 'ASC')).toEqual(['loss', 'profit', 'thin', 'unknown']);
  expect(await by('UPSTREAM_USD', 'DESC')).toEqual(['thin', 'profit', 'loss', 'unknown']);
  expect(await by('KNOWN_CALLS', 'DESC')).toEqual(['profit', 'loss', 'thin', 'unknown']);
});

it('tells the keys of a channel apart, by their last characters or their place', async () => {
  const keys = ['sk-upstream-number-aaaa', 'sk-upstream-number-bbbb', 'short'];
  await site.expectSuccess(root, 'POST', '/api/channel/', {
    key: 'sk-upstream',
    group: 'default',
    base_url: upstream.url,
    name: 'many',
    type: 20,
    models: 'gpt-4.1-mini',
  });
  const [many] = await site.query<{ id: number }>("SELECT id FROM channels WHERE name = 'many'");
  const add = `mutation { addChannelKeys(input: { id: ${many?.id}, keys: ${JSON.stringify(keys)} }) { channel { keys { ending } } } }`;
  expect((await site.graphql(root, add)).codes).toEqual([]);
  for (let n = 0; n < 8; n++) await call('gpt-4.1-mini', n % 2 === 1, { cost: 0.01 * (n + 1) });
  const received = upstream.requests.map(({ headers }) => headers.authorization);
  const rows = await site.query<{ other: string }>(
    "SELECT other FROM logs WHERE model_name = 'gpt-4.1-mini' ORDER BY id",
  );
  const names: Record<string, string> = {
    aaaa: keys[0] ?? '',
    bbbb: keys[1] ?? '',
    '#1': 'sk-upstream',
    '#4': 'short',
  };
  const logged = rows.map(
    ({ other }) => (JSON.parse(other) as { admin_info: { upstream_key: string } }).admin_info.upstream_key,
  );
  expect(logged.map((name) => `Bearer ${names[name]}`)).toEqual(received);
  const query = `{ usage(range: { calendar: TODAY }, filter: { channelIds: [${many?.id}] }, groupBy: [CHANNEL, UPSTREAM_KEY], orderBy: [{ metric: MARGIN_USD, direction: ASC }]) {
    items { key { channelId upstreamKeyName } metrics { calls cost { knownCalls usd marginUsd } } } } }`;
  const { items } = (await site.graphql(root, query)).data?.['usage'] as {
    items: {
      key: { upstreamKeyName: string };
      metrics: { calls: number; cost: { knownCalls: number; marginUsd: number } };
    }[];
  };
  const costs = logged.map((name, n) => ({ name, margin: 0.04 - 0.01 * (n + 1) }));
  const expected = [...new Set(logged)]
    .map((name) => costs.filter((one) => one.name === name))
    .map((own) => ({ name: own[0]?.name, calls: own.length, margin: own.reduce((sum, { margin }) => sum + margin, 0) }))
    .sort((one, other) => one.margin - other.margin)
    .map(({ margin, ...one }) => ({ ...one, margin: close(margin) }));
  expect(
    items.map(({ key: { upstreamKeyName }, metrics: { calls, cost } }) => ({
      name: upstreamKeyName,
      calls,
      margin: cost.marginUsd,
    })),
  ).toEqual(expected);
  expect(new Set(logged).size).toBeGreaterThan(1);
  const first = expected[0]?.name ?? '';
  const ofKeys = async (names: readonly string[]): Promise<unknown> => {
    const filter = `{ channelIds: [${many?.id}], upstreamKeys: ${JSON.stringify(names)} }`;
    const asked = `{ usage(range: { calendar: TODAY }, filter: ${filter}, groupBy: [MODEL]) { items { metrics { calls } } total { calls } } }`;
    return (await site.graphql(root, asked)).data?.['usage'];
  };
  const answer = (calls: number) => ({ items: [{ metrics: { calls } }], total: { calls } });
  const callsOf = (name: string): number => logged.filter((one) => one === name).length;
  expect(await ofKeys([first])).toEqual(answer(callsOf(first)));
  expect(await ofKeys([...new Set(logged)])).toEqual(answer(logged.length));
  expect(await ofKeys([''])).toEqual({ items: [], total: { calls: 0 } });
});

it('shows no costs of the site below admin', async () => {
  await call('gpt-4o', false, { cost: 0.2 });
  const own = await site.expectSuccess(user, 'GET', '/api/log/self/?p=0&page_size=1');
  expect(JSON.stringify(own.body)).not.toContain('upstream_cost');
  const all = await site.expectSuccess(root, 'GET', '/api/log/?p=0&page_size=1');
  expect(JSON.stringify(all.body)).toContain('upstream_cost');
  const sorted = ['UPSTREAM_USD', 'MARGIN_USD', 'MARGIN_SHARE', 'KNOWN_USD', 'KNOWN_CALLS'].map(
    (metric) => `{ myUsage(groupBy: [MODEL], orderBy: { metric: ${metric} }) { items { key { modelName } } } }`,
  );
  for (const query of ['{ usage { totalCount } }', '{ myUsage { total { cost { usd } } } }', ...sorted]) {
    expect((await site.graphql(user, query)).codes).toEqual(['INSUFFICIENT_PRIVILEGES']);
  }
});
