/** The path to open after sign-in, from the router's state. Only paths of this console; anything else leads to the tokens. */
export function returnPath(state: unknown): string {
  const from = (state as { from?: unknown } | null)?.from;
  return typeof from === 'string' && /^\/(?![/\\])/.test(from) ? from : '/token';
}
