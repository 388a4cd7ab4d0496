import Button from '@mui/material/Button';
import ExpandMoreOutlinedIcon from '@mui/icons-material/ExpandMoreOutlined';
import { useState } from 'react';
import { ActionMenu, type RowAction } from './ActionMenu.js';

/** A button that opens a menu of what is done rarely. */
export function ButtonMenu({ label, actions }: { readonly label: string; readonly actions: readonly RowAction[] }) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  return (
    <>
      <Button
        variant="outlined"
        aria-haspopup="menu"
        endIcon={<ExpandMoreOutlinedIcon />}
        onClick={(event) => {
          setAnchor(event.currentTarget);
        }}
      >
        {label}
      </Button>
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
