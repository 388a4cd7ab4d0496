import { useMutation, useQuery } from '@apollo/client/react';
import Dialog from '@mui/material/Dialog';
import DialogContent from '@mui/material/DialogContent';
import Skeleton from '@mui/material/Skeleton';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { SwitchRow } from '../../components/form/SwitchRow.js';
import { TextInput } from '../../components/form/inputs.js';
import { FormDialog } from '../../components/FormDialog.js';
import { LoadFailure } from '../../components/LoadFailure.js';
import { Notice } from '../../components/Notice.js';
import { toast } from '../../components/toast.js';
import {
  BillingProfileDocument,
  UpdateBillingProfileDocument,
  type BillingProfileQuery,
} from './statements.generated.js';

/** The name, address and tax number on the user's next statements. */
export function BillingProfileDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(BillingProfileDocument, { fetchPolicy: 'network-only' });
  if (data?.billingProfile) return <ProfileForm profile={data.billingProfile} onClose={onClose} />;
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="xs" aria-label={t('statements.profile')}>
      <DialogContent>
        {error ? (
          <LoadFailure title={t('statements.profile')} error={error} onRetry={() => void refetch()} />
        ) : (
          <Skeleton variant="rectangular" height={240} />
        )}
      </DialogContent>
    </Dialog>
  );
}

function ProfileForm({
  profile,
  onClose,
}: {
  readonly profile: NonNullable<BillingProfileQuery['billingProfile']>;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const [update] = useMutation(UpdateBillingProfileDocument);
  const { name, address, taxNumber, notifies } = profile;
  const form = useForm({ defaultValues: { name, address, taxNumber, notifies } });
  return (
    <FormDialog
      form={form}
      title={t('statements.profile')}
      submitLabel={t('fields.save')}
      errorField="name"
      onSubmit={async (input) => {
        await update({ variables: { input } });
        toast.success(t('fields.saved'));
        return true;
      }}
      onClose={onClose}
    >
      <Notice tone="blue">{t('statements.profileHint')}</Notice>
      <TextInput control={form.control} name="name" label={t('statements.name')} maxLength={200} autoFocus />
      <TextInput control={form.control} name="address" label={t('statements.address')} rows={3} maxLength={500} />
      <TextInput control={form.control} name="taxNumber" label={t('statements.taxNumber')} maxLength={100} />
      <SwitchRow
        control={form.control}
        name="notifies"
        label={t('statements.notifies')}
        hint={t('statements.notifiesHint')}
      />
    </FormDialog>
  );
}
