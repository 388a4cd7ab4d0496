import { createRequire } from 'node:module';
import { TestEnvironment } from 'jest-environment-jsdom';
import { disablingStorages } from './storages.mjs';

/** For the console's code. A test may compare it with the server's (`native-module.cjs`). */
export default class BrowserEnvironment extends disablingStorages(TestEnvironment) {
  async setup() {
    await super.setup();
    this.global.requireNatively = createRequire(import.meta.url);
  }
}
