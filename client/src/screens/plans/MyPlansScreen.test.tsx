import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { answers } from '../../testing/lists.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { signInAs } from '../../testing/signInAs.js';
import { subscription } from '../../testing/subscription.js';
import { MyPlansScreen } from './MyPlansScreen.js';
import {
  BuyPlanDocument,
  MyPlansDocument,
  type PlanFactsFragment,
  PlanUpgradeDocument,
  SetPlanRenewalDocument,
  StartPlanPaymentDocument,
  type SubscriptionFactsFragment,
} from './plans.generated.js';

const plan = (id: number, name: string, more: Partial<PlanFactsFragment> = {}) => ({
  __typename: 'Plan' as const,
  id,
  name,
  description: '',
  price: 5_000_000,
  periodUnit: 'MONTH' as const,
  periodCount: 1,
  groups: [],
  models: [],
  maxConcurrent: null,
  maxRequests: null,
  overflow: 'STOP' as const,
  overflowRatio: 1,
  position: 0,
  onSale: true,
  windows: [{ __typename: 'PlanWindow' as const, span: 'WEEK' as const, kind: 'MONEY' as const, amount: 1_000_000 }],
  ...more,
});
const limited = (id: number, name: string, more: Partial<SubscriptionFactsFragment> = {}) =>
  subscription(id, name, {
    windows: [
      {
        span: 'FIVE_HOURS' as const,
        kind: 'MONEY' as const,
        amount: 1_000_000,
        used: 750_000,
        held: 0,
        resetsAt: '2026-01-01T15:00:00.000Z',
      },
    ],
    ...more,
  });
const site = (plans: readonly object[], myPlans: readonly object[], paymentMethods: readonly object[] = []) =>
  answers(MyPlansDocument, {
    plans,
    myPlans,
    paymentMethods,
    me: { __typename: 'User', id: 1, quota: 20_000_000 },
  });
const open = (...mocks: readonly object[]) => {
  signInAs();
  return renderScreen({ routes: [{ path: '/', element: <MyPlansScreen /> }], mocks: mocks as never });
};

it('shows the use and the reset of each window, and the history with its reasons', async () => {
  const past = limited(6, 'Last month', { state: 'ENDED', renewalProblem: 'PRICE_RAISED' });
  await open(site([], [limited(7, 'Coder'), past]));
  const running = within(await screen.findByRole('article', { name: 'Coder' }));
  expect(running.getByRole('progressbar', { name: 'Used of $2.00 per 5 hours' })).toHaveAttribute(
    'aria-valuenow',
    '75',
  );
  running.getByText(/^\$1\.50 used · \$0\.500000 left · Resets 2026-01-01/);
  running.getByText(/^Ends 2026-02-01/);
  const history = within(screen.getByRole('region', { name: 'History' }));
  history.getByText('Last month');
  history.getByText('Not renewed: the price was raised');
});

it('buys after a question that names the price', async () => {
  const bought = jest.fn((_: object) => ({ data: { buyPlan: { subscription: limited(8, 'Coder') } } }));
  await open(site([plan(1, 'Coder')], []), {
    request: { query: BuyPlanDocument, variables: () => true },
    result: bought,
  });
  const offer = within(await screen.findByRole('article', { name: 'Coder' }));
  offer.getByText('$10.00 / month');
  offer.getByText('$2.00 per week');
  fireEvent.click(offer.getByRole('switch', { name: 'Renew from the balance' }));
  fireEvent.click(offer.getByRole('button', { name: 'Buy' }));
  const question = within(await screen.findByRole('alertdialog'));
  question.getByText('It costs $10.00 of your balance and begins now.');
  fireEvent.click(question.getByRole('button', { name: 'Buy' }));
  await screen.findByText('The plan “Coder” is running');
  expect(bought).toHaveBeenCalledWith({
    input: { planId: 1, renews: true, idempotencyKey: expect.stringMatching(/^[0-9a-f]{32}$/) as string },
  });
});

it('offers an upgrade from a smaller plan, with the computation', async () => {
  const rest = { __typename: 'PlanRest', paid: 5_000_000, left: 1_296_000, of: 2_592_000, span: null, kind: null };
  const receipt = { __typename: 'PlanReceipt', price: 9_000_000, credit: 2_500_000, rest };
  await open(
    site([plan(1, 'Coder'), plan(2, 'Large', { price: 9_000_000 })], [limited(7, 'Coder')]),
    answers(PlanUpgradeDocument, { planUpgrade: receipt }),
  );
  const offer = within(await screen.findByRole('article', { name: 'Large' }));
  fireEvent.click(offer.getByRole('button', { name: 'Upgrade from Coder' }));
  const question = within(await screen.findByRole('alertdialog'));
  question.getByText(
    'It costs $13.00 of your balance: $5.00 of “Coder” is credited. $10.00 paid × 15 days left / 30 days. At most the price of the new plan is credited: $5.00',
  );
});

