import pg from 'pg';
import type { Browser, Page } from 'playwright-core';
import { rootPassword } from '../support/api.js';
import { startServer, type TestServer } from '../support/server.js';
import { openBrowser, openFilter, settled, visit, type Visitor } from './console-page.js';
import { photographAll, sidewaysOverflow, signIn } from './console-session.js';

/** A user whose browser is in Berlin chooses Shanghai and the local currency: what the console shows before and after. */
jest.setTimeout(120_000);

let server: TestServer;
let browser: Browser;
let visitor: Visitor;

const password = 'password of a user';
const hour = 3600;
const day = 24 * hour;
/** 20:30 UTC two days ago: still that day in Berlin, already the next in Shanghai. */
const called = Math.floor(Date.now() / 1000 / day) * day - 2 * day + 20 * hour + 1800;
const around = `from=${called - 8 * hour - 1800}&to=${called + 15 * hour + 1800}`;

/** `2026-11-20 21:30:00` */
const inZone = (timeZone: string): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(called * 1000);
const berlin = inZone('Europe/Berlin');
const shanghai = inZone('Asia/Shanghai');

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(), openBrowser()]);
  const root = await server.api.setUp();
  await server.api.createChannel(root, { baseUrl: 'http://127.0.0.1:9', models: ['gpt-4o'] });
  for (const [key, value] of [
    ['Price', '7.2'],
    ['QuotaForNewUser', '5000000'],
  ]) {
    await server.api.data(root, 'PUT', '/api/option/', { key, value });
  }
  await server.api.data(root, 'POST', '/api/user/', { username: 'ada', password });
  const { id } = await server.api.signIn('ada', password);
  const database = new pg.Client(server.database.url);
  await database.connect();
  await database.query(
    `INSERT INTO logs (created_at, type, user_id, username, token_name, model_name, "group", channel_id, quota,
       prompt_tokens, completion_tokens, request_id, other)
     VALUES ($1, 2, $2, 'ada', 'Mine', 'gpt-4o', 'default', 1, 155000, 100000, 6000, 'the-call',
       '{"model_ratio":1.25,"completion_ratio":4,"group_ratio":1}')`,
    [called, id],
  );
  await database.query(
    `INSERT INTO usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", calls, quota)
     VALUES ($1, $2, 0, 1, 'gpt-4o', 'default', 1, 155000)`,
    [called - 1800, id],
  );
  await database.end();
  visitor = await visit(browser, server.url, { timezoneId: 'Europe/Berlin' });
  await signIn(visitor, 'ada', password);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

afterEach(() => expect(visitor.complaints).toEqual([]));

const row = (page: Page) => page.locator('main [role=row][data-id]').first();

/** The days of the chart of calls that have a call. */
async function daysWithCalls(page: Page): Promise<string[]> {
  await page.goto(`/detail?by=day&${around}`);
  await page.getByRole('button', { name: 'More actions for Calls' }).click();
  await page.getByRole('menuitem', { name: 'View as table' }).click();
  const rows = page.getByRole('region', { name: 'Calls' }).last().locator('tbody tr');
  await rows.first().waitFor();
  const texts = await rows.evaluateAll((all) => all.map((one) => [...one.children].map((cell) => cell.textContent)));
  return texts.filter(([, calls]) => calls === '1').map(([label]) => label ?? '');
}

async function openDisplay(page: Page): Promise<void> {
  await page.goto('/personal?tab=display');
  await page.getByRole('combobox', { name: 'Time zone' }).waitFor();
}

