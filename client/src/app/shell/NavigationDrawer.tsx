import Box from '@mui/material/Box';
import ButtonBase from '@mui/material/ButtonBase';
import Drawer from '@mui/material/Drawer';
import { useTranslation } from 'react-i18next';
import { NavLink } from 'react-router-dom';
import { useSession } from '../../lib/session.js';
import { canRegister } from '../../lib/site-status.js';
import { useStatus } from '../../lib/status.js';
import { itemStyle } from './itemStyle.js';
import { SideBar } from './SideBar.js';
import { useSiteLinks } from './siteLinks.js';

/** Drawer of narrow screens: the side bar, and below it the links of the top bar. Visitors get the links only. */
export function NavigationDrawer({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const signedIn = useSession() !== null;
  return (
    <Drawer
      anchor="left"
      open={open}
      onClose={onClose}
      slotProps={{ paper: { sx: { width: 264, backgroundColor: 'background.default' } } }}
    >
      {signedIn && <SideBar collapsed={false} />}
      <SiteNavigation signedIn={signedIn} />
    </Drawer>
  );
}

function SiteNavigation({ signedIn }: { readonly signedIn: boolean }) {
  const { t } = useTranslation();
  const mayRegister = canRegister(useStatus());
  const links = useSiteLinks();
  const inside = (label: string, to: string) => (
    <ButtonBase key={to} component={NavLink} to={to} end sx={itemStyle}>
      {label}
    </ButtonBase>
  );
  return (
    <Box
      component="nav"
      aria-label={t('shell.mainNavigation')}
      sx={{ padding: 1, ...(signedIn ? { borderTop: '1px solid', borderColor: 'divider' } : {}) }}
    >
      {links.map(({ label, to, outside }) =>
        outside ? (
          <ButtonBase key={to} component="a" href={to} target="_blank" rel="noreferrer" sx={itemStyle}>
            {`${t(label)} ↗`}
          </ButtonBase>
        ) : (
          inside(t(label), to)
        ),
      )}
      {!signedIn && inside(t('shell.signIn'), '/login')}
      {!signedIn && mayRegister && inside(t('shell.register'), '/register')}
    </Box>
  );
}
