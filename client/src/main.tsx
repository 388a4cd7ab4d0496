import createCache from '@emotion/cache';
import { CacheProvider } from '@emotion/react';
import '@fontsource-variable/geist';
import '@fontsource-variable/geist-mono';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/App.js';
import { startI18n } from './i18n/i18n.js';

// Where the content security policy names a nonce for styles, the page carries it.
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content;
if (nonce) Object.assign(globalThis, { __nonce__: nonce });
const cache = createCache({ key: 'tg', ...(nonce ? { nonce } : {}) });

const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root');

await startI18n();
createRoot(root).render(
  <StrictMode>
    <CacheProvider value={cache}>
      <App />
    </CacheProvider>
  </StrictMode>,
);
