/** Large calls of Bedrock's CountTokens, which has the counted body as base64 in a field. */
import { type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

const mebibyte = 1024 * 1024;
let relay: RelayHarness;
relaySuite((started) => (relay = started), {
  values: { SelfUseModeEnabled: true },
  settings: { maxBodyBytes: 24 * mebibyte, bodiesBytes: mebibyte },
});

const model = 'claude-sonnet-4-5-20250929';

async function count(counted: string): Promise<[status: number, body: unknown]> {
  await relay.addChannel({ models: model });
  const { key } = await relay.addToken();
  const body = { input: { invokeModel: { body: Buffer.from(counted).toString('base64') } } };
  const response = await relay.post(`/model/${model}/count-tokens`, key, body);
  return [response.status, await response.json()];
}
const version = { anthropic_version: 'bedrock-2023-05-31' };

it('parses a large counted body in slices, within their bounds', async () => {
  // A parser has to skip the spaces in one turn of the event loop.
  const spaces = ' '.repeat(17 * mebibyte);
  expect(await count(`${JSON.stringify({ ...version, messages: userMessage('hi') })}${spaces}`)).toEqual([
    400,
    { message: expect.stringContaining('too many numbers or spaces') as string },
  ]);
});

it('holds the counted body in place of the outer one', async () => {
  // One character that is not ASCII makes the text count twice.
  const messages = userMessage(`é${'hello '.repeat(2.7 * mebibyte)}`);
  const [status] = await count(JSON.stringify({ ...version, messages }));
  expect(status).toBe(200);
});

it('counts a large body as Messages count it', async () => {
  const messages = userMessage('häl\nlo '.repeat(mebibyte / 4));
  const [status, counted] = await count(JSON.stringify({ ...version, messages }));
  const { key } = await relay.addToken();
  const response = await relay.post('/v1/messages/count_tokens', key, { model, messages });
  const { input_tokens: inputTokens } = (await response.json()) as { input_tokens: number };
  expect(inputTokens).toBeGreaterThan(mebibyte / 4);
  expect([status, counted]).toEqual([200, { inputTokens }]);
});
