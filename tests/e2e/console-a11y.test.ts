import axe, { type AxeResults } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { startServer } from '../support/server.js';
import { openBrowser, visit, type Visitor } from './console-page.js';
import { signIn } from './console-session.js';
import { openSite, sayIn, type ConsoleSite } from './console-site.js';
import { adminViews, Hands, openView, publicViews, type View } from './console-views.js';

/** Every screen and dialog as assistive technology finds it: on a desk and a phone, light and dark. */
let site: ConsoleSite;
let browser: Browser;
const visitors: Visitor[] = [];
const phone = { width: 390, height: 844 };

beforeAll(async () => {
  [site, browser] = await Promise.all([openSite(), openBrowser()]);
  for (const viewport of [undefined, phone]) {
    const visitor = await visit(browser, site.server.url, {
      reducedMotion: 'reduce',
      ...(viewport ? { viewport, hasTouch: true } : {}),
    });
    await signIn(visitor);
    visitors.push(visitor);
  }
}, 120_000);

afterAll(async () => {
  await browser.close();
  await site.server.stop();
});

/** What is serious or critical on the page as it stands, in words. */
async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary ?? ''}`),
    );
}

async function look(view: View, visitor: Visitor): Promise<void> {
  const { page } = visitor;
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    if (colorScheme === 'light') await openView(view, new Hands(page, sayIn('en')));
    await page.locator(`html[data-theme=${colorScheme}]`).waitFor({ state: 'attached' });
    // Two frames later every colour is the new one.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    found.push(...(await barriers(page)).map((text) => `${colorScheme}: ${text}`));
  }
  expect(found).toEqual([]);
}

describe.each([
  ['desk', 0],
  ['phone', 1],
] as const)('on a %s', (_device, index) => {
  it.each(adminViews.filter(({ deskOnly }) => !deskOnly || index === 0).map((view) => [view.name, view] as const))(
    '%s has no barrier',
    async (_name, view) => {
      const visitor = visitors[index];
      if (!visitor) throw new Error('nobody is there');
      await look(view, visitor);
    },
    180_000,
  );

  it.each(publicViews.map((view) => [view.name, view] as const))(
    '%s has no barrier for a visitor',
    async (_name, view) => {
      const visitor = await visit(browser, site.server.url, {
        reducedMotion: 'reduce',
        ...(index === 1 ? { viewport: phone, hasTouch: true } : {}),
      });
      await look(view, visitor);
      await visitor.leave();
    },
    180_000,
  );
});

it('set-up has no barrier', async () => {
  const fresh = await startServer();
  const visitor = await visit(browser, fresh.url, { reducedMotion: 'reduce' });
  await look({ name: 'setup', path: '/setup' }, visitor);
  await visitor.leave();
  await fresh.stop();
}, 60_000);
