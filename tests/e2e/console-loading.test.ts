import type { Browser, CDPSession } from 'playwright-core';
import { openBrowser, settled, visit, type Visitor } from './console-page.js';
import { insidePaths } from './console-paths.js';
import { enter } from './console-session.js';
import { openSite, type ConsoleSite } from './console-site.js';
import { sampled } from '../support/suite.js';

/**
 * Loading: the requests of one click, whether charts show the calls that the cards count, and whether no screen behind
 * sign-in moves, on a desktop and on a phone.
 */
jest.setTimeout(120_000);

let site: ConsoleSite;
let browser: Browser;
let visitor: Visitor;

beforeAll(async () => {
  [site, browser] = await Promise.all([openSite(), openBrowser()]);
  visitor = await visit(browser, site.server.url);
  await enter(visitor);
});
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
  let session: CDPSession;
  const slowDown = (factor: number) => session.send('Emulation.setCPUThrottlingRate', { rate: factor });
  beforeAll(async () => {
    session = await visitor.page.context().newCDPSession(visitor.page);
  });
  // A page is slowed down by keeping the processor busy.
  afterEach(() => slowDown(1));

  it.each(
    sampled(
      [
        ['/token?size=10', 'MyTokens'],
        ['/redemption?size=10', 'Redemptions'],
        ['/log?size=10&from=1', 'Logs'],
      ],
      2,
    ),
  )('%s sends at most two requests when a page is turned', async (path, operation) => {
    const { page } = visitor;
    await page.goto(path);
    await page.getByRole('button', { name: 'Next page' }).and(page.locator(':enabled')).waitFor();
    await settled(page, 60_000);
    await slowDown(rate);
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
interface Usage {
  readonly items: readonly Metrics[];
  readonly total: Metrics['metrics'];
}

it.each(
  sampled(
    [
      [30, 'hour'],
      [7, 'hour'],
      [90, 'day'],
    ],
    2,
  ),
)('draws %d days by %s, each query once, with all that the cards count', async (days, by) => {
  const { page } = visitor;
  const sent = watch(visitor);
  const answerTo = async (operation: string): Promise<Usage> => {
    const response = await page.waitForResponse(
      (one) => (one.request().postDataJSON() as { operationName?: string } | null)?.operationName === operation,
    );
    return ((await response.json()) as { data: { usage: Usage } }).data.usage;
  };
  const answers = Promise.all([answerTo('Usage'), answerTo('SpendByModel')]);
  await page.goto(`/detail?days=${String(days)}&by=${by}`);
  const [{ total, items }, spend] = await answers;
  await page.getByRole('figure', { name: /^Spend by model, total / }).waitFor();
  await settled(page, 60_000);
  const names = sent.map(({ operationName }) => operationName);
  for (const name of ['Usage', 'LastMinute', 'Received', 'SpendByModel', 'TopModels', 'TopUsers', 'TopChannels']) {
    expect(names.filter((one) => one === name)).toHaveLength(1);
  }
  const sum = (rows: readonly Metrics[], of: keyof Metrics['metrics']) =>
    rows.reduce((total, { metrics }) => total + metrics[of], 0);
  expect(total.calls).toBeGreaterThan(50);
  expect([sum(items, 'calls'), sum(items, 'quota')]).toEqual([total.calls, total.quota]);
  expect(sum(spend.items, 'quota')).toBe(total.quota);
  // The chart shows the calls that the card counts.
  await page.getByRole('button', { name: 'More actions for Calls' }).click();
  await page.getByRole('menuitem', { name: 'View as table' }).click();
  const table = page.getByRole('region', { name: 'Calls' }).last();
  await table.locator('tbody td').first().waitFor();
  const cells = await table.locator('tbody td').allTextContents();
  expect(cells.reduce((calls, text) => calls + Number(text.replaceAll(',', '')), 0)).toBe(total.calls);
});

describe('a screen whose code cannot be loaded', () => {
  let broken: Visitor;
  const code = '**/assets/PaymentListScreen*.js';
  const go = (name: string) => broken.page.getByRole('navigation').getByRole('link', { name, exact: true }).click();

  beforeEach(async () => {
    broken = await visit(browser, site.server.url);
    await enter(broken, '/about');
    await settled(broken.page);
  });
  afterEach(() => broken.leave());

  it('is loaded again when the reader comes back', async () => {
    const { page } = broken;
    await page.route(code, (route) => route.abort('connectionreset'));
    await go('Payments');
    await page.getByText('This page failed to load').waitFor();
    await page.unrouteAll();
    await go('API tokens');
    await page.getByRole('heading', { level: 1, name: 'API tokens' }).waitFor();
    await go('Payments');
    await page.getByRole('heading', { level: 1, name: 'Payments' }).waitFor();
  });

  it('comes with a reloaded page when a newer build has other files', async () => {
    const { page } = broken;
    await page.route(code, (route) => route.fulfill({ status: 404 }));
    await go('Payments');
    const loads: string[] = [];
    page.on('load', () => loads.push(page.url()));
    await page.getByRole('button', { name: 'Retry' }).click();
    // The page of the newer build names files that exist. Here they are still missing, which must not reload it again.
    await page.waitForEvent('load');
    await page.getByText('This page failed to load').waitFor();
    await settled(page);
    expect(loads).toHaveLength(1);
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('heading', { level: 1, name: 'Payments' }).waitFor();
  });
});

const paths = [...insidePaths, '/about', '/'];

/**
 * Returns the cumulative layout shift of a fresh load. The limit is a tenth of the usual threshold for good: a line of
 * text that moves exceeds it.
 */
async function shiftOf({ page }: Visitor, path: string): Promise<number> {
  await page.goto(path);
  await settled(page, 30_000);
  return Number(await page.evaluate(() => document.documentElement.dataset.shift ?? '0'));
}

describe.each([
  ['desk', { width: 1440, height: 900 }],
  ['phone', { width: 390, height: 844 }],
] as const)('on a %s', (name, viewport) => {
  let visitor: Visitor;
  const fetched: string[] = [];

  beforeAll(async () => {
    visitor = await visit(browser, site.server.url, { viewport, reducedMotion: 'no-preference' });
    await enter(visitor);
    const { page } = visitor;
    page.on('request', (request) => fetched.push(request.url()));
    await page.addInitScript(() => {
      new PerformanceObserver((list) => {
        const shifted = list
          .getEntries()
          .reduce((sum, entry) => sum + (entry as unknown as { value: number }).value, 0);
        document.documentElement.dataset.shift = String(Number(document.documentElement.dataset.shift ?? 0) + shifted);
      }).observe({ type: 'layout-shift', buffered: true });
    });
  });

  afterAll(() => visitor.leave());

  // Screens that are left out on one device are tested on the other.
  it.each(sampled(name === 'desk' ? paths : [...paths.slice(1), ...paths.slice(0, 1)], 8))(
    '%s does not move',
    async (path) => {
      expect(await shiftOf(visitor, path)).toBeLessThan(0.01);
    },
  );

  it(`${name === 'phone' ? 'never fetches' : 'fetches'} the grid of wide screens`, () => {
    expect(fetched.some((url) => /\/assets\/(WideGrid|data-grid)-/.test(url))).toBe(name === 'desk');
  });
});
