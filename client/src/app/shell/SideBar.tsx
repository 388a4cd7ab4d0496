import Box from '@mui/material/Box';
import ButtonBase from '@mui/material/ButtonBase';
import Collapse from '@mui/material/Collapse';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import Tooltip from '@mui/material/Tooltip';
import ExpandMoreOutlinedIcon from '@mui/icons-material/ExpandMoreOutlined';
import ViewSidebarOutlinedIcon from '@mui/icons-material/ViewSidebarOutlined';
import { memo, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { NavLink } from 'react-router-dom';
import { useSession } from '../../lib/session.js';
import { useStatus } from '../../lib/status.js';
import { lazyScreen } from '../lazyScreens.js';
import { itemStyle } from './itemStyle.js';
import { sideBarIcons } from './sideBarIcons.js';
import { navigationFor, type NavigationEntry, type NavigationGroup } from './navigation.js';

const groupLabels = {
  talk: 'shell.groupTalk',
  console: 'shell.groupConsole',
  admin: 'shell.groupAdmin',
  personal: 'shell.groupPersonal',
} as const satisfies Record<NavigationGroup['name'], string>;

/** Loads the screen of an entry when the pointer or the focus reaches it. */
const preload = ({ screen }: NavigationEntry) => void lazyScreen(screen).preload();

/**
 * The side bar: sticky under the top bar; 208 px wide, 56 px when collapsed. Without `onToggle` it is the drawer of
 * narrow screens. Its links read the address themselves, so that the next page of a list does not render the other
 * links.
 */
export const SideBar = memo(function SideBar({
  collapsed,
  onToggle,
}: {
  readonly collapsed: boolean;
  readonly onToggle?: () => void;
}) {
  const { t } = useTranslation();
  const user = useSession();
  const status = useStatus();
  return (
    <Box
      component="nav"
      aria-label={t('shell.navigation')}
      sx={({ vars }) => ({
        width: onToggle ? (collapsed ? 56 : 208) : '100%',
        flexShrink: 0,
        position: onToggle ? 'sticky' : 'static',
        top: 48,
        height: onToggle ? 'calc(100dvh - 48px)' : 'auto',
        display: 'flex',
        flexDirection: 'column',
        padding: '8px 8px 8px',
        overflowY: 'auto',
        overflowX: 'hidden',
        borderRight: onToggle ? `1px solid ${vars.palette.surface.line}` : 0,
        backgroundColor: vars.palette.background.default,
      })}
    >
      {navigationFor(user, status).map((group, index) => (
        <Box key={group.name} role="group" aria-label={t(groupLabels[group.name])}>
          {group.name === 'talk' ? null : collapsed ? (
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
              {t(groupLabels[group.name])}
            </Box>
          )}
          {group.entries.map((entry) =>
            entry.children ? (
              <Submenu key={entry.path} entry={entry} children={entry.children} collapsed={collapsed} />
            ) : (
              <Entry key={entry.path} entry={entry} collapsed={collapsed} />
            ),
          )}
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
});

/** A submenu, which expands below its entry, or beside it if the bar is collapsed. */
function Submenu({
  entry,
  children,
  collapsed,
}: {
  readonly entry: NavigationEntry;
  readonly children: NonNullable<NavigationEntry['children']>;
  readonly collapsed: boolean;
}) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const label = t(`shell.${entry.label}`);
  const Icon = sideBarIcons[entry.label];
  const id = useId();
  if (collapsed) {
    return (
      <>
        <Tooltip title={anchor ? '' : label} placement="right">
          <ButtonBase
            aria-label={label}
            aria-haspopup="menu"
            sx={{ ...itemStyle, justifyContent: 'center' }}
            onMouseEnter={() => preload(entry)}
            onClick={(event) => setAnchor(event.currentTarget)}
          >
            <Icon />
          </ButtonBase>
        </Tooltip>
        <Menu
          anchorEl={anchor}
          open={anchor !== null}
          onClose={() => setAnchor(null)}
          anchorOrigin={{ vertical: 'top', horizontal: 'right' }}
        >
          {children.map((child) => (
            <MenuItem key={child.path} component={NavLink} to={child.path} onClick={() => setAnchor(null)}>
              {child.name}
            </MenuItem>
          ))}
        </Menu>
      </>
    );
  }
  return (
    <>
      <ButtonBase
        aria-expanded={open}
        aria-controls={id}
        sx={itemStyle}
        onMouseEnter={() => preload(entry)}
        onFocus={() => preload(entry)}
        onClick={() => setOpen(!open)}
      >
        <Icon />
        {label}
        <ExpandMoreOutlinedIcon
          sx={{ ml: 'auto', fontSize: '16px !important', transform: open ? 'rotate(180deg)' : 'none' }}
        />
      </ButtonBase>
      <Collapse in={open} id={id} unmountOnExit>
        {children.map((child) => (
          <ButtonBase key={child.path} component={NavLink} to={child.path} sx={{ ...itemStyle, pl: '36px' }}>
            <Box component="span" title={child.name} sx={{ overflow: 'hidden', textOverflow: 'ellipsis' }}>
              {child.name}
            </Box>
          </ButtonBase>
        ))}
      </Collapse>
    </>
  );
}

function Entry({ entry, collapsed }: { readonly entry: NavigationEntry; readonly collapsed: boolean }) {
  const { t } = useTranslation();
  const label = t(`shell.${entry.label}`);
  const Icon = sideBarIcons[entry.label];
  return (
    <Tooltip title={collapsed ? label : ''} placement="right">
      <ButtonBase
        component={NavLink}
        to={entry.path}
        aria-label={collapsed ? label : undefined}
        sx={{ ...itemStyle, justifyContent: collapsed ? 'center' : 'flex-start' }}
        onMouseEnter={() => preload(entry)}
        onFocus={() => preload(entry)}
      >
        <Icon />
        {!collapsed && label}
      </ButtonBase>
    </Tooltip>
  );
}
