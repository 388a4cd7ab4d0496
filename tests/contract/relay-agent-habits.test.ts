/** Some agents send fields that only one provider knows. Other providers must still accept the calls. */
import { json, events } from '../support/upstream/replies.js';
import { type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started), { values: { SelfUseModeEnabled: true } });

const contents = {
  candidates: [{ index: 0, finishReason: 'STOP', content: { role: 'model', parts: [{ text: 'Hello' }] } }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 },
};
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  stop_reason: 'end_turn',
  content: [{ type: 'text', text: 'Hello' }],
  usage: { input_tokens: 10, output_tokens: 2 },
};
const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }];

it.each([
  [24, contents],
  [14, message],
])('the tool choice of Copilot CLI at type %i', async (type, answer) => {
  await relay.addChannel({ type, models: 'gemini-3-pro' });
  const { key } = await relay.addToken();
  relay.upstream.script({}, json(answer));
  const body = { model: 'gemini-3-pro', messages: userMessage('hi'), tools, tool_choice: 'validated' };
  const response = await relay.chat(key, body);
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Hello')]);
});

it('a search that grok-cli turns off is no demand, and one that is on is', async () => {
  await relay.addChannel({ type: 14, models: 'm' });
  const { key } = await relay.addToken();
  relay.upstream.script({}, json(message));
  const ask = (mode: string) =>
    relay.chat(key, { model: 'm', messages: userMessage('hi'), search_parameters: { mode } });
  const off = await ask('off');
  expect([off.status, off.headers.get('x-tollgate-dropped')]).toEqual([200, 'search_parameters']);
  expect((await ask('on')).status).toBe(400);
});

it('base64 with broken lines reaches Claude in one', async () => {
  await relay.addChannel({ type: 14, models: 'm' });
  const { key } = await relay.addToken();
  relay.upstream.script({}, json(message));
  const url =
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ\nAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==\n';
  const response = await relay.chat(key, {
    model: 'm',
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
  });
  expect(response.status).toBe(200);
  expect(JSON.stringify(relay.upstream.requests[0]?.body)).not.toContain('\\n');
});

describe('the task of a Codex subagent', () => {
  const completion = {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
  };
  const envelope = 'Message Type: NEW_TASK\nTask name: /root/t\nSender: /root\nPayload:\n';
  const asking = (payload: string) => ({
    model: 'm',
    input: [
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'You are a sub-agent' }] },
      {
        type: 'agent_message',
        author: '/root',
        recipient: '/root/t',
        content: [
          { type: 'input_text', text: envelope },
          { type: 'encrypted_content', encrypted_content: payload },
        ],
      },
      { type: 'agent_reasoning', text: 'hm' },
    ],
  });

  // DeepSeek refuses this message with the role of the assistant (awesome-deepseek-agent#335, codex#33551, #34833).
  it.each([
    [43, completion],
    [14, message],
    [24, contents],
  ])('is a message of the user at type %i', async (type, answer) => {
    await relay.addChannel({ type, models: 'm' });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(answer));
    expect((await relay.post('/v1/responses', key, asking('Reply PONG only'))).status).toBe(200);
    const { messages, contents: turns } = relay.upstream.requests[0]?.body as Record<string, unknown[]>;
    const said = (messages ?? turns)?.at(-1);
    expect(said).toMatchObject({ role: 'user' });
    expect(JSON.stringify(said)).toContain(JSON.stringify(`${envelope}Reply PONG only`).slice(1, -1));
  });

  it('is refused by name where OpenAI encrypted it, and passes at OpenAI', async () => {
    await relay.addChannel({ type: 43, models: 'm' });
    const { key } = await relay.addToken();
    const secret = asking(`gAAAAABpQx0${'x'.repeat(100)}`);
    const refused = await relay.post('/v1/responses', key, secret);
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('encrypted_content')]);
    await relay.clearChannels();
    await relay.addChannel({ models: 'm' });
    relay.upstream.script({}, json({ id: 'resp_1', object: 'response', status: 'completed', output: [], usage: {} }));
    expect((await relay.post('/v1/responses', key, secret)).status).toBe(200);
    expect(relay.upstream.requests.at(-1)?.body).toEqual(secret);
  });
});

