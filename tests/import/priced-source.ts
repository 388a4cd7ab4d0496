import { makeContent } from '../support/import/content.js';
import type { Family } from '../support/import/schemas.js';
import { createSource, type TestSource } from '../support/import/source.js';
import { usage, type HubPrice, type PricedSite, type SpecialCall } from './priced-sites.js';
import { now } from './suite.js';

const text = (value: unknown): string =>
  (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll("'", "''");

/** A source with the API key of a user in the group default. */
export type PricedSource = TestSource & { readonly key: string };

/** Writes a site whose log has two calls of each sample, the second one by a user of another group. */
export async function createPricedSite(site: PricedSite, upstream: string): Promise<PricedSource> {
  const { family, isCurrent, options, mapping, samples, special = [], claude = [], prices = {} } = site;
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
  const models = new Set([...samples.map(([model]) => model), ...special.map(({ model }) => model)]);
  for (const model of claude) models.delete(model);
  await source.execute(`UPDATE channels SET models = '${[...models].join(',')}', model_mapping = '${text(mapping)}'`);
  if (claude.length > 0) {
    await source.execute(
      `INSERT INTO channels (id, type, "key", status, name, models, "group", priority)
       VALUES (2, 14, 'k', 1, 'claude', '${claude.join(',')}', 'default', 1)`,
    );
  }
  await source.execute(`UPDATE users SET "group" = CASE WHEN id = 2 THEN 'vip' ELSE 'default' END, quota = 100000000`);
  const calls: readonly SpecialCall[] = [
    ...samples.map(([model, quota]) => ({ model, quota, details: { [cachedDetail(family)]: usage.cached } })),
    ...special,
  ];
  for (const [index, call] of calls.entries()) {
    await addCall(source, site, { id: 2 * index + 1, userId: 1, groupRatio: 1, call });
    await addCall(source, site, { id: 2 * index + 2, userId: 2, groupRatio: 0.5, call });
  }
  await source.execute('UPDATE tokens SET unlimited_quota = 1 WHERE id = 1');
  return { ...source, key: content.keys[0] ?? '' };
}

const cachedDetail = (family: Family): string => (family === 'one-hub' ? 'cached_tokens' : 'cache_tokens');

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

interface LoggedCall {
  readonly id: number;
  readonly userId: number;
  readonly groupRatio: number;
  readonly call: SpecialCall;
}

async function addCall(
  source: TestSource,
  { family, mapping, prices }: PricedSite,
  { id, userId, groupRatio, call }: LoggedCall,
): Promise<void> {
  const { model, quota, details, prompt = usage.prompt, completion = usage.completion } = call;
  const group = userId === 2 ? 'vip' : 'default';
  const target = mapping[model] ?? model;
  const insert = (logged: string, charged: number, more: Readonly<Record<string, string>>): Promise<void> => {
    const names = Object.keys(more).map((name) => `, "${name}"`);
    const values = Object.values(more).map((value) => `, '${value}'`);
    return source.execute(
      `INSERT INTO logs (id, user_id, created_at, type, content, model_name, quota, prompt_tokens, completion_tokens, channel_id${names.join('')})
       VALUES (${id}, ${userId}, ${now - 1000 + id}, 2, '', '${logged}', ${charged}, ${prompt}, ${completion}, 1${values.join('')})`,
    );
  };
  // The logs of one-api and one-hub have the mapped name, and that of one-api has no group and no kinds of tokens.
  if (family === 'one-api') return insert(target, Math.ceil(quota * groupRatio), {});
  if (family === 'one-hub') {
    const billed = target.startsWith('+') ? model : target;
    const price = prices?.[billed];
    const metadata = {
      group_name: group,
      group_ratio: groupRatio,
      price_type: price?.type ?? 'tokens',
      input_ratio: price?.input ?? 30,
      output_ratio: price?.output ?? 30,
      cached_tokens_ratio: price?.extra?.['cached_tokens'] ?? 1,
      ...details,
    };
    return insert(billed, Math.ceil(quota * groupRatio), { metadata: text(metadata) });
  }
  const other = { ...details, group_ratio: groupRatio };
  return insert(model, Math.round(quota * groupRatio), { group, other: text(other) });
}
