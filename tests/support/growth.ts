const runs = 5;
/** Milliseconds. Below this the figures are noise. */
const least = 0.5;

/**
 * How many times as much CPU time `work` takes for the larger size. For tests of complexity: four times the size costs four
 * times as much if work is linear, and sixteen times if it is quadratic. CPU time of this process, the least of several runs:
 * unlike the clock it does not depend on what else the machine does.
 */
export async function growth(work: (size: number) => unknown, small: number, large: number): Promise<number> {
  await work(small);
  const costs = { small: Infinity, large: Infinity };
  for (let run = 0; run < runs; run++) {
    costs.small = Math.min(costs.small, await cpuOf(() => work(small)));
    costs.large = Math.min(costs.large, await cpuOf(() => work(large)));
  }
  return costs.large / Math.max(least, costs.small);
}

async function cpuOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * Turns of the event loop while `work` runs. For tests that nothing is waited for: work in memory needs hardly any turn, and
 * a timeout of a hundred milliseconds needs thousands.
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
