import { useLayoutEffect, useRef, type RefObject } from 'react';

/** A ref that is true while the component is mounted, for work that may end after it. */
export function useIsShown(): RefObject<boolean> {
  const isShown = useRef(true);
  useLayoutEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return isShown;
}
