import type { Browser, Locator } from 'playwright-core';
import type { Person } from '../support/api.js';
import { startServer, type TestServer } from '../support/server.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { openBrowser, visit, type Visitor } from './console-page.js';
import { enter, photographAll, sidewaysOverflow } from './console-session.js';

/** Budgets in the console: in the editors of keys, users and channels, of a group and of the site in the settings. */
let server: TestServer;
let upstream: Upstream;
let browser: Browser;
let visitor: Visitor;
let root: Person;
let token: { readonly id: number; readonly key: string };

jest.setTimeout(120_000);

/** A time zone in which no day ends during the test. */
const zone = new Date().getUTCHours() < 20 ? 'Europe/Berlin' : 'Asia/Tokyo';

beforeAll(async () => {
  [server, browser, upstream] = await Promise.all([
    startServer({ environment: { OUTBOUND_ALLOW: '127.0.0.1' } }),
    openBrowser(),
    startUpstream(),
  ]);
  root = await server.api.setUp();
  await server.api.createChannel(root, { baseUrl: upstream.url, models: ['gpt-4o'], name: 'reseller' });
  token = await server.api.createToken(root, { name: 'ci' });
  visitor = await visit(browser, server.url, { timezoneId: zone });
  await enter(visitor);
});

afterAll(async () => {
  await browser.close();
  await Promise.all([server.stop(), upstream.stop()]);
});

const button = (scope: Locator, name: string) => scope.getByRole('button', { name, exact: true });
const dialog = (name: string) => visitor.page.getByRole('dialog', { name });

async function add(scope: Locator, amount: string, window?: string): Promise<void> {
  await button(scope, 'Add budget').click();
  const form = dialog('Add budget');
  await form.getByLabel(/^Amount/).fill(amount);
  if (window) {
    await form.getByRole('combobox', { name: 'Window' }).click();
    await visitor.page.getByRole('option', { name: window, exact: true }).click();
  }
  await button(form, 'Create budget').click();
  await form.waitFor({ state: 'detached' });
}

const stored = async (): Promise<unknown> => {
  const { data } = await server.api.graphql(
    root,
    '{ budgets(sort: [{ field: ID, direction: ASC }]) { items { level group kind amount span isRolling timeZone models enabled } } }',
  );
  return (data?.['budgets'] as { items: unknown }).items;
};
const call = async (): Promise<number> =>
  (
    await server.api.relay(token.key, '/v1/chat/completions', {
      model: 'gpt-4o',
      messages: [{ role: 'user', content: 'hi' }],
    })
  ).status;

