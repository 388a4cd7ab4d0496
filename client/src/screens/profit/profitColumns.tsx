import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import ReceiptLongOutlinedIcon from '@mui/icons-material/ReceiptLongOutlined';
import type { GridColDef } from '@mui/x-data-grid';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { RowCard } from '../../components/grid/CardList.js';
import { column, rightColumn } from '../../components/grid/columns.js';
import { Dash, Num, TwoLines } from '../../components/Text.js';
import { ToneChip } from '../../components/Tone.js';
import { integer, percent } from '../../lib/format.js';
import { useMay } from '../../lib/permissions.js';
import { useFormat } from '../../lib/useFormat.js';
import { logFilterOf, nameOf, shareOf, type ProfitRow, type ProfitView } from './profitRows.js';

/** The range that is shown, Unix seconds; `to` is empty for an open end. */
interface ShownRange {
  readonly from: string;
  readonly to: string;
}

const knownOf = ({ metrics: { cost } }: ProfitRow) => (cost && cost.knownCalls > 0 ? cost : null);

export const shareText = (share: number): string => percent(share, 1);

/** An amount in USD. A loss is red, and has its sign. */
function Amount({ usd, isMargin = false }: { readonly usd: number | undefined; readonly isMargin?: boolean }) {
  const { total } = useFormat();
  if (usd === undefined) return <Dash />;
  return (
    <Box component="span" sx={isMargin && usd < 0 ? { color: 'error.main' } : undefined}>
      <Num strong={isMargin}>{total(usd)}</Num>
    </Box>
  );
}

function Name({ view, row }: { readonly view: ProfitView; readonly row: ProfitRow }) {
  const { t } = useTranslation();
  const name = nameOf(view, row.key, t('profit.noChannel'));
  return (
    <>
      <TwoLines title={name}>{name}</TwoLines>
      {view === 'key' && row.key.upstreamKeyName && (
        <Box component="span" sx={{ ml: 1, flexShrink: 0 }}>
          <ToneChip tone="outline">{keyText(row.key.upstreamKeyName)}</ToneChip>
        </Box>
      )}
    </>
  );
}

/** `…a1b2` for the last characters of a key, `#2` for its place. */
const keyText = (name: string): string => (name.startsWith('#') ? name : `…${name}`);

function LogLink({
  view,
  row,
  range,
}: {
  readonly view: ProfitView;
  readonly row: ProfitRow;
  readonly range: ShownRange;
}) {
  const { t } = useTranslation();
  const filter = logFilterOf(view, row.key);
  if (!useMay('LOGS_READ') || !filter) return null;
  const { from, to } = range;
  return (
    <IconButton
      component={Link}
      to={`/log?${new URLSearchParams({ ...filter, type: 'CONSUME', from, ...(to ? { to } : {}) }).toString()}`}
      aria-label={t('profit.showCalls', { name: nameOf(view, row.key, t('profit.noChannel')) })}
      sx={{ width: 28, height: 28 }}
    >
      <ReceiptLongOutlinedIcon />
    </IconButton>
  );
}

/** The columns sort by the metric of their name: `marginUsd` is MARGIN_USD. */
export const profitSorts = ['calls', 'knownCalls', 'quota', 'knownUsd', 'upstreamUsd', 'marginUsd', 'marginShare'];

export function profitColumns(t: TFunction, view: ProfitView, range: ShownRange): GridColDef<ProfitRow>[] {
  return [
    column('name', t(`profit.views.${view}`), { flex: 1, minWidth: 180 }, (row) => <Name view={view} row={row} />),
    rightColumn('marginUsd', t('dashboard.marginTitle'), 134, (row) => (
      <Amount usd={knownOf(row)?.marginUsd} isMargin />
    )),
    rightColumn('marginShare', t('profit.share'), 104, (row) => {
      const share = shareOf(row.metrics);
      return share === null ? <Dash /> : <Num>{shareText(share)}</Num>;
    }),
    rightColumn('knownUsd', t('profit.knownUsd'), 150, (row) => <Amount usd={knownOf(row)?.usd} />),
    rightColumn('upstreamUsd', t('dashboard.upstreamCost'), 124, (row) => <Amount usd={knownOf(row)?.upstreamUsd} />),
    rightColumn('planUsd', t('profit.planUsd'), 124, (row) => <Amount usd={knownOf(row)?.planUsd || undefined} />),
    rightColumn('knownCalls', t('profit.knownCalls'), 168, ({ metrics }) => <Num>{knownText(metrics, t)}</Num>),
    rightColumn('quota', t('profit.charged'), 120, (row) => <Charged quota={row.metrics.quota} />),
    rightColumn('actions', '', 52, (row) => <LogLink view={view} row={row} range={range} />),
  ];
}

function Charged({ quota }: { readonly quota: number }) {
  const { money } = useFormat();
  return <Num>{money(quota, 'balance')}</Num>;
}

const knownText = ({ calls, cost }: ProfitRow['metrics'], t: TFunction): string =>
  t('profit.knownOf', { known: integer(cost?.knownCalls ?? 0), calls: integer(calls) });

export function ProfitCard({
  view,
  row,
  range,
}: {
  readonly view: ProfitView;
  readonly row: ProfitRow;
  readonly range: ShownRange;
}) {
  const { t } = useTranslation();
  const { total } = useFormat();
  const known = knownOf(row);
  const share = shareOf(row.metrics);
  return (
    <RowCard
      title={nameOf(view, row.key, t('profit.noChannel'))}
      value={<Amount usd={known?.marginUsd} isMargin />}
      meta={
        known ? t('profit.sum', { charged: total(known.usd), cost: total(known.upstreamUsd) }) : t('profit.unknownCost')
      }
      metaEnd={share === null ? undefined : shareText(share)}
      chips={
        <>
          {row.key.upstreamKeyName && <ToneChip tone="outline">{keyText(row.key.upstreamKeyName)}</ToneChip>}
          <ToneChip tone="outline">{t('profit.knownCallsOf', { of: knownText(row.metrics, t) })}</ToneChip>
        </>
      }
      end={<LogLink view={view} row={row} range={range} />}
    />
  );
}
