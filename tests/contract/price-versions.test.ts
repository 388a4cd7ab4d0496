import { randomUUID } from 'node:crypto';
import { Changes } from '../../server/src/platform/cache/changes.js';
import { MemoryState } from '../../server/src/platform/cache/memory-state.js';
import { Option } from '../../server/src/options/option.entity.js';
import { OptionService } from '../../server/src/options/option.service.js';
import { PriceVersion } from '../../server/src/console/prices/price-version.entity.js';
import { PriceVersionService } from '../../server/src/console/prices/price-version.service.js';
import { Secrets } from '../../server/src/shared/secrets.js';
import { priceVersionOf } from '../../server/src/billing/prices/price-version.js';
import { json } from '../support/upstream/replies.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { Site, type Person } from './site.js';

let site: Site;
let upstream: Upstream;
let root: Person;
let authorization: string;

beforeAll(async () => {
  [site, upstream] = await Promise.all([Site.open(), startUpstream()]);
  root = await site.setUp();
  await site.graphql(
    root,
    `mutation { grantQuota(input: { userId: ${root.id}, amount: 5000000, idempotencyKey: "${randomUUID()}" }) { user { id } } }`,
  );
  const channel = { name: 'c', type: 1, key: 'k', models: 'gpt-4o,nobody-priced-me', group: 'default' };
  await site.expectSuccess(root, 'POST', '/api/channel/', { ...channel, base_url: upstream.url });
  const made = await site.expectSuccess(root, 'POST', '/api/token/', { name: 't', unlimited_quota: true });
  authorization = `Bearer sk-${(made.body.data as { key: string }).key}`;
  upstream.script(
    {},
    json({ choices: [], usage: { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 } }),
  );
});
afterAll(() => Promise.all([site.stop(), upstream.stop()]));

const set = (key: string, value: unknown) =>
  site.rest(root, 'PUT', '/api/option/', { key, value: JSON.stringify(value) });

/** Calls a model through the gateway and returns the row's price version. */
async function call(): Promise<{ version: string; quota: string }> {
  const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] };
  const headers = { authorization, 'content-type': 'application/json' };
  expect((await site.rest(null, 'POST', '/v1/chat/completions', body, headers)).status).toBe(200);
  const [row] = await site.query<{ other: string; quota: string }>(
    'SELECT other, quota FROM logs WHERE type = 2 ORDER BY id DESC',
  );
  return {
    version: (JSON.parse(row?.other ?? '') as { price_version: string }).price_version,
    quota: row?.quota ?? '',
  };
}

interface Prices {
  readonly quotaPerUnit: number;
  readonly groups: ReadonlyArray<{ readonly group: string; readonly ratio: number }>;
  readonly models: ReadonlyArray<Readonly<Record<string, unknown>>>;
}

async function pricesOf(version: string): Promise<Prices> {
  const query = `query ($version: String!) {
    priceVersion(version: $version) {
      quotaPerUnit groups { group ratio } models { modelName modelPrice modelRatio completionRatio cacheRatio }
    }
  }`;
  const { data, codes } = await site.graphql(root, query, { version });
  expect(codes).toEqual([]);
  return data?.['priceVersion'] as Prices;
}

async function ofModel(version: string, name: string): Promise<unknown> {
  return (await pricesOf(version)).models.find(({ modelName }) => modelName === name);
}

it('every call’s log row names the price tables that priced it, and they can be read again', async () => {
  const first = await call();
  expect(first).toEqual({ version: expect.stringMatching(/^[0-9a-f]{12}$/) as string, quota: '3750' });
  const prices = await pricesOf(first.version);
  expect(prices).toMatchObject({
    quotaPerUnit: 500_000,
    groups: expect.arrayContaining([{ group: 'default', ratio: 1 }]),
  });
  const names = prices.models.map(({ modelName }) => modelName);
  expect(names).toEqual([...new Set(names)].sort());
  const gpt4o = { modelName: 'gpt-4o', modelPrice: null, modelRatio: 1.25 };
  expect(await ofModel(first.version, 'gpt-4o')).toMatchObject(gpt4o);
  expect(await ofModel(first.version, 'dall-e-3')).toMatchObject({ modelPrice: 0.04 });

  await set('ModelRatio', { 'gpt-4o': 2.5 });
  const second = await call();
  expect([second.quota, second.version === first.version]).toEqual(['7500', false]);
  const ratios = (await pricesOf(second.version)).models.filter(({ modelRatio }) => modelRatio !== null);
  expect(ratios).toEqual([expect.objectContaining({ modelName: 'gpt-4o', modelRatio: 2.5 })]);
  expect(await ofModel(first.version, 'gpt-4o')).toMatchObject(gpt4o);

  // Restoring old prices restores the old version.
  await site.expectSuccess(root, 'POST', '/api/option/rest_model_ratio');
  expect(await call()).toEqual(first);
  const { data } = await site.graphql(root, '{ priceVersions { totalCount items { version createdAt } } }');
  expect(data?.['priceVersions']).toMatchObject({
    totalCount: 2,
    items: [{ version: second.version }, { version: first.version }],
  });
  const page = 'items { version } pageInfo { endCursor hasNextPage }';
  const one = await site.graphql(root, `{ priceVersions(pageSize: 1) { ${page} } }`);
  const { pageInfo } = one.data?.['priceVersions'] as { pageInfo: { endCursor: string } };
  const rest = await site.graphql(root, `{ priceVersions(after: "${pageInfo.endCursor}") { ${page} } }`);
  expect(rest.data?.['priceVersions']).toMatchObject({
    items: [{ version: first.version }],
    pageInfo: { hasNextPage: false },
  });
});

