import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exitCodeOf } from '../../server/src/import/report.js';
import { SitePrices } from '../../server/src/import/prices/site-prices.js';
import type { Quantity } from '../../server/src/shared/price-card.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createLiteLlmDatabase, million, type LiteLlmCall } from './litellm-database.js';
import { move, optionsFor } from './suite.js';
import { dearer, expectRefuted, factor, twice, withoutTiers, type Change } from './wrong-prices.js';

/**
 * The rules by which the costs of a `config.yaml` become prices here. A wrong reading of each changes what a call of the log would
 * cost, which the proof must find.
 */
const costs = (perMillion: Readonly<Record<string, number>>): string =>
  JSON.stringify(Object.fromEntries(Object.entries(perMillion).map(([name, usd]) => [name, million(usd)])));

const config = `model_list:
  - model_name: gpt-4o
    litellm_params: { model: openai/gpt-4o, api_key: k }
    model_info: ${costs({ input_cost_per_token: 3, output_cost_per_token: 7, cache_read_input_token_cost: 0.3 })}
  - model_name: stated-twice
    litellm_params: { model: openai/o, api_key: k, input_cost_per_token: 0.000002 }
    model_info: ${costs({ input_cost_per_token: 9, output_cost_per_token: 4, cache_read_input_token_cost: 1 })}
  - model_name: free
    litellm_params: { model: openai/free, api_key: k }
    model_info: ${costs({ input_cost_per_token: 0, output_cost_per_token: 0 })}
  - model_name: thinker
    litellm_params: { model: openai/thinker, api_key: k }
    model_info: ${costs({ input_cost_per_token: 0, output_cost_per_token: 7, cache_read_input_token_cost: 0 })}
  - model_name: seer
    litellm_params: { model: gemini/seer, api_key: k }
    model_info:
      search_context_cost_per_query: { search_context_size_medium: 0.01 }
      <<: ${costs({
        input_cost_per_token: 3,
        output_cost_per_token: 7,
        output_cost_per_reasoning_token: 14,
        cache_read_input_token_cost: 0.3,
        cache_creation_input_token_cost: 3.75,
        cache_creation_input_token_cost_above_1hr: 6,
        input_cost_per_token_above_200k_tokens: 6,
        input_cost_per_audio_token: 10,
        output_cost_per_audio_token: 20,
        input_cost_per_image_token: 5,
        output_cost_per_image_token: 30,
      })}
router_settings:
  model_group_alias: { short: gpt-4o }
`;

const size = { prompt: 1000, completion: 500 };
const halfCached = { prompt_tokens_details: { cached_tokens: 400 } };
const calls: readonly LiteLlmCall[] = [
  { ...size, model: 'gpt-4o', spend: million(1000 * 3 + 500 * 7) },
  { ...size, model: 'gpt-4o', spend: million(600 * 3 + 400 * 0.3 + 500 * 7), usage: halfCached },
  { ...size, model: 'short', spend: million(600 * 3 + 400 * 0.3 + 500 * 7), usage: halfCached },
  { ...size, model: 'stated-twice', spend: million(1000 * 2 + 500 * 4) },
  { ...size, model: 'free', spend: 0 },
  { ...size, model: 'thinker', spend: million(500 * 7) },
  {
    ...size,
    model: 'seer',
    spend: million(500 * 3 + 400 * 0.3 + 60 * 3.75 + 40 * 6 + 500 * 7),
    usage: {
      cache_read_input_tokens: 400,
      cache_creation_input_tokens: 100,
      prompt_tokens_details: { cache_creation_token_details: { ephemeral_1h_input_tokens: 40 } },
    },
  },
  {
    ...size,
    model: 'seer',
    spend: million(800 * 3 + 200 * 10 + 200 * 7 + 200 * 14 + 100 * 20),
    usage: {
      prompt_tokens_details: { audio_tokens: 200 },
      completion_tokens_details: { reasoning_tokens: 200, audio_tokens: 100 },
    },
  },
  {
    ...size,
    model: 'seer',
    spend: million(700 * 3 + 300 * 5 + 400 * 7 + 100 * 30),
    usage: { prompt_tokens_details: { image_tokens: 300 }, completion_tokens_details: { image_tokens: 100 } },
  },
  {
    ...size,
    model: 'seer',
    spend: million(1000 * 3 + 500 * 7) + 2 * 0.01,
    usage: { server_tool_use: { web_search_requests: 2 } },
  },
  {
    model: 'seer',
    prompt: 300_000,
    completion: 500,
    spend: million(200_000 * 6 + 100_000 * 0.3 + 500 * 7),
    usage: { prompt_tokens_details: { cached_tokens: 100_000 } },
  },
];

