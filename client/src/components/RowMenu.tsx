import IconButton from '@mui/material/IconButton';
import MoreHorizOutlinedIcon from '@mui/icons-material/MoreHorizOutlined';
import { useState } from 'react';
import { ActionMenu, type RowAction } from './ActionMenu.js';

/** The "…" of a row. */
export function RowMenu({ label, actions }: { readonly label: string; readonly actions: readonly RowAction[] }) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  return (
    <>
      <IconButton
        aria-label={label}
        aria-haspopup="menu"
        sx={{ width: 28, height: 28 }}
        onClick={(event) => {
          setAnchor(event.currentTarget);
        }}
      >
        <MoreHorizOutlinedIcon />
      </IconButton>
      <ActionMenu
        anchor={anchor}
        actions={actions}
        onClose={() => {
          setAnchor(null);
        }}
      />
    </>
  );
}
