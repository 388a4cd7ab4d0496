/** Batches of Anthropic with its SDK, in front of a provider that refuses what the real one refuses. */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { explainCharge } from '../../server/src/billing/prices/explain-charge.js';
import { eventually, TaskSite } from '../support/task-site.js';
import { usualMessage } from '../support/upstream/batches.js';
import { startObjectProvider, type ObjectProvider } from '../support/upstream/objects.js';

let site: TaskSite;
let provider: ObjectProvider;
const model = 'claude-sonnet-4-5';
const document = { type: 'document', source: { type: 'file', file_id: 'file_x' } };

beforeAll(async () => {
  provider = await startObjectProvider();
  site = await TaskSite.open({}, 50_000_000);
  await site.server.api.createChannel(site.root, {
    type: 14,
    baseUrl: provider.url,
    key: 'sk-claude',
    models: [model, 'claude-haiku-4-5'],
  });
});
afterEach(async () => {
  expect(await site.drift()).toEqual([]);
});
afterAll(async () => {
  await site.close();
  await provider.stop();
});

const client = (key = site.key): Anthropic => new Anthropic({ apiKey: key, baseURL: site.server.url, maxRetries: 0 });
type Request = Anthropic.Messages.BatchCreateParams.Request;
const asked = (id: string, params: object = {}): Request => ({
  custom_id: id,
  params: { model, max_tokens: 1000, messages: [{ role: 'user', content: 'Say hello' }], ...params },
});
const create = (...requests: readonly Request[]) => client().messages.batches.create({ requests: [...requests] });
const rowOf = async (id: string) =>
  (await site.rows<Record<string, unknown>>('SELECT * FROM tasks WHERE task_id = $1', [id]))[0];
const ended = (id: string) =>
  eventually(
    () => rowOf(id),
    (row) => row?.['progress'] === 100,
  );
const error = (status: number, message: RegExp): unknown =>
  expect.objectContaining({ status, message: expect.stringMatching(message) as unknown });

/** Quota of 1,000 tokens of input and 200 of output at half the price, at 500,000 a dollar. */
const priceOfLine = (1000 * 3 + 200 * 15) * 0.25;

