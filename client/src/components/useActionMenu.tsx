import { useState, type MouseEvent, type ReactNode } from 'react';
import type { RowAction } from './ActionMenu.js';
import { later, usePreloaded } from './later.js';

const actionMenu = later(async () => (await import('./ActionMenu.js')).ActionMenu);

/** A menu for the button that `open` is given to; it is fetched once the page rests, and made when it is first opened. */
export function useActionMenu(actions: readonly RowAction[]): {
  readonly open: (event: MouseEvent<HTMLElement>) => void;
  readonly menu: ReactNode;
} {
  usePreloaded(actionMenu);
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  // A menu that was never opened costs nothing: a page of rows has as many as rows.
  const [used, setUsed] = useState(false);
  return {
    open: (event) => {
      setUsed(true);
      setAnchor(event.currentTarget);
    },
    menu: used && (
      <actionMenu.Part
        anchor={anchor}
        actions={actions}
        onClose={() => {
          setAnchor(null);
        }}
      />
    ),
  };
}