it('is added, used, changed, turned off and deleted in the editor of a token', async () => {
  const { page } = visitor;
  await button(page.locator('body'), 'More actions for token ci').click();
  await page.getByRole('menuitem', { name: 'Edit', exact: true }).click();
  const editor = dialog('Edit token');
  await editor.getByText('No budgets').waitFor();
  await button(editor, 'Add budget').click();
  const form = dialog('Add budget');
  await button(form, 'Create budget').click();
  await form.getByText('Enter an amount below $1,000,000,000 with at most 6 decimals').waitFor();
  await photographAll(visitor, 'budget-dialog');
  await form.getByRole('combobox', { name: 'Limits' }).click();
  await page.getByRole('option', { name: 'Requests' }).click();
  await form.getByLabel(/^Requests/).fill('2');
  expect(await form.getByRole('combobox', { name: 'Time zone' }).inputValue()).toBe(zone);
  await form.getByLabel(/^Models/).fill('gpt-*');
  await button(form, 'Create budget').click();
  await form.waitFor({ state: 'detached' });
  await editor.getByText('2 requests per day').waitFor();
  await editor.getByText('0 requests used · 2 requests left').waitFor();
  await editor.getByText(new RegExp(`^Resets \\d{4}-\\d\\d-\\d\\d 00:00 \\(${zone}\\)$`)).waitFor();
  await editor.getByText('Only gpt-*').waitFor();
  // The budget was saved separately, so the editor has no changes.
  expect(await editor.getByRole('status').innerText()).toBe('');
  expect(await stored()).toEqual([
    {
      level: 'TOKEN',
      group: null,
      kind: 'REQUESTS',
      amount: 2,
      span: 'DAY',
      isRolling: false,
      timeZone: zone,
      models: ['gpt-*'],
      enabled: true,
    },
  ]);

  expect([await call(), await call(), await call()]).toEqual([200, 200, 429]);
  await button(editor, 'Cancel').click();
  await editor.waitFor({ state: 'detached' });
  await button(page.locator('body'), 'More actions for token ci').click();
  await page.getByRole('menuitem', { name: 'Edit', exact: true }).click();
  await editor.getByText('2 requests used · 0 requests left').waitFor();
  await editor.getByText('Used up', { exact: true }).waitFor();
  await add(editor, '1.5', 'Month');
  await editor.getByText('$1.50 per month').waitFor();
  await editor.getByText('Used up', { exact: true }).scrollIntoViewIfNeeded();
  await photographAll(visitor, 'budgets-token');
  expect(await sidewaysOverflow(visitor)).toBe(0);

  await button(editor, 'More actions for 2 requests per day').click();
  await page.getByRole('menuitem', { name: 'Edit', exact: true }).click();
  const edit = dialog('Edit budget');
  await edit.getByLabel(/^Requests/).fill('5');
  await button(edit, 'Save budget').click();
  await editor.getByText('2 requests used · 3 requests left').waitFor();
  await button(editor, 'More actions for 5 requests per day').click();
  await page.getByRole('menuitem', { name: 'Turn off' }).click();
  await editor.getByText('Off', { exact: true }).waitFor();
  await button(editor, 'More actions for 5 requests per day').click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByText('Delete the budget “5 requests per day”?').waitFor();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  // The editor is hidden from look-ups by role until the dialog has closed.
  await page.getByText('Budget deleted').waitFor();
  await editor.getByText('5 requests per day').waitFor({ state: 'detached' });
  expect(await stored()).toMatchObject([{ kind: 'MONEY', amount: 750_000, span: 'MONTH' }]);
  await button(editor, 'Cancel').click();
  await editor.waitFor({ state: 'detached' });
});

it('is on the pages of users and channels', async () => {
  const { page } = visitor;
  await page.goto('/user/edit/1');
  const user = page.getByRole('region', { name: 'Edit user' });
  await add(user, '20', 'Week');
  await user.getByText('$20.00 per week').waitFor();
  await photographAll(visitor, 'budgets-user');
  await page.goto('/channel');
  await button(page.locator('body'), 'More actions for reseller').click();
  await page.getByRole('menuitem', { name: 'Edit', exact: true }).click();
  await page.getByRole('tab', { name: 'Limits' }).click();
  const channel = page.getByRole('region', { name: 'Budgets' });
  await add(channel, '100', '5 hours');
  await channel.getByText('$100.00 per 5 hours').scrollIntoViewIfNeeded();
  await photographAll(visitor, 'budgets-channel');
  expect(await stored()).toMatchObject([
    { level: 'TOKEN' },
    { level: 'USER', amount: 10_000_000, span: 'WEEK' },
    { level: 'CHANNEL', amount: 50_000_000, span: 'FIVE_HOURS' },
  ]);
});

