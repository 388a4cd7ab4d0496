/** Runs of each size. A single run may contain a long garbage collection. */
const runs = { least: 2, most: 15 };
/** Milliseconds. Smaller values are noise. */
const least = 0.5;

/**
 * Returns how many times as much CPU time `work` takes for the larger size, for tests of complexity: for four times the
 * size, linear work takes four times as long and quadratic work sixteen times. It is the minimum of several runs in CPU
 * time of this process, which is independent of other load on the machine. Work whose first runs are linear is not
 * measured again.
 */
export async function growth(work: (size: number) => unknown, small: number, large: number): Promise<number> {
  await work(small);
  const costs = { small: Infinity, large: Infinity };
  const ratio = (): number => costs.large / Math.max(least, costs.small);
  for (let run = 0; run < runs.most && (run < runs.least || ratio() > large / small); run++) {
    costs.small = Math.min(costs.small, await cpuOf(() => work(small)));
    costs.large = Math.min(costs.large, await cpuOf(() => work(large)));
  }
  return ratio();
}

async function cpuOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * Turns of the event loop while `work` runs, for tests that work does not wait: work in memory needs hardly any turn,
 * and a timeout of a hundred milliseconds needs thousands.
 */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let done = false;
  const turn = (): void => {
    if (done) return;
    turns++;
    setImmediate(turn);
  };
  setImmediate(turn);
  try {
    await work();
  } finally {
    done = true;
  }
  return turns;
}

/** How far the clock of `slicesDuring` is ahead. It never goes back. */
let ahead = 0;

/**
 * Turns of the event loop while `work` runs, if each of its pieces takes as long as a slice of long work may last
 * (`shared/slices.ts`), so that the count does not depend on the speed of the machine.
 */
export async function slicesDuring(work: () => Promise<unknown>): Promise<number> {
  const now = performance.now.bind(performance);
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + (ahead += 4));
  try {
    return await turnsDuring(work);
  } finally {
    clock.mockRestore();
  }
}

/**
 * Returns the longest time between two turns of the event loop while `work` runs, as a share of the whole time: near 1
 * if one turn does all of the work, near 0 if other work can run in between. A busy machine slows both.
 */
export async function longestTurnDuring(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  let before = start;
  let longest = 0;
  let done = false;
  const turn = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - before);
    before = now;
    if (!done) setImmediate(turn);
  };
  setImmediate(turn);
  try {
    await work();
  } finally {
    done = true;
    turn();
  }
  return longest / (performance.now() - start);
}
