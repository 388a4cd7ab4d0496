import type { Browser } from 'playwright-core';
import { openBrowser, settled, visit, type Visitor } from './console-page.js';
import { signIn } from './console-session.js';
import { openSite, type ConsoleSite } from './console-site.js';
import { sampled } from '../support/suite.js';

/** Every screen behind sign-in stands still while it loads, on a desk and on a phone. */
jest.setTimeout(120_000);

const paths = [
  ...['/detail', '/channel', '/token', '/redemption', '/user', '/log', '/midjourney', '/task', '/topup', '/pricing'],
  ...['/personal', '/setting', '/playground', '/chat', '/about', '/'],
];

let site: ConsoleSite;
let browser: Browser;

beforeAll(async () => {
  [site, browser] = await Promise.all([openSite(), openBrowser()]);
}, 120_000);

afterAll(async () => {
  await browser.close();
  await site.server.stop();
});

/** The cumulative layout shift of a fresh load. A tenth of what counts as good: a line of text that moves is more. */
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
    await signIn(visitor);
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
  }, 60_000);

  afterAll(() => visitor.leave());

  it.each(name === 'desk' ? paths : sampled(paths, 5))('%s does not move', async (path) => {
    expect(await shiftOf(visitor, path)).toBeLessThan(0.01);
  });

  it(`${name === 'phone' ? 'never fetches' : 'fetches'} the grid of wide screens`, () => {
    expect(fetched.some((url) => url.includes('/assets/WideGrid'))).toBe(name === 'desk');
  });
});
