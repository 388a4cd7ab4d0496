import type { Browser, Locator } from 'playwright-core';
import type { Person } from '../support/api.js';
import { startServer, type TestServer } from '../support/server.js';
import { chat } from '../support/upstream/replies.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { chooseOfPage, copied, openBrowser, untilEqual, visit, type Visitor } from './console-page.js';
import { enter, photographAll, sidewaysOverflow } from './console-session.js';

/** Codes, the wallet, the price list and the dashboard. */
jest.setTimeout(120_000);

let upstream: Upstream;
let server: TestServer;
let browser: Browser;
let visitor: Visitor;
let root: Person;

beforeAll(async () => {
  [upstream, server, browser] = await Promise.all([startUpstream(), startServer(), openBrowser()]);
  root = await server.api.setUp();
  await server.api.createChannel(root, {
    name: 'OpenAI primary',
    baseUrl: upstream.url,
    models: ['gpt-4o', 'gpt-4o-mini', 'dall-e-3'],
  });
  for (const [key, value] of [
    ['ServerAddress', 'https://gate.example.com'],
    ['PayAddress', 'https://pay.example.com'],
    ['EpayId', '1001'],
    ['EpayKey', 'epay-key'],
    ['TopUpLink', 'https://shop.example.com'],
    ['TopupGroupRatio', '{ "default": 0.95 }'],
  ]) {
    await server.api.data(root, 'PUT', '/api/option/', { key, value });
  }
  const { key } = await server.api.createToken(root);
  for (const model of ['gpt-4o', 'gpt-4o-mini']) {
    // One of the two providers reports its cost, as OpenRouter does.
    const cost = model === 'gpt-4o' ? { cost: 0.3 } : {};
    const usage = { prompt_tokens: 100_000, completion_tokens: 25_000, ...cost };
    upstream.script({ model }, chat({ text: ['Hello'], usage }));
    const answer = await server.api.relay(key, '/v1/chat/completions', {
      model,
      messages: [{ role: 'user', content: 'Hi' }],
    });
    expect(answer.status).toBe(200);
  }
  visitor = await visit(browser, server.url);
  await enter(visitor);
});

afterAll(async () => {
  await browser.close();
  await server.stop();
  await upstream.stop();
});

afterEach(() => {
  expect(visitor.complaints).toEqual([]);
});

const button = (name: string | RegExp): Locator => visitor.page.getByRole('button', { name });
const dialog = (): Locator => visitor.page.getByRole('dialog');
let code = '';

it('makes three codes, shows them once, and edits and disables one', async () => {
  const { page } = visitor;
  await page.getByRole('link', { name: 'Redemption codes' }).click();
  await page.getByRole('heading', { name: 'No codes yet' }).waitFor();
  await photographAll(visitor, 'redemptions-empty');
  await button('Create codes').click();
  await dialog().getByLabel('Name').fill('Launch credit');
  await dialog().getByLabel('Amount (USD)').fill('5');
  await dialog().getByLabel('Quantity').fill('10001');
  await dialog().getByRole('button', { name: 'Create codes' }).click();
  await page.getByText('Enter a whole number from 1 to 10,000').waitFor();
  await dialog().getByLabel('Quantity').fill('3');
  await dialog().getByRole('button', { name: 'Create codes' }).click();
  await page.getByRole('heading', { name: '3 codes are ready' }).waitFor();
  await dialog().filter({ hasText: '3 codes are ready' }).getByRole('button', { name: 'Copy' }).click();
  await untilEqual(async () => (await copied(page)).split('\n').length, 3);
  code = (await copied(page)).split('\n')[2] ?? '';
  await button('Done').click();
  await page.getByText('Items 1 - 3 of 3').waitFor();
  const first = page.getByRole('row').filter({ has: page.getByRole('gridcell', { name: '1', exact: true }) });
  await first.getByRole('switch', { name: 'Enable code Launch credit' }).click();
  await first.getByText('Disabled').waitFor();
  await photographAll(visitor, 'redemptions');
  expect(await sidewaysOverflow(visitor)).toBe(0);
});

