import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { conclude, failedFiles, replaceFiles, testsWith, type Report } from './report.js';
import { sweepScratch } from './scratch.js';
import { findServices } from './services/find-services.js';
import { runProgram, type Service } from './services/processes.js';

/**
 * `npm test [-- --quick | --full] [-- Jest's parameters]`: finds or starts what the tests need, builds what they run, runs
 * Jest, and stops what it started. The last line is `N passed, N failed`.
 */
const root = join(import.meta.dirname, '../..');
/** The environment of each suite, which `jest.config.mjs` and the tests read. */
const suites: Readonly<Record<string, Record<string, string>>> = {
  '--quick': { TEST_SUITE: 'quick' },
  '--full': { TEST_SUITE: 'full', KILLS: '50', FUZZ_CASES: '100000', OUTAGE_SECONDS: '20' },
};
/** Up to this many failed files run a second time. More failures are not accidental. */
const maxRepeated = 5;

async function run(words: string[], services: Service[]): Promise<number> {
  const suite = words.find((word) => word in suites) ?? '';
  const parameters = words.filter((word) => word !== suite);
  sweepScratch();
  const found = await findServices(services, { withBrowser: suite !== '--quick' });
  Object.assign(process.env, { ...found, ...suites[suite], ...process.env, TEST_IS_BUILT: 'true' });
  await runProgram(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: 'inherit' });
  const first = await runJest(parameters, services);
  const failed = first.report ? failedFiles(first.report) : [];
  // A developer who names files wants to see how they fail.
  if (parameters.length > 0 || !first.report || failed.length === 0 || failed.length > maxRepeated) {
    return conclude(first.code, first.report);
  }
  console.log(`Running ${failed.length} failed files again, one at a time`);
  // A test that hangs leaves connections open, for which Jest would wait in its own process.
  const second = await runJest(['--runInBand', '--forceExit', '--runTestsByPath', ...failed], services);
  if (!second.report) return conclude(1, first.report);
  const passed = new Set(testsWith('passed', second.report));
  for (const name of testsWith('failed', first.report)) {
    if (passed.has(name)) console.log(`Passed at the second attempt: ${name}`);
  }
  return conclude(second.code, replaceFiles(first.report, second.report));
}

async function runJest(parameters: string[], services: Service[]): Promise<{ code: number; report: Report | null }> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-jest-'));
  const file = join(folder, 'report.json');
  const jest = join(root, 'node_modules/jest/bin/jest.js');
  // With room for new objects, they are moved less often.
  const flags = ['--max-semi-space-size=32', jest, '--json', `--outputFile=${file}`];
  // Jest writes its report to standard output too; people read standard error.
  const child = spawn(process.execPath, [...flags, ...parameters], {
    cwd: root,
    stdio: ['inherit', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit') as Promise<[number | null]>;
  const stop = async (): Promise<void> => {
    child.kill();
    await ended;
  };
  services.push({ url: '', description: 'Jest', stop });
  try {
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

const started: Service[] = [];
let stopping: Promise<void> | undefined;
/**
 * Stops everything that was started: Jest first, because it started last. It stops only once, although under npm a
 * terminal's Ctrl-C arrives twice.
 */
const stop = (): Promise<void> => (stopping ??= stopAll());

async function stopAll(): Promise<void> {
  for (const service of started.splice(0).reverse()) await service.stop();
}

// The listeners stay registered: libraries that clean up on signals end a process at once when it has no other listener.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => void stop().finally(() => process.exit(1)));
}
try {
  process.exitCode = await run(process.argv.slice(2), started);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.log('0 passed, 1 failed');
  process.exitCode = 1;
} finally {
  await stop();
}
