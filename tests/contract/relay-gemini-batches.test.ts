/** Batches of Gemini with Google's SDK, in front of a provider that refuses what the real one refuses. */
import { GoogleGenAI, type BatchJob, type InlinedRequest } from '@google/genai';
import OpenAI from 'openai';
import { explainCharge } from '../../server/src/billing/prices/explain-charge.js';
import { eventually, TaskSite } from '../support/task-site.js';
import { usualContent } from '../support/upstream/gemini-batches.js';
import { startObjectProvider, type ObjectProvider } from '../support/upstream/objects.js';

let site: TaskSite;
let provider: ObjectProvider;
let channel: number;
const model = 'gemini-2.5-flash';

beforeAll(async () => {
  provider = await startObjectProvider();
  site = await TaskSite.open({}, 50_000_000);
  channel = await site.server.api.createChannel(site.root, {
    type: 24,
    baseUrl: provider.url,
    key: 'sk-google',
    models: [model, 'gemini-2.5-pro'],
  });
});
afterEach(async () => {
  provider.onBatch = null;
  expect(await site.drift()).toEqual([]);
});
afterAll(async () => {
  await site.close();
  await provider.stop();
});

const client = (key = site.key, apiVersion = 'v1beta'): GoogleGenAI =>
  new GoogleGenAI({ apiKey: key, apiVersion, httpOptions: { baseUrl: site.server.url } });
const asked = (text: string, more: Partial<InlinedRequest> = {}): InlinedRequest => ({
  contents: [{ role: 'user', parts: [{ text }] }],
  config: { maxOutputTokens: 1000 },
  metadata: { key: text },
  ...more,
});
const create = (...src: InlinedRequest[]): Promise<BatchJob> =>
  client().batches.create({ model, src, config: { displayName: 'hellos' } });
const nameOf = ({ name = '' }: BatchJob): string => name;
const rowOf = async (id: string) =>
  (await site.rows<Record<string, unknown>>('SELECT * FROM tasks WHERE task_id = $1', [id]))[0];
const ended = (id: string) =>
  eventually(
    () => rowOf(id),
    (row) => row?.['progress'] === 100,
  );
const error = (status: number, message: RegExp): unknown =>
  expect.objectContaining({ status, message: expect.stringMatching(message) as unknown });
const post = (path: string, body: object): ReturnType<TaskSite['call']> =>
  site.call('POST', path, body, { 'x-goog-api-key': site.key });

/** Quota of 1,000 tokens of input and 200 of output at half the price, at 500,000 a dollar. */
const priceOfLine = (1000 * 0.3 + 200 * 2.5) * 0.25;

