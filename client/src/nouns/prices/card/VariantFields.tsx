import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import DeleteOutlinedIcon from '@mui/icons-material/DeleteOutlineOutlined';
import { useTranslation } from 'react-i18next';
import { SelectBox } from '../../../components/grid/SelectBox.js';
import { AmountField } from '../AmountField.js';
import type { TypedVariant } from './cardForm.js';
import { PriceFields } from './PriceFields.js';
import { conditionKey, conditions, videoQuantities, type Condition } from '../quantities.js';
import { conditionLabel } from '../quantityTexts.js';

const onlyOfVideo = { always: videoQuantities, of: videoQuantities } as const;

/** Prices under conditions: a factor for prices of tokens, and prices of their own. A resolution has prices of videos only. */
export function VariantFields({
  variants,
  of = conditions,
  name,
  onChange,
}: {
  readonly variants: readonly TypedVariant[];
  /** Conditions that can have a price here. */
  readonly of?: readonly Condition[];
  /** The name of the group, for labels. */
  readonly name: string;
  readonly onChange: (variants: readonly TypedVariant[]) => void;
}) {
  const { t } = useTranslation();
  const set = new Set(variants.map(({ when }) => conditionKey(when)));
  const others = of.filter((when) => !set.has(conditionKey(when)));
  const add = (key: string) =>
    onChange([
      ...variants,
      ...others.flatMap((when) => (conditionKey(when) === key ? [{ when, factor: '', prices: {} }] : [])),
    ]);
  return (
    <Box sx={{ display: 'flex', flexDirection: 'column', gap: 1.5 }}>
      {variants.map((variant) => {
        const { when } = variant;
        const label = conditionLabel(t, when);
        const put = (next: Partial<TypedVariant>) =>
          onChange(variants.map((each) => (each === variant ? { ...each, ...next } : each)));
        return (
          <Box
            key={conditionKey(when)}
            role="group"
            aria-label={`${name}: ${label}`}
            sx={{ border: '1px solid', borderColor: 'divider', borderRadius: '6px', padding: 1.5 }}
          >
            <Box sx={{ display: 'flex', alignItems: 'center', mb: 1, fontSize: 13, fontWeight: 500 }}>
              <Box sx={{ flex: 1 }}>{label}</Box>
              <IconButton
                aria-label={t('priceCard.remove', { name: label })}
                onClick={() => onChange(variants.filter((each) => each !== variant))}
                sx={{ width: 28, height: 28 }}
              >
                <DeleteOutlinedIcon />
              </IconButton>
            </Box>
            {!when.resolution && (
              <Box sx={{ width: 160, mb: 1.5 }}>
                <AmountField
                  label={t('priceCard.factor')}
                  prefix="×"
                  value={variant.factor}
                  onChange={(factor) => put({ factor })}
                />
              </Box>
            )}
            <PriceFields
              prices={variant.prices}
              {...(when.resolution ? onlyOfVideo : { always: [] })}
              name={`${name}: ${label}`}
              onChange={(prices) => put({ prices })}
            />
          </Box>
        );
      })}
      {others.length > 0 && (
        <SelectBox
          label={t('priceCard.addVariant', { name })}
          placeholder={t('priceCard.addVariantShort')}
          width={220}
          value=""
          onChange={add}
          choices={others.map((when) => ({ value: conditionKey(when), label: conditionLabel(t, when) }))}
        />
      )}
    </Box>
  );
}
