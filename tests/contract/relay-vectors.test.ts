import { explainCharge } from '../../server/src/billing/prices/explain-charge.js';
import { chat, json, type ReportedUsage } from '../support/upstream/replies.js';
import type { Reply } from '../support/upstream/upstream.js';
import { type RelayHarness, userMessage, type LogRow } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

/** The worked examples of docs/reference/relay/billing.md#worked-examples and
docs/reference/relay/token-counting.md#worked-examples, each as a real, charged call. */
let relay: RelayHarness;

relaySuite((started) => (relay = started));
afterEach(async () => {
  expect(await relay.replayedDifferently()).toEqual([]);
});

/** Expects that the row contains everything that explains its charge. */
function expectExplained(row: LogRow | undefined): void {
  if (!row) throw new Error('there is no row');
  const { quota, prompt_tokens: promptTokens, completion_tokens: completionTokens, other } = row;
  expect(explainCharge({ quota, promptTokens, completionTokens, other }).quota).toBe(quota);
}

const reports = (prompt: number, completion: number, more: object = {}): ReportedUsage => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  ...more,
});
const cached = (tokens: number): object => ({ prompt_tokens_details: { cached_tokens: tokens } });

describe.each([false, true])('a chat call, streamed: %s', (stream) => {
  it.each([
    ['B1', 'gpt-4o', 1, reports(1000, 500), 3750],
    ['B2', 'gpt-4o', 0.8, reports(1000, 500, cached(400)), 2800],
    ['B3', 'gpt-4o-mini', 1, reports(3, 1), 1],
    ['B4', 'gpt-4o-mini', 1, reports(1, 1), 0],
    ['B5', 'gpt-3.5-turbo', 1, reports(2, 0), 1],
    ['B6', 'gpt-4', 1, reports(100, 50), 3000],
    ['B7', 'deepseek-chat', 1, reports(2000, 300, cached(1500)), 280],
    ['B8', 'glm-4-flash', 1, reports(100, 50), 0],
    ['B10', 'gpt-4-gizmo-abc', 0.7, reports(5, 5), 35_000],
    ['B12', 'gemini-2.5-flash-preview-04-17', 1, reports(1000, 200), 162],
    [
      'B20',
      'gpt-4o-audio-preview-2024-10-01',
      1,
      reports(300, 350, {
        prompt_tokens_details: { audio_tokens: 200 },
        completion_tokens_details: { audio_tokens: 300 },
      }),
      40_375,
    ],
  ])('%s', async (_name, model, groupRatio, usage, quota) => {
    relay.setOptions({ GroupRatio: { default: groupRatio } });
    await relay.addChannel({ models: model.startsWith('gpt-4-gizmo') ? 'gpt-4-gizmo-*' : model });
    const { key, userId } = await relay.addToken({ quota: 500_000 });
    relay.upstream.script({}, chat({ text: 'ok', usage }));
    const response = await relay.chat(key, { model, messages: userMessage('hi'), stream });
    expect(response.status).toBe(200);
    await response.text();
    const [row] = await relay.logsOf(userId, 1);
    expect(row?.quota).toBe(quota);
    expectExplained(row);
    expect((await relay.balance(userId)).quota).toBe(1_000_000 - quota);
  });
});

it('B9: an answer that used nothing is free, and what was held goes back', async () => {
  await relay.addChannel();
  const { key, userId } = await relay.addToken({ quota: 5000 });
  relay.upstream.script({}, chat({ text: '', usage: reports(0, 0) }));
  await (await relay.chat(key, { model: 'gpt-4o', messages: userMessage('hi') })).text();
  const [row] = await relay.logs(userId);
  expect(row).toMatchObject({ quota: 0, content: expect.stringContaining('(possibly upstream timeout)') as unknown });
  expectExplained(row);
  expect(await relay.balance(userId)).toEqual({ quota: 1_000_000, used: 0, requests: 0 });
});

describe('B23: what is held', () => {
  it.each([
    ['gpt-4o', 1, { max_tokens: 800 }, null],
    ['gpt-4o', 1, {}, 625],
    ['gpt-4', 0.8, {}, 6000],
  ])('for %s', async (model, groupRatio, more, amount) => {
    relay.setOptions({ GroupRatio: { default: groupRatio }, StrictReserve: false });
    await relay.addChannel({ models: model });
    const { key } = await relay.addToken();
    const held: number[] = [];
    const looks: Reply = async (response, request) => {
      const rows = await relay.sql<{ amount: string }>('SELECT amount FROM reservations');
      held.push(...rows.map((row) => Number(row.amount)));
      await chat({ text: 'ok' })(response, request);
    };
    relay.upstream.script({}, looks);
    const body = JSON.stringify({ model, messages: userMessage('hi'), ...more });
    await (await relay.chat(key, body)).text();
    // With an output limit the prompt counts too, at three bytes per token.
    expect(held).toEqual([amount ?? Math.trunc((Math.ceil(body.length / 3) + 800) * 1.25)]);
  });
});

