import createCache from '@emotion/cache';
import { CacheProvider } from '@emotion/react';
import '@fontsource-variable/geist';
import '@fontsource-variable/geist-mono';
import { startTransition, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/App.js';
import { preloadScreen } from './app/router.js';
import './components/plain.css';
import { startI18n } from './i18n/i18n.js';
import { styleNonce } from './lib/nonce.js';

const cache = createCache({ key: 'tg', ...(styleNonce ? { nonce: styleNonce } : {}) });
const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root');

const texts = startI18n();
preloadScreen(location.pathname);
await texts;
// In pieces of a few milliseconds: a slow phone answers its user in between.
startTransition(() => {
  createRoot(root).render(
    <StrictMode>
      <CacheProvider value={cache}>
        <App />
      </CacheProvider>
    </StrictMode>,
  );
});
