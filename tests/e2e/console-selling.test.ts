import type { Browser, Locator } from 'playwright-core';
import { startServer, type TestServer } from '../support/server.js';
import { ScriptedStripe } from '../support/stripe.js';
import { openBrowser, settled, visit, type Visitor } from './console-page.js';
import { enter, photographAll, sidewaysOverflow } from './console-session.js';

/** The operator of a fresh site sets up Stripe and sells a plan, and a customer pays for it. Every press is counted. */
const mostClicks = 12;
const customer = { username: 'ada', password: 'password of a user' };

let server: TestServer;
let stripe: ScriptedStripe;
let browser: Browser;

jest.setTimeout(120_000);

beforeAll(async () => {
  stripe = await ScriptedStripe.start();
  [server, browser] = await Promise.all([
    startServer({ environment: { OUTBOUND_ALLOW: '127.0.0.1', PAYMENT_API_URL: stripe.url } }),
    openBrowser(),
  ]);
  const root = await server.api.setUp();
  await server.api.rest(root, 'POST', '/api/user/', customer);
});

afterAll(async () => {
  await browser.close();
  await Promise.all([server.stop(), stripe.stop()]);
});

let clicks = 0;

/** Opens the console of a user. Its presses count from now on, also those that no test helper makes. */
async function open(path: string, person?: typeof customer): Promise<Visitor> {
  const visitor = await visit(browser, server.url);
  await enter(visitor, path, person);
  await visitor.page.exposeFunction('countPress', () => (clicks += 1));
  await visitor.page.evaluate(() => {
    const { countPress } = window as unknown as { countPress: () => void };
    addEventListener('pointerdown', countPress, true);
  });
  return visitor;
}

async function type({ page }: Visitor, field: Locator, text: string): Promise<void> {
  // A field that has the focus needs no press.
  if (!(await field.evaluate((input) => input === document.activeElement))) await field.click();
  await page.keyboard.type(text);
}

it('takes at most 12 clicks, from the first page of the operator to the plan that a customer paid for', async () => {
  const operator = await open('/token');
  const { page } = operator;
  await page.getByRole('link', { name: 'Plans', exact: true }).click();
  await page.getByRole('button', { name: 'Create plan' }).click();
  const editor = page.getByRole('dialog', { name: 'Create plan' });
  const name = editor.getByLabel(/^Name/);
  await name.waitFor();
  await settled(page);
  await type(operator, name, 'Coder');
  await type(operator, editor.getByLabel(/^Price/), '10');
  await type(operator, editor.getByLabel(/^Amount \(USD\)/), '30');
  await editor.getByRole('button', { name: 'Create plan' }).click();
  await page.getByRole('article', { name: 'Coder' }).getByText('On sale').waitFor();
  await page.getByText('no online payment is set up').waitFor();
  const soFar = clicks;
  await photographAll(operator, 'plans-balance-only');
  expect([clicks, await sidewaysOverflow(operator)]).toEqual([soFar, 0]);

  await page.getByRole('link', { name: 'Set up card payments' }).click();
  await page.getByLabel('Stripe secret key').waitFor();
  await settled(page);
  await type(operator, page.getByLabel('Stripe secret key'), stripe.key);
  await type(operator, page.getByLabel('Stripe signing secret'), stripe.secrets[0] ?? '');
  await type(operator, page.getByLabel('Server URL'), server.url);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved').first().waitFor();
  const byOperator = clicks;

  const buyer = await open('/token', customer);
  await buyer.page.getByRole('link', { name: 'My plans', exact: true }).click();
  await buyer.page.route('https://checkout.stripe.com/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<h1>Stripe Checkout</h1>' }),
  );
  await buyer.page.getByRole('button', { name: /^Pay with .*Stripe/ }).click();
  await buyer.page.getByRole('heading', { name: 'Stripe Checkout' }).waitFor();
  const [session] = stripe.sessions.values();
  const { client_reference_id: order, currency, amount_total: price } = session!;
  expect([currency, price]).toEqual(['usd', 1000]);
  expect(await stripe.send(server.url, stripe.completed(stripe.pay(order ?? '')))).toBe(200);
  expect(clicks).toBe(byOperator + 2);
  expect(clicks).toBeLessThanOrEqual(mostClicks);

  await buyer.page.goto(`${server.url}/my-plans`);
  await buyer.page.getByRole('region', { name: 'Running' }).getByRole('article', { name: 'Coder' }).waitFor();
  await page.goto(`${server.url}/plan`);
  const sold = page.getByRole('region', { name: 'Subscriptions' });
  await sold.getByRole('link', { name: 'ada' }).waitFor();
  await sold.getByText('Paid online').waitFor();
  expect(await page.getByText('no online payment is set up').count()).toBe(0);
  expect([...operator.complaints, ...buyer.complaints]).toEqual([]);
});
