import { relative } from 'node:path';
import Sequencer from '@jest/test-sequencer';
import './typescript.mjs';

const { readDurations } = await import('./durations.ts');

/** Estimated seconds for files that have not run here. The first matching pattern counts. */
const guesses = [
  [/^tests\/e2e\/boot\.test/, 400],
  [/^tests\/e2e\/console-(screens|lists)/, 300],
  [/^tests\/faults\/(task|many)/, 200],
  [/^tests\/(faults|security\/bad-input)/, 120],
  [/^tests\/e2e\/(console|start|boot)/, 80],
  [/^tests\/(e2e|contract\/(dashboard|registration))|^client\/.*\/Channel(List|Editor)/, 50],
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
