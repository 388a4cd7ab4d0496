import { barriers } from './barriers.js';
import type { Browser, Page } from 'playwright-core';
import { en } from '../../client/src/i18n/en/en.js';
import { zh } from '../../client/src/i18n/zh/zh.js';
import { startServer } from '../support/server.js';
import { isFullSuite } from '../support/suite.js';
import { drawn, openBrowser, visit, type Visitor } from './console-page.js';
import { hardToHit, hiddenInRows, notWholeScreen, stickingOut } from './console-fit.js';
import { enter } from './console-session.js';
import { openSite, sayIn, showLongStates, type ConsoleSite } from './console-site.js';
import { adminViews, dialogViews, leaveView, PageActions, openView, publicViews, type View } from './console-views.js';
import { onEach, sendWalkers, wear, type Walkers } from './console-walk.js';

/**
 * Tests every screen and dialog in Chinese, at 1440 px on a desktop or 390 px on a phone. Texts are in their language
 * and fit; rows of lists show their actions, names and chips; on a phone, dialogs fill the screen and every control is
 * large enough to touch; and there are no accessibility violations. Afterwards some open pages are tested for contrast
 * in the dark theme, and the others in English, whose words are longer, at 1366 and 1024 px or 360 px. A full suite
 * tests each view in all variants, on both devices, and in both languages at every width.
 */
jest.setTimeout(120_000);

let site: ConsoleSite;
let browser: Browser;
let admins: Walkers;
let strangers: Walkers;
const say = sayIn('zh');

type Texts = { readonly [key: string]: string | Texts };
const textsOf = (tree: Texts): string[] =>
  Object.values(tree).flatMap((value) => (typeof value === 'string' ? [value] : textsOf(value)));
const chinese = new Set(textsOf(zh));
const inEnglish = new Set(textsOf(en));
/** Texts that appear on English pages only. */
const english = textsOf(en).filter((text) => !chinese.has(text) && !text.includes('{{') && /\p{L}{2}/u.test(text));

/** Texts that appear on Chinese pages only. */
const chineseOnly = textsOf(zh).filter(
  (text) => !inEnglish.has(text) && !text.includes('{{') && /\p{L}{2}/u.test(text),
);

const textsOfOther = { zh: english, en: chineseOnly } as const;
type Language = keyof typeof textsOfOther;
type WithTexts = typeof globalThis & { textsOfOther: Readonly<Record<Language, ReadonlySet<string>>> };

/** Gives a page the thousands of texts once, when it loads, instead of with every look at it. */
const teach = ({ page }: Visitor): Promise<unknown> =>
  page.addInitScript(({ zh, en }) => {
    Object.assign(globalThis, { textsOfOther: { zh: new Set(zh), en: new Set(en) } });
  }, textsOfOther);

/** Chooses a language as another tab of the console does. */
async function speak(page: Page, language: Language): Promise<void> {
  await page.evaluate((newValue) => {
    localStorage.setItem('language', newValue);
    dispatchEvent(new StorageEvent('storage', { key: 'language', newValue }));
  }, language);
  await page.locator(`html[lang=${language}]`).waitFor({ state: 'attached' });
  await drawn(page);
}

beforeAll(async () => {
  [site, browser] = await Promise.all([openSite(), openBrowser()]);
  await showLongStates(site);
  admins = await sendWalkers(browser, site.server.url, { locale: 'zh-CN' });
  strangers = await sendWalkers(browser, site.server.url, { locale: 'zh-CN' });
  await Promise.all([admins.desk, admins.phone, strangers.desk, strangers.phone].map(teach));
  await Promise.all([enter(admins.desk), enter(admins.phone)]);
});

afterAll(async () => {
  await browser.close();
  await site.server.stop();
});

