/** Google's Interactions, with its own SDK and with requests that the SDK would not send. */
import { GoogleGenAI } from '@google/genai';
import { json } from '../support/upstream/replies.js';
import {
  interactionsProvider,
  plainSteps,
  plainUsage,
  type InteractionsProvider,
} from '../support/upstream/interactions.js';
import type { OptionValues } from '../../server/src/options/option-registry.js';
import type { RelayHarness } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

type Json = Record<string, unknown>;

const model = 'gemini-2.5-flash';
const path = '/v1beta/interactions';
const prices = { input: 1, cachedInput: 0.1, output: 10, groundedPrompt: 0.035 };
const values = { PriceCards: { [model]: { prices } }, RetryTimes: 1 };

let relay: RelayHarness;
let provider: InteractionsProvider;
relaySuite((started) => (relay = started), { values });
beforeEach(() => {
  provider = interactionsProvider();
  relay.upstream.script({}, provider.reply);
});

type Key = Awaited<ReturnType<RelayHarness['addToken']>>;
const at = ({ key }: Key) =>
  new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: relay.url, retryOptions: { attempts: 1 } } }).interactions;
const addGemini = (key = 'google-1', more: object = {}) =>
  relay.addChannel({ type: 24, key, models: `${model},other`, ...more });
const ask = async (key: string, body: Json): Promise<[number, Json]> => {
  const response = await relay.post(path, key, { model, input: 'hi', ...body });
  return [response.status, (await response.json()) as Json];
};
const stored = (method: string, id: string, key: string): Promise<Response> =>
  fetch(`${relay.url}${path}/${id}`, { method, headers: { 'x-goog-api-key': key } });
/** 65 tokens of the prompt were not cached; thoughts are output, results of tools are input. */
const charge = (65 * 1 + 40 * 0.1 + 30 * 10) / 2;

it('passes an interaction through, and charges its usage', async () => {
  await addGemini();
  const token = await relay.addToken();
  const answer = await at(token).create({ model, input: 'hi', system_instruction: 'Be brief.' });
  expect(answer).toMatchObject({ status: 'completed', output_text: 'Hello there', usage: plainUsage });
  expect(relay.upstream.requests[0]).toMatchObject({
    path,
    body: { model, input: 'hi', system_instruction: 'Be brief.' },
    headers: { 'x-goog-api-key': 'google-1' },
  });
  expect(await relay.logsOf(token.userId, 1)).toMatchObject([
    { prompt_tokens: 105, completion_tokens: 30, quota: Math.round(charge), model_name: model },
  ]);
});

it.each(['steps', 'outputs'] as const)('passes a stream through, and charges it: %s', async (form) => {
  provider.form = form;
  if (form === 'outputs') provider.steps = [{ type: 'text', content: [{ type: 'text', text: 'Hello there' }] }];
  await addGemini();
  const token = await relay.addToken();
  const response = await relay.post(path, token.key, { model, input: 'hi', stream: true });
  const text = await response.text();
  const [first, last] = form === 'steps' ? ['created', 'completed'] : ['start', 'complete'];
  expect(text).toContain(`event: interaction.${first}\n`);
  expect(text).toMatch(new RegExp(`event: interaction\\.${last}\\n[^]*event: done\\ndata: \\[DONE\\]\\n\\n$`));
  expect(text).toContain('"text":"Hello there"');
  expect(await relay.logsOf(token.userId, 1)).toMatchObject([
    { prompt_tokens: 105, completion_tokens: 30, quota: Math.round(charge), is_stream: true },
  ]);
});

it('streams to the SDK', async () => {
  await addGemini();
  const seen: string[] = [];
  for await (const event of await at(await relay.addToken()).create({ model, input: 'hi', stream: true })) {
    seen.push(event.event_type);
  }
  expect(seen[0]).toBe('interaction.created');
  expect(seen.at(-1)).toBe('interaction.completed');
});

it('continues at the account that has the interaction, for its key alone', async () => {
  for (const key of ['google-1,google-2', 'google-3', 'google-4']) await addGemini(key);
  const [ann, bob] = [await relay.addToken(), await relay.addToken()];
  const other = await relay.addToken({ userId: ann.userId });
  let { id } = await at(ann).create({ model, input: 'hi' });
  const first = id;
  for (let turn = 0; turn < 4; turn++) {
    ({ id } = await at(ann).create({ model, input: 'and?', previous_interaction_id: id }));
  }
  expect(new Set(relay.upstream.requests.map(({ headers }) => headers['x-goog-api-key'])).size).toBe(1);
  const before = relay.upstream.requests.length;
  for (const { key } of [bob, other]) {
    expect(await ask(key, { previous_interaction_id: first })).toMatchObject([404, { error: { status: 'NOT_FOUND' } }]);
    for (const [method, of] of [
      ['GET', first],
      ['DELETE', first],
      ['POST', `${first}/cancel`],
    ] as const)
      expect((await stored(method, of, key)).status).toBe(404);
  }
  expect(await ask(ann.key, { previous_interaction_id: 'v1_guess' })).toMatchObject([404, {}]);
  expect(relay.upstream.requests).toHaveLength(before);
});

