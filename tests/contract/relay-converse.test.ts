/** Clients of Bedrock's Converse, with the requests of AWS's SDKs, at every kind of channel. */
import { framesOf } from '../support/aws-frames.js';
import { json } from '../support/upstream/replies.js';
import { says } from '../support/upstream/families.js';
import type { Reply } from '../support/upstream/upstream.js';
import type { RelayHarness } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;
relaySuite((started) => (relay = started), { values: { SelfUseModeEnabled: true } });

const model = 'claude-sonnet-4-5-20250929';
const path = (method: string, id = `us.anthropic.${model}-v1:0`): string =>
  `/model/${encodeURIComponent(id)}/${method}`;
const png = 'iVBORw0KGgo=';
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const hi = { messages: [{ role: 'user', content: [{ text: 'hi' }] }] };
const tool = { toolSpec: { name: 'look', description: 'Looks', inputSchema: { json: { type: 'object' } } } };

const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model,
  stop_reason: 'tool_use',
  stop_sequence: null,
  content: [
    { type: 'thinking', thinking: 'Hm.', signature: 'c2lnbmF0dXJl' },
    { type: 'redacted_thinking', data: 'hidden' },
    { type: 'text', text: 'Hello' },
    { type: 'tool_use', id: 'toolu_1', name: 'look', input: { id: 1 } },
  ],
  usage: { input_tokens: 10, cache_read_input_tokens: 100, cache_creation_input_tokens: 5, output_tokens: 2 },
};
/** The content of `message` in Converse's form. */
const content = [
  { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'c2lnbmF0dXJl' } } },
  { reasoningContent: { redactedContent: base64('hidden') } },
  { text: 'Hello' },
  { toolUse: { toolUseId: 'toolu_1', name: 'look', input: { id: 1 } } },
];
const usage = {
  inputTokens: 10,
  outputTokens: 2,
  totalTokens: 117,
  cacheReadInputTokens: 100,
  cacheWriteInputTokens: 5,
};

const withDocument = (bytes: Buffer) => ({
  messages: [
    {
      role: 'user',
      content: [{ document: { format: 'txt', name: 'a', source: { bytes: bytes.toString('base64') } } }],
    },
  ],
});
const withThought = (bytes: Buffer) => ({
  messages: [{ role: 'assistant', content: [{ reasoningContent: { redactedContent: bytes.toString('base64') } }] }],
});

const at = async (channel: Parameters<RelayHarness['addChannel']>[0]): Promise<{ key: string; userId: number }> => {
  await relay.addChannel({ models: model, ...channel });
  return relay.addToken();
};

it('are translated to Messages with everything that they have', async () => {
  const { key } = await at({ type: 14 });
  relay.upstream.script({}, json(message));
  const response = await relay.post(path('converse'), key, {
    system: [{ text: 'Be brief.' }, { cachePoint: { type: 'default', ttl: '1h' } }],
    inferenceConfig: { maxTokens: 2000, temperature: 1, topP: 0.9, stopSequences: ['END'] },
    additionalModelRequestFields: {
      thinking: { type: 'enabled', budget_tokens: 1024 },
      anthropic_beta: ['b-2025-01-01'],
    },
    additionalModelResponseFieldPaths: ['/delta/stop_sequence'],
    requestMetadata: { team: 'a' },
    toolConfig: { tools: [tool, { cachePoint: { type: 'default' } }], toolChoice: { auto: {} } },
    messages: [
      {
        role: 'user',
        content: [
          { image: { format: 'png', source: { bytes: png } } },
          { document: { format: 'pdf', name: 'a', source: { bytes: base64('%PDF') } } },
          { document: { format: 'md', name: 'b', source: { bytes: base64('# Ü') } } },
          { text: 'Look.' },
        ],
      },
      { role: 'assistant', content },
      {
        role: 'user',
        content: [
          { toolResult: { toolUseId: 'toolu_1', status: 'error', content: [{ json: { a: 1 } }, { text: 'b' }] } },
          { cachePoint: { type: 'default' } },
        ],
      },
    ],
  });
  expect([response.status, await response.json()]).toEqual([
    200,
    {
      output: { message: { role: 'assistant', content } },
      stopReason: 'tool_use',
      usage,
      metrics: { latencyMs: expect.any(Number) as number },
    },
  ]);
  const [request] = relay.upstream.requests;
  expect(request?.headers['anthropic-beta']).toBe('b-2025-01-01');
  const cached = { cache_control: { type: 'ephemeral' } };
  expect(request?.body).toEqual({
    model,
    stream: false,
    max_tokens: 2000,
    temperature: 1,
    top_p: 0.9,
    stop_sequences: ['END'],
    thinking: { type: 'enabled', budget_tokens: 1024 },
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral', ttl: '1h' } }],
    tools: [{ name: 'look', description: 'Looks', input_schema: { type: 'object' }, ...cached }],
    tool_choice: { type: 'auto' },
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
          {
            type: 'document',
            title: 'a',
            source: { type: 'base64', media_type: 'application/pdf', data: base64('%PDF') },
          },
          { type: 'document', title: 'b', source: { type: 'text', media_type: 'text/plain', data: '# Ü' } },
          { type: 'text', text: 'Look.' },
        ],
      },
      { role: 'assistant', content: message.content },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            is_error: true,
            content: [
              { type: 'text', text: '{"a":1}' },
              { type: 'text', text: 'b' },
            ],
            ...cached,
          },
        ],
      },
    ],
  });
});

