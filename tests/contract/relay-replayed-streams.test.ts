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
