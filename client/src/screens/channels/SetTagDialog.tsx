import { useMutation } from '@apollo/client/react';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { TextInput } from '../../components/form/inputs.js';
import { toast } from '../../components/toast.js';
import { describeFailure } from '../../lib/errors.js';
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
  readonly onDone: () => void;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const [setTag] = useMutation(SetChannelTagDocument);
  const form = useForm({ mode: 'onTouched', defaultValues: { tag } });
  const submit = form.handleSubmit(async (values) => {
    try {
      const { data } = await setTag({ variables: { ids: [...ids], tag: values.tag.trim() } });
      toast.success(t('channels.tagged', { count: data?.setChannelTag.done.length ?? 0, tag: values.tag.trim() }));
      onDone();
      onClose();
    } catch (error) {
      form.setError('tag', { message: describeFailure(error, t) });
    }
  });
  return (
    <Dialog open onClose={onClose} maxWidth="xs" fullWidth>
      <form noValidate onSubmit={(event) => void submit(event)}>
        <DialogTitle>{t('channels.setTagTitle', { count: ids.length })}</DialogTitle>
        <DialogContent>
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
        </DialogContent>
        <DialogActions>
          <Button variant="outlined" onClick={onClose}>
            {t('actions.cancel')}
          </Button>
          <Button type="submit" variant="contained" loading={form.formState.isSubmitting}>
            {t('channels.setTag')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
