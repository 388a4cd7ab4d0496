import Box from '@mui/material/Box';
import ButtonBase from '@mui/material/ButtonBase';
import ExpandMoreOutlinedIcon from '@mui/icons-material/ExpandMoreOutlined';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { lazyPart } from '../../components/lazyPart.js';
import { withClient } from '../../lib/graphqlClient.js';
import type { SessionUser } from '../../lib/sessionUser.js';
import { useIsMobile } from '../../lib/useMediaFlags.js';

const UserActions = lazyPart(
  withClient(async () => (await import('./UserActions.js')).UserActions),
  ({ anchor }) => anchor !== null,
);

export function UserMenu({ user }: { readonly user: SessionUser }) {
  const { t } = useTranslation();
  const mobile = useIsMobile();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  return (
    <>
      <ButtonBase
        aria-haspopup="menu"
        aria-label={t('shell.userMenu', { name: user.username })}
        onClick={(event) => setAnchor(event.currentTarget)}
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
          data-initials={Array.from(user.username).slice(0, 2).join('').toUpperCase()}
          sx={({ vars }) => ({
            // The text is generated content, because the visible text of a button has to be part of its accessible
            // name.
            '&::before': { content: 'attr(data-initials)' },
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
        />
        {!mobile && (
          <>
            <Box
              component="span"
              sx={{
                // On narrow windows, the name of the site uses this space.
                display: { sm: 'none', md: 'inline' },
                maxWidth: 120,
                overflow: 'hidden',
                textOverflow: 'ellipsis',
                whiteSpace: 'nowrap',
              }}
            >
              {user.username}
            </Box>
            <ExpandMoreOutlinedIcon sx={{ fontSize: 16, color: 'text.secondary' }} />
          </>
        )}
      </ButtonBase>
      <UserActions user={user} anchor={anchor} onClose={() => setAnchor(null)} />
    </>
  );
}
