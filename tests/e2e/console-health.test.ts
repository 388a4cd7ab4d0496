import pg from 'pg';
import type { Browser, Page } from 'playwright-core';
import type { Person } from '../support/api.js';
import { secondWithinHour } from '../support/hours.js';
import { startServer, type TestServer } from '../support/server.js';
import { rateLimited } from '../support/upstream/faults.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { drawn, openBrowser, untilEqual, visit, type Visitor } from './console-page.js';
import { enter, photographAll, sidewaysOverflow } from './console-session.js';

/** Health in the console: of models, for visitors and users, and of the keys of a channel, live. */
let server: TestServer;
let upstream: Upstream;
let browser: Browser;
let admin: Visitor;
let stranger: Visitor;
let root: Person;
let key: string;

jest.setTimeout(120_000);

const others = Array.from({ length: 40 }, (_, at) => `house-model-${String(at + 1).padStart(2, '0')}`);

beforeAll(async () => {
  [server, browser, upstream] = await Promise.all([
    startServer({ environment: { OUTBOUND_ALLOW: '127.0.0.1' } }),
    openBrowser(),
    startUpstream(),
  ]);
  root = await server.api.setUp();
  await server.api.createChannel(root, {
    baseUrl: upstream.url,
    models: ['gpt-4o', ...others],
    name: 'secret reseller',
  });
  ({ key } = await server.api.createToken(root, { name: 'health', unlimited_quota: true }));
  const hour = Math.floor(secondWithinHour() / 3600) * 3600;
  const database = new pg.Client(server.database.url);
  await database.connect();
  for (const [at, model] of ['gpt-4o', ...others].entries()) {
    await database.query(
      `INSERT INTO usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", calls, completion_tokens,
         duration_ms, first_token_buckets) VALUES ($1, 0, 0, 0, $2, 'default', 990, 99000, 2000000, '{0, 0, 0, 0, 20}')`,
      [hour - 3600, model],
    );
    if (at % 3 > 0) continue;
    await database.query(`INSERT INTO model_failures VALUES ($1, $2, 'default', 'RATE_LIMITED', 10, $1)`, [
      hour,
      model,
    ]);
  }
  await database.end();
  await server.api.data(root, 'PUT', '/api/option/', { key: 'model_health.access', value: 'public' });
  admin = await visit(browser, server.url);
  stranger = await visit(browser, server.url);
  await enter(admin);
});

afterAll(async () => {
  await browser.close();
  await Promise.all([server.stop(), upstream.stop()]);
});

const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text }).first();

describe('the health of models', () => {
  it('is open to visitors while the site says so, and names no channel', async () => {
    const { page } = stranger;
    await page.goto('/model-health');
    const row = rowOf(page, 'gpt-4o');
    // 990 of 1,000; 20 streams within 300 to 500 ms: half of them below 400 ms; 99,000 tokens in 2,000 s.
    for (const text of ['99.0%', '400 ms', '490 ms', '49.5', 'No capacity']) await row.getByText(text).waitFor();
    expect(await page.locator('body').innerText()).not.toContain('secret');
    expect(await page.getByRole('row').count()).toBe(11);
    await photographAll(stranger, 'model-health');
    expect(await sidewaysOverflow(stranger)).toBe(0);
    await page.getByRole('textbox', { name: 'Model name' }).fill('model-40');
    await rowOf(page, 'house-model-40').waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
  });

  it('is in the side bar of users, and asks visitors to sign in while it is for users only', async () => {
    await admin.page.getByRole('link', { name: 'Model health' }).click();
    await rowOf(admin.page, 'gpt-4o').getByText('1,000').waitFor();
    await server.api.data(root, 'PUT', '/api/option/', { key: 'model_health.access', value: 'user' });
    const { page } = stranger;
    await page.goto('/model-health');
    await page.getByText('Sign in to see the health of models').waitFor();
    expect(await page.getByRole('row').count()).toBe(0);
    await photographAll(stranger, 'model-health-signed-out');
  });
});

