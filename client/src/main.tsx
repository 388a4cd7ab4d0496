import createCache from '@emotion/cache';
import { CacheProvider } from '@emotion/react';
import '@fontsource-variable/geist';
import '@fontsource-variable/geist-mono';
import { startTransition, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/App.js';
import { createRouter, preloadScreen } from './app/router.js';
import { consoleTheme } from './theme/theme.js';
import './components/plain.css';
import { startI18n } from './i18n/i18n.js';
import { graphqlClient } from './lib/graphqlClient.js';
import { styleNonce } from './lib/nonce.js';

const cache = createCache({ key: 'tg', ...(styleNonce ? { nonce: styleNonce } : {}) });
const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root');

/** Ends the current task, so that start-up is not one long task on a slow phone. */
const yieldToBrowser = () => new Promise((resolve) => setTimeout(resolve));

async function start(container: HTMLElement): Promise<void> {
  const texts = startI18n();
  const router = createRouter();
  graphqlClient.use(async () => {
    const { createApolloClient } = await import('./app/apollo.js');
    return createApolloClient(() => {
      const { pathname, search } = router.state.location;
      void router.navigate('/login?expired=true', { state: { from: pathname + search } });
    });
  });
  await yieldToBrowser();
  consoleTheme();
  await yieldToBrowser();
  // The page already shows the top bar. Rendering starts once the screen is loaded.
  await Promise.all([texts, preloadScreen(location.pathname)]);
  await yieldToBrowser();
  // A transition renders in slices of a few milliseconds, so that the page stays responsive.
  startTransition(() =>
    createRoot(container).render(
      <StrictMode>
        <CacheProvider value={cache}>
          <App router={router} />
        </CacheProvider>
      </StrictMode>,
    ),
  );
}

// Not awaited at the top level: screen chunks import from this file and would wait for it. Without its texts the console
// can only show the message that is part of the page.
start(root).catch(() => document.getElementById('waiting-failed')?.removeAttribute('hidden'));
