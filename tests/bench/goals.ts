import { say } from './rounds.js';

/** The goals of a full benchmark. The smoke run in CI, on a shared machine, fails above 1.5 times the goal. */
const goals = {
  'CPU of a JSON call to the floor': { goal: 3.0, unit: '' },
  'CPU of a stream to the floor': { goal: 2.0, unit: '' },
  'added latency, p50': { goal: 2, unit: ' ms' },
  'added latency, p99': { goal: 8, unit: ' ms' },
  'memory of an open stream': { goal: 40, unit: ' KB' },
  'first start of the built server': { goal: 2, unit: ' s' },
  'further starts of the built server': { goal: 2, unit: ' s' },
} as const;
const allowance = 1.5;

export type Figures = Partial<Record<keyof typeof goals, number>>;

/** The names of figures that are too large, or not numbers. */
export function missed(figures: Figures): string[] {
  return Object.entries(figures)
    .filter(([name, figure]) => !(figure <= limitOf(name as keyof typeof goals)))
    .map(([name]) => name);
}

/** The smaller of two measurements of each figure. */
export const best = (one: Figures, other: Figures): Figures =>
  Object.fromEntries(
    Object.entries(one).map(([name, figure]) => [
      name,
      Math.min(figure, other[name as keyof typeof goals] ?? Infinity),
    ]),
  );

/** Prints every figure beside its limit, and `N passed, N failed` as the last line. */
export function sayVerdict(figures: Figures): void {
  const failed = missed(figures);
  say('');
  for (const [name, figure] of Object.entries(figures)) {
    const { unit } = goals[name as keyof typeof goals];
    const limit = limitOf(name as keyof typeof goals);
    const verdict = failed.includes(name) ? 'FAILED' : 'ok    ';
    say(`${verdict}  ${name.padEnd(32)} ${figure.toFixed(2)}${unit}, at most ${limit}${unit}`);
  }
  say(`${Object.keys(figures).length - failed.length} passed, ${failed.length} failed`);
}

const limitOf = (name: keyof typeof goals): number => goals[name].goal * allowance;
