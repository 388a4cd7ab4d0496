/** Clients of every dialect at models whose chat completions refuse functions: Responses is their upstream. */
import { functionsAtResponses } from '../agents/refused-bodies.js';
import { strictChat, strictResponses, openAIRules } from '../agents/strict.js';
import { events, json } from '../support/upstream/replies.js';
import type { ReceivedRequest, Reply } from '../support/upstream/upstream.js';
import { payloadsOf, type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started), { values: { SelfUseModeEnabled: true } });
afterEach(async () => expect(await relay.unexplained()).toEqual([]));

type Json = Record<string, unknown>;

const proof = `gAAAAABpQx0${'x'.repeat(100)}`;
const usage = {
  input_tokens: 1000,
  input_tokens_details: { cached_tokens: 600 },
  output_tokens: 50,
  output_tokens_details: { reasoning_tokens: 30 },
  total_tokens: 1050,
};
const output = [
  { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: proof },
  { type: 'function_call', id: 'fc_1', call_id: 'call_1', status: 'completed', name: 'look', arguments: '{"at":1}' },
];
const whole = (status: string, items: readonly Json[]): Json => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status,
  model: 'gpt-5.6',
  output: items,
  usage,
});
const streamed = events(
  [
    { type: 'response.created', response: whole('in_progress', []) },
    ...output.flatMap((item, index) => [
      { type: 'response.output_item.added', output_index: index, item: { ...item, arguments: '' } },
      { type: 'response.output_item.done', output_index: index, item },
    ]),
    { type: 'response.completed', response: whole('completed', output) },
  ].map((event) => JSON.stringify(event)),
  { done: false },
);

const refusesChat = strictChat({ ...openAIRules, refuses: [functionsAtResponses] });

/** Behaves like OpenAI's API for gpt-5.6. */
const provider: Reply = (response, request) => {
  const problem = request.path.includes('/responses') ? strictResponses(request) : refusesChat(request);
  if (problem !== null)
    return json({ error: { message: problem, type: 'invalid_request_error' } }, 400)(response, request);
  return (request.stream ? streamed : json(whole('completed', output)))(response, request);
};

const schema = { type: 'object', properties: { at: { type: 'integer' } } };
const clients = {
  chat: {
    path: () => '/v1/chat/completions',
    body: (model: string): Json => ({
      model,
      messages: [{ role: 'system', content: 'Be brief.' }, ...userMessage('hi')],
      tools: [{ type: 'function', function: { name: 'look', parameters: schema } }],
      max_tokens: 5,
      reasoning_effort: 'high',
    }),
  },
  Messages: {
    path: () => '/v1/messages',
    body: (model: string): Json => ({
      model,
      max_tokens: 32_000,
      system: 'Be brief.',
      messages: userMessage('hi'),
      tools: [{ name: 'look', input_schema: schema }],
      stop_sequences: ['END'],
    }),
  },
  Gemini: {
    path: (model: string) => `/v1beta/models/${model}:generateContent`,
    body: (): Json => ({
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
      tools: [{ functionDeclarations: [{ name: 'look', parametersJsonSchema: schema }] }],
    }),
  },
} as const;
const names = ['chat', 'Messages', 'Gemini'] as const;

const paths = (): string[] => relay.upstream.requests.map(({ path }) => path.split('?')[0] ?? '');
const sent = (at: number): Json => relay.upstream.requests[at]?.body ?? {};

describe.each(names)('a %s client', (name) => {
  const { path, body } = clients[name];

  it.each([
    [1, {}],
    [3, {}],
  ])('calls functions of gpt-5.6 at type %i, at once over Responses', async (type, more) => {
    await relay.addChannel({ type, models: 'gpt-5.6', ...more });
    const { key } = await relay.addToken();
    relay.upstream.script({}, provider);
    const response = await relay.post(path('gpt-5.6'), key, body('gpt-5.6'));
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('look')]);
    expect(paths()).toEqual([expect.stringMatching(/\/responses$/)]);
    expect(sent(0)).toMatchObject({ model: 'gpt-5.6', store: false, include: ['reasoning.encrypted_content'] });
  });

  it.each([
    ['a whole address', 8, '/v1/chat/completions', ''],
    ['chosen endpoints', 58, '', '{"endpoints":{"chat":"/v1/chat/completions","responses":"/v1/responses"}}'],
  ])('is moved there once the refusal is met at %s, and from then on at once', async (_name, type, base, other) => {
    const baseUrl = relay.upstream.url + base;
    const channel = await relay.addChannel({ type, models: 'my-deploy', baseUrl, other });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, provider);
    for (const _ of [1, 2]) {
      const response = await relay.post(path('my-deploy'), key, body('my-deploy'));
      expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('look')]);
    }
    expect(paths()).toEqual(['/v1/chat/completions', '/v1/responses', '/v1/responses']);
    expect(relay.health.cooldowns).toEqual([]);
    const rows = await relay.logsOf(userId, 2);
    expect(rows.map(({ channel_id: id }) => id)).toEqual([channel, channel]);
  });
});

it('charges a call over Responses like one of Responses', async () => {
  await relay.addChannel({ models: 'gpt-5.6' });
  const { key, userId } = await relay.addToken();
  relay.upstream.script({}, provider);
  await relay.chat(key, clients.chat.body('gpt-5.6'));
  await relay.post('/v1/responses', key, { model: 'gpt-5.6', input: 'hi' });
  const stream = await relay.chat(key, { ...clients.chat.body('gpt-5.6'), stream: true });
  expect(payloadsOf(await stream.text()).at(-1)).toBe('[DONE]');
  const rows = await relay.logsOf(userId, 3);
  const [over, native] = rows;
  expect(over?.quota).toBeGreaterThan(0);
  expect(rows.map(({ quota }) => quota)).toEqual([native?.quota, native?.quota, native?.quota]);
  expect(over).toMatchObject({ prompt_tokens: 1000, completion_tokens: 50 });
});

