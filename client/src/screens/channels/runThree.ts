/** Tests run this many at a time: quick enough, and no provider takes it for an attack. */
const concurrency = 3;

/** Works through a list three at a time, until it is through or `isStopped`. */
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
