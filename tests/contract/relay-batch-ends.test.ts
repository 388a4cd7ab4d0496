/** The ends of batches: however large, broken or late their results are, they are charged once and not given away. */
import { BatchSite, line, priceOfLine } from '../support/batch-site.js';
import { freeze } from '../support/freeze.js';
import { eventually } from '../support/task-site.js';

let batches: BatchSite;

beforeAll(async () => {
  batches = await BatchSite.open();
});
afterEach(async () => {
  expect(await batches.site.drift()).toEqual([]);
});
afterAll(() => batches.close());

/** Puts a time into the past. */
const age = (id: string, hours: number): Promise<unknown> =>
  batches.site.rows(`UPDATE tasks SET submit_time = submit_time - make_interval(hours => $2) WHERE task_id = $1`, [
    id,
    hours,
  ]);

it('of more tokens than a column of the log holds are charged', async () => {
  const { site, provider } = batches;
  const made = await batches.create([line('a')]);
  const usage = { prompt_tokens: 200_000, completion_tokens: 0, total_tokens: 200_000 };
  const batch = provider.batches.made.get(made.id)!;
  const lines = Array.from({ length: 11_000 }, (_, id) => ({ ...batch.lines[0]!, custom_id: String(id) }));
  provider.batches.made.set(made.id, { ...batch, lines });
  provider.batches.end(made.id, () => ({ body: { choices: [], usage } }));
  const quota = 11_000 * 200_000 * 2.5 * 0.25;
  expect(await batches.ended(made.id)).toMatchObject({ status: 'SUCCESS', quota: String(quota) });
  expect((await site.chargedRows(1))[0]).toMatchObject({ quota, promptTokens: 2_147_483_647 });
});

it('give no results away before they are charged', async () => {
  const { provider } = batches;
  const made = await batches.create([line('a'), line('b')]);
  provider.batches.end(made.id, ({ custom_id: id }) =>
    id === 'a' ? { body: { choices: [], usage: { prompt_tokens: 1000, completion_tokens: 200 } } } : null,
  );
  const { shown } = provider.batches.made.get(made.id)!;
  const [output, errors] = [String(shown['output_file_id']), String(shown['error_file_id'])];
  const file = provider.objects.get(errors)!;
  const unreadable = {
    ...file.shown,
    toJSON: () => {
      throw new Error('the provider cannot describe the file');
    },
  };
  provider.objects.set(errors, { ...file, shown: unreadable });
  expect((await batches.client().batches.retrieve(made.id)).status).toBe('finalizing');
  const read = () => batches.client().files.content(output);
  await expect(read()).rejects.toMatchObject({ status: 404 });
  await expect(batches.client().files.delete(output)).rejects.toMatchObject({ status: 404 });
  provider.objects.set(errors, file);
  expect(await batches.ended(made.id)).toMatchObject({ status: 'SUCCESS', quota: String(priceOfLine) });
  expect((await read()).status).toBe(200);
});

it('without a charge return the reservation in the transaction that ends them', async () => {
  const { site, provider } = batches;
  const made = await batches.create([line('a')]);
  const frozen = await freeze(site.server.database.url, 'LOCK TABLE reservations IN SHARE ROW EXCLUSIVE MODE', []);
  try {
    provider.batches.end(made.id, () => null, 'expired');
    await frozen.reached();
    expect((await batches.rowOf(made.id))?.['progress']).not.toBe(100);
  } finally {
    await frozen.release();
  }
  expect(await batches.ended(made.id)).toMatchObject({ status: 'FAILURE', quota: '0' });
  await eventually(
    () => batches.reserved(),
    (amount) => amount === 0,
  );
});

it('with a long list of errors keep the rest of their description', async () => {
  const { provider } = batches;
  const made = await batches.create([line('a')]);
  provider.batches.fail(made.id, 'x'.repeat(120_000));
  expect(await batches.ended(made.id)).toMatchObject({ status: 'FAILURE' });
  expect(await batches.client().batches.retrieve(made.id)).toMatchObject({ id: made.id, status: 'failed' });
});

it('come after four days by a cancellation, and after another day without the provider', async () => {
  const { provider } = batches;
  const made = await batches.create([line('a')]);
  provider.batches.progress(made.id);
  await age(made.id, 97);
  await eventually(
    () => Promise.resolve(provider.batches.made.get(made.id)?.shown['status']),
    (status) => status === 'cancelling',
  );
  expect(await batches.reserved()).toBeGreaterThan(0);
  await age(made.id, 24);
  expect(await batches.ended(made.id)).toMatchObject({ status: 'FAILURE', quota: '0' });
  expect(await batches.reserved()).toBe(0);
});

it('with results that take long to read do not delay other tasks', async () => {
  const { site, provider } = batches;
  const made = await batches.create([line('a')]);
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  let isReading = false;
  provider.onContent = () => {
    isReading = true;
    return opened;
  };
  try {
    provider.batches.end(made.id);
    await eventually(() => Promise.resolve(isReading), Boolean);
    const { body } = await site.call('POST', '/suno/submit/MUSIC', { prompt: 'a song of the sea' });
    const song = String(body['data']);
    site.tasks.reported.set(song, { action: 'MUSIC', status: 'SUCCESS', progress: '100%', data: [] });
    expect(await batches.ended(song)).toMatchObject({ status: 'SUCCESS' });
    expect((await batches.rowOf(made.id))?.['progress']).not.toBe(100);
  } finally {
    provider.onContent = null;
    open();
  }
  expect(await batches.ended(made.id)).toMatchObject({ status: 'SUCCESS', quota: String(priceOfLine) });
});
