import { readFile } from 'node:fs/promises';
import type { Browser, Download, Locator } from 'playwright-core';
import { chooseOfPage, openBrowser, openFilter, settled, untilEqual, visit, type Visitor } from './console-page.js';
import { enter, sidewaysOverflow } from './console-session.js';
import { openSite, showLongStates, type ConsoleSite } from './console-site.js';
import { listPaths } from './console-paths.js';
import { go } from './console-views.js';
import { sampled } from '../support/suite.js';

/** Behaviour that all lists share, their columns, and use of the console by keyboard. */
// A machine with two cores that runs other work needs more time.
jest.setTimeout(120_000);

let site: ConsoleSite;
let browser: Browser;
let visitor: Visitor;

beforeAll(async () => {
  [site, browser] = await Promise.all([openSite(), openBrowser()]);
  await showLongStates(site);
  visitor = await visit(browser, site.server.url);
  await enter(visitor);
});

afterAll(async () => {
  await browser.close();
  await site.server.stop();
});

afterEach(() => {
  expect(visitor.complaints).toEqual([]);
});

const rows = (): Locator => visitor.page.locator('main [role=row][data-id]');
const button = (name: string | RegExp): Locator => visitor.page.getByRole('button', { name, exact: true });
/** Finds a header by its field: a sortable header has the sort button in its name. */
const header = (field: string): Locator => visitor.page.locator(`[role=columnheader][data-field=${field}]`);
const parameter = (name: string): string | null => new URL(visitor.page.url()).searchParams.get(name);
const monthAgo = Math.floor(Date.now() / 1000) - 30 * 86_400;

const untilParameter = (name: string, value: string | null): Promise<void> =>
  untilEqual(() => Promise.resolve(parameter(name)), value);

const firstCells = async (field: string): Promise<string[]> => {
  const index = await header(field).getAttribute('aria-colindex');
  return rows()
    .locator(`[role=gridcell][aria-colindex="${index ?? ''}"]`)
    .allInnerTexts();
};

const isDescending = (values: number[]): boolean =>
  values.every((value, at) => at === 0 || value < (values[at - 1] ?? 0));

/** Returns the text `Items 1 - 10 of 81`. While a page is being laid out, the text exists but is hidden. */
async function shownItems(): Promise<string> {
  const items = visitor.page.getByText(/^Items 1 - /);
  await items.waitFor();
  return items.innerText();
}

/** Chooses how many rows a page has, goes to the second, and finds it again after a reload; back leads to the first. */
async function turnPages(path: string): Promise<void> {
  const { page } = visitor;
  await go(page, path);
  // The first list of all loads the code of the grid.
  await rows().first().waitFor({ timeout: 60_000 });
  const total = Number(/of ([\d,]+)/.exec(await shownItems())?.[1]?.replaceAll(',', ''));
  expect(total).toBeGreaterThan(10);
  await page.getByRole('combobox', { name: 'Rows per page' }).click();
  await untilEqual(() => page.getByRole('option').allInnerTexts(), ['10', '20', '50', '100']);
  await page.getByRole('option', { name: '20', exact: true }).click();
  await page.getByText(`Items 1 - ${String(Math.min(20, total))} of`).waitFor();
  await page.getByRole('combobox', { name: 'Rows per page' }).click();
  await page.getByRole('option', { name: '10', exact: true }).click();
  await page.getByText('Items 1 - 10 of').waitFor();
  await button('Next page').click();
  await page.getByText(/^Items 11 - /).waitFor();
  expect([parameter('page'), parameter('size')]).toEqual(['2', '10']);
  expect(await page.evaluate(() => localStorage.getItem('page-size'))).toBe('10');
  await page.reload();
  await page.getByText(/^Items 11 - /).waitFor();
  await page.goBack();
  await page.getByText(/^Items 1 - 10 of/).waitFor();
}

