import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findBrowser } from './services/browser.js';
import { findPostgres } from './services/postgres.js';
import type { Service } from './services/processes.js';
import { findRedis } from './services/redis.js';

const root = join(import.meta.dirname, '../..');

/** Jest's own JSON report, as far as it is read here. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  /** Files that could not be run at all. */
  readonly numRuntimeErrorTestSuites: number;
}

/**
 * Finds or starts what the tests need, builds what they run, runs them, and stops what it started. The last line is
 * `N passed, N failed`.
 * @param parameters for Jest; none runs everything
 * @returns the exit code
 */
export async function run(parameters: string[]): Promise<number> {
  const services: Service[] = [];
  const stop = async (): Promise<void> => {
    for (const service of services.splice(0).reverse()) await service.stop();
  };
  // Whoever ends us ends what we started; what was started last, which is Jest, first.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => void stop().finally(() => process.exit(1)));
  }
  try {
    const environment = await prepare(services);
    await build();
    return await runJest(parameters, environment, services);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    console.log('0 passed, 1 failed');
    return 1;
  } finally {
    await stop();
  }
}

/** @returns what tests read from their environment */
async function prepare(services: Service[]): Promise<Record<string, string>> {
  const postgres = await findPostgres();
  services.push(postgres);
  say('Database', postgres.description);

  const redis = await findRedis();
  if (redis) services.push(redis);
  say('Redis', redis?.description ?? required('none found: the store in this process is tested alone', 'Redis'));

  const browser = findBrowser();
  say('Browser', browser?.description ?? required('none found: tests in a browser are left out', 'browser'));
  return {
    TEST_DATABASE_URL: postgres.url,
    ...(redis ? { TEST_REDIS_URL: redis.url } : {}),
    ...(browser ? { CHROMIUM_PATH: browser.path } : { TEST_BROWSER: 'none' }),
  };
}

/** What may be missing on somebody's machine must not be missing where nobody looks. */
function required(otherwise: string, what: string): string {
  if (process.env.CI) throw new Error(`no ${what} found, and in CI nothing is left out`);
  return otherwise;
}

const say = (what: string, where: string): void => console.log(`${`${what}:`.padEnd(10)}${where}`);

async function build(): Promise<void> {
  const builder = pathToFileURL(join(root, 'scripts/build.mjs')).href;
  const { ensureBuilt } = (await import(builder)) as { ensureBuilt(parts: readonly string[]): Promise<void> };
  await ensureBuilt(['server', 'client']);
}

async function runJest(
  parameters: string[],
  environment: Record<string, string>,
  services: Service[],
): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-jest-'));
  const file = join(folder, 'report.json');
  try {
    const jest = join(root, 'node_modules/jest/bin/jest.js');
    const child = spawn(process.execPath, [jest, '--json', `--outputFile=${file}`, ...parameters], {
      cwd: root,
      // Jest repeats its report on standard output; people read standard error.
      stdio: ['inherit', 'ignore', 'inherit'],
      env: { ...process.env, ...environment },
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
    return conclude(code ?? 1, await readReport(file));
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

function conclude(code: number, report: Report | null): number {
  const passed = report?.numPassedTests ?? 0;
  const failed = (report?.numFailedTests ?? 0) + (report?.numRuntimeErrorTestSuites ?? 0);
  const leftOut = report?.numPendingTests ?? 0;
  if (leftOut > 0) console.log(`${leftOut} left out`);
  // A run that failed for another reason than a test (no test found, a leak) is never told as a success.
  console.log(`${passed} passed, ${code !== 0 && failed === 0 ? 1 : failed} failed`);
  if (leftOut > 0 && process.env.CI) return 1;
  return code;
}
