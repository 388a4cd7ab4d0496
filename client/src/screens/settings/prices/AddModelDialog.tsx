import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { TextInput } from '../../../components/form/inputs.js';

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
  const submit = form.handleSubmit(({ model }) => onAdd(model.trim()));
  return (
    <Dialog open onClose={onClose} maxWidth="xs" fullWidth>
      <form noValidate onSubmit={(event) => void submit(event)}>
        <DialogTitle>{t('settings.addModel')}</DialogTitle>
        <DialogContent>
          <TextInput
            control={form.control}
            name="model"
            label={t('fields.modelName')}
            required
            autoFocus
            rules={{
              validate: (model) => {
                if (model.trim() === '') return t('settings.modelMissing');
                return !taken.includes(model.trim()) || t('settings.modelExists');
              },
            }}
          />
        </DialogContent>
        <DialogActions>
          <Button variant="outlined" onClick={onClose}>
            {t('actions.cancel')}
          </Button>
          <Button type="submit" variant="contained">
            {t('settings.addModel')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
