/** Resolves when all promises have settled, or after the timeout. */
export async function settledWithin(work: Iterable<Promise<unknown>>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise((resolve) => (timer = setTimeout(resolve, milliseconds)));
  await Promise.race([Promise.allSettled(work), tooLong]);
  clearTimeout(timer);
}
