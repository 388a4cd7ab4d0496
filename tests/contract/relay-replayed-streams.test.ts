/** A channel that cannot stream: its complete answer reaches a client that asked for a stream with every block. */
import { json } from '../support/upstream/replies.js';
import { type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;
relaySuite((started) => (relay = started), { values: { SelfUseModeEnabled: true, UnpricedTools: 'free' } });

type Json = Record<string, unknown>;
const setting = JSON.stringify({ stream_support: 'NON_STREAM_ONLY' });
const tools = [{ type: 'web_search_20250305', name: 'web_search', max_uses: 3 }];
const body = { model: 'm', max_tokens: 50, stream: true, messages: userMessage('news?'), tools };

/** Builds the message of a stream as Anthropic's SDK does. */
function messageOf(stream: string): Json {
  const events = [...stream.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as Json);
  let message: Json = {};
  const blocks: Json[] = [];
  const inputs: string[] = [];
  for (const event of events) {
    const at = Number(event['index']);
    const block = blocks[at];
    const delta = (event['delta'] ?? {}) as Json;
    if (event['type'] === 'message_start') message = event['message'] as Json;
    if (event['type'] === 'content_block_start') blocks[at] = event['content_block'] as Json;
    if (event['type'] === 'message_delta') message = { ...message, ...delta, usage: event['usage'] };
    if (!block) continue;
    if (delta['type'] === 'text_delta') block['text'] = String(block['text']) + String(delta['text']);
    if (delta['type'] === 'thinking_delta') block['thinking'] = String(block['thinking']) + String(delta['thinking']);
    if (delta['type'] === 'signature_delta') block['signature'] = delta['signature'];
    if (delta['type'] === 'citations_delta')
      block['citations'] = [...((block['citations'] as unknown[] | undefined) ?? []), delta['citation']];
    if (delta['type'] === 'input_json_delta') inputs[at] = (inputs[at] ?? '') + String(delta['partial_json']);
    if (event['type'] === 'content_block_stop' && inputs[at] !== undefined)
      block['input'] = JSON.parse(inputs[at]) as unknown;
  }
  expect(events.at(-1)).toEqual({ type: 'message_stop' });
  return { ...message, content: blocks };
}

const page = {
  type: 'web_search_result',
  url: 'https://a.example',
  title: 'A',
  encrypted_content: 'E',
  page_age: '1 day',
};
const citation = {
  type: 'web_search_result_location',
  url: page.url,
  title: 'A',
  encrypted_index: 'I',
  cited_text: 'new',
};
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [
    { type: 'thinking', thinking: 'Look.', signature: 'EvQB' },
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'news' } },
    { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [page] },
    { type: 'text', text: 'It is new.', citations: [citation] },
    {
      type: 'tool_use',
      id: 'toolu_1',
      name: 'Bash',
      input: { command: 'ls', depth: 12345678901234567890n.toString() },
    },
  ],
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: { input_tokens: 100, output_tokens: 20, server_tool_use: { web_search_requests: 1 } },
};

it('has the search, the citations and every other block of Anthropic', async () => {
  await relay.addChannel({ type: 14, models: 'm', setting });
  const { key } = await relay.addToken();
  relay.upstream.script({}, json(message));
  const response = await relay.post('/v1/messages', key, body);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  expect(messageOf(await response.text())).toEqual(message);
  expect(relay.upstream.requests[0]?.body).toMatchObject({ stream: false });
});

it('has the search of Gemini', async () => {
  await relay.addChannel({ type: 24, models: 'm', setting });
  const { key } = await relay.addToken();
  const web = { uri: page.url, title: 'A' };
  relay.upstream.script(
    {},
    json({
      candidates: [
        {
          index: 0,
          finishReason: 'STOP',
          content: { role: 'model', parts: [{ text: 'It is new.' }] },
          groundingMetadata: {
            webSearchQueries: ['news'],
            groundingChunks: [{ web }],
            groundingSupports: [{ segment: { startIndex: 0, endIndex: 5, text: 'It is' }, groundingChunkIndices: [0] }],
          },
        },
      ],
      usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 },
    }),
  );
  const response = await relay.post('/v1/messages', key, body);
  const { content, usage } = messageOf(await response.text());
  expect(content).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ type: 'server_tool_use', name: 'web_search', input: { query: 'news' } }),
      expect.objectContaining({
        type: 'web_search_tool_result',
        content: [expect.objectContaining({ url: page.url, title: 'A' })],
      }),
      expect.objectContaining({ type: 'text', text: 'It is new.' }),
    ]),
  );
  expect(usage).toMatchObject({ input_tokens: 100, output_tokens: 20 });
});

const grounded = {
  candidates: [
    {
      index: 0,
      finishReason: 'STOP',
      content: {
        role: 'model',
        parts: [
          { text: 'Hm.', thought: true, thoughtSignature: 'c2ln' },
          { executableCode: { language: 'PYTHON', code: 'print(1)' } },
          { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
          { text: 'It is new.' },
        ],
      },
      safetyRatings: [{ category: 'HARM_CATEGORY_HARASSMENT', probability: 'NEGLIGIBLE' }],
      groundingMetadata: { webSearchQueries: ['news'], groundingChunks: [{ web: { uri: page.url, title: 'A' } }] },
    },
  ],
  usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 },
  modelVersion: 'm',
  responseId: 'r1',
};

