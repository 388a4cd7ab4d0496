import { useCallback, useContext, useEffect, useRef } from 'react';
import { UNSAFE_DataRouterContext, useNavigate, useSearchParams } from 'react-router-dom';

/** Parameters to write into the URL; null removes one, others stay. */
export type UrlPatch = Readonly<Record<string, string | null>>;

/**
 * The URL's parameters, and a function that changes some of them. A change applies to the current URL, not to that of the
 * last render: rendering may lag, and the router's own setter would then revert changes made in between. The function stays
 * the same, unlike the router's.
 */
export function useUrlParams(): readonly [URLSearchParams, (patch: UrlPatch, how?: { replace?: boolean }) => void] {
  const [params] = useSearchParams();
  const drawn = useRef(params);
  useEffect(() => {
    drawn.current = params;
  }, [params]);
  const navigate = useNavigate();
  const router = useContext(UNSAFE_DataRouterContext)?.router;
  const change = useCallback(
    (patch: UrlPatch, how: { replace?: boolean } = {}) => {
      const next = new URLSearchParams(router?.state.location.search ?? drawn.current);
      for (const [key, value] of Object.entries(patch)) {
        if (value === null) next.delete(key);
        else next.set(key, value);
      }
      // In a transition the router renders the new URL later. Query results render at once, with the old URL, and each such
      // render requests the old page again.
      void navigate(`?${next.toString()}`, { ...how, flushSync: true });
    },
    [navigate, router],
  );
  return [params, change];
}
