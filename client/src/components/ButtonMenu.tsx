import Button from '@mui/material/Button';
import ExpandMoreOutlinedIcon from '@mui/icons-material/ExpandMoreOutlined';
import { useState } from 'react';
import type { RowAction } from './ActionMenu.js';
import { actionMenu } from './actionMenuPart.js';
import { usePreloaded } from './later.js';

/** A button that opens a menu of what is done rarely. */
export function ButtonMenu({ label, actions }: { readonly label: string; readonly actions: readonly RowAction[] }) {
  usePreloaded(actionMenu);
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const [used, setUsed] = useState(false);
  return (
    <>
      <Button
        variant="outlined"
        aria-haspopup="menu"
        endIcon={<ExpandMoreOutlinedIcon />}
        onClick={(event) => {
          setUsed(true);
          setAnchor(event.currentTarget);
        }}
      >
        {label}
      </Button>
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
