import type { Browser, Locator } from 'playwright-core';
import type { Person } from '../support/api.js';
import { startScriptedServer, type ScriptedServer } from '../support/scripted-server.js';
import { startServer, type LocalServer } from '../support/server.js';
import { chooseOfPage, openBrowser, visit, type Visitor } from './console-page.js';
import { enter, photographAll } from './console-session.js';

/* Price sync and the card editor, in a browser. */

jest.setTimeout(120_000);

let server: LocalServer;
let lists: ScriptedServer;
let browser: Browser;
let visitor: Visitor;
let root: Person;

beforeAll(async () => {
  // The document has OpenRouter's form: gpt-5 above its list price of 1.25, gpt-4o below its ratios, and a new model.
  const price = (id: string, input: number, output: number): object => ({
    id,
    pricing: { prompt: String(input / 1e6), completion: String(output / 1e6) },
  });
  const document = { data: [price('gpt-5', 1.5, 10), price('gpt-4o', 2, 10), price('house-model', 3, 4)] };
  lists = await startScriptedServer(() => ({ body: document }));
  [server, browser] = await Promise.all([startServer({ environment: { OUTBOUND_ALLOW: '127.0.0.1' } }), openBrowser()]);
  root = await server.api.setUp();
  await server.api.createChannel(root, {
    baseUrl: 'https://api.example.com',
    models: ['gpt-4o', 'gpt-5', 'house-model'],
  });
  visitor = await visit(browser, server.url);
  await enter(visitor);
});

afterAll(async () => {
  await browser.close();
  await Promise.all([server.stop(), lists.stop()]);
});

afterEach(() => {
  expect(visitor.complaints).toEqual([]);
});

const button = (name: string): Locator => visitor.page.getByRole('button', { name, exact: true });
const row = (name: RegExp): Locator => visitor.page.getByRole('row', { name });

async function cards(): Promise<Record<string, unknown>> {
  const rows = await server.api.data<{ key: string; value: string }[]>(root, 'GET', '/api/option/');
  return JSON.parse(rows.find(({ key }) => key === 'PriceCards')?.value ?? '{}') as Record<string, unknown>;
}

it('names who changed the price of a model in two clicks, and exports it', async () => {
  const { page } = visitor;
  const ratios = await server.api.data<{ key: string; value: string }[]>(root, 'GET', '/api/option/');
  const before = JSON.parse(ratios.find(({ key }) => key === 'ModelRatio')?.value ?? '{}') as Record<string, number>;
  const save = (ratio: number) =>
    server.api.data(root, 'PUT', '/api/option/', {
      key: 'ModelRatio',
      value: JSON.stringify({ ...before, 'house-model': ratio }),
    });
  await save(3);
  await save(4);
  await page.goto('/setting?tab=operation&section=prices&view=visual');
  await page.getByLabel('Model name').fill('house-model');
  // The first click opens the history of the model.
  await page.getByLabel('Price changes of house-model').click();
  // The list has only changes of this model, with the user who made them. The second click shows all values of one
  // change.
  const change = row(/root.*house-model: \$6\.00 \/ 1M → \$8\.00 \/ 1M/);
  await change.waitFor();
  expect(await page.getByRole('row').count()).toBe(3);
  await change.locator('[data-field=changes]').click();
  await page.getByRole('dialog').getByText('root').first().waitFor();
  await photographAll(visitor, 'price-history-of-model');
  await page.keyboard.press('Escape');
  const [download] = await Promise.all([page.waitForEvent('download'), chooseOfPage(page, 'Export')]);
  expect(download.suggestedFilename()).toBe('price-history.csv');
  const { value } = { value: JSON.stringify(before) };
  await server.api.data(root, 'PUT', '/api/option/', { key: 'ModelRatio', value });
});

it('compares a list with the prices, applies chosen lines with a mark-up, and takes them back', async () => {
  const { page } = visitor;
  await page.goto('/setting?tab=operation&section=prices&view=sync');
  await button('LiteLLM').click();
  await page.getByLabel('Other addresses').fill(`${lists.url}/api/v1/models`);
  await button('Check').click();
  await row(/gpt-4o Cheaper −20%/).waitFor();
  await row(/gpt-5 Dearer \+20%/).waitFor();
  await row(/house-model New/).waitFor();
  expect(await cards()).toEqual({});
  await photographAll(visitor, 'price-sync');

  await page.getByRole('gridcell', { name: 'gpt-4o', exact: true }).click();
  const details = page.getByRole('dialog');
  await details.getByText('Cache write, 1 h').waitFor();
  await page.keyboard.press('Escape');
  await details.waitFor({ state: 'detached' });

  await page.getByLabel('Mark-up').first().fill('2');
  await row(/gpt-5 Dearer \+140%/).waitFor();
  await button('Select all changes').click();
  await button('Apply 3 prices').click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Apply' }).click();
  await page.getByText('3 prices applied').waitFor();
  expect(await cards()).toMatchObject({ 'gpt-5': { prices: { input: 3, output: 20 } }, 'house-model': {} });

  await button('Undo').click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Taken back', { exact: true }).waitFor();
  expect(await cards()).toEqual({});
});

