import type { Browser } from 'playwright-core';
import type { Person } from '../support/api.js';
import { makeContent } from '../support/import/content.js';
import { createSource, type TestSource } from '../support/import/source.js';
import { startServer, type LocalServer } from '../support/server.js';
import { openBrowser, visit, type Visitor } from './console-page.js';
import { enter, photographAll, sidewaysOverflow } from './console-session.js';

/** Root imports a site of Veloera from its SQLite file. */
let server: LocalServer;
let browser: Browser;
let visitor: Visitor;
let source: TestSource;
let root: Person;

beforeAll(async () => {
  const now = Math.floor(Date.now() / 1000);
  const content = makeContent({ family: 'veloera', upstream: 'http://127.0.0.1:9', now, logs: 3000 });
  [server, browser, source] = await Promise.all([
    startServer(),
    openBrowser(),
    createSource('veloera', 'sqlite', content),
  ]);
  await source.execute('PRAGMA wal_checkpoint(TRUNCATE)');
  root = await server.api.setUp();
  visitor = await visit(browser, server.url);
});

afterAll(async () => {
  await browser.close();
  await server.stop();
  await source.drop();
});

it('checks an uploaded file, moves it, and shows the verdict', async () => {
  const { page } = visitor;
  await enter(visitor, '/setting?tab=import');
  const input = page.locator('input[type=file]');
  await input.waitFor({ state: 'attached' });
  expect(await page.getByRole('button', { name: 'Dry run' }).isDisabled()).toBe(true);
  await photographAll(visitor, 'import-source');
  await input.setInputFiles(source.address);
  await page.getByText('one-api.db', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Dry run' }).click();
  const dryRun = page.getByRole('region', { name: 'Dry run' });
  await dryRun.getByText(/veloera v9\.9\.9, sqlite/).waitFor({ timeout: 120_000 });
  expect(await dryRun.getByRole('row', { name: /^users 30 30/ }).count()).toBe(1);
  await dryRun.getByText('The user has no password and no external account that works here.').click();
  await photographAll(visitor, 'import-dry-run');
  expect(await sidewaysOverflow(visitor)).toBe(0);

  await page.getByRole('button', { name: 'Start the import' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Start the import' }).click();
  const result = page.getByRole('region', { name: 'Result' });
  await result.getByText('Everything was imported and proven.').waitFor({ timeout: 240_000 });
  await result.getByText('60 of 60 API keys work.').waitFor();
  await photographAll(visitor, 'import-result');
  expect(await sidewaysOverflow(visitor)).toBe(0);

  // Root is still signed in, under the new id.
  await page.goto('/user');
  await page.getByText('user30', { exact: true }).first().waitFor();
  expect(visitor.complaints).toEqual([]);
  expect(root.id).toBe(1);
}, 420_000);
