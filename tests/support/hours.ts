/**
 * Returns the current second, in an hour that lasts for at least so many seconds: near the end of an hour it waits for
 * the next. It blocks, so that a file can compute its constants from it. The server's hour is then the same until the
 * file ends.
 */
export function secondWithinHour(atLeast = 90): number {
  const left = 3600 - (Math.floor(Date.now() / 1000) % 3600);
  if (left <= atLeast) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, (left + 1) * 1000);
  return Math.floor(Date.now() / 1000);
}
