/**
 * Walks the one list of tools that providers run. Each name of the list is reserved before the call, charged as the
 * provider reports it, and refused where its price is not known. A tool that is on no list is refused or reported.
 */
import { pricedTools, type PricedTool } from '../../server/src/dialects/server-tools.js';
import { type RelayHarness, userMessage } from '../contract/relay-harness.js';
import { relaySuite } from '../contract/relay-suite.js';
import { json } from '../support/upstream/replies.js';
import type { Reply } from '../support/upstream/upstream.js';

type Json = Record<string, unknown>;

const prices = { webSearch: 0.02, groundedPrompt: 0.03, mapsPrompt: 0.04, fileSearch: 0.05, codeExecution: 0.06 };
const quotaPerDollar = 500_000;
/** 100 and 10 tokens, at ratio 1. */
const tokensWorth = 110;

const values = {
  ModelRatio: { known: 1, unknown: 1 },
  CompletionRatio: { known: 1, unknown: 1 },
  ToolPrices: { known: prices },
};

let relay: RelayHarness;
relaySuite((started) => (relay = started), { values });
afterEach(async () => expect(await relay.unexplained()).toEqual([]));

/** A request that has one tool, and the provider's report of one call of it. */
interface Sample {
  readonly channel: number;
  readonly path: (model: string) => string;
  readonly body: Json;
  readonly reply: Reply;
  /** USD that the provider bills for its tool. */
  readonly fee: number;
}

const tokens = { input_tokens: 100, output_tokens: 10, total_tokens: 110 };
const chatTokens = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };

function ofResponses(tool: Json, item: Json, fee: number, usage: Json = tokens): Sample {
  const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hi' }] };
  return {
    channel: 1,
    path: () => '/v1/responses',
    body: { input: 'hi', max_output_tokens: 50, tools: [tool] },
    // The response repeats the tools of the request (https://platform.openai.com/docs/api-reference/responses, 2026-11).
    reply: json({ id: 'r', object: 'response', status: 'completed', tools: [tool], output: [item, said], usage }),
    fee,
  };
}

const ofChat = (fields: Json, usage: Json, fee: number): Sample => ({
  channel: 20,
  path: () => '/v1/chat/completions',
  body: { messages: userMessage('hi'), max_tokens: 50, ...fields },
  reply: json({
    id: 'c',
    object: 'chat.completion',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'hi' } }],
    usage: { ...chatTokens, ...usage },
  }),
  fee,
});

const ofGemini = (tool: Json, grounding: Json, fee: number): Sample => ({
  channel: 24,
  path: (model) => `/v1beta/models/${model}:generateContent`,
  body: {
    contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
    tools: [tool],
    generationConfig: { maxOutputTokens: 50 },
  },
  reply: json({
    candidates: [
      {
        index: 0,
        finishReason: 'STOP',
        content: { role: 'model', parts: [{ text: 'hi' }] },
        groundingMetadata: grounding,
      },
    ],
    usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 },
  }),
  fee,
});

const ofMessages = (tool: Json): Sample => ({
  channel: 14,
  path: () => '/v1/messages',
  body: { messages: userMessage('hi'), max_tokens: 50, tools: [tool] },
  reply: json({
    id: 'm',
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'hi' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 100, output_tokens: 10, server_tool_use: { web_search_requests: 1 } },
  }),
  fee: prices.webSearch,
});

const searched = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } };
const filesSearched = { type: 'file_search_call', id: 'fs_1', status: 'completed', queries: ['q'] };
const coded = { type: 'code_interpreter_call', id: 'ci_1', status: 'completed', container_id: 'cntr_1' };
const commanded = {
  type: 'shell_call',
  id: 'sh_1',
  status: 'completed',
  environment: { type: 'container_reference', container_id: 'cntr_1' },
};
const openRouter = { server_tool_use: { web_search_requests: 1 } };
const xai = (counts: Json): Json => ({ ...tokens, server_side_tool_usage_details: counts });
const message = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hi' }] };
const auto = (memory_limit: string): Json => ({ type: 'container_auto', memory_limit });

