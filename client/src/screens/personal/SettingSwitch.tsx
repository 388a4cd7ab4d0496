import { useMutation } from '@apollo/client/react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import Button from '@mui/material/Button';
import { SwitchRow } from '../../components/form/SwitchRow.js';
import { useAction } from '../../components/useAction.js';
import type { MySetting } from './NotificationTab.js';
import { Panel } from './Panel.js';
import { UpdateMySettingDocument } from './personal.generated.js';

const texts = {
  acceptsUnpricedModels: {
    title: 'personal.tabs.price',
    label: 'personal.acceptUnset',
    hint: 'personal.acceptUnsetHint',
  },
  recordsAddresses: {
    title: 'personal.addresses',
    label: 'personal.recordAddresses',
    hint: 'personal.recordAddressesHint',
  },
} as const;

interface SettingSwitchProps {
  readonly field: keyof typeof texts;
  readonly setting: MySetting;
  readonly onSaved: () => void;
}

/** A panel with one setting that is on or off. */
export function SettingSwitch({ field, setting, onSaved }: SettingSwitchProps) {
  const { t } = useTranslation();
  const { title, label, hint } = texts[field];
  const [update] = useMutation(UpdateMySettingDocument);
  const form = useForm({ defaultValues: { isOn: setting[field] } });
  const act = useAction();
  const submit = form.handleSubmit(({ isOn }) =>
    act(async () => {
      await update({ variables: { input: { [field]: isOn } } });
      onSaved();
      return t('fields.saved');
    }),
  );
  return (
    <Panel title={t(title)}>
      <form noValidate onSubmit={(event) => void submit(event)}>
        <SwitchRow control={form.control} name="isOn" label={t(label)} hint={t(hint)} />
        <Button type="submit" variant="contained" loading={form.formState.isSubmitting} sx={{ mt: 2 }}>
          {t('fields.save')}
        </Button>
      </form>
    </Panel>
  );
}