it.each([
  [
    'events',
    '?alt=sse',
    (text: string): unknown[] =>
      [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as unknown),
  ],
  ['a list', '', (text: string): unknown[] => JSON.parse(text) as unknown[]],
] as const)('has the sources and every other field of Gemini for its own client, as %s', async (_form, query, read) => {
  await relay.addChannel({ type: 24, models: 'm', setting });
  const { key, userId } = await relay.addToken();
  relay.upstream.script({}, json(grounded));
  const asking = { contents: [{ role: 'user', parts: [{ text: 'news?' }] }], tools: [{ googleSearch: {} }] };
  const response = await relay.post(`/v1beta/models/m:streamGenerateContent${query}`, key, asking);
  expect(response.status).toBe(200);
  expect(read(await response.text())).toEqual([grounded]);
  expect(relay.upstream.requests[0]?.path).toContain(':generateContent');
  expect((await relay.logsOf(userId, 1))[0]).toMatchObject({ prompt_tokens: 100, completion_tokens: 20 });
});

it('reports its own count where Gemini reports no usage', async () => {
  await relay.addChannel({ type: 24, models: 'm', setting });
  const { key } = await relay.addToken();
  const { usageMetadata: _usage, ...unreported } = grounded;
  relay.upstream.script({}, json(unreported));
  const asking = { contents: [{ role: 'user', parts: [{ text: 'news?' }] }] };
  const response = await relay.post('/v1beta/models/m:streamGenerateContent', key, asking);
  expect(await response.json()).toEqual([
    {
      ...unreported,
      usageMetadata: expect.objectContaining({ promptTokenCount: expect.any(Number) as number }) as object,
    },
  ]);
});

const searched = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'm',
  output: [
    {
      type: 'reasoning',
      id: 'rs_1',
      summary: [
        { type: 'summary_text', text: 'First.' },
        { type: 'summary_text', text: 'Second.' },
      ],
      encrypted_content: 'gAAAAABp',
    },
    { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'news' } },
    {
      type: 'message',
      id: 'msg_1',
      status: 'completed',
      role: 'assistant',
      phase: 'commentary',
      content: [
        {
          type: 'output_text',
          text: 'It is new.',
          annotations: [{ type: 'url_citation', url: page.url, title: 'A', start_index: 0, end_index: 5 }],
          logprobs: [],
        },
        { type: 'refusal', refusal: 'No more.' },
      ],
    },
    { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'look', arguments: '{"id":1}', status: 'completed' },
    {
      type: 'custom_tool_call',
      id: 'ctc_1',
      call_id: 'call_2',
      name: 'patch',
      input: '*** Begin',
      status: 'completed',
    },
    { type: 'some_future_call', id: 'x_1', status: 'completed', payload: [1] },
  ],
  usage: { input_tokens: 100, output_tokens: 20, total_tokens: 120 },
};

it('has the search, the parts of a thought and every other item of OpenAI for its own client', async () => {
  await relay.addChannel({ type: 1, models: 'm', setting });
  const { key, userId } = await relay.addToken();
  relay.upstream.script({}, json(searched));
  const asking = { model: 'm', input: 'news?', stream: true, tools: [{ type: 'web_search' }] };
  const response = await relay.post('/v1/responses', key, asking);
  expect(response.status).toBe(200);
  const events = [...(await response.text()).matchAll(/^data: (.*)$/gm)].map(
    ([, data = '']) => JSON.parse(data) as Json,
  );
  expect(events.map((event) => event['sequence_number'])).toEqual(events.map((_event, index) => index));
  expect(events[0]).toMatchObject({ type: 'response.created', response: { id: 'resp_1', status: 'in_progress' } });
  expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: searched });
  expect(events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item)).toEqual(
    searched.output,
  );
  expect(builtOf(events)).toEqual(searched.output);
  expect((await relay.logsOf(userId, 1))[0]).toMatchObject({ prompt_tokens: 100, completion_tokens: 20 });
});

/** Builds the output from the pieces, as OpenAI's SDK does. */
function builtOf(events: readonly Json[]): Json[] {
  const output: Json[] = [];
  for (const event of events) {
    const item = output[Number(event['output_index'])] ?? {};
    const content = item['content'] as Json[] | undefined;
    const part = content?.[Number(event['content_index'])] ?? {};
    const summary = item['summary'] as Json[] | undefined;
    const delta = String(event['delta']);
    switch (event['type']) {
      case 'response.output_item.added':
        output.push(structuredClone(event['item']) as Json);
        break;
      case 'response.content_part.added':
        content?.push(event['part'] as Json);
        break;
      case 'response.output_text.delta':
        part['text'] = String(part['text']) + delta;
        break;
      case 'response.output_text.annotation.added':
        (part['annotations'] as unknown[]).push(event['annotation']);
        break;
      case 'response.refusal.delta':
        part['refusal'] = String(part['refusal']) + delta;
        break;
      case 'response.reasoning_summary_part.added':
        summary?.push(event['part'] as Json);
        break;
      case 'response.reasoning_summary_text.delta':
        Object.assign(summary?.[Number(event['summary_index'])] ?? {}, { text: delta });
        break;
      case 'response.function_call_arguments.delta':
        item['arguments'] = String(item['arguments']) + delta;
        break;
      case 'response.custom_tool_call_input.delta':
        item['input'] = String(item['input']) + delta;
        break;
    }
    // The state is that of the finished item.
    if (event['type'] === 'response.output_item.done' && item['status'] === 'in_progress') item['status'] = 'completed';
  }
  return output;
}
