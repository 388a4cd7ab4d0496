import pg from 'pg';
import type { Browser } from 'playwright-core';
import type { Person } from '../support/api.js';
import { startServer, type TestServer } from '../support/server.js';
import { chooseOfPage, openBrowser, settled, untilEqual, visit, type Visitor } from './console-page.js';
import { enter, photographAll, sidewaysOverflow } from './console-session.js';

/** Daily work of an operator: alerts, a user with related rows, saved views, the status page. */
let server: TestServer;
let browser: Browser;
let admin: Visitor;
let root: Person;
let ada: Person;
let database: pg.Client;

jest.setTimeout(120_000);

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(), openBrowser()]);
  root = await server.api.setUp();
  database = new pg.Client(server.database.url);
  await database.connect();
  await server.api.createChannel(root, { baseUrl: 'http://127.0.0.1:9', models: ['gpt-4o'], name: 'Azure East US 2' });
  await server.api.data(root, 'POST', '/api/user/', { username: 'ada', password: 'password of ada' });
  ada = await server.api.signIn('ada', 'password of ada');
  await server.api.createToken(ada, { name: 'Notebook of Ada' });
  admin = await visit(browser, server.url);
  await enter(admin);
});

afterAll(async () => {
  await browser.close();
  await database.end();
  await server.stop();
});

it('a disabled channel rings the bell, which leads to the channel; seen alerts ring no more', async () => {
  const { page } = admin;
  await database.query(
    "UPDATE channels SET status = 'autoDisabled', status_reason = '401 Incorrect API key provided', status_changed_at = to_timestamp(1)",
  );
  await server.api.data(root, 'PUT', '/api/option/', { key: 'RetryTimes', value: '1' });
  await untilEqual(async () => (await database.query('SELECT id FROM alerts')).rowCount, 1);
  await page.goto('/token');
  await page.getByRole('button', { name: 'Notifications, 1 new alert' }).click();
  const center = page.getByRole('dialog', { name: 'Notifications' });
  await center.getByText('401 Incorrect API key provided').waitFor();
  await settled(page);
  await photographAll(admin, 'operator-notifications');
  await center.getByRole('link', { name: 'Azure East US 2 (#1)' }).click();
  await page.getByRole('heading', { level: 1, name: 'Azure East US 2' }).waitFor();
  await page.goto('/alert');
  await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor();
  await page.getByText('Channel disabled').first().waitFor();
  await settled(page);
  await photographAll(admin, 'operator-alerts');
  expect(await sidewaysOverflow(admin)).toBe(0);
  expect(admin.complaints).toEqual([]);
});

it('a user leads to the tokens, the sessions and the invited users, and can be signed out', async () => {
  const { page } = admin;
  await page.goto('/user');
  const menuOf = () => page.getByRole('button', { name: 'More actions for ada' }).click();
  await menuOf();
  await page.getByRole('menuitem', { name: 'API tokens' }).click();
  const tokens = page.getByRole('dialog', { name: 'API tokens of “ada”' });
  await tokens.getByText('Notebook of Ada').waitFor();
  expect(new URL(page.url()).search).toBe(`?tokens=${String(ada.id)}`);
  await settled(page);
  await photographAll(admin, 'operator-tokens');
  await tokens.getByRole('button', { name: 'Close' }).click();

  await menuOf();
  await page.getByRole('menuitem', { name: 'Sessions' }).click();
  const sessions = page.getByRole('dialog', { name: 'Sessions of “ada”' });
  await sessions.getByRole('button', { name: 'Sign out everywhere' }).click();
  await settled(page);
  await photographAll(admin, 'operator-sessions');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByText('1 session ended').waitFor();
  await sessions.getByText('This user is not signed in anywhere.').waitFor();

  await database.query('UPDATE users SET inviter_id = $1 WHERE id = $2', [root.id, ada.id]);
  await page.goto(`/user?inviter=${String(root.id)}`);
  await page.getByText('Items 1 - 1 of 1').waitFor();
  await page.getByRole('link', { name: 'ada' }).waitFor();
  expect(admin.complaints).toEqual([]);
});

it('a view of a list is saved under a name, opened again on another page of it, and removed', async () => {
  const { page } = admin;
  await page.goto('/user?status=ENABLED&role=ROOT&page=1');
  await page.getByText('Items 1 - 1 of 1').waitFor();
  const open = () => chooseOfPage(page, 'Saved views');
  await open();
  await page.getByRole('menuitem', { name: 'Save this view…' }).click();
  await page.getByRole('dialog', { name: 'Save view' }).getByLabel('Name').fill('Owners');
  await page.getByRole('button', { name: 'Save view' }).click();
  await page.getByRole('dialog', { name: 'Save view' }).waitFor({ state: 'detached' });
  await page.goto('/user');
  await page.getByText('Items 1 - 2 of 2').waitFor();
  await open();
  await settled(page);
  await photographAll(admin, 'operator-views');
  await page.getByRole('menuitem', { name: 'Owners' }).click();
  await page.getByText('Items 1 - 1 of 1').waitFor();
  expect(new URL(page.url()).search).toBe('?role=ROOT&status=ENABLED');
  await open();
  await page.getByRole('menuitem', { name: 'Remove view Owners' }).click();
  await open();
  await page.getByText('No saved views').waitFor();
  await page.keyboard.press('Escape');
  expect(admin.complaints).toEqual([]);
});

it('targets of alerts are set in the settings, and a test tells why it fails', async () => {
  const { page } = admin;
  await page.goto('/setting?tab=operation');
  await page.locator('#section-alerts').scrollIntoViewIfNeeded();
  await page.getByRole('button', { name: 'Telegram', exact: true }).click();
  await page.getByText('This target is not set up').waitFor();
  await settled(page);
  await page.locator('#section-alerts').scrollIntoViewIfNeeded();
  await photographAll(admin, 'operator-alert-settings');
  admin.forget();
});
