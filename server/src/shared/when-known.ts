/**
 * Calls a function with a value, at once when it is known already. Most calls find what they need in memory, and `await`
 * would let others run in between.
 */
export const whenKnown = <Value, Result>(
  value: Value | Promise<Value>,
  then: (value: Value) => Result,
): Result | Promise<Awaited<Result>> =>
  value instanceof Promise ? (value.then(then) as Promise<Awaited<Result>>) : then(value);
