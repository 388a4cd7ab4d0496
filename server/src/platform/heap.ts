import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** V8 has the flag since Node 24. */
const countsBuffers = Number.parseInt(process.versions.v8, 10) >= 13;

/**
 * Lets the heap grow to three times the live size before a full collection. By default V8 lets an idle process grow by
 * little more than a tenth: at 500 calls per second it then collected all 70 MB every five seconds, and on machines
 * without a spare core each collection stopped every call for 50 to 70 ms.
 *
 * Makes buffers part of the same limit. By default V8 collects the whole heap after each 64 MB of buffers, which agents'
 * bodies of 400 KB reach in 80 calls.
 */
export function growHeap(): void {
  setFlagsFromString('--heap-growing-percent=200');
  if (countsBuffers) setFlagsFromString('--external-memory-accounted-in-global-limit');
}

/**
 * Collects all garbage soon, which stops the process for some 50 ms. The context that has the function is made for each
 * collection, because every call takes a sixth more CPU while one is kept.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  setImmediate(() => (runInNewContext('gc') as () => void)());
}

/** After a few very large bodies: where buffers are part of the limit, it would be three times their memory otherwise. */
export const collectBodies = countsBuffers ? collectGarbage : (): void => undefined;
