/**
 * Measures a recording in one pass: yields now and then, so that other calls run between two stretches of a long one, and
 * returns its length in seconds. 0: it cannot be told.
 */
export type Walk = Generator<undefined, number>;

/** Steps of a walk between which other calls may wait: some milliseconds. */
const stretch = 32 * 1024;

/** True each time a walker has gone far enough to let others run. */
export class Pace {
  private steps = 0;

  due(): boolean {
    return ++this.steps % stretch === 0;
  }
}

/** Runs a walk to its end. */
export async function walked(walk: Walk): Promise<number> {
  for (;;) {
    const step = walk.next();
    if (step.done) return step.value;
    await new Promise(setImmediate);
  }
}

/** Seconds of silence that codecs put before and behind a recording, and that good headers leave out. */
const padding = 0.25;

/** The larger of what a header claims and what was found, both in seconds; a claim may leave out what the codec added. */
export const longer = (claimed: number, held: number): number =>
  claimed > 0 && held - claimed <= padding ? claimed : Math.max(claimed, held);
