import type { Browser, Locator } from 'playwright-core';
import type { Person } from '../support/api.js';
import { startServer, type TestServer } from '../support/server.js';
import { openBrowser, visit, type Visitor } from './console-page.js';
import { enter, photographAll, sidewaysOverflow, signIn } from './console-session.js';

/** Custom roles: root creates one and assigns it to a user, who sees only the screens that it opens. */
let server: TestServer;
let browser: Browser;
let visitor: Visitor;
let root: Person;
const password = 'password of mira';

jest.setTimeout(150_000);

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(), openBrowser()]);
  root = await server.api.setUp();
  for (const username of ['mira', 'tom']) {
    await server.api.rest(root, 'POST', '/api/user/', { username, password });
  }
  visitor = await visit(browser, server.url);
  await enter(visitor);
});

afterAll(async () => {
  await browser.close();
  await server.stop();
});

const button = (scope: Locator, name: string) => scope.getByRole('button', { name, exact: true });
const dialog = (name: string) => visitor.page.getByRole('dialog', { name });
const stored = async (): Promise<unknown> =>
  (await server.api.graphql(root, '{ customRoles { name permissions userCount } }')).data?.['customRoles'];

it('root makes a role from permissions, which include those that they need', async () => {
  const { page } = visitor;
  await page.goto('/setting?tab=roles');
  await page.getByText('No custom roles yet').waitFor();
  await button(page.locator('main'), 'Add role').click();
  const editor = dialog('Add role');
  await button(editor, 'Save role').click();
  await editor.getByText('Enter a name').waitFor();
  await editor.getByLabel(/^Name/).fill('Support');
  await button(editor, 'Save role').click();
  await editor.getByText('Choose at least one permission').waitFor();
  await editor.getByRole('checkbox', { name: 'users.quota' }).check();
  const included = editor.getByRole('checkbox', { name: 'users.read' });
  expect([await included.isChecked(), await included.isDisabled()]).toEqual([true, true]);
  await editor.getByRole('checkbox', { name: 'users.quota' }).uncheck();
  expect([await included.isChecked(), await included.isDisabled()]).toEqual([false, false]);
  await included.check();
  await editor.getByRole('checkbox', { name: 'logs.read' }).check();
  await photographAll(visitor, 'role-editor');
  await button(editor, 'Save role').click();
  await page.getByText('users.read, logs.read').waitFor();
  await page.getByText('0 users').waitFor();
  expect(await stored()).toEqual([{ name: 'Support', permissions: ['USERS_READ', 'LOGS_READ'], userCount: 0 }]);
  await photographAll(visitor, 'roles');
  expect(await sidewaysOverflow(visitor)).toBe(0);
});

