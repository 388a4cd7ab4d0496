import { exitCodeOf, isProven } from '../../server/src/import/report.js';
import { dryRun } from '../../server/src/import/run.js';
import { OneHubPrices } from '../../server/src/import/prices/one-hub-price.js';
import { SourcePrices, type PricesThere } from '../../server/src/import/prices/source-price.js';
import { openTarget } from '../../server/src/import/write/target.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { startScriptedServer, type ScriptedServer } from '../support/scripted-server.js';
import { startServer } from '../support/server.js';
import { pricedSites, usage } from './priced-sites.js';
import { createPricedSite, type PricedSource } from './priced-source.js';
import { move, optionsFor } from './suite.js';
import { dearer, expectRefuted, factor, twice, unsold, withoutTiers, type Change } from './wrong-prices.js';

let upstream: ScriptedServer;
beforeAll(async () => {
  upstream = await startScriptedServer(() => ({
    body: {
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
      usage: {
        prompt_tokens: usage.prompt,
        completion_tokens: usage.completion,
        total_tokens: usage.prompt + usage.completion,
        prompt_tokens_details: { cached_tokens: usage.cached },
      },
    },
  }));
});
afterAll(() => upstream.stop());

describe.each(pricedSites)('a site of $name', (site) => {
  let source: PricedSource;
  let database: TestDatabase;
  beforeAll(async () => {
    source = await createPricedSite(site, upstream.url);
    database = await createTestDatabase();
  }, 60_000);
  afterAll(async () => {
    await database.drop();
    await source.drop();
  });

  it('charges every call what its program charged, and proves it', async () => {
    const preview = await dryRun(optionsFor(source.address), false);
    expect(preview.replay).toMatchObject({ unknown: 0, older: 0, different: [] });
    const report = await move(database, optionsFor(source.address));
    expect(report).toMatchObject({ isBlocked: false });
    const rows = 2 * (site.samples.length + (site.special?.length ?? 0));
    expect(report.proof?.replay).toEqual({
      rows,
      equal: rows,
      unknown: 0,
      older: 0,
      different: [],
    });
    expect(isProven(report)).toBe(true);
    const server = await startServer({ database });
    for (const [model, quota] of site.samples) {
      const answer = await server.api.rest(
        null,
        'POST',
        '/v1/chat/completions',
        { model, messages: [{ role: 'user', content: 'hi' }], max_tokens: 600 },
        { authorization: `Bearer ${source.key}` },
      );
      expect([model, answer.status]).toEqual([model, 200]);
      const [row] = await server.dataSource.query<Array<{ quota: string }>>(
        'SELECT quota FROM logs WHERE type = 2 ORDER BY id DESC LIMIT 1',
      );
      expect([model, Math.abs(Number(row?.quota) - quota) <= 1]).toEqual([model, true]);
    }
    await server.stop();
  }, 120_000);

  it('is not proven when a price here is another one', async () => {
    const target = await openTarget(database.url);
    for (const [key, change] of [
      ['GroupRatio', `jsonb_set(value::jsonb, '{vip}', '0.6')::text`],
      ['ModelRatio', `(SELECT jsonb_object_agg(k, v::numeric * 2) FROM jsonb_each_text(value::jsonb) x(k, v))::text`],
    ]) {
      const [before] = await target.query<{ value: string }>('SELECT value FROM options WHERE key = $1', [key]);
      if (!before) continue;
      await target.query(`UPDATE options SET value = ${change} WHERE key = $1`, [key]);
      await target.query('SELECT pg_advisory_unlock_all()');
      const report = await move(database, optionsFor(source.address));
      expectRefuted(report, report.proof?.replay.different[0]?.model ?? '');
      await target.query('UPDATE options SET value = $2 WHERE key = $1', [key, before.value]);
    }
    await target.close();
  }, 120_000);
});

/**
 * The rules by which each program prices a call: a model whose price follows from the rule, and a wrong reading of it, which the proof
 * must find. Rules for images by the piece and for tools are compared in `import/prices/sample-calls.test.ts`: rows of the logs do not
 * say how many there were.
 */