describe('B27 and B28: true-up', () => {
  it.each([
    ['B27', reports(1000, 500), 3750],
    ['B28', reports(400, 100), 1000],
  ])('%s', async (_name, usage, quota) => {
    await relay.addChannel();
    const { key, userId, id } = await relay.addToken({ quota: 500_000 });
    relay.upstream.script({}, chat({ text: 'ok', usage }));
    await (await relay.chat(key, { model: 'gpt-4o', messages: userMessage('hi'), max_tokens: 1980 })).text();
    expect(await relay.balance(userId)).toEqual({ quota: 1_000_000 - quota, used: quota, requests: 1 });
    const [token] = await relay.sql<{ remain_quota: string; used_quota: string }>(
      'SELECT remain_quota, used_quota FROM tokens WHERE id = $1',
      [id],
    );
    expect(token).toEqual({ remain_quota: String(500_000 - quota), used_quota: String(quota) });
  });
});

describe('tokens counted here', () => {
  const count = async (path: string, model: string, body: object, reply: Reply): Promise<number | undefined> => {
    await relay.addChannel({ models: model, type: path === '/v1/responses' ? 25 : 1 });
    relay.setOptions({ SelfUseModeEnabled: true });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, reply);
    await (await relay.post(path, key, { model, ...body })).text();
    const [row] = await relay.logsOf(userId, 1);
    expectExplained(row);
    expect(row?.other['counted_locally']).toBe(true);
    return row?.prompt_tokens;
  };
  const silent = chat({ text: 'x', usage: null });
  const capital = [
    { role: 'system', content: 'You are a helpful assistant.' },
    { role: 'user', content: 'What is the capital of France?' },
  ];
  const image = (url: string): object => ({
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
  });
  const chatPath = '/v1/chat/completions';

  it.each([
    ['T1', chatPath, 'gpt-4o', { messages: userMessage('hi') }, 8],
    ['T2, newer', chatPath, 'gpt-4o', { messages: capital }, 24],
    ['T2, older', chatPath, 'gpt-4', { messages: capital }, 24],
    ['T3', chatPath, 'gpt-4o', { messages: [{ role: 'user', name: 'alice', content: 'Hello, world!' }] }, 13],
    ['T5, newer', '/v1/completions', 'gpt-4o', { prompt: '\u4f60\u597d\uff0c\u4e16\u754c' }, 3],
    ['T5, older', '/v1/completions', 'gpt-4', { prompt: '\u4f60\u597d\uff0c\u4e16\u754c' }, 6],
    ['T6', '/v1/messages', 'claude-2.1', { max_tokens: 9, messages: userMessage('Hello, Claude') }, 6],
    ['T7', '/v1/responses', 'gpt-4o', { input: 'hello' }, 1],
  ])('%s', async (_name, path, model, body, tokens) => {
    const completion = json({ choices: [{ text: 'x', index: 0, finish_reason: 'stop' }] });
    expect(await count(path, model, body, path === '/v1/completions' ? completion : silent)).toBe(tokens);
  });

  it.each([
    ['T8: 100x100', 'gpt-4o', 100, 100, 255],
    ['T8: 512x512', 'gpt-4o', 512, 512, 255],
    ['T8: 1024x1024', 'gpt-4o', 1024, 1024, 765],
    ['T8: 768x768', 'gpt-4o', 768, 768, 765],
    ['T8: 769x769', 'gpt-4o', 769, 769, 765],
    ['T8: 1920x1080', 'gpt-4o', 1920, 1080, 1105],
    ['T8: 2048x4096', 'gpt-4o', 2048, 4096, 1105],
    // Images are first scaled down to fit into 2048 x 2048, as the provider does.
    ['T8: 4096x512', 'gpt-4o', 4096, 512, 765],
    ['T9: 1024x1024', 'gpt-4o-mini', 1024, 1024, 25_501],
    ['T9: 512x512', 'gpt-4o-mini', 512, 512, 8500],
  ])('%s of a picture', async (_name, model, width, height, tokens) => {
    const header = Buffer.alloc(33);
    Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').copy(header);
    header.writeUInt32BE(width, 16);
    header.writeUInt32BE(height, 20);
    const url = `data:image/png;base64,${header.toString('base64')}`;
    // 3 for the call, 3 for the message and 1 for its role.
    expect(await count(chatPath, model, image(url), silent)).toBe(tokens + 7);
  });
});
