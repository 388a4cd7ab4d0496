import type { Browser, Locator } from 'playwright-core';
import { startScriptedServer, type ScriptedServer } from '../support/scripted-server.js';
import { startServer, type TestServer } from '../support/server.js';
import { openBrowser, visit, type Visitor } from './console-page.js';
import { enter, photographAll } from './console-session.js';

/** An endpoint of webhooks, from its first form to a delivery that is sent again. */
jest.setTimeout(120_000);

let receiver: ScriptedServer;
let server: TestServer;
let browser: Browser;
let visitor: Visitor;

beforeAll(async () => {
  [receiver, server, browser] = await Promise.all([
    startScriptedServer(() => ({ status: 200, body: 'taken' })),
    startServer({ environment: { OUTBOUND_ALLOW: '127.0.0.1' } }),
    openBrowser(),
  ]);
  await server.api.setUp();
  visitor = await visit(browser, server.url);
  await enter(visitor);
});
afterAll(async () => {
  await browser.close();
  await server.stop();
  await receiver.stop();
});
afterEach(() => {
  expect(visitor.complaints).toEqual([]);
});

const button = (name: string | RegExp): Locator => visitor.page.getByRole('button', { name });
const dialog = (): Locator => visitor.page.getByRole('dialog');

it('is made, tested, and its deliveries are shown and sent again', async () => {
  const { page } = visitor;
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('heading', { name: 'No endpoints yet' }).waitFor();
  await photographAll(visitor, 'webhooks-empty');
  await button('Add endpoint').click();
  await dialog().getByLabel('Name').fill('Billing');
  await dialog().getByLabel('Address').fill(`${receiver.url}/hooks`);
  await photographAll(visitor, 'webhooks-add');
  await dialog().getByRole('button', { name: 'Add endpoint' }).click();
  await dialog()
    .getByText(/^whsec_/)
    .waitFor();
  await photographAll(visitor, 'webhooks-secret');
  await dialog().getByRole('button', { name: 'Done' }).click();
  await page.getByText('Works').waitFor();
  await photographAll(visitor, 'webhooks');
  await button('More of Billing').click();
  await page.getByRole('menuitem', { name: 'Send a test' }).click();
  await page.getByText('A test is on its way').waitFor();
  await page.getByRole('link', { name: 'Deliveries' }).click();
  for (let n = 0; n < 50 && receiver.calls.length === 0; n++) await page.waitForTimeout(200);
  await page.reload();
  await page.getByText('Delivered · 200').waitFor();
  await photographAll(visitor, 'webhook-deliveries');
  await page.getByText('webhook.test').first().click();
  await dialog().getByText('taken').waitFor();
  await photographAll(visitor, 'webhook-delivery');
  await dialog().getByRole('button', { name: 'Send again' }).click();
  for (let n = 0; n < 50 && receiver.calls.length < 2; n++) await page.waitForTimeout(200);
  const [first, second] = receiver.calls.map(({ headers }) => headers['webhook-id']);
  expect(second).toBe(first);
});
