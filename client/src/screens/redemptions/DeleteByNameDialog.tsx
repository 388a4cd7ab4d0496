import { useApolloClient, useMutation } from '@apollo/client/react';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { TextInput } from '../../components/form/inputs.js';
import { Notice } from '../../components/Notice.js';
import { toast } from '../../components/toast.js';
import { describeFailure } from '../../lib/errors.js';
import { DeleteRedemptionBatchDocument, RedemptionCountDocument } from './redemptions.generated.js';

/** Deletes all codes with a name, after showing how many there are. */
export function DeleteByNameDialog({ onDone, onClose }: { readonly onDone: () => void; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const client = useApolloClient();
  const [remove, { loading }] = useMutation(DeleteRedemptionBatchDocument);
  const [found, setFound] = useState<{ readonly name: string; readonly count: number } | null>(null);
  const form = useForm({ defaultValues: { name: '' } });
  const submit = form.handleSubmit(async ({ name }) => {
    try {
      if (found === null) {
        const { data } = await client.query({
          query: RedemptionCountDocument,
          variables: { batch: name.trim() },
          fetchPolicy: 'network-only',
        });
        setFound({ name: name.trim(), count: data?.redemptions?.totalCount ?? 0 });
        return;
      }
      const { data } = await remove({ variables: { batch: found.name } });
      toast.success(t('redemptions.deletedCount', { count: data?.deleteRedemptionBatch?.count ?? 0 }));
      onDone();
      onClose();
    } catch (error) {
      form.setError('name', { message: describeFailure(error, t) });
    }
  });
  return (
    <Dialog open maxWidth="xs" fullWidth onClose={onClose}>
      <form noValidate onSubmit={(event) => void submit(event)} onChange={() => setFound(null)}>
        <DialogTitle>{t('redemptions.deleteByName')}</DialogTitle>
        <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}>
          <TextInput
            control={form.control}
            name="name"
            label={t('redemptions.name')}
            required
            autoFocus
            rules={{ validate: (name) => name.trim() !== '' || t('redemptions.nameMissing') }}
          />
          {found && (
            <Notice tone={found.count > 0 ? 'red' : 'blue'}>
              {found.count > 0
                ? t('redemptions.willDelete', { count: found.count, name: found.name })
                : t('redemptions.noneNamed', { name: found.name })}
            </Notice>
          )}
        </DialogContent>
        <DialogActions>
          <Button variant="outlined" onClick={onClose}>
            {t('actions.cancel')}
          </Button>
          <Button
            type="submit"
            variant="contained"
            color={found ? 'error' : 'primary'}
            loading={loading}
            disabled={found?.count === 0}
          >
            {found ? t('actions.delete') : t('redemptions.countThem')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
