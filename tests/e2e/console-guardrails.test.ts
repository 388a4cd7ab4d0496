import type { Browser } from 'playwright-core';
import type { Person } from '../support/api.js';
import { startServer, type TestServer } from '../support/server.js';
import { chat } from '../support/upstream/replies.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { openBrowser, settled, visit, type Visitor } from './console-page.js';
import { enter, photographAll, sidewaysOverflow } from './console-session.js';

/** Guardrail rules and captures are edited without JSON, and what they did is seen in the log. */
let server: TestServer;
let upstream: Upstream;
let browser: Browser;
let admin: Visitor;
let root: Person;

jest.setTimeout(180_000);

beforeAll(async () => {
  [server, upstream, browser] = await Promise.all([startServer(), startUpstream(), openBrowser()]);
  root = await server.api.setUp();
  await server.api.createChannel(root, { baseUrl: upstream.url });
  upstream.script({}, chat({ text: 'Your card 4111 1111 1111 1111 is valid.' }));
  admin = await visit(browser, server.url);
  await enter(admin);
});

afterAll(async () => {
  await browser.close();
  await upstream.stop();
  await server.stop();
});

const settings = '/setting?tab=operation';
const editor = () => admin.page.getByRole('dialog');
const choose = async (name: string, option: string) => {
  await editor().getByRole('combobox', { name }).click();
  await admin.page.getByRole('option', { name: option, exact: true }).click();
};

it('a rule is tried against the server, saved, and applies to the next call', async () => {
  const { page } = admin;
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(settings);
  await page.getByRole('button', { name: 'Add rule' }).click();
  await editor().getByRole('textbox', { name: 'Name' }).fill('cards and mail');
  await choose('Applies to', 'Prompts and responses');
  await choose('When it matches', 'Mask');
  await choose('Checked by', 'Personal data');
  await editor().getByRole('checkbox', { name: 'Phone numbers' }).uncheck();
  await editor()
    .getByRole('textbox', { name: 'Text', exact: true })
    .fill('Pay with 4111 1111 1111 1111, mail ann@mail.example');
  await editor().getByRole('button', { name: 'Check the text' }).click();
  await editor().getByText('Pay with [card], mail [email]').waitFor();
  await settled(page);
  await photographAll(admin, 'guardrail-editor');
  expect(await sidewaysOverflow(admin)).toBe(0);
  await editor().getByRole('button', { name: 'Use' }).click();

  await page.getByRole('button', { name: 'Add rule' }).click();
  await editor().getByRole('textbox', { name: 'Name' }).fill('own service');
  await choose('Checked by', 'Webhook');
  await editor().getByRole('textbox', { name: 'Address' }).fill('http://127.0.0.1:9/check');
  await choose('When it cannot be checked', 'Let the text pass');
  await editor().getByRole('textbox', { name: 'Text', exact: true }).fill('hello');
  await editor().getByRole('button', { name: 'Check the text' }).click();
  await editor()
    .getByText(/It could not be checked \(.+\)\. The text passes\./)
    .waitFor();
  await settled(page);
  await photographAll(admin, 'guardrail-webhook');
  await editor().getByRole('button', { name: 'Use' }).click();

  await page.getByRole('button', { name: 'Add callers' }).click();
  await editor()
    .getByRole('combobox', { name: /^Groups/ })
    .fill('default');
  await page.keyboard.press('Enter');
  // The key closes the suggestions, which arrive at any time and keep their width when the window becomes narrower.
  await page.keyboard.press('Tab');
  await page.getByRole('listbox').waitFor({ state: 'detached' });
  await settled(page);
  await photographAll(admin, 'capture-editor');
  expect(await sidewaysOverflow(admin)).toBe(0);
  await editor().getByRole('button', { name: 'Use' }).click();
  await settled(page);
  await photographAll(admin, 'guardrail-rules');
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByText('own service').scrollIntoViewIfNeeded();
  await admin.photograph('guardrail-rules-phone');
  await page.setViewportSize({ width: 1440, height: 900 });
  expect(await sidewaysOverflow(admin)).toBe(0);
  await page.getByRole('region', { name: 'Unsaved changes' }).getByRole('button', { name: 'Save' }).click();
  await page.getByText('Settings saved').waitFor();

  const { key } = await server.api.createToken(root);
  const response = await server.api.relay(key, '/v1/chat/completions', {
    model: 'gpt-4o',
    messages: [{ role: 'user', content: 'I am ann@mail.example' }],
  });
  expect(await response.text()).toContain('Your card [card] is valid.');
  expect(JSON.stringify(upstream.requests.at(-1)?.body)).toContain('I am [email]');
});

it('the log shows which rule matched and the captured content', async () => {
  const { page } = admin;
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto('/log');
  await page.getByText('gpt-4o').first().click();
  const details = page.getByRole('dialog');
  await details
    .getByText(/cards and mail · /)
    .first()
    .waitFor();
  await details.getByRole('button', { name: 'Show prompt and response' }).click();
  await details.getByText('I am [email]').waitFor();
  await details.getByText('I am [email]').scrollIntoViewIfNeeded();
  await settled(page);
  await photographAll(admin, 'captured-content');
  expect(await sidewaysOverflow(admin)).toBe(0);
  expect(admin.complaints).toEqual([]);
});
