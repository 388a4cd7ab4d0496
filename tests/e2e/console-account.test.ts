import type { Browser, Locator } from 'playwright-core';
import type { Person } from '../support/api.js';
import { startServer, type TestServer } from '../support/server.js';
import { copied, openBrowser, settled, untilEqual, visit, type Visitor } from './console-page.js';
import { photographAll, sidewaysOverflow, signIn } from './console-session.js';

/** An invited user registers, manages the account, and deletes it. */
jest.setTimeout(120_000);

let server: TestServer;
let browser: Browser;
let visitor: Visitor;
let root: Person;

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(), openBrowser()]);
  root = await server.api.setUp();
  await server.api.createChannel(root, {
    baseUrl: 'https://api.example.com',
    models: Array.from({ length: 12 }, (_, index) => `model-${String(index)}`),
  });
  for (const [key, value] of [
    ['Notice', 'Maintenance on **Sunday**'],
    ['HomePageContent', '# Our own home\n\n<a href="javascript:alert(1)">no</a>'],
    ['CheckInEnabled', 'true'],
    ['CheckInQuota', '50000'],
    ['QuotaForNewUser', '500000'],
    ['About', '# About us\n\n**Bold** <script>alert(1)</script><img src=x onerror=alert(1)>'],
  ]) {
    await server.api.data(root, 'PUT', '/api/option/', { key, value });
  }
  visitor = await visit(browser, server.url);
});

afterAll(async () => {
  await browser.close();
  await server.stop();
});

afterEach(() => {
  expect(visitor.complaints).toEqual([]);
});

const button = (name: string | RegExp): Locator => visitor.page.getByRole('button', { name });
const field = (name: string): Locator => visitor.page.locator(`input[name=${name}]`);

it('registers by an invitation, after what is wrong was said', async () => {
  const { page } = visitor;
  await page.goto('/register?aff=ABCD');
  await page.getByText('Invited with code ABCD').waitFor();
  await field('username').fill('newcomer');
  await field('password').fill('short');
  await field('confirm').fill('other');
  await button('Create account').click();
  await page.getByText('Password length must not be less than 8').waitFor();
  await page.getByText('The two passwords do not match').waitFor();
  await photographAll(visitor, 'register');
  await field('password').fill('long enough 1');
  await field('confirm').fill('long enough 1');
  expect(await page.evaluate(() => localStorage.getItem('aff'))).toBe('ABCD');
  await button('Create account').click();
  await page.getByRole('status').getByText('Account created. Sign in.').waitFor();
  expect(new URL(page.url()).pathname).toBe('/login');
  expect(await page.getByLabel('Username or email').inputValue()).toBe('newcomer');
  await untilEqual(() => page.evaluate(() => document.activeElement?.getAttribute('name')), 'password');
  expect(await page.evaluate(() => localStorage.getItem('aff'))).toBeNull();
  await photographAll(visitor, 'login');
});

it('asks for a reset mail with a countdown, and refuses a link without its parts', async () => {
  const { page } = visitor;
  await page.goto('/user/reset?email=a%40example.com');
  await page.getByRole('heading', { name: 'This link is not valid' }).waitFor();
  await page.getByRole('link', { name: 'Request a new email' }).click();
  await button('Send reset email').click();
  await page.getByText('Please enter email').waitFor();
  await photographAll(visitor, 'reset');
});

it('opens the notice once, over the home page the admin wrote', async () => {
  const { page } = visitor;
  await page.goto('/');
  await page.getByRole('dialog').getByText('Maintenance on').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await page.getByRole('heading', { name: 'Our own home' }).waitFor();
  expect(await page.locator('a[href^="javascript"]').count()).toBe(0);
  await page.reload();
  await page.getByRole('heading', { name: 'Our own home' }).waitFor();
  await settled(page);
  expect(await page.getByRole('dialog').count()).toBe(0);
});

it('shows the About page without what it must not do', async () => {
  const { page } = visitor;
  await page.goto('/about');
  await page.getByRole('heading', { name: 'About us' }).waitFor();
  expect(await page.locator('#content script').count()).toBe(0);
  expect(await page.locator('#content [onerror]').count()).toBe(0);
  await page.getByText('Powered by Tollgate').waitFor();
});

it('checks in, sees ten models and then all, and copies one', async () => {
  const { page } = visitor;
  await signIn(visitor, 'newcomer', 'long enough 1');
  await page.getByRole('link', { name: 'Personal settings' }).click();
  await page.getByText('Common user', { exact: true }).waitFor();
  await button('Check in').click();
  await page.getByText('Checked in: $0.100000').waitFor();
  await page.getByRole('region', { name: 'newcomer' }).getByText('$1.10').waitFor();
  await page.getByRole('link', { name: 'Balance $1.10' }).waitFor();
  expect(await button('Checked in today').isDisabled()).toBe(true);
  await untilEqual(() => button(/^Copy model-/).count(), 10);
  await button('Show all 12').click();
  await untilEqual(() => button(/^Copy model-/).count(), 12);
  await button('Copy model-3').click();
  await untilEqual(() => copied(page), 'model-3');
  await photographAll(visitor, 'personal');
  expect(await sidewaysOverflow(visitor)).toBe(0);
});

it('sets a webhook over https only, keeps its secret, and accepts models without a price', async () => {
  const { page } = visitor;
  await page.getByRole('tab', { name: 'Notifications' }).click();
  await page.getByRole('combobox', { name: 'Notify by' }).click();
  await page.getByRole('option', { name: 'Webhook' }).click();
  await field('webhookUrl').fill('http://example.com');
  await button('Save').click();
  await page.getByText('The URL must start with https://').waitFor();
  await field('webhookUrl').fill('https://example.com/hook');
  await field('webhookSecret').fill('hook-secret');
  await button('Save').click();
  await page.getByText('Settings saved').waitFor();
  await page.reload();
  await page.getByLabel('Webhook URL').waitFor();
  expect(await field('webhookSecret').getAttribute('placeholder')).toBe('unchanged');
  expect(await page.content()).not.toContain('hook-secret');
  await photographAll(visitor, 'personal-notifications');
  await page.getByRole('tab', { name: 'Price' }).click();
  await page.getByLabel('Accept models without a price').check();
  await button('Save').click();
  await page.getByText('Settings saved').first().waitFor();
});

it('makes an access token that is shown once, and deletes the account by its name', async () => {
  const { page } = visitor;
  await page.getByRole('tab', { name: 'Account' }).click();
  await button('Generate token').click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Generate token' }).click();
  await page.getByRole('heading', { name: 'Your access token' }).waitFor();
  await button('Done').click();
  await button('Delete account').click();
  await page.getByLabel('Type newcomer to confirm').fill('somebody');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete account' }).click();
  await page.getByText('Please enter your account name to confirm deletion').waitFor();
  await page.getByLabel('Type newcomer to confirm').fill('newcomer');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete account' }).click();
  await page.getByRole('heading', { name: 'Sign in to Tollgate' }).waitFor();
});
