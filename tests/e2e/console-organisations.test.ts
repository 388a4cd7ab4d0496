import type { Browser, Locator } from 'playwright-core';
import type { Person } from '../support/api.js';
import { startServer, type TestServer } from '../support/server.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { openBrowser, settled, visit, type Visitor } from './console-page.js';
import { enter, photographAll, sidewaysOverflow } from './console-session.js';

/** An organisation in the console: its owner, a member who was invited by link, and an admin. */
let server: TestServer;
let upstream: Upstream;
let browser: Browser;
let owner: Visitor;
let member: Visitor;
let root: Person;
const password = 'password of a user';
let link = '';

jest.setTimeout(150_000);

beforeAll(async () => {
  [server, browser, upstream] = await Promise.all([startServer(), openBrowser(), startUpstream()]);
  root = await server.api.setUp();
  for (const username of ['olga', 'mira']) await server.api.rest(root, 'POST', '/api/user/', { username, password });
  await server.api.createChannel(root, { baseUrl: upstream.url, models: ['gpt-4o'] });
  owner = await visit(browser, server.url);
  member = await visit(browser, server.url);
  await enter(owner, '/organisations', { username: 'olga', password });
  await enter(member, '/token', { username: 'mira', password });
});
afterAll(async () => {
  await browser.close();
  await Promise.all([server.stop(), upstream.stop()]);
});

const button = (scope: Locator, name: string) => scope.getByRole('button', { name, exact: true });
const tab = ({ page }: Visitor, name: string) => page.getByRole('tab', { name, exact: true }).click();

it('a user creates an organisation and a project', async () => {
  const { page } = owner;
  await page.getByText('No organisation yet').waitFor();
  await photographAll(owner, 'organisations-empty');
  await button(page.locator('main'), 'New organisation').click();
  const dialog = page.getByRole('dialog', { name: 'New organisation' });
  await dialog.getByLabel(/^Name/).fill('Acme');
  await button(dialog, 'New organisation').click();
  await page.getByRole('heading', { level: 1, name: 'Acme' }).waitFor();
  const { data } = await server.api.graphql(root, '{ organisations { items { id } } }');
  const [{ id }] = (data?.['organisations'] as { items: [{ id: number }] }).items;
  await server.api.rest(root, 'POST', '/api/topup', { user_id: id, quota: 5_000_000 });
  await page.reload();
  await page.getByText('$10.00').first().waitFor();
  await photographAll(owner, 'organisation');
  expect(await sidewaysOverflow(owner)).toBe(0);
  await tab(owner, 'Projects');
  await button(page.locator('main'), 'New project').click();
  const project = page.getByRole('dialog', { name: 'New project' });
  await project.getByLabel(/^Project name/).fill('Search');
  await button(project, 'New project').click();
  await page.getByRole('list', { name: 'Projects' }).getByText('Search').waitFor();
  await photographAll(owner, 'organisation-projects');
});

it('an owner invites, and the link makes its reader a member once', async () => {
  const { page } = owner;
  await tab(owner, 'Members');
  await button(page.locator('main'), 'Invite').click();
  const dialog = page.getByRole('dialog', { name: 'Invite a member' });
  await button(dialog, 'Invite').click();
  const shown = page.getByRole('dialog', { name: 'Invitation link' });
  link = (await shown.locator('pre').textContent()) ?? '';
  await photographAll(owner, 'organisation-invited');
  await button(shown, 'Close').click();
  await page.getByText('Open invitations').waitFor();

  const path = new URL(link).pathname;
  await member.page.goto(path);
  await member.page.getByText('You are invited to Acme with the role Member.').waitFor();
  await photographAll(member, 'invitation');
  await button(member.page.locator('main'), 'Accept').click();
  await member.page.getByRole('heading', { level: 1, name: 'Acme' }).waitFor();
  // A member has neither the wallet nor the other members.
  expect(await member.page.getByRole('tab').allTextContents()).toEqual([
    ...['Overview', 'Keys', 'Projects', 'Usage', 'Calls', 'Settings'],
  ]);
  await member.page.goto(path);
  await member.page.getByText('This invitation is not valid').waitFor();
});

it('a member makes a key of a project, whose calls the organisation pays', async () => {
  const { page } = member;
  await page.goto('/organisations');
  await page.getByRole('link', { name: 'Acme' }).click();
  await tab(member, 'Keys');
  await button(page.locator('main'), 'Create token').first().click();
  const editor = page.getByRole('dialog', { name: 'Create token' });
  await editor.getByLabel(/^Name/).fill('agent');
  await editor.locator('#token-project').locator('..').click();
  await page.getByRole('option', { name: 'Search' }).click();
  await button(editor, 'Create token').click();
  await page.getByText('agent').first().waitFor();
  const tokens = await server.api.graphql(
    root,
    '{ tokens(filter: { keyword: "agent" }) { items { userId memberId projectId user { kind } } } }',
  );
  expect(tokens.data).toMatchObject({
    tokens: { items: [{ memberId: 2, projectId: 1, user: { kind: 'ORGANISATION' } }] },
  });
  await page.goto(page.url());
  await settled(page);
  await photographAll(member, 'organisation-keys');
  expect(await sidewaysOverflow(member)).toBe(0);
});

it('the owner sees the keys of all, sets a budget of a member, and opens every tab', async () => {
  const { page } = owner;
  await page.goto('/organisations');
  await page.getByRole('link', { name: 'Acme' }).click();
  await tab(owner, 'Keys');
  await page.locator('main').getByText('mira').first().waitFor();
  await photographAll(owner, 'organisation-all-keys');
  await tab(owner, 'Members');
  await button(page.locator('main'), 'More for mira').click();
  await page.getByRole('menuitem', { name: 'Budgets' }).click();
  const budgets = page.getByRole('dialog', { name: 'Budgets of mira' });
  await budgets.getByRole('button', { name: /Add/ }).first().waitFor();
  await photographAll(owner, 'organisation-member-budgets');
  await button(budgets, 'Close').click();
  await photographAll(owner, 'organisation-members');
  for (const name of ['Usage', 'Calls', 'Wallet', 'Statements', 'Settings']) {
    await tab(owner, name);
    await settled(page);
    await photographAll(owner, `organisation-${name.toLowerCase()}`);
    expect([name, await sidewaysOverflow(owner)]).toEqual([name, 0]);
  }
  expect(owner.complaints).toEqual([]);
  expect(member.complaints).toEqual([]);
});

it('an admin sees every organisation, without keys, calls and wallet', async () => {
  const { page } = owner;
  await enter(owner, '/all-organisations');
  await page.getByRole('link', { name: 'Acme' }).first().waitFor();
  await photographAll(owner, 'organisations-all');
  await page.getByRole('link', { name: 'Acme' }).first().click();
  await page.getByRole('tab', { name: 'Members' }).waitFor();
  expect(await page.getByRole('tab').allTextContents()).toEqual([
    'Overview',
    'Members',
    'Projects',
    'Statements',
    'Settings',
  ]);
  await tab(owner, 'Statements');
  await page.getByText('No statements yet').waitFor();
  await photographAll(owner, 'organisation-admin-statements');
  await page.getByRole('link', { name: 'Current month' }).click();
  await page.getByText('Acme').first().waitFor();
  expect(await sidewaysOverflow(owner)).toBe(0);
  expect(owner.complaints).toEqual([]);
});