it('redeems a code, and says what is wrong with another', async () => {
  const { page } = visitor;
  await page.getByRole('link', { name: 'Wallet' }).click();
  await button('Redeem').click();
  await page.getByText('Please enter a redemption code').waitFor();
  await page.getByLabel('Redemption code').fill(code);
  await button('Redeem').click();
  await page.getByText('$5.00 added to your balance').waitFor();
  await page.getByRole('region', { name: 'Recent top-ups' }).getByText('+$5.00').waitFor();
  await page.getByRole('link', { name: 'Buy one in the shop' }).waitFor();
});

it('asks what a top-up costs and says it on the button', async () => {
  const { page } = visitor;
  await button(/^Pay ¥138.70 with Alipay$/).waitFor();
  await page.getByLabel('Amount (USD)').fill('0');
  await page.getByText('Top-up amount cannot be less than $1').waitFor();
  await page.getByRole('button', { name: '$50', exact: true }).click();
  await button('WeChat Pay').click();
  await button(/^Pay ¥346.75 with WeChat Pay$/).waitFor();
  await photographAll(visitor, 'wallet');
  expect(await sidewaysOverflow(visitor)).toBe(0);
});

it('names who used a code, and deletes by name only after the count was seen', async () => {
  const { page } = visitor;
  await page.getByRole('link', { name: 'Redemption codes' }).click();
  const used = page.getByRole('row').filter({ hasText: /Used/ }).getByRole('link', { name: 'root' });
  expect(await used.getAttribute('href')).toBe('/user/1');
  await visitor.photograph('redemptions-used');
  await chooseOfPage(page, 'Delete by name');
  await dialog().getByRole('button', { name: 'Count' }).click();
  await page.getByText('Please enter a name').waitFor();
  await dialog().getByLabel('Name').fill('Launch credit');
  await dialog().getByRole('button', { name: 'Count' }).click();
  await page.getByText('3 codes named “Launch credit” will be deleted.').waitFor();
  await dialog().getByRole('button', { name: 'Delete' }).click();
  await page.getByText('3 codes deleted').waitFor();
});

it('lists what models cost, to visitors as well', async () => {
  const { page } = visitor;
  await page.goto('/pricing');
  await page.getByText('Your group is default').waitFor();
  await page
    .getByRole('row', { name: /gpt-4o-mini/ })
    .getByText('$0.15')
    .waitFor();
  await page.getByRole('textbox', { name: 'Model name' }).fill('g4m');
  await page.getByText('Items 1 - 1 of 1').waitFor();
  await page
    .getByRole('row', { name: /gpt-4o-mini/ })
    .getByRole('checkbox')
    .check();
  await button('Copy 1 selected').click();
  await untilEqual(() => copied(page), 'gpt-4o-mini');
  await page.getByRole('textbox', { name: 'Model name' }).fill('');
  await photographAll(visitor, 'pricing');
  expect(await sidewaysOverflow(visitor)).toBe(0);
  const stranger = await visit(browser, server.url);
  await stranger.page.goto('/pricing');
  await stranger.page.getByText('You are signed out').waitFor();
  await stranger.page
    .getByRole('row', { name: /gpt-4o-mini/ })
    .getByText('$0.60')
    .waitFor();
  expect(stranger.complaints).toEqual([]);
  await stranger.leave();
});

it('adds up spend, calls and tokens, and shows them as a table too', async () => {
  const { page } = visitor;
  await page.goto('/detail');
  // (100,000 + 25,000 × 4) × 1.25 = 250,000 and × 0.075 = 15,000: $0.53 together.
  await page.getByText('$0.53').first().waitFor();
  await page.getByRole('region', { name: 'Top models' }).getByText('gpt-4o', { exact: true }).waitFor();
  await page.getByRole('region', { name: 'Top users' }).getByText('root').waitFor();
  const channels = page.getByRole('region', { name: 'Top channels' });
  await channels.getByText('OpenAI primary').waitFor();
  await channels.getByText('Margin $0.20 (38%)').waitFor();
  await page.getByRole('figure', { name: 'Spend by model, total $0.53' }).waitFor();
  await page.getByRole('button', { name: /^Time range/ }).click();
  await page.getByRole('button', { name: 'Day', exact: true }).click();
  await page.keyboard.press('Escape');
  await photographAll(visitor, 'dashboard');
  await button('More actions for Spend by model').click();
  await page.getByRole('menuitem', { name: 'View as table' }).click();
  await page.getByRole('cell', { name: '$0.50' }).waitFor();
  expect(await sidewaysOverflow(visitor)).toBe(0);
});
