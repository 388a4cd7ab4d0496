import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { answers } from '../../testing/lists.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { signInAs } from '../../testing/signInAs.js';
import { BudgetList } from './BudgetList.js';
import { BudgetsDocument, CreateBudgetDocument } from './budgets.generated.js';

it('saves a new budget again under the same key after a lost response, and the next one under another', async () => {
  signInAs();
  const keys: string[] = [];
  const create = (respond: () => object) => ({
    request: { query: CreateBudgetDocument, variables: () => true },
    result: ({ input }: { input: { idempotencyKey: string } }) => {
      keys.push(input.idempotencyKey);
      return respond();
    },
  });
  const lost = () => ({
    errors: [{ message: 'The database is unavailable', extensions: { code: 'SERVICE_UNAVAILABLE' } }],
  });
  const budget = {
    __typename: 'Budget',
    id: 1,
    level: 'TOKEN',
    subjectId: 5,
    subjectName: 'ci',
    kind: 'MONEY',
    amount: 500_000,
    span: 'DAY',
    isRolling: false,
    timeZone: 'UTC',
    startsAt: null,
    endsAt: null,
    models: [],
    enabled: true,
    byAdmin: false,
    state: null,
  };
  const created = () => ({ data: { createBudget: { budget } } });
  await renderScreen({
    routes: [{ path: '/', element: <BudgetList subject={{ level: 'TOKEN', subjectId: 5 }} /> }],
    mocks: [
      answers(BudgetsDocument, { budgets: { totalCount: 0, items: [] } }),
      ...[lost, created, created].map(create),
    ] as never,
  });
  const open = async () => {
    await screen.findByText('No budgets');
    fireEvent.click(screen.getByRole('button', { name: 'Add budget' }));
    const dialog = within(await screen.findByRole('dialog'));
    fireEvent.change(dialog.getByRole('textbox', { name: /^Amount/ }), { target: { value: '1' } });
    return dialog;
  };
  const first = await open();
  const submit = () => fireEvent.click(first.getByRole('button', { name: 'Create budget' }));
  submit();
  await waitFor(() => {
    expect(keys).toHaveLength(1);
    expect(first.getByRole('button', { name: 'Create budget' })).toBeEnabled();
  });
  submit();
  await waitFor(() => {
    expect(screen.queryByRole('dialog')).toBeNull();
  });
  const second = await open();
  fireEvent.click(second.getByRole('button', { name: 'Create budget' }));
  await waitFor(() => {
    expect(keys).toHaveLength(3);
  });
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(keys[1]).toBe(keys[0]);
  expect(keys[2]).not.toBe(keys[0]);
});
