import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { openStream } from '../support/upstream/replies.js';
import { type RelayHarness, payloadsOf } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

/**
 * Streams that end because a key's quota is used up, as the official clients read them
 * (docs/reference/relay/billing.md#calls-that-the-balance-limits).
 */
let relay: RelayHarness;
relaySuite((started) => (relay = started));

type Json = Record<string, unknown>;
const words = (count: number): string[] => Array.from({ length: count }, (_, index) => ` word${index}`);
const eventOf = (data: Json): string =>
  `${typeof data['type'] === 'string' ? `event: ${data['type']}\n` : ''}data: ${JSON.stringify(data)}\n\n`;
const script = (data: readonly Json[]): void =>
  relay.upstream.script({}, (response) => {
    openStream(response);
    response.end(data.map(eventOf).join(''));
  });

async function wasStopped(userId: number): Promise<void> {
  const [row] = await relay.logsOf(userId, 1);
  expect(row?.other).toMatchObject({ stream_stopped_at: expect.any(Number) as unknown });
}

const jsonOf = (text: string): Json[] =>
  payloadsOf(text)
    .filter((data) => data.startsWith('{'))
    .map((data) => JSON.parse(data) as Json);

describe('Responses', () => {
  const response = { id: 'resp_abc', object: 'response', created_at: 7, model: 'gpt-5-2025', status: 'in_progress' };
  const numbered = (data: readonly Json[]): Json[] =>
    data.map((each, index) => ({ ...each, sequence_number: index + 3 }));
  const begin: Json[] = [
    { type: 'response.created', response: { ...response, output: [], metadata: { kept: 'yes' } } },
    { type: 'response.in_progress', response: { ...response, output: [], metadata: { kept: 'yes' } } },
  ];
  const reasoning = { id: 'rs_abc', type: 'reasoning', summary: [] };
  const thought: Json[] = [
    { type: 'response.output_item.added', output_index: 0, item: reasoning },
    { type: 'response.output_item.done', output_index: 0, item: { ...reasoning, encrypted_content: 'secret' } },
  ];
  const search = { id: 'ws_abc', type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'q' } };
  const searched = (output_index: number): Json[] => [
    { type: 'response.output_item.added', output_index, item: { ...search, status: 'in_progress' } },
    { type: 'response.web_search_call.searching', output_index, item_id: 'ws_abc' },
    { type: 'response.output_item.done', output_index, item: search },
  ];
  const message = (output_index: number): Json[] => {
    const at = { item_id: 'msg_abc', output_index, content_index: 0 };
    const item = { id: 'msg_abc', type: 'message', status: 'in_progress', role: 'assistant', content: [] };
    return [
      { type: 'response.output_item.added', output_index, item },
      {
        type: 'response.content_part.added',
        ...at,
        part: { type: 'output_text', text: '', annotations: [], logprobs: [] },
      },
      ...words(2000).map((delta) => ({ type: 'response.output_text.delta', ...at, delta, logprobs: [] })),
    ];
  };
  const call = (output_index: number): Json[] => {
    const at = { item_id: 'fc_abc', output_index };
    const item = { id: 'fc_abc', type: 'function_call', call_id: 'call_1', name: 'look', arguments: '' };
    return [
      { type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress' } },
      ...words(2000).map((delta) => ({ type: 'response.function_call_arguments.delta', ...at, delta })),
    ];
  };

  async function streamed(data: readonly Json[]): Promise<{ seen: Json[]; final: OpenAI.Responses.Response }> {
    await relay.addChannel({ models: 'gpt-5' });
    script(numbered([...begin, ...data]));
    const { key, userId } = await relay.addToken({ quota: 4000 });
    const client = new OpenAI({ apiKey: key, baseURL: `${relay.url}/v1`, maxRetries: 0 });
    const stream = client.responses.stream({ model: 'gpt-5', input: 'hi' });
    const seen: Json[] = [];
    stream.on('event', (event) => void seen.push(event as unknown as Json));
    const final = await stream.finalResponse();
    await wasStopped(userId);
    return { seen, final };
  }

  it.each([
    ['a message behind a thought', [...thought, ...message(1)], ['rs_abc', 'msg_abc']],
    ['a message alone', message(0), ['msg_abc']],
    ['a message behind a search', [...searched(0), ...message(1)], ['ws_abc', 'msg_abc']],
    [
      'a message behind a thought and a search',
      [...thought, ...searched(1), ...message(2)],
      ['rs_abc', 'ws_abc', 'msg_abc'],
    ],
    ['a call behind a thought', [...thought, ...call(1)], ['rs_abc', 'fc_abc']],
  ])('ends %s by its own id and index', async (_name, data, ids) => {
    const { seen, final } = await streamed(data);
    expect(final.output.map(({ id }) => id)).toEqual(ids);
    expect(final).toMatchObject({
      id: 'resp_abc',
      model: 'gpt-5-2025',
      created_at: 7,
      metadata: { kept: 'yes' },
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    });
    expect(seen.map((event) => event['sequence_number'])).toEqual(seen.map((_, index) => index + 3));
    const deltas = seen.filter(({ type }) => String(type).endsWith('.delta')).map(({ delta }) => delta);
    const last = final.output.at(-1);
    expect(last).toMatchObject({ status: 'incomplete' });
    const text = last?.type === 'message' ? final.output_text : last?.type === 'function_call' ? last.arguments : '';
    expect(text).toBe(deltas.join(''));
    expect(seen.filter(({ type }) => type === 'response.output_item.done')).toHaveLength(ids.length);
  });

  it('ends a thought by its own id and index', async () => {
    const at = { item_id: 'rs_abc', output_index: 0, summary_index: 0 };
    const { final, seen } = await streamed([
      { type: 'response.output_item.added', output_index: 0, item: reasoning },
      { type: 'response.reasoning_summary_part.added', ...at, part: { type: 'summary_text', text: '' } },
      ...words(2000).map((delta) => ({ type: 'response.reasoning_summary_text.delta', ...at, delta })),
    ]);
    expect(seen.slice(-4).map(({ type }) => type)).toEqual([
      'response.reasoning_summary_text.done',
      'response.reasoning_summary_part.done',
      'response.output_item.done',
      'response.incomplete',
    ]);
    const text: unknown = expect.stringMatching(/^ word0 word1/);
    expect(final.output).toEqual([{ ...reasoning, summary: [{ type: 'summary_text', text }] }]);
  });

  it('can be continued by its id', async () => {
    await relay.addChannel({ models: 'gpt-5' });
    script(numbered([...begin, ...thought, ...message(1)]));
    const { key, userId } = await relay.addToken({ quota: 4000 });
    await (await relay.post('/v1/responses', key, { model: 'gpt-5', input: 'hi', stream: true })).text();
    await wasStopped(userId);
    await relay.sql('UPDATE tokens SET unlimited_quota = true WHERE user_id = $1', [userId]);
    await relay.post('/v1/responses', key, { model: 'gpt-5', input: 'go on', previous_response_id: 'resp_abc' });
    const input = relay.upstream.requests.at(-1)?.body?.['input'] as Json[];
    // The provider does not store a broken-off response, so it does not know the ids of that response.
    expect(input.map(({ type, role, id }) => [type, role, id])).toEqual([
      ['message', 'user', undefined],
      ['message', 'assistant', undefined],
      ['message', 'user', undefined],
    ]);
  });
});