const rules: Readonly<Record<string, ReadonlyArray<readonly [rule: string, model: string, wrong: Change]>>> = {
  'new-api of 2026': [
    ['a saved ratio', 'gpt-5', dearer],
    ['a saved completion ratio', 'gpt-4o', factor('completion')],
    ['the completion ratio of a family', 'claude-haiku-4-5-20251001', factor('completion')],
    ['the locked completion ratio of a family over a saved one', 'gpt-5', factor('completion')],
    ['a saved cache ratio', 'gpt-4o', factor('cache')],
    ['no cache ratio beside a saved table', 'claude-haiku-4-5-20251001', factor('cache')],
    ['a saved ratio of cache writes', 'claude-haiku-4-5-20251001', factor('cacheWrite')],
    ['a saved ratio of audio', 'gpt-4o-audio-preview', factor('audio')],
    ['a saved ratio of spoken output', 'gpt-4o-audio-preview', factor('audioOutput')],
    ['a price of a call', 'per-call', dearer],
    ['the requested name of a mapped call', 'alias', dearer],
    ['the ratio of self-use mode', 'without-a-price', dearer],
    ['one name for all GPTs of users', 'gpt-4o-gizmo-of-mine', dearer],
    ['one name for all thinking budgets', 'gemini-2.5-flash-thinking-128', dearer],
    ['a model that is sold', 'gpt-4o', unsold],
  ],
  'new-api of 2026 that saved nothing': [
    ['a built-in ratio', 'gpt-4.1', dearer],
    ['a built-in completion ratio', 'gemini-2.5-pro', factor('completion')],
    ['a built-in cache ratio', 'claude-opus-4-6', factor('cache')],
    ['a built-in ratio of 0', 'llama-3-sonar-large-32k-chat', dearer],
  ],
  'new-api of 2025': [
    ['a saved ratio', 'gpt-4.1', dearer],
    ['a locked completion ratio', 'gpt-4o', factor('completion')],
    ['no completion ratio', 'gpt-5', factor('completion')],
    ['a cache ratio', 'gpt-4o', factor('cache')],
  ],
  Veloera: [
    ['a saved ratio', 'gpt-4.1', dearer],
    ['the ratio of the mapped name', 'alias', dearer],
    ['the completion ratio of the requested name', 'alias', factor('completion')],
    ['the cache ratio of the requested name', 'alias', factor('cache')],
    ['a locked completion ratio', 'deepseek-chat', factor('completion')],
    ['a saved completion ratio of a name with a slash', 'maker/gpt-4o', factor('completion')],
    ['a cache ratio', 'gpt-4o', factor('cache')],
  ],
  'one-api': [
    ['a saved ratio', 'my-model', dearer],
    ['the ratio of unknown models', 'unknown-model', dearer],
    ['a saved completion ratio', 'gpt-4o', factor('completion')],
    ['the completion ratio of a family', 'claude-3-5-sonnet-20241022', factor('completion')],
    ['a built-in ratio', 'ERNIE-4.0-8K', dearer],
    ['the mapped name', 'alias', dearer],
    ['the ratio for a channel type', 'by-type', dearer],
    ['a name that asks for a search', 'qwen-max-internet', dearer],
    ['cached tokens like all others', 'gpt-4o', factor('cache')],
    ['cached tokens of an alias like all others', 'alias', factor('cache')],
    ['cache writes like all others', 'claude-3-5-sonnet-20241022', factor('cacheWrite')],
    ['audio like text', 'gpt-4o-audio-preview', factor('audio')],
    ['spoken output like text', 'gpt-4o-audio-preview', factor('audioOutput')],
  ],
  'one-hub': [
    ['a price of input', 'gpt-4o', dearer],
    ['a price of output', 'gpt-4o', factor('completion')],
    ['a factor of cached tokens', 'gpt-4o', factor('cache')],
    ['the mapped name', 'alias', dearer],
    ['the requested name, which `+` selects', 'gpt-4o-mini', dearer],
    ['a prefix', 'gpt-5-mini', dearer],
    ['the longest prefix', 'gpt-5-nano-2025', dearer],
    ['a price of a call', 'per-call', dearer],
    ['a factor of reasoning', 'thinks-dearly', twice('reasoning')],
    ['a factor of audio', 'hears', twice('audioInput')],
    ['a factor of spoken output', 'hears', twice('audioOutput')],
    ['a factor of images', 'sees', twice('imageInput')],
    ['a factor of drawn output', 'sees', twice('imageOutput')],
    ['a factor of cache reads', 'claude-x', factor('cache')],
    ['a factor of cache writes', 'claude-x', factor('cacheWrite')],
    ['a factor of cache writes for an hour', 'claude-x', factor('cacheWrite1h')],
    ['the usual factor of cache reads', 'claude-y', factor('cache')],
    ['the usual factor of cache writes', 'claude-y', factor('cacheWrite')],
    ['the usual factor of cache writes for an hour', 'claude-y', factor('cacheWrite1h')],
    ['factors of a long prompt', 'long-context', withoutTiers],
    ['free input', 'free-input', dearer],
    ['the ratio of models without a price', 'without-a-price', dearer],
  ],
};

describe.each(pricedSites)('a wrong reading of the rules of $name', (site) => {
  let source: PricedSource;
  let database: TestDatabase;
  beforeAll(async () => {
    source = await createPricedSite(site, upstream.url);
    database = await createTestDatabase();
  }, 60_000);
  afterAll(async () => {
    await database.drop();
    await source.drop();
  });

  it.each(rules[site.name] ?? [])('is found by the proof: %s (%s)', async (_rule, model, wrong) => {
    const prototype: PricesThere = site.family === 'one-hub' ? OneHubPrices.prototype : SourcePrices.prototype;
    const original = prototype.of;
    const mutated = jest.spyOn(prototype, 'of').mockImplementation(function (this: PricesThere, call) {
      const price = original.call(this, call);
      return price && call.requested === model ? wrong(price) : price;
    });
    try {
      const preview = await dryRun(optionsFor(source.address), false);
      expect(preview.replay?.different.map((one) => one.model)).toContain(model);
      expectRefuted(await move(database, optionsFor(source.address)), model);
    } finally {
      mutated.mockRestore();
    }
  });

  it('is no longer found after a move that reads them right', async () => {
    expect(exitCodeOf(await move(database, optionsFor(source.address)))).toBe(0);
  });
});

