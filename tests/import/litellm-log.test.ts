import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { isProven } from '../../server/src/import/report.js';
import { dryRun } from '../../server/src/import/run.js';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/database.js';
import { createLiteLlmDatabase, million, type LiteLlmCall } from './litellm-database.js';
import { move, optionsFor } from './suite.js';

/** Costs in USD for a million tokens. Each is charged by one kind of call below. */
interface Costs {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly written: number;
  readonly audio: number;
  readonly reasoning: number;
  readonly long: number;
}
const costs: Costs = { input: 3, output: 7, cached: 0.3, written: 3.75, audio: 10, reasoning: 14, long: 6 };
const usd = (perMillion: number): string => (perMillion / 1_000_000).toFixed(9);

/** A file whose gpt-4o has another factor for output than the rule of this product for it. */
const configOf = ({ input, output, cached, written, audio, reasoning, long }: Costs): string => `model_list:
  - model_name: gpt-4o
    litellm_params: { model: openai/gpt-4o, api_key: k }
    model_info: { input_cost_per_token: ${usd(input)}, output_cost_per_token: ${usd(output)}, cache_read_input_token_cost: ${usd(cached)} }
  - model_name: seer
    litellm_params: { model: gemini/seer, api_key: k, input_cost_per_token: ${usd(input)}, output_cost_per_token: ${usd(output)} }
    model_info:
      cache_read_input_token_cost: ${usd(cached)}
      cache_creation_input_token_cost: ${usd(written)}
      input_cost_per_audio_token: ${usd(audio)}
      output_cost_per_reasoning_token: ${usd(reasoning)}
      input_cost_per_token_above_200k_tokens: ${usd(long)}
  - model_name: free
    litellm_params: { model: openai/free, api_key: k, input_cost_per_token: 0, output_cost_per_token: 0 }
  - model_name: thinker
    litellm_params: { model: openai/thinker, api_key: k, input_cost_per_token: 0, output_cost_per_token: ${usd(output)}, cache_read_input_token_cost: 0 }
`;

const calls: readonly LiteLlmCall[] = [
  { model: 'gpt-4o', spend: million(1000 * 3 + 500 * 7), prompt: 1000, completion: 500 },
  {
    model: 'gpt-4o',
    spend: million(600 * 3 + 400 * 0.3 + 500 * 7),
    prompt: 1000,
    completion: 500,
    usage: { prompt_tokens_details: { cached_tokens: 400 } },
  },
  {
    model: 'seer',
    spend: million(500 * 3 + 400 * 0.3 + 100 * 3.75 + 500 * 7),
    prompt: 1000,
    completion: 500,
    usage: { cache_read_input_tokens: 400, cache_creation_input_tokens: 100 },
  },
  {
    model: 'seer',
    spend: million(800 * 3 + 200 * 10 + 300 * 7 + 200 * 14),
    prompt: 1000,
    completion: 500,
    usage: { prompt_tokens_details: { audio_tokens: 200 }, completion_tokens_details: { reasoning_tokens: 200 } },
  },
  { model: 'seer', spend: million(300_000 * 6 + 500 * 7), prompt: 300_000, completion: 500 },
  { model: 'free', spend: 0, prompt: 1000, completion: 500 },
  { model: 'thinker', spend: million(500 * 7), prompt: 1000, completion: 500 },
  // Calls that cost nothing, and one without tokens.
  { model: 'gpt-4o', spend: 0, prompt: 1000, completion: 500, more: { cache_hit: 'True' } },
  { model: 'gpt-4o', spend: 0, prompt: 0, completion: 0, more: { status: 'failure' } },
  { model: 'seer', spend: 0.04, prompt: 0, completion: 0 },
];

let folder: string;
let keys: TestDatabase;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-litellm-log-'));
  keys = await createLiteLlmDatabase(calls);
}, 60_000);
afterAll(async () => {
  await keys.drop();
  await rm(folder, { recursive: true, force: true });
});

async function optionsOf(given: Costs, accepted: string[] = []) {
  const path = join(folder, 'config.yaml');
  await writeFile(path, configOf(given));
  const options = optionsFor(path, { keysSource: { engine: 'postgres', url: keys.url } });
  return { ...options, decisions: { ...options.decisions, accepted } };
}

const compared = { rows: 8, equal: 7, unknown: 1, older: 0, different: [] };

it('charges the calls of the log again at the prices that are moved, and proves them equal', async () => {
  const options = await optionsOf(costs);
  expect((await dryRun(options, false)).replay).toEqual(compared);
  const database = await createTestDatabase();
  const report = await move(database, options);
  expect(report).toMatchObject({ isBlocked: false, proof: { replay: compared } });
  expect(isProven(report)).toBe(true);
  await database.drop();
}, 60_000);

