import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { Dash } from '../../components/Text.js';
import { ToneChip, type Tone } from '../../components/Tone.js';
import { duration } from '../../lib/format.js';
import type { LogRowFragment } from './logs.generated.js';
import type { LogOther } from './logOther.wire.js';

export const LogType = { unknown: 0, topUp: 1, consume: 2, manage: 3, system: 4, checkIn: 5, error: 6 } as const;

export const typeLabels = {
  [LogType.unknown]: 'logs.typeUnknown',
  [LogType.topUp]: 'logs.typeTopUp',
  [LogType.consume]: 'logs.typeConsume',
  [LogType.manage]: 'logs.typeManage',
  [LogType.system]: 'logs.typeSystem',
  [LogType.checkIn]: 'logs.typeCheckIn',
  [LogType.error]: 'logs.typeError',
} as const;

const typeTones: Readonly<Record<number, Tone>> = {
  [LogType.topUp]: 'teal',
  [LogType.manage]: 'violet',
  [LogType.system]: 'blue',
  [LogType.checkIn]: 'teal',
  [LogType.error]: 'red',
};

export function TypeCell({ type }: { readonly type: number }) {
  const { t } = useTranslation();
  const label = t(typeLabels[type as keyof typeof typeLabels] ?? 'logs.typeUnknown');
  if (type === LogType.consume) {
    return <span className="secondary">{label}</span>;
  }
  return <ToneChip tone={typeTones[type] ?? 'outline'}>{label}</ToneChip>;
}

export const durationTone = (seconds: number): Tone => (seconds < 101 ? 'green' : seconds < 300 ? 'orange' : 'red');
export const firstTokenTone = (seconds: number): Tone => (seconds < 3 ? 'green' : seconds < 10 ? 'orange' : 'red');

/** How long it took, and for streams until the first token. */
export function TimeChips({
  row,
  other,
}: {
  readonly row: Pick<LogRowFragment, 'useTime' | 'isStream' | 'type'>;
  readonly other: LogOther | null;
}) {
  const { t } = useTranslation();
  if (row.type !== LogType.consume && row.type !== LogType.error) return <Dash />;
  const first = row.isStream ? other?.firstTokenMs : null;
  return (
    <span className="chips">
      <ToneChip tone={durationTone(row.useTime)} label={t('logs.durationOf', { time: duration(row.useTime) })}>
        {duration(row.useTime)}
      </ToneChip>
      {first !== null && first !== undefined && (
        <ToneChip tone={firstTokenTone(first / 1000)} label={t('logs.firstOf', { time: duration(first / 1000) })}>
          {duration(first / 1000)}
        </ToneChip>
      )}
    </span>
  );
}

/** `12 → 7` when a second channel had to help. */
export function RetryPath({ other }: { readonly other: LogOther | null }) {
  const path = other?.usedChannels ?? [];
  return path.length > 1 ? <ToneChip tone="amber">{path.join(' → ')}</ToneChip> : <Dash />;
}

export function ModelCell({ row, other }: { readonly row: LogRowFragment; readonly other: LogOther | null }) {
  if (row.type !== LogType.consume && row.modelName === '') {
    return (
      <span title={row.content} className="ellipsis secondary">
        {row.content}
      </span>
    );
  }
  return (
    <span
      title={other?.upstreamModel ? `${row.modelName} → ${other.upstreamModel}` : row.modelName}
      className="ellipsis"
    >
      {row.modelName}
      {other?.upstreamModel && (
        <Box component="span" sx={{ color: 'text.secondary', ml: 0.5 }}>
          → {other.upstreamModel}
        </Box>
      )}
    </span>
  );
}
