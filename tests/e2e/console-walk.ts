import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { visit, type Visitor } from './console-page.js';

/** One on a desk and one on a phone, each with a page that is kept from view to view. */
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
 * Looks with each device, with several at once: most of the time goes by in waiting for what comes.
 * @param look says what is wrong
 * @returns what is wrong, each with the device
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

/** Puts on a theme, and waits until every colour is the new one. */
export async function wear(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-theme=${colorScheme}]`).waitFor({ state: 'attached' });
  // With less motion a colour still changes by a transition, if of no length, and one level of the page after the other.
  await page.evaluate(async () => {
    do await new Promise((done) => requestAnimationFrame(done));
    while (document.getAnimations().some((one) => one instanceof CSSTransition));
  });
}