it('moves the fees of tools that new-api charges, and names those that are counted differently here', async () => {
  const [site] = pricedSites;
  if (!site) throw new Error('no site');
  const fees = { file_search: 5, 'web_search:claude*': 40 };
  const options = { ...site.options, 'tool_price_setting.prices': fees };
  const source = await createPricedSite({ ...site, options }, upstream.url);
  const database = await createTestDatabase();
  const report = await move(database, optionsFor(source.address));
  expect(report).toMatchObject({ isBlocked: false });
  expect(isProven(report)).toBe(true);
  const found = report.findings.find(({ code }) => code === 'price-kind');
  expect(found).toMatchObject({ list: 'costs differently' });
  expect(found?.examples.map(({ id, detail }) => `${id} ${detail}`)).toEqual([
    'gpt-4o web_search: 0.01 USD there, 0.025 USD here',
    'gpt-4o-gizmo-of-mine web_search: 0.01 USD there, 0.025 USD here',
    'gpt-4o-audio-preview web_search: 0.01 USD there, 0.025 USD here',
    'tool_price_setting.prices image_generation: 0.15 USD a drawing there, the tokens of the drawing here',
  ]);
  const target = await openTarget(database.url);
  const rows = await target.query<{ key: string; value: string }>(
    `SELECT key, value FROM options WHERE key IN ('ToolPrices', 'UnpricedTools') ORDER BY key`,
  );
  await target.close();
  expect(JSON.parse(rows[0]?.value ?? '{}')).toMatchObject({
    '*': { webSearch: 0.01, fileSearch: 0.005, codeExecution: 0 },
    'claude*': { webSearch: 0.04, fileSearch: 0.005 },
    'gpt-4o*': { webSearch: 0.025 },
  });
  expect(rows[1]?.value).toBe('free');
  await database.drop();
  await source.drop();
}, 60_000);

describe('values that are refused here', () => {
  const oneApi = pricedSites.find(({ family }) => family === 'one-api');

  it('block the move until each is accepted by name, and take no other entry with them', async () => {
    if (!oneApi) throw new Error('no site');
    const ModelRatio = { ...(oneApi.options['ModelRatio'] as object), 'openrouter/auto': -500_000 };
    const options = { ...oneApi.options, ModelRatio, GroupRatio: 'no table', QuotaPerUnit: '-1' };
    const source = await createPricedSite({ ...oneApi, options }, upstream.url);
    const report = await dryRun(optionsFor(source.address), false);
    const refused = report.findings.find(({ code }) => code === 'price-refused');
    expect(refused).toMatchObject({ severity: 'blocking', list: 'costs differently', count: 3 });
    const names = refused?.examples.map(({ id }) => id) ?? [];
    expect([...names].sort()).toEqual(['GroupRatio', 'ModelRatio:openrouter/auto', 'QuotaPerUnit']);
    const { decisions } = optionsFor(source.address);
    const some = { ...decisions, acceptPriceDifferences: true, accepted: names.slice(1) };
    expect((await dryRun(optionsFor(source.address, { decisions: some }), false)).isBlocked).toBe(true);
    const all = { ...decisions, accepted: names };
    const database = await createTestDatabase();
    const moved = await move(database, optionsFor(source.address, { decisions: all }));
    expect(moved.isBlocked).toBe(false);
    const target = await openTarget(database.url);
    const [row] = await target.query<{ value: string }>(`SELECT value FROM options WHERE key = 'ModelRatio'`);
    expect(JSON.parse(row?.value ?? '{}')).toMatchObject({ 'my-model': 3, 中文模型: 0.5 });
    expect(row?.value).not.toContain('openrouter/auto');
    await target.close();
    await database.drop();
    await source.drop();
  }, 60_000);

  it('names models that channels of the source sell at different prices', async () => {
    if (!oneApi) throw new Error('no site');
    const source = await createPricedSite(oneApi, upstream.url);
    await source.execute(
      `INSERT INTO channels (id, type, "key", status, name, models, "group", model_mapping, priority)
       VALUES (7, 1, 'k', 1, 'cheap', 'alias', 'default', '{"alias":"gpt-4o"}', -1)`,
    );
    const report = await dryRun(optionsFor(source.address), false);
    const found = report.findings.find(({ code }) => code === 'price-by-channel');
    expect(found).toMatchObject({ severity: 'blocking', list: 'costs differently' });
    expect(found?.examples.map(({ id }) => id)).toEqual(['alias']);
    await source.drop();
  }, 60_000);
});
