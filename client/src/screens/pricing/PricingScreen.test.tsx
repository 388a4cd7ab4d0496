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
  ...more,
});
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
  await open(answers(PricingDocument, prices(model('gpt-4o'), model('dall-e-3', { modelPrice: 0.04 }))));
  const byToken = await rowOf('gpt-4o');
  expect(await headers()).toEqual([
    'Availability',
    'Model',
    'Billing type',
    'Groups',
    'Ratio',
    'Input / 1M',
    'Output / 1M',
  ]);
  // Ratio 1.25 of $2.00; completion tokens cost four times that.
  for (const text of ['1.25', '$2.50', '$10.00']) byToken.getByText(text);
  expect(toneOf(byToken.getByText('Per token'))).not.toBe(toneOf((await rowOf('dall-e-3')).getByText('Per request')));
  (await rowOf('dall-e-3')).getByText('$0.040 / call');
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
  const fixed = model('dall-e-3', { modelPrice: 0.04 });
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
