import Box from '@mui/material/Box';
import Drawer from '@mui/material/Drawer';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Outlet, useLocation } from 'react-router-dom';
import { useSession } from '../../lib/session.js';
import { useIsMobile } from '../../lib/useMediaFlags.js';
import { OfflineLine } from './OfflineLine.js';
import { SideBar } from './SideBar.js';
import { TopBar } from './TopBar.js';
import { useCollapsed } from './useCollapsed.js';

/** Paths without a side bar: home, set-up and everything about signing in. */
const bare = new Set(['/', '/setup', '/login', '/register', '/reset', '/user/reset', '/about', '/pricing']);

export function Shell() {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const signedIn = useSession() !== null;
  const mobile = useIsMobile();
  const [collapsed, toggleCollapsed] = useCollapsed();
  const [drawer, setDrawer] = useState(false);
  useEffect(() => {
    setDrawer(false);
  }, [pathname]);

  const hasSideBar = signedIn && !bare.has(pathname);
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
      <TopBar
        onMenu={
          signedIn && mobile
            ? () => {
                setDrawer(true);
              }
            : undefined
        }
      />
      <OfflineLine />
      <Box sx={{ flex: 1, display: 'flex', alignItems: 'stretch', minWidth: 0 }}>
        {hasSideBar && !mobile && <SideBar collapsed={collapsed} onToggle={toggleCollapsed} />}
        {mobile && (
          <Drawer
            anchor="left"
            open={drawer}
            onClose={() => {
              setDrawer(false);
            }}
            slotProps={{ paper: { sx: { width: 264, backgroundColor: 'background.default' } } }}
          >
            <SideBar collapsed={false} />
          </Drawer>
        )}
        <Box component="main" id="content" tabIndex={-1} sx={{ flex: 1, minWidth: 0, outline: 'none !important' }}>
          <Outlet />
        </Box>
      </Box>
    </Box>
  );
}
