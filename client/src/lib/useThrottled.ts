import { useCallback, useEffect, useRef } from 'react';

/** Returns a throttled `action`: any number of calls within `milliseconds` run it once, at the end. */
export function useThrottled(action: () => void, milliseconds: number): () => void {
  const latest = useRef(action);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    latest.current = action;
  });
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
  return useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      latest.current();
    }, milliseconds);
  }, [milliseconds]);
}
