import { useMutation } from '@apollo/client/react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import Button from '@mui/material/Button';
import { SwitchRow } from '../../components/form/SwitchRow.js';
import { useAction } from '../../components/useAction.js';
import type { MySetting } from './NotificationTab.js';
import { Panel } from './Panel.js';
import { UpdateMySettingDocument } from './personal.generated.js';

interface SettingSwitchProps {
  readonly title: string;
  readonly field: 'acceptsUnpricedModels' | 'recordsAddresses';
  readonly label: string;
  readonly hint: string;
  readonly setting: MySetting;
  readonly onSaved: () => void;
}

/** A panel with one setting that is on or off. */
export function SettingSwitch({ title, field, label, hint, setting, onSaved }: SettingSwitchProps) {
  const { t } = useTranslation();
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
    <Panel title={title}>
      <form noValidate onSubmit={(event) => void submit(event)}>
        <SwitchRow control={form.control} name="isOn" label={label} hint={hint} />
        <Button type="submit" variant="contained" loading={form.formState.isSubmitting} sx={{ mt: 2 }}>
          {t('fields.save')}
        </Button>
      </form>
    </Panel>
  );
}