it('reads, cancels and deletes what is stored, also what a stream made', async () => {
  await addGemini('google-1,google-2');
  const ann = await relay.addToken();
  const ids: string[] = [(await at(ann).create({ model, input: 'hi' })).id];
  for await (const event of await at(ann).create({ model, input: 'hi', stream: true })) {
    if (event.event_type === 'interaction.created') ids.push(event.interaction.id);
  }
  for (const id of ids) {
    expect(await at(ann).get(id, { include_input: true })).toMatchObject({ id, status: 'completed', input: 'shown' });
    expect((await stored('POST', `${id}/cancel`, ann.key)).status).toBe(400);
    expect((await stored('GET', `${id}?stream=true`, ann.key)).status).toBe(400);
    await at(ann).delete(id);
    expect((await stored('GET', id, ann.key)).status).toBe(404);
    expect(await ask(ann.key, { previous_interaction_id: id })).toMatchObject([404, {}]);
  }
  expect(provider.stored.size).toBe(0);
});

it('an interaction that is not stored has no id', async () => {
  await addGemini();
  const ann = await relay.addToken();
  const [status, answer] = await ask(ann.key, { store: false });
  expect([status, answer['id']]).toEqual([200, undefined]);
});

it.each([
  ['background', { background: true }],
  ['agent', { agent: 'deep-research', model: undefined }],
  ['environment', { environment: 'env-1' }],
  ['webhook_config', { webhook_config: { uris: ['https://x.example'] } }],
  ['generation_config.video_config', { generation_config: { video_config: {} } }],
  ['video', { response_modalities: ['video'] }],
  ['video', { response_format: [{ type: 'video' }] }],
  ['generationConfig', { generationConfig: { maxOutputTokens: 5 } }],
  ['generation_config.maxOutputTokens', { generation_config: { maxOutputTokens: 5 } }],
  ['previousInteractionId', { previousInteractionId: 'v1_x' }],
  ['max_output_tokens of generation_config', { max_output_tokens: 5 }],
  ['input', { input: '' }],
  ['stream', { stream: 'true' }],
  ['service_tier', { service_tier: 'deferred' }],
  ['retrieval', { tools: [{ type: 'retrieval' }] }],
])('refuses %s by name', async (name, body) => {
  await addGemini();
  const { key } = await relay.addToken();
  expect(await ask(key, body)).toEqual([
    400,
    { error: expect.objectContaining({ message: expect.stringContaining(name) }) },
  ]);
  expect(relay.upstream.requests).toEqual([]);
});

it('runs tools of Google at their price, and charges the searches that ran', async () => {
  await addGemini();
  const token = await relay.addToken();
  const tools = [
    { type: 'google_search' },
    { type: 'code_execution' },
    { type: 'url_context' },
    { type: 'file_search' },
    { type: 'mcp_server', url: 'https://x.example' },
    { type: 'function', name: 'f', parameters: {} },
  ];
  const found = [{ type: 'google_search_call', id: 'c', arguments: { queries: ['a', 'b'] } }, ...plainSteps];
  const searched = Math.round(charge + 0.035 * 500_000);
  provider.steps = found;
  for (const stream of [false, true]) {
    const response = await relay.post(path, token.key, { model, input: 'hi', tools, stream });
    expect([response.status, (await response.text()).includes('Hello there')]).toEqual([200, true]);
  }
  provider.steps = plainSteps;
  provider.usage = { ...plainUsage, grounding_tool_count: [{ type: 'google_search', count: 3 }] };
  await ask(token.key, { tools });
  const rows = await relay.logsOf(token.userId, 3);
  // Parts of a unit are carried from row to row.
  for (const { quota } of rows) expect(Math.abs(quota - searched)).toBeLessThanOrEqual(1);
  expect(rows).toHaveLength(3);
});

