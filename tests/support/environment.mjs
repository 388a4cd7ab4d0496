import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/** Set on the global object by Jest for the file that runs. What packages set there stays, as they do (`runtime.cjs`). */
const ofJest =
  /^(?:[fx]?(?:it|test|describe)|(?:before|after)(?:All|Each)|expect|jest.*|\$\$jest.*|JEST_.*|EVENT_HANDLERS|RETRY_.*|WAIT_BEFORE_RETRY|TEST_TIMEOUT_SYMBOL|LOG_ERRORS_BEFORE_RETRY|onTestFailure)$/;

/**
 * Runs tests in the context of the worker itself, and restores at the end of each file what the file or Jest changed: the
 * global object and the environment variables.
 *
 * When a test or a hook fails, `globalThis.onTestFailure(name)` of the test file runs, and the pages of a browser are
 * still open (`e2e/console-page.ts`).
 */
export default class SharedEnvironment {
  /** Read by `runtime.cjs`. */
  sharesContext = true;

  constructor({ projectConfig }) {
    this.global = globalThis;
    this.fakeTimers = null;
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    this.moduleMocker = new ModuleMocker(globalThis);
    this.conditions = projectConfig.testEnvironmentOptions.customExportConditions;
    this.restore = rememberProcess();
  }

  async setup() {
    // Node's own limit. Jest sets 100, and errors that a library throws by the thousand then take longer than all else.
    Error.stackTraceLimit = 10;
  }

  async teardown() {
    this.fakeTimersModern.dispose();
    this.restore();
  }

  exportConditions() {
    return this.conditions;
  }

  getVmContext() {
    return this.global;
  }

  async handleTestEvent({ name, test }) {
    if (name !== 'test_fn_failure' && name !== 'hook_failure') return;
    await this.global.onTestFailure?.(test?.name ?? name);
  }
}

/** @returns a function that restores the state of this moment */
function rememberProcess() {
  const globals = new Map(
    Reflect.ownKeys(globalThis).map((key) => [key, Object.getOwnPropertyDescriptor(globalThis, key)]),
  );
  const variables = { ...process.env };
  const { exit, exitCode } = process;
  return () => {
    for (const key of Reflect.ownKeys(globalThis)) {
      const before = globals.get(key);
      const now = Object.getOwnPropertyDescriptor(globalThis, key);
      if (!now.configurable) continue;
      const isSame = before && before.value === now.value && before.get === now.get;
      if (before && !isSame) Object.defineProperty(globalThis, key, before);
      else if (!before && ofJest.test(typeof key === 'symbol' ? key.description : key)) delete globalThis[key];
    }
    for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
    Object.assign(process.env, variables);
    Object.assign(process, { exit, exitCode });
  };
}
