import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Browser, Locator } from 'playwright-core';
import { setTimeout as delay } from 'node:timers/promises';
import type { Person } from '../support/api.js';
import { startServer, type TestServer } from '../support/server.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { openBrowser, openFilter, visit, type Visitor } from './console-page.js';
import { enter, photographAll, sidewaysOverflow } from './console-session.js';

/** Live updates of the screens. */
let server: TestServer;
let upstream: Upstream;
let browser: Browser;
let visitor: Visitor;
let database: pg.Client;
let root: Person;
let key: string;

// Each of these tests waits for seconds on purpose, most of them more than once.
jest.setTimeout(120_000);

beforeAll(async () => {
  [server, browser, upstream] = await Promise.all([
    startServer({ environment: { OUTBOUND_ALLOW: '127.0.0.1' } }),
    openBrowser(),
    startUpstream(),
  ]);
  root = await server.api.setUp();
  await server.api.createChannel(root, { baseUrl: upstream.url, models: ['gpt-4o'], name: 'the only channel' });
  ({ key } = await server.api.createToken(root, { name: 'live', unlimited_quota: true }));
  database = new pg.Client(server.database.url);
  await database.connect();
  visitor = await visit(browser, server.url);
  await enter(visitor);
});

afterAll(async () => {
  await browser.close();
  await database.end();
  await Promise.all([server.stop(), upstream.stop()]);
});

afterEach(() => {
  expect(visitor.complaints).toEqual([]);
});

const call = async (times = 1): Promise<void> => {
  for (let n = 0; n < times; n++) {
    const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] };
    const answer = await server.api.rest(null, 'POST', '/v1/chat/completions', body, {
      authorization: `Bearer ${key}`,
    });
    expect(answer.status).toBe(200);
  }
};
/** The rows below the header. */
const rows = (): Locator => visitor.page.getByRole('row').filter({ has: visitor.page.getByRole('gridcell') });
const state = (name: string): Promise<void> => visitor.page.locator(`[data-live=${name}]`).waitFor();
const countOf = async (wanted: number): Promise<void> => {
  await visitor.page.waitForFunction((count) => document.querySelectorAll('.MuiDataGrid-row').length === count, wanted);
};

/**
 * A row that is announced after the list was read, and that is already in it, would be counted as a new row once the
 * list is still.
 */
const readAgain = async (rowsShown: number): Promise<void> => {
  await visitor.page.reload();
  await state('live');
  await countOf(rowsShown);
};

describe('the usage log', () => {
  it('shows calls as they are charged, and the balance falls with them', async () => {
    const { page } = visitor;
    await page.getByRole('link', { name: 'Usage log' }).click();
    await page.getByRole('heading', { level: 1, name: 'Usage log' }).waitFor();
    await openFilter(page, 'Type');
    await page.getByRole('option', { name: 'Consume' }).click();
    await state('live');
    const balance = page.getByRole('link', { name: /^Balance / });
    const before = await balance.textContent();
    await call();
    await countOf(1);
    await call(2);
    await countOf(3);
    await database.query('UPDATE users SET quota = quota - 25000000 WHERE id = $1', [root.id]);
    await call();
    await page.waitForFunction(
      (text) => document.querySelector('a[aria-label^="Balance "]')?.textContent !== text,
      before,
    );
    await countOf(4);
    await photographAll(visitor, 'live-log');
    expect(await sidewaysOverflow(visitor)).toBe(0);
  });

  it('stands still while it is paused, says how many rows wait, and shows them when it goes on', async () => {
    const { page } = visitor;
    await readAgain(4);
    await page.getByRole('button', { name: /^Pause/ }).click();
    await state('paused');
    await call(2);
    await page.getByRole('button', { name: '2 new rows' }).waitFor();
    await visitor.photograph('live-log-paused');
    expect(await rows().count()).toBe(4);
    await page.getByRole('button', { name: /^Resume/ }).click();
    await countOf(6);
    await state('live');
    expect(await page.getByRole('button', { name: /new rows/ }).count()).toBe(0);
  });

  it('does not move under a reader of a later page, a lower row or an opened one; one press brings him to the newest', async () => {
    const { page } = visitor;
    await call(8);
    await readAgain(10);
    await page.getByText('Items 1 - 10 of 14').waitFor();
    await page.getByRole('button', { name: 'Next page' }).click();
    await countOf(4);
    const seen = await rows().allTextContents();
    await call(3);
    const fresh = page.getByRole('button', { name: '3 new rows' });
    await fresh.waitFor();
    await delay(2500);
    expect(await rows().allTextContents()).toEqual(seen);
    await fresh.click();
    await countOf(10);
    await page.getByText('Items 1 - 10 of 17').waitFor();

    await page.setViewportSize({ width: 1440, height: 420 });
    await page.evaluate(() => {
      scrollTo(0, 200);
    });
    const first = await rows().first().textContent();
    await call();
    await page.getByRole('button', { name: '1 new row' }).waitFor();
    await delay(2500);
    expect(await rows().first().textContent()).toBe(first);
    await page.evaluate(() => {
      scrollTo(0, 0);
    });
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('button', { name: '1 new row' }).click();
    await page.getByText('Items 1 - 10 of 18').waitFor();

    await rows().first().click();
    await page.getByRole('dialog').waitFor();
    await call();
    await delay(2500);
    await page.getByText('Items 1 - 10 of 18').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: '1 new row' }).click();
    await page.getByText('Items 1 - 10 of 19').waitFor();
  });

  it('has nothing to follow while it ends at a chosen time', async () => {
    const { page } = visitor;
    await page.goto('/log?from=1600000000&to=1700000000');
    await page.getByText('Nothing matches these filters').waitFor();
    expect(await page.locator('[data-live]').count()).toBe(0);
  });
});

