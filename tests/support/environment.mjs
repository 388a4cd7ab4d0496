import { TestEnvironment } from 'jest-environment-node';

/** When a test or a hook fails, `globalThis.onTestFailure(name)` of the test file runs, while the pages of a browser are open. */
export default class Environment extends TestEnvironment {
  async handleTestEvent({ name, test }) {
    if (name !== 'test_fn_failure' && name !== 'hook_failure') return;
    await this.global.onTestFailure?.(test?.name ?? name);
  }
}
