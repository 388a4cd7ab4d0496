import { useApolloClient, useMutation } from '@apollo/client/react';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { TextInput } from '../../components/form/inputs.js';
import { FormDialog } from '../../components/FormDialog.js';
import { Notice } from '../../components/Notice.js';
import { toast } from '../../components/toast.js';
import { DeleteRedemptionBatchDocument, RedemptionCountDocument } from './redemptions.generated.js';

/** Deletes all codes with a name, after showing how many there are. */
export function DeleteByNameDialog({ onDone, onClose }: { readonly onDone: () => void; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const client = useApolloClient();
  const [remove] = useMutation(DeleteRedemptionBatchDocument);
  const [found, setFound] = useState<{ readonly name: string; readonly count: number } | null>(null);
  const form = useForm({ defaultValues: { name: '' } });
  const submit = async ({ name }: { readonly name: string }) => {
    if (found === null) {
      const batch = name.trim();
      const { data } = await client.query({
        query: RedemptionCountDocument,
        variables: { batch },
        fetchPolicy: 'network-only',
      });
      setFound({ name: batch, count: data?.redemptions?.totalCount ?? 0 });
      return false;
    }
    const { data } = await remove({ variables: { batch: found.name } });
    toast.success(t('redemptions.deletedCount', { count: data?.deleteRedemptionBatch?.count ?? 0 }));
    onDone();
    return true;
  };
  return (
    <FormDialog
      form={form}
      title={t('redemptions.deleteByName')}
      submitLabel={found ? t('actions.delete') : t('redemptions.countThem')}
      destructive={found !== null}
      disabled={found?.count === 0}
      errorField="name"
      onChange={() => setFound(null)}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        control={form.control}
        name="name"
        label={t('fields.name')}
        required
        autoFocus
        rules={{ validate: (name) => name.trim() !== '' || t('fields.nameMissing') }}
      />
      {found && (
        <Notice tone={found.count > 0 ? 'red' : 'blue'}>
          {found.count > 0
            ? t('redemptions.willDelete', { count: found.count, name: found.name })
            : t('redemptions.noneNamed', { name: found.name })}
        </Notice>
      )}
    </FormDialog>
  );
}
