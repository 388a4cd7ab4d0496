import Box from '@mui/material/Box';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Outlet, useLocation } from 'react-router-dom';
import { preloadQuestions } from '../../components/ConfirmProvider.js';
import { later, preloadInTurn } from '../../components/later.js';
import { preloadToasts } from '../../components/toast.js';
import { useSession } from '../../lib/session.js';
import { useStatus } from '../../lib/status.js';
import { useIsMobile } from '../../lib/useMediaFlags.js';
import { OfflineLine } from './OfflineLine.js';
import { TopBar } from './TopBar.js';
import { useCollapsed } from './useCollapsed.js';

/** Behind sign-in the bar comes along with the first screen, and the drawer soon after; visitors fetch it when they open it. */
const sideBar = later(async () => (await import('./SideBar.js')).SideBar);
const drawer = later(async () => (await import('./NavigationDrawer.js')).NavigationDrawer);

/** Paths without a side bar: home, set-up and everything about signing in. */
const bare = new Set(['/', '/setup', '/login', '/register', '/reset', '/user/reset', '/about', '/pricing']);
/** Chats in frames need all the room; whoever comes back from another site's sign-in sees one line. */
const isBare = (pathname: string): boolean => bare.has(pathname) || /^\/(chat(2link)?|oauth)(\/|$)/.test(pathname);

export function Shell() {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const signedIn = useSession() !== null;
  const mobile = useIsMobile();
  const [collapsed, toggleCollapsed] = useCollapsed();
  const { setup } = useStatus();
  const [drawerUsed, setDrawerUsed] = useState(false);
  const [drawerOpen, setDrawerOpen] = useState(false);
  useEffect(() => {
    setDrawerOpen(false);
  }, [pathname]);

  useEffect(() => {
    if (!signedIn) return undefined;
    return preloadInTurn([drawer, { preload: preloadToasts }, { preload: preloadQuestions }]);
  }, [signedIn]);

  const hasSideBar = signedIn && !isBare(pathname);
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
          setup && mobile
            ? () => {
                setDrawerUsed(true);
                setDrawerOpen(true);
              }
            : undefined
        }
      />
      <OfflineLine />
      <Box sx={{ flex: 1, display: 'flex', alignItems: 'stretch', minWidth: 0 }}>
        {hasSideBar && !mobile && (
          // The width is there before the bar is, so that nothing moves when it comes.
          <Box sx={{ width: collapsed ? 56 : 208, flexShrink: 0 }}>
            <sideBar.Part collapsed={collapsed} onToggle={toggleCollapsed} />
          </Box>
        )}
        {drawerUsed && mobile && (
          <drawer.Part
            open={drawerOpen}
            onClose={() => {
              setDrawerOpen(false);
            }}
          />
        )}
        <Box component="main" id="content" tabIndex={-1} sx={{ flex: 1, minWidth: 0, outline: 'none !important' }}>
          <Outlet />
        </Box>
      </Box>
    </Box>
  );
}
