import type { Browser, Response } from 'playwright-core';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { startServer, type TestServer } from '../support/server.js';
import { openBrowser, visit } from './console-page.js';
import { signIn } from './console-session.js';
import { sayIn } from './console-site.js';

/** Size of the scripts before the sign-in form is shown on a slow line, and its layout shift. */
jest.setTimeout(120_000);

const maxBytes = 250_000;

/** Returns the bytes of JavaScript that a page really loaded, compressed, until no more arrived. */
const gzipped = async (response: Response): Promise<number> => gzipSync(await response.body()).length;

let server: TestServer;
let browser: Browser;

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(), openBrowser()]);
  const root = await server.api.setUp();
  await server.api.createChannel(root, { name: 'Only one', baseUrl: 'http://127.0.0.1:9' });
});

afterAll(async () => {
  await browser.close();
  await server.stop();
});

it.each(['/login', '/register', '/'])('opens %s with little JavaScript and without moving', async (path) => {
  const visitor = await visit(browser, server.url, { reducedMotion: 'no-preference' });
  const { page } = visitor;
  const sizes: Promise<number>[] = [];
  page.on('response', (response) => {
    if (response.request().resourceType() === 'script') sizes.push(gzipped(response));
  });
  await page.addInitScript(() => {
    new PerformanceObserver((list) => {
      const shifted = list.getEntries().reduce((sum, entry) => sum + (entry as unknown as { value: number }).value, 0);
      document.documentElement.dataset.shift = String(Number(document.documentElement.dataset.shift ?? 0) + shifted);
    }).observe({ type: 'layout-shift', buffered: true });
  });
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  // A smaller size than that of a framework would mean that something else was counted.
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThanOrEqual(maxBytes);
  expect(Number(await page.evaluate(() => document.documentElement.dataset.shift ?? '0'))).toBeLessThan(0.01);
  expect(visitor.complaints).toEqual([]);
  await visitor.leave();
});

it('names every file of the screen in the page, asks for none twice and needs no answer to show itself', async () => {
  const visitor = await visit(browser, server.url);
  const { page } = visitor;
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.goto('/login');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
  const named = await page.evaluate(() =>
    [...document.querySelectorAll('script[src], link[rel=modulepreload]')].map((element) =>
      element.getAttribute(element instanceof HTMLScriptElement ? 'src' : 'href'),
    ),
  );
  const scripts = asked.filter((path) => path.endsWith('.js'));
  expect(scripts.length).toBeGreaterThan(3);
  expect(scripts.filter((path) => !named.includes(path))).toEqual([]);
  expect(new Set(scripts).size).toBe(scripts.length);
  expect(asked).not.toContain('/graphql');
  await visitor.leave();
});

it('loads charts with the dashboard, not with lists, and the grid of wide screens with no screen', () => {
  const preloads = readFileSync(join(import.meta.dirname, '../../dist/client/preloads.json'), 'utf8');
  const { screens } = JSON.parse(preloads) as { screens: { path: string; files: string[] }[] };
  const having = (chunk: string) =>
    screens.filter(({ files }) => files.some((file) => file.startsWith(`/assets/${chunk}-`))).map(({ path }) => path);
  expect(having('console')).toEqual(expect.arrayContaining(['/detail', '/channel', '/log', '/token', '/user']));
  expect(having('charts').filter((path) => !path.startsWith('/dashboards'))).toEqual(['/detail']);
  expect(having('data-grid')).toEqual([]);
});

it.each([
  ['the program', /<script type="module" fetchpriority[^>]* src="([^"]+)"/],
  ['its texts', /<meta name="texts" content="[^"]*?\ben\b[^/]*(\/assets\/[\w.-]+\.js)/],
])('says so when %s cannot be fetched', async (_, place) => {
  const file = place.exec(await (await fetch(`${server.url}/login`)).text())?.[1] ?? '';
  expect(file).toMatch(/^\/assets\//);
  const context = await browser.newContext({ baseURL: server.url, locale: 'en-US' });
  const page = await context.newPage();
  await page.route(`**${file}`, (route) => route.abort());
  await page.goto('/login');
  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('alert').textContent()).toContain('could not be loaded');
  await context.close();
});

it('offers to load a part again that is loaded on demand and was missing', async () => {
  const visitor = await visit(browser, server.url);
  const { page } = visitor;
  await signIn(visitor);
  await page.route('**/assets/ConfirmDialog-*.js', (route) => route.fulfill({ status: 404 }));
  await page.goto('/channel');
  await page.getByRole('button', { name: sayIn('en')('channels.moreOf', { name: 'Only one' }) }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const missing = page.getByRole('alert').filter({ hasText: 'could not be loaded' });
  await missing.waitFor();
  await page.unroute('**/assets/ConfirmDialog-*.js');
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByRole('alertdialog').waitFor();
  expect(await missing.count()).toBe(0);
  await visitor.leave();
});
