import { ApolloClient, InMemoryCache } from '@apollo/client';
import { MockLink } from '@apollo/client/testing';
import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { MemoryRouter } from 'react-router-dom';
import { changeLanguage, startI18n } from '../../i18n/i18n.js';
import { graphqlClient } from '../../lib/graphqlClient.js';
import { siteStatus } from '../../lib/status.js';
import { BeginProviderSignInDocument } from '../../nouns/sign-in/addedProviders.generated.js';
import { SignInWith } from '../../nouns/sign-in/SignInWith.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { OAuthLandingScreen } from './OAuthLandingScreen.js';

beforeEach(() => {
  const google = { slug: 'google', name: 'Google', icon: 'https://icons.example/google.svg' };
  siteStatus.set({ ...siteStatus.get(), signInProviders: [google] });
});

it('has a button for each provider that was added, although the page has no client of GraphQL yet', async () => {
  const asked: unknown[] = [];
  const begin: MockLink.MockedResponse = {
    request: {
      query: BeginProviderSignInDocument,
      variables: ({ input }) => {
        asked.push(input);
        return true;
      },
    },
    result: { errors: [{ message: 'stays here', extensions: { code: 'INVALID_INPUT' } }] },
  };
  const loaded = jest.fn(async () => new ApolloClient({ link: new MockLink([begin]), cache: new InMemoryCache() }));
  graphqlClient.use(loaded);
  await startI18n();
  await changeLanguage('en', false);
  render(
    <MemoryRouter>
      <SignInWith alone inviteCode="abcd" onEnter={() => undefined} />
    </MemoryRouter>,
  );
  const button = screen.getByRole('button', { name: 'Google' });
  expect(loaded).not.toHaveBeenCalled();
  fireEvent.click(button);
  await waitFor(() => expect(asked).toEqual([{ slug: 'google', inviteCode: 'abcd' }]));
});

it('hands code and state of such a provider on to the server, under the name of the provider', async () => {
  const called: string[] = [];
  globalThis.fetch = jest.fn(async (url: string) => {
    called.push(url);
    return { type: 'basic', text: async () => JSON.stringify({ success: true, message: 'bind' }) };
  }) as unknown as typeof fetch;
  await renderScreen({
    path: '/oauth/google?code=c&state=s',
    routes: [
      { path: '/oauth/:provider', element: <OAuthLandingScreen /> },
      { path: '/personal', element: <p>account</p> },
    ],
  });
  await screen.findByText('account');
  expect(called).toEqual(['/api/oauth/provider/google?code=c&state=s']);
});
