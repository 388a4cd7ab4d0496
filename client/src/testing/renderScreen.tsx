import type { ApolloLink } from '@apollo/client';
import { InMemoryCache } from '@apollo/client';
import { MockedProvider } from '@apollo/client/testing/react';
import type { MockLink } from '@apollo/client/testing';
import { ThemeProvider } from '@mui/material/styles';
import { render, type RenderResult } from '@testing-library/react';
import { useEffect, type ReactNode } from 'react';
import { MemoryRouter, useLocation, useRoutes, type RouteObject } from 'react-router-dom';
import { theme } from '../app/theme/theme.js';
import { ConfirmProvider, preloadQuestions } from '../components/ConfirmProvider.js';
import { CopyProvider } from '../components/CopyProvider.js';
import { preloadToasts, ToastProvider } from '../components/toast.js';
import { changeLanguage, loadAllTexts, startI18n } from '../i18n/i18n.js';

export interface ScreenOptions {
  /** Where the reader is. */
  readonly path?: string;
  readonly routes: readonly RouteObject[];
  readonly mocks?: readonly MockLink.MockedResponse[];
  readonly link?: ApolloLink;
}

/** A screen with everything around it that the application gives it: theme, English, dialogs, toasts, scripted answers. */
export async function renderScreen({
  path = '/',
  routes,
  mocks = [],
  link,
}: ScreenOptions): Promise<RenderResult & { readonly location: () => string }> {
  await startI18n();
  await changeLanguage('en', false);
  await Promise.all([loadAllTexts(), preloadQuestions(), preloadToasts()]);
  let location = '';
  const result = render(
    <Surroundings mocks={mocks} {...(link ? { link } : {})}>
      <MemoryRouter initialEntries={[path]}>
        <Screen
          routes={routes}
          onLocation={(next) => {
            location = next;
          }}
        />
      </MemoryRouter>
    </Surroundings>,
  );
  return { ...result, location: () => location };
}

function Screen({
  routes,
  onLocation,
}: {
  readonly routes: readonly RouteObject[];
  readonly onLocation: (location: string) => void;
}) {
  const { pathname, search } = useLocation();
  useEffect(() => {
    onLocation(pathname + search);
  });
  return useRoutes([...routes]);
}

function Surroundings({
  mocks,
  link,
  children,
}: {
  readonly mocks: readonly MockLink.MockedResponse[];
  readonly link?: ApolloLink;
  readonly children: ReactNode;
}) {
  return (
    <ThemeProvider theme={theme} defaultMode="light">
      <MockedProvider mocks={mocks} cache={new InMemoryCache()} {...(link ? { link } : {})}>
        <ConfirmProvider>
          <CopyProvider>{children}</CopyProvider>
        </ConfirmProvider>
      </MockedProvider>
      <ToastProvider />
    </ThemeProvider>
  );
}
