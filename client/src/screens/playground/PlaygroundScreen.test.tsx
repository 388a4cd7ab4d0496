import { screen, waitFor } from '@testing-library/react';
import { answers } from '../../testing/lists.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { signInAs } from '../../testing/signInAs.js';
import { PlaygroundDocument } from './playground.generated.js';
import { PlaygroundScreen } from './PlaygroundScreen.js';

beforeEach(() => signInAs());

it('says that a key is needed and where one is made, and opens the tokens after 1.5 s', async () => {
  const { location } = await renderScreen({
    path: '/playground',
    routes: [
      { path: '/playground', element: <PlaygroundScreen /> },
      { path: '/token', element: null },
    ],
    mocks: [
      answers(PlaygroundDocument, {
        me: { __typename: 'User', id: 1, group: 'default' },
        myGroups: [],
        myTokens: { __typename: 'OwnTokenPage', totalCount: 0 },
        pricing: { __typename: 'Pricing', models: [] },
      }),
    ] as never,
  });
  expect(await screen.findByRole('heading', { name: 'The playground needs an API token' })).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Create token' })).toHaveAttribute('href', '/token?row=new');
  expect(screen.getByRole('link', { name: 'Open API tokens' })).toHaveAttribute('href', '/token');
  expect(screen.queryByRole('alert')).toBeNull();
  expect(location()).toBe('/playground');
  await waitFor(() => expect(location()).toBe('/token'), { timeout: 3000 });
});

it('offers no sample prompts where there is no model to send them to', async () => {
  await renderScreen({
    path: '/playground',
    routes: [{ path: '/playground', element: <PlaygroundScreen /> }],
    mocks: [
      answers(PlaygroundDocument, {
        me: { __typename: 'User', id: 1, group: 'default' },
        myGroups: [],
        myTokens: { __typename: 'OwnTokenPage', totalCount: 1 },
        pricing: { __typename: 'Pricing', models: [] },
      }),
    ] as never,
  });
  expect(await screen.findByRole('heading', { name: 'Start a conversation' })).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: /Python/ })).toBeNull();
});
