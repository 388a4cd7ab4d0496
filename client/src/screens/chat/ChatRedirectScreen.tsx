import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useStatus } from '../../lib/status.js';
import { ChatLine, ChatProblem } from './ChatProblem.js';
import { useChatAddress } from './useChatAddress.js';

/** Redirects to the site's first chat app. */
export function ChatRedirectScreen() {
  const { t } = useTranslation();
  const { chatLinks } = useStatus();
  const chat = chatLinks?.[0];
  const opening = useChatAddress(chat?.link);
  const address = opening.state === 'ready' ? opening.address : null;
  useEffect(() => {
    if (address !== null) location.replace(address);
  }, [address]);
  return (
    <>
      <title>{t('chat.title')}</title>
      {chatLinks === null ? (
        <ChatLine alert>{t('chat.dataWrong')}</ChatLine>
      ) : chat === undefined ? (
        <ChatLine alert>{t('chat.none')}</ChatLine>
      ) : (
        <ChatProblem opening={opening} />
      )}
    </>
  );
}
