import {
  clients,
  collect,
  contextFor,
  payloads,
  playThrough,
  sse,
  type Json,
} from '../../../../../tests/support/relay-dialects.js';
import { UpstreamError } from '../../errors/upstream-error.js';
import type { Part } from '../../neutral/message.js';
import { responsesProvider } from '../responses/responses-write.js';
import { chatProvider } from './chat-write.js';

const chat = chatProvider();
const delta = (given: Json, finish: string | null = null): Json => ({
  id: 'c',
  model: 'm',
  choices: [{ index: 0, delta: given, finish_reason: finish }],
});
const callDelta = (call: Json): Json => delta({ tool_calls: [call] });
const partsOf = (events: readonly unknown[]): readonly Part[] =>
  collect(chat, sse(events)).answer().choices[0]?.parts ?? [];
const callsOf = (events: readonly unknown[]): unknown =>
  partsOf(events).flatMap((part) => (part.kind === 'toolCall' ? [[part.id, part.name, part.arguments]] : []));

describe('tool calls of providers that are not strict', () => {
  it('without an index are told apart by id, pieces without either belong to the last', () => {
    expect(
      callsOf([
        callDelta({ id: 'a', function: { name: 'f', arguments: '{' } }),
        callDelta({ function: { arguments: '}' } }),
        callDelta({ id: 'b', function: { name: 'g', arguments: '{}' } }),
      ]),
    ).toEqual([
      ['a', 'f', '{}'],
      ['b', 'g', '{}'],
    ]);
  });

  it('that all have index 0 are told apart by id', () => {
    expect(
      callsOf([
        callDelta({ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }),
        callDelta({ index: 0, id: 'b', function: { name: 'g', arguments: '{}' } }),
      ]),
    ).toEqual([
      ['a', 'f', '{}'],
      ['b', 'g', '{}'],
    ]);
  });

  it('without ids are told apart where the arguments of the last are complete', () => {
    const events = [
      callDelta({ index: 0, function: { name: 'f', arguments: '{"x":1}' } }),
      callDelta({ index: 0, function: { name: 'f', arguments: '{"x":' } }),
      callDelta({ index: 0, function: { name: 'f', arguments: '{"y":2}' } }),
      callDelta({ index: 0, function: { arguments: '}' } }),
      callDelta({ function: { name: 'g', arguments: '{}' } }),
    ];
    const calls = callsOf(events) as string[][];
    expect(calls.map(([, name, text]) => [name, text])).toEqual([
      ['f', '{"x":1}'],
      ['f', '{"x":{"y":2}}'],
      ['g', '{}'],
    ]);
  });

  it('that all have index 0 get the pieces that follow their ids', () => {
    expect(
      callsOf(
        ['a', 'b', 'c'].flatMap((id) => [
          callDelta({ index: 0, id, function: { name: 'f', arguments: '' } }),
          callDelta({ index: 0, function: { arguments: '{"x":' } }),
          callDelta({ index: 0, function: { arguments: `"${id}"}` } }),
        ]),
      ),
    ).toEqual(['a', 'b', 'c'].map((id) => [id, 'f', `{"x":"${id}"}`]));
  });

  it('with parsed arguments, or of the form before tools, are calls too', () => {
    expect(callsOf([callDelta({ index: 0, id: 'a', function: { name: 'f', arguments: { x: 1 } } })])).toEqual([
      ['a', 'f', '{"x":1}'],
    ]);
    expect(
      callsOf([delta({ function_call: { name: 'f', arguments: '{' } }), delta({ function_call: { arguments: '}' } })]),
    ).toEqual([[expect.stringMatching(/^call_\w{24}$/), 'f', '{}']]);
  });
});

describe('a call that was forced by name', () => {
  it('ends with a call, though OpenAI says stop', () => {
    const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };
    const whole = chat.read({
      id: 'c',
      choices: [{ index: 0, message: { content: null, tool_calls: [call] }, finish_reason: 'stop' }],
    });
    expect(whole.choices[0]?.finish).toBe('toolCalls');
    const streamed = collect(chat, sse([callDelta({ index: 0, ...call }), delta({}, 'stop')])).answer();
    expect(streamed.choices[0]?.finish).toBe('toolCalls');
  });
});

