import type { Browser, Locator } from 'playwright-core';
import type { Person } from '../support/api.js';
import { startServer, type TestServer } from '../support/server.js';
import { openBrowser, visit, type Visitor } from './console-page.js';
import { enter, photographAll, sidewaysOverflow } from './console-session.js';

// A machine with two cores that runs other work needs more time.
jest.setTimeout(120_000);

let server: TestServer;
let browser: Browser;
let visitor: Visitor;
let root: Person;

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(), openBrowser()]);
  root = await server.api.setUp();
  await server.api.createChannel(root, { baseUrl: 'https://api.example.com', models: ['gpt-4o', 'house-model'] });
  visitor = await visit(browser, server.url);
  await enter(visitor);
});

afterAll(async () => {
  await browser.close();
  await server.stop();
});

afterEach(() => {
  expect(visitor.complaints).toEqual([]);
});

const setting = (key: string): Locator => visitor.page.locator(`[data-setting="${key}"]`);
const bar = (): Locator => visitor.page.getByRole('region', { name: 'Unsaved changes' });
const button = (name: string): Locator => visitor.page.getByRole('button', { name, exact: true });

async function stored(key: string): Promise<string | undefined> {
  const rows = await server.api.data<{ key: string; value: string }[]>(root, 'GET', '/api/option/');
  return rows.find((row) => row.key === key)?.value;
}

it('counts changes by section, points at what is wrong, and saves only what changed', async () => {
  const { page } = visitor;
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await setting('RetryTimes').getByRole('textbox').fill('3');
  await setting('AutomaticDisableChannelEnabled').getByRole('switch').check();
  await setting('ChannelDisableThreshold').getByRole('textbox').fill('-5');
  await bar().getByText('3 unsaved changes').waitFor();
  await bar().getByText('in General, Monitoring').waitFor();
  await setting('ChannelDisableThreshold').getByText('Must be 0 or more').waitFor();
  await page.evaluate(() => {
    scrollTo(0, 0);
  });
  await photographAll(visitor, 'settings');
  await bar().getByRole('button', { name: '1 field to fix' }).click();
  await setting('ChannelDisableThreshold').locator('input:focus').waitFor();
  await setting('ChannelDisableThreshold').getByRole('textbox').fill('12.5');
  const sent: string[] = [];
  page.on('request', (request) => {
    const body = request.postData() ?? '';
    if (body.includes('SaveSetting')) sent.push((JSON.parse(body) as { variables: { key: string } }).variables.key);
  });
  await bar().getByRole('button', { name: 'Save' }).click();
  await page.getByText('Settings saved').waitFor();
  await bar().waitFor({ state: 'detached' });
  expect(sent).toEqual(['AutomaticDisableChannelEnabled', 'RetryTimes', 'ChannelDisableThreshold']);
  expect(await stored('RetryTimes')).toBe('3');
  expect(await stored('ChannelDisableThreshold')).toBe('12.5');
  await page.keyboard.press('Control+s');
  await page.getByText('You seem not to have changed anything').waitFor();
});

it.each([
  ['a link', () => visitor.page.getByRole('link', { name: 'API tokens' }).click()],
  ['the way back', () => visitor.page.goBack()],
] as const)('asks before %s takes what is not saved, and stays or leaves as it is told', async (_name, go) => {
  const { page } = visitor;
  await page.goto('/token');
  await page.getByRole('heading', { level: 1, name: 'API tokens' }).waitFor();
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await setting('RetryTimes').getByRole('textbox').fill('7');
  await bar().getByText('1 unsaved change').waitFor();
  const question = page.getByRole('alertdialog', { name: 'Discard changes?' });
  await go();
  await question.getByRole('button', { name: 'Keep editing' }).click();
  await question.waitFor({ state: 'detached' });
  await page.waitForURL('**/setting');
  expect(await setting('RetryTimes').getByRole('textbox').inputValue()).toBe('7');
  await go();
  await question.getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('heading', { level: 1, name: 'API tokens' }).waitFor();
  await page.waitForURL('**/token');
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await setting('RetryTimes').waitFor();
  expect(await setting('RetryTimes').getByRole('textbox').inputValue()).not.toBe('7');
});

