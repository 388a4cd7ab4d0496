import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { ToneChip, type Tone } from '../../components/Tone.js';
import { dateTime, responseTime } from '../../lib/format.js';
import type { ChannelRowFragment } from './channels.generated.js';

export const ChannelStatus = { enabled: 1, disabled: 2, autoDisabled: 3 } as const;

/** Reason and time of an automatic disabling. */
export function readStatusReason(otherInfo: string): { reason: string; time: number } | null {
  if (otherInfo === '') return null;
  try {
    const info = JSON.parse(otherInfo) as { status_reason?: unknown; status_time?: unknown } | null;
    const reason = typeof info?.status_reason === 'string' ? info.status_reason : '';
    const time = typeof info?.status_time === 'number' ? info.status_time : 0;
    return reason === '' && time === 0 ? null : { reason, time };
  } catch {
    return null;
  }
}

export function ChannelStatusChip({ channel }: { readonly channel: Pick<ChannelRowFragment, 'status' | 'otherInfo'> }) {
  const { t } = useTranslation();
  if (channel.status === ChannelStatus.enabled) {
    return (
      <ToneChip tone="green" dot>
        {t('channels.enabled')}
      </ToneChip>
    );
  }
  if (channel.status !== ChannelStatus.autoDisabled) {
    return (
      <ToneChip tone="grey" dot>
        {t('channels.disabled')}
      </ToneChip>
    );
  }
  const why = readStatusReason(channel.otherInfo);
  const hint = (
    <>
      <Box sx={{ fontWeight: 600 }}>{t('channels.autoDisabledHint')}</Box>
      {why?.reason}
      {why && why.time > 0 && (
        <Box className="num" sx={{ opacity: 0.75 }}>
          {dateTime(why.time * 1000, 'seconds')}
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

export function ResponseChip({ channel }: { readonly channel: Pick<ChannelRowFragment, 'responseTime' | 'testTime'> }) {
  const { t } = useTranslation();
  const tested = channel.responseTime > 0;
  return (
    <ToneChip tone={responseTone(channel.responseTime)} hint={undefined}>
      {tested ? responseTime(channel.responseTime) : t('channels.notTested')}
    </ToneChip>
  );
}

/** Two letters of the provider's name in a small square. */
export function TypeMark({ label }: { readonly label: string }) {
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
      {label.slice(0, 2)}
    </Box>
  );
}
