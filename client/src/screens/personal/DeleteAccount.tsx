import { useApolloClient, useMutation } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { TextInput } from '../../components/form/inputs.js';
import { FormDialog } from '../../components/FormDialog.js';
import { session } from '../../lib/session.js';
import { Panel } from './Panel.js';
import { DeleteMeDocument } from './personal.generated.js';

/** Deletes the account after the user typed their name. */
export function DeleteAccount({ username }: { readonly username: string }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  return (
    <Panel title={t('personal.deleteAccount')} danger>
      <Box sx={{ display: 'flex', gap: 2, alignItems: 'center', justifyContent: 'space-between' }}>
        <Box sx={{ fontSize: 12, color: 'text.secondary' }}>{t('personal.deleteText')}</Box>
        <Button variant="outlined" color="error" onClick={() => setOpen(true)} sx={{ flexShrink: 0 }}>
          {t('personal.deleteAccount')}
        </Button>
      </Box>
      {open && <Confirmation username={username} onClose={() => setOpen(false)} />}
    </Panel>
  );
}

function Confirmation({ username, onClose }: { readonly username: string; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const client = useApolloClient();
  const navigate = useNavigate();
  const [remove] = useMutation(DeleteMeDocument);
  const form = useForm({ defaultValues: { name: '' } });
  return (
    <FormDialog
      form={form}
      title={t('personal.deleteTitle', { name: username })}
      submitLabel={t('personal.deleteAccount')}
      destructive
      errorField="name"
      onClose={onClose}
      onSubmit={async () => {
        await remove();
        session.end();
        await client.clearStore();
        await navigate('/login');
      }}
    >
      <TextInput
        control={form.control}
        name="name"
        label={t('personal.typeName', { name: username })}
        autoFocus
        rules={{ validate: (name) => name === username || t('personal.typeNameMissing') }}
      />
    </FormDialog>
  );
}
