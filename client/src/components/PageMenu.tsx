import CircularProgress from '@mui/material/CircularProgress';
import IconButton from '@mui/material/IconButton';
import Tooltip from '@mui/material/Tooltip';
import MoreHorizOutlinedIcon from '@mui/icons-material/MoreHorizOutlined';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../lib/session.js';
import type { RowAction } from './ActionMenu.js';
import { lazyPart } from './lazyPart.js';
import { useActionMenu } from './useActionMenu.js';

const SavedViewsMenu = lazyPart(
  async () => (await import('./SavedViewsMenu.js')).SavedViewsMenu,
  ({ anchor }) => anchor !== null,
);

/** The "…" button of a page: everything but its main action. */
export function PageMenu({
  actions,
  hasViews,
}: {
  readonly actions: readonly RowAction[];
  /** Whether the page is a list, whose filters can be saved as a view in the browser. */
  readonly hasViews: boolean;
}) {
  const { t } = useTranslation();
  const isSignedIn = useSession() !== null;
  const [button, setButton] = useState<HTMLElement | null>(null);
  const [showsViews, setShowsViews] = useState(false);
  const offersViews = hasViews && isSignedIn;
  const all = offersViews ? [{ label: t('grid.views'), onSelect: () => setShowsViews(true) }, ...actions] : actions;
  const { open, menu } = useActionMenu(all);
  if (all.length === 0) return null;
  return (
    <>
      <Tooltip title={t('actions.more')}>
        <IconButton ref={setButton} aria-label={t('actions.more')} aria-haspopup="menu" onClick={open}>
          {actions.some(({ busy }) => busy) ? <CircularProgress size={18} /> : <MoreHorizOutlinedIcon />}
        </IconButton>
      </Tooltip>
      {menu}
      {offersViews && <SavedViewsMenu anchor={showsViews ? button : null} onClose={() => setShowsViews(false)} />}
    </>
  );
}
