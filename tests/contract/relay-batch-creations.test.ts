/** Creations of batches: what they reserve, and what a client that leaves or repeats them costs. */
import { BatchSite, line, priceOfLine, responsesLine } from '../support/batch-site.js';
import { eventually } from '../support/task-site.js';

let batches: BatchSite;

beforeAll(async () => {
  batches = await BatchSite.open();
});
afterEach(async () => {
  batches.provider.onBatch = null;
  batches.provider.onContent = null;
  expect(await batches.site.drift()).toEqual([]);
});
afterAll(() => batches.close());

/** A gate that holds requests of the server at the provider. */
function gate(): { readonly wait: () => Promise<void>; readonly waiting: () => number; readonly open: () => void } {
  let count = 0;
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const wait = (): Promise<void> => {
    count++;
    return opened;
  };
  return { wait, waiting: () => count, open };
}
const until = (condition: () => boolean): Promise<boolean> => eventually(() => Promise.resolve(condition()), Boolean);
const calls = (call: string): number => batches.provider.calls.filter((each) => each.call === call).length;
const input = (file: string) => ({
  input_file_id: file,
  endpoint: '/v1/chat/completions' as const,
  completion_window: '24h' as const,
});

describe('an image', () => {
  const url = 'https://images.example.com/a.png';
  const png = (width: number, height: number): string => {
    const head = Buffer.alloc(33);
    head.writeUInt32BE(0x89504e47, 0);
    head.writeUInt32BE(width, 16);
    head.writeUInt32BE(height, 20);
    return `data:image/png;base64,${head.toString('base64')}`;
  };
  const chat = (model: string, image: object) =>
    line('a', { model, messages: [{ role: 'user', content: [{ type: 'image_url', image_url: image }] }] });
  const responses = (model: string, image: object) =>
    responsesLine('a', { model, input: [{ role: 'user', content: [{ type: 'input_image', ...image }] }] });

  // The largest image of gpt-4o has 8 tiles of 170 tokens and a base of 85; that of gpt-4o-mini 8 of 5,667 and 2,833.
  it.each<[string, object, number]>([
    ['an address in a chat', chat('gpt-4o', { url }), 1445],
    ['an address in a chat of gpt-4o-mini', chat('gpt-4o-mini', { url }), 48_169],
    ['an address in Responses', responses('gpt-4o', { image_url: url }), 1445],
    ['an address in Responses of gpt-4o-mini', responses('gpt-4o-mini', { image_url: url }), 48_169],
    ['low detail in Responses of gpt-4o-mini', responses('gpt-4o-mini', { image_url: url, detail: 'low' }), 2833],
    ['a known size in Responses of gpt-4o-mini', responses('gpt-4o-mini', { image_url: png(512, 512) }), 8500],
    ['a large size in Responses', responses('gpt-4o', { image_url: png(2048, 2048) }), 765],
  ])('of %s reserves its most tokens', async (_what, each, tokens) => {
    const endpoint = (each as { url: '/v1/responses' }).url;
    const made = await batches.create([each], endpoint);
    const terms = (await batches.rowOf(made.id))?.['properties'] as { terms: { meanPrompt: number } };
    expect(terms.terms.meanPrompt).toBeGreaterThanOrEqual(tokens);
    expect(terms.terms.meanPrompt).toBeLessThan(tokens + 40);
    batches.provider.batches.end(made.id, () => null, 'expired');
    await batches.ended(made.id);
  });
});

describe('a client that leaves', () => {
  it('while its file is read orders nothing', async () => {
    const { provider, site } = batches;
    const file = await batches.upload([line('a')]);
    const held = gate();
    provider.onContent = held.wait;
    const before = { made: calls('POST /v1/batches'), balances: await site.balances() };
    const abort = new AbortController();
    const asked = batches.client().batches.create(input(file), { signal: abort.signal });
    await until(() => held.waiting() === 1);
    abort.abort();
    await expect(asked).rejects.toThrow(/abort/i);
    await new Promise((resolve) => setTimeout(resolve, 200));
    held.open();
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(calls('POST /v1/batches')).toBe(before.made);
    expect(await site.balances()).toEqual(before.balances);
  });

  it('while the provider creates the batch finds it in its list', async () => {
    const { provider } = batches;
    const file = await batches.upload([line('a')]);
    const held = gate();
    provider.onBatch = held.wait;
    const abort = new AbortController();
    const asked = batches.client().batches.create(input(file), { signal: abort.signal });
    await until(() => held.waiting() === 1);
    abort.abort();
    await expect(asked).rejects.toThrow(/abort/i);
    held.open();
    const id = [...provider.batches.made.keys()].at(-1)!;
    await eventually(
      async () => (await batches.client().batches.list()).data[0]?.id,
      (found) => found === id,
    );
    provider.batches.end(id);
    expect(await batches.ended(id)).toMatchObject({ status: 'SUCCESS', quota: String(priceOfLine) });
  });
});

