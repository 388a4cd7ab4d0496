/** True under `npm test -- --full`, which repeats more and leaves out no combination. */
export const isFullSuite = process.env.TEST_SUITE === 'full';
/** True under `npm test -- --quick`, which samples where the others try everything. */
export const isQuickSuite = process.env.TEST_SUITE === 'quick';

/**
 * Returns cases of one mechanism, for `it.each`: a full suite runs all of them, `npm test` the given number, spread
 * over the list, and a quick suite half as many. Use it for cases that differ in where a mechanism is used, not in what
 * it does.
 * @param count number of cases under `npm test`
 */
export function sampled<const T extends readonly unknown[]>(cases: T, count: number): ReadonlyArray<T[number]> {
  const size = isFullSuite ? cases.length : isQuickSuite ? Math.ceil(count / 2) : count;
  return cases.filter(
    (_, index) => Math.floor((index * size) / cases.length) !== Math.floor(((index - 1) * size) / cases.length),
  );
}
