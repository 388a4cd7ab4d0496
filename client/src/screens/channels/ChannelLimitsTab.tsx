import Box from '@mui/material/Box';
import Card from '@mui/material/Card';
import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';
import { NameValues } from '../../components/SideDrawer.js';
import { dollars, integer } from '../../lib/format.js';
import { useMay } from '../../lib/permissions.js';
import { BudgetList } from '../../nouns/budgets/BudgetList.js';
import { HealthSection } from './ChannelHealth.js';
import { KeysSection } from './ChannelKeys.js';
import { limitFields, limitScopes, type LimitName } from './channelLimits.js';
import type { ChannelDetailFragment } from './channels.generated.js';

const textOf = (name: LimitName, value: number): string =>
  name === 'dailyUsd' || name === 'monthlyUsd' ? dollars(value, 2) : integer(value);

/** The keys of a channel with their state, its limits and budgets. The limits themselves are set in the settings. */
export function ChannelLimitsTab({ channel }: { readonly channel: ChannelDetailFragment }) {
  const { t } = useTranslation();
  const budgets = useMay('BUDGETS');
  const card = { padding: '16px' } as const;
  const scopes = limitScopes.filter((scope) => limitFields.some((name) => channel.limits?.[scope]?.[name] != null));
  return (
    <>
      <Card sx={card}>
        <HealthSection channel={channel} />
        <KeysSection channel={channel} />
      </Card>
      <Card component="section" aria-label={t('channels.limits')} sx={card}>
        <Typography variant="h3">{t('channels.limits')}</Typography>
        <Typography variant="caption" component="p" color="textSecondary" sx={{ mb: 1 }}>
          {t('objects.limitsText')}
        </Typography>
        {scopes.length === 0 && <Box>{t('objects.noLimits')}</Box>}
        <Box sx={{ display: 'grid', gap: 2, maxWidth: 520 }}>
          {scopes.map((scope) => (
            <Box key={scope}>
              <Box sx={{ fontWeight: 500, mb: '4px' }}>{t(`channels.limitScopes.${scope}`)}</Box>
              <NameValues
                rows={limitFields.map((name) => {
                  const value = channel.limits?.[scope]?.[name];
                  return [t(`channels.limitNames.${name}`), value == null ? null : textOf(name, value)];
                })}
              />
            </Box>
          ))}
        </Box>
      </Card>
      {budgets && (
        <Card component="section" aria-label={t('budgets.title')} sx={card}>
          <Typography variant="h3" sx={{ mb: 1 }}>
            {t('budgets.title')}
          </Typography>
          <BudgetList subject={{ level: 'CHANNEL', subjectId: channel.id }} />
        </Card>
      )}
    </>
  );
}
