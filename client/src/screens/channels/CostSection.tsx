import { useTranslation } from 'react-i18next';
import { JsonInput } from '../../components/form/JsonInput.js';
import { NumberInput } from '../../components/form/inputs.js';
import { DrawerSection } from '../../components/SideDrawer.js';
import type { SectionProps } from './channelForm.js';
import { isJsonObject, typedText } from './channelTexts.js';

/** The price that the operator pays for calls of the channel: a factor of the list price, and cards for single models. */
export function CostSection({ form: { control } }: SectionProps) {
  const { t } = useTranslation();
  return (
    <DrawerSection rare title={t('channels.cost')} explanation={t('channels.costText')}>
      <NumberInput
        control={control}
        name="costFactor"
        label={t('channels.costFactor')}
        optional
        hint={t('channels.costFactorHint')}
        rules={{
          validate: (value) => {
            const text = typedText(value).trim();
            return /^\d{0,4}(?:\.\d{1,9})?$/.test(text) && Number(text) <= 1000
              ? true
              : t('channels.costFactorInvalid');
          },
        }}
      />
      <JsonInput
        control={control}
        name="costCards"
        label={t('channels.costCards')}
        optional
        hint={t('channels.costCardsHint')}
        example={'{\n  "gpt-4.1*": { "prices": { "input": 1.6, "cachedInput": 0.4, "output": 6.4 } }\n}'}
        shape={{ test: isJsonObject, message: t('form.jsonObject') }}
      />
    </DrawerSection>
  );
}
