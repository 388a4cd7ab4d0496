import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import MenuOutlinedIcon from '@mui/icons-material/MenuOutlined';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useMatches } from 'react-router-dom';
import { lazyPart } from '../../components/lazyPart.js';
import { Logo } from '../../components/Logo.js';
import { ToneChip } from '../../components/Tone.js';
import { withClient } from '../../lib/graphqlClient.js';
import { useSession } from '../../lib/session.js';
import { canRegister } from '../../lib/site-status.js';
import { useStatus } from '../../lib/status.js';
import { useIsMobile } from '../../lib/useMediaFlags.js';
import type { ScreenEntry } from '../screens.js';
import { LanguageMenu } from './LanguageMenu.js';
import { useSiteLinks } from './siteLinks.js';
import { ThemeMenu } from './ThemeMenu.js';
import { UserMenu } from './UserMenu.js';

const Overlays = lazyPart(withClient(async () => (await import('./palette/Overlays.js')).Overlays));
const BalanceLink = lazyPart(withClient(async () => (await import('./BalanceLink.js')).BalanceLink));

/**
 * The top bar, 48 px high on every page. `onMenu` opens the side bar if that is a drawer. The bar is not rendered again
 * if only the query of the address changes.
 */
export const TopBar = memo(function TopBar({
  pathname,
  onMenu,
}: {
  readonly pathname: string;
  readonly onMenu?: (() => void) | undefined;
}) {
  const { t } = useTranslation();
  const status = useStatus();
  const { systemName, setup, selfUseModeEnabled, demoSiteEnabled } = status;
  const user = useSession();
  const mobile = useIsMobile();
  return (
    <Box
      component="header"
      sx={({ vars }) => ({
        position: 'sticky',
        top: 0,
        zIndex: 1100,
        height: 48,
        flexShrink: 0,
        display: 'flex',
        alignItems: 'center',
        gap: 0.5,
        padding: { xs: '0 8px', sm: '0 16px' },
        backgroundColor: vars.palette.background.paper,
        borderBottom: `1px solid ${vars.palette.surface.line}`,
      })}
    >
      {onMenu && (
        <IconButton aria-label={t('shell.openNavigation')} onClick={onMenu} sx={{ width: 40, height: 40 }}>
          <MenuOutlinedIcon />
        </IconButton>
      )}
      <Box
        component={Link}
        to="/"
        sx={{
          display: 'flex',
          alignItems: 'center',
          gap: 1,
          color: 'text.primary',
          textDecoration: 'none',
          fontSize: 15,
          fontWeight: 600,
          letterSpacing: '-0.005em',
          minWidth: 0,
          mr: { sm: 1, md: 3 },
          ml: { xs: onMenu ? 0 : '4px', sm: 0 },
        }}
      >
        <Logo size={21} />
        <Box component="span" sx={{ overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }}>
          {systemName}
        </Box>
      </Box>
      {setup && !mobile && <TopLinks pathname={pathname} />}
      <Box sx={{ ml: 'auto', display: 'flex', alignItems: 'center', gap: { xs: 0.5, sm: 1 } }}>
        {demoSiteEnabled ? (
          <ToneChip tone="amber">{t('shell.demoSite')}</ToneChip>
        ) : (
          selfUseModeEnabled && <ToneChip tone="amber">{t('shell.selfUse')}</ToneChip>
        )}
        {user && <Overlays />}
        {(!mobile || !user) && <LanguageMenu />}
        {user && <BalanceLink key={user.id} user={user} shown={!mobile} />}
        <ThemeMenu />
        {user ? (
          <UserMenu user={user} />
        ) : (
          setup &&
          pathname !== '/login' && (
            <>
              <Button component={Link} to="/login">
                {t('shell.signIn')}
              </Button>
              {canRegister(status) && pathname !== '/register' && !mobile && (
                <Button variant="contained" component={Link} to="/register">
                  {t('shell.register')}
                </Button>
              )}
            </>
          )
        )}
      </Box>
    </Box>
  );
});

function TopLinks({ pathname }: { readonly pathname: string }) {
  const { t } = useTranslation();
  const links = useSiteLinks();
  const linkStyle = (current: boolean) => ({
    padding: { sm: '4px 6px', md: '4px 10px' },
    borderRadius: '6px',
    fontSize: 13,
    textDecoration: 'none',
    color: current ? 'text.primary' : 'text.secondary',
    fontWeight: current ? 600 : 400,
    whiteSpace: 'nowrap',
    '&:hover': { color: 'text.primary' },
  });
  const entry = useMatches().at(-1)?.handle as ScreenEntry | undefined;
  const signedIn = useSession() !== null;
  // A screen for everyone has the side bar of the console for users who are signed in.
  const isShared = entry?.access === 'anyone' && !entry.layout && links.every(({ to }) => to !== pathname);
  const onConsole = (entry && !entry.access) || (signedIn && isShared);
  return (
    <Box
      component="nav"
      aria-label={t('shell.mainNavigation')}
      sx={{ display: 'flex', alignItems: 'center', gap: 0.5 }}
    >
      {links.map(({ label, to, outside }) => {
        if (outside) {
          return (
            <Box key={label} component="a" href={to} target="_blank" rel="noreferrer" sx={linkStyle(false)}>
              {t(label)} ↗
            </Box>
          );
        }
        const console = label === 'shell.console';
        const current = console ? onConsole : pathname === to;
        return (
          <Box
            key={label}
            component={Link}
            to={to}
            aria-current={current ? (console ? 'true' : 'page') : undefined}
            sx={linkStyle(current)}
          >
            {t(label)}
          </Box>
        );
      })}
    </Box>
  );
}
