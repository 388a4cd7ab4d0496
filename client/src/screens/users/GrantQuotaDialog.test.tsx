import { fireEvent, screen, waitFor } from '@testing-library/react';
import { renderScreen } from '../../testing/renderScreen.js';
import { GrantQuotaDialog, parseGrant, parseTarget } from './GrantQuotaDialog.js';
import {
  GrantQuotaDocument,
  UserDocument,
  type GrantQuotaMutationVariables,
  type UserRowFragment,
} from './users.generated.js';

const user = { id: 7, username: 'ada', quota: 1_000_000 } as UserRowFragment;
const onClose = jest.fn();
beforeEach(() => {
  jest.clearAllMocks();
});

const grant = (amount: number, result: object) => ({
  request: {
    query: GrantQuotaDocument,
    variables: ({ input }: GrantQuotaMutationVariables) =>
      input.userId === 7 &&
      input.amount === amount &&
      input.note === null &&
      /^[0-9a-f]{32}$/.test(input.idempotencyKey),
  },
  result: jest.fn(() => result),
});

const fullUser = {
  __typename: 'User',
  id: 7,
  username: 'ada',
  displayName: 'Ada',
  role: 'COMMON',
  status: 'ENABLED',
  email: null,
  group: 'default',
  usedQuota: 0,
  requestCount: 0,
  customRole: null,
  kind: 'PERSON',
  externalId: null,
  hasSecondFactor: false,
  deletedAt: null,
  invite: { __typename: 'Invite', count: 0 },
  createdAt: '2025-06-02T10:11:00.000Z',
};

/** The balance that the server has now. */
const balance = (quota: number) => ({
  request: { query: UserDocument, variables: { id: 7 } },
  result: { data: { user: { ...fullUser, quota, identities: [] } } },
  maxUsageCount: 9,
});

async function open(...mocks: object[]) {
  await renderScreen({
    routes: [{ path: '/', element: <GrantQuotaDialog user={user} onClose={onClose} /> }],
    mocks: mocks as never,
  });
  return screen.findByRole('textbox', { name: /Amount \(USD\)/ });
}

it.each([
  ['2.5', 1_250_000],
  ['-1', -500_000],
  ['+0.000002', 1],
  ['0', null],
  ['0.0000001', null],
  ['1e3', null],
  ['', null],
])('reads %j as %s quota', (text, quota) => {
  expect(parseGrant(text, 500_000)).toBe(quota);
});

it.each([
  ['3', 500_000],
  ['0', -1_000_000],
  ['0.5', -750_000],
  ['2', null],
  ['-1', null],
  ['', null],
])('takes a balance of $2 to %j by %s quota', (text, quota) => {
  expect(parseTarget(text, 1_000_000, 500_000)).toBe(quota);
});

it('sets a balance by what is missing or too much', async () => {
  const less = grant(-750_000, { data: { grantQuota: { user: { ...user, quota: 250_000 } } } });
  const amount = await open(less, balance(1_000_000));
  fireEvent.click(screen.getByRole('button', { name: 'Set to' }));
  fireEvent.change(amount, { target: { value: '2' } });
  fireEvent.click(screen.getByRole('button', { name: 'Set quota' }));
  await screen.findByText('Enter a different amount, with at most 6 decimals');
  fireEvent.change(amount, { target: { value: '0.5' } });
  expect(await screen.findByText('$2.00 → $0.50')).toBeInTheDocument();
  fireEvent.click(screen.getByRole('button', { name: 'Set quota' }));
  await waitFor(() => {
    expect(less.result).toHaveBeenCalledTimes(1);
  });
  await waitFor(() => {
    expect(onClose).toHaveBeenCalledTimes(1);
  });
});

it('sets a balance that has changed since the list was read', async () => {
  const less = grant(-1_250_000, { data: { grantQuota: { user: { ...user, quota: 250_000 } } } });
  const amount = await open(less, balance(1_500_000));
  fireEvent.click(screen.getByRole('button', { name: 'Set to' }));
  fireEvent.change(amount, { target: { value: '0.5' } });
  expect(await screen.findByText('$3.00 → $0.50')).toBeInTheDocument();
  fireEvent.click(screen.getByRole('button', { name: 'Set quota' }));
  await waitFor(() => {
    expect(less.result).toHaveBeenCalledTimes(1);
  });
});

it('shows what comes out before anything is saved', async () => {
  const amount = await open();
  expect(screen.getByText('$2.00 → –')).toBeInTheDocument();
  fireEvent.change(amount, { target: { value: '-3' } });
  expect(await screen.findByText('$2.00 → -$1.00')).toBeInTheDocument();
});

it.each([
  ['1000000000', '$2.00 → $1,000,000,002.00'],
  ['17999999998', '$2.00 → $18,000,000,000.00'],
  ['-18000000002', '$2.00 → -$18,000,000,000.00'],
])('takes %s to the greatest balance', async (text, shown) => {
  const amount = await open(balance(1_000_000));
  fireEvent.change(amount, { target: { value: text } });
  expect(await screen.findByText(shown)).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Add quota' })).toBeEnabled();
});

it.each([
  ['Add or deduct', 'Add quota', '17999999998.000002', '17999999998'],
  ['Add or deduct', 'Add quota', '-18000000002.000002', '-3'],
  ['Add or deduct', 'Add quota', '9'.repeat(30), '3'],
  ['Set to', 'Set quota', '18000000001', '18000000000'],
])('%s: %s says why it does not take %s, until the amount is possible', async (how, verb, text, possible) => {
  const amount = await open(balance(1_000_000));
  fireEvent.click(screen.getByRole('button', { name: how }));
  fireEvent.change(amount, { target: { value: text } });
  await screen.findByText('The balance can be from -$18,000,000,000 to $18,000,000,000');
  expect(amount).toBeInvalid();
  expect(screen.getByText('$2.00 → –')).toBeInTheDocument();
  expect(screen.getByRole('button', { name: verb })).toBeDisabled();
  const other = screen.getByRole('button', { name: how === 'Set to' ? 'Add or deduct' : 'Set to' });
  fireEvent.click(other);
  fireEvent.click(screen.getByRole('button', { name: how }));
  await screen.findByText(/^The balance can be from/);
  fireEvent.change(amount, { target: { value: possible } });
  await waitFor(() => expect(screen.queryByText(/^The balance can be from/)).toBeNull());
  expect(amount).toBeValid();
  expect(screen.getByRole('button', { name: verb })).toBeEnabled();
});

it('keeps what was typed when the server refuses, and says why at the field', async () => {
  const refused = grant(-1_500_000, {
    errors: [{ message: 'The balance would be negative', extensions: { code: 'INVALID_INPUT' } }],
  });
  const amount = await open(refused);
  fireEvent.change(amount, { target: { value: '-3' } });
  fireEvent.click(screen.getByRole('button', { name: 'Add quota' }));
  await screen.findByText('The balance would be negative');
  expect(amount).toHaveValue('-3');
  expect(amount).toBeInvalid();
  expect(onClose).not.toHaveBeenCalled();
});

it('refuses nothing and words, and asks the server for neither', async () => {
  const never = grant(0, {});
  const amount = await open(never);
  for (const text of ['0', 'much']) {
    fireEvent.change(amount, { target: { value: text } });
    fireEvent.click(screen.getByRole('button', { name: 'Add quota' }));
    await screen.findByText('Enter an amount other than 0, with at most 6 decimals');
  }
  await waitFor(() => {
    expect(amount).toHaveFocus();
  });
  expect(never.result).not.toHaveBeenCalled();
});
