import { randomUUID } from 'node:crypto';
import { explainCost } from '../../server/src/billing/prices/explain-charge.js';
import { chat, type ReportedUsage } from '../support/upstream/replies.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { Site, type Person } from './site.js';

/* The cost of a channel: the provider's report, else a cost card of the channel, else the list price times its factor. */

let site: Site;
let upstream: Upstream;
let root: Person;
let user: Person;
let key: string;
let carded: number;

const cost = {
  factor: 0.5,
  cards: { 'gpt-4.1': { prices: { input: 1, output: 4 } }, 'own-*': { prices: { input: 0.5 } } },
};

beforeAll(async () => {
  [site, upstream] = await Promise.all([Site.open({ OUTBOUND_ALLOW: '127.0.0.1' }), startUpstream()]);
  root = await site.setUp();
  user = await site.invite(root);
  await site.graphql(
    root,
    `mutation { grantQuota(input: { userId: ${user.id}, amount: 50000000, idempotencyKey: "${randomUUID()}" }) { user { id } } }`,
  );
  const ModelRatio = JSON.stringify({ 'gpt-4o': 1.25, 'own-model': 1, unlisted: 1 });
  await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'ModelRatio', value: ModelRatio });
  carded = await create({ models: ['gpt-4.1', 'gpt-4o', 'own-model', 'unlisted'], cost });
  const made = await site.expectSuccess(user, 'POST', '/api/token/', { name: 'mine', unlimited_quota: true });
  key = (made.body.data as { key: string }).key;
});
afterAll(() => Promise.all([site.stop(), upstream.stop()]));
beforeEach(() => upstream.reset());

interface Shown {
  readonly id: number;
  readonly cost: unknown;
}

async function mutate(name: 'createChannel' | 'updateChannel', input: Record<string, unknown>): Promise<Shown> {
  const type = name === 'createChannel' ? 'CreateChannelInput' : 'UpdateChannelInput';
  const document = `mutation ($input: ${type}!) { ${name}(input: $input) { channel { id cost { factor cards } } } }`;
  const { data, text } = await site.graphql(root, document, { input });
  if (!data?.[name]) throw new Error(text);
  return (data[name] as { channel: Shown }).channel;
}

const create = async (more: Record<string, unknown>): Promise<number> =>
  (await mutate('createChannel', { name: 'carded', type: 'OPENAI', keys: ['sk-1'], baseUrl: upstream.url, ...more }))
    .id;

