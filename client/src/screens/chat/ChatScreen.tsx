import Box from '@mui/material/Box';
import MuiLink from '@mui/material/Link';
import { useTranslation } from 'react-i18next';
import { useParams, useSearchParams } from 'react-router-dom';
import { Framed } from '../../components/Framed.js';
import { useStatus } from '../../lib/status.js';
import { ChatLine, ChatProblem } from './ChatProblem.js';
import { useChatAddress } from './useChatAddress.js';

/** One of the site's chat apps, filling the page. Without a number, the first. `?token=` names one of the user's tokens by id. */
export function ChatScreen() {
  const { t } = useTranslation();
  const { id = '0' } = useParams();
  const { chatLinks } = useStatus();
  const chat = /^\d{1,4}$/.test(id) ? chatLinks?.[Number(id)] : undefined;
  const token = useSearchParams()[0].get('token') ?? '';
  const opening = useChatAddress(chat?.link, /^\d{1,9}$/.test(token) ? Number(token) : null);
  return (
    <>
      <title>{chat?.name ?? t('chat.title')}</title>
      {chatLinks === null ? (
        <ChatLine alert>{t('chat.dataWrong')}</ChatLine>
      ) : chatLinks.length === 0 ? (
        <ChatLine alert>{t('chat.none')}</ChatLine>
      ) : chat === undefined ? (
        <ChatLine alert>{t('chat.linkWrong')}</ChatLine>
      ) : opening.state === 'ready' ? (
        <>
          <Box
            sx={{
              height: 32,
              px: 2,
              display: 'flex',
              alignItems: 'center',
              gap: 1,
              fontSize: 12,
              color: 'text.secondary',
            }}
          >
            <Box component="span" className="ellipsis">
              {t('chat.frameFrom', { host: new URL(opening.address).host })}
            </Box>
            <MuiLink href={opening.address} target="_blank" rel="noreferrer" sx={{ whiteSpace: 'nowrap' }}>
              {t('chat.openTab')}
            </MuiLink>
          </Box>
          <Framed src={opening.address} title={chat.name} above={32} />
        </>
      ) : (
        <ChatProblem opening={opening} />
      )}
    </>
  );
}
