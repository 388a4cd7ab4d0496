import Button from '@mui/material/Button';
import ExpandMoreOutlinedIcon from '@mui/icons-material/ExpandMoreOutlined';
import type { RowAction } from './ActionMenu.js';
import { useActionMenu } from './useActionMenu.js';

/** A button that opens a menu of less frequent actions. */
export function ButtonMenu({ label, actions }: { readonly label: string; readonly actions: readonly RowAction[] }) {
  const { open, menu } = useActionMenu(actions);
  return (
    <>
      <Button variant="outlined" aria-haspopup="menu" endIcon={<ExpandMoreOutlinedIcon />} onClick={open}>
        {label}
      </Button>
      {menu}
    </>
  );
}
