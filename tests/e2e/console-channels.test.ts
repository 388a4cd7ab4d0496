import type { Browser, Locator } from 'playwright-core';
import type { Person } from '../support/api.js';
import { startServer, type TestServer } from '../support/server.js';
import { json } from '../support/upstream/replies.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { hiddenInRows } from './console-fit.js';
import { chooseOfPage, openBrowser, settled, untilEqual, visit, type Visitor } from './console-page.js';
import { enter, photographAll, sidewaysOverflow } from './console-session.js';

/** An admin with many channels: tags, batches, tests and balances. */
jest.setTimeout(120_000);

let upstream: Upstream;
let server: TestServer;
let browser: Browser;
let visitor: Visitor;
let root: Person;

beforeAll(async () => {
  [upstream, server, browser] = await Promise.all([startUpstream(), startServer(), openBrowser()]);
  root = await server.api.setUp();
  for (const [name, tag, more] of [
    ['OpenAI primary', 'openai-us', { priority: 10, weight: 50 }],
    ['OpenAI overflow', 'openai-us', { weight: 20 }],
    ['Azure East US 2', 'openai-us', { priority: 5, weight: 10, status: 2 }],
    ['Gemini AI Studio', '', { weight: 10 }],
    ['Local Ollama', '', { status: 2 }],
  ] as const) {
    const models = ['gpt-4o', 'gpt-4o-mini', 'o3-mini', 'o1'];
    await server.api.createChannel(root, { name, baseUrl: upstream.url, models, more: { tag, ...more } });
  }
  visitor = await visit(browser, server.url);
  await enter(visitor);
  await visitor.page.getByRole('link', { name: 'Channels' }).click();
  await row('OpenAI primary').waitFor();
});

afterAll(async () => {
  await browser.close();
  await server.stop();
  await upstream.stop();
});

afterEach(() => {
  expect(visitor.complaints).toEqual([]);
});

const longName = 'Azure OpenAI East US 2 backup';
const row = (text: string | RegExp): Locator => visitor.page.getByRole('row').filter({ hasText: text });
const button = (name: string): Locator => visitor.page.getByRole('button', { name, exact: true });
const item = (name: string): Locator => visitor.page.getByRole('menuitem', { name, exact: true });
const toast = (text: string | RegExp): Promise<void> => visitor.page.getByText(text).first().waitFor();
const inTag = async (tag: string): Promise<string[]> => {
  const all = await server.api.data<{ name: string; tag: string }[]>(root, 'GET', '/api/channel/?page_size=100');
  return all.flatMap((channel) => (channel.tag === tag ? [channel.name] : [])).sort();
};

it('chooses rows, tags them together, and clears the choice', async () => {
  const { page } = visitor;
  await photographAll(visitor, 'channels');
  // The desktop layout is mounted again.
  await settled(page);
  await row('Gemini AI Studio').getByRole('checkbox').check();
  await row('Local Ollama').getByRole('checkbox').check();
  await page.getByText('2 selected').waitFor();
  await visitor.photograph('channels-selected-light-1440');
  await button('Set tag').click();
  const dialog = page.getByRole('dialog', { name: 'Set tag for 2 channels' });
  await dialog.getByRole('button', { name: 'Set tag' }).click();
  await dialog.getByText('Tag cannot be empty').waitFor();
  await dialog.getByLabel('Tag').fill('others');
  await dialog.getByRole('button', { name: 'Set tag' }).click();
  await toast('2 channels tagged “others”');
  await page.getByRole('search').waitFor();
  expect(await inTag('others')).toEqual(['Gemini AI Studio', 'Local Ollama']);
});

it('works on whole tags in tag mode', async () => {
  const { page } = visitor;
  await chooseOfPage(page, 'Tag mode');
  await row('openai-us').getByText('2 of 3 on').waitFor();
  expect(new URL(page.url()).searchParams.get('tags')).toBe('1');
  await page.getByText('Items 1 - 2 of 2').waitFor();
  await button('Channels of tag openai-us').click();
  await row('Azure East US 2').waitFor();
  await photographAll(visitor, 'channelstags');

  await page.getByLabel('Enable all channels of tag openai-us').click();
  await page.getByText('Disable all 3 channels tagged “openai-us”?').waitFor();
  await button('Disable all').click();
  await row('openai-us').getByText('0 of 3 on').waitFor();
  await page.getByLabel('Enable all channels of tag openai-us').click();
  await row('openai-us').getByText('3 of 3 on').waitFor();

  await page.getByLabel('Priority of openai-us').fill('8');
  await page.keyboard.press('Enter');
  await row('Azure East US 2').getByRole('textbox', { name: 'Priority' }).and(page.locator('[value="8"]')).waitFor();

  await button('More actions for tag others').click();
  await item('Edit tag').click();
  const drawer = page.getByRole('dialog', { name: 'Edit tag' });
  await drawer.getByLabel('Name').fill('');
  await drawer.getByText(/removes the tag/).waitFor();
  await visitor.photograph('channels-tageditor-light-1440');
  await drawer.getByRole('button', { name: 'Save tag' }).click();
  await toast('2 channels updated');
  await page.getByText('Items 1 - 3 of 3').waitFor();
  expect(await inTag('others')).toEqual([]);
});

