import OpenAI from 'openai';
import type { Browser, Locator } from 'playwright-core';
import { startServer, type TestServer } from '../support/server.js';
import { chat, recorded } from '../support/upstream/replies.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { openBrowser, visit, type Visitor } from './console-page.js';

/** First use of a new installation, in one browser and with the official client. */
const password = 'correct horse battery';

let upstream: Upstream;
let server: TestServer;
let browser: Browser;
let visitor: Visitor;
let key = '';

beforeAll(async () => {
  [upstream, server, browser] = await Promise.all([startUpstream(), startServer(), openBrowser()]);
  visitor = await visit(browser, server.url, { reducedMotion: 'no-preference' });
});

afterAll(async () => {
  await browser.close();
  await server.stop();
  await upstream.stop();
});

let broken = false;

/** Registers a step. Each step depends on the previous one: after a failure, the following steps fail at once. */
const step = (name: string, run: () => Promise<void>): void =>
  it(name, async () => {
    if (broken) throw new Error('an earlier step failed');
    broken = true;
    await run();
    broken = false;
  });

afterEach(async () => {
  await visitor.photograph(`newcomer-${expect.getState().currentTestName?.replace(/\W+/g, '-') ?? 'step'}`);
  expect(visitor.complaints).toEqual([]);
});

const button = (name: string | RegExp): Locator => visitor.page.getByRole('button', { name });
const open = (entry: string): Promise<void> =>
  visitor.page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: entry }).click();
const row = (text: string | RegExp): Locator => visitor.page.getByRole('row').filter({ hasText: text });
const toast = (text: string | RegExp): Promise<void> => visitor.page.getByRole('status').getByText(text).waitFor();