/** The samples by the name of the list that each declares, and more declarations of the same tools. */
const samples: Readonly<Record<string, Sample>> = {
  web_search: ofResponses({ type: 'web_search' }, searched, prices.webSearch),
  'web_search, dated': ofResponses({ type: 'web_search_2025_08_26' }, searched, prices.webSearch),
  web_search_preview: ofResponses({ type: 'web_search_preview' }, searched, prices.webSearch),
  x_search: ofResponses({ type: 'x_search' }, message, prices.webSearch, xai({ x_search_calls: 1 })),
  'openrouter:web_search': ofChat({ tools: [{ type: 'openrouter:web_search' }] }, openRouter, prices.webSearch),
  'the plugin web': ofChat({ plugins: [{ id: 'web' }] }, openRouter, prices.webSearch),
  web_search_options: ofChat({ web_search_options: {} }, openRouter, prices.webSearch),
  search_parameters: ofChat({ search_parameters: { mode: 'on' } }, { num_sources_used: 1 }, 5 * prices.webSearch),
  enable_search: ofChat({ enable_search: true }, { plugins: { search: { count: 1 } } }, prices.webSearch),
  googlesearch: ofGemini({ googleSearch: {} }, { webSearchQueries: ['q'] }, prices.groundedPrompt + prices.webSearch),
  googlesearchretrieval: ofGemini(
    { google_search_retrieval: {} },
    { webSearchQueries: ['q'] },
    prices.groundedPrompt + prices.webSearch,
  ),
  enterprisewebsearch: ofGemini(
    { enterpriseWebSearch: {} },
    { webSearchQueries: ['q'] },
    prices.groundedPrompt + prices.webSearch,
  ),
  googlemaps: ofGemini({ googleMaps: {} }, { groundingChunks: [{ maps: { uri: 'https://m.example' } }] }, 0.06),
  file_search: ofResponses({ type: 'file_search' }, filesSearched, prices.fileSearch),
  collections_search: ofResponses(
    { type: 'collections_search' },
    message,
    prices.fileSearch,
    xai({ file_search_calls: 1 }),
  ),
  attachment_search: ofResponses(
    { type: 'attachment_search' },
    message,
    prices.fileSearch,
    xai({ document_search_calls: 1 }),
  ),
  code_interpreter: ofResponses({ type: 'code_interpreter', container: { type: 'auto' } }, coded, prices.codeExecution),
  'code_interpreter with memory': ofResponses(
    { type: 'code_interpreter', container: { type: 'auto', memory_limit: '64g' } },
    coded,
    64 * prices.codeExecution,
  ),
  code_execution: ofResponses(
    { type: 'code_execution' },
    message,
    prices.codeExecution,
    xai({ code_interpreter_calls: 1 }),
  ),
  shell: ofResponses({ type: 'shell', environment: { type: 'container_auto' } }, commanded, prices.codeExecution),
  'shell with memory': ofResponses({ type: 'shell', environment: auto('64g') }, commanded, 64 * prices.codeExecution),
  'shell with memory beside an empty container': ofResponses(
    { type: 'shell', container: {}, environment: auto('64g') },
    commanded,
    64 * prices.codeExecution,
  ),
  'code_interpreter with memory beside an environment': ofResponses(
    { type: 'code_interpreter', container: { type: 'auto', memory_limit: '64g' }, environment: auto('4g') },
    coded,
    64 * prices.codeExecution,
  ),
  'code_interpreter with memory in a namespace': ofResponses(
    {
      type: 'namespace',
      name: 'n',
      tools: [{ type: 'code_interpreter', container: { type: 'auto', memory_limit: '16g' } }],
    },
    coded,
    16 * prices.codeExecution,
  ),
  'x_search with a schema': ofResponses(
    { type: 'x_search', input_schema: {} },
    message,
    prices.webSearch,
    xai({ x_search_calls: 1 }),
  ),
  'web_search in a namespace': ofResponses(
    { type: 'namespace', name: 'n', description: 'd', tools: [{ type: 'web_search' }] },
    searched,
    prices.webSearch,
  ),
  'web_search in a namespace of a namespace': ofResponses(
    { type: 'namespace', name: 'n', tools: [{ type: 'namespace', name: 'm', tools: [{ type: 'web_search' }] }] },
    searched,
    prices.webSearch,
  ),
};

const namesOf = ({ types, fields, switches }: PricedTool): string[] => [...types, ...fields, ...switches];
const cases = Object.entries(samples);

