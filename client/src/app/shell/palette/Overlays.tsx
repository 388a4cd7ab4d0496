import IconButton from '@mui/material/IconButton';
import Tooltip from '@mui/material/Tooltip';
import SearchOutlinedIcon from '@mui/icons-material/SearchOutlined';
import { useTranslation } from 'react-i18next';
import { lazyPart } from '../../../components/lazyPart.js';
import { NoticeBell } from '../notices/NoticeBell.js';
import { useShortcuts } from './useShortcuts.js';

const Palette = lazyPart(
  async () => (await import('./Palette.js')).Palette,
  ({ open }) => open,
);
const ShortcutList = lazyPart(
  async () => (await import('./ShortcutList.js')).ShortcutList,
  ({ open }) => open,
);

/**
 * The search button and the bell of the top bar, and the dialogs that shortcuts open on every page. For signed-in
 * users.
 */
export function Overlays() {
  const { t } = useTranslation();
  const [overlay, setOverlay] = useShortcuts();
  const close = () => setOverlay(null);
  return (
    <>
      <Tooltip title={t('shell.search')}>
        <IconButton aria-label={t('shell.search')} aria-haspopup="dialog" onClick={() => setOverlay('palette')}>
          <SearchOutlinedIcon />
        </IconButton>
      </Tooltip>
      <NoticeBell />
      <Palette open={overlay === 'palette'} onClose={close} />
      <ShortcutList open={overlay === 'shortcuts'} onClose={close} />
    </>
  );
}
