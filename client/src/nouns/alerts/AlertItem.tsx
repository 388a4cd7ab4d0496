import Box from '@mui/material/Box';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { dateTime, listParts } from '../../lib/format.js';
import type { Permission } from '../../lib/permissions.js';
import { MayLink } from '../../components/MayLink.js';
import { ToneChip } from '../../components/Tone.js';
import type { AlertKind, AlertRowFragment } from './alerts.generated.js';
import { modelAddress } from '../objects/addresses.js';
import { alertDetail, alertTones } from './alertTexts.js';

/** An alert in three lines: kind and time, subject, figures. */
export function AlertItem({ alert, onFollow }: { readonly alert: AlertRowFragment; readonly onFollow?: () => void }) {
  const { t } = useTranslation();
  const { kind, openedAt, endedAt, failedMessages } = alert;
  return (
    <Box sx={{ py: 1.25, borderTop: '1px solid', borderColor: 'divider', '&:first-of-type': { borderTop: 0 } }}>
      <Box sx={{ display: 'flex', alignItems: 'center', justifyContent: 'space-between', gap: 1 }}>
        <ToneChip dot tone={endedAt ? 'grey' : alertTones[kind]}>
          {t(`alerts.kinds.${kind}`)}
        </ToneChip>
        <Box className="num" sx={{ fontSize: 12, color: 'text.secondary' }}>
          {endedAt
            ? t('alerts.span', { from: dateTime(openedAt, 'card'), to: dateTime(endedAt, 'card') })
            : dateTime(openedAt, 'card')}
        </Box>
      </Box>
      <Box sx={{ mt: 0.5, overflowWrap: 'anywhere' }}>
        <AlertSubject alert={alert} {...(onFollow ? { onFollow } : {})} />
        <Box sx={{ color: 'text.secondary' }}>
          <AlertDetail alert={alert} {...(onFollow ? { onFollow } : {})} />
        </Box>
        {failedMessages.map(({ target, error }) => (
          <Box key={target} sx={{ fontSize: 12, color: 'error.main' }}>
            {t('alerts.notSent', { target: t(`alerts.targets.${target}`), error })}
          </Box>
        ))}
      </Box>
    </Box>
  );
}

/** The detail of an alert. Models that are sold below cost are links to their prices. */
export function AlertDetail({ alert, onFollow }: { readonly alert: AlertRowFragment; readonly onFollow?: () => void }) {
  const { t } = useTranslation();
  const { kind, models, count } = alert;
  if (kind !== 'SALE_BELOW_COST' || !models) return alertDetail(t, alert);
  const [before, after] = t('alerts.belowCost', { count: count ?? 0, models: linksHere }).split(linksHere);
  return (
    <>
      {before}
      {listParts(models).map(({ type, value }, index) =>
        type === 'literal' ? (
          <span key={index}>{value}</span>
        ) : (
          <MayLink
            key={value}
            permission="PRICES"
            to={`${modelAddress(value.replace(channelCount, ''))}/price`}
            {...(onFollow ? { onClick: onFollow } : {})}
          >
            {value}
          </MayLink>
        ),
      )}
      {after}
    </>
  );
}

/** Stands in the text for the links. */
const linksHere = '\u0000';
/** The number of channels behind the name of a model. */
const channelCount = / \(\d+\)$/;

/** The screens of alerts that are about no channel. The ledger is checked on the server. */
const placesOfSite = (
  t: TFunction,
): Partial<Record<AlertKind, { readonly permission: Permission; readonly to: string; readonly name: string }>> => ({
  SALE_BELOW_COST: {
    permission: 'PRICES',
    to: '/setting?tab=operation&section=prices',
    name: t('settings.sections.prices'),
  },
  WEBHOOK_OFF: { permission: 'WEBHOOKS', to: '/webhook', name: t('shell.webhooks') },
});

/** The subject of an alert, as a link to the screen on which users with the permission can fix the cause. */
export function AlertSubject({
  alert: { kind, channelId, channelName },
  onFollow,
}: {
  readonly alert: AlertRowFragment;
  readonly onFollow?: () => void;
}) {
  const { t } = useTranslation();
  if (channelId == null) {
    const place = placesOfSite(t)[kind];
    if (!place) return <Box sx={{ fontWeight: 500 }}>{t('alerts.site')}</Box>;
    return (
      <MayLink permission={place.permission} to={place.to} className="strong" onClick={onFollow}>
        {place.name}
      </MayLink>
    );
  }
  const isOfCalls = kind === 'ERROR_RATE';
  return (
    <MayLink
      permission={isOfCalls ? 'LOGS_READ' : 'CHANNELS_READ'}
      to={isOfCalls ? `/log?type=ERROR&channelId=${channelId}` : `/channel/${channelId}`}
      className="ellipsis strong"
      onClick={onFollow}
    >
      {`${channelName ?? ''} (#${channelId})`}
    </MayLink>
  );
}
