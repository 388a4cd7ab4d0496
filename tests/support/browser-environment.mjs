import { createRequire } from 'node:module';
import { TestEnvironment } from 'jest-environment-jsdom';

/** For a test that compares the console's code with the server's, which is loaded as `native-module.cjs` says. */
export default class BrowserEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    this.global.requireNatively = createRequire(import.meta.url);
  }
}
