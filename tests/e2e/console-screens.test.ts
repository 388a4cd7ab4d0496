import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { en } from '../../client/src/i18n/en/en.js';
import { zh } from '../../client/src/i18n/zh/zh.js';
import { rootPassword } from '../support/api.js';
import { startServer } from '../support/server.js';
import { drawn, openBrowser, visit, type Visitor } from './console-page.js';
import { openSite, sayIn, type ConsoleSite } from './console-site.js';
import { adminViews, PageActions, openView, publicViews, type View } from './console-views.js';
import { onBoth, sendWalkers, wear, type Walkers } from './console-walk.js';

/**
 * Every screen and dialog in Chinese, on a desk and a phone, light and dark: its words, and what assistive technology
 * finds. In windows of 1366 and 1024 pixels: whether everything fits.
 */
jest.setTimeout(90_000);

let site: ConsoleSite;
let browser: Browser;
let admins: Walkers;
let strangers: Walkers;
const say = sayIn('zh');

type Texts = { readonly [key: string]: string | Texts };
const textsOf = (tree: Texts): string[] =>
  Object.values(tree).flatMap((value) => (typeof value === 'string' ? [value] : textsOf(value)));
const chinese = new Set(textsOf(zh));
/** Names of fields that the audit log shows in every language. */
const fieldNames = new Set(['quota']);
/** Texts that appear on English pages only. */
const english = textsOf(en).filter(
  (text) => !chinese.has(text) && !fieldNames.has(text) && !text.includes('{{') && /\p{L}{2}/u.test(text),
);

beforeAll(async () => {
  [site, browser] = await Promise.all([openSite(), openBrowser()]);
  admins = await sendWalkers(browser, site.server.url, { locale: 'zh-CN' });
  strangers = await sendWalkers(browser, site.server.url, { locale: 'zh-CN' });
  await Promise.all(
    Object.values(admins).map(async ({ page }: Visitor) => {
      await page.goto('/login');
      await page.getByLabel(say('login.username')).fill('root');
      await page.locator('input[name=password]').fill(rootPassword);
      await page.getByRole('button', { name: say('shell.signIn'), exact: true }).click();
      await page.getByRole('heading', { level: 1, name: say('shell.tokens') }).waitFor();
    }),
  );
}, 120_000);

afterAll(async () => {
  await browser.close();
  await site.server.stop();
});

/** Texts in English, and controls whose words do not fit. */
async function faults(page: Page): Promise<string[]> {
  const found = await page.evaluate((texts) => {
    const known = new Set(texts);
    const left: string[] = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      const text = node.textContent?.trim() ?? '';
      if (known.has(text)) left.push(`in English: ${text}`);
    }
    for (const element of document.querySelectorAll('[aria-label], [placeholder], [title]')) {
      for (const name of ['aria-label', 'placeholder', 'title']) {
        const text = element.getAttribute(name) ?? '';
        if (known.has(text)) left.push(`in English, ${name}: ${text}`);
      }
    }
    for (const element of document.querySelectorAll<HTMLElement>('button, [role=tab], h1, h2, h3, label')) {
      // A list of options or a code may scroll; a control's own words may not be cut.
      if (element.offsetParent !== null && element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0) {
        const style = getComputedStyle(element);
        // User content may be truncated with an ellipsis.
        if (style.overflowX === 'hidden' && style.textOverflow !== 'ellipsis' && element.innerText.trim() !== '')
          left.push(`cut: ${element.innerText}`);
      }
    }
    for (const label of document.querySelectorAll<HTMLElement>('[role=row] .tone-label')) {
      if (label.scrollWidth > label.clientWidth) left.push(`cut chip: ${label.innerText}`);
    }
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) left.push(`wider than the page by ${String(scrollWidth - clientWidth)}`);
    return left;
  }, english);
  return found;
}

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

/** Faults of a view in both themes. */
async function look(view: View, visitor: Visitor, how: 'load' | 'inside'): Promise<string[]> {
  const { page } = visitor;
  await page.emulateMedia({ colorScheme: 'light' });
  await openView(view, new PageActions(page, say), how);
  const found = await faults(page);
  const width = String(page.viewportSize()?.width);
  for (const [colorScheme, rules] of [
    ['light', undefined],
    ['dark', colorRules],
  ] as const) {
    await wear(page, colorScheme);
    found.push(...(await barriers(page, rules)).map((text) => `${colorScheme}: ${text}`));
    await visitor.photograph(`zh-${view.name}-${colorScheme}-${width}`);
  }
  const size = page.viewportSize();
  if (size && size.width > 1366) {
    for (const narrower of [1366, 1024]) {
      await page.setViewportSize({ width: narrower, height: size.height });
      await drawn(page);
      found.push(...(await faults(page)).map((text) => `at ${String(narrower)}: ${text}`));
      await visitor.photograph(`zh-${view.name}-dark-${String(narrower)}`);
    }
    await page.setViewportSize(size);
  }
  const language = await page.evaluate(() => document.documentElement.lang);
  const complaints = [...visitor.complaints];
  visitor.forget();
  return [...found, ...complaints, ...(language === 'zh' ? [] : [`said to be in ${language}`])];
}

it.each(adminViews.map((view) => [view.name, view] as const))(
  '%s is Chinese and has no barrier',
  async (_name, view) => {
    expect(await onBoth(view, admins, (visitor) => look(view, visitor, 'inside'))).toEqual([]);
  },
);

it.each(publicViews.map((view) => [view.name, view] as const))(
  '%s is Chinese and has no barrier for a visitor',
  async (_name, view) => {
    expect(await onBoth(view, strangers, (visitor) => look(view, visitor, 'load'))).toEqual([]);
  },
);

it('set-up is Chinese and has no barrier', async () => {
  const fresh = await startServer();
  const visitor = await visit(browser, fresh.url, { locale: 'zh-CN' });
  expect(await look({ name: 'setup', path: '/setup' }, visitor, 'load')).toEqual([]);
  await visitor.leave();
  await fresh.stop();
});