describe('a stream to a client of chat', () => {
  const stream = sse([
    delta({ role: 'assistant', content: '' }),
    delta({ content: 'a' }),
    delta({ content: 'b' }),
    delta({}, 'stop'),
    '[DONE]',
  ]);

  it('says its role once, its finish once, and usage only where it was asked for', () => {
    const chunks = (includeUsage: boolean): unknown[] =>
      payloads(playThrough(chat, clients['openai-chat'], stream, contextFor({ includeUsage })).out);
    expect(chunks(true)).toEqual([
      expect.objectContaining({
        choices: [{ index: 0, delta: { role: 'assistant', content: '' }, logprobs: null, finish_reason: null }],
        usage: null,
      }),
      expect.objectContaining({
        choices: [{ index: 0, delta: { content: 'a' }, logprobs: null, finish_reason: null }],
      }),
      expect.objectContaining({
        choices: [{ index: 0, delta: { content: 'b' }, logprobs: null, finish_reason: null }],
      }),
      expect.objectContaining({ choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }] }),
      expect.objectContaining({ choices: [], usage: expect.objectContaining({ total_tokens: 0 }) }),
      '[DONE]',
    ]);
    const plain = chunks(false);
    expect(plain).toHaveLength(5);
    expect(plain[0]).not.toHaveProperty('usage');
  });

  it('carries several answers apart', () => {
    const two = [0, 1].map((index) => ({
      id: 'c',
      choices: [{ index, delta: { content: `answer ${index}` }, finish_reason: 'stop' }],
    }));
    const { out } = playThrough(chat, clients['openai-chat'], sse([...two, '[DONE]']));
    const { choices } = collect(chat, out).answer();
    expect(choices.map(({ index, parts, finish }) => [index, parts, finish])).toEqual(
      [0, 1].map((index) => [index, [{ kind: 'text', text: `answer ${index}` }], 'stop']),
    );
  });

  it('carries the proof of a thought with the thought it proves', () => {
    const writer = clients['openai-chat'].openWriter(contextFor());
    writer.push([{ kind: 'reasoning', choice: 0, text: 'h' }]);
    writer.push([{ kind: 'reasoning', choice: 0, text: 'm' }]);
    writer.push([{ kind: 'signature', choice: 0, of: 'reasoning', signature: 'c2ln' }]);
    expect(payloads(writer.push([{ kind: 'text', choice: 0, text: 'a' }]))).toMatchObject([
      {
        choices: [
          { delta: { content: 'a', thinking_blocks: [{ type: 'thinking', thinking: 'hm', signature: 'c2ln' }] } },
        ],
      },
    ]);
  });

  it('carries sound', () => {
    const sound = [
      delta({ audio: { id: 'a1', transcript: 'Hi' } }),
      delta({ audio: { data: 'AAAA' } }),
      delta({ audio: { data: 'BBBB', expires_at: 5 } }),
      delta({}, 'stop'),
      '[DONE]',
    ];
    const { out } = playThrough(chat, clients['openai-chat'], sse(sound));
    expect(collect(chat, out).answer().choices[0]?.parts).toMatchObject([
      { kind: 'audio', id: 'a1', data: 'AAAABBBB', transcript: 'Hi', expiresAt: 5 },
    ]);
  });
});

describe('a whole chat completion', () => {
  it('that is an error, or none at all, is no answer', () => {
    expect(() => chat.read({ error: { message: 'busy', type: 'server_error' } })).toThrow(UpstreamError);
    expect(() => chat.read({ hello: 1 })).toThrow(expect.objectContaining({ code: 'UPSTREAM_INVALID_RESPONSE' }));
  });

  it('keeps thoughts in parts, pictures and refusals apart', () => {
    const message = {
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
        { type: 'text', text: 'a' },
      ],
      refusal: 'no',
      images: [{ image_url: { url: 'data:image/png;base64,AAAA' } }],
    };
    expect(chat.read({ choices: [{ message, finish_reason: 'stop' }] }).choices[0]?.parts).toEqual([
      { kind: 'reasoning', text: 'hm' },
      { kind: 'text', text: 'a' },
      { kind: 'refusal', text: 'no' },
      { kind: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AAAA' } },
    ]);
  });
});

