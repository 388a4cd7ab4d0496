import { fireEvent, screen, within } from '@testing-library/react';
import { DeleteTokensDocument, DisableTokensDocument } from '../../nouns/tokens/tokenBulk.generated.js';
import { answers } from '../../testing/lists.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { signInAs } from '../../testing/signInAs.js';
import { tokenRow } from '../../testing/tokenRow.js';
import { TokenScreen } from './TokenScreen.js';
import { TokenPageDocument } from './tokens.generated.js';

const page = (items: readonly object[]) => ({ __typename: 'TokenPage', items });
const owner = { __typename: 'User', id: 7, username: 'ada' };
const ofAda = [
  {
    request: { query: TokenPageDocument, variables: { id: 3, own: true } },
    result: { data: { myTokens: page([]) } },
    maxUsageCount: 9,
  },
  {
    request: { query: TokenPageDocument, variables: { id: 3, own: false } },
    result: { data: { tokens: page([{ ...tokenRow(3, 'Laptop'), user: owner }]) } },
    maxUsageCount: 9,
  },
];
const open = (...mocks: readonly object[]) =>
  renderScreen({
    path: '/token/3',
    routes: [
      { path: '/token/:id', element: <TokenScreen /> },
      { path: '/user/:id', element: 'the page of the owner' },
    ],
    mocks: [...ofAda, ...mocks] as never,
  });
const outcome = (name: string) =>
  answers(name === 'disableTokens' ? DisableTokensDocument : DeleteTokensDocument, {
    [name]: { __typename: 'BulkPayload', done: [3], failed: [] },
  });

it('lets admins who may change users disable and delete the key of a user', async () => {
  signInAs('USERS_READ', 'USERS_WRITE');
  const { location } = await open(outcome('disableTokens'), outcome('deleteTokens'));
  fireEvent.click(await screen.findByRole('button', { name: 'Disable' }));
  await screen.findByText('1 token changed');
  fireEvent.click(screen.getByRole('button', { name: 'More actions' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Delete' }));
  const question = within(await screen.findByRole('alertdialog'));
  fireEvent.click(question.getByRole('button', { name: 'Delete' }));
  await screen.findByText('the page of the owner');
  expect(location()).toBe('/user/7');
});

it('offers no change to readers of users', async () => {
  signInAs('USERS_READ');
  await open();
  await screen.findByRole('heading', { level: 1, name: 'Laptop' });
  expect(screen.queryByRole('button', { name: 'Disable' })).toBeNull();
  expect(screen.queryByRole('button', { name: 'More actions' })).toBeNull();
});