it('limits the output to what the balance pays for', async () => {
  await addGemini();
  const token = await relay.addToken({ userId: await relay.addUser({ quota: 2000 }) });
  provider.usage = { total_input_tokens: 3, total_output_tokens: 10, total_tokens: 13 };
  const [status] = await ask(token.key, { generation_config: { max_output_tokens: 60_000, thinking_level: 'low' } });
  const config = relay.upstream.requests[0]?.body?.['generation_config'] as Json;
  expect([status, config['thinking_level']]).toEqual([200, 'low']);
  expect(config['max_output_tokens']).toBeLessThan(400);
});

it('counts here what Google does not report, in both forms', async () => {
  provider.usage = null;
  await addGemini();
  const token = await relay.addToken();
  await ask(token.key, {});
  const streamed = await relay.post(path, token.key, { model, input: 'hi', stream: true });
  await streamed.text();
  const rows = await relay.logsOf(token.userId, 2);
  for (const row of rows) expect([row.prompt_tokens > 0, row.completion_tokens > 3]).toEqual([true, true]);
  expect(rows[0]?.completion_tokens).toBe(rows[1]?.completion_tokens);
});

it('reports an error inside a stream as Google does, and a broken stream is charged', async () => {
  await addGemini();
  const token = await relay.addToken();
  provider.errorInside = 'overloaded';
  const failed = await (await relay.post(path, token.key, { model, input: 'hi', stream: true })).text();
  expect(failed).toMatch(/event: error\ndata: \{"event_type":"error","error":\{[^\n]*overloaded/);
  provider.errorInside = null;
  provider.form = 'broken';
  const broken = await (await relay.post(path, token.key, { model, input: 'hi', stream: true })).text();
  expect(broken).toContain('event: error\n');
});

it('tries another channel when an interaction failed without usage', async () => {
  await addGemini('google-1', { priority: 10 });
  await addGemini('google-2');
  const failed = { id: 'v1_failed', status: 'failed', errors: [{ message: 'broken' }] };
  relay.upstream.script({}, json(failed), provider.reply);
  const { key } = await relay.addToken();
  expect(await ask(key, {})).toMatchObject([200, { status: 'completed' }]);
});

it('sends the name that the channel maps the model to, and the revision that the client wants', async () => {
  await addGemini('google-1', { mapping: JSON.stringify({ [model]: 'gemini-tuned' }) });
  const { key } = await relay.addToken();
  const response = await fetch(`${relay.url}${path}`, {
    method: 'POST',
    headers: { 'x-goog-api-key': key, 'content-type': 'application/json', 'api-revision': '2026-05-20' },
    body: JSON.stringify({ model: `models/${model}`, input: 'hi' }),
  });
  expect(response.status).toBe(200);
  expect(relay.upstream.requests[0]).toMatchObject({
    body: { model: 'gemini-tuned' },
    headers: { 'api-revision': '2026-05-20' },
  });
});

it.each([1, 14, 41, 43])('is refused with the reason at channels of type %i', async (type) => {
  await relay.addChannel({ type, models: model });
  const { key } = await relay.addToken();
  const [status, answer] = await ask(key, {});
  expect([status, JSON.stringify(answer)]).toEqual([400, expect.stringContaining('does not offer interactions')]);
  expect(relay.upstream.requests).toEqual([]);
});

it('goes to the channel of Google among others', async () => {
  await relay.addChannel({ type: 1, models: model, priority: 10 });
  await addGemini();
  const { key } = await relay.addToken();
  expect(await ask(key, {})).toMatchObject([200, { status: 'completed' }]);
});

it('guardrails check the input, the output and what Google stores', async () => {
  const rule = { name: 'personal', stage: 'both', action: 'mask', check: 'patterns', patterns: ['email'] };
  relay.setOptions({ ...values, 'guardrails.rules': [rule as OptionValues['guardrails.rules'][number]] });
  provider.steps = [{ type: 'model_output', content: [{ type: 'text', text: 'Write to ann@x.example' }] }];
  await addGemini();
  const ann = await relay.addToken();
  const answer = await at(ann).create({ model, input: 'I am bob@x.example' });
  expect(JSON.stringify(relay.upstream.requests[0]?.body)).not.toContain('bob@');
  expect([answer.output_text, answer.status]).toEqual([expect.not.stringContaining('ann@'), 'completed']);
  expect(await (await stored('GET', answer.id, ann.key)).text()).not.toContain('ann@');
  const streamed = await (await relay.post(path, ann.key, { model, input: 'hi', stream: true })).text();
  expect(streamed).toContain('event: interaction.completed');
  expect(streamed).toContain('"text":"Write to ');
  expect(streamed).not.toContain('ann@');
});
