import './early/early.js';
import createCache from '@emotion/cache';
import { CacheProvider } from '@emotion/react';
import '@fontsource-variable/geist';
import '@fontsource-variable/geist-mono';
import { startTransition, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/App.js';
import { preloadScreen } from './app/router.js';
import { consoleTheme } from './app/theme/theme.js';
import './components/plain.css';
import { startI18n } from './i18n/i18n.js';
import { styleNonce } from './lib/nonce.js';

const cache = createCache({ key: 'tg', ...(styleNonce ? { nonce: styleNonce } : {}) });
const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root');

/** A moment for the browser: what has run until here and what comes would be one long task of a slow phone. */
const breath = () => new Promise((resolve) => setTimeout(resolve));

async function start(container: HTMLElement): Promise<void> {
  const texts = startI18n();
  await breath();
  consoleTheme();
  await breath();
  // The page has shown its bar by now, and nothing else is worth showing before the screen is here.
  await Promise.all([texts, preloadScreen(location.pathname)]);
  await breath();
  // In pieces of a few milliseconds: a slow phone answers its user in between.
  startTransition(() => {
    createRoot(container).render(
      <StrictMode>
        <CacheProvider value={cache}>
          <App />
        </CacheProvider>
      </StrictMode>,
    );
  });
}

// Not waited for here: the screens import from this file, and would wait for its end in turn. Without texts there is nothing
// to say but what the page itself has.
start(root).catch(() => {
  document.getElementById('waiting-failed')?.removeAttribute('hidden');
});