it('keeps changes over tabs, asks before they are lost, and drops them on Discard', async () => {
  const { page } = visitor;
  await page.getByRole('tab', { name: 'Rate limits' }).click();
  await setting('ModelRequestRateLimitSuccessCount').getByRole('textbox').fill('0');
  await setting('ModelRequestRateLimitSuccessCount').getByText('Must be 1 or more').waitFor();
  await page.getByRole('tab', { name: 'Models' }).click();
  await photographAll(visitor, 'settings-models');
  await setting('gemini.safety_settings').getByRole('textbox').fill('{ "default": "OFF",\n oops }');
  await setting('gemini.safety_settings').getByText('Not a valid JSON string: line 2').waitFor();
  expect(await setting('gemini.thinking_adapter_budget_tokens_percentage').getByRole('textbox').isDisabled()).toBe(
    true,
  );
  await bar().getByText('2 unsaved changes').waitFor();
  await page.getByRole('link', { name: 'API tokens' }).click();
  await page.getByText('Discard changes?').waitFor();
  await button('Keep editing').click();
  await bar().getByRole('button', { name: 'Discard' }).click();
  await bar().waitFor({ state: 'detached' });
});

it('never shows a secret, and asks before password sign-in is turned off', async () => {
  const { page } = visitor;
  await page.getByRole('tab', { name: 'System' }).click();
  await setting('Price').getByRole('textbox').fill('8');
  await setting('Price').getByText('Please fill in the server address first').waitFor();
  await setting('ServerAddress').getByRole('textbox').fill('https://gate.example.com/');
  await setting('Price').getByText('Please fill in the server address first').waitFor({ state: 'detached' });
  await setting('SMTPToken').locator('input').fill('mail-secret');
  await bar().getByRole('button', { name: 'Save' }).click();
  await bar().waitFor({ state: 'detached' });
  expect(await setting('ServerAddress').getByRole('textbox').inputValue()).toBe('https://gate.example.com');
  expect(await setting('SMTPToken').locator('input').inputValue()).toBe('');
  expect(await setting('SMTPToken').locator('input').getAttribute('placeholder')).toBe('unchanged');
  await setting('PasswordLoginEnabled').getByRole('switch').click();
  await page.getByText('Turn off password sign-in?').waitFor();
  await button('Cancel').click();
  expect(await setting('PasswordLoginEnabled').getByRole('switch').isChecked()).toBe(true);
  await button('GitHub Off').click();
  await page.getByText('https://gate.example.com/oauth/github').waitFor();
  // A switch is saved first and needs a setting that is saved after it, so it is tried again.
  await setting('GitHubOAuthEnabled').getByRole('switch').check();
  await setting('GitHubClientId').getByRole('textbox').fill('client-1');
  await photographAll(visitor, 'settings-system');
  await bar().getByRole('button', { name: 'Save' }).click();
  await bar().waitFor({ state: 'detached' });
  expect(await stored('GitHubOAuthEnabled')).toBe('true');
});

it('checks each e-mail domain, and deletes the log with the count', async () => {
  const { page } = visitor;
  const domains = setting('EmailDomainWhitelist').getByRole('combobox');
  await domains.fill('not a domain');
  await setting('EmailDomainWhitelist').getByText('Invalid email domain').waitFor();
  await domains.fill('Corp.example');
  await domains.press('Enter');
  await setting('EmailDomainWhitelist').getByText('corp.example').waitFor();
  await domains.fill('corp.example');
  await domains.press('Enter');
  await page.getByText('This domain is already in the whitelist').waitFor();
  await bar().getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('tab', { name: 'Operation' }).click();
  await page.getByLabel('Delete old rows').fill('');
  await page.locator('#section-log').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Please select log time').waitFor();
  await page.getByLabel('Delete old rows').fill('2020-01-01T00:00');
  await page.locator('#section-log').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Delete log rows before 2020-01-01 00:00?').waitFor();
  await page.getByText('0 rows will be deleted').waitFor();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('0 rows deleted').waitFor();
});

