import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { ToneChip, type Tone } from '../../components/Tone.js';
import { dateTime, decimal, dollars, responseTime } from '../../lib/format.js';
import type { ChannelRowFragment } from './channels.generated.js';
import { providerMarks } from './providerMarks.js';

export function ChannelStatusChip({
  channel,
}: {
  readonly channel: Pick<ChannelRowFragment, 'status' | 'statusReason'>;
}) {
  const { t } = useTranslation();
  if (channel.status === 'ENABLED') {
    return (
      <ToneChip tone="green" dot>
        {t('fields.enabled')}
      </ToneChip>
    );
  }
  if (channel.status !== 'AUTO_DISABLED') {
    return (
      <ToneChip tone="grey" dot>
        {t('fields.disabled')}
      </ToneChip>
    );
  }
  const why = channel.statusReason;
  const hint = (
    <>
      <Box sx={{ fontWeight: 600 }}>{t('channels.autoDisabledHint')}</Box>
      {why?.reason}
      {why && (
        <Box className="num" sx={{ opacity: 0.75 }}>
          {dateTime(why.at, 'seconds')}
        </Box>
      )}
    </>
  );
  return (
    <ToneChip tone="red" dot hint={hint}>
      {t('channels.autoDisabled')}
    </ToneChip>
  );
}

export function responseTone(milliseconds: number): Tone {
  if (milliseconds <= 0) return 'grey';
  if (milliseconds <= 1000) return 'green';
  if (milliseconds <= 3000) return 'lime';
  return milliseconds <= 5000 ? 'amber' : 'red';
}

export function ResponseChip({ channel }: { readonly channel: Pick<ChannelRowFragment, 'lastTest'> }) {
  const { t } = useTranslation();
  if (!channel.lastTest) return <ToneChip tone="grey">{t('channels.notTested')}</ToneChip>;
  const { milliseconds, error, at } = channel.lastTest;
  if (error) {
    const status = /status code (\d{3})/.exec(error)?.[1];
    const hint = (
      <>
        {error}
        <Box className="num" sx={{ opacity: 0.75 }}>
          {dateTime(at, 'seconds')}
        </Box>
      </>
    );
    return (
      <ToneChip tone="red" hint={hint}>
        {status ? `${t('channels.failed')} ${status}` : t('channels.failed')}
      </ToneChip>
    );
  }
  return <ToneChip tone={responseTone(milliseconds)}>{responseTime(milliseconds)}</ToneChip>;
}

/** Providers count in a currency of theirs, or in points. */
export const balanceText = ({ amount, unit }: NonNullable<ChannelRowFragment['balance']>): string =>
  unit === 'USD' ? dollars(amount, 2) : unit === 'POINTS' ? decimal(amount, 2) : `${decimal(amount, 2)} ${unit}`;

/** The mark of a provider in the colour of text; two letters of its name if it has none. */
export function TypeMark({ label }: { readonly label: string }) {
  const mark = providerMarks[label];
  return (
    <Box
      component="span"
      aria-hidden
      sx={({ vars }) => ({
        width: 20,
        height: 20,
        flexShrink: 0,
        display: 'inline-grid',
        placeItems: 'center',
        borderRadius: '4px',
        fontSize: 10,
        lineHeight: 1,
        fontWeight: 600,
        color: vars.palette.text.secondary,
        backgroundColor: vars.palette.surface.sunken,
        border: `1px solid ${vars.palette.surface.line}`,
      })}
    >
      {mark === undefined ? label.slice(0, 2) : <MaskedMark address={mark} />}
    </Box>
  );
}

/** A drawing in one colour is a mask over the colour of the theme. */
const MaskedMark = ({ address }: { readonly address: string }) => (
  <Box
    component="span"
    sx={{ width: 13, height: 13, bgcolor: 'text.primary', mask: `url("${address}") center / contain no-repeat` }}
  />
);
