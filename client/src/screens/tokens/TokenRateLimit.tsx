import { useWatch, type Control } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { NumberInput } from '../../components/form/inputs.js';
import { SwitchRow } from '../../components/form/SwitchRow.js';
import { FieldRow } from '../../components/SideDrawer.js';
import type { TokenValues } from './tokenForm.js';

/** Seconds: a year. */
const maxPeriod = 31_536_000;
const maxCalls = 2_147_483_647;

/** Rate limits of this token. */
export function TokenRateLimit({ control }: { readonly control: Control<TokenValues> }) {
  const { t } = useTranslation();
  const on = useWatch({ control, name: 'limitRate' });
  const whole = (minimum: number, maximum: number) => (value: unknown) => {
    const text = String(value).trim();
    if (!/^\d{1,12}$/.test(text)) return t('form.wholeNumber');
    if (Number(text) < minimum) return t('form.atLeast', { minimum });
    return Number(text) <= maximum || t('tokens.rateTooLarge', { maximum });
  };
  return (
    <>
      <SwitchRow control={control} name="limitRate" label={t('tokens.limitRate')} hint={t('tokens.limitRateHint')} />
      {on && (
        <FieldRow columns={2}>
          <NumberInput
            control={control}
            name="ratePeriod"
            label={t('tokens.ratePeriod')}
            unit={t('tokens.seconds')}
            rules={{ validate: whole(1, maxPeriod) }}
          />
          <NumberInput
            control={control}
            name="rateCount"
            label={t('tokens.rateCount')}
            hint={t('tokens.rateCountHint')}
            rules={{ validate: whole(0, maxCalls) }}
          />
          <NumberInput
            control={control}
            name="rateSuccess"
            label={t('tokens.rateSuccess')}
            hint={t('tokens.rateSuccessHint')}
            rules={{ validate: whole(0, maxCalls) }}
          />
        </FieldRow>
      )}
    </>
  );
}
