import { useMutation, useQuery } from '@apollo/client/react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { showOutcome } from '../../components/grid/bulkOutcome.js';
import { ChipsInput } from '../../components/form/ChipsInput.js';
import { NumberInput } from '../../components/form/inputs.js';
import { FormDialog } from '../../components/FormDialog.js';
import { FieldRow } from '../../components/SideDrawer.js';
import { ChannelChoicesDocument, UpdateChannelsDocument, type UpdateChannelsInput } from './channels.generated.js';

interface BulkValues {
  models: string[];
  groups: string[];
  priority: string;
  weight: string;
}

/** The changes of a form. An empty field changes nothing. */
export function toChannelsPatch({ models, groups, priority, weight }: BulkValues): Omit<UpdateChannelsInput, 'ids'> {
  return {
    ...(models.length > 0 ? { models } : {}),
    ...(groups.length > 0 ? { groups } : {}),
    ...(priority.trim() === '' ? {} : { priority: Number(priority) }),
    ...(weight.trim() === '' ? {} : { weight: Number(weight) }),
  };
}

/** Changes groups, models, priority and weight of the selected channels. */
export function BulkEditDialog({
  ids,
  onDone,
  onClose,
}: {
  readonly ids: readonly number[];
  /** Called with the ids of the channels that the server did not change. */
  readonly onDone: (refused: readonly number[]) => void;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const choices = useQuery(ChannelChoicesDocument, { fetchPolicy: 'cache-first' }).data;
  const [update] = useMutation(UpdateChannelsDocument);
  const form = useForm<BulkValues>({
    mode: 'onTouched',
    defaultValues: { models: [], groups: [], priority: '', weight: '' },
  });
  const { control } = form;
  const wholeFrom = (least: number) => ({
    validate: (value: unknown) => {
      const text = String(value).trim();
      if (text === '') return true;
      if (!/^-?\d{1,9}$/.test(text)) return t('form.wholeNumber');
      return Number(text) >= least || t('form.atLeast', { minimum: least });
    },
  });
  const submit = async (values: BulkValues) => {
    const patch = toChannelsPatch(values);
    if (Object.keys(patch).length === 0) {
      form.setError('models', { message: t('channels.bulkNothing') });
      return false;
    }
    const { data } = await update({ variables: { input: { ids: [...ids], ...patch } } });
    onDone(
      showOutcome(data?.updateChannels, t, {
        done: (count) => t('channels.bulkSaved', { count }),
        refused: (counts) => t('channels.bulkRefused', counts),
      }),
    );
    return true;
  };
  return (
    <FormDialog
      form={form}
      title={t('channels.bulkTitle', { count: ids.length })}
      submitLabel={t('channels.bulkSave')}
      errorField="models"
      onSubmit={submit}
      onClose={onClose}
    >
      <ChipsInput
        control={control}
        name="models"
        label={t('fields.models')}
        optional
        free
        options={choices?.enabledModels ?? []}
        placeholder={t('channels.unchanged')}
        hint={t('channels.bulkModelsHint')}
      />
      <ChipsInput
        control={control}
        name="groups"
        label={t('channels.groups')}
        optional
        free
        options={choices?.groups ?? []}
        placeholder={t('channels.unchanged')}
      />
      <FieldRow>
        <NumberInput
          control={control}
          name="priority"
          label={t('channels.priority')}
          optional
          rules={wholeFrom(-999)}
        />
        <NumberInput control={control} name="weight" label={t('channels.weight')} optional rules={wholeFrom(0)} />
      </FieldRow>
    </FormDialog>
  );
}
