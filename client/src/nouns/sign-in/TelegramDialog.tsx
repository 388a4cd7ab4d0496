import Box from '@mui/material/Box';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ContentDialog } from '../../components/ContentDialog.js';
import { Notice } from '../../components/Notice.js';
import { toast } from '../../components/toast.js';
import { describe } from '../../lib/errors.js';
import { useStatus } from '../../lib/status.js';
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
  /** One object per opening; null while the dialog is closed. */
  const opening = useRef<object | null>(null);
  useEffect(() => {
    opening.current = open ? {} : null;
    return () => {
      opening.current = null;
    };
  }, [open]);
  useEffect(() => {
    if (!open) return;
    const listen = (event: MessageEvent) => {
      if (event.origin !== telegramOrigin || event.source !== frame.current?.contentWindow) return;
      const person = fromTelegramMessage(event.data);
      if (!person) return;
      const mine = opening.current;
      void askOAuth(path, person).then((answer) => {
        const isOpen = opening.current === mine;
        if (answer.kind === 'refused') {
          const message = describe(answer.failure, t);
          if (isOpen) setProblem(message);
          else toast.error(message);
          return;
        }
        // `onClose` would otherwise close the dialog that was opened since.
        if (isOpen) onClose();
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
    <ContentDialog
      open={open}
      title={t('oauth.telegramTitle')}
      width="xs"
      onClose={onClose}
      slotProps={{ transition: { onExited: () => setProblem('') } }}
    >
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
    </ContentDialog>
  );
}
