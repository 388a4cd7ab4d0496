import Box from '@mui/material/Box';
import ButtonBase from '@mui/material/ButtonBase';
import CheckOutlinedIcon from '@mui/icons-material/CheckOutlined';
import type { GridColDef } from '@mui/x-data-grid';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../components/CopyButton.js';
import { RowCard } from '../../components/grid/CardList.js';
import { column, rightColumn } from '../../components/grid/columns.js';
import { Dash, Ellipsis, Hidden, Num } from '../../components/Text.js';
import { ToneChip } from '../../components/Tone.js';
import { groupTone } from '../../nouns/groups/groupTone.js';
import { callPrice, limit, ratio as ratioText, unitPrice } from '../../lib/format.js';
import { quantityTexts, type QuantityName } from '../../nouns/prices/quantityTexts.js';
import { priceOf, pricesFor, type PricedModel, type QuantityPrice } from './modelPrice.js';

/** USD per million tokens, or a dash where the quantity has no price of its own. */
function UnitPrice({
  prices,
  quantity,
}: {
  readonly prices: readonly QuantityPrice[];
  readonly quantity: QuantityName;
}) {
  const price = priceOf(prices, quantity);
  return price === undefined ? <Dash /> : <Num strong={quantity !== 'cachedInput'}>{unitPrice(price)}</Num>;
}

/** Prices of calls, images, seconds: of all that is not counted in tokens. */
const unitOf = (prices: readonly QuantityPrice[]): QuantityPrice | undefined =>
  prices.some(({ isPerMillion }) => isPerMillion) ? undefined : prices[0];

function Availability({ row, group }: { readonly row: PricedModel; readonly group: string }) {
  const { t } = useTranslation();
  // The server refuses calls of models without a price.
  if (!row.effective) return <ToneChip tone="amber">{t('pricing.noPrice')}</ToneChip>;
  return row.groups.includes(group) ? (
    <Box component="span" sx={{ color: 'success.main', display: 'inline-flex' }}>
      <CheckOutlinedIcon sx={{ fontSize: 18 }} />
      <Hidden>{t('pricing.available')}</Hidden>
    </Box>
  ) : (
    <>
      <Dash />
      <Hidden>{t('pricing.unavailable')}</Hidden>
    </>
  );
}

export function pricingColumns({
  t,
  group,
  factor,
  view,
}: {
  readonly t: TFunction;
  readonly group: string;
  readonly factor: number;
  readonly view: (group: string) => void;
}): GridColDef<PricedModel>[] {
  return [
    column('available', t('pricing.availability'), 108, (row) => <Availability row={row} group={group} />),
    column('modelName', t('fields.model'), { flex: 1, minWidth: 200 }, (row) => (
      <Box sx={{ display: 'flex', alignItems: 'center', gap: '4px', minWidth: 0 }}>
        <Ellipsis title={row.modelName}>{row.modelName}</Ellipsis>
        <CopyButton size={26} value={row.modelName} label={t('pricing.copyName', { name: row.modelName })} />
      </Box>
    )),
    column('billing', t('pricing.billing'), 104, (row) => <BillingChip row={row} />),
    column('groups', t('pricing.groups'), 192, (row) => <GroupChoice row={row} group={group} view={view} />),
    rightColumn('input', t('prices.inputPrice'), 112, (row) => {
      const prices = pricesFor(row, factor);
      const unit = unitOf(prices);
      return unit ? <PerUnit line={unit} /> : <UnitPrice prices={prices} quantity="input" />;
    }),
    rightColumn('cachedInput', t('pricing.cachedInput'), 112, (row) => (
      <UnitPrice prices={pricesFor(row, factor)} quantity="cachedInput" />
    )),
    rightColumn('output', t('prices.outputPrice'), 112, (row) => (
      <UnitPrice prices={pricesFor(row, factor)} quantity="output" />
    )),
    rightColumn('context', t('pricing.context'), 96, (row) =>
      row.maxInputTokens == null ? <Dash /> : <Num>{limit(row.maxInputTokens)}</Num>,
    ),
    rightColumn('ratio', t('prices.ratio'), 80, (row) =>
      row.modelPrice == null && row.effective ? <Num>{ratioText(row.modelRatio ?? 0)}</Num> : <Dash />,
    ),
  ];
}

function PerUnit({ line }: { readonly line: QuantityPrice }) {
  const { t } = useTranslation();
  const price = callPrice(line.price);
  return (
    <Num strong>
      {line.quantity === 'request'
        ? t('fields.perCall', { price })
        : `${price} / ${t(quantityTexts[line.quantity]).toLowerCase()}`}
    </Num>
  );
}

function BillingChip({ row }: { readonly row: PricedModel }) {
  const { t } = useTranslation();
  const perRequest = row.modelPrice != null;
  return (
    <ToneChip tone={perRequest ? 'violet' : 'grey'}>
      {perRequest ? t('prices.perRequest') : t('prices.perToken')}
    </ToneChip>
  );
}

/** The groups that can call a model. A click shows the prices for that group. */
function GroupChoice({
  row,
  group,
  view,
}: {
  readonly row: PricedModel;
  readonly group: string;
  readonly view: (group: string) => void;
}) {
  const { t } = useTranslation();
  return (
    <Box sx={{ display: 'flex', gap: '4px', overflow: 'hidden' }}>
      {row.groups.map((name) => (
        <ButtonBase
          key={name}
          aria-pressed={name === group}
          aria-label={t('pricing.viewGroup', { group: name })}
          onClick={(event) => {
            event.stopPropagation();
            view(name);
          }}
          sx={{ borderRadius: '4px', fontFamily: 'inherit' }}
        >
          <ToneChip tone={name === group ? 'teal' : groupTone(name)}>{name}</ToneChip>
        </ButtonBase>
      ))}
    </Box>
  );
}

export function PricingCard({
  row,
  group,
  factor,
  view,
}: {
  readonly row: PricedModel;
  readonly group: string;
  readonly factor: number;
  readonly view: (group: string) => void;
}) {
  return (
    <RowCard
      title={row.modelName}
      value={<Availability row={row} group={group} />}
      meta={<CardPrice prices={pricesFor(row, factor)} />}
      chips={
        <>
          <BillingChip row={row} />
          <GroupChoice row={row} group={group} view={view} />
        </>
      }
    />
  );
}

function CardPrice({ prices }: { readonly prices: readonly QuantityPrice[] }) {
  const { t } = useTranslation();
  const unit = unitOf(prices);
  if (unit) return <PerUnit line={unit} />;
  const [input, output] = [priceOf(prices, 'input'), priceOf(prices, 'output')];
  if (input === undefined) return <Dash />;
  return <Num>{t('prices.inOut', { input: unitPrice(input), output: unitPrice(output ?? 0) })}</Num>;
}
