import pg from 'pg';
import type { Browser, Locator, Page } from 'playwright-core';
import { drawn, openBrowser, settled, untilEqual, visit, type Visitor } from './console-page.js';
import { enter } from './console-session.js';
import { openSite, type ConsoleSite } from './console-site.js';
import { go } from './console-views.js';

/** Details of the console that disturb operators: texts that are cut off, wrong marks, lost focus. */
jest.setTimeout(120_000);

let site: ConsoleSite;
let browser: Browser;
let database: pg.Client;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  [site, browser] = await Promise.all([openSite(), openBrowser()]);
  database = new pg.Client(site.server.database.url);
  await database.connect();
  visitor = await visit(browser, site.server.url, { viewport: { width: 1440, height: 900 } });
  ({ page } = visitor);
  await enter(visitor);
});

afterAll(async () => {
  await browser?.close();
  await database?.end();
  await site?.server.stop();
});

const firstRow = (): Locator => page.locator('main [role=row][data-id]').first();
const focusedName = (): Promise<string> => page.evaluate(() => document.activeElement?.textContent ?? '');
const boxOf = async (at: Locator) => {
  const box = await at.boundingBox();
  if (!box) throw new Error('not in view');
  return box;
};

it('has tooltips with small corners, and none of their text is in them', async () => {
  await page.goto('/channel');
  await firstRow().waitFor();
  await firstRow().locator('[data-field=name] .ellipsis, [data-field=name] a').first().hover();
  await page
    .getByRole('button', { name: /^Search/ })
    .first()
    .hover();
  const balloon = page.locator('.MuiTooltip-tooltip').first();
  await balloon.waitFor();
  const radius = await balloon.evaluate((element) => parseFloat(getComputedStyle(element).borderRadius));
  expect(radius).toBeLessThanOrEqual(8);
});

it('shows the whole number of rows per page', async () => {
  await go(page, '/log?size=100');
  await firstRow().waitFor();
  const size = page.getByRole('combobox', { name: 'Rows per page' });
  expect(await size.innerText()).toBe('100');
  expect(await size.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
});

it('states the time zone and the time in one form wherever a time is typed', async () => {
  const zone = await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
  await go(page, '/log');
  await page.getByRole('button', { name: /^Time range/ }).click();
  const range = page.getByRole('dialog', { name: 'Choose a time range' });
  await range.getByText(`Time zone: ${zone}`).waitFor();
  for (const name of ['Last hour', 'Today', 'Yesterday', '7 days', '30 days', 'This month', 'Last month']) {
    await range.getByRole('button', { name, exact: true }).waitFor();
  }
  const from = range.getByRole('textbox', { name: /^From/ });
  expect(await from.inputValue()).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}$/);
  await from.fill('2026-11');
  await range.getByRole('button', { name: 'Apply' }).click();
  await range.getByText('Write it as YYYY-MM-DD HH:mm.').waitFor();
  await from.fill('2026-01-02 03:04');
  await range.getByRole('button', { name: 'Apply' }).click();
  await page.getByRole('button', { name: /^Time range 2026-01-02 03:04/ }).waitFor();
  expect(new URL(page.url()).searchParams.get('from')).toBe(
    String(await page.evaluate(() => new Date('2026-01-02T03:04').getTime() / 1000)),
  );
  await go(page, '/token');
  await page.getByRole('button', { name: 'Create token' }).first().click();
  await page.getByRole('dialog').getByText(`Time zone: ${zone}`).waitFor();
  await page.keyboard.press('Escape');
  await page.goto('/setting?tab=operation');
  await page.getByText(`Time zone: ${zone}`).first().waitFor();
});

it('opens a code and a task by a click on its row', async () => {
  await go(page, '/redemption');
  await firstRow().locator('[data-field=quota]').click();
  await page.getByRole('dialog', { name: 'Edit code' }).waitFor();
  await database.query("UPDATE redemptions SET status = 'disabled' WHERE id = (SELECT max(id) FROM redemptions)");
  await go(page, '/redemption?status=DISABLED');
  await firstRow().locator('[data-field=quota]').click();
  const disabled = page.getByRole('dialog', { name: 'Edit code' });
  expect(await disabled.getByRole('textbox').first().isDisabled()).toBe(true);
  for (const path of ['/task', '/midjourney']) {
    await go(page, path);
    await firstRow()
      .locator('[data-field=status]')
      .click({ position: { x: 2, y: 2 } });
    await page.getByRole('dialog').locator('pre').waitFor();
  }
});