it('has a sample of every name of the list', () => {
  const names = pricedTools.flatMap(namesOf);
  expect(names.filter((name) => !Object.hasOwn(samples, name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});

describe.each(cases)('%s', (_name, { channel, path, body, reply, fee }) => {
  it('is reserved: no balance that pays for the tokens alone gets the work of the provider', async () => {
    await relay.addChannel({ type: channel, models: 'known' });
    relay.upstream.script({}, reply);
    const quota = Math.min(10_000, Math.floor((fee * quotaPerDollar) / 2));
    const { key, userId } = await relay.addToken({ userId: await relay.addUser({ quota }) });
    const statuses = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const response = await relay.post(path('known'), key, { model: 'known', ...body });
        await response.text();
        return response.status;
      }),
    );
    expect([...new Set(statuses)]).toEqual([403]);
    expect(relay.upstream.requests).toEqual([]);
    expect(await relay.balance(userId)).toMatchObject({ quota, used: 0 });
  });

  it('is charged as the provider reports it', async () => {
    await relay.addChannel({ type: channel, models: 'known' });
    relay.upstream.script({}, reply);
    const { key, userId } = await relay.addToken({ userId: await relay.addUser({ quota: 50_000_000 }) });
    const response = await relay.post(path('known'), key, { model: 'known', ...body });
    expect([response.status, response.status === 200 || (await response.clone().text())]).toEqual([200, true]);
    await response.text();
    const [row] = await relay.logsOf(userId, 1);
    expect([row?.quota, row?.other['uncharged_quota']]).toEqual([
      Math.round(tokensWorth + fee * quotaPerDollar),
      undefined,
    ]);
  });

  it('is refused where its price is not known', async () => {
    await relay.addChannel({ type: channel, models: 'unknown' });
    const { key } = await relay.addToken();
    const response = await relay.post(path('unknown'), key, { model: 'unknown', ...body });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('has no price')]);
    expect(relay.upstream.requests).toEqual([]);
  });
});

it.each(Object.entries(samples).filter(([name]) => name.includes('with memory')))(
  'is reserved with all of its memory: %s',
  async (_name, { path, body, reply, fee }) => {
    await relay.addChannel({ models: 'known' });
    relay.upstream.script({}, reply);
    // The balance pays for a container with half of the memory.
    const quota = Math.floor((fee * quotaPerDollar) / 2);
    const { key } = await relay.addToken({ userId: await relay.addUser({ quota }) });
    const response = await relay.post(path('known'), key, { model: 'known', ...body });
    await response.text();
    expect(response.status).toBe(403);
    expect(relay.upstream.requests).toEqual([]);
  },
);

// A schema makes it no tool of the client. Anthropic refuses it too.
it('refuses a search with a schema, in Messages', async () => {
  await relay.addChannel({ models: 'known' });
  const { key } = await relay.addToken();
  const { path, body } = ofMessages({ type: 'web_search_20250305', name: 'web_search', input_schema: {} });
  const response = await relay.post(path('known'), key, { model: 'known', ...body });
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('tools[0].input_schema')]);
  expect(relay.upstream.requests).toEqual([]);
});

