import { createHash, createHmac, randomInt } from 'node:crypto';
import bcrypt from 'bcrypt';
import type { Browser, Locator } from 'playwright-core';
import { rootPassword, type Person } from '../support/api.js';
import { mailAccount, startMailServer, type MailServer } from '../support/mail-server.js';
import { startOidcIssuer, type OidcIssuer } from '../support/oidc.js';
import { startScriptedServer, type ScriptedServer } from '../support/scripted-server.js';
import { startServer, type LocalServer } from '../support/server.js';
import { openBrowser, untilEqual, visit, type Visitor } from './console-page.js';
import { photographAll, sidewaysOverflow, signIn } from './console-session.js';

/** All sign-ins without a password, and what the account's owner and the admin see of them. */
jest.setTimeout(120_000);

const oidcSecret = 'planted oidc secret';
const botToken = '123:bot';
let server: LocalServer;
let issuer: OidcIssuer;
let mail: MailServer;
let world: ScriptedServer;
let browser: Browser;
let visitor: Visitor;
let root: Person;
/** The console has another host name than the providers, so that they are foreign sites to the browser. */
let site: string;

const set = (key: string, value: string): Promise<unknown> =>
  server.api.data(root, 'PUT', '/api/option/', { key, value });

beforeAll(async () => {
  world = await startScriptedServer(() => ({ status: 404 }));
  [server, mail, browser] = await Promise.all([
    startServer({
      environment: {
        GITHUB_URL: `${world.url}/github`,
        GITHUB_API_URL: `${world.url}/github-api`,
        LINUXDO_URL: `${world.url}/linuxdo`,
        TURNSTILE_URL: world.url,
        OUTBOUND_ALLOW: '127.0.0.1',
        RELEASES_URL: `${world.url}/releases/latest`,
        TRUSTED_PROXIES: '127.0.0.1,::1',
      },
    }),
    startMailServer(),
    openBrowser(),
  ]);
  site = server.url.replace('127.0.0.1', 'localhost');
  issuer = await startOidcIssuer(oidcSecret, `${site}/oauth/oidc`);
  world.answer = ({ url, body }) => {
    switch (url.pathname) {
      case '/github/login/oauth/authorize':
        return {
          status: 302,
          headers: { location: `${site}/oauth/github?code=c&state=${url.searchParams.get('state') ?? ''}` },
        };
      case '/github/login/oauth/access_token':
        return { body: { access_token: 'token of a test' } };
      case '/github-api/user':
        return { body: { id: 4711, login: 'octocat', name: 'Octo Cat', email: 'octo@example.com' } };
      case '/wechat/api/wechat/user':
        return url.searchParams.get('code') === '123456'
          ? { body: { success: true, message: '', data: 'wx-1' } }
          : { body: { success: false, message: 'The code is wrong or expired', data: '' } };
      case '/turnstile/v0/siteverify':
        return { body: { success: new URLSearchParams(body).get('response') === 'a person' } };
      case '/releases/latest':
        return { body: { tag_name: 'v9.9.9', body: '# What is new\n\n- **Faster** relay' } };
      default:
        return { status: 404 };
    }
  };
  root = await server.api.setUp();
  for (const [key, value] of Object.entries({
    ServerAddress: site,
    QuotaForNewUser: '500000',
    GitHubClientId: 'gh-id',
    GitHubClientSecret: 'gh-secret',
    GitHubOAuthEnabled: 'true',
    LinuxDOClientId: 'ld-id',
    LinuxDOClientSecret: 'ld-secret',
    LinuxDOOAuthEnabled: 'true',
    'oidc.client_id': 'gate',
    'oidc.client_secret': oidcSecret,
    'oidc.well_known': `${issuer.issuer}/.well-known/openid-configuration`,
    'oidc.enabled': 'true',
    WeChatServerAddress: `${world.url}/wechat`,
    WeChatServerToken: 'we-token',
    WeChatAuthEnabled: 'true',
    WeChatAccountQRCodeImageURL: `${site}/logo.svg`,
    TelegramBotToken: botToken,
    TelegramBotName: 'gate_bot',
    TelegramOAuthEnabled: 'true',
    SMTPServer: '127.0.0.1',
    SMTPPort: String(mail.port),
    SMTPAccount: mailAccount.user,
    SMTPToken: mailAccount.password,
  })) {
    await set(key, value);
  }
  const company = { slug: 'company', name: 'Company', issuer: issuer.issuer, oauthClientId: 'gate' };
  await server.api.graphql(
    root,
    'mutation ($input: CreateSignInProviderInput!) { createSignInProvider(input: $input) { provider { id } } }',
    { input: { ...company, clientSecret: oidcSecret } },
  );
  visitor = await visit(browser, site);
});

