/** Calls whose answers the page cannot do without. */
let waitedFor = 0;
const atRest = new Set<() => void>();
/** Milliseconds. */
const patience = 5000;

/** Something the reader waits for has begun. @returns ends it */
export function underWay(): () => void {
  let ended = false;
  waitedFor += 1;
  return () => {
    if (ended) return;
    ended = true;
    waitedFor -= 1;
    if (waitedFor > 0) return;
    for (const go of atRest) go();
  };
}

/**
 * What nobody waits for: once nothing is under way that somebody does wait for, and the page has come to rest; after a few
 * seconds in any case. @returns stops it
 */
export function whenIdle(work: () => unknown): () => void {
  let stopResting: (() => void) | undefined;
  const go = (): void => {
    clearTimeout(impatience);
    atRest.delete(go);
    stopResting ??= whenResting(work);
  };
  const impatience = waitedFor > 0 ? setTimeout(go, patience) : undefined;
  if (waitedFor > 0) atRest.add(go);
  else go();
  return () => {
    clearTimeout(impatience);
    atRest.delete(go);
    stopResting?.();
  };
}

/** Safari has no word for that. */
function whenResting(work: () => unknown): () => void {
  if (typeof requestIdleCallback === 'function') {
    const waiting = requestIdleCallback(() => void work(), { timeout: patience });
    return () => {
      cancelIdleCallback(waiting);
    };
  }
  const waiting = setTimeout(work, 500);
  return () => {
    clearTimeout(waiting);
  };
}
