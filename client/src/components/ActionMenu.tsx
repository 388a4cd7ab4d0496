import Divider from '@mui/material/Divider';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';

export interface RowAction {
  readonly label: string;
  readonly onSelect: () => void;
  /** Shown last in the menu, below a divider, in the error colour. */
  readonly destructive?: boolean;
  readonly disabled?: boolean;
}

/** A menu of actions at the button that opened it. */
export function ActionMenu({
  anchor,
  actions,
  onClose,
}: {
  /** The anchor of the menu; null while it is closed. */
  readonly anchor: HTMLElement | null;
  readonly actions: readonly RowAction[];
  readonly onClose: () => void;
}) {
  const ordinary = actions.filter((action) => !action.destructive);
  const destructive = actions.filter((action) => action.destructive);
  const item = (action: RowAction) => (
    <MenuItem
      key={action.label}
      disabled={action.disabled ?? false}
      sx={action.destructive ? { color: 'error.main' } : {}}
      onClick={() => {
        onClose();
        action.onSelect();
      }}
    >
      {action.label}
    </MenuItem>
  );
  return (
    <Menu
      anchorEl={anchor}
      open={anchor !== null}
      onClose={onClose}
      onClick={(event) => event.stopPropagation()}
      anchorOrigin={{ vertical: 'bottom', horizontal: 'right' }}
      transformOrigin={{ vertical: 'top', horizontal: 'right' }}
      slotProps={{ paper: { sx: { minWidth: 160 } } }}
    >
      {ordinary.map(item)}
      {ordinary.length > 0 && destructive.length > 0 && <Divider sx={{ my: '4px !important' }} />}
      {destructive.map(item)}
    </Menu>
  );
}
