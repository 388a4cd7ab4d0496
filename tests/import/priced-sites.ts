import { makeContent } from '../support/import/content.js';
import type { Family } from '../support/import/schemas.js';
import { createSource, type TestSource } from '../support/import/source.js';
import { now } from './suite.js';

interface HubPrice {
  readonly type?: 'times';
  readonly input: number;
  readonly output: number;
  readonly extra?: Readonly<Record<string, number>>;
  readonly long?: { readonly threshold: number; readonly input_ratio: number; readonly output_ratio: number };
}

/**
 * A model of a site, and the quota that its program charges for 1000 prompt tokens, 400 of them cached, and 500 completion
 * tokens.
 */
type Sample = readonly [model: string, quota: number];

export interface PricedSite {
  readonly name: string;
  readonly family: Family;
  /** Whether channels have the column that new-api has since the middle of 2025. */
  readonly isCurrent: boolean;
  readonly options: Readonly<Record<string, unknown>>;
  readonly mapping: Readonly<Record<string, string>>;
  readonly samples: readonly Sample[];
  /** The table of prices of one-hub. */
  readonly prices?: Readonly<Record<string, HubPrice>>;
}

export const usage = { prompt: 1000, cached: 400, completion: 500 };

/** Sites with the charges of their programs, computed by hand from the programs' sources. */
export const pricedSites: readonly PricedSite[] = [
  {
    name: 'new-api of 2026',
    family: 'new-api',
    isCurrent: true,
    options: {
      ModelRatio: {
        'gpt-5': 0.625,
        'gpt-4o': 1.25,
        'deepseek-chat': 0.14,
        'claude-haiku-4-5-20251001': 0.5,
        'gemini-2.5-flash': 0.15,
        'gpt-3.5-turbo': 0.25,
        alias: 2,
      },
      CompletionRatio: { 'gpt-4o': 3.5, 'deepseek-chat': 1.9, 'gpt-5': 3 },
      CacheRatio: { 'gpt-4o': 0.3 },
      ModelPrice: { 'per-call': 0.01 },
    },
    mapping: { alias: 'gpt-4o' },
    samples: [
      ['gpt-5', 3125],
      ['gpt-4o', 3088],
      ['deepseek-chat', 273],
      ['claude-haiku-4-5-20251001', 1750],
      ['gemini-2.5-flash', 775],
      ['gpt-3.5-turbo', 500],
      ['alias', 3000],
      ['per-call', 5000],
    ],
  },
  {
    name: 'new-api of 2026 that saved nothing',
    family: 'new-api',
    isCurrent: true,
    options: {},
    mapping: {},
    samples: [
      ['gpt-5', (600 + 40 + 4000) * 0.625],
      ['gpt-4.1', 600 + 100 + 1000],
      ['claude-opus-4-6', (600 + 40 + 2500) * 2.5],
      ['gemini-2.5-pro', (1000 + 4000) * 0.625],
      ['llama-3-sonar-large-32k-chat', 0],
    ],
  },
  {
    name: 'new-api of 2025',
    family: 'new-api',
    isCurrent: false,
    options: { ModelRatio: { 'gpt-4.1': 1, 'gpt-4o': 1.25, 'gpt-5': 0.625 }, CompletionRatio: { 'gpt-4o': 3 } },
    mapping: {},
    samples: [
      ['gpt-4.1', 2000],
      ['gpt-4o', (600 + 200 + 2000) * 1.25],
      ['gpt-5', 1500 * 0.625 + 0.5],
    ],
  },
  {
    name: 'Veloera',
    family: 'veloera',
    isCurrent: false,
    options: { ModelRatio: { 'gpt-4.1': 1, 'gpt-4o': 1.25, 'deepseek-chat': 0.135 }, CompletionRatio: { 'gpt-4o': 3 } },
    mapping: { alias: 'step', step: 'gpt-4o' },
    samples: [
      ['gpt-4.1', 2000],
      ['gpt-4o', 3500],
      ['alias', 1875],
      ['deepseek-chat', Math.round((600 + 100 + 2000) * 0.135)],
    ],
  },
  {
    name: 'one-api',
    family: 'one-api',
    isCurrent: false,
    options: {
      ModelRatio: { 'my-model': 3, 中文模型: 0.5, 'gpt-4o': 1.25 },
      CompletionRatio: { 'gpt-4o': 3.5 },
      GroupRatio: { default: 1, vip: 0.5 },
    },
    mapping: { alias: 'my-model' },
    samples: [
      ['my-model', 4500],
      ['alias', 4500],
      ['中文模型', 750],
      ['unknown-model', 45_000],
      ['gpt-4o', 3438],
      ['claude-3-5-sonnet-20241022', 5250],
      ['gpt-3.5-turbo', 625],
      ['o1-mini', 4500],
      ['ERNIE-4.0-8K', 12_780],
    ],
  },
  {
    name: 'one-hub',
    family: 'one-hub',
    isCurrent: true,
    options: {},
    mapping: { alias: 'gpt-4o', 'gpt-4o-mini': '+gpt-4o' },
    prices: {
      'gpt-4o': { input: 1.25, output: 5, extra: { cached_tokens: 0.5 } },
      'gpt-4o-mini': { input: 0.075, output: 0.3 },
      'gpt-5*': { input: 0.625, output: 5 },
      'gpt-5-nano*': { input: 0.025, output: 0.2, extra: { cached_tokens: 0.1 } },
      'per-call': { type: 'times', input: 5, output: 5 },
      'thinks-dearly': { input: 0.15, output: 0.6, extra: { reasoning_tokens: 5.833, cached_tokens: 0.25 } },
      'long-context': { input: 1, output: 4, long: { threshold: 900, input_ratio: 2, output_ratio: 1.5 } },
      'free-input': { input: 0, output: 2 },
    },
    samples: [
      ['gpt-4o', (600 + 200) * 1.25 + 2500],
      ['alias', (600 + 200) * 1.25 + 2500],
      ['gpt-4o-mini', 75 + 150],
      ['gpt-5-mini', 625 + 2500],
      ['gpt-5-nano-2025', Math.ceil((600 + 40) * 0.025 + 100)],
      ['per-call', 5000],
      ['thinks-dearly', Math.ceil((600 + 100) * 0.15 + 300)],
      ['long-context', 2000 + 3000],
      ['free-input', 1000],
      ['without-a-price', 45_000],
    ],
  },
];

