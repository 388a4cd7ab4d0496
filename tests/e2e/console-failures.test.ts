import type { Browser, Locator, Page, Route } from 'playwright-core';
import { sampled } from '../support/suite.js';
import { openBrowser, settled, visit, type Visitor } from './console-page.js';
import { enter } from './console-session.js';
import { openSite, type ConsoleSite } from './console-site.js';

/**
 * When the server refuses, when there were too many requests, and without a network, a reader sees one plain sentence and
 * Retry, and loses nothing of a form.
 */
jest.setTimeout(120_000);

let site: ConsoleSite;
let browser: Browser;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  [site, browser] = await Promise.all([openSite(), openBrowser()]);
  visitor = await visit(browser, site.server.url);
  ({ page } = visitor);
  await enter(visitor);
});
afterEach(() => page.unrouteAll());
afterAll(async () => {
  await browser?.close();
  await site?.server.stop();
});

const refused = { message: 'No permission: insufficient privileges', extensions: { code: 'FORBIDDEN' } };
const limited = { success: false, message: 'Too many requests, try again later', code: 'RATE_LIMITED' };

/** How requests fail, and the sentence about it. */
const failures = [
  [
    'a refusal',
    'No permission: insufficient privileges',
    (route: Route) => route.fulfill({ json: { data: null, errors: [refused] } }),
  ],
  [
    'too many requests',
    'Too many requests, try later',
    (route: Route) => route.fulfill({ status: 429, json: limited }),
  ],
  ['no network', 'Unable to connect to server', (route: Route) => route.abort('internetdisconnected')],
] as const;

/** Every third is one of another kind: a usual run samples them. */
const paths = [
  ...['/channel', '/user', '/redemption', '/channel/1', '/user/1', '/plan', '/detail', '/profit', '/model-health'],
  ...['/setting', '/personal', '/pricing', '/topup', '/payment', '/dashboards', '/log', '/audit', '/alert'],
];
const raw = /\b(403|429|FORBIDDEN|RATE_LIMITED|NETWORK|GraphQL|Apollo|undefined|null|NaN)\b/;
const failed = (): Locator => page.getByRole('alert').filter({ has: page.getByRole('button', { name: 'Retry' }) });

describe.each(failures)('after %s', (_, sentence, fail) => {
  it.each(sampled(paths, 6))('%s says so in one sentence, and shows all on Retry', async (path) => {
    await page.route('**/graphql', fail);
    await page.goto(path);
    await failed().getByText(sentence, { exact: true }).waitFor();
    await settled(page);
    expect(await failed().count()).toBe(1);
    expect(raw.exec(await page.locator('body').innerText())).toBeNull();
    await page.unrouteAll();
    await failed().getByRole('button').click();
    await failed().waitFor({ state: 'detached' });
    await settled(page);
    expect(await page.getByRole('alert').filter({ hasText: sentence }).count()).toBe(0);
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
  });

  it.each([
    ['/token?row=new', 'Create token', 'name', 'A token of patience'],
    ['/redemption?row=new', 'Create codes', 'name', 'Patience'],
    ['/user?row=new', 'Create user', 'username', 'patience'],
  ] as const)('the form of %s keeps what was typed, and can be saved later', async (path, save, field, name) => {
    // Usernames are unique.
    const text = `${name}${String(sentence.length)}`;
    await page.goto(path);
    const form = page.getByRole('dialog');
    const input = form.locator(`input[name=${field}]`);
    await input.fill(text);
    for (const password of await form.locator('input[name=password]').all()) await password.fill('long enough 1');
    await settled(page);
    await page.route('**/graphql', fail);
    await form.getByRole('button', { name: save }).click();
    await page.getByText(sentence).first().waitFor();
    expect(raw.exec(await page.locator('body').innerText())).toBeNull();
    expect(await input.inputValue()).toBe(text);
    await page.unrouteAll();
    await form.getByRole('button', { name: save }).click();
    await input.waitFor({ state: 'detached' });
  });
});
