import { fireEvent, screen, waitFor } from '@testing-library/react';
import { renderScreen } from '../../testing/renderScreen.js';
import { CheckInCard } from './CheckInCard.js';
import { CheckInDocument } from './personal.generated.js';

const open = (result: object, onDone: () => void) =>
  renderScreen({
    routes: [{ path: '/', element: <CheckInCard canCheckIn onDone={onDone} /> }],
    mocks: [{ request: { query: CheckInDocument }, ...result }] as never,
  });

it('says that a check-in failed, why, and to try again', async () => {
  const onDone = jest.fn();
  const errors = [{ message: 'Check-in is closed until noon', extensions: { code: 'CONFLICT' } }];
  await open({ result: { errors } }, onDone);
  fireEvent.click(screen.getByRole('button', { name: 'Check in' }));
  await screen.findByText('Check-in failed: Check-in is closed until noon. Try again later.');
  expect(onDone).not.toHaveBeenCalled();
});

it('has the balance read again after a check-in', async () => {
  const onDone = jest.fn();
  await open({ result: { data: { checkIn: { __typename: 'CheckInPayload', quota: 129_000 } } } }, onDone);
  fireEvent.click(screen.getByRole('button', { name: 'Check in' }));
  await waitFor(() => expect(onDone).toHaveBeenCalledTimes(1));
});
