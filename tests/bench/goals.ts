import { say } from './rounds.js';

interface Goal {
  readonly goal: number;
  readonly unit: string;
  /**
   * True for ratios and sizes, which do not depend on the speed of the machine. Times are only printed beside their goal.
   */
  readonly isJudged: boolean;
}

/**
 * The goals of a full benchmark. With `--limits`, as in CI, the benchmark fails when a judged figure is above 1.5 times its
 * goal.
 */
const goals = {
  'CPU of a JSON call to the floor': { goal: 3.0, unit: '', isJudged: true },
  'CPU of a stream to the floor': { goal: 2.0, unit: '', isJudged: true },
  'added latency, p50': { goal: 2, unit: ' ms', isJudged: false },
  'added latency, p99': { goal: 8, unit: ' ms', isJudged: false },
  'memory of an open stream': { goal: 40, unit: ' KB', isJudged: true },
  'first start of the built server': { goal: 2, unit: ' s', isJudged: false },
  'further starts of the built server': { goal: 2, unit: ' s', isJudged: false },
} as const satisfies Record<string, Goal>;
const allowance = 1.5;

type GoalName = keyof typeof goals;
export type Figures = Partial<Record<GoalName, number>>;

const goalsOf = (figures: Figures): Array<{ name: GoalName; figure: number }> =>
  Object.entries(figures).map(([name, figure]) => ({ name: name as GoalName, figure }));
const limitOf = (name: GoalName): number => goals[name].goal * allowance;

/** The names of judged figures that are too large, or not numbers. */
export function missed(figures: Figures): string[] {
  return goalsOf(figures)
    .filter(({ name, figure }) => goals[name].isJudged && !(figure <= limitOf(name)))
    .map(({ name }) => name);
}

/** The smaller of two measurements of each figure. */
export const best = (one: Figures, other: Figures): Figures =>
  Object.fromEntries(goalsOf(one).map(({ name, figure }) => [name, Math.min(figure, other[name] ?? Infinity)]));

/** Prints every figure beside its limit or its goal. The last line is `N passed, N failed` for the judged figures. */
export function sayVerdict(figures: Figures): void {
  const failed = missed(figures);
  say('');
  for (const { name, figure } of goalsOf(figures)) {
    const { goal, unit, isJudged } = goals[name];
    const verdict = !isJudged ? 'time  ' : failed.includes(name) ? 'FAILED' : 'ok    ';
    const bound = isJudged ? `at most ${limitOf(name)}` : `goal ${goal}`;
    say(`${verdict}  ${name.padEnd(36)} ${figure.toFixed(2)}${unit}, ${bound}${unit}`);
  }
  const judged = goalsOf(figures).filter(({ name }) => goals[name].isJudged).length;
  say(`${judged - failed.length} passed, ${failed.length} failed`);
}
