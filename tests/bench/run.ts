import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** The benchmarks: the file of each, and the parameters that Node needs. */
const benchmarks: Readonly<Record<string, readonly string[]>> = {
  compare: ['bench.ts'],
  hostile: ['hostile.ts'],
  import: ['import.ts'],
  'dry-run': ['dry-run.ts', '--max-semi-space-size=32'],
  peers: ['peers.ts'],
  builds: ['builds.ts'],
  agents: ['agents.ts'],
  paced: ['paced.ts'],
  graphql: ['graphql.ts'],
  console: ['console.ts'],
  nodes: ['nodes.ts'],
  shares: ['shares.ts'],
  affinity: ['affinity.ts'],
  budgets: ['budgets.ts'],
  patterns: ['patterns.ts', '--max-semi-space-size=32'],
  logs: ['logs.ts', '--expose-gc', '--max-semi-space-size=32'],
  questions: ['questions.ts'],
  lighthouse: ['lighthouse.ts'],
  'call-path': ['call-path.mjs'],
};

/** Parts and flags of `compare`, which work without its name. */
const ofCompare = /^(?:|json|stream|translated|latency|memory|start|--.*)$/;

/** Runs `npm run bench -- [name] [parameters]`; without a name, `compare`. Builds the server first. */
const words = process.argv.slice(2);
const [first = ''] = words;
const isNamed = Object.hasOwn(benchmarks, first);
if (!isNamed && !ofCompare.test(first)) {
  console.error(`There is no benchmark "${first}". Choose one of: ${Object.keys(benchmarks).join(', ')}`);
  process.exit(2);
}
const [file = '', ...flags] = benchmarks[isNamed ? first : 'compare'] ?? [];
const node = (...parameters: string[]): void => {
  const { status } = spawnSync(process.execPath, parameters, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
};

node(join(import.meta.dirname, '../../scripts/build.mjs'), 'server');
node(
  ...flags,
  '--import',
  join(import.meta.dirname, '../support/typescript.mjs'),
  join(import.meta.dirname, file),
  ...(isNamed ? words.slice(1) : words),
);
