import Divider from '@mui/material/Divider';
import IconButton from '@mui/material/IconButton';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import MoreHorizOutlinedIcon from '@mui/icons-material/MoreHorizOutlined';
import { useState } from 'react';

export interface RowAction {
  readonly label: string;
  readonly onSelect: () => void;
  /** Last in the menu, after a line, in the colour of errors. */
  readonly destructive?: boolean;
  readonly disabled?: boolean;
}

/** The "…" of a row. */
export function RowMenu({ label, actions }: { readonly label: string; readonly actions: readonly RowAction[] }) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const ordinary = actions.filter((action) => !action.destructive);
  const destructive = actions.filter((action) => action.destructive);
  const item = (action: RowAction) => (
    <MenuItem
      key={action.label}
      disabled={action.disabled ?? false}
      sx={action.destructive ? { color: 'error.main' } : {}}
      onClick={() => {
        setAnchor(null);
        action.onSelect();
      }}
    >
      {action.label}
    </MenuItem>
  );
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
      <Menu
        anchorEl={anchor}
        open={anchor !== null}
        onClose={() => {
          setAnchor(null);
        }}
        onClick={(event) => {
          event.stopPropagation();
        }}
        anchorOrigin={{ vertical: 'bottom', horizontal: 'right' }}
        transformOrigin={{ vertical: 'top', horizontal: 'right' }}
        slotProps={{ paper: { sx: { minWidth: 160 } } }}
      >
        {ordinary.map(item)}
        {ordinary.length > 0 && destructive.length > 0 && <Divider sx={{ my: '4px !important' }} />}
        {destructive.map(item)}
      </Menu>
    </>
  );
}
