import { startScriptedServer, type ScriptedServer } from '../support/scripted-server.js';
import { Site, type Person } from './site.js';

/** Prices from public lists are compared, selected, applied as one version, and restored. */
let site: Site;
let lists: ScriptedServer;
let root: Person;
/** The documents that the server of lists serves, by path. */
let documents: Record<string, unknown> = {};

beforeAll(async () => {
  lists = await startScriptedServer(({ url }) => {
    const body = documents[url.pathname];
    return body === undefined ? { status: 404 } : { body };
  });
  site = await Site.open({ OUTBOUND_ALLOW: '127.0.0.1' });
  root = await site.setUp();
  await site.expectSuccess(root, 'POST', '/api/channel/', {
    name: 'c',
    type: 1,
    key: 'sk-x',
    base_url: 'https://api.example.com',
    group: 'default',
    models: 'gpt-4o,gpt-5,brand-new',
  });
});
afterAll(() => Promise.all([site.stop(), lists.stop()]));
beforeEach(async () => {
  documents = {};
  // The schedule ends first: each change of a setting begins a run, which could find the checks deleted and make one.
  await setOptions({ PriceSyncHours: '0', PriceCards: '{}' });
  await site.query('DELETE FROM price_checks');
  await site.query('DELETE FROM price_updates');
});

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}

async function setOptions(values: Record<string, string>): Promise<void> {
  for (const [key, value] of Object.entries(values))
    await site.expectSuccess(root, 'PUT', '/api/option/', { key, value });
}
const cards = async (): Promise<Record<string, unknown>> => {
  const { data } = await site.graphql(root, '{ options(filter: { keys: ["PriceCards"] }) { items { json } } }');
  return (data?.['options'] as { items: Array<{ json: Record<string, unknown> }> }).items[0]?.json ?? {};
};

/** Returns a document in OpenRouter's format, in USD per million tokens. */
const openRouter = (prices: Record<string, readonly [input: number, output: number]>): object => ({
  data: Object.entries(prices).map(([id, [input, output]]) => ({
    id,
    pricing: { prompt: String(input / 1e6), completion: String(output / 1e6) },
  })),
});

const checkFields = 'check { id isScheduled sources { label format modelCount skippedCount errorCode } }';
interface Check {
  readonly id: number;
  readonly sources: ReadonlyArray<{ readonly label: string; readonly errorCode: string | null }>;
}
async function check(urls: string[], withCheckId: number | null = null): Promise<Check> {
  const { data, text } = await site.graphql(
    root,
    `mutation ($input: CheckPricesInput!) { checkPrices(input: $input) { ${checkFields} } }`,
    { input: { urls: urls.map((path) => lists.url + path), withCheckId } },
  );
  if (!data?.['checkPrices']) throw new Error(text);
  return (data['checkPrices'] as { check: Check }).check;
}

interface Diff {
  readonly items: ReadonlyArray<Record<string, unknown>>;
  readonly models: readonly string[];
  readonly counts: ReadonlyArray<{ readonly kind: string; readonly count: number }>;
}
async function diff(id: number, args: Record<string, unknown> = {}): Promise<Diff> {
  const { data, text } = await site.graphql(
    root,
    `query ($id: Int, $markup: Float, $threshold: Float, $filter: PriceDiffFilter) { priceCheck(id: $id) {
       diff(markup: $markup, threshold: $threshold, filter: $filter, pageSize: 100) {
         models counts { kind count } totalCount
         items { model kind percent isServed currentSource offers { source card } changes { quantity above when { tier } before after percent } } } } }`,
    { id, ...args },
  );
  if (!data?.['priceCheck']) throw new Error(text);
  return (data['priceCheck'] as { diff: Diff }).diff;
}
const kindsOf = ({ items }: Diff) => items.map(({ model, kind, percent }) => [model, kind, percent]);

interface Update {
  readonly id: number;
  readonly models: readonly string[];
  readonly versionBefore: string;
  readonly versionAfter: string;
  readonly undoneAt: string | null;
}
const updateFields = 'update { id markup models versionBefore versionAfter undoneAt }';
async function apply(input: Record<string, unknown>): Promise<{ update: Update | null; codes: string[] }> {
  const { data, codes } = await site.graphql(
    root,
    `mutation ($input: ApplyPricesInput!) { applyPrices(input: $input) { ${updateFields} } }`,
    { input },
  );
  return { update: (data?.['applyPrices'] as { update: Update | null } | null)?.update ?? null, codes };
}
const undo = (updateId: number) =>
  site.graphql(root, `mutation ($input: UndoPricesInput!) { undoPrices(input: $input) { ${updateFields} } }`, {
    input: { updateId },
  });