it('keeps the effort that the client asked for', async () => {
  await relay.addChannel({ models: 'gpt-5.6,gpt-5.6-high' });
  const { key } = await relay.addToken();
  relay.upstream.script({}, provider);
  const { reasoning_effort: _effort, ...plain } = clients.chat.body('gpt-5.6-high');
  await relay.chat(key, { ...clients.chat.body('gpt-5.6'), reasoning_effort: 'xhigh' });
  await relay.chat(key, plain);
  await relay.post('/v1/messages', key, { ...clients.Messages.body('gpt-5.6'), output_config: { effort: 'high' } });
  expect([0, 1, 2].map((at) => sent(at)['reasoning'])).toEqual([
    expect.objectContaining({ effort: 'xhigh' }),
    expect.objectContaining({ effort: 'high' }),
    expect.objectContaining({ effort: 'high' }),
  ]);
  expect(sent(1)['model']).toBe('gpt-5.6');
});

it('sends thoughts back signed, as they came', async () => {
  await relay.addChannel({ models: 'gpt-5.6' });
  const { key } = await relay.addToken();
  relay.upstream.script({}, provider);
  const first = clients.Messages.body('gpt-5.6');
  const { content } = (await (await relay.post('/v1/messages', key, first)).json()) as { content: Json[] };
  const results = content.flatMap(({ type, id }) =>
    type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: id, content: 'seen' }] : [],
  );
  const messages = [...userMessage('hi'), { role: 'assistant', content }, { role: 'user', content: results }];
  await relay.post('/v1/messages', key, { ...first, messages });
  expect(sent(1)['input']).toEqual([
    expect.objectContaining({ role: 'user' }),
    { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: proof },
    expect.objectContaining({ type: 'function_call', call_id: 'call_1', name: 'look' }),
    expect.objectContaining({ type: 'function_call_output', call_id: 'call_1', output: 'seen' }),
  ]);
});

it('names what Responses does not take', async () => {
  await relay.addChannel({ models: 'gpt-5.6' });
  const { key, userId } = await relay.addToken();
  relay.upstream.script({}, provider);
  const response = await relay.post('/v1/messages', key, clients.Messages.body('gpt-5.6'));
  expect(response.headers.get('x-tollgate-dropped')).toContain('stop_sequences');
  const [row] = await relay.logsOf(userId, 1);
  expect(row?.other['dropped_parameters']).toContain('stop_sequences');
});

it.each([
  ['without tools', {}],
  ['with the effort none', { tools: clients.chat.body('')['tools'], reasoning_effort: 'none' }],
  ['with several choices', { n: 2 }],
])('a chat call %s stays at chat completions', async (_name, more) => {
  await relay.addChannel({ models: 'gpt-5.6' });
  const { key } = await relay.addToken();
  await relay.chat(key, { model: 'gpt-5.6', messages: userMessage('hi'), ...more });
  expect(paths()).toEqual(['/v1/chat/completions']);
});

it.each(['gpt-5.5-pro', 'gpt-5.3-codex', 'gpt-6-astra', 'o3-pro'])('%s has Responses alone', async (model) => {
  await relay.addChannel({ models: model });
  const { key } = await relay.addToken();
  relay.upstream.script({}, provider);
  expect((await relay.chat(key, { model, messages: userMessage('hi'), max_tokens: 5 })).status).toBe(200);
  expect(paths()).toEqual(['/v1/responses']);
});

it('a channel is set to either upstream', async () => {
  const baseUrl = `${relay.upstream.url}/v1/chat/completions`;
  await relay.addChannel({ type: 8, models: 'mine', baseUrl, setting: '{"chat_upstream":"responses"}' });
  await relay.addChannel({ models: 'gpt-5.6', setting: '{"chat_upstream":"chat"}' });
  const { key } = await relay.addToken();
  relay.upstream.script({}, provider);
  await relay.chat(key, { model: 'mine', messages: userMessage('hi') });
  const refused = await relay.chat(key, clients.chat.body('gpt-5.6'));
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('use /v1/responses')]);
  expect(paths()).toEqual(['/v1/responses', '/v1/chat/completions']);
});

it.each([
  [1, 404, 'This model is only supported in v1/responses and not in v1/chat/completions.'],
  // chatwise-releases#1256 (February 2026).
  [1, 404, 'This is not a chat model and thus not supported in the v1/chat/completions endpoint.'],
  // langchain-azure#228 (December 2025), dify-official-plugins#2359 (January 2026).
  [3, 400, 'The chatCompletion operation does not work with the specified model, gpt-7-next.'],
])('a model that is only at Responses is learned at type %i from the %i "%s"', async (type, status, message) => {
  const onlyResponses = (response: Parameters<Reply>[0], request: ReceivedRequest) =>
    request.path.includes('/responses')
      ? provider(response, request)
      : json({ error: { message, type: 'invalid_request_error', param: 'model', code: null } }, status)(
          response,
          request,
        );
  await relay.addChannel({ type, models: 'gpt-7-next' });
  const { key } = await relay.addToken();
  relay.upstream.script({}, onlyResponses);
  const ask = () => relay.chat(key, { model: 'gpt-7-next', messages: userMessage('hi') });
  expect([(await ask()).status, (await ask()).status]).toEqual([200, 200]);
  const asked = paths().map((path) => path.split('/').at(-1));
  expect(asked).toEqual(['completions', 'responses', 'responses']);
});
