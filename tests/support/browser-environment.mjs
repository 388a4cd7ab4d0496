import { createRequire } from 'node:module';
import { TestEnvironment } from 'jest-environment-jsdom';

/** For tests that compare the console's code with the server's. */
export default class BrowserEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    this.global.requireNatively = createRequire(import.meta.url);
  }
}
