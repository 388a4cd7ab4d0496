import type { GridColDef } from '@mui/x-data-grid';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { RowCard } from '../../components/grid/CardList.js';
import { column, rightColumn } from '../../components/grid/columns.js';
import { groupTone } from '../../nouns/groups/groupTone.js';
import { serviceColumns } from '../../nouns/health/services.js';
import { Dash, Ellipsis, Num } from '../../components/Text.js';
import { ToneChip, type Tone } from '../../components/Tone.js';
import { count, dateTime, decimal, integer, percent, responseTime } from '../../lib/format.js';
import { useFormat } from '../../lib/useFormat.js';
import type { ModelHealthQuery } from './modelHealth.generated.js';

export type ModelHealthRow = NonNullable<ModelHealthQuery['modelHealth']>['rows'][number];

/** Rounded down, so that 100 % means that no call failed. */
const rateText = (rate: number): string => percent(Math.floor(rate * 1000) / 1000, rate === 1 ? 0 : 1);

const rateTone = (rate: number): Tone =>
  rate >= 0.99 ? 'green' : rate >= 0.95 ? 'amber' : rate >= 0.8 ? 'orange' : 'red';

function SuccessRate({ rate }: { readonly rate: number | null | undefined }) {
  return rate == null ? <Dash /> : <ToneChip tone={rateTone(rate)}>{rateText(rate)}</ToneChip>;
}

function LastFailure({ failure }: { readonly failure: ModelHealthRow['lastFailure'] }) {
  const { t } = useTranslation();
  const { relative } = useFormat();
  if (!failure) return <Dash />;
  const text = `${t(`modelHealth.kinds.${failure.kind}`)} · ${relative(failure.at)}`;
  return <Ellipsis title={`${text} (${dateTime(failure.at)})`}>{text}</Ellipsis>;
}

const time = (milliseconds: number | null | undefined) =>
  milliseconds == null ? <Dash /> : <Num>{responseTime(milliseconds)}</Num>;

/** Faster responses came from a cache or in one piece, so that their speed says nothing. */
const mostSpeed = 1000;

const speedText = (speed: number): string =>
  speed > mostSpeed ? `> ${integer(mostSpeed)}` : decimal(speed, speed < 100 ? 1 : 0);

const speed = ({ tokensPerSecond }: ModelHealthRow) =>
  tokensPerSecond == null ? <Dash /> : <Num>{speedText(tokensPerSecond)}</Num>;

export function modelHealthColumns(t: TFunction, isAdmin: boolean): GridColDef<ModelHealthRow>[] {
  return [
    ...serviceColumns<ModelHealthRow>(t),
    rightColumn('successRate', t('modelHealth.successRate'), 120, (row) => <SuccessRate rate={row.successRate} />),
    rightColumn('p50', t('modelHealth.firstTokenP50'), 164, (row) => time(row.firstTokenP50Ms)),
    rightColumn('p95', t('modelHealth.firstTokenP95'), 164, (row) => time(row.firstTokenP95Ms)),
    rightColumn('tokensPerSecond', t('modelHealth.tokensPerSecond'), 110, (row) => speed(row)),
    column('lastFailure', t('modelHealth.lastFailure'), 230, (row) => <LastFailure failure={row.lastFailure} />),
    ...(isAdmin
      ? [rightColumn<ModelHealthRow>('calls', t('modelHealth.calls'), 90, (row) => <Num>{count(row.calls ?? 0)}</Num>)]
      : []),
  ];
}

export function ModelHealthCard({ row }: { readonly row: ModelHealthRow }) {
  const { t } = useTranslation();
  const { relative } = useFormat();
  const { firstTokenP50Ms: half, firstTokenP95Ms: most, tokensPerSecond, lastFailure } = row;
  return (
    <RowCard
      title={row.modelName}
      value={<SuccessRate rate={row.successRate} />}
      meta={
        half == null || most == null
          ? undefined
          : t('modelHealth.firstToken', { half: responseTime(half), most: responseTime(most) })
      }
      metaEnd={tokensPerSecond == null ? undefined : t('modelHealth.perSecond', { tokens: speedText(tokensPerSecond) })}
      chips={<ToneChip tone={groupTone(row.group)}>{row.group}</ToneChip>}
      end={lastFailure && `${t(`modelHealth.kinds.${lastFailure.kind}`)} · ${relative(lastFailure.at)}`}
    />
  );
}
