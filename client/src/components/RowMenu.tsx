import IconButton from '@mui/material/IconButton';
import MoreHorizOutlinedIcon from '@mui/icons-material/MoreHorizOutlined';
import { useState } from 'react';
import type { RowAction } from './ActionMenu.js';
import { actionMenu } from './actionMenuPart.js';
import { usePreloaded } from './later.js';

/** The "…" of a row. */
export function RowMenu({ label, actions }: { readonly label: string; readonly actions: readonly RowAction[] }) {
  usePreloaded(actionMenu);
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  // A menu that was never opened costs nothing: a page of rows has as many as rows.
  const [used, setUsed] = useState(false);
  return (
    <>
      <IconButton
        aria-label={label}
        aria-haspopup="menu"
        sx={{ width: 28, height: 28 }}
        onClick={(event) => {
          setUsed(true);
          setAnchor(event.currentTarget);
        }}
      >
        <MoreHorizOutlinedIcon />
      </IconButton>
      {used && (
        <actionMenu.Part
          anchor={anchor}
          actions={actions}
          onClose={() => {
            setAnchor(null);
          }}
        />
      )}
    </>
  );
}
