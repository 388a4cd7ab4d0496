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