describe('Messages', () => {
  const model = 'claude-sonnet-4-20250514';

  it('ends the open block by its own index', async () => {
    await relay.addChannel({ type: 14, models: model });
    const blocks: Json[] = [
      { type: 'text', text: '' },
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
    ];
    const shown = { id: 'msg_abc', type: 'message', role: 'assistant', model, content: [], stop_reason: null };
    script([
      { type: 'message_start', message: { ...shown, usage: { input_tokens: 9, output_tokens: 1 } } },
      ...blocks.flatMap((content_block, index) => [
        { type: 'content_block_start', index, content_block },
        { type: 'content_block_stop', index },
      ]),
      { type: 'content_block_start', index: 3, content_block: { type: 'text', text: '' } },
      ...words(2000).map((text) => ({ type: 'content_block_delta', index: 3, delta: { type: 'text_delta', text } })),
    ]);
    const { key, userId } = await relay.addToken({ quota: 4000 });
    const client = new Anthropic({ apiKey: key, baseURL: relay.url, maxRetries: 0 });
    const stream = client.messages.stream({ model, max_tokens: 8000, messages: [{ role: 'user', content: 'hi' }] });
    const stops: number[] = [];
    const finished: string[] = [];
    stream.on('streamEvent', (event) => {
      if (event.type === 'content_block_stop') stops.push(event.index);
    });
    stream.on('contentBlock', ({ type }) => void finished.push(type));
    const final = await stream.finalMessage();
    await wasStopped(userId);
    expect(stops).toEqual([0, 1, 2, 3]);
    expect(finished).toEqual(['text', 'server_tool_use', 'web_search_tool_result', 'text']);
    expect(final).toMatchObject({ id: 'msg_abc', model, stop_reason: 'max_tokens' });
    const last = final.content.at(-1);
    expect(last?.type === 'text' ? last.text : '').toMatch(/^ word0 word1/);
  });
});

