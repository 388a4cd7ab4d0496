import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { FormDialog } from '../../components/FormDialog.js';
import { SelectInput } from '../../components/form/SelectInput.js';
import type { Choice } from '../../components/grid/SelectBox.js';

/** Asks for the group of the selected rows, and closes before they are changed. The first choice is preselected. */
export function BulkGroupDialog({
  title,
  submitLabel,
  choices,
  onSubmit,
  onClose,
}: {
  readonly title: string;
  readonly submitLabel: string;
  readonly choices: readonly Choice[];
  readonly onSubmit: (group: string) => void;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const form = useForm({ values: { group: choices[0]?.value ?? '' } });
  return (
    <FormDialog
      form={form}
      title={title}
      submitLabel={submitLabel}
      errorField="group"
      onSubmit={({ group }) => onSubmit(group)}
      onClose={onClose}
    >
      <SelectInput control={form.control} name="group" label={t('fields.group')} choices={choices} />
    </FormDialog>
  );
}
