/** Searches at ratio prices, at providers that bill and report them in their own way or do not report them. */
import type { OptionValues } from '../../server/src/options/option-registry.js';
import { chat } from '../support/upstream/replies.js';
import { type LogRow, type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started));

afterEach(async () => {
  expect(await relay.unexplained()).toEqual([]);
  expect(await relay.replayedDifferently()).toEqual([]);
});

type Json = Record<string, unknown>;

const tokens = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
const quotaPerDollar = 500_000;

/** Calls a model with ratio 1 at a channel of this type, and returns the log row. */
async function rowOf(
  { model, type }: { model: string; type: number },
  usage: Json,
  body: Json,
  options: Partial<OptionValues> = {},
): Promise<LogRow> {
  relay.setOptions({ ModelRatio: { [model]: 1 }, CompletionRatio: { [model]: 1 }, ...options });
  await relay.addChannel({ type, models: model });
  const { key, userId } = await relay.addToken();
  relay.upstream.script({}, chat({ text: 'hi', usage: { ...tokens, ...usage } }));
  const response = await relay.chat(key, { model, messages: userMessage('hi'), ...body });
  expect([response.status, await response.text()]).toEqual([200, expect.anything()]);
  const [row] = await relay.logsOf(userId, 1);
  return row as LogRow;
}

const qwen = { model: 'qwen-plus', type: 17 };
const glm = { model: 'glm-4-plus', type: 26 };
const grok = { model: 'grok-3', type: 48 };
const sonar = { model: 'sonar', type: 27 };
const glmSearch = (settings: Json): Json => ({ tools: [{ type: 'web_search', web_search: settings }] });

it.each<[string, { model: string; type: number }, Json, Json, number]>([
  ['Qwen, which reports them', qwen, { plugins: { search: { count: 3 } } }, { enable_search: true }, 0.03],
  ['Qwen, which reports none', qwen, {}, { enable_search: true, search_options: { forced_search: true } }, 0.01],
  ['Qwen, which was not to search', qwen, {}, { enable_search: false }, 0],
  ['Zhipu', glm, {}, glmSearch({ enable: true, search_result: false }), 0.01],
  ['Zhipu by text', glm, {}, glmSearch({ enable: 'True' }), 0.01],
  ['Zhipu, which was not to search', glm, {}, glmSearch({ enable: false }), 0],
  ['Zhipu, which was not to search, by text', glm, {}, glmSearch({ enable: 'False' }), 0],
  ['xAI by its sources', grok, { num_sources_used: 4 }, { search_parameters: { mode: 'on' } }, 0.1],
  ['xAI, which used no source', grok, { num_sources_used: 0 }, { search_parameters: { mode: 'auto' } }, 0],
  ['xAI by its tools', grok, { server_side_tool_usage_details: { web_search_calls: 2, x_search_calls: 1 } }, {}, 0.015],
  ['Perplexity by the request', sonar, { search_context_size: 'low' }, {}, 0.005],
  ['Perplexity by what it searched', sonar, { search_context_size: 'high' }, {}, 0.012],
  [
    'deep research by its searches',
    { model: 'sonar-deep-research', type: 27 },
    { num_search_queries: 7, citation_tokens: 0 },
    {},
    0.035,
  ],
])('charges the searches of %s', async (_name, channel, usage, body, fee) => {
  for (const stream of [false, true]) {
    await relay.clearChannels();
    const row = await rowOf(channel, usage, { ...body, stream });
    expect(row.quota).toBe(Math.round(110 + fee * quotaPerDollar));
    if (fee === 0) continue;
    // The components are the tokens, and each tool with its count and its price.
    const lines = row.other['components'] as Array<[string, number, number]>;
    const ofTool = lines.filter(([name]) => ['webSearch', 'request'].includes(name));
    expect(ofTool.map(([, count, price]) => Number((count * price).toFixed(6)))).toEqual([fee]);
  }
});

it('the site can set the price of a search, or give it away', async () => {
  for (const [webSearch, fee] of [
    [0.1, 0.1],
    [0, 0],
  ] as const) {
    await relay.clearChannels();
    const row = await rowOf(qwen, {}, { enable_search: true }, { ToolPrices: { 'qwen-*': { webSearch } } });
    expect(row.quota).toBe(110 + fee * quotaPerDollar);
  }
});

it('reserves what the sources of xAI can cost, by the number that the request allows', async () => {
  relay.setOptions({ ModelRatio: { 'grok-3': 1 } });
  await relay.addChannel({ type: 48, models: 'grok-3' });
  const body = { model: 'grok-3', messages: userMessage('hi'), max_tokens: 100 };
  const callWith = async (search: Json, quota: number): Promise<number> => {
    const { key } = await relay.addToken({ userId: await relay.addUser({ quota }) });
    relay.upstream.script({}, chat({ text: 'hi', usage: tokens }));
    return (await relay.chat(key, { ...body, search_parameters: search })).status;
  };
  // 20 sources cost 0.5 USD, 2 sources 0.05 USD.
  expect(await callWith({}, 200_000)).toBe(403);
  expect(await callWith({ max_search_results: 2 }, 200_000)).toBe(200);
  expect(await callWith({ mode: 'off' }, 20_000)).toBe(200);
});
