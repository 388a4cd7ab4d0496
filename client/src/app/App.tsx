import { ApolloProvider } from '@apollo/client/react';
import CssBaseline from '@mui/material/CssBaseline';
import { ThemeProvider } from '@mui/material/styles';
import { useState } from 'react';
import { RouterProvider } from 'react-router-dom';
import { ConfirmProvider } from '../components/ConfirmProvider.js';
import { CopyProvider } from '../components/CopyProvider.js';
import { ToastProvider } from '../components/ToastProvider.js';
import { createApolloClient } from './apollo.js';
import { createRouter } from './router.js';
import { SecondFactorDialogs } from '../nouns/second-factors/SecondFactorDialogs.js';
import { StatusLoader } from '../nouns/status/StatusLoader.js';
import { consoleTheme, themeStorageKey } from '../theme/theme.js';

export function App() {
  const [router] = useState(createRouter);
  const [client] = useState(() =>
    createApolloClient(() => {
      const { pathname, search } = router.state.location;
      void client.clearStore();
      void router.navigate('/login?expired=true', { state: { from: pathname + search } });
    }),
  );
  return (
    // The console is never rendered on a server. Without `noSsr`, every component would be rendered twice: first
    // without a colour scheme, and then with it.
    <ThemeProvider theme={consoleTheme()} defaultMode="system" modeStorageKey={themeStorageKey} noSsr>
      <CssBaseline enableColorScheme />
      <ApolloProvider client={client}>
        <ConfirmProvider>
          <CopyProvider>
            <StatusLoader>
              <RouterProvider router={router} />
            </StatusLoader>
            <SecondFactorDialogs />
          </CopyProvider>
        </ConfirmProvider>
      </ApolloProvider>
      <ToastProvider />
    </ThemeProvider>
  );
}
