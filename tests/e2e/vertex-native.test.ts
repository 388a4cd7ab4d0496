import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { googleCertificate, startGoogle, type GoogleHosts } from '../agents/vertex.js';
import type { Person } from '../support/api.js';
import { spawnServer, type SpawnedServer } from '../support/server.js';
import { json, openStream } from '../support/upstream/replies.js';
import { startUpstream, type Reply, type Upstream } from '../support/upstream/upstream.js';
import { buildServer } from './boot-support.js';

/** Clients of the maker's own dialect at Vertex: what they get, and what is charged, from their socket to Google's hosts. */

jest.setTimeout(90_000);

type Json = Record<string, unknown>;

const claude = 'claude-sonnet-4-5-20250929';
const gemini = 'gemini-2.5-flash';
const project = '/v1/projects/proj-fake/locations/us-east5/publishers';
const claudePath = `${project}/anthropic/models/claude-sonnet-4-5@20250929`;
const geminiPath = `${project}/google/models/${gemini}`;
let upstream: Upstream;
let google: GoogleHosts;
let server: SpawnedServer;
let database: pg.Client;
let root: Person;
let key: string;
let vertex: number;

beforeAll(async () => {
  buildServer();
  upstream = await startUpstream();
  google = await startGoogle(upstream.url);
  server = await spawnServer({ environment: { NODE_EXTRA_CA_CERTS: googleCertificate } });
  database = new pg.Client({ connectionString: server.database.url });
  await database.connect();
  root = await server.api.setUp();
  const prices = { [claude]: 1, [gemini]: 1 };
  for (const [name, value] of [
    ['ModelRatio', JSON.stringify(prices)],
    ['CompletionRatio', JSON.stringify({ [claude]: 5, [gemini]: 5 })],
    ['RetryTimes', '1'],
  ]) {
    await server.api.data(root, 'PUT', '/api/option/', { key: name, value });
  }
  await server.api.data(root, 'POST', '/api/channel/', {
    name: 'vertex',
    type: 41,
    models: `${claude},${gemini}`,
    group: 'default',
    priority: 10,
    ...google.channel,
  });
  [{ id: vertex }] = await server.api.data<[{ id: number }]>(root, 'GET', '/api/channel/?p=0');
  await server.api.data(root, 'POST', '/api/channel/', {
    name: 'anthropic',
    type: 14,
    models: claude,
    group: 'default',
    key: 'sk-ant',
    base_url: upstream.url,
  });
  const token = { name: 't', unlimited_quota: true, remain_quota: 0, expired_time: -1 };
  key = (await server.api.data<{ key: string }>(root, 'POST', '/api/token/', token)).key.replace(/^sk-/, '');
});
afterAll(async () => {
  await database.end();
  await server.stop();
  await google.stop();
  await upstream.stop();
});
beforeEach(() => {
  upstream.reset();
  upstream.script({ path: '/token' }, json({ access_token: 'ya29.scripted', expires_in: 3600, token_type: 'Bearer' }));
});
afterEach(async () => {
  await server.api.data(root, 'DELETE', `/api/channel/${vertex}/cooldowns`);
  const { rows } = await database.query<{ open: string }>(`SELECT count(*) AS open FROM reservations`);
  expect(rows).toEqual([{ open: '0' }]);
});

