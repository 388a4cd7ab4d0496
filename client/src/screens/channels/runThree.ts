/** Number of concurrent tests: fast enough without triggering a provider's rate limit. */
const concurrency = 3;

/** Processes a list, three items at a time, until its end or `isStopped`. */
export async function runThree<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  isStopped: () => boolean = () => false,
): Promise<void> {
  const queue = [...items];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined && !isStopped(); item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
