import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { answers } from '../../testing/lists.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { tokenRow } from '../../testing/tokenRow.js';
import { TokenListScreen } from './TokenListScreen.js';
import {
  EndTokenOverlapDocument,
  MyTokensDocument,
  RotateTokenDocument,
  TokenKeyDocument,
} from './tokens.generated.js';

const list = (...items: readonly object[]) => ({
  myTokens: { __typename: 'TokenPage', totalCount: items.length, items },
});
const inDay = (): number => Date.now() + 24 * 3_600_000;

async function open(token: ReturnType<typeof tokenRow>, ...mocks: object[]) {
  const routes = [{ path: '/token', element: <TokenListScreen /> }];
  await renderScreen({ path: '/token', routes, mocks: [answers(MyTokensDocument, list(token)), ...mocks] as never });
  fireEvent.click(await screen.findByRole('button', { name: 'More actions for token mine' }));
}

it('asks how long the old key works, a day unless changed, and shows the new key', async () => {
  const asked: Array<{ id: number; overlapUntil: string | null }> = [];
  const rotated = {
    ...tokenRow(1, 'mine'),
    modelLimits: ['o3-mini'],
    previousKeyUntil: new Date(inDay()).toISOString(),
  };
  const variables = ({ input }: { input?: { id: number; overlapUntil: string | null } }) => {
    if (input) asked.push(input);
    return true;
  };
  await open(tokenRow(1, 'mine'), {
    request: { query: RotateTokenDocument, variables },
    result: { data: { rotateToken: { __typename: 'RotateTokenPayload', key: 'sk-new', token: rotated } } },
  });
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Rotate…' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Rotate the key of “mine”?' }));
  dialog.getByText('For 1 more day');
  fireEvent.click(dialog.getByRole('button', { name: 'Rotate key' }));
  await screen.findByText('Token “mine” is ready');
  screen.getByText('sk-new');
  // The example calls a model that the key may call.
  screen.getByText(/"model":"o3-mini"/);
  const until = Date.parse(asked[0]?.overlapUntil ?? '');
  expect(asked[0]?.id).toBe(1);
  expect(Math.abs(until - inDay())).toBeLessThan(60_000);
  // The list says until when the old key works.
  await screen.findByText(/^Old key until \d\d-\d\d \d\d:\d\d$/);
});

it('sends the same request again after a lost response', async () => {
  const asked: object[] = [];
  const variables = ({ input }: { input?: object }) => {
    if (input) asked.push(input);
    return true;
  };
  const request = { query: RotateTokenDocument, variables };
  const rotated = tokenRow(1, 'mine');
  await open(
    tokenRow(1, 'mine'),
    { request, error: new Error('connection lost') },
    { request, result: { data: { rotateToken: { __typename: 'RotateTokenPayload', key: 'sk-new', token: rotated } } } },
  );
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Rotate…' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Rotate the key of “mine”?' }));
  fireEvent.click(dialog.getByRole('button', { name: 'Rotate key' }));
  await dialog.findByText('Unable to connect to server');
  await new Promise((resolve) => setTimeout(resolve, 5));
  fireEvent.click(dialog.getByRole('button', { name: 'Rotate key' }));
  await screen.findByText('sk-new');
  const [first, again] = [asked[0], asked.at(-1)];
  expect(first).toEqual({ id: 1, overlapUntil: expect.any(String), idempotencyKey: expect.any(String) });
  expect(again).toEqual(first);
});

it('shows where a key was used last, and ends an overlap', async () => {
  const token = tokenRow(1, 'mine', {
    previousKeyUntil: '2125-07-01T12:00:00.000Z',
    lastUse: { address: '203.0.113.9', at: new Date().toISOString() },
  });
  const ended = { ...token, previousKeyUntil: null };
  await open(token, {
    request: { query: EndTokenOverlapDocument, variables: { id: 1 } },
    result: { data: { endTokenOverlap: { __typename: 'EndTokenOverlapPayload', token: ended } } },
  });
  fireEvent.click(await screen.findByRole('menuitem', { name: 'End old key now' }));
  fireEvent.click(await screen.findByRole('button', { name: 'End old key' }));
  await screen.findByText('The old key of “mine” has ended');
  await screen.findByText(/^203\.0\.113\.9, .+$/);
  await waitFor(() => {
    expect(screen.queryByText(/^Old key until/)).not.toBeInTheDocument();
  });
});

it('no longer shows the old key in the list after a rotation', async () => {
  const rotated = tokenRow(1, 'mine', { maskedKey: 'sk-New1****abcd' });
  const routes = [{ path: '/token', element: <TokenListScreen /> }];
  const mocks = [
    answers(MyTokensDocument, list(tokenRow(1, 'mine'))),
    answers(TokenKeyDocument, { tokenKey: 'sk-the-old-one' }),
    answers(RotateTokenDocument, {
      rotateToken: { __typename: 'RotateTokenPayload', key: 'sk-the-new-one', token: rotated },
    }),
  ];
  await renderScreen({ path: '/token', routes, mocks: mocks as never });
  fireEvent.click(await screen.findByRole('button', { name: 'Show key of mine' }));
  await screen.findByText('sk-the-old-one');
  fireEvent.click(screen.getByRole('button', { name: 'More actions for token mine' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Rotate…' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Rotate key' }));
  await screen.findByText('Token “mine” is ready');
  expect(screen.queryByText('sk-the-old-one')).toBeNull();
  screen.getByText('sk-New1…abcd');
});