it('want output in the form of a schema', async () => {
  const { key } = await at({ type: 14 });
  relay.upstream.script({}, json(message));
  const structure = { jsonSchema: { name: 'x', schema: '{"type":"object"}' } };
  const outputConfig = { textFormat: { type: 'json_schema', structure } };
  await relay.post(path('converse'), key, { ...hi, outputConfig });
  expect(relay.upstream.requests[0]?.body?.['output_config']).toEqual({
    format: { type: 'json_schema', schema: { type: 'object' } },
  });
});

const delta = (index: number, piece: object): object => ({ type: 'content_block_delta', index, delta: piece });
const [thought, hidden, text, call] = message.content;
const streamed: Reply = (response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const events = [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: { ...thought, thinking: '', signature: '' } },
    delta(0, { type: 'thinking_delta', thinking: 'Hm.' }),
    delta(0, { type: 'signature_delta', signature: 'c2lnbmF0dXJl' }),
    { type: 'content_block_stop', index: 0 },
    { type: 'ping' },
    { type: 'content_block_start', index: 1, content_block: hidden },
    { type: 'content_block_stop', index: 1 },
    { type: 'content_block_start', index: 2, content_block: { ...text, text: '' } },
    delta(2, { type: 'text_delta', text: 'Hello' }),
    { type: 'content_block_stop', index: 2 },
    { type: 'content_block_start', index: 3, content_block: { ...call, input: {} } },
    delta(3, { type: 'input_json_delta', partial_json: '{"id":1}' }),
    { type: 'content_block_stop', index: 3 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ] as Array<{ type: string }>;
  for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
};

const ask = async (key: string, body: object = hi) => {
  const response = await relay.post(path('converse-stream'), key, body);
  return { response, frames: framesOf(Buffer.from(await response.arrayBuffer())) };
};

it('are streamed to in the events of Converse', async () => {
  const { key, userId } = await at({ type: 14 });
  relay.upstream.script({}, streamed);
  const { response, frames } = await ask(key);
  expect(response.headers.get('content-type')).toBe('application/vnd.amazon.eventstream');
  const piece = (contentBlockIndex: number, given: object) => [
    'contentBlockDelta',
    { contentBlockIndex, delta: given },
  ];
  const stop = (contentBlockIndex: number) => ['contentBlockStop', { contentBlockIndex }];
  expect(frames.map(({ headers, data }) => [headers[':event-type'], data])).toEqual([
    ['messageStart', { role: 'assistant' }],
    piece(0, { reasoningContent: { text: 'Hm.' } }),
    piece(0, { reasoningContent: { signature: 'c2lnbmF0dXJl' } }),
    stop(0),
    ['ping', {}],
    piece(1, { reasoningContent: { redactedContent: base64('hidden') } }),
    stop(1),
    piece(2, { text: 'Hello' }),
    stop(2),
    ['contentBlockStart', { contentBlockIndex: 3, start: { toolUse: { toolUseId: 'toolu_1', name: 'look' } } }],
    piece(3, { toolUse: { input: '{"id":1}' } }),
    stop(3),
    ['messageStop', { stopReason: 'tool_use' }],
    ['metadata', { usage, metrics: { latencyMs: expect.any(Number) as number } }],
  ]);
  await relay.idle();
  expect(await relay.logs(userId)).toMatchObject([{ model_name: model, is_stream: true, completion_tokens: 2 }]);
});

describe.each([
  ['OpenAI', 1],
  ['Gemini', 24],
  ['DeepSeek', 43],
  ['Mistral', 42],
])('at %s', (_name, type) => {
  it('get whole responses and streams with usage', async () => {
    const { key } = await at({ type });
    relay.upstream.script({}, says({ text: 'Hello' }));
    const response = await relay.post(path('converse'), key, { ...hi, toolConfig: { tools: [tool] } });
    expect(await response.json()).toMatchObject({
      output: { message: { role: 'assistant', content: [{ text: 'Hello' }] } },
      stopReason: 'end_turn',
      usage: { outputTokens: expect.any(Number) as number },
    });
    const { frames } = await ask(key);
    const types = frames.map(({ headers }) => headers[':event-type']);
    expect([types[0], ...types.slice(-3)]).toEqual(['messageStart', 'contentBlockStop', 'messageStop', 'metadata']);
    expect(frames.map(({ data }) => (data['delta'] as { text?: string } | undefined)?.text ?? '').join('')).toBe(
      'Hello',
    );
  });
});

