import IconButton from '@mui/material/IconButton';
import { useState, type ReactNode } from 'react';
import type { LaterPart } from '../../components/later.js';
import { Tip } from '../../components/Tip.js';

export interface MenuListProps {
  /** Null: closed. */
  readonly anchor: HTMLElement | null;
  readonly onClose: () => void;
}

/** An icon of the top bar; its menu is fetched when somebody comes near it, and is on the page once it was opened. */
export function IconMenu({
  label,
  icon,
  list,
}: {
  readonly label: string;
  readonly icon: ReactNode;
  readonly list: LaterPart<MenuListProps>;
}) {
  const [used, setUsed] = useState(false);
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const preload = () => void list.preload();
  return (
    <>
      <Tip title={label}>
        <IconButton
          aria-label={label}
          aria-haspopup="menu"
          onPointerEnter={preload}
          onKeyDown={preload}
          onClick={(event) => {
            setUsed(true);
            setAnchor(event.currentTarget);
          }}
        >
          {icon}
        </IconButton>
      </Tip>
      {used && (
        <list.Part
          anchor={anchor}
          onClose={() => {
            setAnchor(null);
          }}
        />
      )}
    </>
  );
}
