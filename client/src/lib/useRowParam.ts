import { useCallback } from 'react';
import { useSearchParams } from 'react-router-dom';

/** The opened row (or dialog) of a list, kept in the URL under `name`. Closing goes back to the bare list. */
export function useRowParam(name: string): readonly [string | null, (value: string | null) => void] {
  const [params, setParams] = useSearchParams();
  const set = useCallback(
    (value: string | null) => {
      setParams((current) => {
        const next = new URLSearchParams(current);
        if (value === null) next.delete(name);
        else next.set(name, value);
        return next;
      });
    },
    [name, setParams],
  );
  return [params.get(name), set];
}
