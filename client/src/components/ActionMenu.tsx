import Divider from '@mui/material/Divider';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import CheckOutlinedIcon from '@mui/icons-material/CheckOutlined';

export interface RowAction {
  readonly label: string;
  readonly onSelect: () => void;
  /** Shown last in the menu, below a divider, in the error colour. */
  readonly destructive?: boolean;
  readonly disabled?: boolean;
  /** Whether the switch that this entry is, is on. Absent: it is no switch. */
  readonly checked?: boolean;
  /** Whether the action runs; the button of the menu then turns. */
  readonly busy?: boolean;
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
      disabled={(action.disabled ?? false) || (action.busy ?? false)}
      {...(action.checked === undefined ? {} : { role: 'menuitemcheckbox', 'aria-checked': action.checked })}
      sx={action.destructive ? { color: 'error.main' } : {}}
      onClick={() => {
        onClose();
        action.onSelect();
      }}
    >
      {action.label}
      {action.checked && <CheckOutlinedIcon sx={{ fontSize: 16, ml: 'auto', color: 'primary.main' }} />}
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