it('compares a list with the prices of the site: card, list price, ratios, none', async () => {
  await setOptions({ PriceCards: JSON.stringify({ mine: { prices: { input: 1, output: 2 } } }) });
  // By its ratios gpt-4o costs 2.5 and 10. By the list price gpt-5 costs 1.25 and 10.
  documents['/models'] = openRouter({ mine: [1, 2], 'gpt-4o': [2, 10], 'gpt-5': [1.5, 10], 'brand-new': [3, 4] });
  const made = await check(['/models']);
  expect(made).toMatchObject({
    isScheduled: false,
    sources: [{ label: `${lists.url}/models`, format: 'OPENROUTER', modelCount: 4, skippedCount: 0, errorCode: null }],
  });
  const found = await diff(made.id, { threshold: 5 });
  expect(kindsOf(found)).toEqual([
    ['brand-new', 'NEW', null],
    ['gpt-4o', 'DOWN', -20],
    ['gpt-5', 'UP', 20],
    ['mine', 'SAME', null],
  ]);
  expect(found.items.map(({ currentSource, isServed }) => [currentSource, isServed])).toEqual([
    [null, true],
    ['TABLE', true],
    ['LIST', true],
    ['CARD', false],
  ]);
  expect(found.items[1]?.['changes']).toEqual([
    { quantity: 'input', above: 0, when: null, before: 2.5, after: 2, percent: -20 },
    // The list has no price for it, so the ratio to the input price is kept.
    { quantity: 'cachedInput', above: 0, when: null, before: 1.25, after: 1, percent: -20 },
    { quantity: 'cacheWrite', above: 0, when: null, before: 3.125, after: 2.5, percent: -20 },
    { quantity: 'cacheWrite1h', above: 0, when: null, before: 5, after: 4, percent: -20 },
  ]);
  expect(found.counts.filter(({ count }) => count > 0)).toEqual([
    { kind: 'NEW', count: 1 },
    { kind: 'UP', count: 1 },
    { kind: 'DOWN', count: 1 },
    { kind: 'SAME', count: 1 },
  ]);
  const served = await diff(made.id, { filter: { kinds: ['DOWN', 'SAME'], isServed: true, keyword: 'GPT' } });
  expect(served.models).toEqual(['gpt-4o']);
  expect(await cards()).toEqual({ mine: { prices: { input: 1, output: 2 } } });
});

it('applies the chosen lines with a mark-up as one version, once, and takes them back', async () => {
  documents['/models'] = openRouter({ 'gpt-4o': [2, 10], 'gpt-5': [1.5, 10], 'brand-new': [3, 4] });
  const { id } = await check(['/models']);
  const choices = [{ model: 'gpt-5' }, { model: 'brand-new' }];
  const today = (): string => new Date().toISOString().slice(0, 10);
  const days = [today()];
  const { update } = await apply({ checkId: id, markup: 1.2, choices });
  days.push(today());
  expect(update).toMatchObject({ markup: 1.2, models: ['brand-new', 'gpt-5'], undoneAt: null });
  const source = `${lists.url}/models`;
  const after = await cards();
  expect(after['brand-new']).toEqual({
    prices: { input: 3.6, output: 4.8 },
    source,
    asOf: expect.any(String) as string,
  });
  expect(days).toContain((after['brand-new'] as { asOf: string }).asOf);
  // The input is 1.5 × 1.2. Cached input keeps its ratio to the list price: 0.125 ÷ 1.25 × 1.8. Prices of tools stay.
  expect(after['gpt-5']).toMatchObject({
    prices: { input: 1.8, cachedInput: 0.18, output: 12, webSearch: 0.01, fileSearch: 0.0025 },
  });
  expect(Object.keys(after)).toEqual(['gpt-5', 'brand-new']);

  const versions = await site.query<{ version: string }>('SELECT version FROM price_versions');
  expect(versions.map(({ version }) => version)).toEqual(
    expect.arrayContaining([update?.versionBefore, update?.versionAfter]),
  );
  // The same selection again changes nothing and creates no second version.
  expect(await apply({ checkId: id, markup: 1.2, choices })).toEqual({ update: null, codes: [] });
  expect(await site.query('SELECT id FROM price_updates')).toHaveLength(1);

  const undone = await undo(update?.id ?? 0);
  expect(undone.data?.['undoPrices']).toMatchObject({ update: { undoneAt: expect.any(String) } });
  expect(await cards()).toEqual({});
  expect((await undo(update?.id ?? 0)).codes).toEqual([]);
  const { data } = await site.graphql(root, '{ priceUpdates { id undoneAt } }');
  expect(data?.['priceUpdates']).toEqual([{ id: update?.id, undoneAt: expect.any(String) }]);
  const [version] = await site.query<{ version: string }>(
    `SELECT version FROM price_versions WHERE version = '${update?.versionBefore}'`,
  );
  expect(version?.version).toBe(update?.versionBefore);
});

