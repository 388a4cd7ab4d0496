import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { TextInput } from '../../components/form/inputs.js';
import { FormDialog } from '../../components/FormDialog.js';

export function AddModelDialog({
  taken,
  onAdd,
  onClose,
}: {
  readonly taken: readonly string[];
  readonly onAdd: (model: string) => void;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const form = useForm({ mode: 'onTouched', defaultValues: { model: '' } });
  return (
    <FormDialog
      form={form}
      title={t('prices.addModel')}
      submitLabel={t('prices.addModel')}
      errorField="model"
      onSubmit={({ model }) => onAdd(model.trim())}
      onClose={onClose}
    >
      <TextInput
        control={form.control}
        name="model"
        label={t('fields.modelName')}
        required
        autoFocus
        rules={{
          validate: (model) => {
            if (model.trim() === '') return t('prices.modelMissing');
            return !taken.includes(model.trim()) || t('prices.modelExists');
          },
        }}
      />
    </FormDialog>
  );
}