const text = (value: unknown): string =>
  (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll("'", "''");

/** A source with the API key of a user in the group default. */
export type PricedSource = TestSource & { readonly key: string };

/** Writes a site whose log has two calls of each sample, the second one by a user of another group. */
export async function createPricedSite(site: PricedSite, upstream: string): Promise<PricedSource> {
  const { family, isCurrent, options, mapping, samples, prices = {} } = site;
  const content = makeContent({ family, upstream, now, logs: 1 });
  const source = await createSource(family, 'sqlite', content);
  await source.execute('DELETE FROM logs');
  await source.execute(`DELETE FROM options WHERE "key" LIKE '%Ratio' OR "key" = 'RetryTimes'`);
  if (!isCurrent && family === 'new-api') await source.execute('ALTER TABLE channels DROP COLUMN channel_info');
  const isHub = family === 'one-hub';
  if (isHub) await addPrices(source, prices);
  const groups = isHub ? {} : { GroupRatio: { default: 1, vip: 0.5 } };
  for (const [key, value] of Object.entries({ ...groups, ...options })) {
    await source.execute(`INSERT INTO options ("key", value) VALUES ('${key}', '${text(value)}')`);
  }
  await source.execute('DELETE FROM channels WHERE id <> 1');
  const models = samples.map(([model]) => model).join(',');
  await source.execute(`UPDATE channels SET models = '${models}', model_mapping = '${text(mapping)}'`);
  await source.execute(`UPDATE users SET "group" = CASE WHEN id = 2 THEN 'vip' ELSE 'default' END, quota = 100000000`);
  for (const [index, sample] of samples.entries()) {
    await addCall(source, site, { id: 2 * index + 1, userId: 1, groupRatio: 1, sample });
    await addCall(source, site, { id: 2 * index + 2, userId: 2, groupRatio: 0.5, sample });
  }
  await source.execute('UPDATE tokens SET unlimited_quota = 1 WHERE id = 1');
  return { ...source, key: content.keys[0] ?? '' };
}

async function addPrices(source: TestSource, prices: Readonly<Record<string, HubPrice>>): Promise<void> {
  await source.execute('DELETE FROM prices');
  await source.execute(`UPDATE user_groups SET ratio = 0.5 WHERE symbol = 'vip'`);
  for (const [model, { type = 'tokens', input, output, extra, long }] of Object.entries(prices)) {
    const json = (value: unknown): string => (value === undefined ? 'NULL' : `'${text(value)}'`);
    await source.execute(
      `INSERT INTO prices (model, type, input, output, extra_ratios, long_context)
       VALUES ('${model}', '${type}', ${input}, ${output}, ${json(extra)}, ${json(long)})`,
    );
  }
}

interface Call {
  readonly id: number;
  readonly userId: number;
  readonly groupRatio: number;
  readonly sample: Sample;
}

async function addCall(source: TestSource, site: PricedSite, { id, userId, groupRatio, sample }: Call): Promise<void> {
  const [model, quota] = sample;
  const charged = site.family === 'one-api' ? Math.ceil(quota * groupRatio) : Math.round(quota * groupRatio);
  const isOneApi = site.family === 'one-api';
  if (site.family === 'one-hub') {
    const target = site.mapping[model] ?? model;
    const billed = target.startsWith('+') ? model : target;
    const metadata = {
      group_name: userId === 2 ? 'vip' : 'default',
      group_ratio: groupRatio,
      price_type: site.prices?.[billed]?.type ?? 'tokens',
      cached_tokens: usage.cached,
      input_ratio: site.prices?.[billed]?.input ?? 30,
      output_ratio: site.prices?.[billed]?.output ?? 30,
      cached_tokens_ratio: site.prices?.[billed]?.extra?.['cached_tokens'] ?? 1,
    };
    await source.execute(
      `INSERT INTO logs (id, user_id, created_at, type, content, model_name, quota, prompt_tokens, completion_tokens, channel_id, metadata)
       VALUES (${id}, ${userId}, ${now - 1000 + id}, 2, '', '${billed}', ${Math.ceil(quota * groupRatio)}, ${usage.prompt}, ${usage.completion}, 1, '${text(metadata)}')`,
    );
    return;
  }
  // The log of one-api has the mapped name, and no group.
  const logged = isOneApi ? (site.mapping[model] ?? model) : model;
  const other = { cache_tokens: usage.cached, group_ratio: groupRatio };
  const group = userId === 2 ? 'vip' : 'default';
  const more = isOneApi ? '' : `, "group", other`;
  const values = isOneApi ? '' : `, '${group}', '${text(other)}'`;
  await source.execute(
    `INSERT INTO logs (id, user_id, created_at, type, content, model_name, quota, prompt_tokens, completion_tokens, channel_id${more})
     VALUES (${id}, ${userId}, ${now - 1000 + id}, 2, '', '${logged}', ${charged}, ${usage.prompt}, ${usage.completion}, 1${values})`,
  );
}