it('is in the settings for groups, the site and all channels', async () => {
  const { page } = visitor;
  await page.goto('/setting?tab=operation');
  await button(page.locator('body'), 'Budgets of the group default').click();
  const group = dialog('Budgets of the group default');
  await add(group, '3');
  await group.getByText('$3.00 per day').waitFor();
  await photographAll(visitor, 'budgets-group');
  await button(group, 'Close').click();
  await page.goto('/setting?tab=ratelimit');
  const site = page.getByRole('group', { name: 'Site' });
  await button(site, 'Add budget').click();
  const form = dialog('Add budget');
  await form.getByLabel(/^Amount/).fill('9');
  await form.getByLabel('Rolling').check();
  await form.getByRole('combobox', { name: 'Time zone' }).waitFor({ state: 'detached' });
  await button(form, 'Create budget').click();
  await site.getByText('$9.00 in any 24 hours').waitFor();
  await button(site, 'Add budget').click();
  await form.getByLabel(/^Amount/).fill('4');
  await form.getByRole('combobox', { name: 'Window' }).click();
  await page.getByRole('option', { name: 'Fixed range' }).click();
  await form.getByLabel('Start').fill('2100-01-02T00:00');
  await form.getByRole('textbox', { name: 'End' }).fill('2100-01-01T00:00');
  await button(form, 'Create budget').click();
  await form.getByText('The end must be after the start').waitFor();
  await form.getByRole('textbox', { name: 'End' }).fill('2100-02-01T00:00');
  await button(form, 'Create budget').click();
  await site.getByText('$4.00 from 2100-01-02 00:00 to 2100-02-01 00:00').waitFor();
  await site.getByText('Outside its range').waitFor();
  await button(site, 'Add budget').click();
  await form.getByLabel(/^Amount/).fill('5');
  await form.getByRole('combobox', { name: 'Time zone' }).fill('Shanghai');
  await page.getByRole('option', { name: 'Asia/Shanghai' }).click();
  await button(form, 'Create budget').click();
  // The browser is in another zone, but the window ends at midnight in Shanghai.
  await site.getByText(/^Resets \d{4}-\d\d-\d\d 00:00 \(Asia\/Shanghai\)$/).waitFor();
  // Limits per minute count requests or tokens.
  await button(site, 'Add budget').click();
  await form.getByRole('combobox', { name: 'Window' }).click();
  await page.getByRole('option', { name: 'Day', exact: true }).waitFor();
  expect(await page.getByRole('option', { name: 'Minute' }).count()).toBe(0);
  await page.keyboard.press('Escape');
  await form.getByRole('combobox', { name: 'Limits' }).click();
  await page.getByRole('option', { name: 'Requests' }).click();
  await form.getByRole('combobox', { name: 'Window' }).click();
  await page.getByRole('option', { name: 'Minute' }).click();
  await form.getByLabel(/^Requests/).fill('60');
  await form.getByLabel('Rolling').waitFor({ state: 'detached' });
  await photographAll(visitor, 'budget-minute');
  await button(form, 'Create budget').click();
  await site.getByText('60 requests per minute').waitFor();
  const channels = page.getByRole('group', { name: 'Channels' });
  await channels.getByText('reseller').waitFor();
  expect(await button(channels, 'Add budget').count()).toBe(0);
  await channels.scrollIntoViewIfNeeded();
  await photographAll(visitor, 'budgets-settings');
  expect(await sidewaysOverflow(visitor)).toBe(0);
  expect(await stored()).toMatchObject([
    { level: 'TOKEN' },
    { level: 'USER' },
    { level: 'CHANNEL' },
    { level: 'GROUP', group: 'default', amount: 1_500_000 },
    { level: 'SITE', isRolling: true, timeZone: zone },
    { level: 'SITE', span: 'FIXED' },
    { level: 'SITE', timeZone: 'Asia/Shanghai' },
    { level: 'SITE', span: 'MINUTE', kind: 'REQUESTS', amount: 60 },
  ]);
});

