import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { visit, type Visitor } from './console-page.js';

/** Two browsers, a desktop and a phone, each with a page that is kept for all views. */
export interface Walkers {
  readonly desk: Visitor;
  readonly phone: Visitor;
}

const phone = { width: 390, height: 844 };

export async function sendWalkers(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Walkers> {
  const still = { ...options, reducedMotion: 'reduce' } as const;
  const [onDesk, onPhone] = await Promise.all([
    visit(browser, url, still),
    visit(browser, url, { ...still, viewport: phone, hasTouch: true }),
  ]);
  return { desk: onDesk, phone: onPhone };
}

/**
 * Tests views on each device, several at once, because most of the time is spent on waiting.
 * @param look returns the faults
 * @returns the faults, each with the device
 */
export async function onEach(
  devices: readonly (keyof Walkers)[],
  walkers: Walkers,
  look: (visitor: Visitor) => Promise<readonly string[]>,
): Promise<string[]> {
  const found = await Promise.all(
    devices.map(async (device) => (await look(walkers[device])).map((text) => `${device}: ${text}`)),
  );
  return found.flat();
}

/** Applies a theme, and waits until every colour has changed. */
export async function wear(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-theme=${colorScheme}]`).waitFor({ state: 'attached' });
  // With reduced motion, a colour still changes by a transition of no length, and one level of the page after the
  // other.
  await page.evaluate(async () => {
    do await new Promise((done) => requestAnimationFrame(done));
    while (document.getAnimations().some((one) => one instanceof CSSTransition));
  });
}
