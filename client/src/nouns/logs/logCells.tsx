import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { Dash, TwoLines } from '../../components/Text.js';
import { ToneChip, type Tone } from '../../components/Tone.js';
import { duration } from '../../lib/format.js';
import { contentOf } from './logContent.js';
import type { LogRow } from './logRow.js';
import type { LogType } from './logs.generated.js';
import { typeLabels } from './logTypes.js';

const typeTones: Readonly<Partial<Record<LogType, Tone>>> = {
  TOP_UP: 'teal',
  MANAGE: 'violet',
  SYSTEM: 'blue',
  CHECK_IN: 'teal',
  ERROR: 'red',
  TEST: 'outline',
};

export function TypeCell({ type }: { readonly type: LogType }) {
  const { t } = useTranslation();
  const label = t(typeLabels[type]);
  if (type === 'CONSUME') {
    return <span className="secondary">{label}</span>;
  }
  return <ToneChip tone={typeTones[type] ?? 'outline'}>{label}</ToneChip>;
}

export const durationTone = (seconds: number): Tone => (seconds < 101 ? 'green' : seconds < 300 ? 'orange' : 'red');
export const firstTokenTone = (seconds: number): Tone => (seconds < 3 ? 'green' : seconds < 10 ? 'orange' : 'red');

/** The duration, and for streams the time to the first token. */
export function TimeChips({
  row,
}: {
  readonly row: Pick<LogRow, 'durationMs' | 'isStream' | 'type' | 'timeToFirstTokenMs'>;
}) {
  const { t } = useTranslation();
  if (row.type !== 'CONSUME' && row.type !== 'ERROR' && row.type !== 'TEST') return <Dash />;
  const seconds = row.durationMs / 1000;
  const first = row.isStream ? row.timeToFirstTokenMs : null;
  return (
    <span className="chips">
      <ToneChip tone={durationTone(seconds)} label={t('logs.durationOf', { time: duration(seconds) })}>
        {duration(seconds)}
      </ToneChip>
      {first !== null && first !== undefined && (
        <ToneChip tone={firstTokenTone(first / 1000)} label={t('logs.firstOf', { time: duration(first / 1000) })}>
          {duration(first / 1000)}
        </ToneChip>
      )}
    </span>
  );
}

/** Characters of a path that fit into the column. */
const shortPath = 7;

/** `12 → 7` when a second channel was tried. For a longer path it shows the last channel, which served the call or failed last. */
export function RetryPath({ row: { attemptIds: path = [] } }: { readonly row: Pick<LogRow, 'attemptIds'> }) {
  if (path.length < 2) return <Dash />;
  const whole = path.join(' → ');
  if (path.length === 2 && whole.length <= shortPath) return <ToneChip tone="amber">{whole}</ToneChip>;
  return (
    <ToneChip tone="amber" hint={whole}>
      {`… → ${path.at(-1) ?? ''}`}
    </ToneChip>
  );
}

/** Whether a row has a text in place of a model. */
export const isText = ({ type, modelName }: Pick<LogRow, 'type' | 'modelName'>): boolean =>
  type !== 'CONSUME' && (modelName ?? '') === '';

export function ModelCell({ row }: { readonly row: LogRow }) {
  const { t } = useTranslation();
  const name = row.modelName ?? '';
  if (isText(row)) {
    const content = contentOf(row, t);
    return (
      <span title={content} className="ellipsis secondary">
        {content}
      </span>
    );
  }
  if (row.error) {
    const reason = [row.error.status, row.error.code, row.error.message, `· ${duration(row.durationMs / 1000)}`]
      .filter(Boolean)
      .join(' ');
    return (
      <TwoLines title={`${name}: ${reason}`}>
        {name} <span className="secondary">{reason}</span>
      </TwoLines>
    );
  }
  return (
    <TwoLines title={row.upstreamModel ? `${name} → ${row.upstreamModel}` : name}>
      {name}
      {row.upstreamModel && (
        <Box component="span" sx={{ color: 'text.secondary', ml: 0.5 }}>
          → {row.upstreamModel}
        </Box>
      )}
    </TwoLines>
  );
}