it('is a part of the form of a new token, and created with it', async () => {
  const { page } = visitor;
  await page.goto('/token');
  await button(page.locator('body'), 'Create token').first().click();
  const editor = dialog('Create token');
  await editor.getByLabel(/^Name/).fill('drafted');
  await button(editor, 'Add budget').click();
  const form = dialog('Add budget');
  await form.getByLabel(/^Amount/).fill('2.5');
  await form.getByLabel(/^Models/).fill('gpt-*');
  await button(form, 'Add budget').click();
  await form.waitFor({ state: 'detached' });
  await editor.getByText('$2.50 per day').waitFor();
  await editor.getByText('Only gpt-*').waitFor();
  await button(editor, 'Add budget').click();
  await form.getByRole('combobox', { name: 'Limits' }).click();
  await page.getByRole('option', { name: 'Tokens' }).click();
  await form.getByLabel(/^Tokens/).fill('9000');
  await form.getByRole('combobox', { name: 'Window' }).click();
  await page.getByRole('option', { name: 'Minute' }).click();
  await button(form, 'Add budget').click();
  await editor.getByText('9,000 tokens per minute').scrollIntoViewIfNeeded();
  await button(editor, 'More actions for $2.50 per day').click();
  await page.getByRole('menuitem', { name: 'Edit', exact: true }).click();
  const edit = dialog('Edit budget');
  expect(await edit.getByRole('combobox', { name: 'Time zone' }).inputValue()).toBe(zone);
  await edit.getByLabel(/^Amount/).fill('3');
  await button(edit, 'Save budget').click();
  await editor.getByText('$3.00 per day').waitFor();
  await button(editor, 'Add budget').scrollIntoViewIfNeeded();
  await photographAll(visitor, 'budgets-new-token');
  expect(await sidewaysOverflow(visitor)).toBe(0);
  const before = ((await stored()) as unknown[]).length;
  await button(editor, 'Create token').click();
  await editor.waitFor({ state: 'detached' });
  expect(((await stored()) as unknown[]).slice(before)).toEqual([
    {
      level: 'TOKEN',
      group: null,
      kind: 'MONEY',
      amount: 1_500_000,
      span: 'DAY',
      isRolling: false,
      timeZone: zone,
      models: ['gpt-*'],
      enabled: true,
    },
    {
      level: 'TOKEN',
      group: null,
      kind: 'TOKENS',
      amount: 9000,
      span: 'MINUTE',
      isRolling: false,
      timeZone: zone,
      models: [],
      enabled: true,
    },
  ]);
});

it('of an account and its tokens is on the account page: read-only where an admin set it', async () => {
  const account = { username: 'alice', password: 'alice-secret-1' };
  await server.api.data(root, 'POST', '/api/user/', { ...account, display_name: 'Alice' });
  const person = await server.api.signIn(account.username, account.password);
  const made = await server.api.createToken(person, { name: 'laptop' });
  const add = async (who: Person, body: object) => server.api.data(who, 'POST', '/api/budget/', body);
  const budget = { kind: 'money', window: 'month' };
  await add(root, { ...budget, level: 'user', subject_id: person.id, amount: 5_000_000 });
  await add(root, { ...budget, level: 'token', subject_id: made.id, amount: 1_000_000 });
  await add(person, { ...budget, level: 'token', subject_id: made.id, amount: 500_000, window: 'day' });
  const guest = await visit(browser, server.url, { timezoneId: zone });
  await enter(guest, '/personal?tab=budgets', account);
  const { page } = guest;
  const list = page.getByRole('list', { name: 'Budgets and limits per minute' });
  const row = (title: string) => list.getByRole('listitem').filter({ hasText: title });
  await row('$10.00 per month').getByText('Your account').waitFor();
  await row('$10.00 per month').getByText('Set by an admin').waitFor();
  await row('$2.00 per month').getByText('laptop').waitFor();
  await row('$2.00 per month').getByText('Set by an admin').waitFor();
  expect(await list.getByRole('listitem').count()).toBe(3);
  expect(await list.getByRole('button').count()).toBe(1);
  await photographAll(guest, 'budgets-account');
  expect(await sidewaysOverflow(guest)).toBe(0);
  await button(row('$1.00 per day'), 'More actions for $1.00 per day').click();
  await page.getByRole('menuitem', { name: 'Edit', exact: true }).click();
  const edit = page.getByRole('dialog', { name: 'Edit budget' });
  await edit.getByLabel(/^Amount/).fill('1.25');
  await button(edit, 'Save budget').click();
  await list.getByText('$1.25 per day').waitFor();
  expect(guest.complaints).toEqual([]);
});

it('is read in Chinese as well', async () => {
  const { page } = visitor;
  await page.evaluate(() => localStorage.setItem('language', 'zh'));
  await page.goto('/setting?tab=ratelimit');
  await page.getByText('任意 24 小时内 $9.00').waitFor();
  await visitor.photograph('budgets-settings-zh');
});

it('complains about nothing', () => {
  expect(visitor.complaints).toEqual([]);
});
