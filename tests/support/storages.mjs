import asyncHooks, { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Disables the storages that a test file made. Jest makes one for each file and leaves it enabled, and on Node 20 every promise of
 * a worker visits all that are: with fifty of them a promise takes thirty times as long.
 */
export const disablingStorages = (Environment) =>
  class extends Environment {
    storages = [];

    async setup() {
      await super.setup();
      const { storages } = this;
      asyncHooks.AsyncLocalStorage = class extends AsyncLocalStorage {
        constructor(...given) {
          super(...given);
          storages.push(this);
        }
      };
    }

    async teardown() {
      asyncHooks.AsyncLocalStorage = AsyncLocalStorage;
      for (const storage of this.storages) storage.disable();
      await super.teardown();
    }
  };
