/** What nobody waits for: after the page has come to rest, one piece at a time. Safari has no word for that. */
export function whenIdle(work: () => unknown): () => void {
  if (typeof requestIdleCallback === 'function') {
    const waiting = requestIdleCallback(() => void work(), { timeout: 5000 });
    return () => {
      cancelIdleCallback(waiting);
    };
  }
  const waiting = setTimeout(work, 500);
  return () => {
    clearTimeout(waiting);
  };
}
