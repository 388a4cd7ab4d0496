import type { GridColDef } from '@mui/x-data-grid';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { FailureRate, LastError, Rescued } from '../../nouns/health/ChannelHealthCells.js';
import type { ChannelHealthRowFragment } from '../../nouns/health/channelHealth.generated.js';
import { RowCard } from '../../components/grid/CardList.js';
import { column, rightColumn } from '../../components/grid/columns.js';
import { Dash, Num, TwoLines } from '../../components/Text.js';
import { count, responseTime } from '../../lib/format.js';
import type { GridSort } from '../../lib/gridState.js';

type Row = ChannelHealthRowFragment;

const time = (milliseconds: number | null | undefined) =>
  milliseconds == null ? <Dash /> : <Num>{responseTime(milliseconds)}</Num>;

/** The number that a column sorts by. Rows without one come last in either direction. */
const sortValues: Readonly<Record<string, (row: Row) => number | null | undefined>> = {
  failureRate: (row) => row.failureRate,
  failedAttempts: (row) => row.failedAttempts,
  rescuedAttempts: (row) => row.rescuedAttempts,
  calls: (row) => row.calls,
  p50Ms: (row) => row.p50Ms,
  p95Ms: (row) => row.p95Ms,
};

export const channelHealthSorts = Object.keys(sortValues);

/** @returns the rows in the order of the grid; without one, as the server sent them */
export function sortedRows(rows: readonly Row[], sort: GridSort | undefined): readonly Row[] {
  const valueOf = sort && sortValues[sort.field];
  if (!valueOf) return rows;
  const sign = sort.direction === 'ASC' ? 1 : -1;
  return rows.toSorted((one, other) => {
    const [left, right] = [valueOf(one), valueOf(other)];
    if (left == null || right == null) return Number(left == null) - Number(right == null);
    return sign * (left - right);
  });
}

export function channelHealthColumns(t: TFunction): GridColDef<Row>[] {
  return [
    column('channelName', t('fields.channel'), { flex: 1, minWidth: 170 }, (row) => (
      <TwoLines title={row.channelName}>{row.channelName}</TwoLines>
    )),
    rightColumn('failureRate', t('channelHealth.failureRate'), 116, (row) => <FailureRate health={row} />),
    rightColumn('failedAttempts', t('channelHealth.failedAttempts'), 146, (row) => (
      <Num>{count(row.failedAttempts)}</Num>
    )),
    rightColumn('rescuedAttempts', t('channelHealth.rescued'), 106, (row) => <Rescued health={row} />),
    rightColumn('calls', t('channelHealth.calls'), 100, (row) => <Num>{count(row.calls)}</Num>),
    rightColumn('p50Ms', 'p50', 84, (row) => time(row.p50Ms)),
    rightColumn('p95Ms', 'p95', 84, (row) => time(row.p95Ms)),
    column('lastError', t('channelHealth.lastError'), { flex: 3, minWidth: 240 }, (row) => <LastError health={row} />),
  ];
}

export function ChannelHealthCard({ row }: { readonly row: Row }) {
  const { t } = useTranslation();
  return (
    <RowCard
      title={row.channelName}
      value={<FailureRate health={row} />}
      meta={t('channelHealth.cardTimes', {
        half: row.p50Ms == null ? '–' : responseTime(row.p50Ms),
        most: row.p95Ms == null ? '–' : responseTime(row.p95Ms),
      })}
      metaEnd={t('channelHealth.cardAttempts', {
        failed: count(row.failedAttempts),
        rescued: count(row.rescuedAttempts),
      })}
      chips={row.failures.length > 0 ? <LastError health={row} /> : undefined}
    />
  );
}
