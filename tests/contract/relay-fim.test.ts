/** Completions between a prompt and a suffix, as Mistral's SDK and editors ask for them. */
import { events, json } from '../support/upstream/replies.js';
import { type RelayHarness } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;
relaySuite((started) => (relay = started), { values: { SelfUseModeEnabled: true } });

const path = '/v1/fim/completions';
const model = 'codestral-latest';
/** As `client.fim.complete` of @mistralai/mistralai sends it. */
const body = {
  model,
  prompt: 'def add(a, b):',
  suffix: 'print(add(1, 2))',
  max_tokens: 40,
  stop: ['\n\n'],
  min_tokens: 1,
};
const usage = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 };
const named = { id: 'cmpl-1', created: 1, model };
const whole = {
  ...named,
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: ' return a + b' }, finish_reason: 'stop' }],
  usage,
};
const piece = (content: string, finish: string | null, more: object = {}) => ({
  ...named,
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta: { content }, finish_reason: finish }],
  ...more,
});
const eventsIn = (text: string): unknown[] =>
  [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data) as unknown);

it.each([
  ['prompt', ['def add(a, b):']],
  ['suffix', ['print(add(1, 2))']],
  ['prompt', 7],
])('refuses a %s that is %j', async (name, given) => {
  await relay.addChannel({ type: 42, models: model });
  const { key } = await relay.addToken();
  const response = await relay.post(path, key, { ...body, [name]: given });
  expect([response.status, JSON.stringify(await response.json())]).toEqual([400, expect.stringContaining(name)]);
  expect(relay.upstream.requests).toEqual([]);
});

describe('Mistral', () => {
  it('gets the call as it came, and its answer is charged as text', async () => {
    await relay.addChannel({ type: 42, models: model });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, json(whole));
    const response = await relay.post(path, key, body);
    expect([response.status, await response.json()]).toEqual([200, whole]);
    expect(relay.upstream.requests).toMatchObject([{ path, body }]);
    await relay.idle();
    expect(await relay.logs(userId)).toMatchObject([{ model_name: model, prompt_tokens: 12, completion_tokens: 5 }]);
  });

  it('streams, with the usage in its last chunk', async () => {
    await relay.addChannel({ type: 42, models: model });
    const { key, userId } = await relay.addToken();
    const chunks = [piece(' return', null), piece(' a + b', 'stop', { usage })];
    relay.upstream.script({}, events(chunks.map((chunk) => JSON.stringify(chunk))));
    const response = await relay.post(path, key, { ...body, stream: true });
    const text = await response.text();
    expect(eventsIn(text)).toEqual(chunks);
    expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
    // Mistral refuses fields that it does not know.
    expect(relay.upstream.requests[0]?.body).toEqual({ ...body, stream: true });
    await relay.idle();
    expect(await relay.logs(userId)).toMatchObject([{ prompt_tokens: 12, completion_tokens: 5 }]);
  });
});

describe.each([
  [1, '/v1/completions'],
  [43, '/beta/completions'],
  [40, '/v1/completions'],
  [60, '/v1/completions'],
])('a provider of legacy completions, type %i', (type, place) => {
  const completion = { ...named, object: 'text_completion' };

  it('is asked for a completion with a suffix, and answers as Mistral does', async () => {
    await relay.addChannel({ type, models: model });
    const { key } = await relay.addToken();
    const choice = { index: 0, text: ' return a + b', finish_reason: 'stop' };
    relay.upstream.script({}, json({ ...completion, choices: [choice], usage }));
    const response = await relay.post(path, key, body);
    expect([response.status, await response.json()]).toEqual([200, whole]);
    expect(relay.upstream.requests).toMatchObject([{ path: place, body }]);
  });

  it('streams as Mistral does', async () => {
    await relay.addChannel({ type, models: model });
    const { key, userId } = await relay.addToken();
    const chunk = (text: string, finish: string | null) =>
      JSON.stringify({ ...completion, choices: [{ index: 0, text, finish_reason: finish }] });
    const last = JSON.stringify({ ...completion, choices: [], usage });
    relay.upstream.script({}, events([chunk(' return', null), chunk(' a + b', 'stop'), last]));
    const response = await relay.post(path, key, { ...body, stream: true });
    expect(eventsIn(await response.text())).toEqual([
      piece(' return', null),
      piece(' a + b', 'stop'),
      expect.objectContaining({ choices: [], usage: expect.objectContaining(usage) as unknown }),
    ]);
    await relay.idle();
    expect(await relay.logs(userId)).toMatchObject([{ prompt_tokens: 12, completion_tokens: 5, is_stream: true }]);
  });
});

it('refuses a call without a prompt, and says which providers do not complete', async () => {
  await relay.addChannel({ type: 14, models: model });
  const { key } = await relay.addToken();
  const missing = await relay.post(path, key, { model, suffix: 'x' });
  expect([missing.status, await missing.text()]).toEqual([400, expect.stringContaining('prompt')]);
  const unsupported = await relay.post(path, key, body);
  expect([unsupported.status, await unsupported.json()]).toMatchObject([
    400,
    { error: { code: 'unsupported_by_channel' } },
  ]);
  expect(relay.upstream.requests).toEqual([]);
});