/** A change of each cost, with the model whose calls then differ. */
const mutations: ReadonlyArray<readonly [cost: keyof Costs, model: string]> = [
  ['input', 'gpt-4o'],
  ['output', 'gpt-4o'],
  ['cached', 'gpt-4o'],
  ['written', 'seer'],
  ['audio', 'seer'],
  ['reasoning', 'seer'],
  ['long', 'seer'],
];
it.each(mutations)(
  'is not proven with another cost of %s: exit code 3',
  async (cost, model) => {
    const database = await createTestDatabase();
    const report = await move(database, await optionsOf({ ...costs, [cost]: costs[cost] * 1.5 }));
    expect(report.isBlocked).toBe(false);
    expect(isProven(report)).toBe(false);
    expect(report.proof?.replay.different.map((one) => one.model)).toContain(model);
    await database.drop();
  },
  60_000,
);

it('compares no calls from before a change of the price, and takes a model that was accepted by name', async () => {
  const client = new pg.Client({ connectionString: keys.url });
  await client.connect();
  const then = (input: number): string =>
    JSON.stringify({ model_map_information: { model_map_value: { input_cost_per_token: input } } });
  const add = (id: string, second: number, input: number, spend: number) =>
    client.query(
      `INSERT INTO "LiteLLM_SpendLogs" (request_id, spend, prompt_tokens, completion_tokens, "startTime", model_group, metadata)
       VALUES ($1, $2, 1000, 0, $3, 'gpt-4o', $4)`,
      [id, spend, new Date(Date.UTC(2026, 10, 2, 0, 0, second)), then(input)],
    );
  await client.query(`DELETE FROM "LiteLLM_SpendLogs" WHERE model_group = 'gpt-4o'`);
  await add('old', 1, 0.000_001, million(1000));
  await add('new', 2, 0.000_003, million(3000));
  await add('newer', 3, 0.000_003, million(9000));
  await client.end();
  const { replay } = await dryRun(await optionsOf(costs), false);
  expect(replay).toMatchObject({ older: 1, different: [{ model: 'gpt-4o', calls: 1, there: 4500, here: 1500 }] });
  const accepted = await dryRun(await optionsOf(costs, ['gpt-4o']), false);
  expect(accepted.replay?.different).toMatchObject([{ model: 'gpt-4o', isAccepted: true }]);
}, 60_000);

it('names models whose deployments cost different amounts, and tokens that LiteLLM does not charge', async () => {
  const path = join(folder, 'two.yaml');
  await writeFile(
    path,
    `model_list:
  - model_name: twice
    litellm_params: { model: openai/a, api_key: k, input_cost_per_token: 0.000001, output_cost_per_token: 0.000002 }
  - model_name: twice
    litellm_params: { model: openai/b, api_key: k, input_cost_per_token: 0.000003, output_cost_per_token: 0.000002 }
  - model_name: half
    litellm_params: { model: openai/a, api_key: k, input_cost_per_token: 0.000001, output_cost_per_token: 0.000002 }
  - model_name: half
    litellm_params: { model: openai/b, api_key: k }
`,
  );
  const report = await dryRun(optionsFor(path), false);
  const found = report.findings.find(({ code }) => code === 'price-by-channel');
  expect(found).toMatchObject({ severity: 'blocking', list: 'costs differently' });
  expect(found?.examples.map(({ id }) => id)).toEqual(['twice', 'half']);
  expect(report.isBlocked).toBe(true);
  const kinds = report.findings.find(({ code }) => code === 'price-kind');
  expect(kinds).toMatchObject({ list: 'costs differently' });
  expect(kinds?.examples.map(({ id, detail }) => `${id} ${detail.split(':')[0]}`)).toEqual([
    'twice cached tokens',
    'half cached tokens',
  ]);
});

it('asks for a decision on each cost without a counterpart, and moves that of searches', async () => {
  const path = join(folder, 'unknown.yaml');
  await writeFile(
    path,
    `model_list:
  - model_name: seer
    litellm_params: { model: openai/seer, api_key: k, input_cost_per_token: 0.000001, output_cost_per_token: 0.000002 }
    model_info:
      cache_read_input_token_cost: 0.0000001
      search_context_cost_per_query: { search_context_size_medium: 0.02 }
      input_cost_per_video_per_second: 0.3
`,
  );
  const report = await dryRun(optionsFor(path), false);
  const found = report.findings.find(({ code }) => code === 'price-keys');
  expect(found).toMatchObject({ severity: 'blocking', list: 'costs differently' });
  expect(found?.examples).toEqual([
    {
      table: 'model_list',
      id: 'seer',
      detail: 'input_cost_per_video_per_second has no counterpart for a model of the mode chat',
    },
  ]);
  const { decisions } = optionsFor(path);
  const accepted = optionsFor(path, { decisions: { ...decisions, accepted: ['seer'] } });
  const database = await createTestDatabase();
  expect((await move(database, accepted)).isBlocked).toBe(false);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ value: string }>(`SELECT value FROM options WHERE key = 'PriceCards'`);
  await client.end();
  expect(JSON.parse(rows[0]?.value ?? '{}')).toMatchObject({ seer: { prices: { input: 1, webSearch: 0.02 } } });
  await database.drop();
}, 60_000);

