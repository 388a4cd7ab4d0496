import type { Browser } from 'playwright-core';
import type { Person } from '../support/api.js';
import { startServer, type LocalServer } from '../support/server.js';
import { openBrowser, visit, type Visitor } from './console-page.js';
import { enter, photographAll } from './console-session.js';

/* Rotation, scopes and bulk changes of API keys, and the test of the payment settings, in a browser. */

jest.setTimeout(120_000);

let server: LocalServer;
let browser: Browser;
let visitor: Visitor;
let root: Person;

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(), openBrowser()]);
  root = await server.api.setUp();
  await server.api.createChannel(root, { baseUrl: 'https://api.example.com', models: ['gpt-4o'] });
  visitor = await visit(browser, server.url);
  await enter(visitor);
});

afterAll(async () => {
  await browser.close();
  await server.stop();
});

afterEach(() => {
  expect(visitor.complaints).toEqual([]);
});

const works = async (key: string): Promise<number> =>
  (await fetch(`${server.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status;

it('rotates a key with an overlap, ends the old one, and limits a key to its usage', async () => {
  const { page } = visitor;
  const { id, key } = await server.api.data<{ id: number; key: string }>(root, 'POST', '/api/token/', {
    name: 'build server',
    unlimited_quota: true,
    expired_time: -1,
  });
  const old = `sk-${key}`;
  expect(await works(old)).toBe(200);

  await page.goto('/token');
  await page.getByRole('button', { name: 'More actions for token build server' }).click();
  await page.getByRole('menuitem', { name: 'Rotate…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Rotate the key of “build server”?' });
  await dialog.getByText('For 1 more day').waitFor();
  await photographAll(visitor, 'token-rotate');
  await dialog.getByRole('button', { name: 'Rotate key' }).click();
  await page.getByText('Token “build server” is ready').waitFor();
  const fresh = await page.getByText(/^sk-[A-Za-z0-9]{48}$/).innerText();
  expect([await works(old), await works(fresh)]).toEqual([200, 200]);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText(/^Old key until/).waitFor();
  await photographAll(visitor, 'token-rotated');

  await page.getByRole('button', { name: 'More actions for token build server' }).click();
  await page.getByRole('menuitem', { name: 'End old key now' }).click();
  await page.getByRole('button', { name: 'End old key', exact: true }).click();
  await page.getByText('The old key of “build server” has ended').waitFor();
  expect([await works(old), await works(fresh)]).toEqual([401, 200]);

  await page
    .getByRole('row', { name: /build server/ })
    .getByText('Unlimited')
    .first()
    .click();
  const relay = page.getByLabel('Call models');
  await relay.uncheck();
  await relay.scrollIntoViewIfNeeded();
  await photographAll(visitor, 'token-scopes');
  await page.getByRole('button', { name: 'Save token' }).click();
  await page.getByText('Token “build server” saved').waitFor();
  expect(await works(fresh)).toBe(403);
  const saved = await server.api.data<{ scopes: string }>(root, 'GET', `/api/token/${id}`);
  expect(saved.scopes).toBe('usage');
});

const statesOf = (): Promise<unknown> =>
  server.dataSource.query(
    `SELECT name, status, deleted_at IS NOT NULL AS gone FROM tokens WHERE name LIKE 'bulk %' ORDER BY name`,
  );
const state = (name: string, status: string, gone = false) => ({ name: `bulk ${name}`, status, gone });

it('disables chosen tokens together, and the tokens of a user in the list of users', async () => {
  const { page } = visitor;
  const username = 'ada';
  await server.api.data(root, 'POST', '/api/user/', { username, password: 'a good password' });
  const ada = await server.api.signIn(username, 'a good password');
  const create = (person: Person, name: string) =>
    server.api.data(person, 'POST', '/api/token/', { name: `bulk ${name}`, unlimited_quota: true, expired_time: -1 });
  for (const name of ['one', 'three', 'two']) await create(root, name);
  for (const name of ['of ada', 'of her bot']) await create(ada, name);

  await page.goto('/token');
  for (const name of ['one', 'three']) {
    await page
      .getByRole('row')
      .filter({ hasText: `bulk ${name}` })
      .getByRole('checkbox')
      .first()
      .check();
  }
  await page.getByText('2 selected').waitFor();
  await photographAll(visitor, 'tokens-chosen');
  await page.getByRole('button', { name: 'Disable', exact: true }).click();
  const question = page.getByRole('alertdialog', { name: 'Disable 2 tokens?' });
  await question.getByRole('button', { name: 'Disable' }).click();
  await page.getByText('2 tokens changed').waitFor();
  const own = [state('one', 'disabled'), state('three', 'disabled'), state('two', 'enabled')];
  expect(await statesOf()).toEqual([state('of ada', 'enabled'), state('of her bot', 'enabled'), ...own]);

  await page.goto(`/user?tokens=${ada.id}`);
  await page.getByRole('checkbox', { name: 'Select bulk of ada' }).check();
  await page.getByText('1 selected').waitFor();
  await photographAll(visitor, 'tokens-of-user-chosen');
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('alertdialog', { name: 'Delete 1 token?' }).getByRole('button', { name: 'Delete' }).click();
  await page.getByText('1 token changed').waitFor();
  expect(await statesOf()).toEqual([state('of ada', 'enabled', true), state('of her bot', 'enabled'), ...own]);
});

it('says in the payment settings what is wrong with them', async () => {
  const { page } = visitor;
  await page.goto('/setting?tab=system&find=PayAddress');
  await page.getByRole('button', { name: 'Test payment' }).click();
  const sentence = page.getByText('Fill in the settings of the gateway and save them first.');
  await sentence.scrollIntoViewIfNeeded();
  await photographAll(visitor, 'payment-test');
});
