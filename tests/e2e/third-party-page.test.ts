import type { Browser } from 'playwright-core';
import { startServer, type TestServer } from '../support/server.js';
import { openBrowser, visit, type Visitor } from './console-page.js';
import { signIn } from './console-session.js';

/**
 * Parts of the console's page that a widespread browser extension reads
 * (docs/reference/rest/third-party-clients.md#site-detection).
 */
let server: TestServer;
let browser: Browser;
let visitor: Visitor;

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(), openBrowser()]);
  const root = await server.api.setUp();
  await server.api.data(root, 'PUT', '/api/option/', { key: 'SystemName', value: 'Veloera' });
  visitor = await visit(browser, server.url);
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

const stored = (): Promise<string | null> => visitor.page.evaluate(() => localStorage.getItem('user'));

it('3: the page is called as the site is', async () => {
  const html = await (await fetch(`${server.url}/`)).text();
  expect(html).toContain('<title>Veloera</title>');
});

it('4: local storage says who is signed in, and nothing that is secret', async () => {
  await visitor.page.goto('/login');
  expect(await stored()).toBeNull();
  await signIn(visitor);
  const user = JSON.parse((await stored()) ?? '') as Record<string, unknown>;
  expect(user).toEqual({
    id: expect.any(Number),
    username: 'root',
    display_name: 'Root User',
    role: 100,
    status: 1,
    group: 'default',
  });
});

it('4: with that id and the cookies of the page it calls as this user', async () => {
  const answer = await visitor.page.evaluate(async () => {
    const { id } = JSON.parse(localStorage.getItem('user') ?? '') as { id: number };
    const response = await fetch('/api/user/self', { headers: { 'Veloera-User': String(id), Pragma: 'no-cache' } });
    return (await response.json()) as { success: boolean; data: { id: number; username: string } };
  });
  expect(answer).toMatchObject({ success: true, data: { username: 'root' } });
});

it('4: the key goes when the user goes', async () => {
  await visitor.page.evaluate(() => fetch('/api/user/logout'));
  await visitor.page.goto('/token');
  await visitor.page.waitForURL(/\/login/);
  expect(await stored()).toBeNull();
});
