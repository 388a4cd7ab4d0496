import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { dateTime } from '../../lib/format.js';
import { useFormat } from '../../lib/useFormat.js';
import type { TokenRowFragment } from './tokens.generated.js';

/** One quiet line: until when the old key works, else where and when the key was used last. Nothing for new keys. */
export function TokenUse({ token: { previousKeyUntil, lastUse } }: { readonly token: TokenRowFragment }) {
  const { t } = useTranslation();
  const { relative } = useFormat();
  const text = previousKeyUntil
    ? t('tokenKeys.oldUntil', { time: dateTime(previousKeyUntil, 'card') })
    : lastUse && t('tokenKeys.lastUsed', { time: relative(lastUse.at), address: lastUse.address });
  // The line has no room for the year.
  const whole = previousKeyUntil ? t('tokenKeys.oldUntil', { time: dateTime(previousKeyUntil) }) : text;
  if (!text || !whole) return null;
  return (
    <Box
      className="ellipsis"
      title={lastUse ? `${whole}\n${lastUse.address} ${dateTime(lastUse.at)}` : whole}
      sx={{ fontSize: 11, lineHeight: '15px', color: previousKeyUntil ? 'warning.main' : 'text.secondary' }}
    >
      {text}
    </Box>
  );
}
