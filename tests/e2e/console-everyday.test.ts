import pg from 'pg';
import type { Browser, Page } from 'playwright-core';
import { rootPassword } from '../support/api.js';
import { openBrowser, settled, untilEqual, visit, type Visitor } from './console-page.js';
import { enter } from './console-session.js';
import { openSite, type ConsoleSite } from './console-site.js';
import { listPaths } from './console-paths.js';
import { go } from './console-views.js';
import { sampled } from '../support/suite.js';

/**
 * Everyday tasks of an owner in at most two clicks, one of them with the keyboard for its filter; every header that sorts; time zones; touch; a slow line; and what
 * the console shows while requests are refused, fail, or find no server or session.
 */
jest.setTimeout(180_000);

let site: ConsoleSite;
let browser: Browser;
let database: pg.Client;
let visitor: Visitor;

beforeAll(async () => {
  [site, browser] = await Promise.all([openSite(), openBrowser()]);
  database = new pg.Client(site.server.database.url);
  await database.connect();
  const models = ['gpt-4o', 'house-model-without-price'];
  await site.server.api.createChannel(site.root, { name: 'House models', baseUrl: 'http://127.0.0.1:9', models });
  visitor = await visit(browser, site.server.url, { viewport: { width: 1366, height: 768 } });
  await enter(visitor);
});

afterAll(async () => {
  await browser?.close();
  await database?.end();
  await site?.server.stop();
});

const usd = (amount: number): string => amount.toLocaleString('en-US', { style: 'currency', currency: 'USD' });

async function one<Row extends object>(sql: string, values: unknown[] = []): Promise<Row> {
  const { rows } = await database.query<Row>(sql, values);
  if (!rows[0]) throw new Error(`no row: ${sql}`);
  return rows[0];
}

/** Opens a screen, counts the clicks that the page receives from then on, and returns their number. */
async function countClicks(page: Page, path: string): Promise<() => Promise<number>> {
  await go(page, path);
  await settled(page, 60_000);
  await page.evaluate(() => {
    const isCounting = document.documentElement.dataset.clicks !== undefined;
    document.documentElement.dataset.clicks = '0';
    if (isCounting) return;
    addEventListener(
      'pointerdown',
      () => {
        const { dataset } = document.documentElement;
        dataset.clicks = String(Number(dataset.clicks) + 1);
      },
      true,
    );
  });
  return async () => Number(await page.evaluate(() => document.documentElement.dataset.clicks));
}

describe.each(sampled(['Asia/Shanghai', 'America/New_York'], 1))('in %s', (timezoneId) => {
  let reader: Visitor;

  beforeAll(async () => {
    reader = await visit(browser, site.server.url, { timezoneId, viewport: { width: 1366, height: 768 } });
    await enter(reader);
  });
  afterAll(() => reader.leave());

  const inZone = (options: Intl.DateTimeFormatOptions, at: Date) =>
    Object.fromEntries(
      new Intl.DateTimeFormat('en-CA', { timeZone: timezoneId, hourCycle: 'h23', ...options })
        .formatToParts(at)
        .map(({ type, value }) => [type, value]),
    ) as Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', string>;
  const date = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;

  it('states in two clicks what was earned this month, in the time zone that it names', async () => {
    const { page } = reader;
    const order = [site.customer.id, `paid-${timezoneId}`, Math.floor(Date.now() / 1000)];
    await database.query(
      `INSERT INTO top_up_orders (user_id, trade_no, provider, merchant_id, payment_method, quota, money, currency, status,
         created_at, paid_at)
       VALUES ($1, $2, 'epay', '1001', 'alipay', 10000000, 14600, 'CNY', 'success', to_timestamp($3), to_timestamp($3))`,
      order,
    );
    const clicks = await countClicks(page, '/token');
    await page.getByRole('link', { name: 'Dashboard', exact: true }).click();
    await page.getByRole('button', { name: 'This month', exact: true }).click();
    await page.waitForURL(/days=month/);
    await settled(page, 60_000);
    expect(await clicks()).toBe(2);
    // The seed's calls: the server in this process charges none.
    const { quota } = await one<{ quota: string }>(
      `SELECT coalesce(sum(quota), 0)::text AS quota FROM logs WHERE type = 2
          AND created_at >= extract(epoch FROM date_trunc('month', now() AT TIME ZONE $1) AT TIME ZONE $1)`,
      [timezoneId],
    );
    const spend = page.getByRole('region', { name: 'Spend', exact: true });
    await spend.getByText(usd(Number(quota) / 500_000), { exact: true }).waitFor();
    await page.getByRole('main').getByText(`Time zone: ${timezoneId}`).waitFor();
    const { paid } = await one<{ paid: string }>(
      `SELECT sum(money)::text AS paid FROM top_up_orders
        WHERE status = 'success' AND currency = 'CNY' AND paid_at >= date_trunc('month', now() AT TIME ZONE $1) AT TIME ZONE $1`,
      [timezoneId],
    );
    const received = `¥${(Number(paid) / 100).toLocaleString('en-US', { minimumFractionDigits: 2 })}`;
    await page.getByRole('region', { name: 'Top-ups received' }).getByText(received, { exact: true }).waitFor();
    expect(reader.complaints).toEqual([]);
  });

  it('ends the days of a chart with today', async () => {
    const { page } = reader;
    await page.goto('/detail?days=7&by=day');
    await page.getByRole('button', { name: 'More actions for Calls' }).click();
    await page.getByRole('menuitem', { name: 'View as table' }).click();
    const last = page.getByRole('region', { name: 'Calls' }).last().locator('tbody tr').last();
    const { month, day } = inZone(date, new Date());
    expect(await last.locator('th, td').first().textContent()).toContain(`${month}-${day}`);
  });

  it('shows the times of calls as they were there', async () => {
    const { page } = reader;
    const { id, at } = await one<{ id: string; at: string }>(
      "SELECT id::text, created_at::text AS at FROM logs WHERE type = 2 AND username <> '' ORDER BY created_at DESC, id DESC LIMIT 1",
    );
    const there = inZone(
      { ...date, hour: '2-digit', minute: '2-digit', second: '2-digit' },
      new Date(Number(at) * 1000),
    );
    // The page is a shared link, whose row is on no page of today.
    await page.goto(`/log?row=${id}&rowAt=${at}`);
    const { year, month, day, hour, minute, second } = there;
    await page.getByRole('dialog').getByText(`${year}-${month}-${day} ${hour}:${minute}:${second}`).first().waitFor();
    expect(reader.complaints).toEqual([]);
  });
});

