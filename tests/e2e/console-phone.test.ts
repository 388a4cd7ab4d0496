import type { Browser, Locator } from 'playwright-core';
import { openBrowser, visit, type Visitor } from './console-page.js';
import { signIn } from './console-session.js';
import { openSite, sayIn, type ConsoleSite } from './console-site.js';
import { adminViews, dialogViews, PageActions, openView, type View } from './console-views.js';

/** Phone layout: dialogs and drawers fill the screen, and nothing overflows it. */
jest.setTimeout(120_000);

let site: ConsoleSite;
let browser: Browser;
let visitor: Visitor;
const height = 800;

beforeAll(async () => {
  [site, browser] = await Promise.all([openSite(), openBrowser()]);
  visitor = await visit(browser, site.server.url, {
    reducedMotion: 'reduce',
    viewport: { width: 390, height },
    hasTouch: true,
  });
  await signIn(visitor);
}, 120_000);

afterAll(async () => {
  await browser.close();
  await site.server.stop();
});

afterEach(() => {
  expect(visitor.complaints).toEqual([]);
});

/**
 * Elements that overflow `area` horizontally. Code, JSON, chart axes and tabs may scroll with their content; text with an
 * ellipsis is truncated on purpose.
 */
const stickingOut = (area: Locator): Promise<string[]> =>
  area.evaluate((root) =>
    [root, ...root.querySelectorAll<HTMLElement>('*')].flatMap((element) => {
      const scrolls = 'pre, textarea, [role=tablist], [tabindex="0"]:has(> table)';
      if (element.closest(scrolls) || element.querySelector(':scope > [role=tablist]')) return [];
      const { overflowX, textOverflow, position } = getComputedStyle(element);
      const words = (element.textContent ?? '').trim().slice(0, 60);
      const named = `${element.tagName} ${words}`;
      if (/auto|scroll/.test(overflowX) && element.scrollWidth > element.clientWidth + 1) {
        const end = element.getBoundingClientRect().left + element.clientWidth;
        const widest = [...element.querySelectorAll('*')].filter((one) => one.getBoundingClientRect().right > end + 1);
        return [`scrolls: ${named}: ${widest.map((one) => one.outerHTML.slice(0, 120)).join(' | ')}`];
      }
      const { left, right, width } = element.getBoundingClientRect();
      // Texts for screen readers are one pixel wide; the input behind a label has no text.
      if (width <= 1 || words === '' || textOverflow === 'ellipsis' || position === 'absolute') return [];
      const clipped = element.parentElement?.closest('[style*=overflow], .MuiTypography-noWrap');
      return (right > innerWidth + 0.5 || left < -0.5) && !clipped ? [`outside: ${named}`] : [];
    }),
  );

/** Buttons and fields that answer to fewer than 40 px in height: their own, and what a pseudo-element adds. */
const hardToHit = (area: Locator): Promise<string[]> =>
  area.evaluate((root) =>
    [
      ...root.querySelectorAll('.MuiButton-root, .MuiIconButton-root, .MuiToggleButton-root, .MuiOutlinedInput-root'),
    ].flatMap((element) => {
      const { height, width } = element.getBoundingClientRect();
      if (height === 0 || width === 0) return [];
      const added = (side: 'top' | 'bottom') =>
        Math.min(0, Number.parseFloat(getComputedStyle(element, '::after')[side]) || 0);
      const target = Math.round(height - added('top') - added('bottom'));
      return target < 40
        ? [`${String(target)} px: ${element.getAttribute('aria-label') ?? element.outerHTML.slice(0, 160)}`]
        : [];
    }),
  );

/** Until what measures itself has been drawn in its new size. */
async function resize(width: number): Promise<void> {
  await visitor.page.setViewportSize({ width, height });
  await visitor.page.evaluate(
    () =>
      new Promise((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)));
      }),
  );
}

async function open(view: View): Promise<PageActions> {
  await resize(390);
  const actions = new PageActions(visitor.page, sayIn('en'));
  await openView(view, actions, 'inside');
  return actions;
}

const wider = (): Promise<number> =>
  visitor.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

it.each(dialogViews.map((view) => [view.name, view] as const))('%s takes all of the screen', async (_name, view) => {
  const actions = await open(view);
  for (const width of [390, 360]) {
    await resize(width);
    await visitor.photograph(`phone-${view.name}-${String(width)}`);
    expect(await actions.dialog().boundingBox()).toEqual({ x: 0, y: 0, width, height });
    expect(await stickingOut(actions.dialog())).toEqual([]);
    expect(await wider()).toBe(0);
    expect(await hardToHit(actions.dialog())).toEqual([]);
    // The way out is on the screen without scrolling.
    const buttons = actions.dialog().getByRole('button');
    const last = await buttons.last().boundingBox();
    expect(last && last.y + last.height <= height && last.x + last.width <= width).toBe(true);
  }
});

const screens = adminViews.filter(({ name, deskOnly }) => !deskOnly && !dialogViews.some((view) => view.name === name));
it.each(screens.map((view) => [view.name, view] as const))('%s is not wider than the page', async (_name, view) => {
  await open(view);
  for (const width of [390, 360]) {
    await resize(width);
    expect(await stickingOut(visitor.page.locator('main'))).toEqual([]);
    expect(await wider()).toBe(0);
    expect(await hardToHit(visitor.page.locator('body'))).toEqual([]);
  }
});
