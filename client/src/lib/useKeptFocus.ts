import { useLayoutEffect, useRef, type RefObject } from 'react';

/**
 * Returns the focus to a button that is disabled while it works, unless the user has moved on: browsers remove the
 * focus from disabled elements. A dialog that opens afterwards can then return the focus to the button.
 */
export function useKeptFocus(busy: boolean): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null);
  const hadFocus = useRef(false);
  useLayoutEffect(() => {
    if (busy) hadFocus.current = document.activeElement === button.current;
    // The browser moved the focus to the page or to the drawer around the button.
    else if (hadFocus.current && document.activeElement?.contains(button.current)) button.current?.focus();
  }, [busy]);
  return button;
}
