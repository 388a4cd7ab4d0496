import { relative } from 'node:path';
import Sequencer from '@jest/test-sequencer';
import './typescript.mjs';

const { readDurations } = await import('./durations.ts');

/** Estimated seconds for files that have not run here: tests with processes and browsers take longest. */
const guesses = [
  [/^tests\/faults\//, 120],
  [/^tests\/e2e\//, 60],
  [/^tests\//, 10],
];

const guess = (file) => guesses.find(([pattern]) => pattern.test(file))?.[1] ?? 1;

/** Starts the longest files first, so that no worker runs a long file alone at the end. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const durations = readDurations();
    const secondsOf = ({ path, context }) => {
      const file = relative(context.config.rootDir, path);
      return durations[file] ?? guess(file);
    };
    return [...tests].sort((a, b) => secondsOf(b) - secondsOf(a));
  }
}
