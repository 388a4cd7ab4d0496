import IconButton from '@mui/material/IconButton';
import Tooltip from '@mui/material/Tooltip';
import BookmarkBorderOutlinedIcon from '@mui/icons-material/BookmarkBorderOutlined';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../lib/session.js';
import { lazyPart } from './lazyPart.js';

const SavedViewsMenu = lazyPart(
  async () => (await import('./SavedViewsMenu.js')).SavedViewsMenu,
  ({ anchor }) => anchor !== null,
);

/** The saved views of the list at this address: filters, sort order and page size. Kept in the browser. */
export function SavedViews() {
  const { t } = useTranslation();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  if (!useSession()) return null;
  return (
    <>
      <Tooltip title={t('grid.views')}>
        <IconButton
          aria-label={t('grid.views')}
          aria-haspopup="menu"
          onClick={(event) => setAnchor(event.currentTarget)}
        >
          <BookmarkBorderOutlinedIcon />
        </IconButton>
      </Tooltip>
      <SavedViewsMenu anchor={anchor} onClose={() => setAnchor(null)} />
    </>
  );
}