const post = (path: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(server.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer sk-${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

interface Charge {
  readonly quota: string;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly other: Json;
}

/** The last row of the log, of a call that was charged. */
async function lastCharge(): Promise<Charge> {
  const { rows } = await database.query<Omit<Charge, 'other'> & { other: string | Json }>(
    'SELECT quota, prompt_tokens, completion_tokens, other FROM logs WHERE type = 2 ORDER BY id DESC LIMIT 1',
  );
  const [row] = rows;
  if (!row) throw new Error('nothing was charged');
  return { ...row, other: typeof row.other === 'string' ? (JSON.parse(row.other) as Json) : row.other };
}

/** Requests but those for a token. */
const received = () => upstream.requests.filter(({ path }) => path !== '/token');

const streamed =
  (text: string, end: 'end' | 'cut' = 'end'): Reply =>
  (response) => {
    openStream(response);
    response.write(text);
    if (end === 'end') response.end();
    else setTimeout(() => response.destroy(), 50);
  };
const sse = (events: readonly Json[]): string =>
  events.map((event) => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`).join('');
const data = (events: readonly Json[]): string => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');

const messages = [{ role: 'user', content: 'hi' }];
const usage = {
  input_tokens: 100,
  output_tokens: 20,
  cache_read_input_tokens: 1000,
  cache_creation_input_tokens: 300,
  cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
  server_tool_use: { web_search_requests: 2 },
};
const searched = {
  id: 'msg_vrtx_1',
  type: 'message',
  role: 'assistant',
  model: claude,
  stop_sequence: null,
  brand_new: { a: 1 },
  stop_reason: 'end_turn',
  usage,
  content: [
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'q' } },
    {
      type: 'web_search_tool_result',
      tool_use_id: 'srvtoolu_1',
      content: [{ type: 'web_search_result', url: 'https://a.example', title: 'A', encrypted_content: 'x' }],
    },
    {
      type: 'text',
      text: 'Found',
      citations: [{ type: 'web_search_result_location', url: 'https://a.example', encrypted_index: 'y' }],
    },
  ],
};
const tools = [
  { type: 'web_search_20250305', name: 'web_search', max_uses: 3 },
  { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' },
  {
    name: 'f',
    input_schema: { type: 'object' },
    defer_loading: true,
    input_examples: [{ a: 1 }],
    cache_control: { type: 'ephemeral', ttl: '1h' },
  },
];

describe('a client of Messages at Claude', () => {
  it('gets the whole response, for what its request really says', async () => {
    upstream.script({ path: claudePath }, json(searched));
    const body = { model: claude, max_tokens: 50, messages, tools, metadata: { user_id: 'u' }, brand_new: [1] };
    const betas = 'advanced-tool-use-2025-11-20,context-1m-2025-08-07,invented-2099-01-01';
    const response = await post('/v1/messages', body, { 'anthropic-beta': betas });
    expect(await response.json()).toEqual(searched);
    const [request] = received();
    const { model: _model, ...rest } = body;
    expect(request?.path).toBe(`${claudePath}:rawPredict`);
    const taken = ['tool-search-tool-2025-10-19', 'context-1m-2025-08-07'];
    expect(request?.body).toEqual({ anthropic_version: 'vertex-2023-10-16', ...rest, anthropic_beta: taken });
    expect(request?.headers['anthropic-beta']).toBe('tool-search-tool-2025-10-19');
    expect(await lastCharge()).toMatchObject({
      prompt_tokens: 1400,
      completion_tokens: 20,
      other: { cache_tokens: 1000, cache_creation_tokens: 300 },
    });
  });

  it('is charged for a stream as for the same response in one piece', async () => {
    upstream.script({ path: claudePath }, json(searched));
    await (await post('/v1/messages', { model: claude, max_tokens: 50, messages, tools })).text();
    const whole = await lastCharge();
    const { content, usage: _usage, ...message } = searched;
    const begin = { ...usage, output_tokens: 1, server_tool_use: { web_search_requests: 0 } };
    const events = [
      { type: 'message_start', message: { ...message, stop_reason: null, content: [], usage: begin } },
      ...content.flatMap((block, index) => [
        { type: 'content_block_start', index, content_block: block },
        { type: 'content_block_stop', index },
      ]),
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { output_tokens: 20, server_tool_use: { web_search_requests: 2 } },
      },
      { type: 'message_stop' },
    ];
    const [first, ...others] = events;
    const own = { type: 'vertex_event', usage: { input_tokens: 100, output_tokens: 1 } };
    upstream.script(
      { path: claudePath },
      streamed(sse([first ?? {}, own, ...others.slice(0, -1), own, { type: 'message_stop' }])),
    );
    const response = await post('/v1/messages', { model: claude, max_tokens: 50, messages, tools, stream: true });
    expect(await response.text()).toBe(sse(events));
    expect(received().at(-1)).toMatchObject({ path: `${claudePath}:streamRawPredict?alt=sse`, body: { stream: true } });
    const { quota, prompt_tokens: prompt, completion_tokens: completion, other } = await lastCharge();
    expect({ quota, prompt, completion }).toEqual({
      quota: whole.quota,
      prompt: whole.prompt_tokens,
      completion: whole.completion_tokens,
    });
    expect(Number(quota)).toBeGreaterThan(0);
    expect(other).toMatchObject({ cache_tokens: 1000, cache_creation_tokens: 300 });
  });

  it('pays for what it got of a stream that was cut', async () => {
    const said = [
      {
        type: 'message_start',
        message: {
          ...searched,
          content: [],
          usage: { input_tokens: 100, output_tokens: 1, cache_read_input_tokens: 0 },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'one two three four five six' } },
    ];
    upstream.script({ path: claudePath }, streamed(sse(said), 'cut'));
    const text = await (await post('/v1/messages', { model: claude, max_tokens: 50, messages, stream: true })).text();
    expect(text.startsWith(sse(said))).toBe(true);
    expect(text).toContain('event: error');
    const { prompt_tokens: prompt, completion_tokens: completion } = await lastCharge();
    expect(prompt).toBe(100);
    expect(completion).toBeGreaterThan(1);
  });

  it('reads an error inside a stream as an error', async () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    const start = {
      type: 'message_start',
      message: { ...searched, content: [], usage: { input_tokens: 9, output_tokens: 1 } },
    };
    const delta = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } };
    upstream.script({ path: claudePath }, streamed(sse([start, delta, error])));
    const text = await (await post('/v1/messages', { model: claude, max_tokens: 50, messages, stream: true })).text();
    expect(text).toContain('"type":"overloaded_error"');
    expect(text.match(/event: error/g)).toHaveLength(1);
  });

  it('gets the words of a refusal, which costs nothing', async () => {
    const before = (await database.query('SELECT sum(quota) FROM logs')).rows;
    upstream.script(
      { path: claudePath },
      json({ type: 'error', error: { type: 'invalid_request_error', message: 'max_tokens: too large' } }, 400),
    );
    const response = await post('/v1/messages', { model: claude, max_tokens: 50, messages });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error', message: expect.stringContaining('max_tokens: too large') as string },
    });
    expect((await database.query('SELECT sum(quota) FROM logs')).rows).toEqual(before);
  });

  it('is served by Anthropic when Vertex is full, with the body that it sent', async () => {
    const full = { error: { code: 429, message: 'Quota exceeded', status: 'RESOURCE_EXHAUSTED' } };
    upstream.script({ path: claudePath }, json(full, 429));
    upstream.script({ path: '/v1/messages' }, json(searched));
    const body = {
      model: claude,
      max_tokens: 50,
      messages,
      service_tier: 'auto',
      cache_control: { type: 'ephemeral' },
    };
    const response = await post('/v1/messages', body);
    expect(await response.json()).toEqual(searched);
    expect(response.headers.get('x-tollgate-dropped')).toBeNull();
    expect(received().map(({ path, body: sent }) => [path, sent])).toEqual([
      [
        `${claudePath}:rawPredict`,
        {
          anthropic_version: 'vertex-2023-10-16',
          max_tokens: 50,
          messages: [{ role: 'user', content: [{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } }] }],
        },
      ],
      ['/v1/messages', body],
    ]);
    expect(received()[1]?.rawBody.toString()).toBe(JSON.stringify(body));
  });

  it('is served by Anthropic when it needs what Vertex does not offer', async () => {
    upstream.script({ path: '/v1/messages' }, json(searched));
    const body = { model: claude, max_tokens: 50, messages, mcp_servers: [{ type: 'url', url: 'https://m.example' }] };
    expect(await (await post('/v1/messages', body)).json()).toEqual(searched);
    expect(received().map(({ path }) => path)).toEqual(['/v1/messages']);
  });

  it('is told what Vertex was not sent', async () => {
    upstream.script({ path: claudePath }, json(searched));
    const cached = { type: 'ephemeral', scope: 'global' };
    const system = [{ type: 'text', text: 'S', cache_control: cached }];
    const response = await post('/v1/messages', {
      model: claude,
      max_tokens: 50,
      messages,
      system,
      service_tier: 'auto',
    });
    expect(response.headers.get('x-tollgate-dropped')).toBe('service_tier, cache_control.scope');
    expect(received()[0]?.body).toEqual({
      anthropic_version: 'vertex-2023-10-16',
      max_tokens: 50,
      messages,
      system: [{ type: 'text', text: 'S', cache_control: { type: 'ephemeral' } }],
    });
  });

  it('has media by URL downloaded, which Vertex does not do', async () => {
    const source = { type: 'url', url: `${upstream.url}/picture.png` };
    const response = await post('/v1/messages', {
      model: claude,
      max_tokens: 50,
      messages: [{ role: 'user', content: [{ type: 'image', source }] }],
    });
    // A private address is not downloaded from.
    expect(await response.text()).toContain('it cannot be fetched');
    expect(received()).toEqual([]);
  });

  it('passes on recorded streams byte by byte', async () => {
    const recorded = readFileSync(join(import.meta.dirname, '../recorded/anthropic/anthropic-text.chunks.txt'), 'utf8');
    const events = recorded
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Json);
    upstream.script({ path: claudePath }, streamed(sse(events)));
    const response = await post('/v1/messages', { model: claude, max_tokens: 50, messages, stream: true });
    expect(await response.text()).toBe(sse(events));
  });
});

const grounded = {
  candidates: [
    {
      index: 0,
      finishReason: 'STOP',
      content: { role: 'model', parts: [{ text: 'Found' }] },
      groundingMetadata: {
        webSearchQueries: ['q'],
        searchEntryPoint: { renderedContent: '<div/>' },
        groundingChunks: [{ web: { uri: 'https://a.example', title: 'A' } }],
        groundingSupports: [{ segment: { endIndex: 5 }, groundingChunkIndices: [0], confidenceScores: [0.9] }],
      },
      citationMetadata: { citations: [{ uri: 'https://a.example' }] },
    },
  ],
  usageMetadata: {
    promptTokenCount: 100,
    candidatesTokenCount: 20,
    thoughtsTokenCount: 30,
    totalTokenCount: 150,
    cachedContentTokenCount: 40,
    trafficType: 'ON_DEMAND',
  },
  modelVersion: gemini,
  createTime: '2026-11-23T00:00:00Z',
  responseId: 'r',
};
const contents = [
  { parts: [{ text: 'hi' }] },
  { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'f', args: { id: 'kept' } }, thoughtSignature: 'AAAA' }] },
  { role: 'function', parts: [{ functionResponse: { id: 'c1', name: 'f', response: { id: 'kept' } } }] },
];
const sentContents = [
  { role: 'user', parts: [{ text: 'hi' }] },
  { role: 'model', parts: [{ functionCall: { name: 'f', args: { id: 'kept' } }, thoughtSignature: 'AAAA' }] },
  { role: 'user', parts: [{ functionResponse: { name: 'f', response: { id: 'kept' } } }] },
];
const geminiTools = [{ googleSearch: {} }];

describe('a client of Gemini at Gemini', () => {
  const charged = { prompt_tokens: 100, completion_tokens: 50, other: { cache_tokens: 40 } };

  it('gets the whole response with its grounding', async () => {
    upstream.script({ path: geminiPath }, json(grounded));
    const body = { contents, tools: geminiTools, safetySettings: [], brandNew: 1, serviceTier: 'flex' };
    const response = await post(`/v1beta/models/${gemini}:generateContent`, body);
    expect(await response.json()).toEqual(grounded);
    expect(response.headers.get('x-tollgate-dropped')).toBe('serviceTier');
    const [request] = received();
    expect(request?.path).toBe(`${geminiPath}:generateContent`);
    const { serviceTier: _tier, ...rest } = body;
    expect(request?.body).toEqual({ ...rest, contents: sentContents });
    expect(await lastCharge()).toMatchObject(charged);
  });

  it('is charged for a stream as for the same response in one piece', async () => {
    upstream.script({ path: geminiPath }, json(grounded));
    await (await post(`/v1beta/models/${gemini}:generateContent`, { contents, tools: geminiTools })).text();
    const { quota } = await lastCharge();
    const begin = {
      candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'Fo' }] } }],
      usageMetadata: { trafficType: 'ON_DEMAND' },
      modelVersion: gemini,
    };
    upstream.script({ path: geminiPath }, streamed(data([begin, grounded])));
    const path = `/v1beta/models/${gemini}:streamGenerateContent?alt=sse`;
    const response = await post(path, { contents, tools: geminiTools });
    expect(await response.text()).toBe(data([begin, grounded]));
    expect(received().at(-1)?.path).toBe(`${geminiPath}:streamGenerateContent?alt=sse`);
    expect(await lastCharge()).toMatchObject({ ...charged, quota });
  });

  it('pays for what it got of a stream that was cut', async () => {
    const begin = {
      candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'one two three four five six' }] } }],
      usageMetadata: { trafficType: 'ON_DEMAND' },
    };
    upstream.script({ path: geminiPath }, streamed(data([begin]), 'cut'));
    const path = `/v1beta/models/${gemini}:streamGenerateContent?alt=sse`;
    const text = await (await post(path, { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] })).text();
    expect(text.startsWith(data([begin]))).toBe(true);
    const { prompt_tokens: prompt, completion_tokens: completion } = await lastCharge();
    expect(prompt).toBeGreaterThan(0);
    expect(completion).toBeGreaterThan(1);
  });

  it('gets one list of a stream, and Google’s own errors', async () => {
    upstream.script({ path: geminiPath }, streamed(data([grounded])));
    const list = await post(`/v1beta/models/${gemini}:streamGenerateContent`, { contents });
    expect(await list.json()).toEqual([grounded]);
    const error = { code: 400, message: 'Request contains an invalid argument.', status: 'INVALID_ARGUMENT' };
    upstream.script({ path: geminiPath }, json([{ error }], 400));
    const refused = await post(`/v1beta/models/${gemini}:streamGenerateContent?alt=sse`, { contents });
    expect([refused.status, await refused.json()]).toMatchObject([400, { error: { code: 400 } }]);
  });
});

describe('clients of other dialects', () => {
  it('are translated as before', async () => {
    upstream.script({ path: claudePath }, json(searched));
    const response = await post('/v1/chat/completions', { model: claude, max_tokens: 50, messages });
    expect(await response.json()).toMatchObject({ choices: [{ message: { content: 'Found' } }] });
    upstream.script({ path: geminiPath }, json(grounded));
    const message = await post('/v1/messages', { model: gemini, max_tokens: 50, messages });
    expect(await message.json()).toMatchObject({ type: 'message', content: [{ type: 'text', text: 'Found' }] });
  });
});
