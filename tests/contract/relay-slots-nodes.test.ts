import { createSharedState } from '../../server/src/platform/cache/create-shared-state.js';
import type { SharedState } from '../../server/src/platform/cache/shared-state.js';
import type { OptionValues } from '../../server/src/options/option.service.js';
import { freePort } from '../support/services/processes.js';
import { startRedis } from '../support/services/redis.js';
import { json } from '../support/upstream/replies.js';
import { RelayHarness, userMessage } from './relay-harness.js';

/** Limits of concurrent calls on two nodes with one Redis (docs/reference/relay/access.md#concurrent-calls). */
let redis: Awaited<ReturnType<typeof startRedis>>;
let port: number;
let states: SharedState[];
let one: RelayHarness;
let two: RelayHarness;
let degraded = 0;
/** The number of claims that the nodes sent for slots. */
let claims = 0;

const observer = {
  logger: { info: () => undefined, warn: () => undefined },
  degraded: { set: (value: number) => void (degraded = value) },
};

async function openState(): Promise<SharedState> {
  const state = await createSharedState({ kind: 'single', url: redis.url }, observer);
  const lease = state.leaseSlots.bind(state);
  state.leaseSlots = (...given) => {
    claims++;
    return lease(...given);
  };
  states.push(state);
  return state;
}

beforeAll(async () => {
  port = await freePort();
  redis = await startRedis({ port });
  states = [];
  const [first, second] = [await openState(), await openState()];
  one = await RelayHarness.start({ state: first, nodes: first });
  two = await RelayHarness.start({ state: second, nodes: second, beside: one });
});
afterAll(async () => {
  await two.stop();
  await one.stop();
  await Promise.all(states.map((state) => state.close()));
  await redis.stop();
});

/** Calls that the provider has received and not yet served. */
let held: Array<() => void> = [];
let most = 0;

beforeEach(async () => {
  await one.clearChannels();
  one.upstream.reset();
  [held, most] = [[], 0];
  one.upstream.script({}, async (response, request) => {
    await new Promise<void>((resolve) => {
      held.push(resolve);
      most = Math.max(most, held.length);
    });
    await json({ choices: [{ message: { content: 'ok' } }], usage: { prompt_tokens: 1, completion_tokens: 1 } })(
      response,
      request,
    );
  });
});

const options = (values: Partial<OptionValues>): void => {
  for (const node of [one, two]) node.setOptions({ SelfUseModeEnabled: true, ...values });
};

async function addChannel(spec: Parameters<RelayHarness['addChannel']>[0] = {}): Promise<void> {
  await one.addChannel(spec);
  await two.changed({ kind: 'channel' });
}

const richToken = async () => one.addToken({ userId: await one.addUser({ quota: 100_000_000 }) });

const letAllGo = (): void => held.splice(0).forEach((go) => go());

async function until(met: () => boolean): Promise<void> {
  while (!met()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Makes calls, alternating between the nodes. */
function calls(count: number, key: string, nodes: readonly RelayHarness[] = [one, two]) {
  const statuses: number[] = [];
  const all = Array.from({ length: count }, async (_, at) => {
    const node = nodes[at % nodes.length] ?? one;
    const response = await node.chat(key, { model: 'gpt-4o', messages: userMessage('hi') });
    await response.text();
    statuses.push(response.status);
  });
  return { statuses, done: Promise.all(all) };
}

/** Begins calls, waits until each one is refused or has reached the provider, and returns how many have reached it. */
async function holds(count: number, key: string, nodes?: readonly RelayHarness[]) {
  const begun = calls(count, key, nodes);
  const before = held.length;
  await until(() => begun.statuses.length + held.length - before === count);
  expect(begun.statuses.filter((status) => status !== 429)).toEqual([]);
  const end = async (): Promise<void> => {
    letAllGo();
    await begun.done;
  };
  return { served: held.length - before, end };
}

describe.each([
  ['a user', 'ModelRequestUserInFlightLimit'],
  ['a key', 'ModelRequestTokenInFlightLimit'],
] as const)('the concurrent calls of %s', (_whose, option) => {
  it('are as many as the limit over two nodes, and the same again', async () => {
    options({ [option]: 5 });
    await addChannel();
    const { key } = await richToken();
    const first = await holds(40, key);
    expect(first.served).toBe(5);
    await first.end();
    // Each single node may use all slots.
    for (const nodes of [[one], [two], [one, two]]) {
      const again = await holds(12, key, nodes);
      expect(again.served).toBe(5);
      await again.end();
    }
  });
});

it('never exceed the limit while calls come and go on both nodes', async () => {
  options({ ModelRequestUserInFlightLimit: 6 });
  await addChannel();
  const { key } = await richToken();
  const begun = calls(400, key);
  const all = begun.done.then(() => true);
  while (!(await Promise.race([all, new Promise((resolve) => setTimeout(() => resolve(false), 2))]))) held.shift()?.();
  expect(most).toBeLessThanOrEqual(6);
  expect(begun.statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(6);
  const after = await holds(20, key);
  expect(after.served).toBe(6);
  await after.end();
});

it('of a channel and of its keys are counted over both nodes', async () => {
  options({});
  await addChannel({ key: 'sk-a,sk-b', limits: { channel: { concurrent_calls: 5 }, key: { concurrent_calls: 3 } } });
  const { key } = await richToken();
  const some = await holds(20, key);
  expect(some.served).toBe(5);
  const perKey = ['sk-a', 'sk-b'].map((own) => one.upstream.requests.filter((request) => request.key === own).length);
  expect(Math.max(...perKey)).toBeLessThanOrEqual(3);
  await some.end();
});

it('far below the limit wait for no question', async () => {
  options({ ModelRequestUserInFlightLimit: 1000, ModelRequestTokenInFlightLimit: 500 });
  await addChannel();
  const { key } = await richToken();
  one.upstream.script({}, json({ choices: [{ message: { content: 'ok' } }] }));
  claims = 0;
  for (let at = 0; at < 60; at++) await calls(1, key, [one]).done;
  // The first call claims slots for the user and the key. All further claims are renewals.
  expect(claims).toBeLessThan(20);
});

it('are counted by each node while Redis is unavailable, and together again when it is back', async () => {
  options({ ModelRequestUserInFlightLimit: 3 });
  await addChannel();
  const { key } = await richToken();
  await redis.stop();
  await until(() => degraded === 1);
  const alone = await holds(20, key);
  expect(alone.served).toBe(6);
  redis = await startRedis({ port });
  await until(() => degraded === 0);
  for (const node of [one, two]) expect((await holds(2, key, [node])).served).toBe(0);
  await alone.end();
  for (;;) {
    const together = await holds(12, key);
    await together.end();
    if (together.served === 3) break;
  }
  for (const nodes of [[one], [two], [one, two]]) {
    const again = await holds(12, key, nodes);
    expect(again.served).toBe(3);
    await again.end();
  }
});
