import { useMutation } from '@apollo/client/react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { TextInput } from '../../components/form/inputs.js';
import { FormDialog } from '../../components/FormDialog.js';
import { toast } from '../../components/toast.js';
import { useIdempotencyKey } from '../../lib/useIdempotencyKey.js';
import { organisationAddress } from './addresses.js';
import { CreateOrganisationDocument } from './organisations.generated.js';

export function CreateOrganisationDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [create] = useMutation(CreateOrganisationDocument);
  const keyOf = useIdempotencyKey();
  const form = useForm({ defaultValues: { name: '' } });
  const submit = async (values: { readonly name: string }) => {
    const input = { name: values.name.trim() };
    const { data } = await create({ variables: { input: { ...input, idempotencyKey: keyOf(input) } } });
    const organisation = data?.createOrganisation?.organisation;
    if (!organisation) return;
    toast.success(t('organisations.created', { name: organisation.name }));
    await navigate(organisationAddress(organisation.id));
  };
  return (
    <FormDialog
      form={form}
      title={t('organisations.create')}
      submitLabel={t('organisations.create')}
      errorField="name"
      fieldNames={{ username: 'name' }}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        control={form.control}
        name="name"
        label={t('organisations.createName')}
        hint={t('organisations.createHint')}
        required
        autoFocus
        maxLength={64}
        rules={{ validate: (name) => name.trim() !== '' || t('fields.nameMissing') }}
      />
    </FormDialog>
  );
}