afterAll(async () => {
  await browser.close();
  await Promise.all([server.stop(), world.stop(), issuer.stop(), mail.stop()]);
});

/** Failed requests that the current test expects. */
let allowed: RegExp | null = null;
beforeEach(async () => {
  allowed = null;
  // Sign-ins are counted by address; every test comes from another one.
  const address = `10.${String(randomInt(256))}.${String(randomInt(256))}.${String(randomInt(256))}`;
  await visitor.page.setExtraHTTPHeaders({ 'x-forwarded-for': address });
});
afterEach(async () => {
  const left = visitor.complaints.filter((complaint) => !allowed?.test(complaint));
  visitor.forget();
  expect(left).toEqual([]);
});

const button = (name: string | RegExp): Locator =>
  visitor.page.getByRole('button', { name, exact: typeof name === 'string' });
const untilPath = (path: string): Promise<void> =>
  untilEqual(() => Promise.resolve(new URL(visitor.page.url()).pathname), path);
const forget = async (): Promise<void> => {
  // Requests of the console would be refused once the cookie is gone.
  await visitor.page.goto('about:blank');
  await visitor.page.context().clearCookies();
  await visitor.page.goto('/about');
  await visitor.page.evaluate(() => localStorage.clear());
};

/** Telegram's frame, in which this person presses the button. */
async function pressInTelegram(id: number): Promise<void> {
  const person: Record<string, string> = {
    id: String(id),
    first_name: 'Ada',
    auth_date: String(Math.floor(Date.now() / 1000)),
  };
  const text = Object.keys(person)
    .sort()
    .map((key) => `${key}=${person[key] ?? ''}`)
    .join('\n');
  const hash = createHmac('sha256', createHash('sha256').update(botToken).digest()).update(text).digest('hex');
  const said = JSON.stringify({ event: 'auth_user', auth_data: { ...person, hash } });
  const { page } = visitor;
  await page.unroute('https://oauth.telegram.org/**');
  await page.route('https://oauth.telegram.org/**', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<button onclick='parent.postMessage(${JSON.stringify(said)}, "*")'>Log in with Telegram</button>`,
    }),
  );
}

/**
 * Signs in when the dialog is still: the driver does not notice that a frame moves, and would press beside the button.
 */
async function logInWithTelegram(): Promise<void> {
  const { page } = visitor;
  const inFrame = page.frameLocator('iframe[title="Continue with Telegram"]').getByRole('button');
  await inFrame.waitFor();
  await page.evaluate(() =>
    Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => undefined))),
  );
  await inFrame.click();
}

it('shows the ways in that are on, and no other', async () => {
  const { page } = visitor;
  await page.goto('/login');
  for (const name of ['GitHub', 'OIDC', 'Linux DO', 'WeChat', 'Telegram', 'Company']) await button(name).waitFor();
  await photographAll(visitor, 'signin-login');
  expect(await sidewaysOverflow(visitor)).toBe(0);
  await set('LinuxDOOAuthEnabled', 'false');
  await page.reload();
  await button('GitHub').waitFor();
  await button('Linux DO').waitFor({ state: 'detached' });
});

it('begins at a provider that the operator added, from the page without GraphQL', async () => {
  const { page } = visitor;
  await page.goto('/login');
  await page.route(`${issuer.issuer}/auth?**`, (route) =>
    route.fulfill({ contentType: 'text/html', body: 'The page of the provider' }),
  );
  await button('Company').click();
  await page.getByText('The page of the provider').waitFor();
  expect(page.url()).toContain(encodeURIComponent(`${site}/oauth/company`));
  await page.unroute(`${issuer.issuer}/auth?**`);
});

it('comes back from an OpenID provider signed in, by a new account that whoever invited gets to know of', async () => {
  const { page } = visitor;
  await page.goto('/register?aff=NOBODY');
  await page.getByText('Invited with code NOBODY').waitFor();
  await photographAll(visitor, 'signin-register');
  await button('OIDC').click();
  await page.getByRole('heading', { name: 'API tokens' }).waitFor();
  expect(await page.evaluate(() => localStorage.getItem('aff'))).toBeNull();
  const user = JSON.parse((await page.evaluate(() => localStorage.getItem('user'))) ?? '{}') as {
    display_name?: string;
  };
  expect(user.display_name).toBe('Name of visitor-1');
  expect(page.url()).not.toContain('code=');
});

it('says why a sign-in failed, and goes back', async () => {
  const { page } = visitor;
  await forget();
  allowed = /403/;
  // Both texts are visible only for a moment.
  await Promise.all([
    page.goto('/oauth/github?error=access_denied'),
    page.getByText('GitHub denied the sign-in').waitFor(),
    page.waitForFunction(
      () =>
        document.querySelector('body')?.innerText.includes('Operation failed, redirecting to login page') &&
        document.querySelector('header, [role=banner]') === null,
    ),
  ]);
  await visitor.photograph('signin-landing-failed');
  await page.waitForURL('**/login');
  await page.goto('/oauth/oidc?code=c&state=forged');
  await page.getByText('state is empty or not same').waitFor();
  await page.waitForURL('**/login');
  await page.goto('/oauth/unheard-of');
  await page.getByRole('heading', { name: 'Page does not exist' }).waitFor();
});

it('binds GitHub from the personal page; an admin comes back to the settings, others to their page', async () => {
  const { page } = visitor;
  await signIn(visitor);
  await page.goto('/personal');
  await button('Bind GitHub').waitFor();
  await photographAll(visitor, 'signin-personal');
  await button('Bind GitHub').click();
  await page.getByText('Bound to GitHub').waitFor();
  await untilPath('/setting');
  await page.goto('/personal');
  await page.getByText('4711').waitFor();
  expect(await button('Bind GitHub').count()).toBe(0);
});

it('binds WeChat by the code, with the refusal at the field', async () => {
  const { page } = visitor;
  await button('Bind WeChat').click();
  const dialog = page.getByRole('dialog', { name: 'Bind WeChat' });
  await dialog.getByRole('img', { name: 'QR code of the official account' }).waitFor();
  await dialog.getByRole('button', { name: 'Bind' }).click();
  await dialog.getByText('Please enter the verification code').waitFor();
  await dialog.getByLabel('Verification code').fill('999999');
  await dialog.getByRole('button', { name: 'Bind' }).click();
  await dialog.getByRole('alert').waitFor();
  await photographAll(visitor, 'signin-wechat');
  await dialog.getByLabel('Verification code').fill('123456');
  await page.keyboard.press('Enter');
  await page.getByText('wx-1').waitFor();
});

it('binds Telegram in its frame, without a script of Telegram’s', async () => {
  const { page } = visitor;
  const foreign: string[] = [];
  page.on('request', (request) => {
    if (request.resourceType() === 'script' && !request.url().startsWith(site)) foreign.push(request.url());
  });
  await pressInTelegram(99);
  await page.goto('/personal');
  await button('Bind Telegram').click();
  await logInWithTelegram();
  await page.getByText('Bound to Telegram').waitFor();
  await page.getByText('99', { exact: true }).waitFor();
  expect(foreign).toEqual([]);
});

it('binds an address with the code that was sent there, thirty seconds at least between two', async () => {
  const { page } = visitor;
  await button('Bind Email').click();
  const dialog = page.getByRole('dialog', { name: 'Bind an email address' });
  await dialog.getByRole('button', { name: 'Send code' }).click();
  await dialog.getByText('Please enter email').waitFor();
  await dialog.getByLabel('Email').fill('root@example.com');
  await dialog.getByRole('button', { name: 'Send code' }).click();
  await dialog.getByRole('button', { name: /Resend in \d+ s/ }).waitFor();
  expect(await dialog.getByRole('button', { name: /Resend in \d+ s/ }).isDisabled()).toBe(true);
  await photographAll(visitor, 'signin-email');
  await dialog.getByRole('button', { name: 'Bind' }).click();
  await dialog.getByText('Please enter email verification code').waitFor();
  const code =
    /\b([0-9a-zA-Z]{6})\b<\/(strong|b|p|div|td|span)/.exec((await mail.mailTo('root@example.com')).html)?.[1] ?? '';
  await dialog.getByLabel('Verification code').fill('wrong1');
  await dialog.getByRole('button', { name: 'Bind' }).click();
  await dialog.getByRole('alert').waitFor();
  await dialog.getByLabel('Verification code').fill(code);
  await dialog.getByRole('button', { name: 'Bind' }).click();
  await page.getByText('root@example.com', { exact: true }).waitFor();
});

it('lists where one is signed in, and ends a session elsewhere', async () => {
  const { page } = visitor;
  const elsewhere = await server.api.signIn('root', rootPassword);
  const reach = async (): Promise<number> => (await server.api.rest(elsewhere, 'GET', '/api/user/self')).status;
  expect(await reach()).toBe(200);
  await page.reload();
  const panel = page.getByRole('region', { name: 'Active sessions' });
  await panel.getByText('This browser').waitFor();
  await panel.getByText('Chrome · Linux').waitFor();
  await photographAll(visitor, 'signin-sessions');
  await panel.getByRole('button', { name: 'Sign out all other sessions' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Sign out all other sessions' }).click();
  await page.getByText('Session signed out').waitFor();
  await panel.getByRole('button', { name: 'Sign out all other sessions' }).waitFor({ state: 'detached' });
  // The list is read again: one row remains, that of this browser.
  await panel.getByText('last seen').waitFor();
  await untilEqual(reach, 401);
  // The test's own session was ended as well.
  root = await server.api.signIn('root', rootPassword);
});

it('lets an identity go, after a question', async () => {
  const { page } = visitor;
  await page.goto('/personal');
  await button('Unbind GitHub').click();
  const question = page.getByRole('alertdialog', { name: 'Unbind GitHub?' });
  await question.getByRole('button', { name: 'Unbind' }).click();
  await page.getByText('GitHub unbound').waitFor();
  await button('Bind GitHub').waitFor();
  await page.getByText('4711').waitFor({ state: 'detached' });
});

it('edits oneself at /user/edit, without group and quota', async () => {
  const { page } = visitor;
  await page.getByRole('link', { name: 'Edit your account' }).click();
  await untilPath('/user/edit');
  const drawer = page.getByRole('dialog', { name: 'Edit your account' });
  await drawer.getByLabel('Display name').waitFor();
  expect(await drawer.getByText('Quota').count()).toBe(0);
  await drawer.getByLabel('Display name').fill('The Boss');
  await drawer.locator('input[name=password]').fill('short');
  await drawer.getByRole('button', { name: 'Save' }).click();
  await drawer.getByText('Password must be at least 8 characters').waitFor();
  await photographAll(visitor, 'signin-edit-oneself');
  await drawer.locator('input[name=password]').fill('');
  await drawer.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Settings saved').waitFor();
  await drawer.waitFor({ state: 'detached' });
  await untilPath('/personal');
  await page.getByText('The Boss').waitFor();
});

it('fills the OIDC endpoints in from the well-known address, and says what a wrong one is', async () => {
  const { page } = visitor;
  allowed = /status of 4|refused: 4/;
  await page.goto('/setting?tab=system');
  await page.getByRole('button', { name: /^OIDC/ }).click();
  await page.getByLabel('Well-known URL').fill('ftp://nowhere');
  await button('Fetch from well-known').click();
  await page.getByText('The URL must start with http:// or https://').waitFor();
  await page.getByLabel('Well-known URL').fill(`${issuer.issuer}/nothing-here`);
  await button('Fetch from well-known').click();
  await page.getByText(/Failed to get OIDC config/).waitFor();
  await page.getByLabel('Well-known URL').fill(`${issuer.issuer}/.well-known/openid-configuration`);
  await button('Fetch from well-known').click();
  await page.getByText('Endpoints filled in').waitFor();
  expect(await page.getByLabel('Token endpoint').inputValue()).toBe(`${issuer.issuer}/token`);
  await page.getByLabel('Token endpoint').scrollIntoViewIfNeeded();
  await photographAll(visitor, 'signin-oidc-settings');
  await button('Discard').first().click();
});

it('shows the footer before it is saved, and what a new release brings', async () => {
  const { page } = visitor;
  await page.goto('/setting?tab=other');
  await page.getByLabel('Footer', { exact: true }).fill('<b>Ours</b><script>alert(1)</script>');
  const preview = page.getByRole('region', { name: 'Footer preview' });
  await preview.getByText('Ours').waitFor();
  expect(await preview.locator('script').count()).toBe(0);
  await preview.scrollIntoViewIfNeeded();
  await photographAll(visitor, 'signin-footer');
  await button('Check for updates').click();
  const dialog = page.getByRole('dialog', { name: 'Version v9.9.9 is available' });
  await dialog.getByRole('heading', { name: 'What is new' }).waitFor();
  await photographAll(visitor, 'signin-release');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await button('Discard').first().click();
});

it('signs in through WeChat and Telegram, to the home page', async () => {
  const { page } = visitor;
  await forget();
  await page.goto('/login');
  await button('WeChat').click();
  await page.getByLabel('Verification code').fill('123456');
  await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Account menu for root' }).waitFor();
  await untilPath('/');
  await forget();
  await pressInTelegram(5);
  await page.goto('/login');
  await button('Telegram').click();
  await logInWithTelegram();
  await page.getByRole('dialog').getByRole('alert').waitFor();
  await photographAll(visitor, 'signin-telegram');
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await pressInTelegram(99);
  await button('Telegram').click();
  await logInWithTelegram();
  await page.getByRole('button', { name: 'Account menu for root' }).waitFor();
  await untilPath('/');
});

it('waits for the check against bots, whose script alone may run', async () => {
  const { page } = visitor;
  for (const [key, value] of [
    ['TurnstileSiteKey', 'site-key'],
    ['TurnstileSecretKey', 'secret'],
    ['TurnstileCheckEnabled', 'true'],
  ]) {
    await set(key ?? '', value ?? '');
  }
  await forget();
  await page.route('https://challenges.cloudflare.com/turnstile/v0/api.js*', (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      body: `window.turnstile = {
        render(place, options) {
          place.textContent = 'Widget of ' + options.sitekey;
          window.passTheCheck = () => options.callback('a person');
          return 'widget';
        },
        reset() {}, remove() {},
      };`,
    }),
  );
  await page.goto('/login');
  await page.getByText('Widget of site-key').waitFor();
  await photographAll(visitor, 'signin-turnstile');
  await page.getByLabel('Username or email').fill('root');
  await page.locator('input[name=password]').fill(rootPassword);
  await button('Sign in').click();
  await page.getByText('Retry in a few seconds, checking environment').waitFor();
  await page.evaluate(() => (window as unknown as { passTheCheck(): void }).passTheCheck());
  await button('Sign in').click();
  await page.getByRole('heading', { name: 'API tokens' }).waitFor();
  await forget();
  await page.goto('/reset');
  await page.getByText('Widget of site-key').waitFor();
  await page.goto('/register');
  await page.getByText('Widget of site-key').waitFor();
});

it('offers only the other ways once passwords are off, and warns of the default one', async () => {
  const { page } = visitor;
  await set('TurnstileCheckEnabled', 'false');
  await set('PasswordLoginEnabled', 'false');
  await page.goto('/login');
  await page.getByText('Password sign-in is disabled').waitFor();
  await button('GitHub').waitFor();
  expect(await page.locator('input[name=password]').count()).toBe(0);
  await photographAll(visitor, 'signin-no-password');
  await set('PasswordLoginEnabled', 'true');
  // The account is in the state of an import from an older console.
  await server.dataSource.query('UPDATE users SET password_hash = $1 WHERE id = $2', [
    await bcrypt.hash('123456', 4),
    root.id,
  ]);
  await forget();
  await page.goto('/login');
  await page.getByLabel('Username or email').fill('root');
  await page.locator('input[name=password]').fill('123456');
  await button('Sign in').click();
  const warning = page.getByRole('alertdialog', { name: 'You are using the default password' });
  await warning.waitFor();
  await page.keyboard.press('Escape');
  await photographAll(visitor, 'signin-default-password');
  await warning.getByRole('link', { name: 'Change password' }).click();
  await page.getByRole('heading', { name: 'Personal settings' }).waitFor();
});
