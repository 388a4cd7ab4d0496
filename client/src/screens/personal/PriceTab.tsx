import { useMutation } from '@apollo/client/react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import Button from '@mui/material/Button';
import { SwitchRow } from '../../components/form/SwitchRow.js';
import { useAction } from '../../components/useAction.js';
import type { MySetting } from './NotificationTab.js';
import { Panel } from './Panel.js';
import { UpdateMySettingDocument } from './personal.generated.js';

export function PriceTab({ setting, onSaved }: { readonly setting: MySetting; readonly onSaved: () => void }) {
  const { t } = useTranslation();
  const [update] = useMutation(UpdateMySettingDocument);
  const form = useForm({ defaultValues: { accept: setting.acceptsUnpricedModels } });
  const act = useAction();
  const submit = form.handleSubmit(({ accept }) =>
    act(async () => {
      await update({ variables: { input: { acceptsUnpricedModels: accept } } });
      onSaved();
      return t('fields.saved');
    }),
  );
  return (
    <Panel title={t('personal.tabs.price')}>
      <form noValidate onSubmit={(event) => void submit(event)}>
        <SwitchRow
          control={form.control}
          name="accept"
          label={t('personal.acceptUnset')}
          hint={t('personal.acceptUnsetHint')}
        />
        <Button type="submit" variant="contained" loading={form.formState.isSubmitting} sx={{ mt: 2 }}>
          {t('fields.save')}
        </Button>
      </form>
    </Panel>
  );
}
