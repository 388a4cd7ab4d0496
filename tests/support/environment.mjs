import { TestEnvironment } from 'jest-environment-node';

/**
 * The environment of tests that drive a browser. When a test or a hook fails, `globalThis.onTestFailure(name)` of the
 * test file runs, and the pages are still open (`e2e/console-page.ts`).
 */
export default class BrowserTestEnvironment extends TestEnvironment {
  async handleTestEvent({ name, test }) {
    if (name !== 'test_fn_failure' && name !== 'hook_failure') return;
    await this.global.onTestFailure?.(test?.name ?? name);
  }
}
