const hooks = require('node:async_hooks');

/**
 * Jest runs each test in an `AsyncLocalStorage`, to know the test of an error that nothing caught. On Node 20 V8 then
 * calls a hook for every promise, which took up to a tenth of the CPU time of a test. Tests of a file run one after
 * another here, so the test of such an error is the one that runs.
 */
class PlainContext {
  getStore() {
    return this.store;
  }

  run(store, callback) {
    const before = this.store;
    const restore = () => (this.store = before);
    this.store = store;
    let result;
    try {
      result = callback();
    } catch (error) {
      restore();
      throw error;
    }
    if (typeof result?.then !== 'function') restore();
    else result.then(restore, restore);
    return result;
  }
}

/** For the storage that Jest makes after the setup of a file. */
const { AsyncLocalStorage } = hooks;
hooks.AsyncLocalStorage = function () {
  hooks.AsyncLocalStorage = AsyncLocalStorage;
  return new Error().stack.includes('jest-circus') ? new PlainContext() : new AsyncLocalStorage();
};
