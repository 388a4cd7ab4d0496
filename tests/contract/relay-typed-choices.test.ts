/** Tools with numbers in an enum, which Google's own schema knows as texts only (CLIProxyAPI#1076, azure-devops-mcp#139). */
import { strictGemini } from '../agents/strict.js';
import { events, json } from '../support/upstream/replies.js';
import type { Reply } from '../support/upstream/upstream.js';
import { type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;

relaySuite((started) => (relay = started), { values: { SelfUseModeEnabled: true } });

type Json = Record<string, unknown>;

const schema = {
  type: 'object',
  properties: {
    level: { type: 'integer', enum: [1, 2] },
    name: { type: 'string', enum: ['1', 'a'] },
    free: { type: 'string' },
    either: { anyOf: [{ type: 'string' }, { enum: [1] }] },
    steps: { type: 'array', items: { $ref: '#/$defs/step' } },
    version: { const: 2 },
    isOn: { enum: [true, null] },
  },
  $defs: { step: { type: 'object', properties: { size: { anyOf: [{ enum: [0.5, 4] }, { type: 'null' }] } } } },
};
const written = { level: '1', name: '1', free: '1', either: '1', steps: [{ size: '0.5' }], version: '2', isOn: 'true' };
const read = { level: 1, name: '1', free: '1', either: '1', steps: [{ size: 0.5 }], version: 2, isOn: true };

const refuse = strictGemini();
const answer = {
  candidates: [
    {
      index: 0,
      finishReason: 'STOP',
      content: { role: 'model', parts: [{ functionCall: { name: 'set', args: written } }] },
    },
  ],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 },
};
const provider: Reply = (response, request) => {
  const problem = refuse(request);
  if (problem !== null)
    return json({ error: { code: 400, message: problem, status: 'INVALID_ARGUMENT' } }, 400)(response, request);
  const isStream = request.path.includes('streamGenerateContent');
  return (isStream ? events([JSON.stringify(answer)], { done: false }) : json(answer))(response, request);
};

const clients = {
  chat: {
    path: '/v1/chat/completions',
    body: { messages: userMessage('hi'), tools: [{ type: 'function', function: { name: 'set', parameters: schema } }] },
  },
  Messages: {
    path: '/v1/messages',
    body: { max_tokens: 99, messages: userMessage('hi'), tools: [{ name: 'set', input_schema: schema }] },
  },
  Responses: {
    path: '/v1/responses',
    body: { input: 'hi', tools: [{ type: 'function', name: 'set', parameters: schema }] },
  },
} as const;

/** Returns the arguments of the only call in a response. The pieces of a stream are joined. */
function argumentsIn(text: string, isStream: boolean): unknown {
  if (!isStream) {
    const { choices, content, output } = JSON.parse(text) as Record<string, Json[] | undefined>;
    const block = content?.find(({ type }) => type === 'tool_use');
    if (block) return block['input'];
    const item = output?.find(({ type }) => type === 'function_call');
    const message = choices?.[0]?.['message'] as { tool_calls: Array<{ function: Json }> } | undefined;
    return JSON.parse(String(item?.['arguments'] ?? message?.tool_calls[0]?.function['arguments']));
  }
  const payloads = text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice('data: '.length)] : []));
  const pieces = payloads.flatMap((payload) => {
    const event = (payload === '[DONE]' ? {} : JSON.parse(payload)) as Json;
    if (event['type'] === 'response.function_call_arguments.delta') return [String(event['delta'])];
    const delta = event['delta'] as Json | undefined;
    if (typeof delta?.['partial_json'] === 'string') return [delta['partial_json']];
    const choices = (event['choices'] ?? []) as Array<{ delta: { tool_calls?: Array<{ function: Json }> } }>;
    return choices.flatMap((choice) =>
      (choice.delta.tool_calls ?? []).map((call) => String(call.function['arguments'])),
    );
  });
  return JSON.parse(pieces.join(''));
}

const cases = (['gemini-2.0-flash', 'gemini-2.5-flash', 'gemini-3-pro'] as const).flatMap((model) =>
  (Object.keys(clients) as Array<keyof typeof clients>).flatMap((client) =>
    [false, true].map((stream) => [model, client, stream] as const),
  ),
);

it.each(cases)(
  '%s: the call of a %s client has the numbers of its schema (stream %s)',
  async (model, client, stream) => {
    await relay.addChannel({ type: 24, models: model });
    const { key } = await relay.addToken();
    relay.upstream.script({}, provider);
    const { path, body } = clients[client];
    const response = await relay.post(path, key, { model, stream, ...body });
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(argumentsIn(text, stream)).toEqual(read);
  },
);

it('sends the schema itself to models that take it', async () => {
  await relay.addChannel({ type: 24, models: 'gemini-2.5-flash' });
  const { key } = await relay.addToken();
  relay.upstream.script({}, provider);
  await relay.chat(key, { model: 'gemini-2.5-flash', ...clients.chat.body });
  expect(relay.upstream.requests[0]?.body).toMatchObject({
    tools: [{ functionDeclarations: [{ name: 'set', parametersJsonSchema: schema }] }],
  });
});
