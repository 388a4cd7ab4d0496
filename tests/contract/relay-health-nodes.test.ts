import { createSharedState } from '../../server/src/platform/cache/create-shared-state.js';
import type { SharedState } from '../../server/src/platform/cache/shared-state.js';
import { startRedis } from '../support/services/redis.js';
import { json } from '../support/upstream/replies.js';
import { RelayHarness, userMessage } from './relay-harness.js';

/** Two nodes share one database, with and without a common Redis (docs/reference/relay/health.md#nodes). */
let redis: Awaited<ReturnType<typeof startRedis>>;
let states: SharedState[];
let one: RelayHarness;
let two: RelayHarness;

const observer = { logger: { info: () => undefined, warn: () => undefined }, degraded: { set: () => undefined } };
const stateOf = async (url: string): Promise<SharedState> => {
  const state = await createSharedState({ kind: 'single', url }, observer);
  states.push(state);
  return state;
};

beforeAll(async () => {
  redis = await startRedis();
  states = [];
  one = await RelayHarness.start({ state: await stateOf(redis.url) });
  two = await RelayHarness.start({ state: await stateOf(redis.url), beside: one });
  for (const node of [one, two]) node.setOptions({ SelfUseModeEnabled: true });
});
afterAll(async () => {
  await two.stop();
  await one.stop();
  await Promise.all(states.map((state) => state.close()));
});

const limited = (seconds: string) =>
  json({ error: { message: 'slow', type: 'requests' } }, 429, { 'retry-after': seconds });
const ask = async (node: RelayHarness, key: string): Promise<number> => {
  const response = await node.chat(key, { model: 'gpt-4o', messages: userMessage('hi') });
  await response.text();
  return response.status;
};

/** Waits for a condition. */
async function until(met: () => boolean): Promise<void> {
  while (!met()) await new Promise((resolve) => setTimeout(resolve, 5));
}

it('another node knows at once, a new one from Redis, and Clear reaches both', async () => {
  const id = await one.addChannel();
  await two.changed({ kind: 'channel', id });
  const { key } = await one.addToken();
  one.upstream.script({}, limited('60'));
  expect(await ask(one, key)).toBe(429);
  await until(() => two.health.cooldowns.length === 1);
  expect(await ask(two, key)).toBe(429);
  expect(one.upstream.requests).toHaveLength(1);

  // The third node starts after the cooldown began.
  const three = await RelayHarness.start({ state: await stateOf(redis.url), beside: one });
  try {
    expect(three.health.cooldowns).toEqual(one.health.cooldowns);
  } finally {
    await three.stop();
  }

  two.endCooldowns();
  await until(() => one.health.quiet);
  one.upstream.reset();
  expect([await ask(one, key), await ask(two, key)]).toEqual([200, 200]);
});

it('decides the same while Redis is unavailable', async () => {
  await one.clearChannels();
  const id = await one.addChannel();
  await two.changed({ kind: 'channel' });
  const { key } = await one.addToken();
  one.upstream.script({}, limited('60'));
  expect(await ask(one, key)).toBe(429);
  await until(() => two.health.of(id).length === 1);
  await redis.stop();
  const before = one.upstream.requests.length;
  expect([await ask(one, key), await ask(two, key)]).toEqual([429, 429]);
  expect(one.upstream.requests).toHaveLength(before);
  // Without messages, each node uses its own observations.
  one.endCooldowns();
  one.upstream.reset();
  one.upstream.script({}, limited('60'));
  expect([await ask(one, key), await ask(one, key)]).toEqual([429, 429]);
  expect(one.upstream.requests).toHaveLength(1);
});
