import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Notice } from '../components/Notice.js';
import { useStatus } from '../lib/status.js';
import { askOAuth, type OAuthAnswer } from './oauthApi.js';
import { fromTelegramMessage, telegramOrigin } from './telegramMessage.js';

/**
 * Telegram's sign-in button in a frame. Telegram's script, which only creates this frame and listens to it, is not used, so
 * the page's policy need not allow a third-party script.
 */
export function TelegramDialog({
  open,
  path,
  onClose,
  onDone,
}: {
  readonly open: boolean;
  readonly path: 'telegram/login' | 'telegram/bind';
  readonly onClose: () => void;
  readonly onDone: (answer: OAuthAnswer) => void;
}) {
  const { t, i18n } = useTranslation();
  const { telegramBotName } = useStatus();
  const [problem, setProblem] = useState('');
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    if (!open) return;
    const listen = (event: MessageEvent) => {
      if (event.origin !== telegramOrigin || event.source !== frame.current?.contentWindow) return;
      const person = fromTelegramMessage(event.data);
      if (!person) return;
      void askOAuth(path, person).then((answer) => {
        if (answer.kind === 'refused') {
          setProblem(answer.message || t('errors.network'));
          return;
        }
        onClose();
        onDone(answer);
      });
    };
    addEventListener('message', listen);
    return () => removeEventListener('message', listen);
  }, [onClose, onDone, open, path, t]);
  const address = `${telegramOrigin}/embed/${encodeURIComponent(telegramBotName)}?${new URLSearchParams({
    origin: location.origin,
    size: 'large',
    lang: i18n.language,
  }).toString()}`;
  return (
    <Dialog
      open={open}
      onClose={onClose}
      maxWidth="xs"
      fullWidth
      aria-labelledby="telegram-title"
      slotProps={{
        transition: {
          onExited: () => setProblem(''),
        },
      }}
    >
      <DialogTitle id="telegram-title">{t('oauth.telegramTitle')}</DialogTitle>
      <DialogContent>
        <Box sx={{ mb: 2, color: 'text.secondary' }}>{t('oauth.telegramText')}</Box>
        {problem && (
          <Box sx={{ mb: 2 }}>
            <Notice tone="red">{problem}</Notice>
          </Box>
        )}
        <Box
          component="iframe"
          ref={frame}
          src={address}
          title={t('oauth.telegramTitle')}
          sx={{ display: 'block', mx: 'auto', border: 0, width: 238, height: 40, colorScheme: 'light' }}
        />
      </DialogContent>
      <DialogActions>
        <Button variant="outlined" onClick={onClose}>
          {t('actions.cancel')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