describe('in few clicks', () => {
  it('says in two clicks, and the keys of one filter, why a customer paid 0.31 USD', async () => {
    const { page } = visitor;
    const { customer } = site;
    await database.query(
      `INSERT INTO logs (created_at, type, user_id, username, token_name, model_name, "group", channel_id, quota,
         prompt_tokens, completion_tokens, request_id, other)
       VALUES (extract(epoch FROM now())::bigint - 1, 2, $1, $2, 'Mine', 'gpt-4o', 'default', 1, 155000, 100000, 6000,
         'the-call-of-0.31', '{"model_ratio":1.25,"completion_ratio":4,"group_ratio":1}')`,
      [customer.id, customer.username],
    );
    const clicks = await countClicks(page, '/detail');
    await page.getByRole('link', { name: 'Usage log' }).click();
    await page.getByRole('heading', { level: 1, name: 'Usage log' }).waitFor();
    await page.getByRole('button', { name: 'Add filter', exact: true }).waitFor();
    await page.keyboard.press('f');
    await page.getByRole('menuitem', { name: 'Cost' }).waitFor();
    await page.keyboard.type('cos');
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: /^Cost/ }).waitFor();
    await page.keyboard.type('0.31');
    await page.keyboard.press('Enter');
    await page.waitForURL(/cost=0\.31/);
    const row = page.locator('main [role=row][data-id]').filter({ hasText: '$0.310000' });
    await row.first().click();
    const bill = page.getByRole('dialog');
    await bill.getByText('the-call-of-0.31').waitFor();
    // 100,000 tokens at $2.50 and 6,000 at $10 a million.
    await bill.getByText('$0.310000').first().waitFor();
    expect(await clicks()).toBe(2);
    expect(visitor.complaints).toEqual([]);
  });

  it('finds the dearest calls of a range', async () => {
    const { page } = visitor;
    const from = Math.floor(Date.now() / 1000) - 7 * 86_400;
    const clicks = await countClicks(page, `/log?from=${String(from)}&type=CONSUME`);
    await page.locator('[role=columnheader][data-field=quota]').click();
    await page.waitForURL(/sort=quota%3Adesc/);
    await settled(page);
    const { most } = await one<{ most: string }>(
      'SELECT max(quota)::text AS most FROM logs WHERE type = 2 AND created_at >= $1',
      [from],
    );
    const first = page.locator('main [role=row][data-id]').first().locator('[data-field=quota]');
    // A slow machine may ask for the other order only after the network has been quiet for a moment.
    await untilEqual(() => first.textContent(), `$${(Number(most) / 500_000).toFixed(6)}`);
    expect(await clicks()).toBe(1);
  });

  it('shows whether a payment arrived', async () => {
    const { page } = visitor;
    const clicks = await countClicks(page, '/detail');
    await page.getByRole('link', { name: 'Payments' }).click();
    const row = page.locator('main [role=row][data-id]').filter({ hasText: 'paid-Asia/Shanghai' });
    await row.getByText('Paid', { exact: true }).waitFor();
    await row.getByText('146.00').waitFor();
    expect(await clicks()).toBe(1);
  });

  it('leads from a user to their log', async () => {
    const { page } = visitor;
    const { customer } = site;
    const clicks = await countClicks(page, '/user');
    await page.getByRole('button', { name: `More actions for ${customer.username}` }).click();
    await page.getByRole('menuitem', { name: 'Usage log' }).click();
    await page.waitForURL(/\/log\?username=/);
    await settled(page);
    expect(await clicks()).toBe(2);
    const { rows } = await one<{ rows: string }>(
      'SELECT count(*)::text AS rows FROM logs WHERE user_id = $1 AND created_at >= extract(epoch FROM now()) - 31 * 86400',
      [customer.id],
    );
    await page.getByText(`of ${rows}`).first().waitFor();
  });

  it('names the models without a price, and leads to where it is typed', async () => {
    const { page } = visitor;
    const clicks = await countClicks(page, '/token');
    await page.getByRole('link', { name: 'Dashboard', exact: true }).click();
    await page.getByText('house-model-without-price').waitFor();
    await page.getByRole('link', { name: 'Set prices' }).click();
    await page.getByText('house-model-without-price').first().waitFor();
    expect(await clicks()).toBe(2);
    await page.getByRole('button', { name: 'Set price' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Input / 1M').fill('0.5');
    await dialog.getByLabel('Output / 1M').fill('2');
    await dialog.getByRole('button', { name: 'Set price' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Every enabled model has a price').waitFor();
    await page.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'detached' });
    const { cards } = await one<{ cards: string }>("SELECT value AS cards FROM options WHERE key = 'PriceCards'");
    expect(JSON.parse(cards)).toMatchObject({ 'house-model-without-price': { prices: { input: 0.5, output: 2 } } });
  });
});

