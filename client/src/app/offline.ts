import { createStore, useStore } from '../lib/store.js';

/** True from a request without a response until the next one that gets a response. */
export const offline = (() => {
  const store = createStore(false);
  return {
    store,
    set(value: boolean): void {
      if (store.get() !== value) store.set(value);
    },
  };
})();

export const useIsOffline = (): boolean => useStore(offline.store);

// The browser knows at once that there is no network; otherwise the next request finds out.
addEventListener('offline', () => offline.set(true));
addEventListener('online', () => offline.set(false));