it('does not take back over a later change of the same card', async () => {
  documents['/models'] = openRouter({ 'brand-new': [3, 4] });
  const { id } = await check(['/models']);
  const { update } = await apply({ checkId: id, choices: [{ model: 'brand-new' }] });
  const typed = { 'brand-new': { prices: { input: 9, output: 9 } } };
  await setOptions({ PriceCards: JSON.stringify(typed) });
  expect((await undo(update?.id ?? 0)).codes).toEqual(['CONFLICT']);
  expect(await cards()).toEqual(typed);
  expect(await site.query('SELECT undone_at FROM price_updates')).toEqual([{ undone_at: null }]);
});

it('calls are charged by the new prices, and by the old ones after they are taken back', async () => {
  documents['/models'] = openRouter({ 'gpt-4o': [2, 8] });
  const priceOf = async (): Promise<unknown> => {
    const { data } = await site.graphql(
      root,
      '{ pricing { models { modelName effective { source lines { price } } } } }',
    );
    const { models } = data?.['pricing'] as { models: Array<{ modelName: string; effective: unknown }> };
    return models.find(({ modelName }) => modelName === 'gpt-4o')?.effective;
  };
  const before = await priceOf();
  const { id } = await check(['/models']);
  const { update } = await apply({ checkId: id, choices: [{ model: 'gpt-4o' }] });
  expect(await priceOf()).toEqual({
    source: 'CARD',
    // The last three lines are the fees of tools, from the price list of the model's maker.
    lines: [2, 1, 2.5, 4, 8, 0.025, 0.0025, 0.03].map((price) => ({ price })),
  });
  await undo(update?.id ?? 0);
  expect(await priceOf()).toEqual(before);
});

it('leaves the choice where sources disagree, and removes what is gone', async () => {
  documents['/a'] = openRouter({ 'brand-new': [3, 4], left: [1, 1] });
  documents['/b'] = openRouter({ 'brand-new': [3, 6] });
  const { id } = await check(['/a', '/b']);
  expect(kindsOf(await diff(id))).toEqual([
    ['brand-new', 'DISAGREE', 50],
    ['left', 'NEW', null],
  ]);
  const model = 'brand-new';
  expect((await apply({ checkId: id, choices: [{ model }] })).codes).toEqual(['INVALID_INPUT']);
  expect((await apply({ checkId: id, choices: [{ model, source: 'elsewhere' }] })).codes).toEqual(['INVALID_INPUT']);
  expect((await apply({ checkId: id, choices: [{ model: 'unknown' }] })).codes).toEqual(['INVALID_INPUT']);
  expect(await cards()).toEqual({});
  await apply({ checkId: id, choices: [{ model, source: `${lists.url}/b` }, { model: 'left' }] });
  expect(await cards()).toMatchObject({ [model]: { prices: { input: 3, output: 6 } }, left: { prices: { input: 1 } } });

  documents['/a'] = openRouter({ 'brand-new': [3, 6] });
  const later = await check(['/a']);
  expect(kindsOf(await diff(later.id))).toEqual([
    ['brand-new', 'SAME', null],
    ['left', 'GONE', null],
  ]);
  const { update } = await apply({ checkId: later.id, choices: [{ model: 'left' }] });
  expect(Object.keys(await cards())).toEqual(['brand-new']);
  await undo(update?.id ?? 0);
  expect(Object.keys(await cards()).sort()).toEqual(['brand-new', 'left']);
});

