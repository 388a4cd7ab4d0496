/** Batches of OpenAI with its SDK, in front of a provider that refuses what the real one refuses. */
import OpenAI, { toFile } from 'openai';
import { explainCharge } from '../../server/src/billing/prices/explain-charge.js';
import { pricedPaths } from '../security/priced-table.js';
import { eventually, TaskSite } from '../support/task-site.js';
import { usualAnswer, type AskedLine } from '../support/upstream/batches.js';
import { startObjectProvider, type ObjectProvider } from '../support/upstream/objects.js';

let site: TaskSite;
let provider: ObjectProvider;
let channel: number;
/** Its list price has none of tools. */
const tuned = 'ft:gpt-4o-2024-08-06:acme::x';

beforeAll(async () => {
  provider = await startObjectProvider();
  site = await TaskSite.open({}, 50_000_000);
  channel = await site.server.api.createChannel(site.root, {
    type: 1,
    baseUrl: provider.url,
    key: 'sk-openai',
    models: ['gpt-4o', 'gpt-4o-mini', 'text-embedding-3-small', 'gpt-4.1', tuned],
    more: { model_mapping: JSON.stringify({ 'gpt-4.1': 'gpt-4.1-eu' }) },
  });
});
afterEach(async () => {
  expect(await site.drift()).toEqual([]);
});
afterAll(async () => {
  await site.close();
  await provider.stop();
});

const client = (key = site.key): OpenAI => new OpenAI({ apiKey: key, baseURL: `${site.server.url}/v1`, maxRetries: 0 });
const line = (id: string, body: object = {}, more: object = {}): object => ({
  custom_id: id,
  method: 'POST',
  url: '/v1/chat/completions',
  body: { model: 'gpt-4o', max_tokens: 1000, messages: [{ role: 'user', content: 'Say hello' }], ...body },
  ...more,
});
const upload = async (
  lines: readonly (object | string)[],
  key = site.key,
  purpose: 'batch' | 'user_data' = 'batch',
) => {
  const text = lines.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join('\n');
  const file = await toFile(Buffer.from(`${text}\n`), 'batch.jsonl');
  return (await client(key).files.create({ file, purpose })).id;
};
const create = async (lines: readonly (object | string)[], more: Partial<OpenAI.BatchCreateParams> = {}) =>
  client().batches.create({
    input_file_id: await upload(lines),
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
    ...more,
  });
const reserved = async (): Promise<number> =>
  Number((await site.rows<{ sum: string }>('SELECT coalesce(sum(amount), 0) AS sum FROM reservations'))[0]?.sum);
const rowOf = async (id: string) =>
  (await site.rows<Record<string, unknown>>('SELECT * FROM tasks WHERE task_id = $1', [id]))[0];
const ended = (id: string) =>
  eventually(
    () => rowOf(id),
    (row) => row?.['progress'] === 100,
  );
const error = (status: number, code: string, message: RegExp | string = /./): unknown =>
  expect.objectContaining({ status, code, message: expect.stringMatching(message) as unknown });

it('are every priced route of batches', () => {
  expect(pricedPaths.batches).toEqual([
    ...['/v1/batches', '/v1/messages/batches'],
    '/v1beta/models/painter:batchGenerateContent',
  ]);
});

/** Quota of 1,000 tokens of input and 200 of output of gpt-4o at half its price, at 500,000 a dollar. */
const priceOfLine = (1000 * 2.5 + 200 * 10) * 0.5 * 0.5;

