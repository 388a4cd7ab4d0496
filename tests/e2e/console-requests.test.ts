import type { Browser } from 'playwright-core';
import { openBrowser, settled, visit, type Visitor } from './console-page.js';
import { signIn } from './console-session.js';
import { openSite, type ConsoleSite } from './console-site.js';
import { sampled } from '../support/suite.js';

/** The requests of one click, and whether charts show all that the cards count. */
jest.setTimeout(120_000);

let site: ConsoleSite;
let browser: Browser;
let visitor: Visitor;

beforeAll(async () => {
  [site, browser] = await Promise.all([openSite(), openBrowser()]);
  visitor = await visit(browser, site.server.url);
  await signIn(visitor);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await site?.server.stop();
});

interface Operation {
  readonly operationName?: string;
  readonly variables?: { readonly page?: number };
}

/** GraphQL operations that the page sends. */
function watch({ page }: Visitor): Operation[] {
  const sent: Operation[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/graphql')) sent.push((request.postDataJSON() ?? {}) as Operation);
  });
  return sent;
}

describe.each(sampled([4, 1], 1))('with a CPU %d times slower', (rate) => {
  beforeAll(async () => {
    const session = await visitor.page.context().newCDPSession(visitor.page);
    await session.send('Emulation.setCPUThrottlingRate', { rate });
  });

  it.each([
    ['/token?size=10', 'MyTokens'],
    ['/redemption?size=10', 'Redemptions'],
    ['/log?size=10&from=1', 'Logs'],
  ])('%s sends at most two requests when a page is turned', async (path, operation) => {
    const { page } = visitor;
    await page.goto(path);
    await page.getByRole('button', { name: 'Next page' }).and(page.locator(':enabled')).waitFor();
    await settled(page, 60_000);
    const sent = watch(visitor);
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByText(/^Items 11 - \d+ of /).waitFor();
    await settled(page, 60_000);
    const ofPage = sent.filter(({ operationName }) => operationName === operation);
    // The first page of the log follows new rows, and a slow browser may reload it between the wait and the click.
    const first = ofPage.filter(({ variables }) => (variables?.page ?? 0) === 0);
    expect(ofPage.length - first.length).toBe(1);
    expect(operation === 'Logs' ? [] : first).toEqual([]);
    expect(sent.length - first.length).toBeLessThanOrEqual(2);
  });
});

interface Metrics {
  readonly metrics: { readonly quota: number; readonly calls: number };
}
interface Dashboard {
  readonly usage: { readonly items: readonly Metrics[]; readonly total: Metrics['metrics'] };
  readonly spend: { readonly items: readonly Metrics[] };
}

it.each([
  [7, 'hour'],
  [30, 'hour'],
  [90, 'day'],
])('draws %d days by %s in one query, with all that the cards count', async (days, by) => {
  const { page } = visitor;
  const sent = watch(visitor);
  const answered = page.waitForResponse(
    (response) =>
      (response.request().postDataJSON() as { operationName?: string } | null)?.operationName === 'Dashboard',
  );
  await page.goto(`/detail?days=${String(days)}&by=${by}`);
  const { data } = (await (await answered).json()) as { data: Dashboard };
  await page.getByRole('figure', { name: /^Spend by model, total / }).waitFor();
  await settled(page, 60_000);
  expect(sent.filter(({ operationName }) => operationName === 'Dashboard')).toHaveLength(1);
  const sum = (rows: readonly Metrics[], of: keyof Metrics['metrics']) =>
    rows.reduce((total, { metrics }) => total + metrics[of], 0);
  const { total, items } = data.usage;
  expect(total.calls).toBeGreaterThan(50);
  expect([sum(items, 'calls'), sum(items, 'quota')]).toEqual([total.calls, total.quota]);
  expect(sum(data.spend.items, 'quota')).toBe(total.quota);
  // The chart draws what the card counts.
  await page.getByRole('button', { name: 'More actions for Calls' }).click();
  await page.getByRole('menuitem', { name: 'View as table' }).click();
  const table = page.getByRole('region', { name: 'Calls' }).last();
  await table.locator('tbody td').first().waitFor();
  const cells = await table.locator('tbody td').allTextContents();
  expect(cells.reduce((calls, text) => calls + Number(text.replaceAll(',', '')), 0)).toBe(total.calls);
});
