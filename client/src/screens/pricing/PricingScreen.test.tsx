import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { session } from '../../lib/session.js';
import { answers, failsOnce, headers, rowOf, toneOf } from '../../testing/lists.js';
import { onPhone } from '../../testing/onPhone.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { PricingDocument } from './pricing.generated.js';
import { PricingScreen } from './PricingScreen.js';

const model = (modelName: string, more: object = {}) => ({
  __typename: 'PricedModel',
  modelName,
  modelPrice: null,
  modelRatio: 1.25,
  completionRatio: 4,
  groups: ['default', 'vip'],
  maxInputTokens: 128_000,
  maxOutputTokens: null,
  effective: priced([line('input', 2.5), line('cachedInput', 1.25), line('output', 10)]),
  ...more,
});
const line = (quantity: string, price: number, isPerMillion = true) => ({
  __typename: 'PriceLine',
  quantity,
  price,
  isPerMillion,
});
const priced = (lines: readonly object[], card: object | null = null) => ({
  __typename: 'EffectivePrice',
  asOf: null,
  card,
  lines,
});
const perCall = { modelPrice: 0.04, effective: priced([line('request', 0.04, false)]) };
const prices = (...models: readonly object[]) => ({
  pricing: {
    __typename: 'Pricing',
    groups: [
      { __typename: 'GroupRatio', name: 'default', ratio: 1 },
      { __typename: 'GroupRatio', name: 'vip', ratio: 2 },
    ],
    models,
  },
});
const open = (...mocks: readonly object[]) => openAt('/', ...mocks);
const openAt = (path: string, ...mocks: readonly object[]) =>
  renderScreen({ path, routes: [{ path: '/', element: <PricingScreen /> }], mocks: mocks as never });
const beInGroup = (group: string) => {
  session.start({ id: 1, username: 'ada', displayName: 'Ada', role: 1, status: 1, group });
};
beforeEach(() => {
  beInGroup('default');
});
afterAll(() => {
  session.end();
});

it('has the columns that were asked for, with prices for a million tokens or for a call', async () => {
  await open(answers(PricingDocument, prices(model('gpt-4o'), model('dall-e-3', perCall))));
  const byToken = await rowOf('gpt-4o');
  expect(await headers()).toEqual([
    'Availability',
    'Model',
    'Billing type',
    'Groups',
    'Input / 1M',
    'Cached / 1M',
    'Output / 1M',
    'Context',
    'Ratio',
  ]);
  for (const text of ['1.25', '$2.50', '$1.25', '$10.00', '128k']) byToken.getByText(text);
  expect(toneOf(byToken.getByText('Per token'))).not.toBe(toneOf((await rowOf('dall-e-3')).getByText('Per request')));
  (await rowOf('dall-e-3')).getByText('$0.040 / call');
});

it('shows what is charged, not what the ratios say', async () => {
  // A locked completion ratio: the table says 4, the server charges 3.
  const effective = priced([line('input', 2.75), line('output', 8.25)]);
  await open(answers(PricingDocument, prices(model('chatgpt-4o-latest', { modelRatio: 1.375, effective }))));
  const row = await rowOf('chatgpt-4o-latest');
  expect(row.getAllByText('$2.75')).not.toHaveLength(0);
  row.getByText('$8.25');
  expect(row.queryByText('$11.00')).toBeNull();
});

it('shows that cached input without a price of its own costs what input costs', async () => {
  const lines = [line('input', 2.75), line('output', 8.25)];
  const card = { prices: { input: 2.75, output: 8.25 }, contextTiers: [{ above: 1000, prices: { input: 4 } }] };
  await open(answers(PricingDocument, prices(model('own-card', { effective: priced(lines, card) }))));
  const row = await rowOf('own-card');
  expect(row.getAllByText('$2.75')).toHaveLength(2);
  fireEvent.click(await screen.findByText('own-card'));
  const panel = within(await screen.findByRole('dialog', { name: 'own-card' }));
  expect(panel.getAllByText('Cache read')).toHaveLength(2);
  expect(panel.getAllByText('$2.75 / 1M')).toHaveLength(2);
  expect(panel.getAllByText('$4.00 / 1M')).toHaveLength(2);
});

it('has the formula as a banner above the list, and groups in their colours', async () => {
  await open(answers(PricingDocument, prices(model('gpt-4o', { groups: ['default', 'vip', 'svip', 'other'] }))));
  const row = await rowOf('gpt-4o');
  const formula = screen.getByText(/^cost = group ratio × model ratio ×/);
  expect(formula.compareDocumentPosition(screen.getByRole('grid'))).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
  const tones = ['default', 'vip', 'svip', 'other'].map((group) => toneOf(row.getByText(group)));
  expect(tones).toEqual(['teal', 'amber', 'red', 'outline']);
});

it('names no price where there is none', async () => {
  // The server sends the fallback ratio 37.5 for older clients.
  await open(answers(PricingDocument, prices(model('gpt-4.1', { modelRatio: 37.5, effective: null }))));
  const row = await rowOf('gpt-4.1');
  row.getByText('No price yet');
  expect(row.queryByText(/\$/)).toBeNull();
  expect(row.queryByText('Available to this group')).toBeNull();
});

