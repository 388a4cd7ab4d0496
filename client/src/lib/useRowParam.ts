import { useCallback } from 'react';
import { useUrlParams } from './useUrlParams.js';

/** The opened row (or dialog) of a list, kept in the URL under `name`. Closing goes back to the bare list. */
export function useRowParam(name: string): readonly [string | null, (value: string | null) => void] {
  const [params, change] = useUrlParams();
  const set = useCallback((value: string | null) => change({ [name]: value }), [name, change]);
  return [params.get(name), set];
}