describe('a Messages call for a chat provider', () => {
  const write = (body: Json): { body: Json; dropped: readonly string[] } =>
    chat.write(
      clients['anthropic-messages'].parse({
        body: { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }], ...body },
      }),
    );

  it.each([
    [{ thinking: { type: 'enabled', budget_tokens: 2048 } }, 'low'],
    [{ thinking: { type: 'enabled', budget_tokens: 8192 } }, 'medium'],
    [{ thinking: { type: 'enabled', budget_tokens: 8193 } }, 'high'],
    [{ thinking: { type: 'enabled' } }, 'medium'],
    [{ thinking: { type: 'adaptive' }, output_config: { effort: 'max' } }, 'xhigh'],
    [{ thinking: { type: 'disabled' } }, undefined],
  ])('%j is effort %s', (body, effort) => {
    expect(write(body).body['reasoning_effort']).toBe(effort);
  });

  it('streams with usage, answers without', () => {
    expect(write({ stream: true }).body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
    expect(write({}).body).not.toHaveProperty('stream_options');
  });

  it('names what is left out, tools that only Anthropic runs among it', () => {
    expect(
      write({ top_k: 5, system: [{ type: 'text', text: 'S', cache_control: { type: 'ephemeral' } }] }).dropped,
    ).toEqual(['top_k', 'cache_control']);
    const search = { type: 'web_search_20250305', name: 'web_search' };
    expect(write({ tools: [search] }).dropped).toEqual(['tools[0].web_search']);
    expect(write({ context_management: { edits: [] } }).dropped).toEqual(['context_management']);
    expect(() => write({ tools: [search], tool_choice: { type: 'tool', name: 'web_search' } })).toThrow(
      expect.objectContaining({ code: 'UNSUPPORTED_BY_CHANNEL', field: 'tools[0]' }),
    );
    expect(() => write({ mcp_servers: [{}] })).toThrow(expect.objectContaining({ field: 'mcp_servers' }));
  });

  it('has pictures of tool results follow all results', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } };
    const { messages } = write({
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: ['a', 'b'].map((id) => ({ type: 'tool_use', id, name: 'f', input: {} })) },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: '1' }, image] },
            { type: 'tool_result', tool_use_id: 'b', content: '2' },
            { type: 'text', text: 'so?' },
          ],
        },
      ],
    }).body as { messages: Json[] };
    expect(messages.slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'a', content: '1' },
      { role: 'tool', tool_call_id: 'b', content: '2' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }] },
      { role: 'user', content: 'so?' },
    ]);
  });
});

it('tools that a Responses call allows keep their kind', () => {
  const tools = [
    { type: 'custom', name: 'patch' },
    { type: 'function', name: 'run', parameters: { type: 'object', properties: {} } },
  ];
  const choice = { type: 'allowed_tools', mode: 'auto', tools: tools.map(({ type, name }) => ({ type, name })) };
  const request = clients['openai-responses'].parse({ body: { model: 'm', input: 'hi', tools, tool_choice: choice } });
  expect(chat.write(request).body['tool_choice']).toEqual({
    type: 'allowed_tools',
    allowed_tools: {
      mode: 'auto',
      tools: [
        { type: 'custom', custom: { name: 'patch' } },
        { type: 'function', function: { name: 'run' } },
      ],
    },
  });
});

describe('tools of other dialects', () => {
  const written = (input_schema?: Json): unknown =>
    chat.write(
      clients['anthropic-messages'].parse({
        body: { messages: [{ role: 'user', content: 'hi' }], tools: [{ name: 'f', input_schema }] },
        model: 'm',
      }),
    ).body['tools'];
  const tool = (parameters?: Json): Json => ({ type: 'function', function: { name: 'f', parameters } });

  it.each([
    ['without properties', { type: 'object' }, { type: 'object', properties: {} }],
    [
      'with a list of anything',
      { type: 'object', properties: { a: { type: 'array' } } },
      { type: 'object', properties: { a: { type: 'array', items: {} } } },
    ],
    [
      'that are a choice between several objects',
      { oneOf: [{ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }, { type: 'object' }] },
      { type: 'object', properties: { a: { type: 'string' } } },
    ],
  ])('have parameters that OpenAI takes: %s', (_what, given, expected) => {
    expect(written(given)).toEqual([tool(expected)]);
  });

  it('have parameters, without which Mistral refuses them', () => {
    expect(written()).toEqual([tool({ type: 'object', properties: {} })]);
  });
});