describe('tools that change within a conversation', () => {
  const named = (name: string) => ({ name, description: name, input_schema: { type: 'object', properties: {} } });
  const functionsSent = () => {
    const { tools: sent } = relay.upstream.requests.at(-1)?.body as { tools?: Array<Record<string, unknown>> };
    const flat = (sent ?? []).flatMap((tool) => (tool['functionDeclarations'] as typeof sent) ?? [tool]);
    return flat.map((tool) => ((tool['function'] as { name: string } | undefined) ?? tool)['name']);
  };
  const completion = {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
  };
  const others = [
    [1, completion],
    [43, completion],
    [24, contents],
  ] as const;

  // @anthropic-ai/sdk 1.14, platform.claude.com "Mid-conversation tool changes" (November 2026).
  it.each(others)('are those at its end, for a Messages client at type %i', async (type, answer) => {
    await relay.addChannel({ type, models: 'm' });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(answer));
    const response = await relay.post('/v1/messages', key, {
      model: 'm',
      max_tokens: 10,
      tools: [
        named('Read'),
        named('Bash'),
        { ...named('Lazy'), defer_loading: true },
        { ...named('Never'), defer_loading: true },
      ],
      messages: [
        ...userMessage('hi'),
        {
          role: 'system',
          content: [
            { type: 'text', text: 'Tools changed' },
            { type: 'tool_addition', tool: { type: 'tool_definition', definition: named('Added') } },
            { type: 'tool_addition', tool: { type: 'tool_reference', name: 'Lazy' } },
            { type: 'tool_removal', tool: { type: 'tool_reference', name: 'Bash' } },
          ],
        },
      ],
    });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Hello')]);
    expect(functionsSent()).toEqual(['Read', 'Lazy', 'Added']);
  });

  it.each(others)('are offered once a search of Claude Code found them, at type %i', async (type, answer) => {
    await relay.addChannel({ type, models: 'm' });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(answer));
    const found = [{ type: 'tool_reference', tool_name: 'Lazy' }];
    const response = await relay.post('/v1/messages', key, {
      model: 'm',
      max_tokens: 10,
      tools: [
        named('ToolSearch'),
        { ...named('Lazy'), defer_loading: true },
        { ...named('Never'), defer_loading: true },
      ],
      messages: [
        ...userMessage('hi'),
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'ToolSearch', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: found }] },
      ],
    });
    expect(response.status).toBe(200);
    expect(functionsSent()).toEqual(['ToolSearch', 'Lazy']);
  });

  // @earendil-works/pi-ai 1.6.0, for Kimi K3 (November 2026).
  it.each([
    [14, message],
    [24, contents],
  ])('are those of all messages, for a chat client that talks to Kimi, at type %i', async (type, answer) => {
    await relay.addChannel({ type, models: 'm' });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(answer));
    const chatTool = (name: string, description = name) => ({
      type: 'function',
      function: { name, description, parameters: { type: 'object', properties: {} } },
    });
    const response = await relay.chat(key, {
      model: 'm',
      tools: [chatTool('read'), chatTool('edit', 'former')],
      messages: [...userMessage('hi'), { role: 'system', tools: [chatTool('edit', 'new'), chatTool('added')] }],
    });
    expect([response.status, response.headers.get('x-tollgate-dropped')]).toEqual([200, null]);
    expect(functionsSent()).toEqual(['read', 'edit', 'added']);
    expect(JSON.stringify(relay.upstream.requests.at(-1)?.body)).not.toContain('former');
  });

  it.each([...others.slice(1), [14, message] as const])(
    'are offered once a search of Codex found them, at type %i',
    async (type, answer) => {
      await relay.addChannel({ type, models: 'm' });
      const { key } = await relay.addToken();
      relay.upstream.script({}, json(answer));
      const lazy = {
        type: 'function',
        name: 'lazy',
        defer_loading: true,
        parameters: { type: 'object', properties: {} },
      };
      const response = await relay.post('/v1/responses', key, {
        model: 'm',
        tools: [
          { ...lazy, name: 'read' },
          { type: 'tool_search', execution: 'client' },
        ],
        input: [
          { role: 'user', content: 'hi' },
          { type: 'tool_search_call', call_id: 'call_1', execution: 'client', arguments: { query: 'lazy' } },
          { type: 'tool_search_output', call_id: 'call_1', execution: 'client', tools: [lazy, lazy] },
        ],
      });
      expect(response.status).toBe(200);
      expect(functionsSent()).toEqual(['read', 'lazy']);
    },
  );
});

describe('a streamed call of a function without arguments', () => {
  interface Chunk {
    readonly choices: ReadonlyArray<{
      readonly delta?: { readonly tool_calls?: ReadonlyArray<{ readonly function: { readonly arguments: string } }> };
      readonly finish_reason?: string | null;
    }>;
  }
  const block = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} };

  // agentgateway#3002: Claude sends no piece of the input then.
  it.each([
    [
      14,
      [
        { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
        { type: 'content_block_start', index: 0, content_block: block },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 2 } },
        { type: 'message_stop' },
      ],
    ],
  ])('has an object that a chat client can parse, at type %i', async (type, stream) => {
    await relay.addChannel({ type, models: 'm' });
    const { key } = await relay.addToken();
    relay.upstream.script({}, events(stream.map((event) => JSON.stringify(event))));
    const response = await relay.chat(key, { model: 'm', stream: true, messages: userMessage('hi'), tools });
    const sent = [...(await response.text()).matchAll(/^data: (\{.*)$/gm)].map(
      ([, data = '']) => JSON.parse(data) as Chunk,
    );
    const pieces = sent.flatMap(({ choices }) => choices[0]?.delta?.tool_calls ?? []);
    expect(pieces.map((piece) => piece.function.arguments).join('')).toBe('{}');
    expect(sent.flatMap(({ choices }) => choices[0]?.finish_reason ?? [])).toEqual(['tool_calls']);
  });
});

