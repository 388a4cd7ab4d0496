/** Tests the choice of a channel within a tier (docs/reference/relay/routing.md#order-inside-a-tier). */
import { setTimeout as sleep } from 'node:timers/promises';
import { chat, json } from '../support/upstream/replies.js';
import type { Reply } from '../support/upstream/upstream.js';
import { type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;
const values = { SelfUseModeEnabled: true };

relaySuite((started) => (relay = started), { values });

const body = { model: 'gpt-4o', messages: userMessage('hi') };
const down = json({ error: { message: 'down', type: 'server_error' } }, 500);
const fine: Reply = chat({ text: ['Hello'] });
const keys = (): Array<string | null> => relay.upstream.requests.map(({ key }) => key);
const after =
  (milliseconds: number): Reply =>
  async (response, request) => {
    await sleep(milliseconds);
    await fine(response, request);
  };

async function ask(key: string, given: object = body, headers: Record<string, string> = {}): Promise<number> {
  const response = await relay.chat(key, given, { headers });
  await response.text();
  return response.status;
}

describe('by cost', () => {
  beforeEach(() => relay.setOptions({ ...values, 'channel_order.default': 'cost' }));

  it('calls the cheapest channel, whatever the weights, and the next one when that fails', async () => {
    await relay.addChannel({ key: 'sk-list', weight: 1000 });
    await relay.addChannel({ key: 'sk-cheap', cost: { factor: 0.3 } });
    await relay.addChannel({ key: 'sk-middle', cost: { factor: 0.6 } });
    const { key } = await relay.addToken();
    for (let call = 0; call < 10; call++) expect(await ask(key)).toBe(200);
    expect(keys()).toEqual(Array(10).fill('sk-cheap'));
    relay.upstream.script({ key: 'sk-cheap' }, down);
    relay.setOptions({ ...values, 'channel_order.default': 'cost', RetryTimes: 1 });
    expect(await ask(key)).toBe(200);
    expect(keys().slice(10)).toEqual(['sk-cheap', 'sk-middle']);
  });

  it('shares calls by weight among channels of the same cost', async () => {
    await relay.addChannel({ key: 'sk-a', cost: { factor: 0.3 } });
    await relay.addChannel({ key: 'sk-b', cost: { factor: 0.3 } });
    await relay.addChannel({ key: 'sk-list' });
    const { key } = await relay.addToken();
    for (let call = 0; call < 40; call++) await ask(key);
    expect(new Set(keys())).toEqual(new Set(['sk-a', 'sk-b']));
  });

  it('leaves priorities first, and sessions where they are', async () => {
    await relay.addChannel({ key: 'sk-high', priority: 9 });
    await relay.addChannel({ key: 'sk-cheap', cost: { factor: 0.3 } });
    const { key } = await relay.addToken();
    const session = { 'x-session-affinity': 's1' };
    expect(await ask(key, body, session)).toBe(200);
    expect(keys()).toEqual(['sk-high']);
    await relay.addChannel({ key: 'sk-high-cheap', priority: 9, cost: { factor: 0.3 } });
    expect(await ask(key, body, session)).toBe(200);
    expect(await ask(key, body, { 'x-session-affinity': 's2' })).toBe(200);
    expect(keys()).toEqual(['sk-high', 'sk-high', 'sk-high-cheap']);
  });

  it('holds for the group or the model that it is set for', async () => {
    relay.setOptions({
      ...values,
      'channel_order.by_group': { default: 'cost' },
      'channel_order.by_model': { 'gpt-4o-*': 'weight' },
    });
    await relay.addChannel({ key: 'sk-list', weight: 1000 });
    await relay.addChannel({ key: 'sk-cheap', cost: { factor: 0.3 } });
    const { key } = await relay.addToken();
    for (let call = 0; call < 10; call++) await ask(key);
    expect(new Set(keys())).toEqual(new Set(['sk-cheap']));
    relay.upstream.reset();
    for (let call = 0; call < 10; call++) await ask(key, { ...body, model: 'gpt-4o-mini' });
    expect(keys()).toContain('sk-list');
  });
});

describe('by time to the first token', () => {
  beforeEach(() => relay.setOptions({ ...values, 'channel_order.default': 'first_token' }));

  it.each([true, false])('tries out every channel, then calls the fastest (stream: %s)', async (stream) => {
    await relay.addChannel({ key: 'sk-slow', weight: 1000 });
    await relay.addChannel({ key: 'sk-fast' });
    relay.upstream.script({ key: 'sk-slow' }, after(150));
    relay.upstream.script({ key: 'sk-fast' }, after(1));
    const { key } = await relay.addToken();
    for (let call = 0; call < 12; call++) expect(await ask(key, { ...body, stream })).toBe(200);
    // The first call of each channel measures it.
    expect(keys().slice(0, 2).sort()).toEqual(['sk-fast', 'sk-slow']);
    expect(keys().slice(2)).toEqual(Array(10).fill('sk-fast'));
  });
});
