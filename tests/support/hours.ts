/**
 * The current second, in an hour that lasts for so many seconds at least: near the end of one this waits for the next. Blocks, so
 * that a file can compute its constants from it. The server's hour is then the same until the file ends.
 */
export function secondWithinHour(atLeast = 90): number {
  const left = 3600 - (Math.floor(Date.now() / 1000) % 3600);
  if (left <= atLeast) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, (left + 1) * 1000);
  return Math.floor(Date.now() / 1000);
}
