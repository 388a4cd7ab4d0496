/** No user can disable a channel for all other users. */
import { type RelayHarness, userMessage } from '../contract/relay-harness.js';
import { relaySuite } from '../contract/relay-suite.js';
import { chat, json } from '../support/upstream/replies.js';
import type { Reply } from '../support/upstream/upstream.js';

let relay: RelayHarness;
relaySuite((started) => (relay = started), { values: { AutomaticDisableChannelEnabled: true } });

const refusal = (status: number, message: string): Reply =>
  json({ error: { message, type: 'invalid_request_error', param: 'messages', code: 'invalid_value' } }, status);
const call = { model: 'gpt-4o', messages: userMessage('hi') };
const isDisabled = (id: number): boolean => relay.disabled.some((entry) => entry.id === id);
/** Returns a reply for the client's call, and a successful reply for every later request. */
const firstThenFine = (reply: Reply): [Reply, Reply] => [reply, chat({ text: 'ok' })];

describe.each([400, 404, 422])('words of the client that a provider repeats with status %i', (status) => {
  it.each([
    ['as they are', 'You exceeded your current quota', (words: string) => `Invalid value: '${words}'.`],
    ['in another case', 'you EXCEEDED your current quota', (words: string) => `Invalid value: '${words}'.`],
    ['escaped', 'You exceeded "your" current quota', (words: string) => `Invalid value: ${JSON.stringify(words)}`],
    [
      'without its quotes',
      'You exceeded "your" current quota',
      (words: string) => `Invalid: ${words.replaceAll('"', '')}`,
    ],
  ])('%s', async (_how, words, message) => {
    const id = await relay.addChannel();
    const { key } = await relay.addToken();
    // The provider refuses every request with these words, including the gateway's own check. The words come from the
    // client's request.
    relay.upstream.script({}, refusal(status, message(words)));
    await (await relay.chat(key, { ...call, messages: [{ role: words, content: 'hi' }] })).text();
    expect(isDisabled(id)).toBe(false);
    relay.upstream.script({}, chat({ text: 'ok' }));
    const other = await relay.addToken();
    expect((await relay.chat(other.key, call)).status).toBe(200);
  });

  it('as the name of a field, or of a model', async () => {
    const id = await relay.addChannel({ models: 'permission-denied,gpt-4o' });
    relay.setOptions({ AutomaticDisableChannelEnabled: true, SelfUseModeEnabled: true });
    const { key } = await relay.addToken();
    relay.upstream.script({}, refusal(status, 'Permission denied'));
    await (await relay.chat(key, { ...call, permission_denied: true })).text();
    await (await relay.chat(key, { ...call, model: 'permission-denied' })).text();
    expect(isDisabled(id)).toBe(false);
  });
});

describe("one user's calls alone", () => {
  it.each([
    ['a keyword', refusal(429, 'You exceeded your current quota, please check your plan')],
    ['status 401', refusal(401, 'Incorrect API key provided')],
  ])('never disable a channel that serves others: %s', async (_name, reply) => {
    const id = await relay.addChannel();
    const { key } = await relay.addToken();
    for (let turn = 0; turn < 3; turn++) {
      relay.upstream.script({}, ...firstThenFine(reply));
      await (await relay.chat(key, call)).text();
      // After a 429 the key is in a cooldown of some seconds, for every user.
      relay.endCooldowns();
    }
    expect(isDisabled(id)).toBe(false);
    const other = await relay.addToken();
    expect((await relay.chat(other.key, call)).status).toBe(200);
  });

  it("do when the gateway's own request is refused as well", async () => {
    const id = await relay.addChannel();
    const { key } = await relay.addToken();
    relay.upstream.script({}, refusal(429, 'You exceeded your current quota, please check your plan'));
    await (await relay.chat(key, { ...call, messages: userMessage('a secret text') })).text();
    expect(isDisabled(id)).toBe(true);
    expect(relay.upstream.requests).toHaveLength(2);
    expect(JSON.stringify(relay.upstream.requests[1]?.body)).not.toContain('secret');
  });

  it('do when the calls of another user fail likewise', async () => {
    const id = await relay.addChannel();
    const refused = refusal(429, 'You exceeded your current quota');
    for (const expected of [false, true]) {
      const { key } = await relay.addToken();
      relay.upstream.script({}, ...firstThenFine(refused));
      await (await relay.chat(key, call)).text();
      relay.endCooldowns();
      expect(isDisabled(id)).toBe(expected);
    }
  });

  it('cost one check at a time, however many fail together', async () => {
    await relay.addChannel();
    const { key } = await relay.addToken({ userId: await relay.addUser({ quota: 100_000_000 }) });
    relay.upstream.script({}, async (response, request) => {
      const isCheck = JSON.stringify(request.body).includes('ping');
      if (isCheck) await new Promise((resolve) => setTimeout(resolve, 300));
      return isCheck
        ? chat({ text: 'ok' })(response, request)
        : refusal(429, 'You exceeded your current quota')(response, request);
    });
    await Promise.all(Array.from({ length: 20 }, async () => (await relay.chat(key, call)).text()));
    const checks = relay.upstream.requests.filter(({ body }) => JSON.stringify(body).includes('ping'));
    expect(checks.length).toBeGreaterThan(0);
    expect(checks.length).toBeLessThan(20);
  });
});
