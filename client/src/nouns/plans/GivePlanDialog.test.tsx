import { fireEvent, screen, waitFor } from '@testing-library/react';
import type { ReactElement } from 'react';
import { renderScreen } from '../../testing/renderScreen.js';
import { AccountChoicesDocument, type AccountChoicesQueryVariables } from '../users/accountInput.generated.js';
import { GivablePlansDocument, GivePlanDocument, type GivePlanMutationVariables } from './givePlan.generated.js';
import { GivePlanDialog } from './GivePlanDialog.js';

const onClose = jest.fn();
const onDone = jest.fn();
beforeEach(() => jest.clearAllMocks());

const coder = { __typename: 'Plan' as const, id: 3, name: 'Coder' };
const subscription = { __typename: 'PlanSubscription' as const, id: 9 };

const given = (more: object) => {
  const variables = jest.fn(({ input: { idempotencyKey, ...input } }: GivePlanMutationVariables) => {
    expect(idempotencyKey).toMatch(/^[0-9a-f]{32}$/);
    expect(input).toEqual({ userId: 7, planId: 3, note: null, ...more });
    return true;
  });
  return {
    variables,
    mock: {
      request: { query: GivePlanDocument, variables },
      result: { data: { grantPlan: { __typename: 'GrantPlanPayload', subscription } } },
    },
  };
};

const open = (element: ReactElement, ...mocks: object[]) =>
  renderScreen({ routes: [{ path: '/', element }], mocks: mocks as never });
const submit = () => fireEvent.click(screen.getByRole('button', { name: 'Give a plan' }));

it('gives one of the plans to an account', async () => {
  const { mock, variables } = given({ note: 'a friend' });
  await open(
    <GivePlanDialog account={{ id: 7, username: 'ada' }} onDone={onDone} onClose={onClose} />,
    { request: { query: GivablePlansDocument }, result: { data: { plans: [coder] } }, maxUsageCount: 9 },
    mock,
  );
  submit();
  await screen.findByText('This field is required');
  fireEvent.mouseDown(await screen.findByRole('combobox', { name: /Plan/ }));
  fireEvent.click(await screen.findByRole('option', { name: 'Coder' }));
  fireEvent.change(screen.getByRole('textbox', { name: /Note/ }), { target: { value: ' a friend ' } });
  submit();
  await screen.findByText('“ada” has the plan “Coder”');
  expect(variables).toHaveBeenCalled();
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(onDone).toHaveBeenCalled();
});

it('finds the account of a plan by a part of its name', async () => {
  const { mock, variables } = given({});
  const found = {
    request: { query: AccountChoicesDocument, variables: () => true },
    result: ({ keyword }: AccountChoicesQueryVariables) => ({
      data: {
        users: {
          __typename: 'UserPage',
          items: keyword === 'lov' ? [{ __typename: 'User', id: 7, username: 'ada' }] : [],
        },
      },
    }),
    maxUsageCount: 9,
  };
  await open(<GivePlanDialog plan={coder} onDone={onDone} onClose={onClose} />, found, mock);
  submit();
  await screen.findByText('This field is required');
  expect(variables).not.toHaveBeenCalled();
  fireEvent.change(screen.getByRole('combobox', { name: /Account/ }), { target: { value: 'lov' } });
  fireEvent.click(await screen.findByRole('option', { name: 'ada (#7)' }));
  submit();
  await screen.findByText('“ada” has the plan “Coder”');
});
