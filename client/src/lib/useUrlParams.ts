import { useCallback, useContext } from 'react';
import { UNSAFE_DataRouterContext, useSearchParams } from 'react-router-dom';

/** Parameters to write into the URL; null takes one out, and what is not named stays. */
export type UrlPatch = Readonly<Record<string, string | null>>;

/**
 * The URL's parameters, and how to change some of them. A change begins with the URL as it is, not as it was when the screen
 * was last drawn: drawing may lag behind on a busy machine, and the router's own setter would then take back what was
 * chosen in between.
 */
export function useUrlParams(): readonly [URLSearchParams, (patch: UrlPatch, how?: { replace?: boolean }) => void] {
  const [params, setParams] = useSearchParams();
  const router = useContext(UNSAFE_DataRouterContext)?.router;
  const change = useCallback(
    (patch: UrlPatch, how: { replace?: boolean } = {}) => {
      setParams((drawn) => {
        const next = new URLSearchParams(router?.state.location.search ?? drawn);
        for (const [key, value] of Object.entries(patch)) {
          if (value === null) next.delete(key);
          else next.set(key, value);
        }
        return next;
      }, how);
    },
    [setParams, router],
  );
  return [params, change];
}