it('edits prices as a table: by price, by request, in a batch, and what has none', async () => {
  const { page } = visitor;
  await page.getByRole('link', { name: 'Open price editor' }).click();
  await page.getByRole('textbox', { name: 'Model name' }).fill('gpt-4o-mini');
  await page.getByRole('gridcell', { name: 'gpt-4o-mini', exact: true }).click();
  const panel = page.getByRole('region', { name: 'gpt-4o-mini', exact: true });
  await panel.getByLabel('Input / 1M').fill('0.3');
  await panel.getByLabel('Output / 1M').fill('0.6');
  await panel.getByText('$0.30 / $0.60').first().waitFor();
  await page
    .getByRole('row', { name: /gpt-4o-mini Changed/ })
    .getByText('$0.60', { exact: true })
    .waitFor();
  await panel.getByLabel('Input / 1M').fill('0');
  await panel.getByText('Price cannot be 0').waitFor();
  await panel.getByLabel('Input / 1M').fill('0.3');
  await page.getByRole('textbox', { name: 'Model name' }).fill('');
  await photographAll(visitor, 'prices');
  await page.getByRole('textbox', { name: 'Model name' }).fill('gpt-4o-mini');
  await bar().getByRole('button', { name: 'Save' }).click();
  await bar().waitFor({ state: 'detached' });
  // The completion ratio of this model is locked to 4. A card is charged as it was typed.
  const cards = JSON.parse((await stored('PriceCards')) ?? '{}') as Record<string, object>;
  expect(cards['gpt-4o-mini']).toMatchObject({ prices: { input: 0.3, output: 0.6 } });

  await button('Unset models').click();
  await page.getByText('house-model').waitFor();
  await photographAll(visitor, 'prices-unset');
  await page
    .getByRole('row', { name: /house-model/ })
    .getByRole('button', { name: 'Set price' })
    .click();
  await button('Per request').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Set price' }).click();
  await page.getByText('Enter a fill value').waitFor();
  await page.getByRole('dialog').getByRole('textbox').fill('0.05');
  await page.getByRole('dialog').getByRole('button', { name: 'Set price' }).click();
  await page.getByText('Every enabled model has a price').waitFor();
  await bar().getByRole('button', { name: 'Save' }).click();
  await bar().waitFor({ state: 'detached' });
  expect((JSON.parse((await stored('ModelPrice')) ?? '{}') as Record<string, number>)['house-model']).toBe(0.05);

  await button('JSON').click();
  await setting('ModelPrice').getByRole('textbox').waitFor();
  await button('Reset to defaults').click();
  await page.getByText('Reset all model ratios to the defaults?').waitFor();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Reset' }).click();
  await page.getByText('Model ratios reset').waitFor();
  expect((JSON.parse((await stored('ModelRatio')) ?? '{}') as Record<string, number>)['gpt-4o-mini']).toBe(0.075);
});

it('fits a phone of 360 pixels on every tab', async () => {
  const { page } = visitor;
  await page.setViewportSize({ width: 360, height: 800 });
  await page.goto('/setting?tab=operation&section=prices');
  await page.getByRole('heading', { level: 2 }).first().waitFor();
  expect(await sidewaysOverflow(visitor)).toBe(0);
  await page.goto('/setting');
  for (const [tab, key] of [
    ['Operation', 'RetryTimes'],
    ['Rate limits', 'ModelRequestRateLimitSuccessCount'],
    ['Models', 'gemini.safety_settings'],
    ['System', 'ServerAddress'],
    ['Other', 'Footer'],
  ] as const) {
    await page.getByRole('tab', { name: tab }).click();
    await setting(key).waitFor();
    expect([tab, await sidewaysOverflow(visitor)]).toEqual([tab, 0]);
  }
  await photographAll(visitor, 'settings-other');
});
