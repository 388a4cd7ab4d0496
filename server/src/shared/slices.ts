/** Milliseconds of one turn of the event loop in which large bodies are worked on, those of all calls together. */
const perTurn = 4;

/** The calls that wait for their next slice, in their order. */
const waiting: Array<() => void> = [];
/** Until when the slice of this turn may last. */
let end = 0;

/**
 * Waits for a turn of the event loop that belongs to this call alone. If each call had its slice in the next turn, the slices
 * of all calls would run in one.
 */
export function nextSlice(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(resume);
  });
}

/** Ends the slice when it has lasted long enough. Each step that waited for a turn would take as long as everything else in it. */
export const pause = (): Promise<void> | undefined => (performance.now() < end ? undefined : nextSlice());

function resume(): void {
  end = performance.now() + perTurn;
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(resume);
}