it('a channel test says which version would have priced it', async () => {
  await site.expectSuccess(root, 'GET', '/api/channel/test/1');
  const [row] = await site.query<{ other: string }>(
    `SELECT other FROM logs WHERE token_name = 'model test' ORDER BY id DESC LIMIT 1`,
  );
  const { price_version: version } = JSON.parse(row?.other ?? '') as { price_version: string };
  expect(version).toBe((await call()).version);
});

it('a change that is refused makes no version', async () => {
  const count = () => site.query('SELECT count(*) FROM price_versions');
  const before = await count();
  for (const wrong of [{ 'gpt-4o': -1 }, { 'gpt-4o': 'cheap' }, [1], 'x']) {
    expect((await set('ModelRatio', wrong)).body).toMatchObject({ success: false, code: 'INVALID_INPUT' });
  }
  // Settings that do not affect prices create no version.
  await site.expectSuccess(root, 'PUT', '/api/option/', { key: 'RetryTimes', value: '1' });
  expect(await count()).toEqual(before);
});

it('models that enabled channels serve and nobody priced are told', async () => {
  expect((await site.graphql(root, '{ unpricedModels }')).data).toEqual({ unpricedModels: ['nobody-priced-me'] });
  await set('ModelPrice', { 'nobody-priced-me': 0.5 });
  expect((await site.graphql(root, '{ unpricedModels }')).data).toEqual({ unpricedModels: [] });
});

it('prices that another server changed are stored by this one too, in case that server could not', async () => {
  const key = 'ModelPrice';
  const { dataSource } = site;
  const [before] = await site.query<{ value: string }>('SELECT value FROM options WHERE key = $1', [key]);
  const state = new MemoryState();
  const changes = new Changes(state);
  const options = new OptionService({
    options: dataSource.getRepository(Option),
    secrets: new Secrets('an encryption key of a test'),
    changes,
    usageLog: { record: async () => undefined },
    auditLog: { write: async () => undefined },
    logger: { warn: () => undefined },
    syncSeconds: 3600,
  });
  try {
    await options.start();
    await new PriceVersionService({
      versions: dataSource.getRepository(PriceVersion),
      options,
      logger: { warn: () => undefined },
      prices: { isPriced: () => true },
      channels: { enabledModels: async () => [] },
    }).start();
    await site.query(
      `INSERT INTO options (key, value) VALUES ($1, '{"of another server":0.5}')
       ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
      [key],
    );
    await changes.announce({ kind: 'option', id: key });
    const isStored = async (): Promise<boolean> =>
      (await site.query('SELECT 1 FROM price_versions WHERE tables::text LIKE $1', ['%of another server%'])).length > 0;
    for (let tries = 0; tries < 200 && !(await isStored()); tries++) await new Promise((done) => setTimeout(done, 20));
    expect(await isStored()).toBe(true);
  } finally {
    options.stop();
    await state.close();
    await site.query('DELETE FROM options WHERE key = $1', [key]);
    if (before) await site.query('INSERT INTO options (key, value) VALUES ($1, $2)', [key, before.value]);
  }
});

it('an unknown version is null, whatever it is', async () => {
  for (const version of ['nothing', '', '\u0000', 'x'.repeat(4000)]) {
    const query = 'query ($version: String!) { priceVersion(version: $version) { version } }';
    expect(await site.graphql(root, query, { version })).toMatchObject({ data: { priceVersion: null }, codes: [] });
  }
});

it('the name depends on what tables say, not on the order in which they say it', () => {
  const tables = {
    ModelRatio: { a: 1, b: 2 },
    ModelPrice: {},
    CompletionRatio: {},
    CacheRatio: {},
    GroupRatio: {},
    QuotaPerUnit: 1,
  };
  expect(priceVersionOf({ ...tables, ModelRatio: { b: 2, a: 1 } })).toBe(priceVersionOf(tables));
  expect(priceVersionOf({ ...tables, QuotaPerUnit: 2 })).not.toBe(priceVersionOf(tables));
  expect(priceVersionOf({ ...tables, ModelPrice: { a: 1 } })).not.toBe(priceVersionOf(tables));
});
