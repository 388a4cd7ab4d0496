import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { renderScreen } from '../../testing/renderScreen.js';
import { PasswordForm } from './AccountTab.js';
import { HasPasswordDocument, UpdateMeDocument } from './personal.generated.js';

jest.setTimeout(60_000);

const hasPassword = (has: boolean) => ({
  request: { query: HasPasswordDocument },
  result: { data: { hasPassword: has } },
  maxUsageCount: 9,
});

it('asks a user without a password for a new one only, and sends no old one', async () => {
  const sent: unknown[] = [];
  const saved = {
    request: {
      query: UpdateMeDocument,
      variables: (variables: unknown) => {
        sent.push(variables);
        return true;
      },
    },
    result: { data: { updateMe: { __typename: 'UpdateMePayload', user: null } } },
  };
  await renderScreen({
    routes: [{ path: '/', element: <PasswordForm /> }],
    mocks: [hasPassword(false), saved] as never,
  });
  const form = within(await screen.findByRole('region', { name: 'Set password' }));
  expect(form.queryByLabelText(/Current password/)).toBeNull();
  fireEvent.change(form.getByLabelText(/^New password/), { target: { value: 'a new password' } });
  fireEvent.change(form.getByLabelText(/^Confirm password/), { target: { value: 'a new password' } });
  fireEvent.click(form.getByRole('button', { name: 'Set password' }));
  await waitFor(() => {
    expect(sent).toEqual([{ input: { password: 'a new password' } }]);
  });
});

it('asks everyone else for the current one', async () => {
  await renderScreen({ routes: [{ path: '/', element: <PasswordForm /> }], mocks: [hasPassword(true)] as never });
  await screen.findByLabelText(/Current password/);
  screen.getByRole('button', { name: 'Change password' });
});

it.each([
  ['password', /^New password/],
  ['originalPassword', /^Current password/],
])('shows a refusal that names %s at its field', async (field, label) => {
  const refused = {
    request: { query: UpdateMeDocument, variables: () => true },
    result: { errors: [{ message: 'It is refused', extensions: { code: 'INVALID_INPUT', field } }] },
  };
  await renderScreen({
    routes: [{ path: '/', element: <PasswordForm /> }],
    mocks: [hasPassword(true), refused] as never,
  });
  const form = within(await screen.findByRole('region', { name: 'Change password' }));
  for (const name of [/^Current password/, /^New password/, /^Confirm password/]) {
    fireEvent.change(await form.findByLabelText(name), { target: { value: 'x'.repeat(80) } });
  }
  fireEvent.click(form.getByRole('button', { name: 'Change password' }));
  await waitFor(() => {
    expect(form.getByLabelText(label)).toHaveAccessibleDescription(/It is refused/);
  });
});
