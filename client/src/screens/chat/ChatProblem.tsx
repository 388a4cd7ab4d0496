import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router-dom';
import { describeFailure } from '../../lib/errors.js';
import type { ChatOpening } from './useChatAddress.js';

/** One line in the middle of the page. */
export function ChatLine({
  alert = false,
  action,
  children,
}: {
  readonly alert?: boolean;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <Box
      role={alert ? 'alert' : 'status'}
      sx={{
        minHeight: 'calc(100dvh - 48px)',
        display: 'flex',
        flexDirection: 'column',
        alignItems: 'center',
        justifyContent: 'center',
        gap: 2,
        padding: 3,
        textAlign: 'center',
        color: 'text.secondary',
      }}
    >
      {children}
      {action}
    </Box>
  );
}

/** Why a chat cannot be opened, or that it is loading. */
export function ChatProblem({ opening }: { readonly opening: ChatOpening }) {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  switch (opening.state) {
    case 'wrongLink':
      return <ChatLine alert>{t('chat.linkWrong')}</ChatLine>;
    case 'stranger':
      return (
        <ChatLine
          alert
          action={
            <Button variant="contained" component={Link} to="/login" state={{ from: pathname }}>
              {t('shell.signIn')}
            </Button>
          }
        >
          {t('chat.needsSignIn')}
        </ChatLine>
      );
    case 'noToken':
      return (
        <ChatLine
          alert
          action={
            <Button variant="contained" component={Link} to="/token">
              {t('chat.openTokens')}
            </Button>
          }
        >
          {t('playground.noToken')}
        </ChatLine>
      );
    case 'asks':
      return (
        <ChatLine
          action={
            <Button variant="contained" onClick={opening.agree}>
              {t('chat.sendKey')}
            </Button>
          }
        >
          {t('chat.sendsKey', { host: opening.host })}
        </ChatLine>
      );
    case 'failed':
      return <ChatLine alert>{describeFailure(opening.error, t)}</ChatLine>;
    default:
      return <ChatLine>{t('chat.loading')}</ChatLine>;
  }
}
