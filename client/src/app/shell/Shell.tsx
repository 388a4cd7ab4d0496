import Box from '@mui/material/Box';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Outlet, useLocation, useMatches } from 'react-router-dom';
import { lazyPart } from '../../components/lazyPart.js';
import { withClient } from '../../lib/graphqlClient.js';
import { useReader } from '../../lib/reader.js';
import { adminRole, useSession } from '../../lib/session.js';
import { useStatus } from '../../lib/status.js';
import { useIsMobile } from '../../lib/useMediaFlags.js';
import type { ScreenEntry } from '../screens.js';
import { OfflineLine } from './OfflineLine.js';
import { TopBar } from './TopBar.js';
import { useCollapsed } from './useCollapsed.js';

/** Visitors never load the side bar, and the drawer only when they open it. */
export const SideBar = lazyPart(async () => (await import('./SideBar.js')).SideBar);
const NavigationDrawer = lazyPart(
  async () => (await import('./NavigationDrawer.js')).NavigationDrawer,
  ({ open }) => open,
);

const SetupGuide = lazyPart(withClient(async () => (await import('./guide/SetupGuide.js')).SetupGuide));

export function Shell() {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const user = useSession();
  const signedIn = user !== null;
  const mobile = useIsMobile();
  const [collapsed, toggleCollapsed] = useCollapsed();
  const { setup } = useStatus();
  const { timeZone } = useReader();
  const [drawerOpen, setDrawerOpen] = useState(false);
  useEffect(() => {
    setDrawerOpen(false);
  }, [pathname]);

  const { layout, followsZone } = (useMatches().at(-1)?.handle as ScreenEntry | undefined) ?? {};
  const hasSideBar = signedIn && layout === undefined;
  return (
    <Box sx={{ minHeight: '100dvh', display: 'flex', flexDirection: 'column' }}>
      <Box
        component="a"
        href="#content"
        sx={({ vars }) => ({
          position: 'fixed',
          top: -60,
          left: 12,
          zIndex: 2000,
          padding: '8px 12px',
          borderRadius: '6px',
          backgroundColor: vars.palette.background.paper,
          border: `1px solid ${vars.palette.primary.main}`,
          color: vars.palette.primary.main,
          '&:focus': { top: 8 },
        })}
      >
        {t('shell.skip')}
      </Box>
      <TopBar pathname={pathname} onMenu={setup && mobile ? () => setDrawerOpen(true) : undefined} />
      <Box sx={{ flex: 1, display: 'flex', alignItems: 'stretch', minWidth: 0 }}>
        {hasSideBar && !mobile && (
          // Reserves the width, so that nothing moves when the bar is loaded.
          <Box sx={{ width: collapsed ? 56 : 208, flexShrink: 0 }}>
            <SideBar collapsed={collapsed} onToggle={toggleCollapsed} />
          </Box>
        )}
        {mobile && <NavigationDrawer open={drawerOpen} onClose={() => setDrawerOpen(false)} />}
        <Box component="main" id="content" tabIndex={-1} sx={{ flex: 1, minWidth: 0, outline: 'none !important' }}>
          <OfflineLine />
          {/* Times are formatted where they are drawn: in another zone, nearly every screen is drawn and asked for anew. */}
          <Outlet key={followsZone ? '' : (timeZone ?? '')} />
        </Box>
      </Box>
      {hasSideBar && user.role >= adminRole && <SetupGuide key={user.id} />}
    </Box>
  );
}
