import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Link from '@mui/material/Link';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Segments } from '../../components/Segments.js';
import { CardDrawer } from './card/CardDrawer.js';
import { originOf, withCard, withListPrice, withTables, type PriceRow } from './priceTables.js';
import type { Prices } from './usePrices.js';

const originTexts = { table: 'priceCard.fromTable', card: 'priceCard.fromCard', list: 'priceCard.fromList' } as const;

/** Shows and switches the origin of a model's price: ratios, a card of the operator, or the list price. */
export function PriceOrigin({
  row,
  prices,
  onSwitched,
}: {
  readonly row: PriceRow;
  readonly prices: Prices;
  /** Called when the price has another origin, so that typed texts are no longer valid. */
  readonly onSwitched: () => void;
}) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const { tables, put } = prices;
  const { model } = row;
  const origin = originOf(row);
  const list = prices.listCards.get(model);
  const base = prices.baseOf(model, row.card?.input ?? 2) ?? list;
  const own = tables.cards?.[model];
  const start = typeof own === 'object' ? own : { ...base, prices: { ...base?.prices } };
  const change = (next: 'table' | 'card' | 'list') => {
    if (next === 'card') return setOpen(true);
    put(next === 'list' ? withListPrice(tables, model) : withTables(tables, row));
    onSwitched();
  };
  const { source, asOf, isOld } = row.card ?? {};
  const savedRow = prices.savedRow(model);
  const savedOrigin = savedRow ? originOf(savedRow) : origin;
  return (
    <Box sx={{ display: 'flex', flexDirection: 'column', gap: 1 }}>
      <Box sx={{ fontSize: 12.5, lineHeight: '18px', fontWeight: 500 }}>{t('priceCard.from')}</Box>
      <Segments
        label={t('priceCard.from')}
        value={origin}
        onChange={change}
        choices={[
          { value: 'table', label: t(originTexts.table) },
          { value: 'card', label: t(originTexts.card) },
          { value: 'list', label: t(originTexts.list), disabled: list === undefined },
        ]}
      />
      {savedRow && savedOrigin !== origin && (
        <Box role="status" sx={{ fontSize: 12, color: 'text.secondary' }}>
          {t('priceCard.movedFrom', { origin: t(originTexts[savedOrigin]) })}{' '}
          {origin === 'card' && t('priceCard.movedToCard')}
        </Box>
      )}
      {(source ?? asOf) && (
        <Box
          className="num"
          sx={{ fontSize: 12, color: isOld ? 'warning.main' : 'text.secondary', overflowWrap: 'anywhere' }}
        >
          {source &&
            (/^https?:\/\//.test(source) ? (
              <Link href={source} target="_blank" rel="noreferrer">
                {source.replace(/^https?:\/\//, '')}
              </Link>
            ) : (
              source
            ))}
          {source && asOf && ' · '}
          {asOf}
          {isOld && ` · ${t('priceCard.old')}`}
        </Box>
      )}
      <Button variant="outlined" onClick={() => setOpen(true)} sx={{ alignSelf: 'flex-start' }}>
        {t('priceCard.open')}
      </Button>
      {isOpen && (
        <CardDrawer
          model={model}
          card={start}
          onClose={() => setOpen(false)}
          onSave={(card) => {
            put(withCard(tables, model, card));
            setOpen(false);
            onSwitched();
          }}
        />
      )}
    </Box>
  );
}
