/** Requests in the form that coding agents send. */
import { json } from '../support/upstream/replies.js';
import { type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started));
afterEach(async () => {
  expect(await relay.unexplained()).toEqual([]);
});

const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-20250514',
  stop_reason: 'end_turn',
  content: [{ type: 'text', text: 'Hello' }],
  usage: { input_tokens: 10, output_tokens: 2 },
};
const completion = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
};

/** A request of Claude Code, shortened. */
const claudeCode = {
  model: 'claude-sonnet-4-20250514',
  max_tokens: 1000,
  system: [{ type: 'text', text: 'You are an agent.', cache_control: { type: 'ephemeral' } }],
  messages: userMessage('hi'),
  tools: [
    { name: 'Bash', description: 'Runs a command', input_schema: { type: 'object', properties: {} } },
    { type: 'web_search_20250305', name: 'web_search', max_uses: 8 },
  ],
  metadata: { user_id: `user_${'a'.repeat(64)}_account__session_${'b'.repeat(36)}` },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
};
const betas = 'claude-code-20250219,context-management-2025-06-27,interleaved-thinking-2025-05-14';
const headers = { 'anthropic-beta': betas, 'anthropic-version': '2023-06-02', 'x-app': 'cli', cookie: 'session=s' };

describe('Claude Code', () => {
  it('reaches Anthropic with its betas and its version, and with nothing else of its headers', async () => {
    await relay.addChannel({ type: 14, models: 'claude-sonnet-4-20250514' });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(message));
    const response = await relay.post('/v1/messages?beta=true', key, claudeCode, { headers });
    expect(response.status).toBe(200);
    const [received] = relay.upstream.requests;
    expect(received?.headers).toMatchObject({ 'anthropic-beta': betas, 'anthropic-version': '2023-06-02' });
    expect(received?.headers).not.toHaveProperty('x-app');
    expect(received?.headers).not.toHaveProperty('cookie');
    expect(received?.body).toEqual(claudeCode);
  });

  it('reaches Bedrock with those betas in the body that Bedrock takes', async () => {
    await relay.addChannel({ type: 33, key: 'AK|SK|us-east-1', models: 'claude-sonnet-4-20250514' });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(message));
    const response = await relay.post('/v1/messages', key, claudeCode, { headers });
    expect(response.status).toBe(200);
    expect(relay.upstream.requests[0]?.body).toMatchObject({
      anthropic_beta: ['context-management-2025-06-27'],
      context_management: claudeCode.context_management,
    });
    expect(relay.upstream.requests[0]?.headers).not.toHaveProperty('anthropic-beta');
  });

  it.each([
    ['OpenAI', 1, 'gpt-4.1-nano'],
    ['DeepSeek', 43, 'deepseek-chat'],
    ['Mistral', 42, 'mistral-large-latest'],
    ['Moonshot', 25, 'kimi-k2'],
    ['a custom address', 8, 'some-model'],
  ])('is served by %s, what that provider cannot do is left out by name', async (_name, type, model) => {
    await relay.addChannel({
      type,
      models: 'claude-sonnet-4-20250514',
      mapping: JSON.stringify({ 'claude-sonnet-4-20250514': model }),
    });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(completion));
    const response = await relay.post('/v1/messages', key, claudeCode, { headers });
    expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ type: 'message' })]);
    const dropped = response.headers.get('x-tollgate-dropped') ?? '';
    expect(dropped).toContain('context_management');
    expect(dropped).toContain('tools[1].web_search');
    const { body = {}, headers: sent } = relay.upstream.requests[0] ?? {};
    expect(body).toMatchObject({ tools: [{ type: 'function', function: { name: 'Bash' } }] });
    const { user } = body as { user?: string };
    expect((user ?? '').length).toBeLessThanOrEqual(64);
    expect(sent).not.toHaveProperty('anthropic-beta');
  });

  it.each([
    ['OpenAI', 1, 'gpt-5', 'web_search'],
    ['OpenRouter', 20, 'some/model', 'openrouter:web_search'],
  ])('is served by %s, which has a search of its own', async (_name, type, model, search) => {
    await relay.addChannel({
      type,
      models: 'claude-sonnet-4-20250514',
      mapping: JSON.stringify({ 'claude-sonnet-4-20250514': model }),
    });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(completion));
    relay.upstream.script(
      { path: '/v1/responses' },
      json({
        id: 'resp_1',
        object: 'response',
        status: 'completed',
        output: [],
        usage: { input_tokens: 1, output_tokens: 1 },
      }),
    );
    const response = await relay.post('/v1/messages', key, claudeCode, { headers });
    expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ type: 'message' })]);
    const dropped = response.headers.get('x-tollgate-dropped') ?? '';
    expect(dropped).toContain('context_management');
    expect(dropped).not.toContain('tools[1].web_search');
    const { tools } = relay.upstream.requests[0]?.body as { tools: unknown[] };
    expect(tools[1]).toMatchObject({ type: search });
  });
});

/** A request of Codex CLI, shortened. */
const codex = {
  model: 'gpt-4o',
  instructions: 'You are an agent.',
  input: [
    { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Sandbox rules' }] },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
  ],
  tools: [
    {
      type: 'function',
      name: 'shell',
      description: 'Runs',
      strict: false,
      parameters: { type: 'object', properties: {} },
    },
    { type: 'web_search' },
  ],
  tool_choice: 'auto',
  store: false,
};

describe('Codex CLI', () => {
  it.each([
    ['DeepSeek', 43, 'system'],
    ['OpenRouter', 20, 'system'],
    ['Moonshot', 25, 'system'],
  ])('is served by %s: no role and no tool that it does not know', async (_name, type, role) => {
    await relay.addChannel({ type, models: 'gpt-4o', mapping: '{"gpt-4o":"some-model"}' });
    const { key } = await relay.addToken();
    relay.upstream.script({}, json(completion));
    const response = await relay.post('/v1/responses', key, codex);
    expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ object: 'response' })]);
    expect(response.headers.get('x-tollgate-dropped')).toContain('tools[1].web_search');
    const { messages, tools } = relay.upstream.requests[0]?.body as {
      messages: Array<{ role: string }>;
      tools: unknown[];
    };
    expect(messages.map((each) => each.role)).not.toContain('developer');
    expect(messages[0]?.role).toBe(role);
    expect(tools).toHaveLength(1);
  });

  it('a call that asks for a tool the provider cannot run is refused by name', async () => {
    await relay.addChannel({ type: 43, models: 'gpt-4o' });
    const { key } = await relay.addToken();
    const response = await relay.post('/v1/responses', key, {
      ...codex,
      tools: codex.tools.slice(1),
      tool_choice: 'required',
    });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('tools')]);
    expect(relay.upstream.requests).toHaveLength(0);
  });
});