let folder: string;
let keys: TestDatabase;
let database: TestDatabase;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-litellm-rules-'));
  await writeFile(join(folder, 'config.yaml'), config);
  keys = await createLiteLlmDatabase(calls);
  database = await createTestDatabase();
}, 60_000);
afterAll(async () => {
  await database.drop();
  await keys.drop();
  await rm(folder, { recursive: true, force: true });
});

const moved = () =>
  move(database, optionsFor(join(folder, 'config.yaml'), { keysSource: { engine: 'postgres', url: keys.url } }));

it('charges each call of the log what LiteLLM charged', async () => {
  const report = await moved();
  expect(report.findings.filter(({ severity }) => severity === 'blocking')).toEqual([]);
  expect(report.proof?.replay).toEqual({
    rows: calls.length,
    equal: calls.length,
    unknown: 0,
    older: 0,
    different: [],
  });
  expect(report.findings.filter(({ list }) => list === 'costs differently')).toEqual([]);
  expect(exitCodeOf(report)).toBe(0);
});

/** Twice the price of a quantity in long prompts only. */
const twiceWhenLong =
  (name: Quantity): Change =>
  (price) => {
    if (price.kind !== 'card') return price;
    const contextTiers = price.card.contextTiers?.map((tier) => ({
      ...tier,
      prices: { ...tier.prices, [name]: 2 * (tier.prices[name] ?? 0) },
    }));
    return { ...price, card: { ...price.card, ...(contextTiers ? { contextTiers } : {}) } };
  };

it.each<[rule: string, model: string, wrong: Change]>([
  ['a cost of input', 'gpt-4o', dearer],
  ['a cost of output', 'gpt-4o', factor('completion')],
  ['a cost of cached tokens', 'gpt-4o', factor('cache')],
  ['a cost of the deployment before that of its model', 'stated-twice', dearer],
  ['an alias', 'short', dearer],
  ['costs of 0', 'free', dearer],
  ['free input', 'thinker', twice('output')],
  ['a cost of input beside other kinds', 'seer', twice('input')],
  ['a cost of output beside other kinds', 'seer', twice('output')],
  ['a cost of cached tokens beside other kinds', 'seer', twice('cachedInput')],
  ['a cost of cache writes', 'seer', twice('cacheWrite')],
  ['a cost of cache writes for an hour', 'seer', twice('cacheWrite1h')],
  ['a cost of audio', 'seer', twice('audioInput')],
  ['a cost of spoken output', 'seer', twice('audioOutput')],
  ['a cost of images', 'seer', twice('imageInput')],
  ['a cost of drawn output', 'seer', twice('imageOutput')],
  ['a cost of reasoning', 'seer', twice('reasoning')],
  ['a cost of searches', 'seer', twice('webSearch')],
  ['a cost of long prompts', 'seer', withoutTiers],
  ['a cost of long prompts that is that of short ones', 'seer', twiceWhenLong('cachedInput')],
])('a wrong reading of a rule is found by the proof: %s (%s)', async (_rule, model, wrong) => {
  const original = SitePrices.prototype.adopt;
  const mutated = jest.spyOn(SitePrices.prototype, 'adopt').mockImplementation(function (this: SitePrices, prices) {
    const price = prices.get(model);
    const changed = price && wrong(price);
    if (!changed) throw new Error(`${model} has no price of its own`);
    expect(changed).not.toEqual(price);
    return original.call(this, new Map(prices).set(model, changed));
  });
  try {
    expectRefuted(await moved(), model);
  } finally {
    mutated.mockRestore();
  }
});
