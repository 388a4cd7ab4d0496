import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { count, dateTime, percent, responseTime } from '../../lib/format.js';
import { useFormat } from '../../lib/useFormat.js';
import { Dash, Num } from '../../components/Text.js';
import { ToneChip, type Tone } from '../../components/Tone.js';
import type { ChannelHealthRowFragment } from './channelHealth.generated.js';

/** Figures of a channel; absent while they load, and for a channel without calls. */
interface CellProps {
  readonly health: ChannelHealthRowFragment | undefined;
}

type Failure = ChannelHealthRowFragment['failures'][number];

const toneOf = (rate: number): Tone => (rate === 0 ? 'green' : rate < 0.05 ? 'amber' : rate < 0.2 ? 'orange' : 'red');

/** Rounds up, so that 0 % means that no attempt failed. */
const rateText = (rate: number): string =>
  percent(Math.ceil(rate * 1000 - 1e-9) / 1000, rate === 0 || rate === 1 ? 0 : 1);

function useFailureText(): (failure: Failure) => string {
  const { t } = useTranslation();
  return ({ kind, attempts, lastError }) =>
    `${t(`modelHealth.kinds.${kind}`)} × ${count(attempts)}${lastError === '' ? '' : ` · ${lastError}`}`;
}

/** The share of failed attempts, with every kind of failure in its tooltip. With `named` it says what it is, and is absent without failures. */
export function FailureRate({ health, named = false }: CellProps & { readonly named?: boolean }) {
  const { t } = useTranslation();
  const textOf = useFailureText();
  if (health?.failureRate == null || (named && health.failureRate === 0)) return named ? null : <Dash />;
  const { failureRate, failures } = health;
  const hint = failures.map((failure) => (
    <Box key={failure.kind}>
      {textOf(failure)} ({failure.lastModel}, {dateTime(failure.lastAt)})
    </Box>
  ));
  return (
    <ToneChip tone={toneOf(failureRate)} hint={hint.length > 0 && <>{hint}</>}>
      {named ? t('objects.failingRate', { rate: rateText(failureRate) }) : rateText(failureRate)}
    </ToneChip>
  );
}

/** Kind, number, message and age of the last failure. */
export function LastError({ health }: CellProps) {
  const { relative } = useFormat();
  const textOf = useFailureText();
  const last = health?.failures[0];
  if (!last) return <Dash />;
  const text = `${textOf(last)} · ${relative(last.lastAt)}`;
  return (
    <span className="two-line-text" title={`${text} (${dateTime(last.lastAt)}, ${last.lastModel})`}>
      {text}
    </span>
  );
}

/** p50 and p95 of served calls. */
export function ServedTime({ health }: CellProps) {
  if (health?.p50Ms == null || health.p95Ms == null) return <Dash />;
  return (
    <Num>
      {responseTime(health.p50Ms)} / {responseTime(health.p95Ms)}
    </Num>
  );
}

export function Rescued({ health }: CellProps) {
  return health ? <Num>{count(health.rescuedAttempts)}</Num> : <Dash />;
}
