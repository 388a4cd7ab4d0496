import { explainCharge } from '../../server/src/billing/prices/explain-charge.js';
import { chat, json } from '../support/upstream/replies.js';
import { userMessage, type RelayHarness } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

/** Many calls that cost less than a quota unit each: their user pays the sum of the prices to the unit. */
let relay: RelayHarness;

relaySuite((started) => (relay = started));
afterEach(async () => {
  expect(await relay.unexplained()).toEqual([]);
  expect(await relay.replayedDifferently()).toEqual([]);
});

const embedding = json({
  object: 'list',
  model: 'text-embedding-3-small',
  data: [{ object: 'embedding', index: 0, embedding: [0.1, 0.2] }],
  usage: { prompt_tokens: 10, total_tokens: 10 },
});

/** Calls from ten clients at once. */
async function callOften(count: number, call: () => Promise<Response>): Promise<number[]> {
  const statuses: number[] = [];
  const client = async (): Promise<void> => {
    while (count-- > 0) {
      const response = await call();
      await response.text();
      statuses.push(response.status);
    }
  };
  await Promise.all(Array.from({ length: 10 }, client));
  return statuses;
}

it('300 embeddings of 10 tokens cost 30 quota', async () => {
  await relay.addChannel({ models: 'text-embedding-3-small' });
  relay.upstream.script({}, embedding);
  const userId = await relay.addUser({ quota: 1000 });
  const { key, id } = await relay.addToken({ userId, quota: 500 });
  const body = { model: 'text-embedding-3-small', input: 'ten tokens' };
  const statuses = await callOften(300, () => relay.post('/v1/embeddings', key, body));
  expect(statuses.filter((status) => status === 200)).toHaveLength(300);
  await relay.logsOf(userId, 300);
  expect(await relay.balance(userId)).toEqual({ quota: 970, used: 30, requests: 300 });
  const [token] = await relay.sql<{ left: string }>('SELECT remain_quota AS left FROM tokens WHERE id = $1', [id]);
  expect(Number(token!.left)).toBe(470);
});

it.each([
  ['chat by ratio, rounded', '/v1/chat/completions', {}, 'gpt-4o-mini', 6 * 0.075 + 4 * 0.075 * 4],
  [
    'chat by a card',
    '/v1/chat/completions',
    { PriceCards: { 'gpt-4o-mini': { prices: { input: 0.11, output: 0.3 } } } },
    'gpt-4o-mini',
    (6 * 0.11 + 4 * 0.3) / 2,
  ],
  ['chat by the call', '/v1/chat/completions', { ModelPrice: { 'gpt-4o-mini': 0.0000013 } }, 'gpt-4o-mini', 0.65],
  ['messages, truncated', '/v1/messages', {}, 'gpt-4o-mini', 6 * 0.075 + 4 * 0.075 * 4],
])('50 calls cost the sum of their prices to the unit: %s', async (_name, path, values, model, price) => {
  relay.setOptions(values);
  await relay.addChannel({ models: model });
  relay.upstream.script({}, chat({ text: 'ok', usage: { prompt_tokens: 6, completion_tokens: 4 } }));
  const { key, userId } = await relay.addToken();
  const body = { model, max_tokens: 10, messages: userMessage('hi') };
  const statuses = await callOften(50, () => relay.post(path, key, body));
  expect(statuses.filter((status) => status === 200)).toHaveLength(50);
  const rows = await relay.logsOf(userId, 50);
  const { used } = await relay.balance(userId);
  expect(Math.abs(used - 50 * price)).toBeLessThan(1);
  for (const row of rows) {
    expect([Math.floor(price), Math.ceil(price)]).toContain(row.quota);
    const explained = explainCharge({
      quota: row.quota,
      promptTokens: row.prompt_tokens,
      completionTokens: row.completion_tokens,
      other: row.other,
    });
    expect(explained.text).toContain('carried from earlier calls');
  }
});

it('a balance pays for as many tiny calls as it has units for, however many come at once', async () => {
  await relay.addChannel({ models: 'text-embedding-3-small' });
  relay.upstream.script({}, embedding);
  const userId = await relay.addUser({ quota: 3 });
  const { key } = await relay.addToken({ userId });
  const body = { model: 'text-embedding-3-small', input: 'ten tokens' };
  let paid = 0;
  for (let served = 1; served > 0 && paid < 1000; paid += served) {
    const statuses = await callOften(10, () => relay.post('/v1/embeddings', key, body));
    served = statuses.filter((status) => status === 200).length;
    expect(statuses.filter((status) => status === 403)).toHaveLength(10 - served);
    await relay.idle();
  }
  expect(paid).toBe(30);
  expect(await relay.balance(userId)).toMatchObject({ quota: 0, used: 3 });
});