it.each(
  sampled(
    [
      ['/user', 'username'],
      ['/token', 'name'],
      ['/redemption', 'id'],
      ['/channel', 'name'],
      [`/log?from=${String(monthAgo)}`, 'at'],
    ],
    1,
  ),
)('%s pages, sorts, and keeps both in the address', async (path, field) => {
  const { page } = visitor;
  await turnPages(path);

  await header(field).click();
  await untilParameter('sort', `${field}:desc`);
  await untilEqual(() => header(field).getAttribute('aria-sort'), 'descending');
  await settled(page);
  const last = await firstCells(field);
  await header(field).click();
  await untilParameter('sort', `${field}:asc`);
  // A slow machine may ask for the other order only after the network has been quiet for a moment.
  await untilEqual(async () => JSON.stringify(await firstCells(field)) !== JSON.stringify(last), true);
  await header(field).click();
  await untilParameter('sort', null);
});

it.each(
  sampled(
    [
      ['/channel', 'ID, name or key', 'Gemini', 'keyword'],
      ['/token', 'Name or key, sk-…', 'Batch 7', 'keyword'],
      ['/redemption', 'Name, ID or code', 'Launch', 'keyword'],
      ['/user', 'ID, name, email or external ID', 'ada', 'keyword'],
    ],
    1,
  ),
)('%s is filtered, and says so in the address', async (path, label, text, name) => {
  const { page } = visitor;
  await go(page, path);
  await rows().first().waitFor();
  await page.keyboard.press('/');
  const field = page.getByRole('textbox', { name: label });
  expect(await field.evaluate((input) => input === document.activeElement)).toBe(true);
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
  await untilParameter(name, text);
  await rows().filter({ hasText: text }).first().waitFor();
  await field.fill('nothing has this name');
  await page.keyboard.press('Enter');
  await page.getByText('Nothing matches these filters').waitFor();
  await settled(page);
  await button('Clear filters').click();
  await rows().first().waitFor();
  await untilParameter(name, null);
});

it.each(
  sampled(
    [
      ['/midjourney', 'old-drawing-7'],
      ['/task', 'old-song-7'],
    ],
    1,
  ),
)('%s pages, is filtered, and keeps both in the address', async (path, task) => {
  const { page } = visitor;
  await turnPages(path);
  await page.getByRole('textbox', { name: 'Task ID' }).fill(task);
  await page.keyboard.press('Enter');
  await page.getByText('Items 1 - 1 of 1').waitFor();
  expect([parameter('task'), parameter('page')]).toEqual([task, null]);
  await page.reload();
  await page.getByText('Items 1 - 1 of 1').waitFor();
  expect(await page.getByRole('textbox', { name: 'Task ID' }).inputValue()).toBe(task);
  await page.goBack();
  await page.getByText(/^Items 1 - 10 of/).waitFor();
  await untilEqual(() => page.getByRole('textbox', { name: 'Task ID' }).inputValue(), '');
});

it.each(
  sampled(
    [
      ['/redemption', 'Name, ID or code', 'Launch'],
      ['/user', 'ID, name, email or external ID', 'ada'],
    ],
    1,
  ),
)('%s shows the same filter and order after a reload and on the way back', async (path, label, text) => {
  const { page } = visitor;
  await go(page, path);
  await rows().first().waitFor();
  await page.getByRole('textbox', { name: label }).fill(text);
  await page.keyboard.press('Enter');
  await untilParameter('keyword', text);
  await header('id').click();
  await untilParameter('sort', 'id:desc');
  await settled(page);
  await untilEqual(async () => isDescending((await firstCells('id')).map(Number)), true);
  const shown = await firstCells('id');
  expect(shown.length).toBeGreaterThan(0);
  await page.reload();
  await rows().first().waitFor();
  expect(await page.getByRole('textbox', { name: label }).inputValue()).toBe(text);
  await untilEqual(() => firstCells('id'), shown);
  await page.getByRole('link', { name: 'API tokens' }).click();
  await page.getByRole('heading', { level: 1, name: 'API tokens' }).waitFor();
  await page.goBack();
  await untilEqual(() => Promise.resolve([parameter('keyword'), parameter('sort')]), [text, 'id:desc']);
  await untilEqual(() => firstCells('id'), shown);
});

