import { createRequire } from 'node:module';
import { TestEnvironment } from 'jest-environment-node';

/**
 * Runs `globalThis.onTestFailure(name)` of the test file when a test or a hook fails, while the pages of a browser are open. The modules
 * of the server are loaded outside of the test file (`native-module.cjs`), so the file gets their `Date` and `Error`, and its spies
 * on them end with the file.
 */
export default class Environment extends TestEnvironment {
  async setup() {
    await super.setup();
    this.prepareStackTrace = Error.prepareStackTrace;
    Object.assign(this.global, { requireNatively: createRequire(import.meta.url), Date, Error });
  }

  async teardown() {
    this.moduleMocker?.restoreAllMocks();
    // After each file Jest empties the stacks of the file's own `Error`, which is shared here.
    Error.prepareStackTrace = this.prepareStackTrace;
    await super.teardown();
  }

  async handleTestEvent({ name, test }) {
    if (name !== 'test_fn_failure' && name !== 'hook_failure') return;
    await this.global.onTestFailure?.(test?.name ?? name);
  }
}