describe('chat completions', () => {
  it('ends every choice that has begun, with the names of the provider', async () => {
    await relay.addChannel({ models: 'gpt-4o' });
    const chunk = (choices: Json[]): Json => ({
      id: 'gen-abc',
      object: 'chat.completion.chunk',
      created: 7,
      model: 'gpt-4o-2025',
      choices,
      system_fingerprint: 'fp_1',
    });
    script([
      // Azure sends its filter results first, in a chunk without id and model.
      { id: '', object: '', created: 0, model: '', choices: [{ index: 0, delta: {}, finish_reason: null }] },
      chunk([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }]),
      chunk([{ index: 1, delta: { role: 'assistant', content: '' }, finish_reason: null }]),
      ...words(3000).map((content) => chunk([{ index: 0, delta: { content }, finish_reason: null }])),
    ]);
    const { key, userId } = await relay.addToken({ quota: 4000 });
    const client = new OpenAI({ apiKey: key, baseURL: `${relay.url}/v1`, maxRetries: 0 });
    const stream = client.chat.completions.stream({
      model: 'gpt-4o',
      messages: [{ role: 'user' as const, content: 'hi' }],
      n: 2,
      stream_options: { include_usage: true },
    });
    const heads: unknown[] = [];
    stream.on('chunk', ({ choices, usage, ...named }) => {
      if (choices[0]?.finish_reason || usage) heads.push(named);
    });
    const final = await stream.finalChatCompletion();
    await wasStopped(userId);
    const { choices: _choices, ...named } = chunk([]);
    expect(heads).toEqual([named, named, named]);
    expect(final.choices.map(({ index, finish_reason }) => [index, finish_reason])).toEqual([
      [0, 'length'],
      [1, 'length'],
    ]);
  });

  it('ends every choice of a completion of a prompt', async () => {
    await relay.addChannel({ models: 'gpt-3.5-turbo-instruct' });
    const chunk = (index: number, text: string): Json => ({
      id: 'cmpl-abc',
      object: 'text_completion',
      created: 7,
      model: 'instruct',
      choices: [{ index, text, logprobs: null, finish_reason: null }],
    });
    script([chunk(0, 'a'), ...words(4000).map((text) => chunk(1, text))]);
    const { key, userId } = await relay.addToken({ quota: 3000 });
    const response = await relay.post('/v1/completions', key, {
      model: 'gpt-3.5-turbo-instruct',
      prompt: 'hi',
      n: 2,
      stream: true,
    });
    const chunks = jsonOf(await response.text());
    await wasStopped(userId);
    expect(chunks.slice(-2)).toEqual(
      [0, 1].map((index) => ({
        ...chunk(index, ''),
        choices: [{ index, text: '', logprobs: null, finish_reason: 'length' }],
      })),
    );
  });
});

