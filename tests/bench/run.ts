import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** The benchmarks: the file of each, and the parameters that Node needs. */
const benchmarks: Readonly<Record<string, readonly string[]>> = {
  compare: ['bench.ts'],
  hostile: ['hostile.ts'],
  'move-in': ['move-in.ts'],
  'dry-run': ['dry-run.ts', '--max-semi-space-size=32'],
  peers: ['peers.ts'],
  console: ['console.ts'],
  nodes: ['nodes.ts'],
  affinity: ['affinity.ts'],
  budgets: ['budgets.ts'],
  patterns: ['patterns.ts'],
  logs: ['logs.ts', '--expose-gc', '--max-semi-space-size=32'],
  lighthouse: ['lighthouse.ts'],
  'call-path': ['call-path.mjs'],
};

/** `npm run bench -- [name] [parameters]`; without a name, `compare`. Builds the server first. */
const [first = '', ...rest] = process.argv.slice(2);
const isNamed = first in benchmarks;
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
  ...(isNamed ? rest : process.argv.slice(2)),
);
