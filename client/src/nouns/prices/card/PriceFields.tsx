import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { SelectBox } from '../../../components/grid/SelectBox.js';
import { AmountField } from '../AmountField.js';
import { parseAmount } from '../priceTables.js';
import type { TypedPrices } from './cardForm.js';
import { quantities, type Quantity } from '../quantities.js';
import { quantityLabel } from '../quantityTexts.js';

/** Prices of quantities: the quantities of `always`, and every other one that has a price. A select adds another. */
export function PriceFields({
  prices,
  always,
  of = quantities,
  name,
  onChange,
}: {
  readonly prices: TypedPrices;
  readonly always: readonly Quantity[];
  /** Quantities that can have a price here. */
  readonly of?: readonly Quantity[];
  /** The name of the group, for the label of the select. */
  readonly name: string;
  readonly onChange: (prices: TypedPrices) => void;
}) {
  const { t } = useTranslation();
  const shown = of.filter((quantity) => always.includes(quantity) || prices[quantity] !== undefined);
  const others = of.filter((quantity) => !shown.includes(quantity));
  return (
    <Box
      sx={{ display: 'grid', gridTemplateColumns: { xs: '1fr 1fr', sm: '1fr 1fr 1fr' }, gap: 1.5, alignItems: 'start' }}
    >
      {shown.map((quantity) => {
        const text = prices[quantity] ?? '';
        const isWrong = text.trim() !== '' && parseAmount(text) === null;
        return (
          <AmountField
            key={quantity}
            label={quantityLabel(t, quantity)}
            prefix="$"
            value={text}
            error={isWrong ? t('prices.enterNumber') : undefined}
            onChange={(next) => onChange({ ...prices, [quantity]: next })}
          />
        );
      })}
      {others.length > 0 && (
        <Box sx={{ alignSelf: 'end' }}>
          <SelectBox
            label={t('priceCard.addTo', { name })}
            placeholder={t('priceCard.add')}
            width="100%"
            value=""
            onChange={(quantity) => onChange({ ...prices, [quantity]: '' })}
            choices={others.map((quantity) => ({ value: quantity, label: quantityLabel(t, quantity) }))}
          />
        </Box>
      )}
    </Box>
  );
}
