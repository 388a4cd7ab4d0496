import type { Browser } from 'playwright-core';
import type { Person } from '../support/api.js';
import { startServer, type TestServer } from '../support/server.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { openBrowser, visit, type Visitor } from './console-page.js';
import { enter, photographAll, sidewaysOverflow } from './console-session.js';

/** Plans in the console: an operator creates one, buys it, calls with it and refunds it. */
let server: TestServer;
let upstream: Upstream;
let browser: Browser;
let visitor: Visitor;
let root: Person;

jest.setTimeout(120_000);

beforeAll(async () => {
  [server, browser, upstream] = await Promise.all([
    startServer({ environment: { OUTBOUND_ALLOW: '127.0.0.1' } }),
    openBrowser(),
    startUpstream(),
  ]);
  root = await server.api.setUp();
  await server.api.createChannel(root, { baseUrl: upstream.url, models: ['gpt-4o'], name: 'reseller' });
  visitor = await visit(browser, server.url);
  await enter(visitor);
});

afterAll(async () => {
  await browser.close();
  await Promise.all([server.stop(), upstream.stop()]);
});

/** Photographs the screen on a desktop and on a phone, and expects that nothing is wider than the phone. */
async function look(name: string): Promise<void> {
  await photographAll(visitor, name);
  expect(await sidewaysOverflow(visitor)).toBe(0);
}

it('is sold in five clicks, bought, used and refunded', async () => {
  const { page } = visitor;
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  await page.goto(`${server.url}/plan`);
  await button('Create plan').click();
  const editor = page.getByRole('dialog', { name: 'Create plan' });
  await editor.getByLabel(/^Name/).fill('Coder');
  await editor.getByLabel(/^Price/).fill('10');
  await editor.getByLabel(/^Amount \(USD\)/).fill('2');
  await look('plan-editor');
  await editor.getByRole('button', { name: 'Create plan', exact: true }).click();
  const sold = page.getByRole('article', { name: 'Coder' });
  await sold.getByText('$10.00 / month').waitFor();
  await look('plans');

  await page.goto(`${server.url}/my-plans`);
  await button('Buy').click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Buy', exact: true }).click();
  await page.getByRole('progressbar', { name: 'Used of $2.00 in the whole period' }).waitFor();
  const { key } = await server.api.createToken(root, { name: 'ci' });
  const answer = await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] }),
  });
  expect(answer.status).toBe(200);
  await page.reload();
  await page.getByText(/ used · .* left · Resets /).waitFor();
  await page.getByRole('switch', { name: 'Renew from the balance' }).click();
  await page.getByText(/^Renews /).waitFor();
  await look('my-plans');

  await page.goto(`${server.url}/plan`);
  const list = page.getByRole('region', { name: 'Subscriptions' });
  await list.getByRole('button', { name: /^More actions/ }).click();
  await page.getByRole('menuitem', { name: 'Refund' }).click();
  await page.getByLabel(/^Reason/).fill('a test');
  await page.getByRole('dialog').getByRole('button', { name: 'Refund', exact: true }).click();
  await list.getByText('Refunded').waitFor();
  await look('plans-refunded');
  const { data } = await server.api.graphql(root, '{ myPlans { state paid refunded used } }');
  const [plan] = data?.['myPlans'] as Array<Record<string, unknown>>;
  expect(plan).toMatchObject({ state: 'REFUNDED', paid: 5_000_000, refunded: 5_000_000 });
  expect(Number(plan?.['used'])).toBeGreaterThan(0);
});

it('is given from the menu of the plan and from the page of a user', async () => {
  const { page } = visitor;
  await server.api.data(root, 'POST', '/api/user/', { username: 'ada', password: 'password of a user' });
  await server.api.data(root, 'POST', '/api/user/', { username: 'bob', password: 'password of a user' });
  await page.goto(`${server.url}/plan`);
  await page.getByRole('article', { name: 'Coder' }).getByRole('button', { name: /^More/ }).click();
  await page.getByRole('menuitem', { name: 'Give a plan' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(/^Account/).fill('ad');
  await page.getByRole('option', { name: /^ada/ }).click();
  await look('plan-given');
  await dialog.getByRole('button', { name: 'Give a plan' }).click();
  await page.getByText('“ada” has the plan “Coder”').waitFor();
  await page.getByRole('region', { name: 'Subscriptions' }).getByRole('link', { name: 'ada' }).waitFor();

  const { data } = await server.api.graphql(root, '{ users(filter: { keyword: "bob" }) { items { id } } }');
  const [bob] = (data?.['users'] as { items: Array<{ id: number }> }).items;
  await page.goto(`${server.url}/user/${bob?.id}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Give a plan' }).click();
  await dialog.getByRole('combobox', { name: /^Plan/ }).click();
  await page.getByRole('option', { name: 'Coder' }).click();
  await dialog.getByLabel(/^Note/).fill('a trial');
  await look('plan-given-user');
  await dialog.getByRole('button', { name: 'Give a plan' }).click();
  await page.getByText('“bob” has the plan “Coder”').waitFor();
  expect(visitor.complaints).toEqual([]);
});
