import { useMutation } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { ComboInput } from '../../components/form/ComboInput.js';
import { SelectInput } from '../../components/form/SelectInput.js';
import { toast } from '../../components/toast.js';
import { dateTime } from '../../lib/format.js';
import { reader } from '../../lib/reader.js';
import { session } from '../../lib/session.js';
import { showFormError } from '../../components/form/showFormError.js';
import { useStatus } from '../../lib/status.js';
import { useFormat } from '../../lib/useFormat.js';
import { browserZone, isKnownZone } from '../../lib/zone.js';
import type { MySetting } from './NotificationTab.js';
import { Panel } from './Panel.js';
import { UpdateMySettingDocument } from './personal.generated.js';

const otherZones = (): string[] => [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];

/** The currency of amounts and the time zone of times, for this user on every device. */
export function DisplayTab({ setting, onSaved }: { readonly setting: MySetting; readonly onSaved: () => void }) {
  const { t } = useTranslation();
  const { displayInCurrency, quotaDisplayType } = useStatus();
  const { rateText, localSymbol } = useFormat();
  const [update] = useMutation(UpdateMySettingDocument);
  const [zones] = useState(() => [
    { value: '', label: t('personal.display.browser', { zone: browserZone() }) },
    ...otherZones().map((zone) => ({ value: zone, label: zone })),
  ]);
  const form = useForm({
    mode: 'onTouched',
    defaultValues: {
      displayCurrency: setting.displayCurrency ?? ('' as const),
      timeZone: setting.timeZone ?? '',
    },
  });
  const { control } = form;
  const zone = useWatch({ control, name: 'timeZone' });
  const now = dateTime(new Date(), 'minutes', zone !== '' && isKnownZone(zone) ? zone : null);
  const submit = form.handleSubmit(async (values) => {
    const choices = { displayCurrency: values.displayCurrency || null, timeZone: values.timeZone || null };
    try {
      await update({
        variables: { input: choices },
        // The bell has cached the settings of `User`, and this screen those of the caller, so both entries are updated.
        update: (cache) => {
          const changed = (stored: object) => ({ ...stored, ...choices });
          const user = cache.identify({ __typename: 'User', id: session.get()?.id }) ?? '';
          cache.modify({ id: user, fields: { setting: changed } });
          cache.modify({ fields: { mySetting: changed } });
        },
      });
      toast.success(t('fields.saved'));
      onSaved();
      reader.set({ currency: choices.displayCurrency, timeZone: choices.timeZone });
    } catch (error) {
      if (!showFormError(form, error, t)) toast.failure(error, t);
    }
  });
  const siteCurrency = quotaDisplayType === 'USD' ? t('personal.display.siteUsd') : localSymbol;
  const site = displayInCurrency ? siteCurrency : t('personal.display.siteQuota');
  return (
    <Panel title={t('personal.tabs.display')}>
      <Box
        component="form"
        noValidate
        onSubmit={(event) => void submit(event)}
        sx={{ display: 'grid', gap: 2, maxWidth: 480 }}
      >
        <SelectInput
          control={control}
          name="displayCurrency"
          label={t('personal.display.currency')}
          hint={t('personal.display.currencyHint', { rate: rateText })}
          choices={[
            { value: '', label: t('personal.display.site', { name: site }) },
            { value: 'USD', label: t('personal.display.usd') },
            { value: 'LOCAL', label: t('personal.display.local', { symbol: localSymbol }) },
          ]}
        />
        <ComboInput
          control={control}
          name="timeZone"
          label={t('personal.display.zone')}
          hint={t('personal.display.zoneHint', { time: now })}
          choices={zones}
        />
        <Button type="submit" variant="contained" loading={form.formState.isSubmitting} sx={{ justifySelf: 'start' }}>
          {t('fields.save')}
        </Button>
      </Box>
    </Panel>
  );
}