describe('batches of OpenAI', () => {
  it('are reserved by their lines, followed, charged at half the price by their results, and read by their owner', async () => {
    const before = await site.balances();
    const made = await create([line('a'), line('b'), line('c')], { metadata: { job: 'nightly' } });
    expect(made).toMatchObject({ object: 'batch', status: 'validating', metadata: { job: 'nightly' } });
    expect(made.metadata).toEqual({ job: 'nightly' });
    const held = await reserved();
    // Three times 1,000 tokens of output and a few of input, at half the price.
    expect(held).toBeGreaterThan(3 * 1000 * 10 * 0.25);
    expect(held).toBeLessThan(3 * 1100 * 10 * 0.25);
    expect((await site.balances()).quota).toBe(before.quota - held);
    provider.batches.progress(made.id, 1);
    const running = await client().batches.retrieve(made.id);
    expect(running).toMatchObject({ status: 'in_progress', request_counts: { total: 3, completed: 1 } });
    expect(await rowOf(made.id)).toMatchObject({
      platform: 'batch',
      action: 'BATCH',
      status: 'IN_PROGRESS',
      progress: 33,
    });
    provider.batches.end(made.id);
    const done = await client().batches.retrieve(made.id);
    expect(done).toMatchObject({ status: 'completed', request_counts: { completed: 3, failed: 0 } });
    const content = await (await client().files.content(done.output_file_id ?? '')).text();
    expect(
      content
        .trim()
        .split('\n')
        .map((each) => (JSON.parse(each) as AskedLine).custom_id),
    ).toEqual(['c', 'b', 'a']);
    expect(await ended(made.id)).toMatchObject({ status: 'SUCCESS', quota: String(3 * priceOfLine), fail_reason: '' });
    expect(await reserved()).toBe(0);
    expect((await site.balances()).quota).toBe(before.quota - 3 * priceOfLine);
    const [row] = await site.chargedRows(1);
    expect(row).toMatchObject({ model: 'gpt-4o', quota: 3 * priceOfLine, promptTokens: 3000, completionTokens: 600 });
    expect(row?.other).toMatchObject({
      price_when: { tier: 'batch' },
      request_path: '/v1/chat/completions',
      batch: { id: made.id, lines: 3, ended: 3 },
      admin_info: { use_channel: [String(channel)], upstream_cost: (3 * priceOfLine) / 500_000 },
    });
    expect(row && explainCharge(row).quota).toBe(3 * priceOfLine);
    // The provider is not asked again about a batch that has ended.
    const calls = provider.calls.length;
    expect(await client().batches.retrieve(made.id)).toEqual(done);
    expect(provider.calls).toHaveLength(calls);
  });

  it('are listed to their user alone, newest first, and are no one else’s', async () => {
    const [first, second] = [await create([line('a')]), await create([line('a')])];
    const other = await site.addCustomer(`bob${Date.now() % 1e6}`);
    const ids = (await client().batches.list({ limit: 2 })).data.map(({ id }) => id);
    expect(ids).toEqual([second.id, first.id]);
    expect((await client().batches.list({ limit: 1, after: second.id })).data.map(({ id }) => id)).toEqual([first.id]);
    expect((await client(other.key).batches.list()).data).toEqual([]);
    const before = provider.calls.length;
    await expect(client(other.key).batches.retrieve(first.id)).rejects.toEqual(error(404, 'unknown_id'));
    await expect(client(other.key).batches.cancel(first.id)).rejects.toEqual(error(404, 'unknown_id'));
    await expect(
      client(other.key).batches.create({
        input_file_id: first.input_file_id,
        endpoint: '/v1/chat/completions',
        completion_window: '24h',
      }),
    ).rejects.toEqual(error(404, 'unknown_id'));
    expect(provider.calls.slice(before).filter(({ call }) => !call.startsWith('GET /v1/batches'))).toEqual([]);
    const data = await site.server.api.graphql(
      site.user,
      `{ myCreativeTasks(filter: { platforms: ["batch"] }, pageSize: 1) {
           items { taskId action status progress input quota } } }`,
    );
    expect(data.data).toEqual({
      myCreativeTasks: {
        items: [
          {
            taskId: second.id,
            action: 'BATCH',
            status: expect.any(String) as unknown,
            progress: expect.any(Number) as unknown,
            input: '1 × /v1/chat/completions, gpt-4o',
            quota: 0,
          },
        ],
      },
    });
    const rows = await site.server.api.data<{ items: Array<Record<string, unknown>> }>(
      site.root,
      'GET',
      '/api/task/?platform=batch',
    );
    expect(JSON.stringify(rows)).toContain(first.id);
    expect(JSON.stringify(rows)).not.toContain('terms');
    for (const id of [first.id, second.id]) provider.batches.end(id);
    for (const id of [first.id, second.id]) await ended(id);
  });

  it('that are cancelled or expire are charged for what was answered, and the rest is returned', async () => {
    const before = await site.balances();
    const some = await create([line('a'), line('b'), line('c')]);
    expect((await client().batches.cancel(some.id)).status).toBe('cancelling');
    provider.batches.end(some.id, (asked) => (asked.custom_id === 'a' ? usualAnswer(asked) : null), 'cancelled');
    expect(await ended(some.id)).toMatchObject({
      status: 'SUCCESS',
      quota: String(priceOfLine),
      fail_reason: 'cancelled',
    });
    await expect(client().batches.cancel(some.id)).rejects.toMatchObject({ status: 409 });
    const errors = (await client().batches.retrieve(some.id)).error_file_id ?? '';
    expect(await (await client().files.content(errors)).text()).toContain('batch_expired');
    const none = await create([line('a')]);
    provider.batches.end(none.id, () => null, 'expired');
    expect(await ended(none.id)).toMatchObject({ status: 'FAILURE', quota: '0', fail_reason: 'expired' });
    const invalid = await create([line('a')]);
    provider.batches.fail(invalid.id, 'This line is not valid.');
    expect(await ended(invalid.id)).toMatchObject({
      status: 'FAILURE',
      fail_reason: 'failed: This line is not valid.',
    });
    const refused = await create([line('a'), line('b')]);
    provider.batches.end(refused.id, (asked) =>
      asked.custom_id === 'a' ? { status: 400, message: 'no' } : usualAnswer(asked),
    );
    expect(await ended(refused.id)).toMatchObject({ status: 'SUCCESS', quota: String(priceOfLine), fail_reason: '' });
    expect(await reserved()).toBe(0);
    expect((await site.balances()).quota).toBe(before.quota - 2 * priceOfLine);
  });

  it.each([
    ['that a line orders', 'gpt-4o', { tools: [{ type: 'web_search' }] }, 0.025, (1000 * 2.5 + 200 * 10) * 0.25],
    // The provider's prompt has it.
    ['that no line names', tuned, {}, 0.01, (1000 * 3.75 + 200 * 15) * 0.5],
  ])('are charged for a search %s at its own price', async (_what, model, more, search, tokens) => {
    const body = { model, messages: undefined, input: 'Hello', max_tokens: undefined, max_output_tokens: 100, ...more };
    const made = await create([line('a', body, { url: '/v1/responses' })], { endpoint: '/v1/responses' });
    if ('tools' in more) expect(await reserved()).toBeGreaterThan(search * 500_000);
    const output = [{ type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search' } }];
    const usage = { input_tokens: 1000, output_tokens: 200 };
    provider.batches.end(made.id, () => ({ body: { object: 'response', output, usage } }));
    expect(await ended(made.id)).toMatchObject({ quota: String(tokens + search * 500_000) });
    const [row] = await site.chargedRows(1);
    expect(row && explainCharge(row).quota).toBe(tokens + search * 500_000);
  });

  it('of Responses and embeddings are charged by their own reports, and a response without one by its estimate', async () => {
    const responses = await create(
      [
        line(
          'a',
          { messages: undefined, input: 'Hello', max_tokens: undefined, max_output_tokens: 100 },
          { url: '/v1/responses' },
        ),
      ],
      { endpoint: '/v1/responses' },
    );
    const usage = { input_tokens: 1000, output_tokens: 200, input_tokens_details: { cached_tokens: 400 } };
    provider.batches.end(responses.id, () => ({ body: { object: 'response', output: [], usage } }));
    // Cached tokens cost half of the price of input.
    expect(await ended(responses.id)).toMatchObject({ quota: String((600 * 2.5 + 400 * 1.25 + 200 * 10) * 0.25) });
    const vectors = await create(
      [{ ...line('a'), url: '/v1/embeddings', body: { model: 'text-embedding-3-small', input: 'Hello' } }],
      { endpoint: '/v1/embeddings' },
    );
    provider.batches.end(vectors.id, () => ({
      body: { data: [], usage: { prompt_tokens: 100_000, total_tokens: 100_000 } },
    }));
    expect(await ended(vectors.id)).toMatchObject({ quota: String(100_000 * 0.02 * 0.25) });
    const silent = await create([line('a')]);
    provider.batches.end(silent.id, () => ({ body: { choices: [{ message: { content: 'x'.repeat(4000) } }] } }));
    const row = await ended(silent.id);
    expect(Number(row?.['quota'])).toBeGreaterThan(1000 * 10 * 0.25);
    expect(Number(row?.['quota'])).toBeLessThan(1100 * 10 * 0.25);
  });

  it.each<[string, readonly (object | string)[], Partial<OpenAI.BatchCreateParams>, number, string, RegExp]>([
    ['a file without lines', [], {}, 400, 'batch_line_invalid', /no lines/],
    ['a line that is no JSON', [line('a'), '{"custom_id"'], {}, 400, 'invalid_request', /Line 2/],
    [
      'a field that is named twice',
      [JSON.stringify(line('a')).replace('"max_tokens"', '"max_tokens":1,"max_tokens"')],
      {},
      400,
      'invalid_request',
      /Line 1/,
    ],
    ['a line without a body', [{ custom_id: 'a', method: 'POST' }], {}, 400, 'batch_line_invalid', /Line 1/],
    [
      'a custom_id that was used',
      [line('a'), line('b'), line('a')],
      {},
      400,
      'batch_line_invalid',
      /Line 3: custom_id a/,
    ],
    ['a line without custom_id', [line('')], {}, 400, 'batch_line_invalid', /Line 1: custom_id/],
    ['another method', [line('a', {}, { method: 'GET' })], {}, 400, 'batch_line_invalid', /method/],
    ['another url', [line('a', {}, { url: '/v1/responses' })], {}, 400, 'batch_line_invalid', /url/],
    ['a stream', [line('a', { stream: true })], {}, 400, 'batch_line_invalid', /streamed/],
    ['a second model', [line('a'), line('b', { model: 'gpt-4o-mini' })], {}, 400, 'batch_model_mismatch', /Line 2/],
    ['a model with another name', [line('a', { model: 'gpt-4.1' })], {}, 400, 'batch_model_mapped', /Line 1/],
    ['a model of no channel', [line('a', { model: 'gpt-9' })], {}, 404, 'unknown_id', /Line 1.*gpt-9/],
    ['a field that is removed', [line('a', { models: ['gpt-4o-mini'] })], {}, 400, 'batch_line_changed', /Line 1/],
    [
      'a file of another user',
      [line('a', { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-of-another' } }] }] })],
      {},
      404,
      'unknown_id',
      /Line 1.*file-of-another/,
    ],
    ['another endpoint', [line('a')], { endpoint: '/v1/moderations' }, 400, 'batch_endpoint_unsupported', /endpoint/],
  ])('with %s are refused by name, and nothing is reserved', async (_what, lines, more, status, code, message) => {
    const before = await site.balances();
    const calls = provider.calls.length;
    await expect(create(lines, more)).rejects.toEqual(error(status, code, message));
    expect(provider.calls.slice(calls).map(({ call }) => call)).not.toContain('POST /v1/batches');
    expect(await site.balances()).toEqual(before);
  });

  it('with a file of another purpose, or of more than 200 MB, are refused', async () => {
    const file = await upload([line('a')], site.key, 'user_data');
    const ask = (input_file_id: string) =>
      client().batches.create({ input_file_id, endpoint: '/v1/embeddings', completion_window: '24h' });
    await expect(ask(file)).rejects.toEqual(error(400, 'batch_file_invalid', /purpose/));
    const large = await upload([line('a')]);
    const stored = provider.objects.get(large)!;
    provider.objects.set(large, { ...stored, shown: { ...stored.shown, bytes: 201 * 1024 * 1024 } });
    await expect(ask(large)).rejects.toEqual(error(400, 'batch_too_large', /too large/));
    await expect(ask('file-of-another')).rejects.toEqual(error(404, 'unknown_id'));
  });

  it('that the balance, the key or a budget does not cover are refused with the amount', async () => {
    const poor = await site.addCustomer(`poor${Date.now() % 1e6}`);
    await site.rows('UPDATE tokens SET unlimited_quota = true WHERE id = $1', [poor.tokenId]);
    // 200 times 16,000 tokens of output, at 10 dollars a million and half of it.
    const file = await upload(
      Array.from({ length: 10 }, (_, id) => line(String(id), { max_tokens: 16_000, n: 20 })),
      poor.key,
    );
    await expect(
      client(poor.key).batches.create({
        input_file_id: file,
        endpoint: '/v1/chat/completions',
        completion_window: '24h',
      }),
    ).rejects.toEqual(error(403, 'insufficient_user_quota', /remaining .*10\.0+.*required .*16\.0/));
    const { key } = await site.server.api.createToken(site.user, { unlimited_quota: false, remain_quota: 1000 });
    const own = await upload([line('a')], key);
    await expect(
      client(key).batches.create({ input_file_id: own, endpoint: '/v1/chat/completions', completion_window: '24h' }),
    ).rejects.toEqual(error(403, 'pre_consume_token_quota_failed', /required/));
    const limited = await site.server.api.createToken(site.user, {
      model_limits_enabled: true,
      model_limits: 'gpt-4o-mini',
    });
    const forbidden = await upload([line('a')], limited.key);
    await expect(
      client(limited.key).batches.create({
        input_file_id: forbidden,
        endpoint: '/v1/chat/completions',
        completion_window: '24h',
      }),
    ).rejects.toEqual(error(403, 'model_not_allowed', /Line 1/));
    expect(await reserved()).toBe(0);
  });

  it('that the provider refuses are released, and their channel or user may be deleted', async () => {
    const before = await site.balances();
    await expect(create([line('a')], { completion_window: '1h' as '24h' })).rejects.toMatchObject({ status: 400 });
    expect(await site.balances()).toEqual(before);
    const gone = await site.addCustomer(`gone${Date.now() % 1e6}`);
    const made = await client(gone.key).batches.create({
      input_file_id: await upload([line('a')], gone.key),
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    });
    const remove = () => site.server.api.data(site.root, 'DELETE', `/api/user/${gone.user.id}`);
    await expect(remove()).rejects.toThrow('calls in flight');
    await site.server.api.data(site.root, 'POST', '/api/user/manage', { id: gone.user.id, action: 'delete' });
    await eventually(
      async () => provider.batches.made.get(made.id)?.shown['status'],
      (status) => status === 'cancelling',
    );
    provider.batches.end(made.id, usualAnswer, 'cancelled');
    expect(await ended(made.id)).toMatchObject({ status: 'SUCCESS', quota: String(priceOfLine) });
    await remove();
    expect(await reserved()).toBe(0);
    const orphan = await create([line('a')]);
    await site.server.api.data(site.root, 'DELETE', `/api/channel/${channel}`);
    expect(await ended(orphan.id)).toMatchObject({ status: 'FAILURE', quota: '0' });
    expect(await reserved()).toBe(0);
    expect(await site.balances()).toEqual(before);
  });
});