it('root gives it to a user in the editor, and cannot delete it then', async () => {
  const { page } = visitor;
  await page.goto('/user');
  await page.getByText('mira', { exact: true }).first().click();
  await page.getByRole('tab', { name: 'Settings' }).click();
  const editor = page.getByRole('region', { name: 'Edit user' });
  await editor.getByRole('combobox', { name: 'Custom role' }).click();
  await page.getByRole('option', { name: 'Support', exact: true }).click();
  await editor.getByRole('combobox', { name: 'Custom role' }).getByText('Support').waitFor();
  // The choice was saved separately.
  expect(await button(editor, 'Save user').count()).toBe(0);
  await page.goto('/user');
  await page.locator('main').getByText('Support', { exact: true }).first().waitFor();
  expect(await stored()).toMatchObject([{ userCount: 1 }]);
  await page.goto('/setting?tab=roles');
  await page.getByText('1 user', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'More of role Support' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await button(page.getByRole('alertdialog', { name: 'Delete role Support?' }), 'Delete').click();
  await page.getByText('Users have this role. Give them another one first.').waitFor();
  expect(await stored()).toMatchObject([{ name: 'Support' }]);
});

it('the user sees users and logs, without anything to change', async () => {
  const operator = await visit(browser, server.url);
  const { page } = operator;
  await signIn(operator, 'mira', password);
  const bar = page.getByRole('navigation');
  await bar.getByRole('link', { name: 'Users' }).first().waitFor();
  const names = (await bar.getByRole('link').allInnerTexts()).map((text) => text.trim());
  expect(names).toContain('Usage log');
  for (const closed of ['Channels', 'Redemption codes', 'Settings', 'Payments', 'Audit log', 'Alerts']) {
    expect(names).not.toContain(closed);
  }

  await bar.getByRole('link', { name: 'Users' }).first().click();
  await page.getByText('tom', { exact: true }).first().waitFor();
  expect(await page.getByRole('button', { name: 'Add user' }).count()).toBe(0);
  const row = page.getByRole('row').filter({ hasText: 'tom' });
  expect(await row.getByRole('switch').isDisabled()).toBe(true);
  await row.getByRole('button', { name: /^More/ }).click();
  await page.getByRole('menuitem', { name: 'View user' }).waitFor();
  const items = await page.getByRole('menuitem').allInnerTexts();
  for (const closed of ['Delete', 'Edit', 'Add quota']) expect(items).not.toContain(closed);
  await page.getByRole('menuitem', { name: 'View user' }).click();
  const view = page.getByRole('region', { name: 'View user' });
  await view.getByText('tom', { exact: true }).first().waitFor();
  expect(await view.getByRole('textbox').count()).toBe(0);
  expect(await view.getByRole('button', { name: 'Save user' }).count()).toBe(0);
  await photographAll(operator, 'operator-user');
  await page.goto('/user');

  await bar.getByRole('link', { name: 'Usage log' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Usage log' }).waitFor();
  await photographAll(operator, 'operator-logs');
  for (const path of ['/channel', '/setting', '/audit', '/redemption']) {
    await page.goto(path);
    await page.getByText('Page does not exist').waitFor();
  }
  // No request of the screens was refused.
  expect(operator.complaints).toEqual([]);
  await operator.leave();
});

it('an operator with channels.read and prices sees both, without anything that the server refuses', async () => {
  const { data } = await server.api.graphql(
    root,
    `mutation { createCustomRole(input: { name: "Prices", permissions: [CHANNELS_READ, PRICES] }) { role { id } } }`,
  );
  const { role } = data?.['createCustomRole'] as { readonly role: { readonly id: number } };
  const found = await server.api.graphql(root, '{ users(filter: { keyword: "tom" }) { items { id } } }');
  const [tom] = (found.data?.['users'] as { readonly items: readonly { readonly id: number }[] }).items;
  await server.api.graphql(
    root,
    `mutation { giveCustomRole(input: { userId: ${String(tom?.id)}, customRoleId: ${String(role.id)} }) { user { id } } }`,
  );
  await server.api.rest(root, 'POST', '/api/channel/', {
    name: 'north',
    type: 1,
    key: 'sk-north',
    models: 'gpt-4o',
    group: 'default',
  });

  const operator = await visit(browser, server.url);
  const { page } = operator;
  await signIn(operator, 'tom', password);
  await page.goto('/channel');
  const row = page.getByRole('row').filter({ hasText: 'north' });
  await row.waitFor();
  expect(await row.getByRole('checkbox').count()).toBe(0);
  expect(await page.getByRole('link', { name: 'Add channel' }).count()).toBe(0);
  await row.getByRole('link', { name: 'north' }).click();
  await page.getByRole('tab', { name: 'Settings' }).click();
  const view = page.getByRole('region', { name: 'View channel' });
  await view.getByText('OpenAI').waitFor();
  expect(await view.getByRole('textbox').count()).toBe(0);
  await photographAll(operator, 'operator-channel');

  await page.goto('/setting');
  await page.getByRole('link', { name: 'Open price editor' }).waitFor();
  expect(await page.getByRole('tab').allInnerTexts()).toEqual(['Operation']);
  await photographAll(operator, 'operator-settings');
  await page.goto('/setting?tab=operation&section=prices');
  await page.getByRole('heading', { level: 2, name: 'Model prices' }).waitFor();
  await page.getByRole('row').nth(1).waitFor();
  await page.goto('/price-history');
  await page.getByText('Page does not exist').waitFor();
  expect(operator.complaints).toEqual([]);
  await operator.leave();
});

it('nothing went wrong for root but the refused deletion', () => {
  expect(visitor.complaints).toEqual([]);
});
