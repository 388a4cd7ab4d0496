import { ApolloLink, InMemoryCache } from '@apollo/client';
import { MockedProvider } from '@apollo/client/testing/react';
import { MockLink } from '@apollo/client/testing';
import { ThemeProvider } from '@mui/material/styles';
import { render, type RenderResult } from '@testing-library/react';
import { OperationTypeNode } from 'graphql';
import { useState, type ReactNode } from 'react';
import { NEVER } from 'rxjs';
import { createMemoryRouter, RouterProvider, type RouteObject } from 'react-router-dom';
import { consoleTheme } from '../theme/theme.js';
import { ConfirmProvider } from '../components/ConfirmProvider.js';
import { CopyProvider } from '../components/CopyProvider.js';
import { Toasts } from '../components/Toasts.js';
import { changeLanguage, loadAllTexts, startI18n } from '../i18n/i18n.js';

export interface ScreenOptions {
  /** The path of the current screen. */
  readonly path?: string;
  readonly routes: readonly RouteObject[];
  /** Scripted responses. A query without one fails, as without a network. */
  readonly mocks?: readonly MockLink.MockedResponse[];
  readonly link?: ApolloLink;
  /** Link for subscriptions; without one they emit nothing. */
  readonly live?: ApolloLink;
}

/** A screen with everything around it that the application gives it: theme, English, dialogs, toasts, scripted answers. */
export async function renderScreen({
  path = '/',
  routes,
  mocks = [],
  link,
  live,
}: ScreenOptions): Promise<RenderResult & { readonly location: () => string }> {
  await startI18n();
  await changeLanguage('en', false);
  await loadAllTexts();
  const router = createMemoryRouter([...routes], { initialEntries: [path] });
  const result = render(
    <Surroundings link={link ?? new MockLink(mocks, { showWarnings: false })} live={live ?? silent}>
      <RouterProvider router={router} />
    </Surroundings>,
  );
  return { ...result, location: () => router.state.location.pathname + router.state.location.search };
}

const silent = new ApolloLink(() => NEVER);

function Surroundings({
  link,
  live,
  children,
}: {
  readonly link: ApolloLink;
  readonly live: ApolloLink;
  readonly children: ReactNode;
}) {
  const [both] = useState(() =>
    ApolloLink.split(({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION, live, link),
  );
  return (
    <ThemeProvider theme={consoleTheme()} defaultMode="light">
      <MockedProvider link={both} cache={new InMemoryCache()}>
        <ConfirmProvider>
          <CopyProvider>{children}</CopyProvider>
        </ConfirmProvider>
      </MockedProvider>
      <Toasts />
    </ThemeProvider>
  );
}
