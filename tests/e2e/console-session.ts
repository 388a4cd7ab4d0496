import { rootPassword } from '../support/api.js';
import { drawn, type Visitor } from './console-page.js';

/** Signs in through the form, as people do, and waits for the console. */
export async function signIn(visitor: Visitor, username = 'root', password = rootPassword): Promise<void> {
  const { page } = visitor;
  await page.goto('/login');
  await page.getByLabel('Username or email').fill(username);
  await page.locator('input[name=password]').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'API tokens' }).waitFor();
}

/**
 * Shows the screen at desktop and phone size, light and dark, so that complaints of every form are recorded, with a
 * picture of each on request. Leaves the page at desktop size in the light theme.
 */
export async function photographAll(visitor: Visitor, name: string): Promise<void> {
  const { page } = visitor;
  for (const scheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    for (const [width, height] of [
      [390, 844],
      [1440, 900],
    ] as const) {
      await page.setViewportSize({ width, height });
      await drawn(page);
      await visitor.photograph(`${name}-${scheme}-${width}`);
    }
  }
}

/** How far the page can be scrolled sideways; nothing on a phone may be. */
export const sidewaysOverflow = async (visitor: Visitor, width = 360): Promise<number> => {
  const { page } = visitor;
  const before = page.viewportSize();
  await page.setViewportSize({ width, height: 800 });
  await drawn(page);
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  if (before) await page.setViewportSize(before);
  return overflow;
};
