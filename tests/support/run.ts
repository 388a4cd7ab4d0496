import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { findMariaDb } from './move-in/mariadb.js';
import { sweepScratch } from './scratch.js';
import { findBrowser } from './services/browser.js';
import { findPostgres } from './services/postgres.js';
import type { Service } from './services/processes.js';
import { findRedis } from './services/redis.js';

const root = join(import.meta.dirname, '../..');

/** The fields of Jest's JSON report that are used here. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  /** Files that could not be executed. */
  readonly numRuntimeErrorTestSuites: number;
  /** One entry per file. */
  readonly testResults: readonly FileReport[];
}

interface FileReport {
  readonly name: string;
  readonly status: 'passed' | 'failed' | 'focused';
  readonly assertionResults: ReadonlyArray<{
    readonly status: string;
    readonly fullName: string;
    /** With colours and the stack. */
    readonly failureMessages?: readonly string[];
  }>;
}

/** The environment of each suite, which `jest.config.mjs` and the tests read. */
const suites: Readonly<Record<string, Record<string, string>>> = {
  '--quick': { TEST_SUITE: 'quick', FUZZ_CASES: '200' },
  '--full': { TEST_SUITE: 'full', KILLS: '50', FUZZ_CASES: '100000', OUTAGE_SECONDS: '20' },
};
/**
 * With room for new objects, they are moved less often. Only hot code is compiled again, because most code of a test runs
 * a few times.
 */
const nodeParameters = ['--max-semi-space-size=32', '--interrupt-budget=1000000'];
/** Up to this many failed files run a second time. More of them are no accident. */
const maxRepeated = 5;

/**
 * Finds or starts what the tests need, builds what they run, runs them, and stops what it started. The last line is `N
 * passed, N failed`.
 * @param words `--quick` leaves out browsers and faults, `--full` runs more kills and fuzz cases; everything else goes to
 * Jest
 * @returns the exit code
 */
async function run(words: string[]): Promise<number> {
  const suite = words.find((word) => word in suites) ?? '';
  const parameters = words.filter((word) => word !== suite);
  const services: Service[] = [];
  let stopping: Promise<void> | undefined;
  // Once: under npm a terminal's Ctrl-C arrives twice.
  const stop = (): Promise<void> => (stopping ??= stopAll(services));
  // A signal to this process stops everything it started, Jest first because it started last. The listener stays
  // registered: libraries that clean up on signals end a process at once when it has no other listener.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => void stop().finally(() => process.exit(1)));
  }
  try {
    sweepScratch();
    const environment = {
      ...(await prepare(services, suite)),
      ...suites[suite],
      ...process.env,
      TEST_IS_BUILT: 'true',
    };
    await build();
    const { code, report } = await runJest(parameters, environment, services);
    const failed = report?.testResults.filter(({ status }) => status === 'failed') ?? [];
    // Who names files wants to see how they fail.
    const repeats = parameters.length === 0 && failed.length > 0 && failed.length <= maxRepeated;
    if (report === null || !repeats) return conclude(code, report);
    // One at a time: what fails again is not a matter of a busy machine.
    console.log(`Running ${failed.length} failed files again, one at a time`);
    const files = failed.map(({ name }) => name);
    // A test that hangs leaves connections open, for which Jest would wait in its own process.
    const again = await runJest(['--runInBand', '--forceExit', '--runTestsByPath', ...files], environment, services);
    return concludeBoth(report, again, failed);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    console.log('0 passed, 1 failed');
    return 1;
  } finally {
    await stop();
  }
}

async function stopAll(services: Service[]): Promise<void> {
  for (const service of services.splice(0).reverse()) await service.stop();
}

/** @returns the environment variables that tests read */
async function prepare(services: Service[], suite: string): Promise<Record<string, string>> {
  const postgres = await findPostgres();
  services.push(postgres);
  print('Database', postgres.description);

  const redis = await findRedis();
  if (redis) services.push(redis);
  print('Redis', redis?.description ?? optional('none found: only the in-process store is tested', 'Redis'));

  const mariadb = findMariaDb();
  print(
    'MariaDB',
    mariadb
      ? `found on this machine (${mariadb.server})`
      : optional('none found: moving in from MySQL is not tested', 'MariaDB'),
  );

  const browser = suite === '--quick' ? null : findBrowser();
  if (suite !== '--quick') {
    print('Browser', browser?.description ?? optional('none found: browser tests are left out', 'browser'));
  }
  return {
    TEST_DATABASE_URL: postgres.url,
    ...(redis ? { TEST_REDIS_URL: redis.url } : {}),
    ...(browser ? { CHROMIUM_PATH: browser.path } : { TEST_BROWSER: 'none' }),
  };
}