it('serves the aliases of models, and reads access groups and patterns in the lists of keys', async () => {
  const shared = await createEmptyDatabase();
  const client = new pg.Client({ connectionString: shared.url });
  await client.connect();
  await client.query(`
    CREATE TABLE "LiteLLM_VerificationToken" (token text PRIMARY KEY, key_alias text, spend double precision, models text[], user_id text,
      max_budget double precision, created_at timestamp(3));
    INSERT INTO "LiteLLM_VerificationToken" VALUES ('k1', 'group', 0, '{beta}', 'a', 1, '2025-01-01'),
      ('k2', 'pattern', 0, '{my/*,lost}', 'a', 1, '2025-01-02'), ('k3', 'star', 0, '{*}', 'a', 1, '2025-01-03')`);
  await client.end();
  const path = join(folder, 'names.yaml');
  await writeFile(
    path,
    `model_list:
  - model_name: my/small
    litellm_params: { model: openai/a, api_key: k, api_base: https://gw.example/api/paas/v4, input_cost_per_token: 0.000001, output_cost_per_token: 0.000002 }
    model_info: { access_groups: [beta] }
  - model_name: kimi
    litellm_params: { model: moonshot/kimi-k3, api_key: k, input_cost_per_token: 0.000001, output_cost_per_token: 0.000002 }
  - model_name: answers
    litellm_params: { model: perplexity/sonar, api_key: k, api_base: https://gw.example/v1, input_cost_per_token: 0.000001, output_cost_per_token: 0.000002 }
  - model_name: plain
    litellm_params: { model: openai/b, api_key: k, api_base: https://gw.example/v1, input_cost_per_token: 0.000001, output_cost_per_token: 0.000002 }
router_settings:
  model_group_alias: { short: my/small, odd: { model: kimi, hidden: true } }
general_settings: { master_key: sk-1234 }
`,
  );
  const options = optionsFor(path, { keysSource: { engine: 'postgres', url: shared.url } });
  const database = await createTestDatabase();
  const report = await move(database, options);
  expect(report.isBlocked).toBe(false);
  const { channels } = await dryRun(options, false);
  expect(channels.map(({ there, here }) => [there, here])).toEqual(
    [
      'https://gw.example/api/paas/v4/chat/completions',
      'https://api.moonshot.ai/v1/chat/completions',
      'https://gw.example/v1/chat/completions',
      'https://gw.example/v1/chat/completions',
      'https://gw.example/api/paas/v4/chat/completions',
      'https://api.moonshot.ai/v1/chat/completions',
    ].map((url) => [url, url]),
  );
  const pool = new pg.Client({ connectionString: database.url });
  await pool.connect();
  const rows = async (sql: string): Promise<unknown[]> => (await pool.query<Record<string, unknown>>(sql)).rows;
  expect(await rows('SELECT models, model_mapping, status FROM channels ORDER BY id OFFSET 4')).toEqual([
    { models: ['short'], model_mapping: { short: 'a' }, status: 'enabled' },
    { models: ['odd'], model_mapping: { odd: 'kimi-k3' }, status: 'enabled' },
  ]);
  expect(await rows('SELECT name, model_limits_enabled AS limited, model_limits FROM tokens ORDER BY id')).toEqual([
    { name: 'group', limited: true, model_limits: ['my/small'] },
    { name: 'pattern', limited: true, model_limits: ['my/small', 'lost'] },
    { name: 'star', limited: false, model_limits: [] },
  ]);
  await pool.end();
  const found = (code: string) =>
    report.findings.find((one) => one.code === code)?.examples.map(({ detail }) => detail);
  expect(found('key-model')).toEqual(['pattern: lost']);
  expect(report.findings.find(({ code }) => code === 'setting-unmapped')?.examples).toContainEqual({
    table: 'general_settings',
    id: 'master_key',
    detail: '',
  });
  await database.drop();
  await shared.drop();
}, 60_000);