it.each([
  [{}, 'messages'],
  [{ messages: [{ role: 'system', content: [] }] }, 'messages[0].role'],
  [{ messages: [{ role: 'user', content: [{ text: 'a', image: {} }] }] }, 'messages[0].content[0]'],
  [{ messages: [{ role: 'user', content: [{ video: { format: 'mp4' } }] }] }, 'messages[0].content[0].video'],
  [
    {
      messages: [{ role: 'user', content: [{ image: { format: 'png', source: { s3Location: { uri: 's3://a' } } } }] }],
    },
    'messages[0].content[0].image.source.s3Location',
  ],
  [{ ...hi, inferenceConfig: { maxTokens: -1 } }, 'inferenceConfig.maxTokens'],
  [{ ...hi, toolConfig: { tools: [{ systemTool: { name: 'x' } }] } }, 'toolConfig.tools[0].systemTool'],
  [{ ...hi, guardrailConfig: { guardrailIdentifier: 'g' } }, 'guardrailConfig'],
  [{ ...hi, additionalModelRequestFields: { anthropic_beta: 'x' } }, 'anthropic_beta'],
  // A provider that reads names of any case would serve what nothing priced.
  [{ ...hi, additionalModelRequestFields: { Service_Tier: 'priority' } }, 'service_tier'],
  [{ ...hi, additionalModelRequestFields: { Tools: [] } }, 'tools'],
  [withDocument(Buffer.from([0xff, 0xfe])), 'messages[0].content[0].document.source.bytes'],
  [withDocument(Buffer.from('a\u0000b')), 'messages[0].content[0].document.source.bytes'],
  [withThought(Buffer.from([0xff, 0xd8])), 'redactedContent'],
])('are refused %j by the name of the field', async (body, field) => {
  const { key } = await at({ type: 14 });
  for (const method of ['converse', 'converse-stream']) {
    const response = await relay.post(path(method), key, body);
    expect([response.status, response.headers.get('x-amzn-errortype')]).toEqual([400, 'ValidationException']);
    expect(await response.json()).toEqual({ message: expect.stringContaining(field) as string });
  }
  expect(relay.upstream.requests).toEqual([]);
});

it('may give tools of the model beside those of Converse', async () => {
  const { key } = await at({ type: 14 });
  relay.upstream.script({}, json(message));
  const computer = { type: 'computer_20250124', name: 'computer', display_width_px: 800, display_height_px: 600 };
  const response = await relay.post(path('converse'), key, {
    ...hi,
    additionalModelRequestFields: { tools: [computer], anthropic_beta: ['computer-use-2025-01-24'] },
    toolConfig: { tools: [tool] },
  });
  expect(response.status).toBe(200);
  expect(relay.upstream.requests[0]?.body?.['tools']).toEqual([computer, expect.objectContaining({ name: 'look' })]);
});

it('may mark as many blocks as a body has', async () => {
  const { key } = await at({ type: 14 });
  relay.upstream.script({}, json(message));
  const thought = { reasoningContent: { redactedContent: base64('hidden') } };
  const many = <Each>(each: Each): Each[] => Array.from({ length: 5000 }, () => each);
  const response = await relay.post(path('converse'), key, {
    messages: [{ role: 'assistant', content: [...many(thought), ...many({ cachePoint: { type: 'default' } })] }],
  });
  expect(response.status).toBe(200);
});

it('are given the errors of providers in Bedrock’s form, and those within a stream as an exception', async () => {
  const { key } = await at({ type: 1 });
  relay.upstream.script({}, json({ error: { message: 'not now' } }, 400));
  const refused = await relay.post(path('converse-stream'), key, hi);
  expect([refused.status, refused.headers.get('x-amzn-errortype'), await refused.json()]).toEqual([
    400,
    'ValidationException',
    { message: expect.stringContaining('not now') as string },
  ]);
  relay.upstream.script({}, (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const error = { message: 'cut off', type: 'overloaded_error' };
    for (const event of [{ choices: [{ index: 0, delta: { content: 'Hel' } }] }, { error }])
      response.write(`data: ${JSON.stringify(event)}\n\n`);
    response.end();
  });
  const { frames } = await ask(key);
  expect(frames.map(({ headers }) => headers[':event-type'])).toContain('contentBlockDelta');
  expect(frames.at(-1)).toEqual({
    headers: {
      ':message-type': 'exception',
      ':exception-type': expect.stringMatching(/Exception$/) as string,
      ':content-type': 'application/json',
    },
    data: { message: expect.stringContaining('cut off') as string },
  });
});
