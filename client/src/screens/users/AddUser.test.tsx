import { act, fireEvent, screen } from '@testing-library/react';
import { renderScreen } from '../../testing/renderScreen.js';
import { AddUser } from './AddUser.js';

const missing = 'Username and password cannot be empty';

it.each([
  [{}, ['Username', 'Password']],
  [{ Username: 'ada' }, ['Password']],
  [{ Username: '   ', Password: 'long enough' }, ['Username']],
])('with %j, says at %j that both are needed, and sends nothing', async (typed, fields) => {
  await renderScreen({
    routes: [{ path: '/', element: <AddUser onSaved={() => undefined} onClosed={() => undefined} /> }],
  });
  const field = (label: string) => screen.getByLabelText(new RegExp(`^${label}`), { selector: 'input' });
  for (const [label, value] of Object.entries(typed)) fireEvent.change(field(label), { target: { value } });
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Create user' })));
  const complaints = ['Username', 'Password'].filter((label) => field(label).getAttribute('aria-invalid') === 'true');
  expect(complaints).toEqual(fields);
  expect(screen.getAllByText(missing)).toHaveLength(fields.length);
});
