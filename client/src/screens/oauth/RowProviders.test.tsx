import { fireEvent, screen, waitFor } from '@testing-library/react';
import { OAuthLandingScreen } from './OAuthLandingScreen.js';
import { answers } from '../../testing/lists.js';
import { renderScreen } from '../../testing/renderScreen.js';
import {
  BeginProviderSignInDocument,
  OfferedSignInProvidersDocument,
} from '../../nouns/sign-in/rowProviders.generated.js';
import { SignInWith } from '../../nouns/sign-in/SignInWith.js';

const offered = answers(OfferedSignInProvidersDocument, {
  offeredSignInProviders: [
    { __typename: 'OfferedSignInProvider', slug: 'google', name: 'Google', icon: 'https://icons.example/google.svg' },
  ],
});

it('has a button for each provider that was added, which begins there with the invite code', async () => {
  const asked: unknown[] = [];
  const begin = {
    request: {
      query: BeginProviderSignInDocument,
      variables: ({ input }: { input: unknown }) => {
        asked.push(input);
        return true;
      },
    },
    result: { errors: [{ message: 'stays here', extensions: { code: 'INVALID_INPUT' } }] },
  };
  await renderScreen({
    routes: [{ path: '/', element: <SignInWith alone inviteCode="abcd" onEnter={() => undefined} /> }],
    mocks: [offered, begin] as never,
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Google' }));
  await waitFor(() => expect(asked).toEqual([{ slug: 'google', inviteCode: 'abcd' }]));
});

it('hands code and state of such a provider on to the server, under the name of the provider', async () => {
  const called: string[] = [];
  globalThis.fetch = jest.fn(async (url: string) => {
    called.push(url);
    return { type: 'basic', json: async () => ({ success: true, message: 'bind' }) };
  }) as unknown as typeof fetch;
  await renderScreen({
    path: '/oauth/google?code=c&state=s',
    routes: [
      { path: '/oauth/:provider', element: <OAuthLandingScreen /> },
      { path: '/personal', element: <p>account</p> },
    ],
    mocks: [offered] as never,
  });
  await screen.findByText('account');
  expect(called).toEqual(['/api/oauth/provider/google?code=c&state=s']);
});