/** A service may be missing on a developer's machine. In CI that is a failure, because it would go unnoticed. */
function optional(otherwise: string, service: string): string {
  if (process.env.CI) throw new Error(`no ${service} found, and in CI nothing is left out`);
  return otherwise;
}

const print = (service: string, where: string): void => console.log(`${`${service}:`.padEnd(10)}${where}`);

async function build(): Promise<void> {
  const builder = pathToFileURL(join(root, 'scripts/build.mjs')).href;
  const { ensureBuilt } = (await import(builder)) as { ensureBuilt(parts: readonly string[]): Promise<void> };
  await ensureBuilt(['server', 'client']);
}

async function runJest(
  parameters: string[],
  environment: NodeJS.ProcessEnv,
  services: Service[],
): Promise<{ code: number; report: Report | null }> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-jest-'));
  const file = join(folder, 'report.json');
  try {
    const jest = join(root, 'node_modules/jest/bin/jest.js');
    const child = spawn(process.execPath, [...nodeParameters, jest, '--json', `--outputFile=${file}`, ...parameters], {
      cwd: root,
      // Jest writes its report to standard output too; people read standard error.
      stdio: ['inherit', 'ignore', 'inherit'],
      env: environment,
    });
    const ended = once(child, 'exit') as Promise<[number | null]>;
    services.push({
      url: '',
      description: 'Jest',
      stop: async () => {
        child.kill();
        await ended;
      },
    });
    const [code] = await ended;
    return { code: code ?? 1, report: await readReport(file) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readReport(file: string): Promise<Report | null> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Report;
  } catch {
    return null; // Jest ended before it could write one.
  }
}

/**
 * Counts each file by its last run, and names the tests that passed only then: each is a race, in the test or in the
 * product, to be mended.
 */
function concludeBoth(first: Report, again: { code: number; report: Report | null }, failed: FileReport[]): number {
  if (again.report === null) return conclude(1, first);
  const unsteady = failed.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'failed'),
  );
  const second = new Set(
    again.report.testResults.flatMap(({ assertionResults }) =>
      assertionResults.filter(({ status }) => status === 'passed').map(({ fullName }) => fullName),
    ),
  );
  for (const { fullName, failureMessages = [] } of unsteady) {
    const reason = stripVTControlCharacters(failureMessages.join(' ')).replace(/\s+/g, ' ').slice(0, 300);
    if (second.has(fullName)) console.log(`Passed at the second attempt: ${fullName}: ${reason}`);
  }
  const countOf = (status: string): number =>
    failed.flatMap(({ assertionResults }) => assertionResults.filter((each) => each.status === status)).length;
  return conclude(again.code, {
    ...again.report,
    numPassedTests: first.numPassedTests - countOf('passed') + again.report.numPassedTests,
    numPendingTests: first.numPendingTests - countOf('pending') + again.report.numPendingTests,
  });
}

function conclude(code: number, report: Report | null): number {
  const passed = report?.numPassedTests ?? 0;
  const failed = (report?.numFailedTests ?? 0) + (report?.numRuntimeErrorTestSuites ?? 0);
  const skipped = report?.numPendingTests ?? 0;
  if (skipped > 0) console.log(`${skipped} skipped`);
  const tests = report?.testResults.flatMap(({ assertionResults }) => assertionResults) ?? [];
  for (const { fullName } of tests.filter(({ status }) => status === 'pending')) console.log(`Skipped: ${fullName}`);
  // A run that failed without a failed test (no test found, a leak) counts as one failure.
  console.log(`${passed} passed, ${code !== 0 && failed === 0 ? 1 : failed} failed`);
  if (skipped > 0 && process.env.CI) return 1;
  return code;
}

process.exitCode = await run(process.argv.slice(2));