describe('the health of a channel', () => {
  const call = async (): Promise<number> => {
    const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }], prompt_cache_key: 'a session' };
    return (await server.api.relay(key, '/v1/chat/completions', body)).status;
  };

  it('shows a cooldown as it begins, with reason and time left, and its end after Clear', async () => {
    const { page } = admin;
    await page.getByRole('link', { name: 'Channels', exact: true }).click();
    const row = rowOf(page, 'secret reseller');
    await row.waitFor();
    await page.locator('[data-live=live]').waitFor();
    upstream.script({}, rateLimited(300));
    expect(await call()).toBe(429);
    // The page is not loaded again: the change arrives live.
    await row.getByText(/^Cooldown \d+ (?:s|min)$/).waitFor();
    await admin.photograph('channel-cooldown');
    await page.getByRole('button', { name: 'More actions for secret reseller' }).click();
    await page.getByRole('menuitem', { name: 'Edit', exact: true }).click();
    const drawer = page.getByRole('region', { name: 'Edit channel' });
    await drawer.getByText(/^Rate limited, \d+ (?:s|min) left$/).waitFor();
    await photographAll(admin, 'channel-cooldowns');
    const cooling = drawer.locator(
      'xpath=.//*[normalize-space(text())="Keys in cooldown"]/ancestor::*[.//button[normalize-space()="Clear"]][1]',
    );
    await cooling.getByRole('button', { name: 'Clear', exact: true }).click();
    await drawer.getByText('Keys in cooldown').waitFor({ state: 'detached' });
    upstream.reset();
    expect(await call()).toBe(200);
  });

  it('has limits and timeouts as number fields with units', async () => {
    const { page } = admin;
    const drawer = page.getByRole('region', { name: 'Edit channel' });
    await drawer.locator('summary', { hasText: /^Limits$/ }).click();
    await drawer.locator('summary', { hasText: 'Timeouts' }).click();
    const each = drawer.getByRole('group', { name: 'Each key' });
    await each.getByLabel('Requests').fill('1.5');
    await each.getByLabel('Requests').blur();
    await each.getByText('A whole number above 0, or empty').waitFor();
    await photographAll(admin, 'channel-limits');
    await each.getByLabel('Requests').fill('60');
    await drawer.getByRole('group', { name: 'Whole channel' }).getByLabel('Cost per day (UTC)').fill('2.5');
    await drawer.getByLabel('Silence').fill('30');
    await drawer.getByRole('button', { name: 'Save channel' }).click();
    await drawer.getByRole('button', { name: 'Save channel' }).waitFor({ state: 'detached' });
    const { data } = await server.api.graphql(
      root,
      '{ channels { items { limits { channel { dailyUsd } key { requestsPerMinute } } timeouts { idleSeconds } } } }',
    );
    expect(data).toEqual({
      channels: {
        items: [
          {
            limits: { channel: { dailyUsd: 2.5 }, key: { requestsPerMinute: 60 } },
            timeouts: { idleSeconds: 30 },
          },
        ],
      },
    });
  });

  it('lists the sessions of a channel', async () => {
    const { page } = admin;
    // With a single key there is no choice, and nothing is stored.
    await server.api.createChannel(root, {
      baseUrl: upstream.url,
      models: ['gpt-4o'],
      name: 'spare',
      more: { priority: -1 },
    });
    expect(await call()).toBe(200);
    await page.goto('/channel');
    await page.getByRole('button', { name: 'More actions for secret reseller' }).click();
    await page.getByRole('menuitem', { name: 'Sessions', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Sessions of secret reseller' });
    await dialog.getByText('gpt-4o').first().waitFor();
    await photographAll(admin, 'channel-sessions');
    await dialog.getByRole('button', { name: 'Clear sessions' }).click();
    await page.getByText('1 session cleared').waitFor();
  });
});

describe('which channel fails or is slow, and why', () => {
  const reason = /No capacity × 1 · status 429: Rate limit reached for requests/;

  it('is answered by one click from any screen, and on the dashboard', async () => {
    const { page } = admin;
    // The figures are stored some seconds after the calls.
    const rows = '{ channelHealth(window: HOUR) { rows { failedAttempts } } }';
    await untilEqual(async () => (await server.api.graphql(root, rows)).data, {
      channelHealth: { rows: [{ failedAttempts: 1 }] },
    });
    await page.goto('/token');
    await page.getByRole('link', { name: 'Channel health' }).click();
    const row = rowOf(page, 'secret reseller');
    // One call was refused because of its rate, and all others were served.
    await row.getByText(reason).waitFor();
    // The grid renders its columns one after the other.
    await untilEqual(() => row.locator('[data-field=failedAttempts]').innerText(), '1');
    const calls = row.locator('[data-field=calls]');
    await untilEqual(async () => /\d/.test(await calls.innerText()), true);
    const served = Number(await calls.innerText());
    const rate = Math.ceil((1 / (1 + served)) * 1000) / 10;
    await row.getByText(`${rate.toFixed(1)}%`).waitFor();
    await photographAll(admin, 'channel-health');
    expect(await sidewaysOverflow(admin)).toBe(0);
    await page.getByRole('link', { name: 'Dashboard', exact: true }).click();
    const card = page.getByRole('region', { name: 'Failing channels, last hour' });
    await card.getByText(reason).waitFor();
    await photographAll(admin, 'dashboard-failing');
    expect(await sidewaysOverflow(admin)).toBe(0);
    // Names and reasons that do not fit are cut off, and cover nothing.
    await page.setViewportSize({ width: 640, height: 800 });
    await drawn(page);
    const beyond = card
      .locator('li')
      .evaluateAll((lines) =>
        lines.flatMap((line) =>
          [...line.children].flatMap((cell) =>
            [...cell.querySelectorAll('.ellipsis')]
              .filter((text) => text.getBoundingClientRect().right > cell.getBoundingClientRect().right + 1)
              .map(({ textContent }) => textContent),
          ),
        ),
      );
    expect(await beyond).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
    await card.getByRole('link', { name: 'secret reseller' }).click();
    await page.getByRole('heading', { level: 1, name: 'secret reseller' }).waitFor();
  });

  it('is in the list of channels when its columns are chosen, with one query for all rows', async () => {
    const { page } = admin;
    await page.goto('/channel');
    await rowOf(page, 'secret reseller').waitFor();
    await page.getByRole('columnheader', { name: 'Failure rate' }).waitFor();
    expect(await page.getByRole('columnheader', { name: 'Last error' }).count()).toBe(0);
    const asked: string[] = [];
    page.on('request', (request) => {
      const body = request.url().endsWith('/graphql') && (request.postDataJSON() as { operationName?: string } | null);
      if (body) asked.push(body.operationName ?? '');
    });
    await page.getByRole('button', { name: 'Columns', exact: true }).click();
    await page.getByRole('dialog').getByRole('checkbox', { name: 'Last error', exact: true }).check();
    await page.getByRole('dialog').getByRole('button', { name: 'OK', exact: true }).click();
    await rowOf(page, 'secret reseller').getByText(reason).waitFor();
    // The query for the first column has all figures.
    expect(asked.filter((name) => name === 'ChannelHealth')).toEqual([]);
  });
});
