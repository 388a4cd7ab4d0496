import type { Browser } from 'playwright-core';
import { openBrowser, visit, type Visitor } from './console-page.js';
import { signIn } from './console-session.js';
import { openSite, showLongStates, type ConsoleSite } from './console-site.js';
import { sampled } from '../support/suite.js';

/** The columns of every list on wide screens can be chosen. */
jest.setTimeout(120_000);

let site: ConsoleSite;
let browser: Browser;
let admin: Visitor;

beforeAll(async () => {
  [site, browser] = await Promise.all([openSite(), openBrowser()]);
  await showLongStates(site);
  admin = await visit(browser, site.server.url);
  await signIn(admin);
}, 120_000);

afterAll(async () => {
  await browser.close();
  await site.server.stop();
});

/** Lists whose Columns button is in the footer; channels and the log have theirs above (console-lists). */
const withColumns = [
  ...([
    ['/user', 'Group'],
    ['/token', 'Group'],
    ['/task', 'Platform'],
    ['/midjourney', 'Progress'],
    ['/payment', 'Status'],
    ['/redemption', 'Quota'],
    ['/audit', 'Action'],
    ['/price-history', 'Action'],
    ['/model-health', 'Group'],
    ['/status', 'Group'],
    ['/pricing', 'Groups'],
  ] as const),
] as const;

it.each(sampled(withColumns, 3))('the columns of %s can be chosen, and stay chosen', async (path, column) => {
  const { page } = admin;
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(path);
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
  const { page } = admin;
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(path);
  const titles = page.locator('[role=columnheader] .MuiDataGrid-columnHeaderTitle');
  await titles.first().waitFor();
  const cut = await titles.evaluateAll((all) =>
    all.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ textContent }) => textContent),
  );
  expect(await titles.count()).toBeGreaterThan(8);
  expect(cut).toEqual([]);
});
