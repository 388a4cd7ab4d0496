import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { builtInDashboards } from '../../server/src/console/dashboards/built-in.js';
import { startServer, type LocalServer } from '../support/server.js';
import { barriers } from './barriers.js';
import { chooseOfPage, openBrowser, settled, visit, type Visitor } from './console-page.js';
import { enter, photographAll, sidewaysOverflow } from './console-session.js';

/** Saved dashboards and the explorer in a browser: shown, copied, edited, shared, exported, and closed to common users. */
let server: LocalServer;
let browser: Browser;
let visitor: Visitor;
const password = 'password of tom';
/** Paths that the console has asked for. */
const fetched = new Set<string>();

jest.setTimeout(150_000);

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(), openBrowser()]);
  const root = await server.api.setUp();
  for (const username of ['mira', 'tom']) {
    await server.api.rest(root, 'POST', '/api/user/', { username, password });
  }
  const mira = await server.dataSource.query<Array<{ id: number }>>(`SELECT id FROM users WHERE username = 'mira'`);
  await server.api.rest(root, 'POST', '/api/user/manage', { id: mira[0]?.id, action: 'promote' });
  const hour = Math.floor(Date.now() / 3_600_000) * 3600;
  await server.dataSource.query(
    `INSERT INTO channels (id, type, name, key_sealed, models) VALUES (1, 1, 'OpenAI primary', '', '{gpt-4o}')`,
  );
  for (let day = 0; day < 6; day++) {
    for (const [index, model] of ['gpt-4o', 'claude-sonnet-5', 'gemini-3-pro', 'qwen3-max'].entries()) {
      await server.dataSource.query(
        `INSERT INTO usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", calls, failed_calls,
           prompt_tokens, cached_tokens, completion_tokens, quota, duration_buckets)
         VALUES ($1, $2, 1, 1, $3, $4, 40, 2, 90000, 20000, 8000, $5, '{0,0,10,20,10}')`,
        [
          ...[hour - day * 86_400, mira[0]?.id, model, index % 2 === 0 ? 'default' : 'vip'],
          (index + 1) * (600_000 + 90_000 * ((day * 7) % 5)),
        ],
      );
    }
  }
  visitor = await visit(browser, server.url);
  visitor.page.on('request', (request) => fetched.add(new URL(request.url()).pathname));
  await enter(visitor, '/dashboards');
});

afterAll(async () => {
  await browser.close();
  await server.stop();
});

it('lists the built-in dashboards, and shows its twelve panels with figures', async () => {
  const { page } = visitor;
  await page.getByText('Built in').first().waitFor();
  await photographAll(visitor, 'dashboards');
  expect(await sidewaysOverflow(visitor)).toBe(0);
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  const panels = page.locator('main section');
  expect(await panels.count()).toBe(12);
  await page.getByRole('region', { name: 'Spend', exact: true }).getByText(/^\$\d/).waitFor();
  await page.getByRole('region', { name: 'Spend by model' }).getByText('gpt-4o').waitFor();
  await page.getByRole('region', { name: 'Cost and margin by channel' }).getByText('OpenAI primary').waitFor();
  await page.getByRole('region', { name: 'Spend by group' }).getByText('vip').waitFor();
  expect(await page.locator('main').getByRole('alert').count()).toBe(0);
  await photographAll(visitor, 'dashboard-overview');
  expect(await sidewaysOverflow(visitor)).toBe(0);
});

it('is copied, edited with a preview, and shared', async () => {
  const { page } = visitor;
  await page.getByRole('link', { name: 'Copy dashboard' }).click();
  await page.getByLabel(/^Name/).fill('Team');
  await page.getByRole('button', { name: 'Shared' }).click();
  await page.getByRole('button', { name: 'Add panel' }).click();
  const editor = page.getByRole('dialog', { name: 'Add panel' });
  await editor.getByLabel(/^Title/).fill('Calls by model');
  const query = editor.getByLabel(/^GraphQL/);
  await query.fill('{ usage { nothing } }');
  await editor.getByRole('button', { name: 'Show preview' }).click();
  await editor.getByText(/Cannot query field "nothing"/).waitFor();
  await query.fill('mutation { deleteDashboard(id: 1) { id } }');
  await editor.getByRole('button', { name: 'Show preview' }).click();
  await editor.getByText('A panel reads: it cannot be a mutation').waitFor();
  await query.fill('{ usage(groupBy: [MODEL]) { items { key { modelName } metrics { calls } } } }');
  await editor.getByRole('button', { name: 'Show preview' }).click();
  await editor.getByRole('region', { name: 'Calls by model' }).waitFor();
  await photographAll(visitor, 'dashboard-panel-editor');
  await editor.getByRole('button', { name: 'Use panel' }).click();
  await page.getByRole('region', { name: 'Calls by model' }).waitFor();
  await photographAll(visitor, 'dashboard-edit');
  expect(await sidewaysOverflow(visitor)).toBe(0);
  await page.getByRole('button', { name: 'Save dashboard' }).click();
  await page.getByRole('heading', { level: 1, name: 'Team', exact: true }).waitFor();
  expect(await page.locator('main section').count()).toBe(13);
  expect(page.url()).toMatch(/\/dashboards\/\d+$/);
});

it('is opened by its link by another admin, who copies it', async () => {
  const { page } = visitor;
  const address = new URL(page.url()).pathname;
  const other = await visit(browser, server.url);
  await enter(other, address, { username: 'mira', password });
  await other.page.getByRole('heading', { level: 1, name: 'Team', exact: true }).waitFor();
  expect(await other.page.getByRole('link', { name: 'Edit', exact: true }).count()).toBe(0);
  await other.page.getByRole('link', { name: 'Copy dashboard' }).waitFor();
  await other.page.context().close();
});

