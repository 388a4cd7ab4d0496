import { useMutation } from '@apollo/client/react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { TextInput } from '../../components/form/inputs.js';
import { showOutcome } from '../../components/grid/bulkOutcome.js';
import { FormDialog } from '../../components/FormDialog.js';
import { SetChannelTagDocument } from './channels.generated.js';

/** Sets one tag for the selected channels. */
export function SetTagDialog({
  ids,
  tag,
  onDone,
  onClose,
}: {
  readonly ids: readonly number[];
  /** Initial value of the field. */
  readonly tag: string;
  /** Called with the ids of the channels that the server did not change. */
  readonly onDone: (refused: readonly number[]) => void;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const [setTag] = useMutation(SetChannelTagDocument);
  const form = useForm({ mode: 'onTouched', defaultValues: { tag } });
  const submit = async (values: { readonly tag: string }) => {
    const { data } = await setTag({ variables: { ids: [...ids], tag: values.tag.trim() } });
    onDone(
      showOutcome(data?.setChannelTag, t, {
        done: (count) => t('channels.tagged', { count, tag: values.tag.trim() }),
        refused: (counts) => t('channels.bulkRefused', counts),
      }),
    );
  };
  return (
    <FormDialog
      form={form}
      title={t('channels.setTagTitle', { count: ids.length })}
      submitLabel={t('channels.setTag')}
      errorField="tag"
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        control={form.control}
        name="tag"
        label={t('channels.tag')}
        required
        autoFocus
        maxLength={64}
        hint={t('channels.setTagHint')}
        rules={{ validate: (value) => value.trim() !== '' || t('channels.tagMissing') }}
      />
    </FormDialog>
  );
}