it('tests each model of a channel, three at a time', async () => {
  const { page } = visitor;
  await chooseOfPage(page, 'Tag mode');
  upstream.script({ model: 'o1' }, json({ error: { message: 'no such key' } }, 401));
  await button('More actions for OpenAI primary').click();
  await item('Test with model').click();
  const dialog = page.getByRole('dialog', { name: 'Test “OpenAI primary”' });
  await dialog.getByRole('textbox', { name: 'Search models' }).fill('mini');
  await untilEqual(() => dialog.getByRole('listitem').count(), 2);
  await dialog.getByRole('textbox', { name: 'Search models' }).fill('');
  await untilEqual(() => dialog.getByRole('listitem').count(), 4);
  await dialog.getByRole('button', { name: 'Test all' }).click();
  await dialog.getByText('Failed').waitFor();
  const durations = dialog.getByText(/^[\d.]+ m?s$/);
  await durations.nth(2).waitFor();
  expect(await durations.count()).toBe(3);
  await visitor.photograph('channels-test-light-1440');
  await dialog.getByRole('button', { name: 'Close' }).click();
});

it('asks for a balance by a click, copies a channel with its key, and takes the models the provider has', async () => {
  const { page } = visitor;
  upstream.script({ path: '/v1/dashboard/billing/subscription' }, json({ hard_limit_usd: 120 }));
  upstream.script({ path: '/v1/dashboard/billing/usage' }, json({ total_usage: 2050 }));
  await button('Columns').click();
  await page.getByRole('dialog').getByRole('checkbox', { name: 'Balance', exact: true }).check();
  await page.getByRole('dialog').getByRole('button', { name: 'OK', exact: true }).click();
  await button('Update balance of OpenAI primary').click();
  await row('OpenAI primary').getByText('$99.50').waitFor();

  const long = 'accounts/fireworks/models/deepseek-coder-v2-lite-instruct';
  const data = ['gpt-4o', 'brand-new', long].map((id) => ({ id }));
  upstream.script({ path: '/v1/models' }, json({ object: 'list', data }));
  await button('More actions for OpenAI primary').click();
  await item('Fetch from upstream').click();
  const picker = page.getByRole('dialog', { name: 'Select models' });
  const rightOf = (at: Locator) => at.evaluate((element) => element.getBoundingClientRect().right);
  const offered = picker.locator('label').filter({ hasText: long });
  expect(await rightOf(offered.getByText('No price'))).toBeLessThanOrEqual((await rightOf(offered)) + 1);
  await visitor.photograph('model-picker-long-names');
  await picker.getByLabel('brand-new').check();
  await picker.getByText('5 selected').waitFor();
  await picker.getByRole('button', { name: 'Apply' }).click();
  await toast('Channel “OpenAI primary” saved');

  await button('More actions for Gemini AI Studio').click();
  await item('Copy').click();
  await toast('Channel “Gemini AI Studio copy” created');
  await row('Gemini AI Studio copy').waitFor();
});

it('leaves the focus at the button behind the picker of fetched models', async () => {
  const { page } = visitor;
  await row('OpenAI primary').getByRole('link').click();
  await page.getByRole('tab', { name: 'Settings' }).click();
  const settings = page.getByRole('region', { name: 'Edit channel' });
  const fetching = settings.getByRole('button', { name: 'Fetch from upstream' });
  // Slow enough for the browser to take the focus from the button, which is disabled meanwhile.
  upstream.script({ path: '/v1/models' }, (response) => {
    setTimeout(() => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"object":"list","data":[{"id":"gpt-5"}]}');
    }, 300);
  });
  await fetching.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Select models' }).getByRole('button', { name: 'Cancel' }).click();
  await untilEqual(() => page.evaluate(() => document.activeElement?.textContent), 'Fetch from upstream');
  await page.goto('/channel');
});

