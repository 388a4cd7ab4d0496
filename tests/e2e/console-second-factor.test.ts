import { Secret, TOTP } from 'otpauth';
import type { Browser, CDPSession, Locator } from 'playwright-core';
import { rootPassword, type Person } from '../support/api.js';
import { startServer, type LocalServer } from '../support/server.js';
import { openBrowser, visit, type Visitor } from './console-page.js';
import { photographAll, sidewaysOverflow, signIn } from './console-session.js';

/** Root sets up second factors, signs in with them, and confirms operations that need them. */
jest.setTimeout(120_000);

let server: LocalServer;
let browser: Browser;
let visitor: Visitor;
let devtools: CDPSession;
let root: Person;
let secret: string;

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(), openBrowser()]);
  root = await server.api.setUp();
  await server.api.createToken(root, { name: 'first' });
  // Passkeys need a domain name.
  visitor = await visit(browser, server.url.replace('127.0.0.1', 'localhost'));
  devtools = await visitor.page.context().newCDPSession(visitor.page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
});

afterAll(async () => {
  await browser.close();
  await server.stop();
});

afterEach(() => {
  expect(visitor.complaints).toEqual([]);
});

const button = (name: string | RegExp): Locator =>
  visitor.page.getByRole('button', { name, exact: typeof name === 'string' });
const dialog = (): Locator => visitor.page.getByRole('dialog');
/**
 * Returns an unused code: each test uses a later step. None is of the previous step, which may end while the code is
 * sent.
 */
const code = (steps: number): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });

async function signOut(): Promise<void> {
  // The page has no scripts: requests of the console would be refused without the cookie.
  await visitor.page.goto('/healthz');
  await visitor.page.context().clearCookies();
  await visitor.page.evaluate(() => localStorage.removeItem('user'));
  await visitor.page.goto('/login');
}

async function enterPassword(): Promise<void> {
  const { page } = visitor;
  await page.getByLabel('Username or email').fill('root');
  await page.locator('input[name=password]').fill(rootPassword);
  await button('Sign in').click();
}

const atHome = (): Promise<void> => visitor.page.getByRole('heading', { level: 1, name: 'API tokens' }).waitFor();

it('sets up an authenticator app and shows the recovery codes once', async () => {
  const { page } = visitor;
  await signIn(visitor);
  await page.goto('/personal');
  await page.getByRole('region', { name: 'Second factor' }).getByRole('button', { name: 'Set up' }).click();
  await dialog().getByRole('img', { name: 'QR code with the secret' }).waitFor();
  secret = (await dialog().locator('code, pre').first().textContent())?.trim() ?? '';
  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  await photographAll(visitor, 'second-factor-app');
  await dialog().getByLabel('Code of the authenticator app').fill('000000');
  await dialog().getByRole('button', { name: 'Set up' }).click();
  await dialog().getByText('The code is wrong').waitFor();
  await dialog().getByLabel('Code of the authenticator app').fill(code(0));
  await dialog().getByRole('button', { name: 'Set up' }).click();
  await dialog().getByText('Your recovery codes').waitFor();
  expect((await dialog().locator('code, pre').first().textContent())?.trim().split(/\s+/)).toHaveLength(10);
  await photographAll(visitor, 'second-factor-codes');
  await button('I saved the codes').click();
  await page.getByText('10 unused codes').waitFor();
});

it('adds a passkey of the browser', async () => {
  const { page } = visitor;
  await button('Add passkey').click();
  await dialog().getByLabel('Name').fill('Work laptop');
  await button('Continue').click();
  await page.getByText('Work laptop').waitFor();
  await dialog().waitFor({ state: 'detached' });
  await photographAll(visitor, 'second-factors');
  expect(await sidewaysOverflow(visitor)).toBe(0);
});

it('asks for the second factor after the password', async () => {
  const { page } = visitor;
  await signOut();
  await enterPassword();
  await page.getByRole('heading', { name: 'Second factor' }).waitFor();
  await page.getByLabel('Code of the authenticator app').waitFor();
  await photographAll(visitor, 'second-factor-step');
  await page.getByLabel('Code of the authenticator app').fill('123456');
  await button('Sign in').click();
  await page.getByText('The code is wrong or was used already').waitFor();
  await page.getByLabel('Code of the authenticator app').fill(code(1));
  await button('Sign in').click();
  await atHome();
});

it('accepts the passkey as the second step, and as the only one', async () => {
  await signOut();
  await enterPassword();
  await button('Use a passkey').click();
  await atHome();
  await signOut();
  await button('Sign in with a passkey').click();
  await atHome();
});

/** The second factor of every session was proven an hour ago. */
async function forgetConfirmation(): Promise<void> {
  await server.dataSource.query(`UPDATE sessions SET confirmed_at = now() - interval '1 hour'`);
  // The request drops the callers that the server caches for a second.
  await server.api.data(root, 'PUT', '/api/user/self', { display_name: 'Rosa' });
}

it('asks for a confirmation before it shows a key, and goes on after it', async () => {
  const { page } = visitor;
  await forgetConfirmation();
  await page.goto('/token');
  await button(/^Copy key of/)
    .first()
    .click();
  await dialog().getByText('Confirm with your second factor').waitFor();
  await photographAll(visitor, 'second-factor-confirm');
  await dialog().getByRole('button', { name: 'Use a passkey' }).click();
  await dialog().waitFor({ state: 'detached' });
  await page.getByText('Copied').first().waitFor();
});

it('asks for a confirmation before it makes a key, and makes it once', async () => {
  const { page } = visitor;
  const made = (): Promise<unknown[]> => server.dataSource.query(`SELECT 1 FROM tokens WHERE name = 'confirmed'`);
  await forgetConfirmation();
  await page.goto('/token');
  await button('Create token').first().click();
  const editor = page.getByRole('dialog', { name: 'Create token' });
  const question = page.getByRole('dialog', { name: 'Confirm with your second factor' });
  await editor.getByLabel(/^Name/).fill('confirmed');
  await editor.getByRole('button', { name: 'Create token' }).click();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'detached' });
  expect(await editor.getByLabel(/^Name/).inputValue()).toBe('confirmed');
  expect(await made()).toHaveLength(0);
  await editor.getByRole('button', { name: 'Create token' }).click();
  await question.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByText(/^sk-[A-Za-z0-9]{48}$/).waitFor();
  expect(await made()).toHaveLength(1);
});

it('covers the console of a user whose role needs a second factor, until it is set up', async () => {
  const { page } = visitor;
  await server.api.data(root, 'POST', '/api/user/', { username: 'mia', password: 'long enough 1' });
  await page.goto('/setting?tab=system');
  const row = page.getByRole('combobox', { name: 'Second factor required for' });
  await row.click();
  await page.getByRole('option', { name: 'Everyone' }).click();
  await button(/^Save/).first().click();
  await page.getByText('Settings saved').waitFor();
  await signOut();
  await page.getByLabel('Username or email').fill('mia');
  await page.locator('input[name=password]').fill('long enough 1');
  await button('Sign in').click();
  await dialog().getByText('Your role needs a second factor').waitFor();
  await photographAll(visitor, 'second-factor-required');
  await dialog().getByRole('button', { name: 'Add passkey' }).click();
  await dialog().getByLabel('Name').fill('Phone');
  await button('Continue').click();
  await button('I saved the codes').click();
  await atHome();
});