it.each(
  sampled(
    [
      ['/channel', 'channels-table-columns', 'Response', 'responseTime'],
      [`/log?from=${String(monthAgo)}`, 'logs-table-columns', 'Retry', 'retry'],
    ],
    1,
  ),
)('%s remembers its columns', async (path, key, column, field) => {
  const { page } = visitor;
  await go(page, path);
  await rows().first().waitFor();
  const stored = () =>
    page.evaluate((name) => JSON.parse(localStorage.getItem(name) ?? '{}') as Record<string, boolean>, key);
  await button('Columns').click();
  await page.getByLabel(column, { exact: true }).last().uncheck();
  await button('Cancel').click();
  expect(await stored()).toEqual({});
  await button('Columns').click();
  await page.getByLabel(column, { exact: true }).last().uncheck();
  await button('OK').click();
  await header(field).waitFor({ state: 'detached' });
  expect((await stored())[field]).toBe(false);
  await page.reload();
  await rows().first().waitFor();
  expect(await header(field).count()).toBe(0);
  await button('Columns').click();
  await page.getByRole('dialog').getByLabel('Select all').check();
  await page.getByRole('dialog').getByLabel('Select all').uncheck();
  expect(await page.getByRole('dialog').getByRole('checkbox', { checked: true }).count()).toBe(0);
  await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click();
  await button('OK').click();
  await header(field).waitFor();
});

/** Lists with the common columns; those of channels and the log are chosen above. */
const withColumns = [
  ...listPaths.filter((path) => !['/channel', '/log'].includes(path)),
  ...['/model-health', '/status', '/pricing'],
];

it.each(sampled(withColumns, 2))('the columns of %s can be chosen, and stay chosen', async (path) => {
  const { page } = visitor;
  await go(page, path);
  const column = (await page.locator('[role=columnheader] .MuiDataGrid-columnHeaderTitle').nth(1).textContent()) ?? '';
  expect(column).not.toBe('');
  const header = page.getByRole('columnheader', { name: column, exact: true });
  await header.waitFor();
  const choose = async (press: () => Promise<void>): Promise<void> => {
    await page.getByRole('button', { name: 'Columns', exact: true }).click();
    await press();
    await page.getByRole('dialog').getByRole('button', { name: 'OK', exact: true }).click();
  };
  const box = page.getByRole('dialog').getByRole('checkbox', { name: column, exact: true });
  await choose(() => box.uncheck());
  await header.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('columnheader').nth(1).waitFor();
  expect(await header.count()).toBe(0);
  await choose(() => page.getByRole('dialog').getByRole('button', { name: 'Reset', exact: true }).click());
  await header.waitFor();
});

it.each(['/midjourney', '/task'])('no header of %s is cut', async (path) => {
  const { page } = visitor;
  await go(page, path);
  const titles = page.locator('[role=columnheader] .MuiDataGrid-columnHeaderTitle');
  await titles.first().waitFor();
  const cut = await titles.evaluateAll((all) =>
    all.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ textContent }) => textContent),
  );
  expect(await titles.count()).toBeGreaterThan(8);
  expect(cut).toEqual([]);
});

const linesOf = async (download: Download): Promise<string[]> =>
  (await readFile(await download.path(), 'utf8')).trimEnd().split(/\r?\n/);

it('saves the log as it is filtered, every row of it', async () => {
  const { page } = visitor;
  await go(page, `/log?from=${String(monthAgo)}&modelName=gpt-5.4`);
  const shown = await shownItems();
  const save = async (form: string) => {
    await button('More actions').click();
    return Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: form }).click()]);
  };
  const [people] = await save('For people (USD, local time)');
  expect((await linesOf(people))[0]).toMatch(/^\uFEFFTime \(.*\),Type,User,.*Cost \(USD\)/);
  const [file] = await save('For programs');
  expect(file.suggestedFilename()).toBe('logs.csv');
  const [head, ...lines] = await linesOf(file);
  expect(head?.split(',')).toEqual(expect.arrayContaining(['time', 'model', 'quota', 'channel_name']));
  expect(`Items 1 - 10 of ${String(lines.length)}`).toBe(shown);
  expect(lines.filter((line) => !line.includes('gpt-5.4'))).toEqual([]);
});