it('repairs, and deletes what is disabled and what was chosen', async () => {
  const { page } = visitor;
  await chooseOfPage(page, 'Fix database consistency');
  await toast('0 channels repaired');
  await chooseOfPage(page, 'Delete disabled channels');
  await page.getByText('Delete all disabled channels?').waitFor();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await row('Local Ollama').waitFor({ state: 'detached' });
  await row('Gemini AI Studio copy').getByRole('checkbox').check();
  await page.getByRole('main').getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('Delete 1 channel?').waitFor();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await row('Gemini AI Studio copy').waitFor({ state: 'detached' });
});

it('shows the whole of a long name at 1440 pixels', async () => {
  const { page } = visitor;
  await server.api.createChannel(root, { name: longName, baseUrl: upstream.url, key: 'sk-refused' });
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.reload();
  const name = row(longName).getByRole('link');
  const cut = await name.evaluate((link) => [
    link.scrollWidth - link.clientWidth,
    link.scrollHeight - link.clientHeight,
  ]);
  expect(cut).toEqual([0, 0]);
  expect(await hiddenInRows(page)).toEqual([]);
});

it('shows the whole names of long types at 1440 pixels', async () => {
  const { page } = visitor;
  const ids: number[] = [];
  for (const [name, type] of [
    ['Full URL', 8],
    ['Chosen endpoints', 58],
    ['Knowledge base', 21],
    ['Drawings of a proxy', 5],
  ] as const) {
    ids.push(await server.api.createChannel(root, { name, type, baseUrl: upstream.url }));
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.reload();
  const cells = page.locator('[role=gridcell][data-field=type] :is(.ellipsis, .two-line-text)');
  await cells.getByText('Custom (chosen endpoints)').waitFor();
  await visitor.photograph('channels-long-types');
  const cut = await cells.evaluateAll((all) =>
    all
      .filter((text) => text.scrollHeight > text.clientHeight || text.scrollWidth > text.clientWidth)
      .map(({ textContent }) => textContent),
  );
  expect(cut).toEqual([]);
  await page.getByRole('columnheader', { name: 'Used' }).waitFor();
  expect(await hiddenInRows(page)).toEqual([]);
  for (const id of ids) await server.api.data(root, 'DELETE', `/api/channel/${id}`);
});

it('keeps a name of more than two lines within its row, and ends it with an ellipsis', async () => {
  const { page } = visitor;
  const name = 'OpenAI main account of the team in Europe, with a name that takes three lines';
  const id = await server.api.createChannel(root, { name, baseUrl: upstream.url, key: 'sk-up' });
  await page.reload();
  const link = row(name).getByRole('link');
  expect(await link.evaluate((shown) => shown.scrollHeight > shown.clientHeight)).toBe(true);
  expect(await link.evaluate((shown) => getComputedStyle(shown).webkitLineClamp)).toBe('2');
  expect(await hiddenInRows(page)).toEqual([]);
  await server.api.data(root, 'DELETE', `/api/channel/${id}`);
});

it('shows how a test of all channels ended, and which failed, until it is dismissed', async () => {
  const { page } = visitor;
  await server.api.createChannel(root, { name: 'Drawings', type: 2, baseUrl: upstream.url, models: ['mj_imagine'] });
  upstream.script({ key: 'sk-refused' }, json({ error: { message: 'no such key' } }, 401));
  await chooseOfPage(page, 'Test all');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Test all' }).click();
  const result = page.getByRole('status').filter({ hasText: 'Channel test of' });
  await result.getByText('4 passed, 1 failed, 1 skipped').waitFor();
  await photographAll(visitor, 'channels-tested');
  await result.getByRole('link', { name: 'Show failed' }).click();
  await page.getByText('Items 1 - 1 of 1').waitFor();
  await row(longName).getByText('Failed 401').waitFor();
  await page.reload();
  await result.getByRole('button', { name: 'Hide the test result' }).click();
  await result.waitFor({ state: 'detached' });
  await page.reload();
  await row(longName).waitFor();
  expect(await result.count()).toBe(0);
});

it('fits a phone of 360 pixels', async () => {
  expect(await sidewaysOverflow(visitor)).toBe(0);
  await visitor.page.goto('/channel?tags=1');
  await visitor.page.getByText('openai-us').first().waitFor();
  expect(await sidewaysOverflow(visitor)).toBe(0);
});