it('is exported for Grafana', async () => {
  const { page } = visitor;
  const [download] = await Promise.all([page.waitForEvent('download'), chooseOfPage(page, 'Export for Grafana')]);
  expect(download.suggestedFilename()).toBe('Team.json');
  const file = JSON.parse(readFileSync(await download.path(), 'utf8')) as { title: string; panels: unknown[] };
  expect([file.title, file.panels.length]).toEqual(['Team', 13]);
});

it('of the first page is copied and exported, too', async () => {
  const { page } = visitor;
  await page.goto('/detail?days=7');
  const [download] = await Promise.all([page.waitForEvent('download'), chooseOfPage(page, 'Export for Grafana')]);
  const file = JSON.parse(readFileSync(await download.path(), 'utf8')) as { panels: unknown[] };
  const shown = builtInDashboards.find(({ key }) => key === 'usage')?.panels ?? [];
  expect([shown.length > 10, file.panels.length]).toEqual([true, shown.length]);
  await chooseOfPage(page, 'Copy dashboard');
  await page.waitForURL(/\/dashboards\/add\?copy=\d+$/);
  await page.getByLabel(/^Name/).fill('Home');
  await page.getByRole('button', { name: 'Save dashboard' }).click();
  await page.getByRole('heading', { level: 1, name: 'Home', exact: true }).waitFor();
  expect(await page.locator('main section').count()).toBe(shown.length);
});

it('has its names and titles in Chinese', async () => {
  const chinese = await visit(browser, server.url, { locale: 'zh-CN' });
  await enter(chinese, '/dashboards');
  await chinese.page.getByRole('link', { name: '总览' }).click();
  await chinese.page.getByRole('region', { name: '各渠道成本与毛利' }).getByText('OpenAI primary').waitFor();
  await chinese.page.getByRole('region', { name: '各分组消费' }).getByText('vip').waitFor();
  expect(await sidewaysOverflow(chinese)).toBe(0);
  await photographAll(chinese, 'dashboard-zh');
  await chinese.page.context().close();
});

it('is closed to common users, as the explorer is', async () => {
  const common = await visit(browser, server.url);
  await enter(common, '/token', { username: 'tom', password });
  expect(await common.page.getByRole('link', { name: 'Saved dashboards' }).count()).toBe(0);
  await common.page.goto('/dashboards');
  await common.page.getByRole('heading', { name: 'Page does not exist' }).waitFor();
  await common.page.goto('/graphql/explorer');
  await common.page.getByRole('heading', { name: 'Page does not exist' }).waitFor();
  expect(await common.page.locator('.graphiql-container').count()).toBe(0);
  await common.page.context().close();
});

it('explores the API: an admin runs a query and reads the schema', async () => {
  const { page } = visitor;
  // Other screens and their drawers load nothing of the explorer.
  const files = [...fetched].filter((path) => path.startsWith('/assets/') && path.endsWith('.js'));
  const texts = files.map((path) => readFileSync(join(import.meta.dirname, '../../dist/client', path), 'utf8'));
  expect(files.length).toBeGreaterThan(5);
  expect(files.filter((_, index) => /graphiql-|CodeMirror/.test(texts[index] ?? ''))).toEqual([]);
  await page.goto('/graphql/explorer');
  await page.getByRole('heading', { level: 1, name: 'GraphQL explorer' }).waitFor();
  await page.locator('.graphiql-query-editor').getByText('modelName').waitFor();
  await settled(page);
  await page
    .locator('.graphiql-container')
    .getByRole('button', { name: /Execute query/ })
    .click();
  await page.locator('.result-window').getByText('claude-sonnet-5').waitFor();
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
  await page.locator('.graphiql-doc-explorer').getByText('Query', { exact: true }).waitFor();
  await photographAll(visitor, 'explorer');
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`body.graphiql-${colorScheme}`).waitFor();
    expect(await barriers(page)).toEqual([]);
  }
  await page.locator('.graphiql-doc-explorer').getByText('Query', { exact: true }).click();
  await page.locator('.graphiql-doc-explorer').getByText('auditEntries', { exact: true }).waitFor();
  expect(await barriers(page)).toEqual([]);
  expect(await page.getByRole('textbox', { name: /^(Query|Variables|Response)$/ }).count()).toBe(3);
  // Nothing in this file was refused by the content security policy.
  expect(visitor.complaints).toEqual([]);
});

it('keeps nothing of the explorer in the browser', async () => {
  const { page } = visitor;
  const typed = async (): Promise<string> =>
    page.locator('.graphiql-query-editor .CodeMirror').evaluate((element) => element.textContent ?? '');
  await page.locator('.graphiql-query-editor .CodeMirror').click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText('query OnlyMine { me { username } }');
  // The explorer reads and stores what was typed after half a second.
  await page.waitForTimeout(1500);
  await page
    .locator('.graphiql-container')
    .getByRole('button', { name: /Execute query/ })
    .click();
  await page.locator('.result-window').getByText('username').waitFor();
  expect(await typed()).toContain('OnlyMine');
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  expect(kept).not.toMatch(/OnlyMine|graphiql/);
  await page.goto('/graphql/explorer');
  await page.locator('.graphiql-query-editor').getByText('modelName').waitFor();
  expect(await typed()).not.toContain('OnlyMine');
});
