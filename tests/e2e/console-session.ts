import { rootPassword, type Person } from '../support/api.js';
import { isFullSuite } from '../support/suite.js';
import { drawn, takesPictures, type Visitor } from './console-page.js';

/** Signs in through the form, as users do, and waits for the console. */
export async function signIn(visitor: Visitor, username = 'root', password = rootPassword): Promise<void> {
  const { page } = visitor;
  await page.goto('/login');
  await page.getByLabel('Username or email').fill(username);
  await page.locator('input[name=password]').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'API tokens' }).waitFor();
}

/** Opens a screen with a session, without the form, which saves a page load. */
export async function enter(
  { page }: Visitor,
  path = '/token',
  { username, password }: Pick<Person, 'username' | 'password'> = { username: 'root', password: rootPassword },
): Promise<void> {
  const response = await page.request.post('/api/user/login', { data: { username, password } });
  const { data } = (await response.json()) as { data: object };
  // This page of the site has no scripts. The console reads the storage when it starts.
  await page.goto('/healthz');
  await page.evaluate((user) => {
    localStorage.setItem('user', user);
    // The guide of a fresh site would lie above what tests press.
    localStorage.setItem('first-steps', 'done');
  }, JSON.stringify(data));
  await page.goto(path);
  await page.locator('h1').first().waitFor();
}

/**
 * Shows the screen at desktop and phone size, light and dark, so that complaints of every form are recorded, with a
 * picture of each on request. Leaves the page at desktop size in the light theme. Without a full suite and pictures, each
 * size and each theme comes once.
 */
export async function photographAll(visitor: Visitor, name: string): Promise<void> {
  const { page } = visitor;
  const [phone, desk] = [
    { width: 390, height: 844 },
    { width: 1440, height: 900 },
  ];
  const all = [
    ['dark', phone],
    ['dark', desk],
    ['light', phone],
    ['light', desk],
  ] as const;
  for (const [colorScheme, size] of isFullSuite || takesPictures ? all : [all[0], all[3]]) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(size);
    await drawn(page);
    await visitor.photograph(`${name}-${colorScheme}-${String(size.width)}`);
  }
}

/** Returns how far the page can be scrolled sideways; on a phone it must not scroll sideways. */
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