it('shows the usage of one user, and saves it', async () => {
  const { page } = visitor;
  await go(page, '/detail?days=30&by=day');
  const name = await page.locator('section[aria-label="Top users"] span[title]').first().innerText();
  const everybody = await page.getByRole('region', { name: 'Calls' }).first().innerText();
  await openFilter(page, 'Username');
  await page.getByRole('textbox', { name: 'Username' }).fill(name);
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Top users' }).waitFor({ state: 'detached' });
  expect(parameter('user')).toBe(name);
  await untilEqual(
    async () => (await page.getByRole('region', { name: 'Calls' }).first().innerText()) === everybody,
    false,
  );
  await page.getByText(/ per day$/).waitFor();
  await page.getByRole('figure', { name: /^Requests per minute, at most / }).waitFor();
  const [file] = await Promise.all([page.waitForEvent('download'), chooseOfPage(page, 'Export')]);
  expect((await linesOf(file)).length).toBeGreaterThan(1);
  await button(`Username: ${name}`).click();
  await page.getByRole('textbox', { name: 'Username' }).fill('nobody-has-this-name');
  await page.keyboard.press('Enter');
  await page.getByText('No usage in this range').first().waitFor();
  expect(await sidewaysOverflow(visitor)).toBe(0);
});

it('stops a run of tests, and asks all providers for their balances', async () => {
  const { page } = visitor;
  const models = Array.from({ length: 9 }, (_, index) => `model-${String(index)}`);
  await site.server.api.createChannel(site.root, { name: 'Slow one', baseUrl: 'http://127.0.0.1:9', models });
  let asked = 0;
  let goOn: () => void = () => undefined;
  const stopped = new Promise<void>((resolve) => (goOn = resolve));
  await page.route('**/graphql', async (route) => {
    if (route.request().postData()?.includes('TestChannel')) {
      asked += 1;
      await stopped;
    }
    await route.continue();
  });
  await page.goto('/channel?keyword=Slow');
  await button('More actions for Slow one').click();
  await page.getByRole('menuitem', { name: 'Test with model' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Test all' }).click();
  await dialog.getByRole('button', { name: 'Stop' }).click();
  goOn();
  // Running tests are finished; no other test begins.
  await dialog.getByRole('button', { name: 'Test all' }).waitFor();
  expect(await dialog.getByText('Failed', { exact: true }).count()).toBe(asked);
  expect(asked).toBe(3);
  await page.unroute('**/graphql');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await chooseOfPage(page, 'Update all balances');
  await page.getByText('Updating all balances. Refresh to see them.').waitFor();
});

it('switches to sorting by id and to tags on a phone', async () => {
  const { page } = visitor;
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/channel');
  await page.getByText('Gemini AI Studio').first().waitFor();
  await chooseOfPage(page, 'Sort by ID');
  await chooseOfPage(page, 'Tag mode');
  await page.getByText('2 of 2 on').or(page.getByText('1 of 2 on')).first().waitFor();
  expect(parameter('tags')).toBe('1');
  expect(await page.evaluate(() => localStorage.getItem('id-sort'))).toBe('true');
  await page.evaluate(() => {
    localStorage.removeItem('id-sort');
  });
  await page.setViewportSize({ width: 1440, height: 900 });
});

it('shows an ordinary user his own drawings and songs, without what is for admins', async () => {
  const { customer } = site;
  const user = await visit(browser, site.server.url);
  await enter(user, '/midjourney', customer);
  const { page } = user;
  await page.getByText(`imagine-${String(customer.id)}`).waitFor();
  expect(await page.getByText(`imagine-${String(site.root.id)}`, { exact: true }).count()).toBe(0);
  expect(await page.getByRole('columnheader').allInnerTexts()).toEqual([
    'Submitted',
    'Duration',
    'Type',
    'Task ID',
    'Progress',
    'Result',
    'Prompt',
    'English',
    'Failure',
  ]);
  expect(await page.getByText('The drawing callback is off').count()).toBe(0);
  await page.goto('/task');
  await page.getByText(`song-${String(customer.id)}`).waitFor();
  expect(await page.getByText(`song-${String(site.root.id)}`, { exact: true }).count()).toBe(0);
  expect(await page.getByRole('columnheader', { name: 'Channel' }).count()).toBe(0);
  await page.goto('/log');
  await page.getByRole('heading', { level: 1, name: 'My usage' }).waitFor();
  expect(user.complaints).toEqual([]);
  await user.leave();
});

it('asks before the way back takes a form with changes, and stays or leaves as it is told', async () => {
  const { page } = visitor;
  await page.goto('/token');
  await rows().first().waitFor();
  await button('Create token').click();
  const drawer = page.getByRole('dialog');
  await drawer.getByLabel('Name').fill('Not saved yet');
  const question = page.getByRole('alertdialog', { name: 'Discard changes?' });
  await page.goBack();
  await question.getByRole('button', { name: 'Keep editing' }).click();
  await question.waitFor({ state: 'detached' });
  expect(await drawer.getByLabel('Name').inputValue()).toBe('Not saved yet');
  await untilParameter('row', 'new');
  await page.goBack();
  await question.getByRole('button', { name: 'Discard' }).click();
  await drawer.waitFor({ state: 'detached' });
  await untilParameter('row', null);
  // Without changes, no confirmation is shown.
  await button('Create token').click();
  await drawer.waitFor();
  await page.goBack();
  await drawer.waitFor({ state: 'detached' });
  expect(await question.count()).toBe(0);
});

it('is used with the keyboard alone', async () => {
  const { page } = visitor;
  const focused = () =>
    page.evaluate(() => {
      const active = document.activeElement;
      return active?.getAttribute('aria-label') ?? active?.textContent?.trim() ?? '';
    });
  await page.goto('/token');
  await rows().first().waitFor();
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('Skip to content');
  await page.keyboard.press('Enter');
  await untilEqual(() => page.evaluate(() => document.activeElement?.id), 'content');

  // A drawer returns the focus to the element that opened it.
  await button('Create token').focus();
  await page.keyboard.press('Enter');
  const drawer = page.getByRole('dialog');
  await drawer.waitFor();
  await untilEqual(() => drawer.evaluate((element) => element.contains(document.activeElement)), true);
  for (let step = 0; step < 30; step += 1) {
    await page.keyboard.press('Tab');
    expect(
      await drawer.evaluate((element) => element.closest('.MuiModal-root')?.contains(document.activeElement)),
    ).toBe(true);
  }
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  await untilEqual(focused, 'Create token');

  // Unsaved input is confirmed before it is discarded, and Ctrl+S saves.
  await page.keyboard.press('Enter');
  await drawer.getByLabel('Name').fill('By keyboard');
  await page.keyboard.press('Escape');
  await page.getByRole('alertdialog', { name: 'Discard changes?' }).waitFor();
  await untilEqual(focused, 'Keep editing');
  await page.keyboard.press('Enter');
  await page.getByRole('alertdialog').waitFor({ state: 'detached' });
  expect(await drawer.getByLabel('Name').inputValue()).toBe('By keyboard');
  await page.keyboard.press('Control+s');
  await page
    .getByText(/By keyboard/)
    .first()
    .waitFor();
  await page.keyboard.press('Escape');

  // A menu opens, the arrow keys move in it, and it returns the focus.
  await page.goto('/token');
  const more = button('More actions for token By keyboard');
  await more.focus();
  expect(await more.evaluate((element) => getComputedStyle(element).outlineStyle)).toBe('solid');
  await page.keyboard.press('Enter');
  await page.getByRole('menu').waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'detached' });
  await untilEqual(focused, 'More actions for token By keyboard');
});