/** Returns texts in the other language, and controls whose words do not fit. */
async function faults(page: Page, language: Language): Promise<string[]> {
  const found = await page.evaluate(
    ({ language: spoken, kept }) => {
      const known = (globalThis as WithTexts).textsOfOther[spoken];
      const left: string[] = [];
      const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        const text = node.textContent?.trim() ?? '';
        // Messages, questions and errors keep the language in which they appeared, and a prompt that of its author.
        if (node.parentElement?.closest(kept)) continue;
        // A part may say that it has a language of its own.
        if (node.parentElement?.closest('body [lang]')) continue;
        if (known.has(text)) left.push(`in the other language: ${text}`);
      }
      for (const element of document.querySelectorAll('[aria-label], [placeholder], [title]')) {
        if (element.closest('body [lang]')) continue;
        for (const name of ['aria-label', 'placeholder', 'title']) {
          const text = element.getAttribute(name) ?? '';
          if (known.has(text)) left.push(`in the other language, ${name}: ${text}`);
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
    },
    {
      language,
      kept:
        language === 'zh'
          ? 'none'
          : '[role=alertdialog], [role=alert], .Mui-error, .notistack-SnackbarContainer, textarea',
    },
  );
  found.push(...(await hiddenInRows(page)));
  return found.map((text) => `${language} at ${String(page.viewportSize()?.width)}: ${text}`);
}

/** Rules that can differ between the light and the dark theme. */
const colorRules = ['color-contrast', 'link-in-text-block'];

/** Returns parts of a phone's page that are too wide, or too small to touch. Only behind sign-in. */
async function faultsOfPhone(view: View, page: Page): Promise<string[]> {
  const window = page.viewportSize();
  if (!window) throw new Error('no window');
  const dialog = new PageActions(page, say).dialog();
  const found = dialogViews.includes(view)
    ? [...(await notWholeScreen(dialog, window)), ...(await stickingOut(dialog)), ...(await hardToHit(dialog))]
    : [...(await stickingOut(page.locator('main'))), ...(await hardToHit(page.locator('body')))];
  return found.map((text) => `at ${String(window.width)}: ${text}`);
}

/** A further variant of a view, after Chinese and the light theme. */
type Second = (typeof allSeconds)[number];
const allSeconds = ['the dark', 'English'] as const;

/** Returns faults of a view in Chinese and the light theme, and in the given variants. */
async function look(
  view: View,
  visitor: Visitor,
  how: 'load' | 'inside',
  seconds: readonly Second[] = allSeconds,
): Promise<string[]> {
  const { page } = visitor;
  const size = page.viewportSize();
  if (!size) throw new Error('no window');
  await openView(view, new PageActions(page, say), how);
  const isPhone = size.width < 1000;
  const found: string[] = [];
  const lookAt = async (width: number, language: Language): Promise<void> => {
    if (page.viewportSize()?.width !== width) {
      await page.setViewportSize({ width, height: size.height });
      await drawn(page);
    }
    found.push(...(await faults(page, language)));
    if (isPhone && how === 'inside') found.push(...(await faultsOfPhone(view, page)));
    await visitor.photograph(`${language}-${view.name}-${String(width)}`);
  };
  await lookAt(size.width, 'zh');
  found.push(...(await barriers(page)).map((text) => `light: ${text}`));
  if (seconds.includes('the dark')) {
    await wear(page, 'dark');
    found.push(...(await barriers(page, colorRules)).map((text) => `dark: ${text}`));
    await visitor.photograph(`zh-${view.name}-dark-${String(size.width)}`);
  }
  const narrower = isPhone ? [360] : [1366, 1024];
  if (isFullSuite) for (const width of narrower) await lookAt(width, 'zh');
  const language = await page.evaluate(() => document.documentElement.lang);
  if (seconds.includes('English')) {
    await speak(page, 'en');
    for (const width of narrower.toReversed()) await lookAt(width, 'en');
    if (isFullSuite) await lookAt(size.width, 'en');
  }
  // The next view begins as this one did. It is cheap to change back on a page with nothing on it.
  if (how === 'inside') await leaveView(page, sayIn(seconds.includes('English') ? 'en' : 'zh'));
  await page.emulateMedia({ colorScheme: 'light' });
  if (page.viewportSize()?.width !== size.width) await page.setViewportSize(size);
  if (seconds.includes('English')) await speak(page, 'zh');
  const complaints = [...visitor.complaints];
  visitor.forget();
  return [...found, ...complaints, ...(language === 'zh' ? [] : [`said to be in ${language}`])];
}

/** Variants in rotation, so that each is used for every fourth view; in a full suite, every view has all variants. */
function withTurns(views: readonly View[]) {
  return views.map((view, index) => {
    const devices: readonly (keyof Walkers)[] = view.deskOnly
      ? ['desk']
      : isFullSuite
        ? ['desk', 'phone']
        : [index % 2 === 0 ? 'desk' : 'phone'];
    const seconds = isFullSuite ? allSeconds : [index % 4 < 2 ? ('the dark' as const) : ('English' as const)];
    return [view.name, devices.join(' and '), seconds.join(' and '), { view, devices, seconds }] as const;
  });
}

it.each(withTurns(adminViews))(
  '%s fits on a %s, in %s too, has all its words in the language, and has no barrier',
  async (_name, _devices, _seconds, { view, devices, seconds }) => {
    expect(await onEach(devices, admins, (visitor) => look(view, visitor, 'inside', seconds))).toEqual([]);
  },
);

it.each(withTurns(publicViews))(
  '%s fits on a %s, in %s too, has all its words in the language, and has no barrier for a visitor',
  async (_name, _devices, _seconds, { view, devices, seconds }) => {
    expect(await onEach(devices, strangers, (visitor) => look(view, visitor, 'load', seconds))).toEqual([]);
  },
);

it.each([
  ['desk', 1024],
  ['phone', 360],
] as const)('the figures of the dashboard have whole notes on a %s of %d px', async (device, width) => {
  const { page } = admins[device];
  const before = page.viewportSize();
  await page.setViewportSize({ width, height: 800 });
  await speak(page, 'en');
  await openView({ name: 'detail', path: '/detail?days=30' }, new PageActions(page, sayIn('en')), 'inside');
  const notes = page.getByRole('region', { name: 'Calls', exact: true }).first().locator('.num');
  expect(await notes.filter({ hasText: 'Error rate' }).count()).toBe(1);
  expect(
    await notes.evaluateAll((all) =>
      all.filter((note) => note.scrollWidth > note.clientWidth).map((note) => note.textContent),
    ),
  ).toEqual([]);
  await speak(page, 'zh');
  if (before) await page.setViewportSize(before);
});

it('set-up fits in both languages, has all its words in them, and has no barrier', async () => {
  const fresh = await startServer();
  const visitor = await visit(browser, fresh.url, { locale: 'zh-CN' });
  await teach(visitor);
  expect(await look({ name: 'setup', path: '/setup' }, visitor, 'load')).toEqual([]);
  await visitor.leave();
  await fresh.stop();
});
