import { useApolloClient, useMutation } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Divider from '@mui/material/Divider';
import ListSubheader from '@mui/material/ListSubheader';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import PersonOutlinedIcon from '@mui/icons-material/PersonOutlineOutlined';
import LogoutOutlinedIcon from '@mui/icons-material/LogoutOutlined';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router-dom';
import { toast } from '../../components/toast.js';
import { adminRole, rootRole, session } from '../../lib/session.js';
import type { SessionUser } from '../../lib/sessionUser.js';
import { useIsMobile } from '../../lib/useMediaFlags.js';
import { LogoutDocument } from './logout.generated.js';
import { LanguageItems } from './LanguageItems.js';

/** Name and role, the account page, and Sign out; on narrow screens the languages too. */
export function UserActions({
  user,
  anchor,
  onClose: close,
}: {
  readonly user: SessionUser;
  readonly anchor: HTMLElement | null;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const mobile = useIsMobile();
  const navigate = useNavigate();
  const client = useApolloClient();
  const [logout] = useMutation(LogoutDocument);

  const leave = async () => {
    close();
    try {
      await logout();
    } catch (error) {
      toast.failure(error, t);
      return;
    }
    session.end();
    await client.clearStore();
    await navigate('/login');
  };

  const role = user.role >= rootRole ? t('roles.root') : user.role >= adminRole ? t('roles.admin') : t('roles.common');
  return (
    <Menu
      anchorEl={anchor}
      open={anchor !== null}
      onClose={close}
      anchorOrigin={{ vertical: 'bottom', horizontal: 'right' }}
      transformOrigin={{ vertical: 'top', horizontal: 'right' }}
      slotProps={{ paper: { sx: { minWidth: 200 } } }}
    >
      <ListSubheader disableSticky sx={{ lineHeight: '18px', padding: '6px 10px', backgroundColor: 'transparent' }}>
        <Box sx={{ color: 'text.primary', fontSize: 13, fontWeight: 600 }}>{user.displayName || user.username}</Box>
        <Box sx={{ fontSize: 12 }}>{role}</Box>
      </ListSubheader>
      <Divider sx={{ my: '4px !important' }} />
      {mobile && [
        <LanguageItems key="language" onDone={close} />,
        <Divider key="line" sx={{ my: '4px !important' }} />,
      ]}
      <MenuItem component={Link} to="/personal" onClick={close} sx={{ gap: 1 }}>
        <PersonOutlinedIcon sx={{ fontSize: 16, color: 'text.secondary' }} />
        {t('shell.personal')}
      </MenuItem>
      <MenuItem onClick={() => void leave()} sx={{ gap: 1 }}>
        <LogoutOutlinedIcon sx={{ fontSize: 16, color: 'text.secondary' }} />
        {t('shell.logOut')}
      </MenuItem>
    </Menu>
  );
}
