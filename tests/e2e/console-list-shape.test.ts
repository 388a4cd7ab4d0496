import type { Browser, Page } from 'playwright-core';
import pg from 'pg';
import { openBrowser, settled, visit, type Visitor } from './console-page.js';
import { signIn } from './console-session.js';
import { openSite, type ConsoleSite } from './console-site.js';

/** Lists on wide screens: no chip is cut, and the columns of each can be chosen. */
jest.setTimeout(120_000);

let site: ConsoleSite;
let browser: Browser;
let admin: Visitor;

beforeAll(async () => {
  [site, browser] = await Promise.all([openSite(), openBrowser()]);
  const now = Math.floor(Date.now() / 1000);
  await site.server.api.data(site.root, 'PUT', '/api/option/', { key: 'ModelRatio', value: '{"gpt-4o":1.5}' });
  const database = new pg.Client(site.server.database.url);
  await database.connect();
  // The longest states of a channel.
  await database.query(
    `UPDATE channels SET status = 3, other_info = '{"status_reason":"401 Incorrect API key","status_time":1}' WHERE name = 'Azure East US 2'`,
  );
  await database.query(`UPDATE channels SET response_time = 12000, test_time = 1 WHERE name = 'Gemini AI Studio'`);
  await database.query(`UPDATE channels SET "group" = 'default,enterprise,vip' WHERE name = 'Gemini AI Studio'`);
  await database.query(
    `INSERT INTO top_up_orders (user_id, trade_no, provider, merchant_id, payment_method, quota, money, currency, status,
       created_time, paid_time)
     SELECT 1, 'trade-' || status, 'epay', '1001', 'alipay', 10000000, 14600, 'CNY', status, $1, $1
     FROM unnest(ARRAY['success', 'pending']) status`,
    [now - 7200],
  );
  await database.query(`INSERT INTO model_failures VALUES ($1, 'gpt-4o', 'default', 'RATE_LIMITED', 10, $1)`, [
    now - (now % 3600),
  ]);
  await database.end();
  admin = await visit(browser, site.server.url);
  await signIn(admin);
}, 120_000);

afterAll(async () => {
  await browser.close();
  await site.server.stop();
});

const lists = [
  ...['/channel', '/user', '/token', '/log', '/task', '/midjourney', '/payment', '/redemption', '/pricing'],
  ...['/model-health', '/status', '/audit', '/price-history', '/alert'],
  '/channel-health',
] as const;

/** Texts of chips that do not fit into themselves or into their cell. */
const cutChips = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const cut: string[] = [];
    for (const chip of document.querySelectorAll<HTMLElement>('[role=row] .tone')) {
      const label = chip.querySelector<HTMLElement>('.tone-label') ?? chip;
      const cell = chip.closest('[role=gridcell]')?.getBoundingClientRect();
      const isOut = cell !== undefined && chip.getBoundingClientRect().right > cell.right + 0.5;
      if (label.scrollWidth > label.clientWidth || isOut) cut.push(chip.innerText);
    }
    return cut;
  });

describe.each([1366, 1440])('at %i px', (width) => {
  it.each(lists)('no chip of %s is cut', async (path) => {
    const { page } = admin;
    await page.setViewportSize({ width, height: 900 });
    await page.goto(path);
    await settled(page, 30_000);
    expect(await cutChips(page)).toEqual([]);
    await admin.photograph(`list${path.replaceAll('/', '-')}-${String(width)}`);
  });

  it('names and states of channels can be read', async () => {
    const { page } = admin;
    await page.setViewportSize({ width, height: 900 });
    await page.goto('/channel');
    await page.getByText('Auto-disabled').first().waitFor();
    const cut = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('[role=row] a.strong')]
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
        .map(({ innerText }) => innerText),
    );
    expect(cut).toEqual([]);
  });
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

it.each(withColumns)('the columns of %s can be chosen, and stay chosen', async (path, column) => {
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