async function choose(page: Page, currency: string, typed: string, zone: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Currency of amounts' }).click();
  await page.getByRole('option', { name: currency }).click();
  await page.getByRole('combobox', { name: 'Time zone' }).fill(typed);
  await page.getByRole('option', { name: zone, exact: true }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Settings saved').first().waitFor();
  await settled(page);
}

it('shows USD and the zone of the browser before anything is chosen', async () => {
  const { page } = visitor;
  await page.goto(`/log?${around}`);
  await row(page).getByText(berlin).waitFor();
  await row(page).getByText('$0.310000').waitFor();
  await page.getByRole('link', { name: 'Balance $10.00', exact: true }).waitFor();
  expect(await daysWithCalls(page)).toEqual([berlin.slice(5, 10)]);
});

it('offers both in the personal settings, and finds a zone by its city', async () => {
  const { page } = visitor;
  await openDisplay(page);
  const zone = page.getByRole('combobox', { name: 'Time zone' });
  expect(await zone.inputValue()).toBe('Browser’s time zone (Europe/Berlin)');
  await page.getByText('Site default (USD)').waitFor();
  await page.getByText('Rate: ¥7.20 for $1.').waitFor();
  await zone.click();
  expect(await page.getByRole('option').first().textContent()).toBe('Browser’s time zone (Europe/Berlin)');
  await zone.fill('new york');
  await page.getByRole('option', { name: 'America/New_York', exact: true }).waitFor();
  expect(await page.getByRole('option').count()).toBe(1);
  await page.keyboard.press('Escape');
  await photographAll(visitor, 'personal-display');
  expect(await sidewaysOverflow(visitor)).toBe(0);
});

it('changes the balance, the time of a call, its day in the chart, and the bounds of a preset', async () => {
  const { page } = visitor;
  await openDisplay(page);
  await choose(page, 'Local currency (¥)', 'shanghai', 'Asia/Shanghai');
  expect(await page.getByRole('combobox', { name: 'Time zone' }).inputValue()).toBe('Asia/Shanghai');
  await page.getByRole('link', { name: 'Balance ¥72.00 (¥7.20 for $1)' }).waitFor();
  await photographAll(visitor, 'personal-display-chosen');

  await page.goto(`/log?${around}`);
  await row(page).getByText(shanghai).waitFor();
  // $0.31 at 7.2
  await row(page).getByText('¥2.232000').waitFor();
  await openFilter(page, 'Cost');
  await page.getByRole('textbox', { name: 'Cost (USD): >0.3' }).waitFor();
  await page.keyboard.press('Escape');
  await row(page).click();
  const bill = page.getByRole('dialog');
  await bill.getByText('¥2.232000').first().waitFor();
  await bill.getByText('$0.310000 · 155,000 quota').waitFor();
  await photographAll(visitor, 'log-detail-local');
  expect(await daysWithCalls(page)).toEqual([shanghai.slice(5, 10)]);
  await page.getByRole('region', { name: 'Spend', exact: true }).getByText('¥2.23').first().waitFor();
  await photographAll(visitor, 'dashboard-local');

  await page.goto('/log');
  await page.getByRole('button', { name: /^Time range/ }).click();
  await page.getByRole('dialog').getByText('Time zone: Asia/Shanghai').waitFor();
  // Days in Shanghai begin at 16:00 UTC, and one may end during the click.
  const yesterday = (): [string, string] => {
    const today = Math.floor((Date.now() / 1000 + 8 * hour) / day) * day - 8 * hour;
    return [String(today - day), String(today)];
  };
  const before = yesterday();
  await page.getByRole('dialog').getByRole('button', { name: 'Yesterday' }).click();
  await page.waitForURL(/from=\d+&to=\d+/);
  const { searchParams } = new URL(page.url());
  expect([before, yesterday()]).toContainEqual([searchParams.get('from'), searchParams.get('to')]);
});

it('asks for dashboards and for files in that zone', async () => {
  const { page } = visitor;
  const [request] = await Promise.all([
    page.waitForRequest((one) => one.postData()?.includes('"operationName":"Usage"') === true),
    page.goto('/detail?days=month&by=day'),
  ]);
  expect(JSON.parse(request.postData() ?? '')).toMatchObject({ variables: { timeZone: 'Asia/Shanghai' } });
  await page.goto(`/log?${around}`);
  await page.getByRole('button', { name: 'More actions', exact: true }).click();
  const [file] = await Promise.all([
    page.waitForResponse(/\/api\/log\/self\/export/),
    page.getByRole('menuitem', { name: 'Export for people' }).click(),
  ]);
  expect(new URL(file.url()).searchParams.get('time_zone')).toBe('Asia/Shanghai');
});

it('reads what is typed in that zone', async () => {
  const { page } = visitor;
  await page.goto(`/log?${around}`);
  await page.getByRole('button', { name: /^Time range/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('From').fill('2026-03-08 09:00');
  await dialog.getByLabel('To').fill('2026-03-08 10:00');
  await dialog.getByRole('button', { name: 'Apply' }).click();
  // 01:00 and 02:00 UTC
  await page.waitForURL(/from=1772931600&to=1772935200/);
});

it('follows the user to another browser in another zone, and is not for the next user', async () => {
  const other = await visit(browser, server.url, { timezoneId: 'America/New_York', locale: 'zh-CN' });
  const { page } = other;
  const signInHere = async (name: string, word: string): Promise<void> => {
    await page.goto('/login');
    await page.locator('input[name=username]').fill(name);
    await page.locator('input[name=password]').fill(word);
    await page.locator('button[type=submit]').click();
  };
  await signInHere('ada', password);
  await page.getByRole('link', { name: '余额 ¥72.00 (1 美元 = ¥7.20)' }).waitFor();
  await page.goto(`/log?${around}`);
  await row(page).getByText(shanghai).waitFor();
  await page.goto('/personal?tab=display');
  await page.getByText('汇率：1 美元 = ¥7.20。').waitFor();
  await photographAll(other, 'personal-display-zh');
  // Requests of the page would be refused without the session.
  await settled(page);
  await page.context().clearCookies();
  await page.evaluate(() => localStorage.removeItem('user'));
  await signInHere('root', rootPassword);
  await page.getByRole('link', { name: /^余额 \$/ }).waitFor();
  await page.goto('/personal?tab=display');
  expect(await page.getByRole('combobox', { name: '时区' }).inputValue()).toBe('浏览器的时区（America/New_York）');
  expect(other.complaints).toEqual([]);
  await other.leave();
});

it('keeps what is typed in another tab of the personal settings when the zone changes', async () => {
  const { page } = visitor;
  await openDisplay(page);
  await page.getByRole('tab', { name: 'Account', exact: true }).click();
  const password = page.getByLabel('New password', { exact: true });
  await password.fill('typed and not saved');
  await page.getByRole('tab', { name: 'Display', exact: true }).click();
  await choose(page, 'Local currency (¥)', 'tokyo', 'Asia/Tokyo');
  await page.getByRole('tab', { name: 'Account', exact: true }).click();
  expect(await password.inputValue()).toBe('typed and not saved');
});

it('returns to the defaults', async () => {
  const { page } = visitor;
  await openDisplay(page);
  await choose(page, 'Site default (USD)', 'browser', 'Browser’s time zone (Europe/Berlin)');
  await page.getByRole('link', { name: 'Balance $10.00', exact: true }).waitFor();
  await page.goto(`/log?${around}`);
  await row(page).getByText(berlin).waitFor();
  expect(await daysWithCalls(page)).toEqual([berlin.slice(5, 10)]);
});
