import IconButton from '@mui/material/IconButton';
import Tooltip from '@mui/material/Tooltip';
import { useState, type ComponentType, type ReactNode } from 'react';

export interface MenuListProps {
  /** The anchor of the menu; null while it is closed. */
  readonly anchor: HTMLElement | null;
  readonly onClose: () => void;
}

/** An icon of the top bar with a menu. */
export function IconMenu({
  label,
  icon,
  List,
}: {
  readonly label: string;
  readonly icon: ReactNode;
  readonly List: ComponentType<MenuListProps>;
}) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  return (
    <>
      <Tooltip title={label}>
        <IconButton aria-label={label} aria-haspopup="menu" onClick={(event) => setAnchor(event.currentTarget)}>
          {icon}
        </IconButton>
      </Tooltip>
      <List anchor={anchor} onClose={() => setAnchor(null)} />
    </>
  );
}
