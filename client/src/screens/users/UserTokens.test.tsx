import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { DeleteTokensDocument, DisableTokensDocument } from '../../nouns/tokens/tokenBulk.generated.js';
import { answers } from '../../testing/lists.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { UserTokensDocument } from './users.generated.js';
import { UserTokens } from './UserTokens.js';

const token = (id: number, name: string) => ({
  __typename: 'Token',
  id,
  name,
  maskedKey: 'sk-Jx4T****',
  status: 'ENABLED',
  lastUsedAt: null,
  usedUpBudgets: [],
  quota: { __typename: 'TokenQuota', remaining: null, used: 0 },
});
const tokens = answers(UserTokensDocument, {
  user: { __typename: 'User', id: 7, username: 'ada' },
  tokens: { __typename: 'TokenPage', totalCount: 2, items: [token(11, 'app'), token(12, 'bot')] },
});
const open = (canChange: boolean, ...mocks: readonly object[]) =>
  renderScreen({
    path: '/user',
    routes: [
      { path: '/user', element: <UserTokens id={7} groups={['vip']} canChange={canChange} onClosed={jest.fn()} /> },
    ],
    mocks: [tokens, ...mocks] as never,
  });

it('disables the selected tokens of a user, and keeps those that were refused', async () => {
  const failed = [
    {
      id: 12,
      code: 'INSUFFICIENT_PRIVILEGES',
      message: 'No permission to change a key of a user of the same or a higher level',
    },
  ];
  const disable = {
    request: { query: DisableTokensDocument, variables: { ids: [11, 12] } },
    result: jest.fn(() => ({ data: { disableTokens: { __typename: 'BulkPayload', done: [11], failed } } })),
  };
  await open(true, disable);
  fireEvent.click(await screen.findByRole('checkbox', { name: 'Select app' }));
  fireEvent.click(screen.getByRole('checkbox', { name: 'Select bot' }));
  screen.getByText('2 selected');
  fireEvent.click(screen.getByRole('button', { name: 'Disable' }));
  const question = within(await screen.findByRole('alertdialog', { name: 'Disable 2 tokens?' }));
  fireEvent.click(question.getByRole('button', { name: 'Disable' }));
  await screen.findByText(/^1 changed, 1 not. Token 12: You have no permission for this/);
  expect(disable.result).toHaveBeenCalledTimes(1);
  await waitFor(() => expect(screen.getByText('1 selected')).toBeVisible());
});

it('has nothing to select for those who may only read users', async () => {
  await open(false);
  await screen.findByText('app');
  expect(screen.queryByRole('checkbox')).toBeNull();
});

it('goes back to the last page when all tokens of a later one were deleted', async () => {
  let isDeleted = false;
  const page = {
    request: { query: UserTokensDocument, variables: () => true },
    result: ({ page: number }: { page: number }) => ({
      data: {
        user: { __typename: 'User', id: 7, username: 'ada' },
        tokens: {
          __typename: 'TokenPage',
          totalCount: isDeleted ? 20 : 21,
          items: number === 0 ? [token(11, 'app')] : isDeleted ? [] : [token(31, 'last')],
        },
      },
    }),
    maxUsageCount: 9,
  };
  const remove = {
    request: { query: DeleteTokensDocument, variables: { ids: [31] } },
    result: () => {
      isDeleted = true;
      return { data: { deleteTokens: { __typename: 'BulkPayload', done: [31], failed: [] } } };
    },
  };
  const element = <UserTokens id={7} groups={[]} canChange onClosed={jest.fn()} />;
  await renderScreen({ routes: [{ path: '/', element }], mocks: [page, remove] as never });
  fireEvent.click(await screen.findByRole('button', { name: 'Next page' }));
  fireEvent.click(await screen.findByRole('checkbox', { name: 'Select last' }));
  fireEvent.click(screen.getByRole('button', { name: 'Delete' }));
  const question = within(await screen.findByRole('alertdialog', { name: 'Delete 1 token?' }));
  fireEvent.click(question.getByRole('button', { name: 'Delete' }));
  await screen.findByText('1 token changed');
  expect(await screen.findByText('app')).toBeInTheDocument();
});
