import OpenAI from 'openai';
import type { Browser, Locator } from 'playwright-core';
import { startServer, type TestServer } from '../support/server.js';
import { chat } from '../support/upstream/replies.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { openBrowser, visit, type Visitor } from './console-page.js';
import { photographAll } from './console-session.js';

/** The way from the wizard to a charge that is explained, counted. */
const [mostClicks, mostFields] = [10, 5];

let upstream: Upstream;
let server: TestServer;
let browser: Browser;
let visitor: Visitor;

beforeAll(async () => {
  [upstream, server, browser] = await Promise.all([startUpstream(), startServer(), openBrowser()]);
  visitor = await visit(browser, server.url);
});
afterAll(async () => {
  await browser.close();
  await server.stop();
  await upstream.stop();
});

it(`is led from the wizard to an explained charge by ${mostClicks} clicks and ${mostFields} fields`, async () => {
  const { page } = visitor;
  const steps: string[] = [];
  const clicks = (): number => steps.filter((step) => step.startsWith('click')).length;
  const fields = (): number => steps.length - clicks();
  const click = async (what: Locator): Promise<void> => {
    steps.push(`click ${await what.innerText()}`);
    await what.click();
  };
  const fill = async (what: Locator, text: string): Promise<void> => {
    steps.push(`fill ${(await what.getAttribute('name')) ?? ''}`);
    await what.fill(text);
  };
  const button = (name: string | RegExp): Locator => page.getByRole('button', { name });
  const guide = page.getByRole('region', { name: 'First steps' });

  await page.goto('/');
  await fill(page.getByLabel('Username'), 'root');
  await fill(page.locator('input[name=password]'), 'correct horse battery');
  await fill(page.locator('input[name=confirmPassword]'), 'correct horse battery');
  await click(button('Finish setup'));

  // The guide is on the first screen already, and on all others.
  await guide.getByText('0 of 5 done').waitFor();
  await click(page.getByRole('link', { name: 'Add channel' }));
  await fill(page.getByLabel('Base URL'), upstream.url);
  await fill(page.getByRole('textbox', { name: 'Key' }), 'sk-upstream-secret');
  await click(button('Fetch from upstream'));
  await click(button('Select all'));
  await click(button('Apply'));
  await click(button('Create channel'));

  await guide.getByText('2 of 5 done').waitFor();
  // Every other test has put the guide away: this is its picture at each size and in each theme.
  await photographAll(visitor, 'setup-guide');
  await click(guide.getByRole('link', { name: /Create a token/ }));
  await page.getByRole('dialog').getByLabel('Name').waitFor();
  await click(page.getByRole('dialog').getByRole('button', { name: 'Create token' }));
  await page.getByRole('heading', { name: 'Token “First token” is ready' }).waitFor();
  // The program has the key from the dialog, as its reader would copy it.
  const root = await server.api.signIn('root', 'correct horse battery');
  const [token] = await server.api.data<Array<{ key: string }>>(root, 'GET', '/api/token/?p=0&size=10');
  const key = `sk-${token?.key.replace(/^sk-/, '') ?? ''}`;
  upstream.script(
    { model: 'gpt-4o' },
    chat({ text: ['Galaxy Day'], usage: { prompt_tokens: 1000, completion_tokens: 500 } }),
  );
  const client = new OpenAI({ apiKey: key, baseURL: `${server.url}/v1`, maxRetries: 0 });
  await client.chat.completions.create({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Invent a holiday.' }] });
  await page.keyboard.press('Escape');

  // The guide sees the call by itself, and leads to its receipt.
  await guide.getByText('First call charged').waitFor();
  await click(guide.getByRole('link', { name: 'See what it cost and why' }));
  const receipt = page.getByRole('dialog');
  await receipt.getByText('(1,000 + 500 × 4) × 1.25 × 1 = 3,750').waitFor();

  expect(visitor.complaints).toEqual([]);
  expect({ clicks: clicks() <= mostClicks, fields: fields() <= mostFields, steps }).toMatchObject({
    clicks: true,
    fields: true,
  });
});