it('tools and items of types that are not known are left out by name at other providers', async () => {
  await relay.addChannel({ type: 43, models: 'm' });
  const { key } = await relay.addToken();
  relay.upstream.script(
    {},
    json({
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
    }),
  );
  const response = await relay.post('/v1/responses', key, {
    model: 'm',
    tools: [{ type: 'some_future_tool' }, { type: 'function', name: 'f', parameters: { type: 'object' } }],
    input: [
      { role: 'user', content: 'hi' },
      { type: 'some_future_call', id: 'x_1', status: 'completed' },
      { role: 'user', content: 'go on' },
    ],
  });
  expect(response.status).toBe(200);
  const dropped = response.headers.get('x-tollgate-dropped');
  expect(dropped).toContain('some_future_tool');
  expect(relay.upstream.requests[0]?.body?.['tools']).toHaveLength(1);
});

it('tokens that Cohere read from its cache are logged, and cost what its price says', async () => {
  await relay.addChannel({ type: 34, models: 'command-a-03-2025' });
  const { key, userId } = await relay.addToken();
  relay.upstream.script(
    {},
    json({
      id: 'c',
      finish_reason: 'COMPLETE',
      message: { role: 'assistant', content: [{ type: 'text', text: 'Hello' }] },
      usage: {
        billed_units: { input_tokens: 100, output_tokens: 2 },
        tokens: { input_tokens: 100, output_tokens: 2 },
        cached_tokens: 64,
      },
    }),
  );
  const response = await relay.chat(key, { model: 'command-a-03-2025', messages: userMessage('hi') });
  expect(await response.json()).toMatchObject({ usage: { prompt_tokens_details: { cached_tokens: 64 } } });
  const [row] = await relay.logsOf(userId, 1);
  expect([row?.prompt_tokens, row?.other['cache_tokens']]).toEqual([100, 64]);
});

describe('instructions within a conversation of Claude Code', () => {
  const completion = {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
  };
  const user = (content: unknown) => ({ role: 'user', content });
  const assistant = (content: unknown) => ({ role: 'assistant', content });
  const effort = (level: string) => ({ role: 'system', content: [], output_config: { effort: level } });
  const once = (content: string) => ({ role: 'system', content, clear_at: 'next_user_message' });
  const call = assistant([{ type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }]);
  const result = user([{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'ok' }]);
  const ask = async (type: number, messages: object[], more: object = {}) => {
    await relay.addChannel({ type, models: 'gpt-5' });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(type === 24 ? contents : completion));
    const response = await relay.post('/v1/messages', key, { model: 'gpt-5', max_tokens: 99, messages, ...more });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Hello')]);
    return relay.upstream.requests.at(-1)?.body as {
      messages?: Array<Record<string, unknown>>;
      reasoning_effort?: string;
    };
  };

  // `anthropic` 2.14.0, types/beta/beta_system_message_param.py; Claude Code 2.1.332 has both.
  it.each([1, 43, 24])('that are for one turn are left out after it, at type %i', async (type) => {
    const sent = await ask(type, [user('one'), once('FIRST'), assistant('Hi'), user('two'), once('SECOND')]);
    expect(JSON.stringify(sent)).not.toContain('FIRST');
    expect(JSON.stringify(sent)).toContain('SECOND');
  });

  it.each([
    ['directly after the turn of the user', [user('one'), effort('low')], 'low'],
    ['before it', [user('one'), assistant('Hi'), effort('low'), user('two')], 'low'],
    ['after the response', [user('one'), assistant('Hi'), user('two'), assistant('Hm'), effort('low'), result], 'high'],
    ['until it changes', [user('one'), effort('low'), assistant('Hi'), user('two'), effort('medium')], 'medium'],
    ['through calls of tools', [user('one'), effort('low'), call, result], 'low'],
  ])('change the effort %s', async (_name, messages, expected) => {
    const sent = await ask(1, messages, {
      output_config: { effort: 'high' },
      tools: [{ name: 'f', input_schema: { type: 'object', properties: {} } }],
    });
    expect(sent.reasoning_effort).toBe(expected);
    expect(sent.messages?.filter(({ role }) => role === 'system' || role === 'developer')).toEqual([]);
  });
});

