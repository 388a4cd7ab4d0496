import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { startServer } from '../support/server.js';
import { openBrowser, visit } from './console-page.js';
import { signIn } from './console-session.js';
import { openSite, sayIn, type ConsoleSite } from './console-site.js';
import { adminViews, PageActions, openView, publicViews, type View } from './console-views.js';
import { onBoth, sendWalkers, wear, type Walkers } from './console-walk.js';

/** Every screen and dialog as assistive technology finds it: on a desk and a phone, light and dark. */
jest.setTimeout(90_000);

let site: ConsoleSite;
let browser: Browser;
let admins: Walkers;
let strangers: Walkers;

beforeAll(async () => {
  [site, browser] = await Promise.all([openSite(), openBrowser()]);
  admins = await sendWalkers(browser, site.server.url);
  strangers = await sendWalkers(browser, site.server.url);
  await Promise.all(Object.values(admins).map((visitor) => signIn(visitor)));
}, 120_000);

afterAll(async () => {
  await browser.close();
  await site.server.stop();
});

/** Rules that can differ between the light and the dark theme. */
const colorRules = ['color-contrast', 'link-in-text-block'];

/**
 * The serious and critical violations on the current page, as text.
 * @param rules those of axe; default: all
 */
async function barriers(page: Page, rules?: string[]): Promise<string[]> {
  const isThere = await page.evaluate(() => 'axe' in globalThis);
  if (!isThere) await page.evaluate(axe.source);
  // Filtered in the page: the whole result describes every element that passes, too.
  return page.evaluate(
    async (options) => {
      const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run(document, options);
      return violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .flatMap(({ id, nodes }) =>
          nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary ?? ''}`),
        );
    },
    { resultTypes: ['violations' as const], ...(rules ? { runOnly: rules } : {}) },
  );
}

async function look(page: Page, view: View, how: 'load' | 'inside'): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' });
  await openView(view, new PageActions(page, sayIn('en')), how);
  const found: string[] = [];
  for (const [colorScheme, rules] of [
    ['light', undefined],
    ['dark', colorRules],
  ] as const) {
    await wear(page, colorScheme);
    found.push(...(await barriers(page, rules)).map((text) => `${colorScheme}: ${text}`));
  }
  return found;
}

it.each(adminViews.map((view) => [view.name, view] as const))('%s has no barrier', async (_name, view) => {
  expect(await onBoth(view, admins, ({ page }) => look(page, view, 'inside'))).toEqual([]);
});

it.each(publicViews.map((view) => [view.name, view] as const))(
  '%s has no barrier for a visitor',
  async (_name, view) => {
    expect(await onBoth(view, strangers, ({ page }) => look(page, view, 'load'))).toEqual([]);
  },
);

it('set-up has no barrier', async () => {
  const fresh = await startServer();
  const visitor = await visit(browser, fresh.url, { reducedMotion: 'reduce' });
  expect(await look(visitor.page, { name: 'setup', path: '/setup' }, 'load')).toEqual([]);
  await visitor.leave();
  await fresh.stop();
});
