import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { answers, rowOf } from '../../testing/lists.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { signInAs } from '../../testing/signInAs.js';
import {
  PlanSubscriptionsDocument,
  type PlanSubscriptionsQuery,
  StopPlanRenewalDocument,
} from './subscriptions.generated.js';
import { subscription } from '../../testing/subscription.js';
import { SubscriptionList } from './SubscriptionList.js';

type Row = PlanSubscriptionsQuery['planSubscriptions']['items'][number];

const row = (id: number, username: string, more: Partial<Row> = {}) => ({
  ...subscription(id),
  accountId: 40 + id,
  username,
  ...more,
});

const open = (mocks: readonly object[], path = '/') => {
  signInAs();
  return renderScreen({
    path,
    routes: [{ path: '/', element: <SubscriptionList plans={[{ id: 1, name: 'Coder' }]} isAllowedToChange /> }],
    mocks: mocks as never,
  });
};

it('lists the subscriptions of all users, with a deleted one, and offers refunds where one is possible', async () => {
  const items = [row(2, 'mira'), row(1, '', { state: 'REFUNDED', refunded: 5_000_000 })];
  await open([answers(PlanSubscriptionsDocument, { planSubscriptions: { totalCount: 2, items } })]);
  const mira = await rowOf('mira');
  mira.getByText('Running');
  mira.getByText('$10.00');
  mira.getByRole('button', { name: /mira Coder/ });
  const deleted = await rowOf('Deleted user 41');
  expect(deleted.queryByRole('link')).toBeNull();
  expect(deleted.queryByRole('button')).toBeNull();
});

it('keeps page and filter in the address', async () => {
  const asked: unknown[] = [];
  const list = {
    request: {
      query: PlanSubscriptionsDocument,
      variables: (variables: unknown) => {
        asked.push(variables);
        return true;
      },
    },
    result: { data: { planSubscriptions: { totalCount: 31, items: [row(2, 'mira')] } } },
    maxUsageCount: 9,
  };
  await open([list], '/?page=2&size=20&state=ACTIVE&plan=1&user=42');
  await rowOf('mira');
  expect(asked[0]).toEqual({ page: 1, pageSize: 20, filter: { state: 'ACTIVE', planId: 1, accountId: 42 } });
});

it('says that the list failed, and asks again', async () => {
  const failed = {
    request: { query: PlanSubscriptionsDocument, variables: () => true },
    result: { errors: [{ message: 'The database is down', extensions: { code: 'SERVICE_UNAVAILABLE' } }] },
  };
  await open([failed, answers(PlanSubscriptionsDocument, { planSubscriptions: { totalCount: 0, items: [] } })]);
  const alert = await screen.findByRole('alert');
  fireEvent.click(within(alert).getByRole('button', { name: 'Retry' }));
  await waitFor(() => screen.getByText('Nothing sold yet'));
});

it('stops the renewal of a running plan, and has no filter by user on the page of one', async () => {
  signInAs();
  const asked: unknown[] = [];
  const stopped = jest.fn(() => true);
  const items = [row(2, 'mira', { renews: true }), row(1, 'mira', { state: 'ENDED', renews: true })];
  await renderScreen({
    routes: [{ path: '/', element: <SubscriptionList accountId={42} isAllowedToChange /> }],
    mocks: [
      {
        request: {
          query: PlanSubscriptionsDocument,
          variables: (variables: unknown) => {
            asked.push(variables);
            return true;
          },
        },
        result: { data: { planSubscriptions: { __typename: 'PlanSubscriptionPage', totalCount: 2, items } } },
        maxUsageCount: 9,
      },
      {
        request: { query: StopPlanRenewalDocument, variables: stopped },
        result: {
          data: {
            stopPlanRenewal: {
              __typename: 'StopPlanRenewalPayload',
              subscription: { __typename: 'PlanSubscription', id: 2, renews: false },
            },
          },
        },
      },
    ] as never,
  });
  const [menu, ended] = await screen.findAllByRole('button', { name: /mira Coder/ });
  expect(asked.at(-1)).toMatchObject({ filter: { accountId: 42 } });
  expect(screen.queryByRole('columnheader', { name: 'User' })).toBeNull();
  fireEvent.click(ended!);
  expect((await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent)).toEqual(['Refund']);
  fireEvent.keyDown(screen.getByRole('menu'), { key: 'Escape' });
  fireEvent.click(menu!);
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Stop renewal' }));
  const dialog = within(await screen.findByRole('alertdialog', { name: 'Stop the renewal of “Coder”?' }));
  dialog.getByText('“mira” keeps the plan “Coder” until its end, and nothing more is charged.');
  fireEvent.click(dialog.getByRole('button', { name: 'Stop renewal' }));
  await screen.findByText('The plan is not renewed any more');
  expect(stopped).toHaveBeenCalledWith({ input: { id: 2 } });
  await waitFor(() => expect(screen.queryByText('Renewed')).toBeNull());
});
