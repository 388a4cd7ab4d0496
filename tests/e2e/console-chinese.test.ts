import type { Browser, Page } from 'playwright-core';
import { en } from '../../client/src/i18n/en/en.js';
import { zh } from '../../client/src/i18n/zh/zh.js';
import { rootPassword } from '../support/api.js';
import { openBrowser, visit, type Visitor } from './console-page.js';
import { openSite, sayIn, type ConsoleSite } from './console-site.js';
import { adminViews, Hands, openView, publicViews, type View } from './console-views.js';

/** Every screen and dialog in Chinese, on a desk and a phone, light and dark: in words and as pictures. */
let site: ConsoleSite;
let browser: Browser;
const visitors: Visitor[] = [];
const say = sayIn('zh');
const phone = { width: 390, height: 844 };

type Texts = { readonly [key: string]: string | Texts };
const textsOf = (tree: Texts): string[] =>
  Object.values(tree).flatMap((value) => (typeof value === 'string' ? [value] : textsOf(value)));
const chinese = new Set(textsOf(zh));
/** What stands on an English page and never on a Chinese one. */
const english = textsOf(en).filter((text) => !chinese.has(text) && !text.includes('{{') && /\p{L}{2}/u.test(text));

beforeAll(async () => {
  [site, browser] = await Promise.all([openSite(), openBrowser()]);
  for (const viewport of [undefined, phone]) {
    const visitor = await arrive(viewport);
    const { page } = visitor;
    await page.goto('/login');
    await page.getByLabel(say('login.username')).fill('root');
    await page.locator('input[name=password]').fill(rootPassword);
    await page.getByRole('button', { name: say('login.submit'), exact: true }).click();
    await page.getByRole('heading', { level: 1, name: say('tokens.title') }).waitFor();
    visitors.push(visitor);
  }
}, 120_000);

afterAll(async () => {
  await browser.close();
  await site.server.stop();
});

async function arrive(viewport?: typeof phone): Promise<Visitor> {
  const visitor = await visit(browser, site.server.url, {
    locale: 'zh-CN',
    reducedMotion: 'reduce',
    ...(viewport ? { viewport, hasTouch: true } : {}),
  });
  return visitor;
}

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
        // What people wrote may end in dots.
        if (style.overflowX === 'hidden' && style.textOverflow !== 'ellipsis' && element.innerText.trim() !== '')
          left.push(`cut: ${element.innerText}`);
      }
    }
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) left.push(`wider than the page by ${String(scrollWidth - clientWidth)}`);
    return left;
  }, english);
  return found;
}

async function look(view: View, visitor: Visitor, device: string): Promise<void> {
  const { page } = visitor;
  await page.emulateMedia({ colorScheme: 'light' });
  await openView(view, new Hands(page, say));
  const found = await faults(page);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-theme=${colorScheme}]`).waitFor({ state: 'attached' });
    await page.waitForTimeout(100);
    await visitor.photograph(`zh-${view.name}-${colorScheme}-${device}`);
  }
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('zh');
  expect(found).toEqual([]);
}

describe.each([
  ['1440', 0],
  ['390', 1],
] as const)('at %s pixels', (device, index) => {
  it.each(adminViews.filter(({ deskOnly }) => !deskOnly || index === 0).map((view) => [view.name, view] as const))(
    '%s is Chinese',
    async (_name, view) => {
      const visitor = visitors[index];
      if (!visitor) throw new Error('nobody is there');
      await look(view, visitor, device);
      expect(visitor.complaints).toEqual([]);
    },
    180_000,
  );

  it.each(publicViews.map((view) => [view.name, view] as const))(
    '%s is Chinese for a visitor',
    async (_name, view) => {
      const visitor = await arrive(index === 1 ? phone : undefined);
      await look(view, visitor, device);
      expect(visitor.complaints).toEqual([]);
      await visitor.leave();
    },
    180_000,
  );
});
