import axe from 'axe-core';
import pg from 'pg';
import type { Browser, Page } from 'playwright-core';
import type { Person } from '../support/api.js';
import { secondWithinHour } from '../support/hours.js';
import { startServer, type TestServer } from '../support/server.js';
import { openBrowser, settled, untilEqual, visit, type Visitor } from './console-page.js';
import { enter, photographAll, sidewaysOverflow } from './console-session.js';

/** The status page: off at first, open to visitors when it is on, linked from the home page and the console. */
let server: TestServer;
let browser: Browser;
let stranger: Visitor;
let root: Person;

jest.setTimeout(120_000);

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(), openBrowser()]);
  root = await server.api.setUp();
  const models = ['gpt-4o', 'gpt-4o-mini', 'gpt-4.1', 'o1', 'o3-mini'];
  await server.api.createChannel(root, { baseUrl: 'http://127.0.0.1:9', models, name: 'secret reseller' });
  await server.api.createChannel(root, { baseUrl: 'http://127.0.0.1:9', models: ['gpt-4'], name: 'second secret' });
  await server.api.data(root, 'PUT', '/api/option/', { key: 'Notice', value: 'Maintenance on **Sunday** at 02:00.' });
  const hour = Math.floor(secondWithinHour() / 3600) * 3600;
  const database = new pg.Client(server.database.url);
  await database.connect();
  for (const [ago, calls] of [
    [3, 9],
    [4, 9],
    [9, 9],
  ] as const) {
    await database.query(`INSERT INTO model_failures VALUES ($1, 'o1', 'default', 'TIMEOUT', $2, $1)`, [
      hour - ago * 3600,
      calls,
    ]);
  }
  await database.query(`UPDATE channels SET status = 'autoDisabled' WHERE name = 'second secret'`);
  await database.end();
  stranger = await visit(browser, server.url);
});

afterAll(async () => {
  await browser.close();
  await server.stop();
});

const rowOf = (page: Page, text: string) =>
  page
    .getByRole('row')
    .filter({ has: page.getByText(text, { exact: true }) })
    .first();

it('is neither shown nor linked while it is off', async () => {
  const { page } = stranger;
  await page.goto('/');
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).first().click();
  await page.getByRole('link', { name: 'Pricing' }).first().waitFor();
  expect(await page.getByRole('link', { name: 'Status', exact: true }).count()).toBe(0);
  await page.goto('/status');
  await page.getByText('This site has no status page').waitFor();
});

it('is open to strangers from the home page once it is on', async () => {
  await server.api.data(root, 'PUT', '/api/option/', { key: 'status_page.enabled', value: 'true' });
  const { page } = stranger;
  await page.goto('/');
  await page.locator('main').getByRole('link', { name: 'Status', exact: true }).click();
  await page.getByText('Some models are not available').waitFor();
  await page.getByText('Maintenance on Sunday at 02:00.').waitFor();
  // Three of 24 hours: 0.875.
  await rowOf(page, 'o1').getByText('87.5%').waitFor();
  await rowOf(page, 'o1').getByRole('img', { name: 'Problems in 3 of 24 parts of the period' }).waitFor();
  await rowOf(page, 'gpt-4').getByText('Outage').waitFor();
  await rowOf(page, 'gpt-4o').getByText('No problems').waitFor();
  const incidents = page.getByRole('region', { name: 'Incidents' }).getByRole('listitem');
  await untilEqual(() => incidents.count(), 2);
  expect(await page.locator('body').innerText()).not.toContain('secret');
  await photographAll(stranger, 'status');
  expect(await sidewaysOverflow(stranger)).toBe(0);
  await page.evaluate(axe.source);
  const faults = await page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run(document);
    return violations.map(({ id }) => id);
  });
  expect(faults).toEqual([]);
});

it('has periods, a search, and its state in the address', async () => {
  const { page } = stranger;
  await page.getByRole('button', { name: '90 days' }).click();
  // Three of 2,160 hours.
  await rowOf(page, 'o1').getByText('99.8%').waitFor();
  await page.getByRole('textbox', { name: 'Model name' }).fill('o3');
  await rowOf(page, 'o3-mini').waitFor();
  await rowOf(page, 'gpt-4').waitFor({ state: 'detached' });
  await page.reload();
  await rowOf(page, 'o3-mini').getByText('100.0%').waitFor();
  expect(await page.getByRole('row').count()).toBe(2);
  // Columns get their widths once the list knows its own.
  await settled(page);
  const cut = await page
    .locator('.MuiDataGrid-virtualScroller')
    .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
  expect(cut).toBe(0);
});

it('is in the side bar of users', async () => {
  const admin = await visit(browser, server.url);
  await enter(admin);
  await admin.page.getByRole('link', { name: 'Status', exact: true }).click();
  await admin.page.getByText('Some models are not available').waitFor();
  await admin.page.context().close();
});
