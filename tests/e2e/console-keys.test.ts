import type { Browser } from 'playwright-core';
import type { Person } from '../support/api.js';
import { startServer, type LocalServer } from '../support/server.js';
import { openBrowser, visit, type Visitor } from './console-page.js';
import { photographAll, signIn } from './console-session.js';

/* Rotation and scopes of API keys, in a browser. */

jest.setTimeout(90_000);

let server: LocalServer;
let browser: Browser;
let visitor: Visitor;
let root: Person;

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(), openBrowser()]);
  root = await server.api.setUp();
  await server.api.createChannel(root, { baseUrl: 'https://api.example.com', models: ['gpt-4o'] });
  visitor = await visit(browser, server.url);
  await signIn(visitor);
}, 90_000);

afterAll(async () => {
  await browser.close();
  await server.stop();
});

afterEach(() => {
  expect(visitor.complaints).toEqual([]);
});

const works = async (key: string): Promise<number> =>
  (await fetch(`${server.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status;

it('rotates a key with an overlap, ends the old one, and limits a key to its usage', async () => {
  const { page } = visitor;
  const { id, key } = await server.api.data<{ id: number; key: string }>(root, 'POST', '/api/token/', {
    ...{ name: 'build server', unlimited_quota: true, expired_time: -1 },
  });
  const old = `sk-${key}`;
  expect(await works(old)).toBe(200);

  await page.goto('/token');
  await page.getByRole('button', { name: 'More actions for token build server' }).click();
  await page.getByRole('menuitem', { name: 'Rotate…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Rotate the key of “build server”?' });
  await dialog.getByText('For 1 more day').waitFor();
  await photographAll(visitor, 'token-rotate');
  await dialog.getByRole('button', { name: 'Rotate key' }).click();
  await page.getByText('Token “build server” is ready').waitFor();
  const fresh = await page.getByText(/^sk-[A-Za-z0-9]{48}$/).innerText();
  expect([await works(old), await works(fresh)]).toEqual([200, 200]);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText(/^Old key until/).waitFor();
  await photographAll(visitor, 'token-rotated');

  await page.getByRole('button', { name: 'More actions for token build server' }).click();
  await page.getByRole('menuitem', { name: 'End old key now' }).click();
  await page.getByRole('button', { name: 'End old key', exact: true }).click();
  await page.getByText('The old key of “build server” has ended').waitFor();
  expect([await works(old), await works(fresh)]).toEqual([401, 200]);

  await page.getByRole('button', { name: 'build server', exact: true }).click();
  const relay = page.getByLabel('Call models');
  await relay.uncheck();
  await relay.scrollIntoViewIfNeeded();
  await photographAll(visitor, 'token-scopes');
  await page.getByRole('button', { name: 'Save token' }).click();
  await page.getByText('Token “build server” saved').waitFor();
  expect(await works(fresh)).toBe(403);
  const saved = await server.api.data<{ scopes: string }>(root, 'GET', `/api/token/${id}`);
  expect(saved.scopes).toBe('usage');
});
