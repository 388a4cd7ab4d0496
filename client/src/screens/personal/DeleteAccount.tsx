import { useApolloClient, useMutation } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { TextInput } from '../../components/form/inputs.js';
import { describeFailure } from '../../lib/errors.js';
import { session } from '../../lib/session.js';
import { Panel } from './Panel.js';
import { DeleteMeDocument } from './personal.generated.js';

/** Deletes the account after the user typed their name. */
export function DeleteAccount({ username }: { readonly username: string }) {
  const { t } = useTranslation();
  const client = useApolloClient();
  const navigate = useNavigate();
  const [open, setOpen] = useState(false);
  const [remove] = useMutation(DeleteMeDocument);
  const form = useForm({ defaultValues: { name: '' } });
  const submit = form.handleSubmit(async () => {
    try {
      await remove();
      session.end();
      await client.clearStore();
      await navigate('/login');
    } catch (error) {
      form.setError('name', { message: describeFailure(error, t) });
    }
  });
  return (
    <Panel title={t('personal.deleteAccount')} danger>
      <Box sx={{ display: 'flex', gap: 2, alignItems: 'center', justifyContent: 'space-between' }}>
        <Box sx={{ fontSize: 12, color: 'text.secondary' }}>{t('personal.deleteText')}</Box>
        <Button variant="outlined" color="error" onClick={() => setOpen(true)} sx={{ flexShrink: 0 }}>
          {t('personal.deleteAccount')}
        </Button>
      </Box>
      <Dialog open={open} maxWidth="xs" fullWidth onClose={() => setOpen(false)}>
        <form noValidate onSubmit={(event) => void submit(event)}>
          <DialogTitle>{t('personal.deleteTitle', { name: username })}</DialogTitle>
          <DialogContent>
            <TextInput
              control={form.control}
              name="name"
              label={t('personal.typeName', { name: username })}
              autoFocus
              rules={{ validate: (name) => name === username || t('personal.typeNameMissing') }}
            />
          </DialogContent>
          <DialogActions>
            <Button variant="outlined" onClick={() => setOpen(false)}>
              {t('actions.cancel')}
            </Button>
            <Button type="submit" variant="contained" color="error" loading={form.formState.isSubmitting}>
              {t('personal.deleteAccount')}
            </Button>
          </DialogActions>
        </form>
      </Dialog>
    </Panel>
  );
}