describe('a tool or plugin that is on no list', () => {
  it.each<[name: string, channel: number, path: string, fields: Json]>([
    ['teleport', 1, '/v1/responses', { input: 'hi', tools: [{ type: 'teleport' }] }],
    ['web_search_deluxe', 1, '/v1/responses', { input: 'hi', tools: [{ type: 'web_search_deluxe' }] }],
    ['openrouter:teleport', 20, '/v1/chat/completions', { tools: [{ type: 'openrouter:teleport' }] }],
    ['plugins', 20, '/v1/chat/completions', { plugins: [{ id: 'teleport' }] }],
    // Mistral's engine costs 2 USD per 1,000 pages, and is what OpenRouter used where none was named.
    ['plugins', 20, '/v1/chat/completions', { plugins: [{ id: 'file-parser', pdf: { engine: 'mistral-ocr' } }] }],
    ['plugins', 20, '/v1/chat/completions', { plugins: [{ id: 'file-parser' }] }],
    ['quantumSearch', 24, '/v1beta/models/known:generateContent', { tools: [{ quantumSearch: {} }] }],
  ])('is refused: %s at channel type %i', async (name, type, path, fields) => {
    await relay.addChannel({ type, models: 'known' });
    const { key } = await relay.addToken();
    const own = type === 24 ? { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] } : {};
    const body = { model: 'known', ...(type === 20 ? { messages: userMessage('hi') } : own), ...fields };
    const response = await relay.post(path, key, body);
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(`The tool ${name} has`)]);
    expect(relay.upstream.requests).toEqual([]);
  });

  it('is free where the site lets it pass, and the owner is told', async () => {
    relay.setOptions({ ...values, UnpricedTools: 'free' });
    await relay.addChannel({ type: 20, models: 'known' });
    const sample = ofChat({ plugins: [{ id: 'teleport' }] }, {}, 0);
    relay.upstream.script({}, sample.reply);
    const before = relay.notices.length;
    const { key } = await relay.addToken();
    expect((await relay.chat(key, { model: 'known', ...sample.body })).status).toBe(200);
    await relay.idle();
    expect(relay.notices.slice(before)).toEqual([
      expect.objectContaining({ values: expect.arrayContaining(['plugins', 'known']) as unknown }),
    ]);
  });

  it.each<[name: string, tool: Json]>([
    ['a shell of the client', { type: 'shell' }],
    ['a shell that is declared as local', { type: 'shell', environment: { type: 'local', skills: [] } }],
    ['commands of the client', { type: 'local_shell' }],
  ])('is not %s', async (_name, tool) => {
    await relay.addChannel({ models: 'unknown' });
    const sample = ofResponses(tool, message, 0);
    relay.upstream.script({}, sample.reply);
    const { key, userId } = await relay.addToken({ userId: await relay.addUser({ quota: 10_000 }) });
    const response = await relay.post('/v1/responses', key, { model: 'unknown', ...sample.body });
    await response.text();
    expect(response.status).toBe(200);
    expect((await relay.logsOf(userId, 1))[0]?.quota).toBe(tokensWorth);
  });

  // The type of a tool is optional at hosts of chat completions, and absent from Anthropic's tools of the client.
  it.each<[name: string, channel: number, path: string, tool: Json]>([
    ['a function without a type', 20, '/v1/chat/completions', { function: { name: 'f', parameters: {} } }],
    ['a function with a type of null', 20, '/v1/chat/completions', { type: null, function: { name: 'f' } }],
    ['a tool of Messages without a type', 14, '/v1/messages', { name: 'f', input_schema: { type: 'object' } }],
    ['a custom tool of Messages', 14, '/v1/messages', { type: 'custom', name: 'f', input_schema: { type: 'object' } }],
  ])('is not %s', async (_name, type, path, tool) => {
    await relay.addChannel({ type, models: 'unknown' });
    relay.upstream.script({}, (type === 14 ? ofMessages({}) : ofChat({}, {}, 0)).reply);
    const { key } = await relay.addToken();
    const body = { model: 'unknown', max_tokens: 50, messages: userMessage('hi'), tools: [tool] };
    const response = await relay.post(path, key, body);
    expect([response.status, response.status === 200 || (await response.text())]).toEqual([200, true]);
    expect(relay.upstream.requests[0]?.body).toMatchObject({ tools: [tool] });
  });

  it('does not hide beside functions in a namespace', async () => {
    await relay.addChannel({ models: 'unknown' });
    relay.upstream.script({}, ofResponses({}, message, 0).reply);
    const { key } = await relay.addToken();
    const body = (...more: Json[]): Json => ({
      model: 'unknown',
      input: 'hi',
      tools: [{ type: 'namespace', name: 'n', description: 'd', tools: [{ type: 'function', name: 'f' }, ...more] }],
    });
    expect((await relay.post('/v1/responses', key, body())).status).toBe(200);
    const refused = await relay.post('/v1/responses', key, body({ type: 'teleport', input_schema: {} }));
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('The tool teleport has')]);
    expect(relay.upstream.requests).toHaveLength(1);
  });

  it.each<[name: string, plugin: Json]>([
    ['the file parser without a fee', { id: 'file-parser', pdf: { engine: 'cloudflare-ai' } }],
    ['the repair of JSON', { id: 'response-healing' }],
    ['a plugin that is off', { id: 'web', enabled: false }],
  ])('is not %s', async (_name, plugin) => {
    await relay.addChannel({ type: 20, models: 'unknown' });
    relay.upstream.script({}, ofChat({}, {}, 0).reply);
    const { key } = await relay.addToken();
    const body = { model: 'unknown', messages: userMessage('hi'), plugins: [plugin] };
    expect((await relay.chat(key, body)).status).toBe(200);
    expect(relay.upstream.requests[0]?.body).toMatchObject({ plugins: [plugin] });
  });
});
