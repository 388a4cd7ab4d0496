import { fireEvent, screen, waitFor } from '@testing-library/react';
import { renderScreen } from '../../testing/renderScreen.js';
import { DeleteByNameDialog } from './DeleteByNameDialog.js';
import { DeleteRedemptionBatchDocument, RedemptionCountDocument } from './redemptions.generated.js';

const onDone = jest.fn();
const onClose = jest.fn();
beforeEach(() => {
  jest.clearAllMocks();
});

const count = (name: string, found: number) => ({
  request: { query: RedemptionCountDocument, variables: { batch: name } },
  result: { data: { redemptions: { __typename: 'RedemptionPage', totalCount: found } } },
});
const remove = (result: object) => ({
  request: { query: DeleteRedemptionBatchDocument, variables: { batch: 'Launch' } },
  result: jest.fn(() => result),
});

async function open(...mocks: object[]) {
  await renderScreen({
    routes: [{ path: '/', element: <DeleteByNameDialog onDone={onDone} onClose={onClose} /> }],
    mocks: mocks as never,
  });
  return screen.findByRole('textbox', { name: /^Name/ });
}
const press = (name: string) => {
  fireEvent.click(screen.getByRole('button', { name }));
};

it('deletes nothing before the count was seen, and counts again when the name changes', async () => {
  const deletion = remove({ data: { deleteRedemptionBatch: { count: 12 } } });
  const name = await open(count('Launch', 12), count('Lunch', 0), count('Launch', 12), deletion);
  press('Count');
  await screen.findByText('Please enter a name');
  fireEvent.change(name, { target: { value: ' Launch ' } });
  press('Count');
  await screen.findByText('12 codes named “Launch” will be deleted.');
  fireEvent.change(name, { target: { value: 'Lunch' } });
  expect(screen.queryByRole('button', { name: 'Delete' })).toBeNull();
  press('Count');
  await screen.findByText('No codes named “Lunch”.');
  expect(screen.getByRole('button', { name: 'Delete' })).toBeDisabled();
  expect(deletion.result).not.toHaveBeenCalled();

  fireEvent.change(name, { target: { value: 'Launch' } });
  press('Count');
  await screen.findByText('12 codes named “Launch” will be deleted.');
  press('Delete');
  await screen.findByText('12 codes deleted');
  await waitFor(() => {
    expect(onClose).toHaveBeenCalledTimes(1);
  });
  expect(onDone).toHaveBeenCalledTimes(1);
});

it('stays open with the server’s words when it refuses', async () => {
  const name = await open(
    count('Launch', 1),
    remove({ errors: [{ message: 'Not now', extensions: { code: 'CONFLICT' } }] }),
  );
  fireEvent.change(name, { target: { value: 'Launch' } });
  press('Count');
  await screen.findByText('1 code named “Launch” will be deleted.');
  press('Delete');
  await screen.findByText('Not now');
  expect(name).toHaveValue('Launch');
  expect(onClose).not.toHaveBeenCalled();
});