it('marks the section that was clicked, also one that never reaches the top', async () => {
  await page.goto('/setting?tab=operation');
  const sections = page.getByRole('navigation', { name: 'Sections' });
  // The last section opens a view of its own.
  await sections.getByRole('button', { name: 'Model prices' }).waitFor();
  const names = await sections.getByRole('button').allInnerTexts();
  expect(names.slice(-2)).toEqual(['Model prices', 'Fold all']);
  for (const name of names.slice(-5, -2)) {
    await sections.getByRole('button', { name, exact: true }).click();
    await settled(page);
    await page.waitForTimeout(800);
    expect(await sections.locator('[aria-current=location]').innerText()).toBe(name);
  }
});

it('says that a user has no calls, and puts a name on the balance', async () => {
  await page.goto('/detail?user=no-such-user');
  await page.getByText('No calls by a user named “no-such-user” in this range.').waitFor();
  expect(await page.getByRole('link', { name: /^Balance / }).getAttribute('title')).toMatch(/^Balance /);
});

it('leaves the focus on the page after a token was saved with Ctrl+S', async () => {
  await go(page, '/token');
  await page.getByRole('button', { name: 'Create token' }).first().click();
  await page.getByRole('dialog').getByLabel('Name').fill('By keyboard');
  await page.keyboard.press('Control+s');
  const usage = page.getByRole('dialog').filter({ hasText: 'By keyboard' });
  await usage.getByText('curl').first().waitFor();
  await settled(page);
  await page.keyboard.press('Escape');
  await usage.waitFor({ state: 'detached' });
  await settled(page);
  await untilEqual(focusedName, 'Create token');
});

it('keeps messages off the fields of a drawer', async () => {
  await go(page, '/token');
  await firstRow()
    .getByRole('button', { name: /^More actions/ })
    .click();
  await page.getByRole('menuitem', { name: 'Edit', exact: true }).click();
  const drawer = page.getByRole('dialog', { name: 'Edit token' });
  await drawer.getByLabel('Name', { exact: false }).first().waitFor();
  await page.route('**/graphql', (route) =>
    route.request().postData()?.includes('mutation UpdateToken')
      ? route.fulfill({ status: 500, body: '{}', contentType: 'application/json' })
      : route.continue(),
  );
  await drawer.getByLabel('Name', { exact: false }).first().fill('Renamed');
  await drawer.getByRole('button', { name: 'Save token' }).click();
  const message = page.locator('.notistack-SnackbarContainer [role=alert]').first();
  await message.waitFor();
  await settled(page);
  const [toast, panel] = [await boxOf(message), await boxOf(drawer)];
  expect(toast.x + toast.width).toBeLessThan(panel.x);
  await page.unroute('**/graphql');
  visitor.forget();
});

it('notices at once that there is no network, and nothing moves or is covered', async () => {
  await page.goto('/token');
  await firstRow().waitFor();
  await settled(page);
  const title = page.getByRole('heading', { level: 1 });
  const before = await boxOf(title);
  await page.context().setOffline(true);
  const line = page.getByRole('alert').filter({ hasText: 'Unable to connect to server' });
  await line.waitFor();
  expect(await boxOf(title)).toEqual(before);
  const sideBar = await boxOf(page.getByRole('navigation', { name: 'Console' }));
  expect((await boxOf(line)).x).toBeGreaterThanOrEqual(sideBar.x + sideBar.width);
  const size = page.viewportSize();
  for (const width of [size?.width ?? 1440, 390]) {
    await page.setViewportSize({ width, height: size?.height ?? 900 });
    await drawn(page);
    const covered = await boxOf(line);
    expect((await boxOf(page.getByRole('button', { name: 'Create token' }))).y).toBeGreaterThanOrEqual(
      covered.y + covered.height,
    );
  }
  if (size) await page.setViewportSize(size);
  await page.context().setOffline(false);
  await line.waitFor({ state: 'detached' });
  visitor.forget();
});

describe('on a phone', () => {
  it('has the cards of the dashboard in two columns, and names itself in every language of screen readers', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto('/detail');
    const [calls, tokens] = [
      await boxOf(page.getByRole('region', { name: 'Calls' }).first()),
      await boxOf(page.getByRole('region', { name: 'Tokens' }).first()),
    ];
    expect(Math.max(calls.width, tokens.width)).toBeLessThan(200);
    // No label is the key of a text.
    for (const path of ['/', '/about', '/token', '/log']) {
      await page.goto(path);
      await settled(page, 30_000);
      const labels = await page.evaluate(() =>
        [...document.querySelectorAll('[aria-label]')].map((one) => one.getAttribute('aria-label') ?? ''),
      );
      expect(labels.length).toBeGreaterThan(0);
      expect(labels.filter((label) => /^[a-z]+(\.[a-zA-Z]+)+$/.test(label))).toEqual([]);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  });
});