step('is led to the wizard, which says what is wrong before it is sent', async () => {
  const { page } = visitor;
  await page.goto('/token');
  await page.getByRole('heading', { name: 'Set up Tollgate' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/setup');
  await page.getByLabel('Username').fill('root');
  await page.locator('input[name=password]').fill(password);
  await page.locator('input[name=confirmPassword]').fill('another password');
  await button('Finish setup').click();
  await page.getByText('The two passwords do not match').waitFor();
  await page.locator('input[name=confirmPassword]').fill(password);
  await button('Finish setup').click();
  await page.getByRole('heading', { name: 'No channels yet' }).waitFor();
});

step('is signed in and finds the way empty lists point', async () => {
  const { page } = visitor;
  await open('API tokens');
  await page.getByRole('heading', { name: 'No tokens yet' }).waitFor();
  const stored = await page.evaluate(() => JSON.parse(localStorage.getItem('user') ?? '{}') as object);
  expect(stored).toMatchObject({ id: 1, username: 'root', role: 100 });
});

step('adds a channel with the models its provider has, and tests it', async () => {
  const { page } = visitor;
  await open('Channels');
  await page.getByRole('link', { name: 'Add channel' }).click();
  await page.getByLabel('Name').fill('OpenAI primary');
  await page.getByLabel('Base URL').fill(upstream.url);
  await page.getByRole('textbox', { name: 'Key' }).fill('sk-upstream-secret');
  await button('Fetch from upstream').click();
  await page.getByRole('checkbox', { name: 'OpenAI (2)' }).check();
  await button('Apply').click();
  await button('Create channel').click();
  await toast('Channel “OpenAI primary” created');
  await row('OpenAI primary').getByText('Not tested').waitFor();
  await button('Test channel OpenAI primary').click();
  await toast(/“OpenAI primary” responded in/);
  await row('OpenAI primary').getByText('Not tested').waitFor({ state: 'detached' });
  expect(await page.content()).not.toContain('sk-upstream-secret');
});

step('creates a token of ten dollars and copies its key', async () => {
  const { page } = visitor;
  await open('API tokens');
  await button('Create token').click();
  await page.getByRole('dialog').getByLabel('Name').fill('first program');
  await page.getByRole('dialog').getByRole('button', { name: '$10', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).click();
  await page.getByRole('heading', { name: 'Token “first program” is ready' }).waitFor();
  await button('Copy key of first program').click();
  await toast('Copied');
  key = await page.evaluate(() => navigator.clipboard.readText());
  expect(key).toMatch(/^sk-[A-Za-z0-9]{48}$/);
  await button('Done').click();
  await row('first program').getByText('$10.00 left').waitFor();
  // Neither this key nor the channel's key is in an address or in the browser's storage.
  const kept = await page.evaluate(() => [location.href, JSON.stringify({ ...localStorage, ...sessionStorage })]);
  expect(kept.join('\n')).toContain('Root User');
  expect(kept.join('\n')).not.toMatch(/sk-|[A-Za-z0-9]{48}/);
});

step('calls with the official client, whole and streamed', async () => {
  const client = new OpenAI({ apiKey: key, baseURL: `${server.url}/v1`, maxRetries: 0 });
  const messages = [{ role: 'user' as const, content: 'Invent a holiday.' }];
  upstream.script({ model: 'gpt-4o-mini' }, recorded('openai/openai-text'));
  upstream.script(
    { model: 'gpt-4o' },
    chat({ text: ['Galaxy', ' Day'], usage: { prompt_tokens: 100_000, completion_tokens: 25_000 } }),
  );
  const whole = await client.chat.completions.create({ model: 'gpt-4o-mini', messages });
  expect(whole.choices[0]?.message.content).toContain('Galaxy Day');
  const stream = await client.chat.completions.create({ model: 'gpt-4o', messages, stream: true });
  let text = '';
  for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
  expect(text).toBe('Galaxy Day');
});

step('sees both calls with their exact cost, and the sum behind it', async () => {
  const { page } = visitor;
  await open('Usage log');
  // (16 + 363 × 4) × 0.075 = 110.1, charged 110; (100,000 + 25,000 × 4) × 1.25 = 250,000.
  const whole = row('gpt-4o-mini').filter({ hasText: 'first program' });
  const streamed = row('first program').filter({ hasText: '$0.500000' });
  await whole.getByText('$0.000220').waitFor();
  await streamed.waitFor();
  await page.getByText('Consumed quota').waitFor();
  await page.getByRole('definition').filter({ hasText: '$0.50' }).waitFor();

  await streamed.getByText('gpt-4o').click();
  const detail = page.getByRole('dialog');
  await detail.getByText('(100,000 + 25,000 × 4) × 1.25 × 1 = 250,000').waitFor();
  await detail.getByText('250,000 ÷ 500,000 = $0.500000').waitFor();
  await detail.getByRole('row', { name: 'Charged $0.500000' }).waitFor();
  await detail.getByText('Stream', { exact: true }).waitFor();
  await visitor.photograph('newcomer-bill');
  await page.keyboard.press('Escape');
  await detail.waitFor({ state: 'detached' });
});

step('sees the changed balances', async () => {
  await open('API tokens');
  await row('first program').getByText('$9.50 left').waitFor();
  await open('Users');
  await row('root').getByText('$199.50').waitFor();
  await row('root').getByText('$0.50 used').waitFor();
  await open('Channels');
  await row('OpenAI primary').getByText('$0.50').waitFor();
});

step('keeps the language and the theme, and the list, over a reload', async () => {
  const { page } = visitor;
  await page.goto('/log?modelName=gpt-4o-mini&size=20');
  await row('gpt-4o-mini').first().waitFor();
  await button('Language').click();
  await page.getByRole('menuitemradio', { name: '中文' }).click();
  await page.getByRole('heading', { name: '使用日志' }).waitFor();
  await button('主题').click();
  await page.getByRole('menuitemradio', { name: '深色' }).click();
  await page.reload();
  await page.getByRole('heading', { name: '使用日志' }).waitFor();
  await row('gpt-4o-mini').first().waitFor();
  expect(await page.evaluate(() => [document.documentElement.lang, document.documentElement.dataset['theme']])).toEqual(
    ['zh', 'dark'],
  );
  expect(await page.getByRole('button', { name: /^模型名称：\s*gpt-4o-mini$/ }).count()).toBe(1);
  expect(await row('$0.500000').count()).toBe(0);
});

step('logs out, and the console asks to sign in again', async () => {
  const { page } = visitor;
  await button('root 的账户').click();
  await page.getByRole('menuitem', { name: '退出登录' }).click();
  await page.getByRole('heading', { name: '登录 Tollgate' }).waitFor();
  await page.goto('/channel');
  await page.getByRole('heading', { name: '登录 Tollgate' }).waitFor();
  expect(await page.evaluate(() => localStorage.getItem('user'))).toBeNull();
});