it('shows limits, tiers and an example of a model', async () => {
  const card = {
    prices: { input: 1.25, output: 10 },
    contextTiers: [{ above: 200_000, prices: { input: 2.5, output: 15 } }],
    variants: [
      { when: { tier: 'flex' }, factor: 0.5 },
      { when: { searchSize: 'high' }, prices: { input: 3 } },
    ],
  };
  const effective = {
    ...priced([line('input', 1.25), line('output', 10), line('webSearch', 0.01, false)], card),
    asOf: '2026-11',
  };
  const view = await open(answers(PricingDocument, prices(model('gemini-2.5-pro', { effective }))));
  fireEvent.click(await screen.findByText('gemini-2.5-pro'));
  const panel = within(await screen.findByRole('dialog', { name: 'gemini-2.5-pro' }));
  panel.getByText('128,000');
  panel.getByText('Prompts above 200,000 tokens');
  panel.getByText('$15.00 / 1M');
  panel.getByText('Condition: Flex');
  panel.getByText('Condition: High search');
  panel.getByText('0.5×');
  panel.getByText('$0.010 each');
  panel.getByText('List prices of 2026-11');
  panel.getByText(/"model":"gemini-2.5-pro"/);
  expect(view.location()).toBe('/?row=gemini-2.5-pro');
});

it('shows the prices of another group when its name is pressed', async () => {
  await open(answers(PricingDocument, prices(model('gpt-4o'), model('inner', { groups: ['default'] }))));
  const row = await rowOf('gpt-4o');
  const vip = row.getByRole('button', { name: 'View prices for vip' });
  expect(vip).toHaveAttribute('aria-pressed', 'false');
  fireEvent.click(vip);
  await row.findByText('$5.00');
  row.getByText('$20.00');
  expect(row.getByRole('button', { name: 'View prices for vip' })).toHaveAttribute('aria-pressed', 'true');
  (await rowOf('inner')).getByText('Not available to this group');
});

it('tells the ratio of one’s own group, and warns who is not signed in', async () => {
  beInGroup('vip');
  const { unmount } = await open(answers(PricingDocument, prices(model('gpt-4o'))));
  await screen.findByText('Your group is vip');
  expect(toneOf(await screen.findByText('2×'))).toBe('blue');
  (await rowOf('gpt-4o')).getByText('$5.00');
  unmount();
  session.end();
  await open(answers(PricingDocument, prices(model('gpt-4o'))));
  await screen.findByText('You are signed out. Showing prices for the default group.');
  expect(toneOf(await screen.findByText('1×'))).toBe('green');
  (await rowOf('gpt-4o')).getByText('$2.50');
});

it('chooses several and says how many are copied', async () => {
  await open(answers(PricingDocument, prices(model('gpt-4o'), model('o3-mini'))));
  expect(await screen.findByRole('button', { name: 'Copy 0 selected' })).toBeDisabled();
  for (const name of ['gpt-4o', 'o3-mini']) fireEvent.click((await rowOf(name)).getByRole('checkbox'));
  expect(await screen.findByRole('button', { name: 'Copy 2 selected' })).toBeEnabled();
});

it('says that there are none, that none matches, and what failed', async () => {
  const { unmount } = await open(answers(PricingDocument, prices()));
  await screen.findByRole('heading', { name: 'No models are available to this group' });
  unmount();
  await open(...failsOnce(PricingDocument, 'The database is away', prices(model('gpt-4o'))));
  expect(await screen.findByRole('alert')).toHaveTextContent('The database is away');
  fireEvent.click(screen.getByRole('button', { name: 'Retry' }));
  await rowOf('gpt-4o');
  fireEvent.change(screen.getByRole('textbox', { name: 'Model name' }), { target: { value: 'zzz' } });
  await screen.findByText('Nothing matches these filters');
});

it('keeps page, filters and the group looked at in the address', async () => {
  const many = Array.from({ length: 12 }, (_, index) => model(`gpt-${String(index + 1)}`));
  const one = await openAt('/?page=2&size=10&group=vip', answers(PricingDocument, prices(...many)));
  await screen.findByText('Items 11 - 12 of 12');
  (await rowOf('gpt-12')).getByText('$5.00');
  fireEvent.change(screen.getByRole('textbox', { name: 'Model name' }), { target: { value: 'gpt-7' } });
  await screen.findByText('Items 1 - 1 of 1');
  await waitFor(() => {
    expect(one.location()).toBe('/?size=10&group=vip&keyword=gpt-7');
  });
  one.unmount();
  const fixed = model('dall-e-3', perCall);
  const two = await openAt('/?keyword=e&billing=request', answers(PricingDocument, prices(...many, fixed)));
  await rowOf('dall-e-3');
  screen.getByText('Items 1 - 1 of 1');
  expect(screen.getByRole('textbox', { name: 'Model name' })).toHaveValue('e');
  fireEvent.change(screen.getByRole('textbox', { name: 'Model name' }), { target: { value: 'zzz' } });
  fireEvent.click(await screen.findByRole('button', { name: 'Clear filters' }));
  await screen.findByText('Items 1 - 10 of 13');
  await waitFor(() => {
    expect(two.location()).toBe('/');
  });
});

it('lists cards on a phone: every group can be chosen, and nothing is selected for copying', async () => {
  onPhone();
  await open(answers(PricingDocument, prices(model('gpt-4o'))));
  const card = within(await screen.findByRole('listitem'));
  card.getByText('gpt-4o');
  fireEvent.click(card.getByRole('button', { name: 'View prices for vip' }));
  await card.findByText(/\$5\.00/);
  expect(screen.queryByRole('button', { name: /^Copy \d+ selected/ })).toBeNull();
  jest.restoreAllMocks();
});
