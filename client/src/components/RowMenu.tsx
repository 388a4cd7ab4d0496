import MoreHorizOutlinedIcon from '@mui/icons-material/MoreHorizOutlined';
import type { RowAction } from './ActionMenu.js';
import { useActionMenu } from './useActionMenu.js';

/** The "…" button of a row. It is a plain element, because a list has one in each row. */
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
