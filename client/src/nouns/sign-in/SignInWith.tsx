import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { lazyPart } from '../../components/lazyPart.js';
import { describe } from '../../lib/errors.js';
import type { SessionUser } from '../../lib/sessionUser.js';
import { ProviderIcon } from './ProviderIcon.js';
import { secondFactorPath } from '../../lib/confirmation.js';
import { askOAuth } from './oauthApi.js';
import { useProviders, type ProviderId } from './offeredProviders.js';
import { AddedProviderIcon, useLeaveForAdded, useAddedProviders } from './addedProviders.js';
import { useEnter, useLeaveForProvider } from './useProviders.js';

const WeChatDialog = lazyPart(
  async () => (await import('./WeChatDialog.js')).WeChatDialog,
  ({ open }) => open,
);
const TelegramDialog = lazyPart(
  async () => (await import('./TelegramDialog.js')).TelegramDialog,
  ({ open }) => open,
);

/** Buttons of the sign-in providers; nothing without any. */
export function SignInWith({
  inviteCode,
  alone = false,
  onEnter,
}: {
  /** Invite code for new accounts. */
  readonly inviteCode?: string | undefined;
  /** There is no password form above, so no "or" divider is shown. */
  readonly alone?: boolean;
  /** Called after sign-in, before the redirect to the home page: the surrounding form must not redirect as well. */
  readonly onEnter: () => void;
}) {
  const { t } = useTranslation();
  const providers = useProviders();
  const rows = useAddedProviders();
  const leave = useLeaveForProvider();
  const leaveForAdded = useLeaveForAdded();
  const enter = useEnter();
  const navigate = useNavigate();
  const [going, setGoing] = useState<string | null>(null);
  const [dialog, setDialog] = useState<'wechat' | 'telegram' | null>(null);
  if (providers.length === 0 && rows.length === 0) return null;
  const press = async (id: ProviderId) => {
    if (id === 'wechat' || id === 'telegram') {
      setDialog(id);
      return;
    }
    setGoing(id);
    await leave(id, inviteCode);
    setGoing(null);
  };
  const pressRow = async (slug: string) => {
    setGoing(slug);
    await leaveForAdded(slug, inviteCode);
    setGoing(null);
  };
  const close = () => setDialog(null);
  const goHome = (user: SessionUser) => {
    flushSync(onEnter);
    void enter(user, '/');
  };
  const signInWithWechat = async (code: string) => {
    const answer = await askOAuth('wechat', new URLSearchParams({ code }));
    if (answer.kind === 'signedIn') goHome(answer.user);
    if (answer.kind === 'secondFactor') void navigate(secondFactorPath);
    return answer.kind === 'refused' ? describe(answer.failure, t) : null;
  };
  return (
    <Box sx={{ mt: alone ? 0 : 2.5 }}>
      {!alone && (
        <Box
          sx={{
            display: 'flex',
            alignItems: 'center',
            gap: 1.5,
            mb: 2.5,
            fontSize: 12.5,
            color: 'text.secondary',
            '&::before, &::after': { content: '""', flex: 1, height: '1px', backgroundColor: 'divider' },
          }}
        >
          {t('oauth.or')}
        </Box>
      )}
      <Box
        role="group"
        aria-label={t('oauth.or')}
        sx={{
          display: 'grid',
          gap: 1,
          gridTemplateColumns: '1fr 1fr',
          '& > :last-child:nth-of-type(odd)': { gridColumn: '1 / 3' },
        }}
      >
        {providers.map((id) => (
          <Button
            key={id}
            variant="outlined"
            size="large"
            startIcon={<ProviderIcon id={id} />}
            loading={going === id}
            onClick={() => void press(id)}
            sx={{ fontSize: 13 }}
          >
            {t(`oauth.providers.${id}`)}
          </Button>
        ))}
        {rows.map(({ slug, name, icon }) => (
          <Button
            key={slug}
            variant="outlined"
            size="large"
            startIcon={<AddedProviderIcon icon={icon} />}
            loading={going === slug}
            onClick={() => void pressRow(slug)}
            sx={{ fontSize: 13 }}
          >
            {name}
          </Button>
        ))}
      </Box>
      {providers.includes('wechat') && (
        <WeChatDialog
          open={dialog === 'wechat'}
          title={t('oauth.wechatTitle')}
          submitLabel={t('shell.signIn')}
          onClose={close}
          onCode={signInWithWechat}
        />
      )}
      {providers.includes('telegram') && (
        <TelegramDialog
          open={dialog === 'telegram'}
          path="telegram/login"
          onClose={close}
          onDone={(answer) => {
            if (answer.kind === 'signedIn') goHome(answer.user);
            if (answer.kind === 'secondFactor') void navigate(secondFactorPath);
          }}
        />
      )}
    </Box>
  );
}
