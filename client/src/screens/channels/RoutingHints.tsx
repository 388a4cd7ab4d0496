import { skipToken, useQuery } from '@apollo/client/react';
import MuiLink from '@mui/material/Link';
import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { useMay } from '../../lib/permissions.js';
import { RoutingOptionsDocument } from './channels.generated.js';

/** Settings of the site that keep a channel's own switches from having an effect, for those who may open them. */
export function RoutingHints({ autoDisable }: { readonly autoDisable: boolean }) {
  const { t } = useTranslation();
  const items = useQuery(RoutingOptionsDocument, useMay('OPTIONS') ? {} : skipToken).data?.options.items;
  if (!items) return null;
  const valueOf = (key: string) => items.find((item) => item.key === key)?.value ?? '';
  const hints = [
    ...(autoDisable && valueOf('AutomaticDisableChannelEnabled') === 'false'
      ? [{ text: t('channels.autoBanOff'), setting: 'AutomaticDisableChannelEnabled' }]
      : []),
    ...(valueOf('RetryTimes') === '0' ? [{ text: t('channels.noRetries'), setting: 'RetryTimes' }] : []),
  ];
  return hints.map(({ text, setting }) => (
    <Box key={setting} role="note" sx={{ fontSize: 12, lineHeight: '17px', color: 'warning.main' }}>
      {text}{' '}
      <MuiLink component={Link} to={`/setting?tab=operation&find=${setting}`} target="_blank">
        {t('channels.openSetting')}
      </MuiLink>
    </Box>
  ));
}
