import { useApolloClient } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { OAuthAnswer } from '../../nouns/sign-in/oauthApi.js';
import { TelegramDialog } from '../../nouns/sign-in/TelegramDialog.js';
import { useProviders, type ProviderId } from '../../nouns/sign-in/offeredProviders.js';
import { useLeaveForProvider } from '../../nouns/sign-in/useProviders.js';
import { WeChatDialog } from '../../nouns/sign-in/WeChatDialog.js';
import { useAction } from '../../components/useAction.js';
import { toast } from '../../components/toast.js';
import { ToneChip } from '../../components/Tone.js';
import { EmailDialog } from './EmailDialog.js';
import type { Me } from './IdentityCard.js';
import { Panel } from './Panel.js';
import { AddedBindings } from './AddedBindings.js';
import { BindWechatDocument, UnbindIdentityDocument, type IdentityProvider } from './personal.generated.js';

type Identity = 'email' | ProviderId;

/** Identities that can be unbound. An email address can only be changed. */
const unbindable: Readonly<Partial<Record<Identity, IdentityProvider>>> = {
  github: 'GITHUB',
  oidc: 'OIDC',
  linuxdo: 'LINUXDO',
  wechat: 'WECHAT',
  telegram: 'TELEGRAM',
};

/** External identities: the bound ones, and buttons to bind those that the site offers. */
export function Bindings({ me, onChanged }: { readonly me: Me; readonly onChanged: () => void }) {
  const { t } = useTranslation();
  const client = useApolloClient();
  const act = useAction();
  const offered = useProviders();
  const leave = useLeaveForProvider();
  const [dialog, setDialog] = useState<Identity | null>(null);
  const close = useCallback(() => setDialog(null), []);
  const names: Record<Identity, string> = {
    email: t('fields.email'),
    github: t('oauth.providers.github'),
    oidc: t('oauth.providers.oidc'),
    linuxdo: t('oauth.providers.linuxdo'),
    wechat: t('oauth.providers.wechat'),
    telegram: t('oauth.providers.telegram'),
  };
  const subjectAt = (wanted: IdentityProvider): string =>
    me.identities.find(({ provider }) => provider === wanted)?.subject ?? '';
  const bound: Record<Identity, string> = {
    email: me.email ?? '',
    github: subjectAt('GITHUB'),
    oidc: subjectAt('OIDC'),
    linuxdo: subjectAt('LINUXDO'),
    wechat: subjectAt('WECHAT'),
    telegram: subjectAt('TELEGRAM'),
  };
  const done = useCallback(
    (name: string) => {
      toast.success(t('oauth.boundTo', { name }));
      onChanged();
    },
    [onChanged, t],
  );
  const telegramDone = useCallback(
    (answer: OAuthAnswer) => {
      if (answer.kind === 'bound') done(t('oauth.providers.telegram'));
    },
    [done, t],
  );
  const begin = async (identity: Identity) => {
    if (identity === 'email' || !(await leave(identity))) setDialog(identity);
  };
  const bindWechat = async (code: string) => {
    await client.mutate({ mutation: BindWechatDocument, variables: { code } });
    done(names.wechat);
    return null;
  };
  const unbind = (provider: IdentityProvider, name: string) =>
    act(
      async () => {
        await client.mutate({ mutation: UnbindIdentityDocument, variables: { provider } });
        onChanged();
        return t('personal.unboundFrom', { name });
      },
      {
        title: t('personal.unbindTitle', { name }),
        body: t('personal.unbindBody'),
        verb: t('personal.unbind'),
        destructive: true,
      },
    );

  return (
    <Panel title={t('personal.bindings')}>
      {(Object.keys(names) as Identity[]).map((identity) => {
        const value = bound[identity];
        // A provider that the site does not offer is only shown to those who are bound to it.
        if (value === '' && identity !== 'email' && !offered.includes(identity)) return null;
        const known = value === '' ? undefined : unbindable[identity];
        const possible = identity === 'email' || (value === '' && offered.includes(identity));
        return (
          <Box
            key={identity}
            sx={{
              display: 'flex',
              alignItems: 'center',
              gap: { xs: 1, sm: 2 },
              minHeight: 44,
              '& + &': { borderTop: '1px solid', borderColor: 'divider' },
            }}
          >
            <Box sx={{ width: { xs: 72, sm: 96 }, flexShrink: 0, fontWeight: 500 }}>{names[identity]}</Box>
            <Box sx={{ flex: 1, minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis', color: 'text.secondary' }}>
              {value}
            </Box>
            {(value !== '' || !possible) && (
              <ToneChip tone={value ? 'green' : 'grey'}>
                {value ? t('personal.bound') : t('personal.notBound')}
              </ToneChip>
            )}
            {known && (
              <Button
                variant="outlined"
                aria-label={t('personal.unbindOf', { name: names[identity] })}
                onClick={() => void unbind(known, names[identity])}
              >
                {t('personal.unbind')}
              </Button>
            )}
            {possible && (
              <Button
                variant="outlined"
                aria-label={t('personal.bindOf', { name: names[identity] })}
                onClick={() => void begin(identity)}
              >
                {value ? t('personal.rebind') : t('oauth.bind')}
              </Button>
            )}
          </Box>
        );
      })}
      <AddedBindings />
      {dialog === 'email' && <EmailDialog onClose={close} onBound={() => done(names.email)} />}
      <WeChatDialog
        open={dialog === 'wechat'}
        title={t('oauth.wechatBind')}
        submitLabel={t('oauth.bind')}
        onClose={close}
        onCode={bindWechat}
      />
      <TelegramDialog open={dialog === 'telegram'} path="telegram/bind" onClose={close} onDone={telegramDone} />
    </Panel>
  );
}
