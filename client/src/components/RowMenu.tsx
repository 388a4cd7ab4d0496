import MoreHorizOutlinedIcon from '@mui/icons-material/MoreHorizOutlined';
import type { RowAction } from './ActionMenu.js';
import { useActionMenu } from './useActionMenu.js';

/** The "…" of a row. A plain button, because a list has one in each row. */
export function RowMenu({ label, actions }: { readonly label: string; readonly actions: readonly RowAction[] }) {
  const { open, menu } = useActionMenu(actions);
  return (
    <>
      <button type="button" className="row-button" aria-label={label} aria-haspopup="menu" onClick={open}>
        <MoreHorizOutlinedIcon />
      </button>
      {menu}
    </>
  );
}