async function call(model: string, more: object = {}): Promise<void> {
  const usage: ReportedUsage = { prompt_tokens: 100_000, completion_tokens: 1000, total_tokens: 101_000, ...more };
  upstream.script({}, chat({ text: 'Hello', usage }));
  const response = await fetch(`${site.server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer sk-${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] }),
  });
  expect([response.status, (await response.text()).length > 0]).toEqual([200, true]);
}

interface Logged {
  readonly modelName: string;
  readonly usd: number;
  readonly upstreamUsd: number | null;
  readonly cost: Record<string, unknown> | null;
}

async function lastRow(): Promise<Logged> {
  const fields =
    'modelName usd upstreamUsd cost { usd marginUsd basis card factor lines { quantity count price isPerMillion usd } }';
  const { data, text } = await site.graphql(
    root,
    `{ logs(filter: { types: [CONSUME] }, pageSize: 1) { items { ${fields} } } }`,
  );
  const [row] = (data?.['logs'] as { items: Logged[] } | undefined)?.items ?? [];
  if (!row) throw new Error(text);
  return row;
}

it('takes what the provider reports, else the card of the channel, else the list price times the factor', async () => {
  // The call is sold at 2.5 and 10 USD per million, which is 0.26 USD. The list price is the same.
  await call('gpt-4o', { cost: 0.2 });
  expect(await lastRow()).toMatchObject({
    usd: 0.26,
    upstreamUsd: 0.2,
    cost: { usd: 0.2, marginUsd: 0.06, basis: 'REPORTED', card: null, factor: 1, lines: null },
  });
  await call('gpt-4o');
  expect(await lastRow()).toMatchObject({
    usd: 0.26,
    upstreamUsd: 0.13,
    cost: {
      usd: 0.13,
      marginUsd: 0.13,
      basis: 'LIST',
      card: 'gpt-4o',
      factor: 0.5,
      lines: [
        { quantity: 'input', count: 100_000, price: 2.5, isPerMillion: true, usd: 0.25 },
        { quantity: 'output', count: 1000, price: 10, isPerMillion: true, usd: 0.01 },
      ],
    },
  });
  // The call is sold at the list price of 2 and 8 USD, which is 0.208 USD. The cost card has 1 and 4 USD.
  await call('gpt-4.1');
  expect(await lastRow()).toMatchObject({
    usd: 0.208,
    cost: { usd: 0.104, marginUsd: 0.104, basis: 'CARD', card: 'gpt-4.1', factor: 1 },
  });
  // Output has no price on this card, so it costs nothing.
  await call('own-model');
  expect(await lastRow()).toMatchObject({ usd: 0.202, cost: { usd: 0.05, basis: 'CARD', card: 'own-*' } });
  await call('unlisted');
  expect(await lastRow()).toMatchObject({ usd: 0.202, upstreamUsd: null, cost: null });
});

it('explains each cost by the lines of its row', async () => {
  const rows = await site.query<{ other: string }>('SELECT other FROM logs WHERE type = 2 ORDER BY created_at, id');
  const texts = rows.map(({ other }) => explainCost({ other: JSON.parse(other) as Record<string, unknown> }));
  expect(texts.map((text) => text?.replaceAll('\n', '') ?? null)).toEqual([
    'Cost: 0.2 USD, as the provider reports it',
    'Cost by list price gpt-4o: the sum of  100000 input x 2.5 USD per million = 0.25  1000 output x 10 USD per million = 0.01 x factor 0.5 = 0.13 USD',
    'Cost by cost card gpt-4.1 of the channel: the sum of  100000 input x 1 USD per million = 0.1  1000 output x 4 USD per million = 0.004 = 0.104 USD',
    'Cost by cost card own-* of the channel: the sum of  100000 input x 0.5 USD per million = 0.05  1000 output x 0 USD per million = 0 = 0.05 USD',
    null,
  ]);
});

it.each(['CHANNEL', 'MODEL', 'GROUP', 'USER'])('sums the margin by %s, with its coverage', async (dimension) => {
  const document = `{ usage(groupBy: [${dimension}], pageSize: 10) { items { key { modelName } metrics { calls cost { knownCalls coverage upstreamUsd marginUsd } } } } }`;
  const { data, text } = await site.graphql(root, document);
  const items = (data?.['usage'] as { items: object[] } | undefined)?.items ?? [];
  const close = (value: number): number => expect.closeTo(value, 9) as number;
  const whole = { knownCalls: 4, coverage: 0.8, upstreamUsd: close(0.484), marginUsd: close(0.446) };
  if (dimension !== 'MODEL') {
    expect([items, text.length > 0]).toMatchObject([[{ metrics: { calls: 5, cost: whole } }], true]);
    return;
  }
  expect(items).toHaveLength(4);
  expect(items).toMatchObject(
    expect.arrayContaining([
      expect.objectContaining({
        key: { modelName: 'gpt-4o' },
        metrics: { calls: 2, cost: { knownCalls: 2, coverage: 1, upstreamUsd: close(0.33), marginUsd: close(0.19) } },
      }),
      expect.objectContaining({
        key: { modelName: 'unlisted' },
        metrics: { calls: 1, cost: { knownCalls: 0, coverage: 0, upstreamUsd: 0, marginUsd: 0 } },
      }),
    ]) as object[],
  );
});

it('writes costs into the exports of admins only', async () => {
  const lines = async (person: Person, path: string): Promise<string[]> => {
    const response = await fetch(site.server.url + path, {
      headers: { cookie: person.cookie, 'new-api-user': String(person.id) },
    });
    return (await response.text()).trim().split(/\r?\n/);
  };
  const logs = await lines(root, '/api/log/export?type=2&model_name=gpt-4.1');
  expect(logs[0]).toMatch(/,charge_lines,affinity,cost_usd,cost_basis,ip$/);
  expect(logs[1]).toMatch(/,0\.104,card,$/);
  const usage = await lines(root, '/api/data/export?group_by=channel');
  expect(usage[0]).toMatch(
    /,p95_ms,cost_calls,cost_usd,margin_usd,known_usd,upstream_key,member_id,member,project_id,project,plan_usd$/,
  );
  expect(usage[1]).toMatch(/,4,0\.484,0\.446/);
  for (const path of ['/api/log/self/export', '/api/data/self/export?group_by=model']) {
    expect((await lines(user, path)).join()).not.toContain('cost');
  }
});

it('stores a rule as given, refuses what cannot be one, and audits it', async () => {
  const id = await create({ models: ['m'] });
  expect(await mutate('updateChannel', { id })).toMatchObject({ cost: { factor: 1, cards: {} } });
  expect(await mutate('updateChannel', { id, cost })).toMatchObject({ cost });
  expect(await mutate('updateChannel', { id, name: 'other' })).toMatchObject({ cost });
  const document = 'mutation ($input: UpdateChannelInput!) { updateChannel(input: $input) { channel { id } } }';
  for (const wrong of [
    { factor: -1 },
    { factor: 1e300 },
    { cards: { 'a*b': {} } },
    { cards: { a: { prices: { input: -1 } } } },
  ]) {
    const { text } = await site.graphql(root, document, { input: { id, cost: wrong } });
    expect(text).toContain('"field":"cost"');
  }
  expect(await mutate('updateChannel', { id, cost: null })).toMatchObject({ cost: { factor: 1, cards: {} } });
  const [audited] = await site.query<{ changes: Array<{ field: string }> }>(
    `SELECT changes FROM audit_entries WHERE subject = 'channel' AND subject_id = $1 ORDER BY id DESC LIMIT 1`,
    [String(id)],
  );
  const after = JSON.stringify({ factor: 1, cards: {} });
  expect(audited?.changes).toEqual([{ field: 'cost', before: JSON.stringify(cost), after }]);
});

it('follows a change of the rule at once, and leaves rows of the past as they are', async () => {
  await mutate('updateChannel', { id: carded, cost: { factor: 0 } });
  await call('gpt-4o');
  expect(await lastRow()).toMatchObject({ usd: 0.26, cost: { usd: 0, marginUsd: 0.26, basis: 'LIST', factor: 0 } });
  const { data } = await site.graphql(root, '{ logs(filter: { models: ["gpt-4.1"] }) { items { upstreamUsd } } }');
  expect(data?.['logs']).toEqual({ items: [{ upstreamUsd: 0.104 }] });
});