it('takes a file, alone and beside an address', async () => {
  const file = {
    m: { litellm_provider: 'openai', mode: 'chat', input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 },
  };
  const answer = await site.expectSuccess(root, 'POST', '/api/price_check?name=prices.json', file);
  const { id } = answer.body.data as { id: number };
  expect(kindsOf(await diff(id))).toEqual([['m', 'NEW', null]]);
  documents['/models'] = openRouter({ m: [2, 2] });
  const both = await check(['/models'], id);
  expect(both.sources.map(({ label }) => label)).toEqual(['prices.json', `${lists.url}/models`]);
  expect(kindsOf(await diff(both.id))).toEqual([['m', 'DISAGREE', 100]]);
});

it('reads the other sources when one cannot be read, and fails when none can', async () => {
  documents['/models'] = openRouter({ m: [2, 2] });
  const made = await check(['/missing', '/models']);
  expect(made.sources.map(({ errorCode }) => errorCode)).toEqual(['UPSTREAM_ERROR', null]);
  await expect(check(['/missing'])).rejects.toThrow('UPSTREAM_ERROR');
});

it('reads the prices of another Tollgate, to the cent', async () => {
  const { body } = await site.rest(null, 'GET', '/api/pricing?cards=true');
  documents['/api/pricing'] = body;
  const { id } = await check(['/api/pricing']);
  expect(kindsOf(await diff(id, { threshold: 0 }))).toEqual([
    ['gpt-4o', 'SAME', null],
    ['gpt-5', 'SAME', null],
  ]);
  // Older clients get only the fields that they know.
  const plain = await site.rest(null, 'GET', '/api/pricing');
  expect(JSON.stringify(plain.body)).not.toContain('price_card');
});

describe('on schedule', () => {
  const scheduled = () =>
    site.query<{ id: number; digest: string }>('SELECT id, digest FROM price_checks WHERE is_scheduled ORDER BY id');
  const begin = (more: Record<string, string> = {}) =>
    setOptions({ PriceSyncSources: `${lists.url}/models`, PriceSyncApply: 'false', ...more, PriceSyncHours: '24' });
  const ended = (count: number) =>
    until(async () => (await scheduled()).filter(({ digest }) => digest !== '').length === count);
  const notices = () => lists.calls.filter(({ body }) => body.includes('price_check'));
  beforeEach(async () => {
    documents['/'] = {};
    lists.calls.length = 0;
    await setOptions({ WorkerUrl: lists.url });
    const webhook = { notify_type: 'webhook', webhook_url: 'https://hooks.example.com/a', quota_warning_threshold: 1 };
    await site.expectSuccess(root, 'PUT', '/api/user/setting', webhook);
  });

  it('reports once what differs, and applies nothing', async () => {
    documents['/models'] = openRouter({ 'gpt-5': [1.5, 10], 'brand-new': [3, 4], other: [1, 1] });
    await begin();
    await ended(1);
    expect(await cards()).toEqual({});
    const { data } = await site.graphql(root, '{ priceCheck { isScheduled } }');
    expect(data?.['priceCheck']).toEqual({ isScheduled: true });
    await until(() => notices().length === 1);
    // The values count models of the site: new, more expensive, cheaper, removed, with disagreeing lists, applied and
    // unreadable.
    expect(notices()[0]?.body).toContain('"values":["1","1","0","0","0","0","0"]');
    // The check runs when it is due, and not earlier.
    await setOptions({ RetryTimes: '1' });
    expect(await scheduled()).toHaveLength(1);
    await site.query(`UPDATE price_checks SET created_at = now() - interval '25 hours'`);
    await setOptions({ RetryTimes: '0' });
    await ended(2);
    const [first, second] = await scheduled();
    expect(second?.digest).toBe(first?.digest);
    expect(await cards()).toEqual({});
    expect(notices()).toHaveLength(1);
  });

  it('applies what the option allows: served models, and no change beyond twice or half', async () => {
    documents['/models'] = openRouter({ 'gpt-5': [1.5, 10], 'gpt-4o': [1, 4], 'brand-new': [3, 4], other: [1, 1] });
    await begin({ PriceSyncApply: 'true' });
    await ended(1);
    expect(Object.keys(await cards()).sort()).toEqual(['brand-new', 'gpt-5']);
    const { data } = await site.graphql(root, '{ priceUpdates { models } }');
    expect(data?.['priceUpdates']).toEqual([{ models: ['brand-new', 'gpt-5'] }]);
  });

  it('a source that cannot be read is part of the report', async () => {
    await begin();
    await ended(1);
    const { data } = await site.graphql(root, '{ priceCheck { sources { errorCode } } }');
    expect(data?.['priceCheck']).toEqual({ sources: [{ errorCode: 'UPSTREAM_ERROR' }] });
  });
});
