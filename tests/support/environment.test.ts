interface Environment {
  teardown(): Promise<void>;
}
type EnvironmentClass = new (config: { projectConfig: object }) => Environment;

const projectConfig = { fakeTimers: {}, testEnvironmentOptions: { customExportConditions: ['node'] } };

async function openEnvironment(): Promise<Environment> {
  const path = './environment.mjs';
  const { default: SharedEnvironment } = (await import(path)) as { default: EnvironmentClass };
  return new SharedEnvironment({ projectConfig });
}

/** Each file finds the worker as the first one did, although all of them run in its context. */
describe('at the end of a file', () => {
  it('environment variables are restored', async () => {
    process.env.TEST_KEPT = 'before';
    const environment = await openEnvironment();
    process.env.TEST_KEPT = 'after';
    process.env.TEST_ADDED = 'yes';
    await environment.teardown();
    expect([process.env.TEST_KEPT, process.env.TEST_ADDED]).toEqual(['before', undefined]);
    delete process.env.TEST_KEPT;
  });

  it('replaced globals are restored, and what a file set for Jest is removed', async () => {
    const { fetch } = globalThis;
    const environment = await openEnvironment();
    Object.assign(globalThis, { fetch: () => undefined, onTestFailure: () => undefined });
    await environment.teardown();
    expect(globalThis.fetch).toBe(fetch);
    expect(globalThis).not.toHaveProperty('onTestFailure');
  });

  it('fake timers end', async () => {
    const { setTimeout: real } = globalThis;
    const environment = await openEnvironment();
    const { fakeTimersModern } = environment as unknown as { fakeTimersModern: { useFakeTimers(): void } };
    fakeTimersModern.useFakeTimers();
    expect(globalThis.setTimeout).not.toBe(real);
    await environment.teardown();
    expect(globalThis.setTimeout).toBe(real);
  });
});
