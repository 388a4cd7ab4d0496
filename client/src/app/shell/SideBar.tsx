import Box from '@mui/material/Box';
import ButtonBase from '@mui/material/ButtonBase';
import Tooltip from '@mui/material/Tooltip';
import ViewSidebarOutlinedIcon from '@mui/icons-material/ViewSidebarOutlined';
import { useTranslation } from 'react-i18next';
import { NavLink } from 'react-router-dom';
import { useSession } from '../../lib/session.js';
import { useStatus } from '../../lib/status.js';
import { navigationFor, type NavigationEntry } from './navigation.js';

const itemStyle = {
  display: 'flex',
  justifyContent: 'flex-start',
  alignItems: 'center',
  gap: '10px',
  width: '100%',
  height: { xs: 44, sm: 32 },
  padding: '0 8px',
  mb: '1px',
  borderRadius: '6px',
  fontSize: 13,
  fontFamily: 'inherit',
  color: 'text.primary',
  textDecoration: 'none',
  whiteSpace: 'nowrap',
  '& svg': { fontSize: 18, color: 'text.secondary', flexShrink: 0 },
  '&:hover': { backgroundColor: 'action.hover' },
  '&.active': {
    backgroundColor: 'action.selected',
    color: 'primary.main',
    fontWeight: 550,
    '& svg': { color: 'primary.main' },
  },
} as const;

/** Sticky under the top bar; 208 wide, 56 when collapsed. Without `onToggle` it is the drawer of narrow screens. */
export function SideBar({ collapsed, onToggle }: { readonly collapsed: boolean; readonly onToggle?: () => void }) {
  const { t } = useTranslation();
  const role = useSession()?.role ?? 0;
  const status = useStatus();
  return (
    <Box
      component="nav"
      aria-label={t('shell.navigation')}
      sx={({ vars }) => ({
        width: onToggle ? (collapsed ? 56 : 208) : '100%',
        flexShrink: 0,
        position: 'sticky',
        top: 48,
        height: onToggle ? 'calc(100dvh - 48px)' : '100%',
        display: 'flex',
        flexDirection: 'column',
        padding: '8px 8px 8px',
        overflowY: 'auto',
        overflowX: 'hidden',
        borderRight: onToggle ? `1px solid ${vars.palette.surface.line}` : 0,
        backgroundColor: vars.palette.background.default,
      })}
    >
      {navigationFor(role, status).map((group, index) => (
        <Box key={group.label} role="group" aria-label={t(group.label)}>
          {collapsed ? (
            index > 0 && <Box sx={{ height: '1px', backgroundColor: 'divider', my: 1 }} />
          ) : (
            <Box
              sx={{
                padding: index > 0 ? '14px 8px 6px' : '6px 8px 6px',
                fontSize: 11.5,
                lineHeight: '16px',
                fontWeight: 500,
                color: 'text.secondary',
              }}
            >
              {t(group.label)}
            </Box>
          )}
          {group.entries.map((entry) => (
            <Entry key={entry.path} entry={entry} collapsed={collapsed} />
          ))}
        </Box>
      ))}
      {onToggle && (
        <Box sx={{ mt: 'auto', pt: 1 }}>
          <Tooltip title={collapsed ? t('shell.expand') : ''} placement="right">
            <ButtonBase
              sx={{ ...itemStyle, color: 'text.secondary', justifyContent: collapsed ? 'center' : 'flex-start' }}
              onClick={onToggle}
              aria-label={collapsed ? t('shell.expand') : t('shell.collapse')}
              aria-expanded={!collapsed}
            >
              <ViewSidebarOutlinedIcon />
              {!collapsed && t('shell.collapse')}
            </ButtonBase>
          </Tooltip>
        </Box>
      )}
    </Box>
  );
}

function Entry({ entry, collapsed }: { readonly entry: NavigationEntry; readonly collapsed: boolean }) {
  const { t } = useTranslation();
  const label = t(entry.label);
  return (
    <Tooltip title={collapsed ? label : ''} placement="right">
      <ButtonBase
        component={NavLink}
        to={entry.path}
        aria-label={collapsed ? label : undefined}
        sx={{ ...itemStyle, justifyContent: collapsed ? 'center' : 'flex-start' }}
        onMouseEnter={entry.screen.preload}
        onFocus={entry.screen.preload}
      >
        <entry.Icon />
        {!collapsed && label}
      </ButtonBase>
    </Tooltip>
  );
}