it('what a search of the client found is text for other providers', async () => {
  await relay.addChannel({ type: 24, models: 'm' });
  const { key } = await relay.addToken();
  relay.upstream.script({}, json(contents));
  const found = {
    type: 'search_result',
    source: 'https://a.example',
    title: 'A',
    content: [{ type: 'text', text: 'B' }],
  };
  const ask = (block: object) =>
    relay.post('/v1/messages', key, { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: [block] }] });
  expect((await ask(found)).status).toBe(200);
  expect(JSON.stringify(relay.upstream.requests[0]?.body)).toContain('A\\nhttps://a.example\\nB');
  expect((await ask({ ...found, citations: { enabled: true } })).status).toBe(400);
});

it.each([
  ['compaction', { type: 'summarize' }, 400],
  ['fallbacks', [{ model: 'claude-opus-4-8' }], 200],
  ['fallbacks', 'default', 200],
  ['diagnostics', { previous_message_id: 'msg_1' }, 200],
  ['context_management', { edits: [{ type: 'clear_tool_uses_20250919' }] }, 200],
  ['speed', 'fast', 200],
])('the field %s of Claude Code, %j, at another provider: %i', async (name, value, status) => {
  await relay.addChannel({ type: 24, models: 'm' });
  const { key } = await relay.addToken();
  relay.upstream.script({}, json(contents));
  const body = { model: 'm', max_tokens: 9, messages: userMessage('hi'), [name]: value };
  const response = await relay.post('/v1/messages', key, body);
  expect(response.status).toBe(status);
  if (status === 200) expect(response.headers.get('x-tollgate-dropped')).toBe(name);
  else expect(await response.text()).toContain(name);
});

// Anthropic: "tools.0.bash_20250124.input_schema: Extra inputs are not permitted"; `anthropic` 2.14.0, beta_tool_union_param.py.
it.each([
  [{ name: 'bash', input_schema: { type: 'object' } }, 200],
  [{ type: 'custom', name: 'bash', input_schema: { type: 'object' } }, 200],
  [{ type: null, name: 'bash', input_schema: { type: 'object' } }, 200],
  [{ type: 'bash_20250124', name: 'bash' }, 200],
  [{ type: 'bash_20250124', name: 'bash', input_schema: { type: 'object' } }, 400],
])('a tool %j at another provider: %i', async (tool, status) => {
  await relay.addChannel({ type: 24, models: 'm' });
  const { key } = await relay.addToken();
  relay.upstream.script({}, json(contents));
  const body = { model: 'm', max_tokens: 9, messages: userMessage('hi'), tools: [tool] };
  const response = await relay.post('/v1/messages', key, body);
  expect(response.status).toBe(status);
  if (status === 400) expect(await response.text()).toContain('tools[0].input_schema');
});

it('a call that prepares a prompt cache alone is refused by a provider that would generate a response', async () => {
  await relay.addChannel({ type: 43, models: 'm' });
  const { key } = await relay.addToken();
  const ask = (more: object) => relay.post('/v1/responses', key, { model: 'm', input: 'hi', ...more });
  const refused = await ask({ prompt_cache_options: { prewarm: true } });
  expect([refused.status, await refused.text()]).toEqual([
    400,
    expect.stringContaining('prompt_cache_options.prewarm'),
  ]);
  expect(relay.upstream.requests).toEqual([]);
  relay.upstream.script({}, json({ ...message, choices: [{ index: 0, message: { content: 'Hello' } }] }));
  const served = await ask({ prompt_cache_options: { mode: 'implicit' } });
  expect([served.status, served.headers.get('x-tollgate-dropped')]).toEqual([200, 'prompt_cache_options']);
});

it('updates of the configuration within the input of Responses hold at other providers', async () => {
  await relay.addChannel({ type: 43, models: 'deepseek-v4-pro' });
  const { key } = await relay.addToken();
  relay.upstream.script({}, json({ ...message, choices: [{ index: 0, message: { content: 'Hello' } }] }));
  const user = (content: string) => ({ role: 'user', content });
  const update = (more: object) => ({ type: 'configuration_update', ...more });
  const response = await relay.post('/v1/responses', key, {
    model: 'deepseek-v4-pro',
    reasoning: { effort: 'low' },
    text: { format: { type: 'text' } },
    input: [
      user('one'),
      update({ reasoning: { effort: 'low' }, text: { format: { type: 'json_object' } } }),
      { role: 'assistant', content: 'Hi' },
      update({ reasoning: { effort: 'high' } }),
      user('Answer in JSON'),
    ],
  });
  expect([response.status, response.headers.get('x-tollgate-dropped')]).toEqual([200, null]);
  expect(relay.upstream.requests[0]?.body).toMatchObject({
    reasoning_effort: 'high',
    response_format: { type: 'json_object' },
    messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'user' }],
  });
});