const monthAgo = String(Math.floor(Date.now() / 1000) - 30 * 86_400);
/** These lists have one order. */
const unsorted = ['/alert', '/pricing', '/midjourney', '/task', '/model-health'];
const sorted = [...listPaths, '/channel-health']
  .filter((path) => !unsorted.includes(path))
  .map((path) => (path === '/log' ? `/log?from=${monthAgo}` : path));

it.each(sampled([...sorted, ...unsorted], 3))('%s is sorted by every header that offers it', async (path) => {
  const { page } = visitor;
  await go(page, path);
  await settled(page, 60_000);
  const headers = page.locator('[role=columnheader].MuiDataGrid-columnHeader--sortable');
  if (sorted.includes(path)) await headers.first().waitFor();
  const fields = await headers.evaluateAll((found) => found.map((header) => header.getAttribute('data-field') ?? ''));
  expect(fields.length > 0).toBe(sorted.includes(path));
  for (const field of fields) {
    const header = page.locator(`[role=columnheader][data-field=${field}]`);
    await header.click();
    await page.locator(`[role=columnheader][data-field=${field}][aria-sort]:not([aria-sort=none])`).waitFor();
    await settled(page, 60_000);
    expect([field, await page.getByRole('alert').count()]).toEqual([field, 0]);
  }
  expect(visitor.complaints).toEqual([]);
});

it('goes to the page before when the last row of the last page is deleted', async () => {
  const { customer, server } = site;
  const user = await visit(browser, server.url);
  const { page } = user;
  for (let number = 2; number <= 11; number += 1)
    await server.api.createToken(customer, { name: `Key ${String(number)}` });
  await enter(user, '/token?size=10&page=2', customer);
  await page.getByText('Items 11 - 11 of 11').waitFor();
  await page
    .locator('main [role=row][data-id]')
    .getByRole('button', { name: /^More actions/ })
    .click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Items 1 - 10 of 10').waitFor();
  await page.locator('main [role=row][data-id]').nth(9).waitFor();
  expect(user.complaints).toEqual([]);
  await user.leave();
});

