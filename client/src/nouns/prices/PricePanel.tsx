import Box from '@mui/material/Box';
import Card from '@mui/material/Card';
import IconButton from '@mui/material/IconButton';
import Typography from '@mui/material/Typography';
import CloseOutlinedIcon from '@mui/icons-material/CloseOutlined';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Segments } from '../../components/Segments.js';
import { AmountField } from './AmountField.js';
import { PriceOrigin } from './PriceOrigin.js';
import { dollars, editable, ratio as ratioText, unitPrice } from '../../lib/format.js';
import {
  inputPrice,
  outputPrice,
  parseAmount,
  withCardPrices,
  withFixedPrice,
  withRatios,
  type PriceRow,
} from './priceTables.js';
import type { Prices } from './usePrices.js';

/** Edits one model's price, in USD or as ratio, and shows the resulting price for each group. */
export function PricePanel({
  row,
  prices,
  onSwitched,
  onClose,
}: {
  readonly row: PriceRow;
  readonly prices: Prices;
  /** Called when the price has another origin, so that the panel is mounted again. */
  readonly onSwitched: () => void;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const [perRequest, setPerRequest] = useState(row.price !== null && !row.card);
  const [byPrice, setByPrice] = useState(true);
  const completion = row.completion ?? prices.builtIn.get(row.model) ?? 1;
  const texts = (asPrice: boolean): readonly [string, string] =>
    asPrice && row.card
      ? [editable(row.card.input ?? 0), editable(row.card.output ?? 0)]
      : row.ratio === null
        ? ['', '']
        : asPrice
          ? [editable(inputPrice(row.ratio)), editable(outputPrice(row.ratio, completion))]
          : [
              editable(row.ratio),
              row.completion === null && !prices.builtIn.has(row.model) ? '' : editable(completion),
            ];
  const [[first, second], setTyped] = useState(() => texts(true));
  /** The typed price of cached input. Null until it is typed: the current price applies. */
  const [typedCached, setTypedCached] = useState<string | null>(null);
  const storedCached = row.card
    ? row.card.cachedInput
    : row.ratio === null
      ? null
      : prices.baseOf(row.model, inputPrice(row.ratio))?.prices?.['cachedInput'];
  const cached = typedCached ?? (storedCached == null ? '' : editable(storedCached));
  // Dependent prices are computed from this card at every key, and not from the card of the previous key.
  const [before, setBefore] = useState(prices.tables.cards?.[row.model]);
  const [fixed, setFixed] = useState(row.price === null ? '' : editable(row.price));

  // Prices are applied together, so an empty one is reported.
  const [isTyped, setIsTyped] = useState(false);
  const type = (nextFirst: string, nextSecond: string, nextCached = typedCached) => {
    setTyped([nextFirst, nextSecond]);
    setTypedCached(nextCached);
    setIsTyped(true);
    const read = nextCached === null || nextCached.trim() === '' ? null : parseAmount(nextCached);
    if (byPrice && read === null && nextCached?.trim()) return;
    const left = parseAmount(nextFirst);
    const right = parseAmount(nextSecond);
    if (left === null || (byPrice && left === 0) || (nextSecond.trim() !== '' && right === null)) return;
    if (!byPrice) prices.put(withRatios(prices.tables, row.model, left, right));
    else if (right !== null) {
      // The price is charged exactly as typed, because locked completion ratios do not apply to cards.
      const typed = { input: left, output: right, ...(nextCached === null ? {} : { cachedInput: read }) };
      const { cards: { [row.model]: _now, ...others } = {} } = prices.tables;
      const tables = { ...prices.tables, cards: before === undefined ? others : { ...others, [row.model]: before } };
      prices.put(withCardPrices(tables, row.model, typed, prices.baseOf(row.model, left)));
    }
  };
  const wrong = (text: string, price: boolean): string | undefined => {
    if (text.trim() === '') {
      const other = text === first ? second : first;
      return isTyped && byPrice && !perRequest && other.trim() !== '' ? t('prices.enterFill') : undefined;
    }
    const amount = parseAmount(text);
    if (amount === null) return t('prices.enterNumber');
    return isTyped && price && amount === 0 ? t('prices.priceZero') : undefined;
  };

  return (
    <Card
      component="section"
      aria-label={row.model}
      sx={{
        width: { xs: '100%', sm: 312 },
        flexShrink: 0,
        padding: 2,
        display: 'flex',
        flexDirection: 'column',
        gap: 2,
        position: { sm: 'sticky' },
        top: { sm: 64 },
        mt: { sm: '44px' },
      }}
    >
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
        <Typography variant="h2" sx={{ fontSize: 14, flex: 1, minWidth: 0, overflowWrap: 'anywhere' }}>
          {row.model}
        </Typography>
        <IconButton aria-label={t('actions.close')} onClick={onClose}>
          <CloseOutlinedIcon />
        </IconButton>
      </Box>
      <PriceOrigin row={row} prices={prices} onSwitched={onSwitched} />
      <Labelled label={t('prices.billing')}>
        <Segments
          label={t('prices.billing')}
          value={perRequest ? 'request' : 'token'}
          onChange={(next) => {
            setPerRequest(next === 'request');
            if (next === 'request') {
              const amount = parseAmount(fixed);
              if (amount !== null) prices.put(withFixedPrice(prices.tables, row.model, amount));
            } else if (row.ratio === null) {
              prices.put(withRatios(prices.tables, row.model, 1, null));
              setTyped([byPrice ? '2' : '1', '']);
              setIsTyped(false);
            }
          }}
          choices={[
            { value: 'token', label: t('prices.perToken') },
            { value: 'request', label: t('prices.perRequest') },
          ]}
        />
      </Labelled>
      {perRequest ? (
        <AmountField
          label={t('prices.pricePerRequest')}
          value={fixed}
          prefix="$"
          error={wrong(fixed, false)}
          onChange={(text) => {
            setFixed(text);
            const amount = parseAmount(text);
            if (amount !== null) prices.put(withFixedPrice(prices.tables, row.model, amount));
          }}
        />
      ) : (
        <>
          <Labelled label={t('prices.enterAs')}>
            <Segments
              label={t('prices.enterAs')}
              value={byPrice ? 'price' : 'ratio'}
              onChange={(next) => {
                setByPrice(next === 'price');
                setTyped(texts(next === 'price'));
                setTypedCached(null);
                setBefore(prices.tables.cards?.[row.model]);
                setIsTyped(false);
              }}
              choices={[
                { value: 'price', label: t('prices.price') },
                { value: 'ratio', label: t('prices.ratio') },
              ]}
            />
          </Labelled>
          <Box sx={{ display: 'grid', gridTemplateColumns: '1fr 1fr', gap: 1.5, alignItems: 'start' }}>
            <AmountField
              label={byPrice ? t('prices.inputPrice') : t('prices.ratio')}
              value={first}
              prefix={byPrice ? '$' : ''}
              error={wrong(first, byPrice)}
              onChange={(text) => type(text, second)}
            />
            <AmountField
              label={byPrice ? t('prices.outputPrice') : t('prices.completion')}
              value={second}
              prefix={byPrice ? '$' : ''}
              error={wrong(second, false)}
              onChange={(text) => type(first, text)}
            />
            {byPrice && (
              <AmountField
                label={t('pricing.cachedInput')}
                value={cached}
                placeholder={first}
                prefix="$"
                hint={t('prices.cachedPriceHint')}
                error={cached.trim() !== '' && parseAmount(cached) === null ? t('prices.enterNumber') : undefined}
                onChange={(text) => type(first, second, text)}
              />
            )}
          </Box>
        </>
      )}
      <Derived row={row} completion={completion} groups={prices.groupRatio} />
    </Card>
  );
}

/** Ratios computed from the entered prices, and the price for each group. */
function Derived({
  row,
  completion,
  groups,
}: {
  readonly row: PriceRow;
  readonly completion: number;
  readonly groups: readonly (readonly [string, number])[];
}) {
  const { t } = useTranslation();
  const lines: (readonly [string, string, string])[] = [];
  const { card } = row;
  if (card) {
    groups.forEach(([group, factor]) =>
      lines.push([
        t('prices.groupPays', { group }),
        `× ${ratioText(factor)}`,
        `${unitPrice((card.input ?? 0) * factor)} / ${unitPrice((card.output ?? 0) * factor)}`,
      ]),
    );
  } else if (row.ratio !== null) {
    const input = inputPrice(row.ratio);
    const output = outputPrice(row.ratio, completion);
    lines.push([t('prices.ratio'), `${ratioText(input)} ÷ 2`, ratioText(row.ratio)]);
    lines.push([
      t('prices.completion'),
      input > 0 ? `${ratioText(output)} ÷ ${ratioText(input)}` : '',
      `${ratioText(completion)}×`,
    ]);
    groups.forEach(([group, factor]) =>
      lines.push([
        t('prices.groupPays', { group }),
        `× ${ratioText(factor)}`,
        `${unitPrice(input * factor)} / ${unitPrice(output * factor)}`,
      ]),
    );
  } else if (row.price !== null) {
    const { price } = row;
    groups.forEach(([group, factor]) =>
      lines.push([
        t('prices.groupPays', { group }),
        `× ${ratioText(factor)}`,
        dollars(price * factor, price * factor < 0.1 ? 6 : 2),
      ]),
    );
  }
  if (lines.length === 0) return null;
  return (
    <Box
      component="dl"
      className="num"
      sx={({ vars }) => ({
        m: 0,
        padding: '8px 12px',
        borderRadius: '6px',
        backgroundColor: vars.palette.surface.sunken,
        display: 'grid',
        gridTemplateColumns: 'auto auto 1fr',
        gap: '4px 16px',
        fontSize: 12,
        lineHeight: '20px',
        color: 'text.secondary',
        '& dd': { m: 0 },
      })}
    >
      {lines.map(([name, sum, result]) => (
        <Box key={name} sx={{ display: 'contents' }}>
          <dt>{name}</dt>
          <dd>{sum}</dd>
          <Box component="dd" sx={{ textAlign: 'right', fontWeight: 600, color: 'text.primary', whiteSpace: 'nowrap' }}>
            {result}
          </Box>
        </Box>
      ))}
    </Box>
  );
}

function Labelled({ label, children }: { readonly label: string; readonly children: React.ReactNode }) {
  return (
    <Box sx={{ display: 'flex', flexDirection: 'column' }}>
      <Box sx={{ fontSize: 12.5, lineHeight: '18px', fontWeight: 500, mb: '5px' }}>{label}</Box>
      {children}
    </Box>
  );
}
