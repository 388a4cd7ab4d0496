import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import DeleteOutlinedIcon from '@mui/icons-material/DeleteOutlineOutlined';
import { useTranslation } from 'react-i18next';
import { SelectBox } from '../../../components/grid/SelectBox.js';
import { AmountField } from '../AmountField.js';
import type { TypedServices } from './cardForm.js';
import { PriceFields } from './PriceFields.js';
import { isResolution, serviceTiers, type ServiceTier } from '../quantities.js';
import { tierLabel } from '../quantityTexts.js';

const onlySecond = { always: ['second'], of: ['second'] } as const;

/** Service tiers: a factor for prices of tokens, and prices of their own. A resolution has a price of a second only. */
export function ServiceFields({
  services,
  of = serviceTiers,
  name,
  onChange,
}: {
  readonly services: TypedServices;
  /** Tiers that can have a price here. */
  readonly of?: readonly ServiceTier[];
  /** The name of the group, for labels. */
  readonly name: string;
  readonly onChange: (services: TypedServices) => void;
}) {
  const { t } = useTranslation();
  const set = of.filter((tier) => services[tier]);
  const others = of.filter((tier) => !services[tier]);
  const labelOf = (tier: ServiceTier): string => tierLabel(t, tier);
  return (
    <Box sx={{ display: 'flex', flexDirection: 'column', gap: 1.5 }}>
      {set.map((tier) => {
        const service = services[tier] ?? { factor: '', prices: {} };
        const put = (next: Partial<typeof service>) => onChange({ ...services, [tier]: { ...service, ...next } });
        return (
          <Box
            key={tier}
            role="group"
            aria-label={`${name}: ${labelOf(tier)}`}
            sx={{ border: '1px solid', borderColor: 'divider', borderRadius: '6px', padding: 1.5 }}
          >
            <Box sx={{ display: 'flex', alignItems: 'center', mb: 1, fontSize: 13, fontWeight: 500 }}>
              <Box sx={{ flex: 1 }}>{labelOf(tier)}</Box>
              <IconButton
                aria-label={t('priceCard.remove', { name: labelOf(tier) })}
                onClick={() => onChange(Object.fromEntries(Object.entries(services).filter(([each]) => each !== tier)))}
                sx={{ width: 28, height: 28 }}
              >
                <DeleteOutlinedIcon />
              </IconButton>
            </Box>
            {!isResolution(tier) && (
              <Box sx={{ width: 160, mb: 1.5 }}>
                <AmountField
                  label={t('priceCard.factor')}
                  prefix="×"
                  value={service.factor}
                  onChange={(factor) => put({ factor })}
                />
              </Box>
            )}
            <PriceFields
              prices={service.prices}
              {...(isResolution(tier) ? onlySecond : { always: [] })}
              name={`${name}: ${labelOf(tier)}`}
              onChange={(prices) => put({ prices })}
            />
          </Box>
        );
      })}
      {others.length > 0 && (
        <SelectBox
          label={t('priceCard.addService', { name })}
          placeholder={t('priceCard.addServiceShort')}
          width={220}
          value=""
          onChange={(tier) => onChange({ ...services, [tier]: { factor: '', prices: {} } })}
          choices={others.map((tier) => ({ value: tier, label: labelOf(tier) }))}
        />
      )}
    </Box>
  );
}