describe('Gemini', () => {
  const model = 'gemini-2.0-flash';
  const path = `/v1beta/models/${model}:streamGenerateContent`;
  const body = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] };
  const unnamed = (part: Json): Json => ({ candidates: [{ content: { parts: [part], role: 'model' }, index: 0 }] });
  const names = { modelVersion: 'gemini-2.0-flash-001', responseId: 'abc' };
  const code = { executableCode: { language: 'PYTHON', code: 'print(1)' } };

  it.each([
    ['events', '?alt=sse'],
    ['a list', ''],
  ])('ends %s with the names of the provider', async (_name, query) => {
    await relay.addChannel({ type: 24, models: model });
    const first = [unnamed({ text: 'a' }), { ...unnamed(code), ...names }];
    script([...first, ...words(3000).map((text) => ({ ...unnamed({ text }), ...names }))]);
    const { key, userId } = await relay.addToken({ quota: 150 });
    const response = await relay.post(`${path}${query}`, key, body);
    const text = await response.text();
    const chunks = query === '' ? (JSON.parse(text) as Json[]) : jsonOf(text);
    await wasStopped(userId);
    expect(chunks.slice(0, 2)).toEqual(first);
    expect(chunks.at(-1)).toMatchObject({
      candidates: [{ index: 0, finishReason: 'MAX_TOKENS' }],
      ...names,
      usageMetadata: { candidatesTokenCount: expect.any(Number) as unknown },
    });
  });
});

it('ends a list of Gemini that is written here', async () => {
  await relay.addChannel({ models: 'gpt-4o' });
  const named = { id: 'gen-abc', object: 'chat.completion.chunk', created: 7, model: 'gpt-4o' };
  script(
    words(3000).map((content) => ({ ...named, choices: [{ index: 0, delta: { content }, finish_reason: null }] })),
  );
  const { key, userId } = await relay.addToken({ quota: 4000 });
  const body = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] };
  const response = await relay.post('/v1beta/models/gpt-4o:streamGenerateContent', key, body);
  expect(response.headers.get('content-type')).toContain('application/json');
  const chunks = JSON.parse(await response.text()) as Json[];
  await wasStopped(userId);
  expect(chunks.at(-1)).toMatchObject({
    candidates: [{ index: 0, finishReason: 'MAX_TOKENS' }],
    usageMetadata: { candidatesTokenCount: expect.any(Number) as unknown },
  });
});

it('ends a stream that is written here by the ids that it began with', async () => {
  await relay.addChannel({ type: 14, models: 'claude-sonnet-4-20250514' });
  const model = 'claude-sonnet-4-20250514';
  const shown = { id: 'msg_abc', type: 'message', role: 'assistant', model, content: [], stop_reason: null };
  const thinking = { type: 'thinking', thinking: '', signature: '' };
  script([
    { type: 'message_start', message: { ...shown, usage: { input_tokens: 9, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: thinking },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'signed' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    ...words(2000).map((text) => ({ type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text } })),
  ]);
  const { key, userId } = await relay.addToken({ quota: 4000 });
  const client = new OpenAI({ apiKey: key, baseURL: `${relay.url}/v1`, maxRetries: 0 });
  const final = await client.responses.stream({ model, input: 'hi' }).finalResponse();
  await wasStopped(userId);
  expect(final.output.map(({ type }) => type)).toEqual(['reasoning', 'message']);
  expect(final.status).toBe('incomplete');
  await relay.sql('UPDATE tokens SET unlimited_quota = true WHERE user_id = $1', [userId]);
  await relay.post('/v1/responses', key, { model, input: 'go on', previous_response_id: final.id });
  expect(relay.upstream.requests.at(-1)?.body?.['messages']).toMatchObject([
    { role: 'user' },
    { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm', signature: 'signed' }, { type: 'text' }] },
    { role: 'user' },
  ]);
});
