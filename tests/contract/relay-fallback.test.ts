/** Calls that another group or another model serves (docs/reference/relay/routing.md#fallback). */
import { chat, events, json } from '../support/upstream/replies.js';
import { type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;
const dear = 'gpt-4o';
const cheap = 'gpt-4o-mini';
/** USD a call: 50,000 and 10,000 of quota. */
const values = {
  ModelPrice: { [dear]: 0.1, [cheap]: 0.02, 'gpt-4.1': 0.2, 'text-embedding-3-small': 0.02 },
  GroupRatio: { default: 1, vip: 2, pro: 3 },
  UserUsableGroups: { default: 'd', vip: 'v' },
};
const byModel = { ...values, 'fallback_models.by_model': { [dear]: [cheap] } };

relaySuite((started) => (relay = started), { values });

const body = { model: dear, messages: userMessage('hi') };
const down = json({ error: { message: 'down', type: 'server_error' } }, 500);
const asked = (): Array<string | null> => relay.upstream.requests.map(({ model }) => model);

async function ask(key: string, given: object = body, path = '/v1/chat/completions') {
  const response = await relay.post(path, key, given);
  const text = await response.text();
  return { status: response.status, text, model: response.headers.get('x-tollgate-model') };
}

// https://openrouter.ai/docs/features/model-routing, November 2026.
describe('the models that a client names itself', () => {
  it.each([
    ['chat', '/v1/chat/completions', body],
    ['a stream', '/v1/chat/completions', { ...body, stream: true }],
    ['Responses', '/v1/responses', { model: dear, input: 'hi' }],
    ['Messages', '/v1/messages', { ...body, max_tokens: 10 }],
  ])('are called in turn, priced and named: %s', async (_name, path, given) => {
    await relay.addChannel({ type: 43, models: `${dear},${cheap},gpt-4.1` });
    relay.setOptions({ ...values, 'fallback_models.by_model': { [dear]: ['gpt-4.1'] } });
    relay.upstream.script({ model: dear }, down);
    const { key, userId } = await relay.addToken();
    const answer = await ask(key, { ...given, models: [dear, cheap], route: 'fallback' }, path);
    expect(answer).toMatchObject({ status: 200, model: cheap });
    expect(asked()).toEqual([dear, cheap]);
    for (const { body: sent } of relay.upstream.requests) {
      expect(sent).not.toHaveProperty('models');
      expect(sent).not.toHaveProperty('route');
    }
    const [row] = await relay.logsOf(userId, 1);
    expect(row).toMatchObject({ quota: 10_000, model_name: cheap, other: { asked_model: dear } });
    expect(row?.other).not.toHaveProperty('dropped_parameters');
  });

  it('are those that the key may use', async () => {
    await relay.addChannel({ models: `${dear},${cheap},gpt-4.1` });
    relay.upstream.script({ model: dear }, down);
    const { key } = await relay.addToken({ modelLimits: `${dear},gpt-4.1` });
    expect(await ask(key, { ...body, models: [cheap, 'gpt-4.1'] })).toMatchObject({ status: 200, model: 'gpt-4.1' });
    expect(asked()).toEqual([dear, 'gpt-4.1']);
  });

  it('are not called while the first one serves', async () => {
    await relay.addChannel({ models: `${dear},${cheap}` });
    const { key } = await relay.addToken();
    expect(await ask(key, { ...body, models: [cheap] })).toMatchObject({ status: 200, model: null });
    expect(asked()).toEqual([dear]);
  });

  it.each<[name: string, more: object]>([
    ['another route', { models: [cheap], route: 'sort' }],
    ['another form', { models: [{ model: cheap }] }],
    ['no model', { models: [] }],
    ['more than ten', { models: Array(11).fill(cheap) }],
  ])('in any other form are removed and named: %s', async (_name, more) => {
    await relay.addChannel({ models: `${dear},${cheap}` });
    relay.upstream.script({ model: dear }, down);
    const { key } = await relay.addToken();
    expect((await ask(key, { ...body, ...more })).status).toBe(500);
    expect(asked()).toEqual([dear]);
  });
});

describe('a model that no channel can serve', () => {
  it('is replaced by the next one of its list, which is priced and named', async () => {
    const first = await relay.addChannel({ models: dear });
    const second = await relay.addChannel({ models: cheap });
    relay.setOptions(byModel);
    relay.upstream.script({ model: dear }, down);
    const { key, userId } = await relay.addToken();
    expect(await ask(key)).toMatchObject({ status: 200, model: cheap });
    expect(asked()).toEqual([dear, cheap]);
    const [row] = await relay.logsOf(userId, 1);
    expect(row).toMatchObject({ quota: 10_000, model_name: cheap, channel_id: second, group: 'default' });
    expect(row?.other).toMatchObject({
      asked_model: dear,
      model_price: 0.02,
      admin_info: { use_channel: [String(first), String(second)] },
    });
    expect(row?.other).not.toHaveProperty('asked_group');
    expect((await relay.balance(userId)).quota).toBe(1_000_000 - 10_000);
    expect(await relay.unexplained()).toEqual([]);
  });

  it('is replaced where it has no channel at all', async () => {
    await relay.addChannel({ models: cheap });
    relay.setOptions(byModel);
    const { key, userId } = await relay.addToken();
    expect(await ask(key)).toMatchObject({ status: 200, model: cheap });
    expect((await relay.logsOf(userId, 1))[0]).toMatchObject({ quota: 10_000, model_name: cheap });
  });

  it.each([
    ['chat', '/v1/chat/completions', { ...body, stream: true }],
    ['Messages', '/v1/messages', { ...body, max_tokens: 10 }],
    ['Responses', '/v1/responses', { model: dear, input: 'hi' }],
    ['Gemini', `/v1beta/models/${dear}:generateContent`, { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }],
  ])('is replaced in a call of %s', async (_name, path, given) => {
    await relay.addChannel({ type: 43, models: dear });
    await relay.addChannel({ type: 43, models: cheap });
    relay.setOptions(byModel);
    relay.upstream.script({ model: dear }, down);
    const { key } = await relay.addToken();
    expect(await ask(key, given, path)).toMatchObject({ status: 200, model: cheap });
    expect(asked()).toEqual([dear, cheap]);
  });

  it('is replaced by the list of the key, before those of the model and the group', async () => {
    await relay.addChannel({ models: `${dear},${cheap},gpt-4.1` });
    relay.setOptions({ ...byModel, 'fallback_models.by_group': { default: [cheap] } });
    relay.upstream.script({ model: dear }, down);
    const own = await relay.addToken({ fallbackModels: 'gpt-4.1' });
    expect(await ask(own.key)).toMatchObject({ status: 200, model: 'gpt-4.1' });
    const other = await relay.addToken();
    expect(await ask(other.key)).toMatchObject({ status: 200, model: cheap });
    relay.setOptions({ ...values, 'fallback_models.by_group': { default: ['gpt-4.1'] } });
    expect(await ask(other.key)).toMatchObject({ status: 200, model: 'gpt-4.1' });
    relay.setOptions({ ...values, 'fallback_models.by_model': { 'gpt-4*': ['gpt-4.1'], 'gpt-4o*': [cheap] } });
    expect(await ask(other.key)).toMatchObject({ status: 200, model: cheap });
  });

  it('is not replaced by one that the key may not use', async () => {
    await relay.addChannel({ models: `${dear},${cheap},gpt-4.1` });
    relay.setOptions({ ...values, 'fallback_models.by_model': { [dear]: [cheap, 'gpt-4.1'] } });
    relay.upstream.script({ model: dear }, down);
    const { key } = await relay.addToken({ modelLimits: `${dear},gpt-4.1` });
    expect(await ask(key)).toMatchObject({ status: 200, model: 'gpt-4.1' });
    const limited = await relay.addToken({ modelLimits: dear });
    const refused = await ask(limited.key);
    expect(refused).toMatchObject({ status: 500, model: null });
    expect(refused.text).toContain('down');
    expect(asked()).toEqual([dear, 'gpt-4.1', dear]);
  });

  it('is not replaced by one that has no price', async () => {
    await relay.addChannel({ models: `${dear},unpriced,${cheap}` });
    relay.setOptions({ ...values, 'fallback_models.by_model': { [dear]: ['unpriced', cheap] } });
    relay.upstream.script({ model: dear }, down);
    const { key } = await relay.addToken();
    expect(await ask(key)).toMatchObject({ status: 200, model: cheap });
    expect(asked()).toEqual([dear, cheap]);
  });

  it('is not replaced after a mistake of the client, nor once bytes reached the client', async () => {
    await relay.addChannel({ models: `${dear},${cheap}` });
    relay.setOptions(byModel);
    relay.upstream.script({ model: dear }, json({ error: { message: 'bad', type: 'invalid_request_error' } }, 400));
    const { key, userId } = await relay.addToken();
    expect(await ask(key)).toMatchObject({ status: 400, model: null });
    relay.upstream.script(
      { model: dear },
      events(['{"choices":[{"index":0,"delta":{"content":"Hel"}}]}'], { done: false }),
    );
    const broken = await ask(key, { ...body, stream: true });
    expect(broken).toMatchObject({ status: 200, model: null });
    expect(broken.text).toContain('error');
    expect(asked()).toEqual([dear, dear]);
    expect((await relay.logsOf(userId, 1)).map(({ model_name }) => model_name)).toEqual([dear]);
  });

  it('gives the failure of the model that was asked for when all fail, and charges nothing', async () => {
    await relay.addChannel({ models: `${dear},${cheap}` });
    relay.setOptions({ ...byModel, RetryTimes: 1 });
    relay.upstream.script({ model: dear }, down);
    relay.upstream.script({ model: cheap }, json({ error: { message: 'also down', type: 'server_error' } }, 503));
    const { key, userId } = await relay.addToken();
    const refused = await ask(key);
    expect(refused).toMatchObject({ status: 500, model: null });
    expect(refused.text).toContain('"message":"down');
    expect(asked()).toEqual([dear, dear, cheap, cheap]);
    expect((await relay.balance(userId)).quota).toBe(1_000_000);
  });

  it('is replaced for a call whose response is no text by the list of the model alone', async () => {
    const small = 'text-embedding-3-small';
    await relay.addChannel({ models: `${small},${cheap},embedding-copy` });
    relay.upstream.script({ model: small }, down);
    const { key } = await relay.addToken({ fallbackModels: cheap });
    const input = { model: small, input: 'hi' };
    expect(await ask(key, input, '/v1/embeddings')).toMatchObject({ status: 500 });
    relay.setOptions({
      ...values,
      ModelPrice: { ...values.ModelPrice, 'embedding-copy': 0.02 },
      'fallback_models.by_model': { [small]: ['embedding-copy'] },
    });
    expect(await ask(key, input, '/v1/embeddings')).toMatchObject({ status: 200, model: 'embedding-copy' });
    expect(asked()).toEqual([small, small, 'embedding-copy']);
  });
});

describe('the reservation of a replaced call', () => {
  const toDearer = { ...values, 'fallback_models.by_model': { [cheap]: [dear] } };

  it('is made again, for the price of the model that is called', async () => {
    await relay.addChannel({ models: `${dear},${cheap}` });
    relay.setOptions(toDearer);
    const reserved: number[] = [];
    const note = async (): Promise<void> => {
      const rows = await relay.sql<{ amount: string }>('SELECT amount FROM reservations');
      reserved.push(...rows.map(({ amount }) => Number(amount)));
    };
    relay.upstream.script({ model: cheap }, async (response, request) => {
      await note();
      await down(response, request);
    });
    relay.upstream.script({ model: dear }, async (response, request) => {
      await note();
      await json({ choices: [{ message: { content: 'ok' } }], usage: { prompt_tokens: 1 } })(response, request);
    });
    const { key, userId } = await relay.addToken();
    expect((await ask(key, { ...body, model: cheap })).status).toBe(200);
    expect(reserved).toEqual([10_000, 50_000]);
    expect((await relay.balance(userId)).quota).toBe(1_000_000 - 50_000);
  });

  it('is not made where the balance has not enough: the client gets the failure of the first model', async () => {
    await relay.addChannel({ models: `${dear},${cheap}` });
    relay.setOptions(toDearer);
    relay.upstream.script({ model: cheap }, down);
    const { key, userId } = await relay.addToken({ userId: await relay.addUser({ quota: 49_999 }) });
    const refused = await ask(key, { ...body, model: cheap });
    expect(refused).toMatchObject({ status: 500, model: null });
    expect(refused.text).toContain('down');
    expect(asked()).toEqual([cheap]);
    expect((await relay.balance(userId)).quota).toBe(49_999);
  });

  it('keeps the balance of 60 parallel callers from falling below zero', async () => {
    await relay.addChannel({ models: `${dear},${cheap}` });
    relay.setOptions(toDearer);
    relay.upstream.script({ model: cheap }, down);
    const { key, userId } = await relay.addToken({ userId: await relay.addUser({ quota: 610_000 }) });
    const replies = await Promise.all(Array.from({ length: 60 }, () => ask(key, { ...body, model: cheap })));
    const served = replies.filter(({ status }) => status === 200).length;
    expect(served).toBeGreaterThan(0);
    await relay.idle();
    expect((await relay.balance(userId)).quota).toBe(610_000 - served * 50_000);
    expect(610_000 - served * 50_000).toBeGreaterThanOrEqual(0);
  });
});

describe('a key with several groups', () => {
  it('is served by the next one, which sets the price', async () => {
    const own = await relay.addChannel({ group: 'default', key: 'sk-own' });
    const other = await relay.addChannel({ group: 'vip', key: 'sk-vip' });
    relay.upstream.script({ key: 'sk-own' }, down);
    const { key, userId } = await relay.addToken({ fallbackGroups: 'vip' });
    expect(await ask(key)).toMatchObject({ status: 200, model: null });
    const [row] = await relay.logsOf(userId, 1);
    expect(row).toMatchObject({ quota: 100_000, group: 'vip', channel_id: other, model_name: dear });
    expect(row?.other).toMatchObject({
      asked_group: 'default',
      group: 'vip',
      group_ratio: 2,
      admin_info: { use_channel: [String(own), String(other)] },
    });
    expect(row?.other).not.toHaveProperty('asked_model');
    expect(await relay.unexplained()).toEqual([]);
  });

  it('is served by the first one that has a channel for the model', async () => {
    await relay.addChannel({ group: 'vip' });
    const { key, userId } = await relay.addToken({ fallbackGroups: 'vip' });
    expect((await ask(key)).status).toBe(200);
    expect((await relay.logsOf(userId, 1))[0]).toMatchObject({ quota: 100_000, group: 'vip' });
  });

  it('tries the model in every group before another model', async () => {
    for (const group of ['default', 'vip']) await relay.addChannel({ group, key: `sk-${group}` });
    relay.setOptions(byModel);
    relay.upstream.script({ model: dear }, down);
    const { key, userId } = await relay.addToken({ fallbackGroups: 'vip' });
    expect(await ask(key)).toMatchObject({ status: 200, model: cheap });
    expect(relay.upstream.requests.map((each) => [each.model, each.key])).toEqual([
      [dear, 'sk-default'],
      [dear, 'sk-vip'],
      [cheap, 'sk-default'],
    ]);
    expect((await relay.logsOf(userId, 1))[0]).toMatchObject({ quota: 10_000, group: 'default', model_name: cheap });
  });

  it('is not served by a group that its owner may not use', async () => {
    await relay.addChannel({ group: 'default', key: 'sk-own' });
    await relay.addChannel({ group: 'pro', key: 'sk-pro' });
    relay.upstream.script({ key: 'sk-own' }, down);
    const { key } = await relay.addToken({ fallbackGroups: 'pro,gone' });
    expect((await ask(key)).status).toBe(500);
    expect(relay.upstream.requests.map((each) => each.key)).toEqual(['sk-own']);
  });

  it('gets the soonest Retry-After when the channels of all groups are in cooldown', async () => {
    await relay.addChannel({ group: 'default', key: 'sk-own' });
    await relay.addChannel({ group: 'vip', key: 'sk-vip' });
    const limited = (seconds: number) =>
      json({ error: { message: 'slow down' } }, 429, { 'retry-after': `${seconds}` });
    relay.upstream.script({ key: 'sk-own' }, limited(60));
    relay.upstream.script({ key: 'sk-vip' }, limited(20));
    const { key } = await relay.addToken({ fallbackGroups: 'vip' });
    expect((await ask(key)).status).toBe(429);
    const response = await relay.chat(key, body);
    await response.text();
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(response.headers.get('retry-after'))).toBeLessThanOrEqual(20);
    expect(relay.upstream.requests).toHaveLength(2);
    relay.endCooldowns();
  });

  it('lists the models of all of them', async () => {
    await relay.addChannel({ group: 'default', models: dear });
    await relay.addChannel({ group: 'vip', models: `${dear},${cheap}` });
    const { key } = await relay.addToken({ fallbackGroups: 'vip' });
    const response = await fetch(`${relay.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    const list = (await response.json()) as { data: Array<{ id: string }> };
    expect(list.data.map(({ id }) => id)).toEqual([dear, cheap]);
  });
});

describe('the guardrails of a fallback group', () => {
  const words = { check: 'words' as const, words: ['pineapple'] };
  const rule = { ...words, name: 'no-fruit', stage: 'input' as const, groups: ['vip'] };
  const said = { ...body, messages: userMessage('a pineapple and a melon') };
  const sent = () => relay.upstream.requests.map(({ key, body: given }) => [key, JSON.stringify(given?.['messages'])]);

  beforeEach(async () => {
    await relay.addChannel({ group: 'default', key: 'sk-default' });
    await relay.addChannel({ group: 'vip', key: 'sk-vip' });
    relay.upstream.script({ key: 'sk-default' }, down);
  });

  it('block a call that the group before it let pass', async () => {
    relay.setOptions({ ...values, 'guardrails.rules': [{ ...rule, action: 'block' }] });
    const { key, userId } = await relay.addToken({ fallbackGroups: 'vip' });
    const refused = await ask(key, said);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('guardrail_blocked')]);
    expect(relay.upstream.requests.map((each) => each.key)).toEqual(['sk-default']);
    expect((await relay.balance(userId)).quota).toBe(1_000_000);
  });

  it('mask its body, besides those of the group before it, and each is noted once', async () => {
    const own = { ...rule, name: 'no-melon', words: ['melon'], groups: ['default'] };
    const ofBoth = { ...rule, name: 'both', words: ['removed'], groups: undefined };
    relay.setOptions({
      ...values,
      'guardrails.rules': [
        { ...own, action: 'mask' },
        { ...rule, action: 'mask' },
        { ...ofBoth, action: 'log' },
      ],
    });
    const { key, userId } = await relay.addToken({ fallbackGroups: 'vip' });
    expect((await ask(key, said)).status).toBe(200);
    expect(sent()).toEqual([
      ['sk-default', JSON.stringify(userMessage('a pineapple and a [removed]'))],
      ['sk-vip', JSON.stringify(userMessage('a [removed] and a [removed]'))],
    ]);
    const [row] = await relay.logsOf(userId, 1);
    expect(row?.other['admin_info']).toMatchObject({
      guardrails: [
        { rule: 'no-melon', stage: 'input', action: 'mask', matched: ['melon'] },
        { rule: 'both', stage: 'input', action: 'log', matched: ['removed'] },
        { rule: 'no-fruit', stage: 'input', action: 'mask', matched: ['pineapple'] },
      ],
    });
  });

  it.each([false, true])('mask its output, as those of the group before it do (stream: %s)', async (stream) => {
    relay.setOptions({
      ...values,
      'guardrails.rules': [
        { ...rule, stage: 'output', action: 'mask' },
        { ...rule, name: 'no-melon', words: ['melon'], groups: ['default'], stage: 'output', action: 'mask' },
      ],
    });
    relay.upstream.script({ key: 'sk-vip' }, chat({ text: ['a pine', 'apple and ', 'a melon'] }));
    const { key } = await relay.addToken({ fallbackGroups: 'vip' });
    const answer = await ask(key, { ...body, stream });
    expect(answer.status).toBe(200);
    expect(answer.text).not.toMatch(/apple|melon/);
    expect(answer.text.match(/\[removed\]/g)).toHaveLength(2);
  });
});

it('a call that names its channel is served by no other', async () => {
  const pinned = await relay.addChannel({ key: 'sk-one' });
  await relay.addChannel({ group: 'vip', key: 'sk-vip' });
  relay.setOptions(byModel);
  relay.upstream.script({ key: 'sk-one' }, down);
  const { key } = await relay.addToken({ userId: await relay.addUser({ role: 'root' }), fallbackGroups: 'vip' });
  expect((await ask(`${key}-${pinned}`)).status).toBe(500);
  expect(relay.upstream.requests).toHaveLength(1);
});