it('tells by a touch why a channel was disabled', async () => {
  await database.query(
    `UPDATE channels SET status = 'autoDisabled', status_reason = '401 Incorrect API key provided', status_changed_at = to_timestamp(1763735528)
      WHERE name = 'House models'`,
  );
  const phone = await visit(browser, site.server.url, { viewport: { width: 390, height: 844 }, hasTouch: true });
  const { page } = phone;
  await enter(phone, '/channel?keyword=House');
  await page.getByText('Auto-disabled').waitFor();
  // A touch is at a position, not at an element, so nothing may move any more.
  await settled(page);
  const chip = await page.getByText('Auto-disabled').boundingBox();
  if (!chip) throw new Error('no chip');
  const finger = await page.context().newCDPSession(page);
  const touchPoints = [{ x: chip.x + chip.width / 2, y: chip.y + chip.height / 2 }];
  await finger.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints });
  const reason = page.getByRole('tooltip').getByText('401 Incorrect API key provided');
  await reason.waitFor();
  await finger.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await settled(page);
  // The touch has ended, and the reason can be read.
  expect(await reason.isVisible()).toBe(true);
  expect(page.url()).not.toMatch(/\/channel\/\d/);
  expect(phone.complaints).toEqual([]);
  await phone.leave();
});

describe('without a response', () => {
  afterEach(async () => {
    await visitor.page.unroute('**/graphql');
    visitor.forget();
  });

  /** Refuses the query of a list, as often as it is asked. */
  const refuse = (status: number, body = '{}') =>
    visitor.page.route('**/graphql', (route) =>
      route.request().postData()?.includes('query MyTokens')
        ? route.fulfill({ status, body, contentType: 'application/json' })
        : route.continue(),
    );

  it.each([
    [429, '{}', 'Too many requests, try later'],
    [500, '{"message":"select * from secrets"}', 'Internal server error, contact admin'],
    [413, '{"message":"The request is too large"}', 'Error: The request is too large'],
  ])('%d is explained in place, and Retry loads the list', async (status, body, text) => {
    const { page } = visitor;
    await refuse(status, body);
    await page.goto('/token');
    const failure = page.getByRole('alert').filter({ hasText: text });
    await failure.waitFor();
    await page.unroute('**/graphql');
    await failure.getByRole('button', { name: 'Retry' }).click();
    await page.locator('main [role=row][data-id]').first().waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('keeps the rows while there is no line, says so, and goes on by itself afterwards', async () => {
    const { page } = visitor;
    await page.goto('/token');
    await page.locator('main [role=row][data-id]').first().waitFor();
    await settled(page);
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Next page' }).click();
    const line = page
      .getByRole('alert')
      .filter({ hasText: /connect|server/i })
      .first();
    await line.waitFor();
    expect(await page.locator('main [role=row][data-id]').count()).toBeGreaterThan(0);
    await page.context().setOffline(false);
    await page.reload();
    await page.getByText(/^Items 11 - /).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });
});

it('loads the dashboard on a slow line, each query once, and shows where its parts will be', async () => {
  const slow = await visit(browser, site.server.url, { viewport: { width: 1366, height: 768 } });
  const { page } = slow;
  await enter(slow);
  await settled(page, 60_000);
  const line = await page.context().newCDPSession(page);
  await line.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 400,
    downloadThroughput: 50_000,
    uploadThroughput: 50_000,
  });
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/graphql')) {
      asked.push((request.postDataJSON() as { operationName?: string }).operationName ?? '');
    }
  });
  await Promise.all([
    // These elements are visible only for a moment.
    page.locator('main .MuiSkeleton-root').first().waitFor({ timeout: 60_000 }),
    page.getByRole('link', { name: 'Dashboard', exact: true }).click(),
  ]);
  await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor({ timeout: 60_000 });
  await page.getByRole('figure', { name: /^Spend by model/ }).waitFor({ timeout: 60_000 });
  await settled(page, 60_000);
  for (const query of ['Usage', 'SpendByModel', 'TopModels']) {
    expect(asked.filter((name) => name === query)).toHaveLength(1);
  }
  expect(slow.complaints).toEqual([]);
  await slow.leave();
});

it('says at the next click that a session was ended, and comes back after signing in', async () => {
  const other = await visit(browser, site.server.url);
  const { page } = other;
  await enter(other, '/redemption');
  await page.locator('main [role=row][data-id]').first().waitFor();
  // The parts of the top bar load last, and send requests of their own.
  await page.getByRole('button', { name: /^Notifications/ }).waitFor();
  await page.getByRole('link', { name: /^Balance/ }).waitFor();
  await settled(page);
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Next page' }).click();
  await page.waitForURL(/\/login\?expired=true/);
  await page
    .getByText(/expired/i)
    .first()
    .waitFor();
  await page.getByLabel('Username or email').fill('root');
  await page.locator('input[name=password]').fill(rootPassword);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL(/\/redemption\?page=2/);
  await other.leave();
});