it('channels show what a test measured and who switched them, without a reload', async () => {
  const { page } = visitor;
  await page.getByRole('link', { name: 'Channels', exact: true }).click();
  await state('live');
  const row = page.getByRole('row').filter({ hasText: 'the only channel' });
  await row.getByText('Not tested').waitFor();
  await server.api.data(root, 'GET', '/api/channel/test/1');
  await row.getByText('Not tested').waitFor({ state: 'detached' });
  await server.api.graphql(root, 'mutation { disableChannel(id: 1) { channel { id } } }');
  await row.getByText('Disabled', { exact: true }).waitFor();
  await server.api.graphql(root, 'mutation { enableChannel(id: 1) { channel { id } } }');
  await row.getByText('Enabled', { exact: true }).waitFor();
  await server.api.createChannel(root, { baseUrl: upstream.url, models: ['gpt-4o'], name: 'from elsewhere' });
  await page.getByRole('row').filter({ hasText: 'from elsewhere' }).waitFor();
  await photographAll(visitor, 'live-channels');
});

it('the wallet’s balance is the one that is left now', async () => {
  const { page } = visitor;
  await page.getByRole('link', { name: /^Balance / }).click();
  const amount = page.getByRole('region', { name: 'Balance' });
  await amount.getByText('$').first().waitFor();
  await server.api.graphql(
    root,
    `mutation { grantQuota(input: { userId: ${root.id}, amount: 500000000, idempotencyKey: "${randomUUID()}" }) { user { id } } }`,
  );
  await amount.getByText(/^\$1,1\d\d/).waitFor();
});

it('where no stream can be had the list is read every so often, and says so', async () => {
  const other = await visit(browser, server.url);
  const { page } = other;
  // The route simulates a proxy that blocks streams.
  await page.route('**/graphql/stream', (route) => route.fulfill({ status: 200, body: '' }));
  await enter(other, '/log?type=2');
  await page.locator('[data-live=polling]').waitFor({ timeout: 30_000 });
  const items = page.getByText(/^Items 1 - 10 of \d+$/);
  const before = Number((await items.textContent())?.split(' ').at(-1));
  await other.photograph('live-log-polling');
  await call();
  await page.getByText(`Items 1 - 10 of ${String(before + 1)}`).waitFor({ timeout: 30_000 });
  expect(other.complaints).toEqual([]);
  await other.leave();
});

it('speaks Chinese', async () => {
  const { page } = visitor;
  await page.evaluate(() => {
    localStorage.setItem('language', 'zh');
  });
  await page.goto('/log');
  await page.getByRole('button', { name: /暂停/ }).waitFor();
  await state('live');
  await visitor.photograph('live-log-zh');
});

it('a session that is ended elsewhere leaves the console at once', async () => {
  const { page } = visitor;
  await page.evaluate(() => {
    localStorage.setItem('language', 'en');
  });
  await page.goto('/log');
  await state('live');
  const elsewhere = await server.api.signIn('root', root.password);
  await server.api.graphql(elsewhere, 'mutation { revokeOtherSessions { count } }');
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
});