it('edits every price of a card, and switches between ratios, card and list price', async () => {
  const { page } = visitor;
  await page.goto('/setting?tab=operation&section=prices');
  await page.getByRole('textbox', { name: 'Model name' }).fill('gpt-5');
  await row(/gpt-5/).getByText('gpt-5', { exact: true }).click();
  const panel = page.getByRole('region', { name: 'gpt-5', exact: true });
  await panel.getByRole('button', { name: 'All prices' }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByLabel('Cache write, 1 h').fill('2.5');
  await drawer.getByRole('button', { name: 'Add tier' }).click();
  const tier = drawer.getByRole('group', { name: 'Tier 1', exact: true });
  await tier.getByLabel('Above tokens').fill('200000');
  await tier.getByLabel('Input', { exact: true }).fill('1');
  await drawer.getByRole('button', { name: 'Use card' }).click();
  await drawer.getByText('A long prompt must not be cheaper than a short one.').waitFor();
  await tier.getByLabel('Input', { exact: true }).fill('2.5');
  await drawer.getByLabel('Source').fill('https://provider.example/pricing');
  await drawer.getByLabel('Read on').fill('2026-01');
  await visitor.photograph('price-card');
  await drawer.getByRole('button', { name: 'Use card' }).click();
  await drawer.waitFor({ state: 'detached' });
  await panel.getByText('provider.example/pricing · 2026-01 · older than 90 days').waitFor();
  await page.getByRole('region', { name: 'Unsaved changes' }).getByRole('button', { name: 'Save' }).click();
  await page.getByText('Settings saved').first().waitFor();
  expect((await cards())['gpt-5']).toMatchObject({
    prices: { input: 1.25, cacheWrite1h: 2.5, output: 10 },
    contextTiers: [{ above: 200_000, prices: { input: 2.5 } }],
    source: 'https://provider.example/pricing',
    asOf: '2026-01',
  });

  await panel.getByRole('button', { name: 'List price' }).click();
  await panel.getByText('2026-11').waitFor();
  await panel.getByRole('button', { name: 'Ratios' }).click();
  await panel.getByLabel('Input / 1M').waitFor();
  await page.getByRole('region', { name: 'Unsaved changes' }).getByRole('button', { name: 'Save' }).click();
  await page.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'detached' });
  expect(await cards()).toEqual({});
  const rows = await server.api.data<{ key: string; value: string }[]>(root, 'GET', '/api/option/');
  const ratios = JSON.parse(rows.find(({ key }) => key === 'ModelRatio')?.value ?? '{}') as Record<string, number>;
  expect(ratios['gpt-5']).toBe(0.625);
});

it('tries unsaved prices on past calls, asks before a sale below cost, and marks it', async () => {
  const { page } = visitor;
  // 1,000 tokens in and 500 out were charged 3,750 quota at $2.50 and $10.
  await server.dataSource.query(
    `INSERT INTO logs (created_at, type, user_id, username, model_name, "group", channel_id, quota, prompt_tokens, completion_tokens, other)
     VALUES (extract(epoch FROM now())::bigint - 60, 2, $1, 'root', 'gpt-4o', 'default', 1, 3750, 1000, 500, '{"admin_info":{"upstream_cost":0.0075}}')`,
    [root.id],
  );
  await page.goto('/setting?tab=operation&section=prices');
  await page.getByRole('textbox', { name: 'Model name' }).fill('gpt-4o');
  await page
    .getByRole('row')
    .filter({ has: page.getByText('gpt-4o', { exact: true }) })
    .click();
  const panel = page.getByRole('region', { name: 'gpt-4o', exact: true });
  await panel.getByLabel('Input / 1M').fill('1');
  await panel.getByLabel('Output / 1M').fill('8');

  await button('Try on past calls').click();
  const dialog = page.getByRole('dialog', { name: 'Unsaved prices on past calls' });
  await dialog.getByRole('button', { name: 'Compare' }).click();
  // 1,000 x $1 + 500 x $8 = $0.005
  await dialog.getByRole('group', { name: 'Revenue' }).getByText('$0.0075 → $0.0050').waitFor();
  await dialog
    .getByRole('group', { name: 'Margin' })
    .getByText('$0.0000 → -$0.0025')
    .or(dialog.getByText('$0.00 → -$0.0025'))
    .waitFor();
  await dialog.getByText('1 of 1 calls compared').waitFor();
  await photographAll(visitor, 'price-dry-run');
  await dialog.getByRole('button', { name: 'Close' }).click();

  const save = page.getByRole('region', { name: 'Unsaved changes' }).getByRole('button', { name: 'Save' });
  await save.click();
  const question = page.getByRole('alertdialog');
  await question.getByRole('row', { name: /gpt-4o.*\$2\.50.*\$1\.00.*\$2\.50.*-\$1\.50/ }).waitFor();
  await visitor.photograph('below-cost-question');
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect(await cards()).toEqual({});
  await save.click();
  await question.getByRole('button', { name: 'Save anyway' }).click();
  await page.getByText('Settings saved').first().waitFor();
  expect((await cards())['gpt-4o']).toMatchObject({ prices: { input: 1, output: 8 } });
  await page.goto('/channel');
  await page.getByText('Below cost').first().waitFor();
  await photographAll(visitor, 'channels-below-cost');
});