describe('batches of Gemini', () => {
  it.each(['v1beta', 'v1'])(
    'are reserved, charged at half the price by their results, and read by their owner under /%s',
    async (version) => {
      const ai = client(site.key, version);
      const before = await site.balances();
      const made = await ai.batches.create({ model, src: [asked('a'), asked('b')], config: { displayName: 'hellos' } });
      expect(made).toMatchObject({ state: 'JOB_STATE_PENDING', displayName: 'hellos' });
      const name = nameOf(made);
      const held = before.quota - (await site.balances()).quota;
      expect(held).toBeGreaterThan(2 * 1000 * 2.5 * 0.25);
      provider.geminiBatches.end(name);
      const done = await ai.batches.get({ name });
      expect(done).toMatchObject({ state: 'JOB_STATE_SUCCEEDED', displayName: 'hellos' });
      const results = done.dest?.inlinedResponses?.map(({ metadata, response }) => [
        metadata?.['key'],
        response?.candidates?.[0]?.content?.parts?.[0]?.text,
      ]);
      expect(results).toEqual([
        ['a', 'Done.'],
        ['b', 'Done.'],
      ]);
      expect(await ended(name)).toMatchObject({ status: 'SUCCESS', quota: String(2 * priceOfLine) });
      expect((await site.balances()).quota).toBe(before.quota - 2 * priceOfLine);
      const [row] = await site.chargedRows(1);
      expect(row).toMatchObject({ model, quota: 2 * priceOfLine, promptTokens: 2000, completionTokens: 400 });
      expect(row?.other).toMatchObject({
        price_when: { tier: 'batch' },
        request_path: `/v1beta/models/${model}:generateContent`,
      });
      expect(row && explainCharge(row).quota).toBe(2 * priceOfLine);
      // No content is stored: the maker is asked again.
      expect(JSON.stringify((await rowOf(name))?.['data'])).not.toContain('Done.');
      expect((await ai.batches.get({ name })).dest?.inlinedResponses).toHaveLength(2);
    },
  );

  it('charge what succeeded, are listed to their user alone, cancelled and deleted', async () => {
    const before = await site.balances();
    const name = nameOf(await create(asked('a'), asked('b'), asked('c')));
    await expect(client().batches.delete({ name })).rejects.toEqual(error(400, /not ended/));
    await client().batches.cancel({ name });
    expect(provider.calls.at(-1)?.call).toBe(`POST /v1beta/${name}:cancel`);
    const failure = { error: { code: 1, message: 'cancelled' } };
    const answer = ({ metadata }: { metadata?: object }) =>
      JSON.stringify(metadata).includes('"a"') ? usualContent() : failure;
    provider.geminiBatches.end(name, answer, { state: 'CANCELLED' });
    expect(await ended(name)).toMatchObject({ status: 'SUCCESS', quota: String(priceOfLine) });
    expect((await site.balances()).quota).toBe(before.quota - priceOfLine);
    const bob = await site.addCustomer('bob');
    const listed = async (key?: string): Promise<string[]> => {
      const names: string[] = [];
      for await (const job of await client(key).batches.list({ config: { pageSize: 1 } })) names.push(nameOf(job));
      return names;
    };
    expect(await listed()).toContain(name);
    expect(await listed(bob.key)).toEqual([]);
    await expect(client(bob.key).batches.get({ name })).rejects.toEqual(error(404, /not known/));
    await expect(client(bob.key).batches.cancel({ name })).rejects.toEqual(error(404, /not known/));
    const openAI = new OpenAI({ apiKey: site.key, baseURL: `${site.server.url}/v1`, maxRetries: 0 });
    expect((await openAI.batches.list()).data).toEqual([]);
    await expect(openAI.batches.retrieve(name.replace('batches/', ''))).rejects.toEqual(error(404, /not known/));
    await client().batches.delete({ name });
    await expect(client().batches.get({ name })).rejects.toEqual(error(404, /not known/));
    expect(await listed()).not.toContain(name);
  });

  it('that fail, expire or are given up cost nothing', async () => {
    const before = await site.balances();
    const [failed, expired, late] = [await create(asked('a')), await create(asked('a')), await create(asked('a'))].map(
      nameOf,
    ) as [string, string, string];
    provider.geminiBatches.fail(failed, 'Internal error');
    expect(await ended(failed)).toMatchObject({ status: 'FAILURE', quota: '0', fail_reason: 'failed: Internal error' });
    provider.geminiBatches.end(expired, () => ({ error: { code: 4, message: 'expired' } }), { state: 'EXPIRED' });
    expect(await ended(expired)).toMatchObject({ status: 'FAILURE', quota: '0' });
    await site.rows(`UPDATE tasks SET submit_time = submit_time - interval '6 days' WHERE task_id = $1`, [late]);
    expect(await ended(late)).toMatchObject({ status: 'FAILURE', quota: '0' });
    provider.geminiBatches.end(late);
    expect((await client().batches.get({ name: late })).dest).toBeUndefined();
    expect(await site.balances()).toEqual(before);
  });

  it('whose results are a file are charged by it, and only then it belongs to their owner', async () => {
    const name = nameOf(await create(asked('a'), asked('b')));
    provider.geminiBatches.end(name, undefined, { inFile: true });
    expect(await ended(name)).toMatchObject({ status: 'SUCCESS', quota: String(2 * priceOfLine) });
    const file = (await client().batches.get({ name })).dest?.fileName ?? '';
    const read = (key: string): Promise<Response> =>
      fetch(`${site.server.url}/v1beta/${file}:download?alt=media`, { headers: { 'x-goog-api-key': key } });
    expect((await (await read(site.key)).text()).trim().split('\n')).toHaveLength(2);
    expect((await read((await site.addCustomer('carol')).key)).status).toBe(404);
  });

  it('whose creation was not confirmed are found by their display name, on any page', async () => {
    for (let count = 0; count < 101; count++) {
      const request = { contents: [{ parts: [{ text: 'of another program' }] }] };
      provider.geminiBatches.create(model, 'sk-google', {
        batch: { inputConfig: { requests: { requests: [{ request }] } } },
      });
    }
    provider.onBatch = () => Promise.reject(new Error('the connection breaks'));
    await expect(create(asked('a'))).rejects.toBeDefined();
    const name = [...provider.geminiBatches.made.keys()].at(-1) ?? '';
    await eventually(() => rowOf(name), Boolean);
    expect(await client().batches.get({ name })).toMatchObject({ displayName: 'hellos' });
    provider.geminiBatches.end(name);
    expect(await ended(name)).toMatchObject({ status: 'SUCCESS', quota: String(priceOfLine) });
  });

  const fileUri = 'https://generativelanguage.googleapis.com/v1beta/files/x';
  const ofOther: InlinedRequest = { contents: [{ role: 'user', parts: [{ fileData: { fileUri } }] }] };
  it.each<[string, () => Promise<unknown>, number, RegExp]>([
    ['without requests', () => create(), 400, /no lines/],
    ['of an uploaded file', () => client().batches.create({ model, src: 'files/x' }), 400, /cannot be checked/],
    ['with a file of another user', () => create(asked('a'), ofOther), 404, /Line 2.*files\/x/],
    [
      'whose results could not be read',
      () => create(...Array.from({ length: 65 }, () => asked('a', { config: {} }))),
      400,
      /32 MB/,
    ],
    ['with another model', () => create(asked('a', { model: 'gemini-2.5-pro' })), 400, /Line 1: Model/],
  ])('%s are refused by name, and nothing is reserved', async (_what, run, status, message) => {
    const before = await site.balances();
    const calls = provider.calls.length;
    await expect(run()).rejects.toEqual(error(status, message));
    expect(provider.calls).toHaveLength(calls);
    expect(await site.balances()).toEqual(before);
  });

  it('of a file that was uploaded here are refused too: its provider returns it to nobody', async () => {
    const text = JSON.stringify({ key: 'a', request: { contents: [{ parts: [{ text: 'a' }] }] } });
    const file = new Blob([`${text}\n`], { type: 'application/jsonl' });
    const { name: uploaded = '' } = await client().files.upload({ file, config: { mimeType: 'application/jsonl' } });
    const read = await fetch(`${site.server.url}/v1beta/${uploaded}:download?alt=media`, {
      headers: { 'x-goog-api-key': site.key },
    });
    expect([read.status, await read.text()]).toEqual([400, expect.stringMatching(/generated files/) as unknown]);
    const before = await site.balances();
    await expect(client().batches.create({ model, src: uploaded })).rejects.toEqual(error(400, /cannot be checked/));
    expect(await site.balances()).toEqual(before);
  });

  it('send only what was checked', async () => {
    const path = `/v1beta/models/${model}:batchGenerateContent`;
    const request = { contents: [{ parts: [{ text: 'a' }] }], generationConfig: { maxOutputTokens: 10 } };
    const requests = { requests: [{ request }] };
    const refused = await post(path, { batch: { inputConfig: { requests }, webhookConfig: { uris: ['https://x'] } } });
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('webhookConfig') as unknown } },
    });
    const file = { file_name: 'files/x' };
    expect(await post(path, { batch: { inputConfig: { requests, ...file } } })).toMatchObject({ status: 400 });
    const made = await post(path, { batch: { inputConfig: { requests }, input_config: file } });
    expect(made.status).toBe(200);
    expect(provider.geminiBatches.made.get(String(made.body['name']))?.requests).toEqual([{ request }]);
    expect((await post(`/v1beta/${String(made.body['name'])}`, {})).status).toBe(404);
  });

  it('are refused where the channel has another name for the model', async () => {
    const body = { id: channel, model_mapping: JSON.stringify({ [model]: 'gemini-2.5-pro' }) };
    await site.server.api.data(site.root, 'PUT', '/api/channel/', body);
    try {
      await expect(create(asked('a'))).rejects.toEqual(error(400, /another name/));
    } finally {
      await site.server.api.data(site.root, 'PUT', '/api/channel/', { ...body, model_mapping: '' });
    }
  });
});
