import { createStore, useStore } from '../lib/store.js';

/** True after a call that got no answer, until one does. */
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
