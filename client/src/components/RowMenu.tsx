import IconButton from '@mui/material/IconButton';
import MoreHorizOutlinedIcon from '@mui/icons-material/MoreHorizOutlined';
import type { RowAction } from './ActionMenu.js';
import { useActionMenu } from './useActionMenu.js';

/** The "…" of a row. */
export function RowMenu({ label, actions }: { readonly label: string; readonly actions: readonly RowAction[] }) {
  const { open, menu } = useActionMenu(actions);
  return (
    <>
      <IconButton aria-label={label} aria-haspopup="menu" sx={{ width: 28, height: 28 }} onClick={open}>
        <MoreHorizOutlinedIcon />
      </IconButton>
      {menu}
    </>
  );
}
