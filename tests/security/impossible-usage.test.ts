/** A usage that a model cannot have had raises the operator's alarm. The customer does not pay for it. */
import { modelLimits } from '../../server/src/billing/prices/model-limits.js';
import { RelayHarness, userMessage } from '../contract/relay-harness.js';
import { json } from '../support/upstream/replies.js';
import { families, says } from '../support/upstream/families.js';

let relay: RelayHarness;
beforeAll(async () => {
  relay = await RelayHarness.start();
});
afterAll(async () => relay.stop());
beforeEach(async () => {
  relay.upstream.reset();
  relay.setOptions({});
  await relay.clearChannels();
  relay.notices.length = 0;
});
afterEach(async () => {
  await relay.idle();
  expect(await relay.openReservations()).toBe(0);
  expect(await relay.drift()).toEqual([]);
  expect(await relay.unexplained()).toEqual([]);
});

const counted = async (channel: number, kind: string): Promise<number> => {
  const lines = await relay.metric('tollgate_uncharged_usage_total{');
  const line = lines.find((text) => text.includes(`channel="${channel}"`) && text.includes(`kind="${kind}"`));
  return Number(line?.split(' ').at(-1) ?? 0);
};
const billion = 1_000_000_000;
const rich = 100_000_000;

const calls = families.flatMap((family) => [false, true].map((stream) => [family.name, stream, family] as const));

it.each(calls)('%s, streamed: %s: a billion tokens', async (_name, stream, { type, model }) => {
  const channel = await relay.addChannel({ type, models: model });
  const { key, userId } = await relay.addToken({ userId: await relay.addUser({ quota: rich }) });
  relay.upstream.script({}, says({ text: 'Hello', promptTokens: billion, completionTokens: billion }));
  const call = async () => {
    const response = await relay.chat(key, { model, messages: userMessage('hi'), stream });
    expect(response.status).toBe(200);
    await response.text();
    await relay.idle();
  };
  await call();

  // The customer pays for at most twice the published limits.
  const limits = modelLimits(model);
  expect(limits.maxInput).toBeGreaterThan(0);
  const [row] = await relay.logsOf(userId, 1);
  expect([row?.prompt_tokens, row?.completion_tokens]).toEqual([2 * limits.maxInput, 2 * limits.maxOutput]);
  expect(row?.other).toMatchObject({
    admin_info: { reported_usage: { prompt_tokens: billion, completion_tokens: billion } },
  });
  const { quota, used } = await relay.balance(userId);
  expect(used).toBe(row?.quota);
  expect(quota).toBe(rich - used);
  expect(used).toBeLessThan(rich / 10);

  // The operator gets a metric for each call, a log line, and one notice an hour.
  expect(await counted(channel, 'impossible')).toBe(1);
  expect(relay.logLines.filter((line) => line.includes('usage that the model cannot have had'))).not.toHaveLength(0);
  expect(relay.notices).toEqual([
    expect.objectContaining({
      type: `impossible_usage_${channel}`,
      values: expect.arrayContaining([String(channel), String(billion), model]) as unknown,
    }),
  ]);
  await call();
  expect(await counted(channel, 'impossible')).toBe(2);
  expect(relay.notices).toHaveLength(1);
});

it('a million searches', async () => {
  const channel = await relay.addChannel({ type: 48, models: 'grok-4.7' });
  const { key, userId } = await relay.addToken({ userId: await relay.addUser({ quota: rich }) });
  const call = async (searches: number, calls: number) => {
    const usage = {
      prompt_tokens: 1000,
      completion_tokens: 500,
      total_tokens: 1500,
      server_side_tool_usage_details: { web_search_calls: searches },
    };
    const message = { role: 'assistant', content: 'Hello' };
    relay.upstream.script(
      {},
      json({ id: 'c', object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }], usage }),
    );
    await (await relay.chat(key, { model: 'grok-4.7', messages: userMessage('hi') })).text();
    await relay.idle();
    return (await relay.logsOf(userId, calls)).at(-1);
  };
  // $0.005 of tokens, and searches at $0.005.
  expect(await call(1000, 1)).toMatchObject({ quota: 2500 + 1000 * 2500 });
  expect(await counted(channel, 'impossible')).toBe(0);
  const row = await call(1_000_000, 2);
  expect(row).toMatchObject({
    quota: 2500 + 1000 * 2500,
    other: { admin_info: { reported_usage: { prompt_tokens: 1000, web_searches: 1_000_000 } } },
  });
  expect(await counted(channel, 'impossible')).toBe(1);
});

it("usage that is possible but above the balance is the operator's cost, without an alarm", async () => {
  const channel = await relay.addChannel({ models: 'gpt-4o' });
  const { key, userId } = await relay.addToken({ userId: await relay.addUser({ quota: 5000 }) });
  relay.upstream.script({}, says({ text: 'Hello', promptTokens: 100_000, completionTokens: 8000 }));
  await (await relay.chat(key, { model: 'gpt-4o', messages: userMessage('hi') })).text();
  await relay.idle();
  const [row] = await relay.logsOf(userId, 1);
  // 100,000 tokens at 1.25 and 8,000 at 5.
  expect(row).toMatchObject({ quota: 5000, other: { uncharged_quota: 165_000 - 5000 } });
  expect(await relay.balance(userId)).toMatchObject({ quota: 0, used: 5000 });
  expect(await counted(channel, 'unreserved')).toBe(1);
  expect(relay.notices).toEqual([]);
});
