/** A client turns thinking off, at providers of chat completions whose models think by default. */
import { chat } from '../support/upstream/replies.js';
import { type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;
relaySuite((started) => (relay = started), { values: { SelfUseModeEnabled: true } });

type Json = Record<string, unknown>;
const switches = ['thinking', 'enable_thinking', 'chat_template_kwargs', 'reasoning_effort', 'reasoning'];

/** Returns the fields about thinking in the request that the provider gets. */
async function sentFor(type: number, model: string, path: string, body: Json): Promise<Json> {
  await relay.addChannel({ type, models: model });
  const { key } = await relay.addToken();
  relay.upstream.script({}, chat({ text: 'Hello' }));
  const response = await relay.post(path, key, body);
  await response.text();
  expect(response.status).toBe(200);
  const sent = relay.upstream.requests.at(-1)?.body ?? {};
  return Object.fromEntries(Object.entries(sent).filter(([name]) => switches.includes(name)));
}

const messages = (model: string, more: Json): [string, Json] => [
  '/v1/messages',
  { model, max_tokens: 9, messages: userMessage('hi'), ...more },
];
const generate = (model: string, thinkingConfig: Json): [string, Json] => [
  `/v1beta/models/${model}:generateContent`,
  { contents: [{ parts: [{ text: 'hi' }] }], generationConfig: { thinkingConfig } },
];
const responses = (model: string, reasoning: Json): [string, Json] => [
  '/v1/responses',
  { model, input: 'hi', reasoning, store: false },
];

const off = { thinking: { type: 'disabled' } };
const providers: ReadonlyArray<readonly [type: number, model: string, sent: Json]> = [
  [4, 'qwen3:8b', { reasoning_effort: 'none' }],
  [17, 'qwen3-32b', { enable_thinking: false }],
  [17, 'qwen3.5-plus', { enable_thinking: false }],
  [17, 'glm-4.6', { enable_thinking: false }],
  [25, 'kimi-k2.5', off],
  [26, 'glm-4.7', off],
  [35, 'MiniMax-M3', off],
  [40, 'Qwen/Qwen3-8B', { enable_thinking: false }],
  [40, 'zai-org/GLM-4.6', { enable_thinking: false }],
  [43, 'deepseek-v4-flash', off],
  [45, 'doubao-seed-1-6-250615', off],
  [45, 'deepseek-v3-2-251201', off],
  [46, 'glm-4.7', off],
];

it.each(providers)(
  'type %i, %s: Messages and Gemini clients turn it off by its own switch',
  async (type, model, sent) => {
    expect(await sentFor(type, model, ...messages(model, off))).toEqual(sent);
    expect(await sentFor(type, model, ...generate(model, { thinkingBudget: 0 }))).toEqual(sent);
  },
);

it.each([62, 63])('type %i: Gemini clients turn it off in the template of the model', async (type) => {
  const sent = await sentFor(type, 'Qwen/Qwen3-8B', ...generate('Qwen%2FQwen3-8B', { thinkingBudget: 0 }));
  expect(sent).toEqual({ chat_template_kwargs: { enable_thinking: false } });
});

it('is what an effort of none is in Responses', async () => {
  expect(await sentFor(17, 'qwen3-32b', ...responses('qwen3-32b', { effort: 'none' }))).toEqual({
    enable_thinking: false,
  });
});

it.each([
  ['says nothing', {}, {}],
  ['asks for thinking', { thinking: { type: 'enabled', budget_tokens: 1024 } }, { reasoning_effort: 'low' }],
])('is not sent for a client that %s', async (_name, more, sent) => {
  expect(await sentFor(17, 'qwen3-32b', ...messages('qwen3-32b', more))).toEqual(sent);
});

it('leaves an effort out by name, since the model does not think', async () => {
  await relay.addChannel({ type: 26, models: 'glm-4.7' });
  const { key } = await relay.addToken();
  relay.upstream.script({}, chat({ text: 'Hello' }));
  const [path, body] = messages('glm-4.7', { ...off, output_config: { effort: 'high' } });
  const response = await relay.post(path, key, body);
  expect(response.headers.get('x-tollgate-dropped')).toContain('thinking');
  expect(relay.upstream.requests.at(-1)?.body).toMatchObject(off);
  expect(relay.upstream.requests.at(-1)?.body).not.toHaveProperty('reasoning_effort');
});

/** These models always think, or never think. They refuse or ignore the switch. */
it.each([
  [1, 'gpt-4o'],
  [4, 'gpt-oss:20b'],
  [17, 'qwen3-235b-a22b-thinking-2507'],
  [17, 'qwen-max'],
  [20, 'qwen/qwen3.8-max'],
  [25, 'kimi-k2-thinking'],
  [26, 'glm-4-flash'],
  [35, 'MiniMax-M2.5'],
  [40, 'Qwen/Qwen2.5-7B-Instruct'],
  [45, 'doubao-seed-1-6-thinking-250715'],
  [45, 'ep-20250101-abc'],
])('type %i, %s gets none', async (type, model) => {
  expect(await sentFor(type, model, ...messages(model, off))).toEqual({});
});
