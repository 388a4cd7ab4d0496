import { fireEvent, screen } from '@testing-library/react';
import { session } from '../../lib/session.js';
import { siteStatus } from '../../lib/status.js';
import { answers } from '../../testing/lists.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { ChatKeyDocument, FirstTokenDocument } from './chat.generated.js';
import { ChatScreen } from './ChatScreen.js';

const link = 'https://chat.example/?key={key}';

function open() {
  const readKey = jest.fn(() => ({ data: { tokenKey: 'sk-first' } }));
  const key = { request: { query: ChatKeyDocument, variables: () => true }, result: readKey, maxUsageCount: 9 };
  const first = answers(FirstTokenDocument, {
    myTokens: { __typename: 'OwnTokenPage', items: [{ __typename: 'OwnToken', id: 4 }] },
  });
  return renderScreen({
    path: '/chat/0',
    routes: [{ path: '/chat/:id', element: <ChatScreen /> }],
    mocks: [first, key] as never,
  }).then((shown) => ({ ...shown, readKey }));
}

beforeEach(() => {
  localStorage.clear();
  session.start({ id: 3, username: 'mira', displayName: '', role: 1, status: 1, group: 'default' });
  siteStatus.set({ ...siteStatus.get(), chatLinks: [{ name: 'Local', link }] });
});
afterEach(() => session.end());

it('reads no key before the user agrees to send it to the host, and asks once per link', async () => {
  const { readKey, unmount } = await open();
  await screen.findByText(/Host: chat\.example/);
  expect(readKey).not.toHaveBeenCalled();
  expect(screen.queryByTitle('Local')).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Send the token and open' }));
  expect(await screen.findByTitle('Local')).toHaveAttribute('src', 'https://chat.example/?key=sk-first');
  expect(JSON.stringify({ ...localStorage })).not.toContain('sk-first');
  // A frame of another site does not report that it failed, so there is always another way.
  expect(screen.getByRole('link', { name: 'open it in a new tab' })).toHaveAttribute('target', '_blank');
  unmount();

  const again = await open();
  await screen.findByTitle('Local');
  again.unmount();

  session.start({ id: 5, username: 'noor', displayName: '', role: 1, status: 1, group: 'default' });
  await open();
  await screen.findByText(/Host: chat\.example/);
});

it('sends the key of the token that the address names', async () => {
  const asked: unknown[] = [];
  const record = (data: object) => (variables: unknown) => (asked.push(variables), Boolean(data));
  const token = { myTokens: { __typename: 'OwnTokenPage', items: [{ __typename: 'OwnToken', id: 7 }] } };
  await renderScreen({
    path: '/chat/0?token=7',
    routes: [{ path: '/chat/:id', element: <ChatScreen /> }],
    mocks: [
      { request: { query: FirstTokenDocument, variables: record(token) }, result: { data: token }, maxUsageCount: 9 },
      {
        request: { query: ChatKeyDocument, variables: record({}) },
        result: { data: { tokenKey: 'sk-seven' } },
        maxUsageCount: 9,
      },
    ] as never,
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Send the token and open' }));
  expect(await screen.findByTitle('Local')).toHaveAttribute('src', 'https://chat.example/?key=sk-seven');
  expect(asked).toContainEqual({ ids: [7] });
  expect(asked.at(-1)).toEqual({ id: 7 });
});