it('of one user run two at a time', async () => {
  const { provider, site } = batches;
  const file = await batches.upload([line('a')]);
  const held = gate();
  provider.onContent = held.wait;
  const asked = [0, 1].map(() => batches.client().batches.create(input(file)));
  await until(() => held.waiting() === 2);
  await expect(batches.client().batches.create(input(file))).rejects.toMatchObject({
    status: 429,
    code: 'batch_creations_limited',
  });
  const other = await site.addCustomer('other');
  const own = batches.upload([line('a')], other.key).then((id) => batches.client(other.key).batches.create(input(id)));
  await until(() => held.waiting() === 3);
  held.open();
  const made = await Promise.all([...asked, own]);
  made.push(await batches.client().batches.create(input(file)));
  for (const { id } of made) provider.batches.end(id, () => null, 'expired');
  for (const { id } of made) await batches.ended(id);
});

it('that was not confirmed is found behind a hundred newer ones', async () => {
  const { provider, site } = batches;
  const made = await batches.create([line('a')]);
  const found = provider.batches.made.get(made.id)!;
  for (let newer = 0; newer < 230; newer++) {
    const id = `batch_newer_${newer}`;
    provider.batches.made.set(id, { ...found, shown: { ...found.shown, id, metadata: null } });
  }
  await site.rows(`UPDATE tasks SET task_id = '', status = 'NOT_START' WHERE task_id = $1`, [made.id]);
  await eventually(
    () => batches.rowOf(made.id),
    (row) => row !== undefined,
  );
  provider.batches.end(made.id);
  expect(await batches.ended(made.id)).toMatchObject({ status: 'SUCCESS', quota: String(priceOfLine) });
});

it('that has ended is read once, however many ask for it', async () => {
  const { provider } = batches;
  const made = await batches.create([line('a')]);
  const held = gate();
  provider.onContent = held.wait;
  provider.batches.end(made.id);
  const output = String(provider.batches.made.get(made.id)?.shown['output_file_id']);
  const asked = Array.from({ length: 5 }, () => batches.client().batches.retrieve(made.id));
  await until(() => held.waiting() > 0);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  held.open();
  for (const batch of await Promise.all(asked)) expect(batch.status).toBe('completed');
  expect(calls(`GET /v1/files/${output}/content`)).toBe(1);
});

describe('a line', () => {
  it('whose response a guardrail would check is refused', async () => {
    const rule = { name: 'no-fruit', stage: 'output', action: 'block', check: 'words', words: ['pineapple'] };
    await batches.site.setOption('guardrails.rules', JSON.stringify([rule]));
    await eventually(
      () =>
        batches.create([line('a')]).then(({ id }) => batches.provider.batches.end(id, () => null, 'expired'), String),
      (found) => String(found).includes('Line 1: A guardrail checks responses'),
    );
    await batches.site.setOption('guardrails.rules', '[]');
    await eventually(
      () =>
        batches.create([line('a')]).then(({ id }) => batches.provider.batches.end(id, () => null, 'expired'), String),
      (found) => found === undefined,
    );
  });

  it('that orders a search which nobody reports is refused', async () => {
    await expect(batches.create([line('a', { enable_search: true })])).rejects.toThrow(/Line 1: Searches/);
  });

  it('is charged for no more than its model can take and produce', async () => {
    const made = await batches.create([line('a')]);
    const usage = { prompt_tokens: 1e9, completion_tokens: 1e9, total_tokens: 2e9 };
    batches.provider.batches.end(made.id, () => ({ body: { choices: [], usage } }));
    // Twice the limits of gpt-4o.
    const quota = (2 * 128_000 * 2.5 + 2 * 16_384 * 10) * 0.25;
    expect(await batches.ended(made.id)).toMatchObject({ status: 'SUCCESS', quota: String(quota) });
  });
});
