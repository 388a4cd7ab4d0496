import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import HistoryOutlinedIcon from '@mui/icons-material/HistoryOutlined';
import DeleteOutlinedIcon from '@mui/icons-material/DeleteOutlineOutlined';
import type { GridColDef } from '@mui/x-data-grid';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { RowCard } from '../../components/grid/CardList.js';
import { column, rightColumn } from '../../components/grid/columns.js';
import { Dash, Ellipsis, Num } from '../../components/Text.js';
import { ToneChip } from '../../components/Tone.js';
import { callPrice, ratio as ratioText, unitPrice } from '../../lib/format.js';
import { lossText, type Loss } from './belowCost.js';
import { useMay } from '../../lib/permissions.js';
import { inputPrice, outputPrice, type PriceRow } from './priceTables.js';

type BuiltIn = ReadonlyMap<string, number>;
type Losses = ReadonlyMap<string, Loss>;

const completionOf = (row: PriceRow, builtIn: BuiltIn): number | null =>
  row.completion ?? builtIn.get(row.model) ?? null;

const isPerRequest = (row: PriceRow): boolean => row.price !== null && !row.card;

/** USD per million tokens. */
const inputOf = (row: PriceRow): number | null =>
  row.card ? row.card.input : row.ratio === null ? null : inputPrice(row.ratio);

function outputOf(row: PriceRow, builtIn: BuiltIn): number | null {
  if (row.card) return row.card.output;
  const completion = completionOf(row, builtIn);
  return row.ratio === null || completion === null ? null : outputPrice(row.ratio, completion);
}

const priceText = (price: number | null): string | null => (price === null ? null : unitPrice(price));

/** The date of a list price, and the mark of a card of the operator. */
function CardChip({ row: { card } }: { readonly row: PriceRow }) {
  const { t } = useTranslation();
  if (!card) return null;
  if (!card.isList) {
    const date = card.asOf ? { date: card.asOf } : undefined;
    return (
      <ToneChip tone={card.isOld ? 'amber' : 'grey'} hint={card.source}>
        {date ? t(card.isOld ? 'prices.ownCardOld' : 'prices.ownCardDate', date) : t('prices.ownCard')}
      </ToneChip>
    );
  }
  return (
    <ToneChip tone={card.isOld ? 'amber' : 'grey'}>
      {t(card.isOld ? 'prices.listPriceOld' : 'prices.listPrice', { date: card.asOf ?? '' })}
    </ToneChip>
  );
}

/** Marks a price that is below the cost of a channel, as it would be saved. */
function LossChip({ loss }: { readonly loss: Loss | undefined }) {
  const { t } = useTranslation();
  return (
    loss && (
      <ToneChip tone="red" hint={lossText(loss, t)}>
        {t('belowCost.chip')}
      </ToneChip>
    )
  );
}

/** Opens who changed the price of a model. The click does not open the row. */
function HistoryLink({ model }: { readonly model: string }) {
  const { t } = useTranslation();
  // The server stores the history in its audit log.
  if (!useMay('AUDIT')) return null;
  return (
    <IconButton
      component={Link}
      to={`/price-history?${new URLSearchParams({ entry: model }).toString()}`}
      aria-label={t('audit.priceHistoryOf', { name: model })}
      onClick={(event) => event.stopPropagation()}
      sx={{ width: 28, height: 28 }}
    >
      <HistoryOutlinedIcon />
    </IconButton>
  );
}

export function BillingChip({ perRequest }: { readonly perRequest: boolean }) {
  const { t } = useTranslation();
  return (
    <ToneChip tone={perRequest ? 'violet' : 'grey'}>
      {perRequest ? t('prices.perRequest') : t('prices.perToken')}
    </ToneChip>
  );
}

export function priceColumns({
  t,
  builtIn,
  losses,
  isNarrow,
  remove,
}: {
  readonly t: TFunction;
  readonly builtIn: BuiltIn;
  readonly losses: Losses;
  /** Beside the panel of a model, which shows its billing and its ratios. */
  readonly isNarrow: boolean;
  readonly remove: (model: string) => void;
}): GridColDef<PriceRow>[] {
  const figure = (text: string | null) => (text === null ? <Dash /> : <Num>{text}</Num>);
  const columns: GridColDef<PriceRow>[] = [
    column('model', t('fields.model'), { flex: 1, minWidth: 190 }, (row) => (
      <Ellipsis title={row.model}>{row.model}</Ellipsis>
    )),
    column('marks', t('prices.marks'), isNarrow ? 160 : 216, (row) => (
      <Box sx={{ display: 'flex', gap: '4px', minWidth: 0, alignItems: 'center' }}>
        {/* Chips that need attention come first: the last one may be cut. */}
        <LossChip loss={losses.get(row.model)} />
        {row.changed && <ToneChip tone="teal">{t('prices.changed')}</ToneChip>}
        {/* The panel beside names the origin, too. */}
        {!(isNarrow && (row.changed || losses.has(row.model))) && <CardChip row={row} />}
      </Box>
    )),
    column('billing', t('prices.billing'), 98, (row) => <BillingChip perRequest={isPerRequest(row)} />),
    rightColumn('input', t('prices.inputPrice'), 90, (row) => figure(priceText(inputOf(row)))),
    rightColumn('output', t('prices.outputPrice'), 98, (row) => figure(priceText(outputOf(row, builtIn)))),
    rightColumn('ratio', t('prices.ratio'), 80, (row) =>
      figure(row.ratio === null || row.card ? null : ratioText(Number(row.ratio.toPrecision(6)))),
    ),
    rightColumn('completion', t('prices.completion'), 90, (row) => {
      const completion = row.ratio === null || row.card ? null : completionOf(row, builtIn);
      return figure(completion === null ? null : `${ratioText(Number(completion.toPrecision(6)))}×`);
    }),
    rightColumn('price', t('prices.pricePerRequest'), 104, (row) =>
      figure(isPerRequest(row) && row.price !== null ? callPrice(row.price) : null),
    ),
    rightColumn('actions', '', 76, (row) => (
      <>
        <HistoryLink model={row.model} />
        {/* A list price is not the operator's to remove. */}
        {!row.card?.isList && (
          <IconButton
            aria-label={t('prices.removeModel', { name: row.model })}
            onClick={() => remove(row.model)}
            sx={{ width: 28, height: 28 }}
          >
            <DeleteOutlinedIcon />
          </IconButton>
        )}
      </>
    )),
  ];
  return isNarrow ? columns.filter(({ field }) => !shownInPanel.includes(field)) : columns;
}

const shownInPanel = ['billing', 'ratio', 'completion'];

export function PriceCard({
  row,
  builtIn,
  loss,
}: {
  readonly row: PriceRow;
  readonly builtIn: BuiltIn;
  readonly loss: Loss | undefined;
}) {
  const { t } = useTranslation();
  const input = inputOf(row);
  const perRequest = isPerRequest(row);
  return (
    <RowCard
      title={row.model}
      value={perRequest && row.price !== null && <Num>{callPrice(row.price)}</Num>}
      meta={
        input === null ? (
          ''
        ) : (
          <Num>
            {t('prices.inOut', {
              input: unitPrice(input),
              output: priceText(outputOf(row, builtIn)) ?? '–',
            })}
          </Num>
        )
      }
      chips={
        <>
          <BillingChip perRequest={perRequest} />
          <CardChip row={row} />
          <LossChip loss={loss} />
          {row.changed && <ToneChip tone="teal">{t('prices.changed')}</ToneChip>}
        </>
      }
    />
  );
}