describe('batches of Anthropic', () => {
  it('are reserved, charged at half the price by their results, and read by their owner', async () => {
    const before = await site.balances();
    const made = await create(asked('a'), asked('b'));
    expect(made).toMatchObject({ type: 'message_batch', processing_status: 'in_progress', results_url: null });
    const held = before.quota - (await site.balances()).quota;
    expect(held).toBeGreaterThan(2 * 1000 * 15 * 0.25);
    await expect(client().messages.batches.results(made.id)).rejects.toThrow(/results/);
    provider.messageBatches.end(made.id);
    const done = await client().messages.batches.retrieve(made.id);
    expect(done).toMatchObject({ processing_status: 'ended', request_counts: { succeeded: 2 } });
    expect(done.results_url).toBe(`${site.server.url}/v1/messages/batches/${made.id}/results`);
    const results: string[] = [];
    for await (const line of await client().messages.batches.results(made.id)) results.push(line.custom_id);
    expect(results).toEqual(['b', 'a']);
    expect(await ended(made.id)).toMatchObject({ status: 'SUCCESS', quota: String(2 * priceOfLine) });
    expect((await site.balances()).quota).toBe(before.quota - 2 * priceOfLine);
    const [row] = await site.chargedRows(1);
    expect(row).toMatchObject({ model, quota: 2 * priceOfLine, promptTokens: 2000, completionTokens: 400 });
    expect(row?.other).toMatchObject({ price_when: { tier: 'batch' }, request_path: '/v1/messages' });
    expect(row && explainCharge(row).quota).toBe(2 * priceOfLine);
  });

  it('that were given up have no results, whatever the provider does afterwards', async () => {
    const made = await create(asked('a'));
    await site.rows(`UPDATE tasks SET submit_time = submit_time - interval '6 days' WHERE task_id = $1`, [made.id]);
    expect(await ended(made.id)).toMatchObject({ status: 'FAILURE', quota: '0' });
    provider.messageBatches.end(made.id);
    const calls = provider.calls.length;
    await expect(client().messages.batches.results(made.id)).rejects.toThrow(/results/);
    await expect(
      fetch(`${site.server.url}/v1/messages/batches/${made.id}/results`, { headers: { 'x-api-key': site.key } }),
    ).resolves.toMatchObject({ status: 404 });
    expect(provider.calls).toHaveLength(calls);
  });

  it('charge what succeeded, are listed to their user alone, and are deleted', async () => {
    const before = await site.balances();
    const made = await create(asked('a'), asked('b'), asked('c'));
    expect((await client().messages.batches.cancel(made.id)).processing_status).toBe('canceling');
    provider.messageBatches.end(made.id, (one) => (one.custom_id === 'a' ? usualMessage(one) : { type: 'canceled' }));
    expect(await ended(made.id)).toMatchObject({
      status: 'SUCCESS',
      quota: String(priceOfLine),
      fail_reason: 'canceled',
    });
    expect((await site.balances()).quota).toBe(before.quota - priceOfLine);
    const listed = await client().messages.batches.list();
    expect(listed.data[0]).toMatchObject({ id: made.id, processing_status: 'ended' });
    expect(listed.data[0]?.results_url).toContain(site.server.url);
    const bob = await site.addCustomer('bob');
    expect((await client(bob.key).messages.batches.list()).data).toEqual([]);
    await expect(client(bob.key).messages.batches.retrieve(made.id)).rejects.toEqual(error(404, /not known/));
    const openAI = new OpenAI({ apiKey: site.key, baseURL: `${site.server.url}/v1`, maxRetries: 0 });
    expect((await openAI.batches.list()).data).toEqual([]);
    await expect(openAI.batches.retrieve(made.id)).rejects.toEqual(error(404, /not known/));
    expect(await client().messages.batches.delete(made.id)).toEqual({ id: made.id, type: 'message_batch_deleted' });
    await expect(client().messages.batches.retrieve(made.id)).rejects.toEqual(error(404, /not known/));
    expect((await client().messages.batches.list()).data.map(({ id }) => id)).not.toContain(made.id);
  });

  it('whose creation was not confirmed keep their reservation for ten minutes, and return all of it then', async () => {
    const before = await site.balances();
    provider.onBatch = () => Promise.reject(new Error('the connection breaks'));
    await expect(create(asked('a'))).rejects.toBeDefined();
    provider.onBatch = null;
    const lost = () =>
      site.rows<Record<string, unknown>>(`SELECT * FROM tasks WHERE task_id = '' ORDER BY id DESC LIMIT 1`);
    const polled = await create(asked('b'));
    provider.messageBatches.end(polled.id, () => ({ type: 'expired' }));
    await ended(polled.id);
    // A poll has passed.
    expect(await lost()).toMatchObject([{ status: 'NOT_START', progress: 0 }]);
    expect((await site.balances()).quota).toBeLessThan(before.quota);
    await site.rows(`UPDATE tasks SET submit_time = submit_time - interval '11 minutes' WHERE task_id = ''`);
    await eventually(lost, ([row]) => row?.['progress'] === 100);
    expect(await lost()).toMatchObject([
      { status: 'FAILURE', quota: '0', fail_reason: 'the batch was never confirmed' },
    ]);
    expect(await site.balances()).toEqual(before);
  });

  it.each<[string, readonly Request[], number, RegExp]>([
    ['without requests', [], 400, /no lines/],
    ['with a custom_id twice', [asked('a'), asked('a')], 400, /Line 2: custom_id a/],
    ['with two models', [asked('a'), asked('b', { model: 'claude-haiku-4-5' })], 400, /Line 2: Model/],
    ['with a stream', [asked('a', { stream: true })], 400, /Line 1.*streamed/],
    [
      'with a file of another user',
      [asked('a', { messages: [{ role: 'user', content: [document] }] })],
      404,
      /Line 1.*file_x/,
    ],
    ['without params', [{ custom_id: 'a' } as Request], 400, /Line 1.*params/],
    ['with an invalid request', [asked('a'), asked('b', { messages: 'hello' })], 400, /Line 2/],
  ])('%s are refused by name, and nothing is reserved', async (_what, requests, status, message) => {
    const before = await site.balances();
    await expect(create(...requests)).rejects.toEqual(error(status, message));
    expect(provider.calls.at(-1)?.call).not.toBe('POST /v1/messages/batches');
    expect(await site.balances()).toEqual(before);
  });
});
