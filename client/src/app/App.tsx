import { getApolloContext } from '@apollo/client/react';
import CssBaseline from '@mui/material/CssBaseline';
import { ThemeProvider } from '@mui/material/styles';
import { useEffect, useMemo } from 'react';
import { RouterProvider } from 'react-router-dom';
import { ConfirmProvider } from '../components/ConfirmProvider.js';
import { CopyProvider } from '../components/CopyProvider.js';
import { ToastProvider } from '../components/ToastProvider.js';
import { graphqlClient, useLoadedClient } from '../lib/graphqlClient.js';
import { useIsUsed } from '../lib/useIsUsed.js';
import type { createRouter } from './router.js';
import { SecondFactorDialogs } from '../nouns/second-factors/SecondFactorDialogs.js';
import { StatusLoader } from '../nouns/status/StatusLoader.js';
import { consoleTheme, themeStorageKey } from '../theme/theme.js';

const ApolloContext = getApolloContext();

export function App({ router }: { readonly router: ReturnType<typeof createRouter> }) {
  const client = useLoadedClient();
  const context = useMemo(() => (client ? { client } : {}), [client]);
  const isUsed = useIsUsed();
  useEffect(() => {
    // A form that is about to be sent needs the client. If its code cannot be loaded, sending loads it again and says so.
    if (isUsed) graphqlClient.load().catch(() => undefined);
  }, [isUsed]);
  return (
    // The console is never rendered on a server. Without `noSsr`, every component would be rendered twice: first
    // without a colour scheme, and then with it.
    <ThemeProvider theme={consoleTheme()} defaultMode="system" modeStorageKey={themeStorageKey} noSsr>
      <CssBaseline enableColorScheme />
      <ApolloContext.Provider value={context}>
        <ConfirmProvider>
          <CopyProvider>
            <StatusLoader>
              <RouterProvider router={router} />
            </StatusLoader>
            <SecondFactorDialogs />
          </CopyProvider>
        </ConfirmProvider>
      </ApolloContext.Provider>
      <ToastProvider />
    </ThemeProvider>
  );
}