it('switches the renewal', async () => {
  const set = jest.fn((_: object) => ({
    data: { setPlanRenewal: { subscription: limited(7, 'Coder', { renews: true }) } },
  }));
  await open(site([], [limited(7, 'Coder')]), {
    request: { query: SetPlanRenewalDocument, variables: () => true },
    result: set,
  });
  const renewal = await screen.findByRole('switch', { name: 'Renew from the balance' });
  fireEvent.click(renewal);
  await waitFor(() => {
    expect(renewal).toBeChecked();
  });
  expect(set).toHaveBeenCalledWith({ input: { id: 7, renews: true } });
});

it('chooses who pays the renewal where the card was saved', async () => {
  const card = limited(7, 'Coder', { renews: true, renewsBy: 'CARD', savesCard: true });
  const set = jest.fn((_: object) => ({
    data: { setPlanRenewal: { subscription: { ...card, renewsBy: 'BALANCE' } } },
  }));
  await open(site([], [card]), { request: { query: SetPlanRenewalDocument, variables: () => true }, result: set });
  const choice = await screen.findByRole('combobox', { name: 'Renewal' });
  expect(choice).toHaveTextContent('Renew by card');
  fireEvent.mouseDown(choice);
  fireEvent.click(await screen.findByRole('option', { name: 'Renew from the balance' }));
  await waitFor(() => {
    expect(choice).toHaveTextContent('Renew from the balance');
  });
  expect(set).toHaveBeenCalledWith({ input: { id: 7, renews: true, by: 'BALANCE' } });
});

it('ends the charges of a declined card', async () => {
  const declined = { state: 'ENDED', renews: true, renewsBy: 'CARD', renewalProblem: 'CARD_DECLINED' } as const;
  const set = jest.fn((_: object) => ({
    data: { setPlanRenewal: { subscription: limited(7, 'Coder', { ...declined, renews: false }) } },
  }));
  await open(site([], [limited(7, 'Coder', declined)]), {
    request: { query: SetPlanRenewalDocument, variables: () => true },
    result: set,
  });
  await screen.findByText('Not renewed: the card was declined. It is charged again in the next days');
  fireEvent.click(screen.getByRole('button', { name: 'Stop the charges' }));
  await waitFor(() => {
    expect(screen.queryByRole('button', { name: 'Stop the charges' })).toBeNull();
  });
  expect(set).toHaveBeenCalledWith({ input: { id: 7, renews: false } });
});

it('says so where the site sells none', async () => {
  await open(site([], []));
  await screen.findByText('This site sells no plans. Calls are paid from the balance.');
});

it('starts a payment at a gateway that is offered, and says why it failed', async () => {
  const method = (name: 'ALIPAY' | 'WXPAY', isOffered: boolean) => ({
    __typename: 'PaymentMethodDetails',
    method: name,
    names: [{ __typename: 'PaymentMethodName', language: 'en', name: `Pay of ${name}` }],
    icon: '<svg/>',
    currency: 'CNY',
    pricePerUsd: 7.3,
    isOffered,
    minTopUp: 1,
    savesCards: true,
  });
  const start = jest.fn((_: object) => ({
    errors: [{ message: 'The gateway is down', extensions: { code: 'UPSTREAM' } }],
  }));
  await open(site([plan(1, 'Coder')], [], [method('ALIPAY', true), method('WXPAY', false)]), {
    request: { query: StartPlanPaymentDocument, variables: () => true },
    result: start,
  });
  const offer = within(await screen.findByRole('article', { name: 'Coder' }));
  expect(offer.queryByRole('button', { name: 'Pay with Pay of WXPAY' })).toBeNull();
  fireEvent.click(offer.getByRole('button', { name: 'Pay with Pay of ALIPAY' }));
  await screen.findByText('The gateway is down');
  expect(start).toHaveBeenCalledWith({
    input: { planId: 1, method: 'ALIPAY', idempotencyKey: expect.stringMatching(/^[0-9a-f]{32}$/) as string },
  });
});

it('shows the balance, and leads to the wallet where it is too low', async () => {
  await open(site([plan(1, 'Coder'), plan(2, 'Large', { price: 90_000_000 })], []));
  const large = within(await screen.findByRole('article', { name: 'Large' }));
  screen.getByText('$40.00');
  large.getByText('Your balance of $40.00 is too low for this plan.');
  expect(large.getByRole('link', { name: 'Top up' })).toHaveAttribute('href', '/topup');
  expect(large.queryByRole('button', { name: 'Buy' })).toBeNull();
  within(screen.getByRole('article', { name: 'Coder' })).getByRole('button', { name: 'Buy' });
});
