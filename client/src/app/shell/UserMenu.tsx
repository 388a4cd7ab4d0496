import { useApolloClient, useMutation } from '@apollo/client/react';
import Box from '@mui/material/Box';
import ButtonBase from '@mui/material/ButtonBase';
import Divider from '@mui/material/Divider';
import ListSubheader from '@mui/material/ListSubheader';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import ExpandMoreOutlinedIcon from '@mui/icons-material/ExpandMoreOutlined';
import LogoutOutlinedIcon from '@mui/icons-material/LogoutOutlined';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { toast } from '../../components/toast.js';
import { describeFailure } from '../../lib/errors.js';
import { adminRole, rootRole, session, type SessionUser } from '../../lib/session.js';
import { useIsMobile } from '../../lib/useMediaFlags.js';
import { LogoutDocument } from '../session.generated.js';
import { LanguageItems } from './LanguageMenu.js';

export function UserMenu({ user }: { readonly user: SessionUser }) {
  const { t } = useTranslation();
  const mobile = useIsMobile();
  const navigate = useNavigate();
  const client = useApolloClient();
  const [logout] = useMutation(LogoutDocument);
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const close = () => {
    setAnchor(null);
  };

  const leave = async () => {
    close();
    try {
      await logout();
    } catch (error) {
      toast.error(describeFailure(error, t));
      return;
    }
    session.end();
    await client.clearStore();
    await navigate('/login');
  };

  const role = user.role >= rootRole ? t('roles.root') : user.role >= adminRole ? t('roles.admin') : t('roles.common');
  return (
    <>
      <ButtonBase
        aria-haspopup="menu"
        aria-label={t('shell.userMenu', { name: user.username })}
        onClick={(event) => {
          setAnchor(event.currentTarget);
        }}
        sx={{
          display: 'flex',
          alignItems: 'center',
          gap: 1,
          height: 36,
          padding: '0 6px',
          borderRadius: '6px',
          fontSize: 13,
          fontWeight: 500,
          '&:hover': { backgroundColor: 'action.hover' },
        }}
      >
        <Box
          aria-hidden
          sx={({ vars }) => ({
            width: 24,
            height: 24,
            borderRadius: '50%',
            display: 'grid',
            placeItems: 'center',
            fontSize: 11,
            fontWeight: 600,
            color: vars.palette.tone.teal.text,
            backgroundColor: vars.palette.tone.teal.tint,
          })}
        >
          {Array.from(user.username).slice(0, 2).join('').toUpperCase()}
        </Box>
        {!mobile && (
          <>
            <Box
              component="span"
              sx={{ maxWidth: 120, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }}
            >
              {user.username}
            </Box>
            <ExpandMoreOutlinedIcon sx={{ fontSize: 16, color: 'text.secondary' }} />
          </>
        )}
      </ButtonBase>
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
        <MenuItem onClick={() => void leave()} sx={{ gap: 1 }}>
          <LogoutOutlinedIcon sx={{ fontSize: 16, color: 'text.secondary' }} />
          {t('shell.logOut')}
        </MenuItem>
      </Menu>
    </>
  );
}