describe('schemas of other dialects that a model is held to', () => {
  const fitting = {
    type: 'object',
    properties: { a: { type: 'string' } },
    required: ['a'],
    additionalProperties: false,
  };
  const loose = { ...fitting, required: [] };
  const fromMessages = (more: Json): ReturnType<typeof chat.write> =>
    chat.write(
      clients['anthropic-messages'].parse({
        body: { messages: [{ role: 'user', content: 'hi' }], ...more },
        model: 'm',
      }),
    );

  it.each([
    [fitting, true],
    [loose, false],
  ])('are strict for a response only where OpenAI takes them: %j', (schema, strict) => {
    const { body } = fromMessages({ output_config: { format: { type: 'json_schema', schema } } });
    expect(body['response_format']).toEqual({ type: 'json_schema', json_schema: { name: 'response', schema, strict } });
  });

  it('are strict for a tool only where OpenAI takes them, which the client is told', () => {
    const tools = [
      { name: 'f', input_schema: fitting, strict: true },
      { name: 'g', input_schema: loose, strict: true },
    ];
    const { body, dropped } = fromMessages({ tools });
    expect(body['tools']).toEqual([
      { type: 'function', function: { name: 'f', parameters: fitting, strict: true } },
      { type: 'function', function: { name: 'g', parameters: loose } },
    ]);
    expect(dropped).toEqual(['tools.strict']);
    expect(fromMessages({ tools: tools.slice(0, 1) }).dropped).toEqual([]);
  });

  it('of Gemini too, and those of OpenAI itself stay as they are', () => {
    const gemini = clients['gemini-generate'].parse({
      body: {
        contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
        tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: loose }] }],
        toolConfig: { functionCallingConfig: { mode: 'VALIDATED' } },
      },
      model: 'm',
    });
    expect(chat.write(gemini).body['tools']).toEqual([
      { type: 'function', function: { name: 'f', parameters: loose } },
    ]);
    const responses = clients['openai-responses'].parse({
      body: { input: 'hi', text: { format: { type: 'json_schema', name: 'o', schema: loose, strict: true } } },
      model: 'm',
    });
    expect(chat.write(responses).body['response_format']).toMatchObject({ json_schema: { strict: true } });
  });
});

it.each([
  [{ type: 'auto' }, { mode: 'auto' }],
  [{ type: 'none' }, { mode: 'none' }],
  [{ type: 'required' }, { mode: 'required' }],
  [{ type: 'any' }, { mode: 'required' }],
  [
    { type: 'function', function: { name: 'auto' } },
    { mode: 'tool', name: 'auto' },
  ],
])('a tool choice may name its mode as a type: %j', (given, expected) => {
  const body = { messages: [{ role: 'user', content: 'hi' }], tool_choice: given };
  expect(clients['openai-chat'].parse({ body, model: 'm' }).toolChoice).toEqual(expected);
});

describe('a Gemini call for JSON without a schema', () => {
  const written = (text: string, more: Json = {}): unknown =>
    chat.write(
      clients['gemini-generate'].parse({
        body: {
          contents: [{ role: 'user', parts: [{ text }] }],
          generationConfig: { responseMimeType: 'application/json' },
          ...more,
        },
        model: 'm',
      }),
    ).body['messages'];

  it('says so, without which OpenAI refuses it', () => {
    expect(written('hi')).toEqual([
      { role: 'system', content: 'Respond with JSON.' },
      { role: 'user', content: 'hi' },
    ]);
    expect(written('hi', { systemInstruction: { parts: [{ text: 'Be kind' }] } })).toEqual([
      { role: 'system', content: 'Be kind\n\nRespond with JSON.' },
      { role: 'user', content: 'hi' },
    ]);
  });

  it('stays as it is where its messages do', () => {
    expect(written('hi, as Json')).toEqual([{ role: 'user', content: 'hi, as Json' }]);
  });
});

it.each(['openai-chat', 'openai-responses'] as const)('a prototype stays a field of %s', (dialect) => {
  const body = JSON.parse(
    '{"messages":[{"role":"user","content":"hi"}],"input":"hi","__proto__":{"service_tier":"priority","metadata":{"a":"b"}}}',
  ) as Json;
  const provider = dialect === 'openai-chat' ? chat : responsesProvider;
  const written = provider.write(clients[dialect].parse({ body, model: 'm' })).body;
  expect([written['service_tier'], written['metadata']]).toEqual([undefined, undefined]);
  expect(JSON.stringify(written)).toContain('"__proto__":{"service_tier":"priority","metadata":{"a":"b"}}');
});
