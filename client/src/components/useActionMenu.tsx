import { useState, type MouseEvent, type ReactNode } from 'react';
import { ActionMenu, type RowAction } from './ActionMenu.js';

/** A menu for the button that calls `open`. */
export function useActionMenu(actions: readonly RowAction[]): {
  readonly open: (event: MouseEvent<HTMLElement>) => void;
  readonly menu: ReactNode;
} {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  // Mounted on first use, because a list has one menu per row.
  const [used, setUsed] = useState(false);
  return {
    open: (event) => {
      setUsed(true);
      setAnchor(event.currentTarget);
    },
    menu: used && <ActionMenu anchor={anchor} actions={actions} onClose={() => setAnchor(null)} />,
  };
}
