import { useMutation } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Card from '@mui/material/Card';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { showFormError } from '../../components/form/showFormError.js';
import { TextInput } from '../../components/form/inputs.js';
import { toast } from '../../components/toast.js';
import { useAction } from '../../components/useAction.js';
import { useFormat } from '../../lib/useFormat.js';
import {
  DeleteOrganisationDocument,
  LeaveOrganisationDocument,
  RenameOrganisationDocument,
  type OrganisationRowFragment,
} from './organisations.generated.js';

/** The name, and the end of the membership or of the organisation. */
export function SettingsTab({
  organisation: { id, name, role, balance },
  canChange,
  onChanged,
}: {
  readonly organisation: OrganisationRowFragment;
  readonly canChange: boolean;
  readonly onChanged: () => void;
}) {
  const { t } = useTranslation();
  const { money } = useFormat();
  const act = useAction();
  const navigate = useNavigate();
  const [rename] = useMutation(RenameOrganisationDocument);
  const [leave] = useMutation(LeaveOrganisationDocument);
  const [remove] = useMutation(DeleteOrganisationDocument);
  const form = useForm({ defaultValues: { name } });
  const save = form.handleSubmit(async (values) => {
    try {
      await rename({ variables: { input: { id, name: values.name.trim() } } });
      onChanged();
      toast.success(t('organisations.renamed'));
    } catch (error) {
      const names = { username: 'name' } as const;
      if (!showFormError(form, error, t, { fallback: 'name', names })) toast.failure(error, t);
    }
  });
  const list = role ? '/organisations' : '/all-organisations';
  return (
    <Box sx={{ display: 'grid', gap: 2, maxWidth: 640 }}>
      {canChange && (
        <Card sx={{ padding: 2 }}>
          <form
            noValidate
            onSubmit={(event) => {
              void save(event);
            }}
          >
            <Box sx={{ display: 'grid', gap: 2, justifyItems: 'start' }}>
              <Box sx={{ width: '100%' }}>
                <TextInput
                  control={form.control}
                  name="name"
                  label={t('organisations.createName')}
                  hint={t('organisations.createHint')}
                  required
                  maxLength={64}
                  rules={{ validate: (text) => text.trim() !== '' || t('fields.nameMissing') }}
                />
              </Box>
              <Button type="submit" variant="contained" disabled={!form.formState.isDirty}>
                {t('organisations.rename')}
              </Button>
            </Box>
          </form>
        </Card>
      )}
      <Card sx={{ padding: 2, display: 'flex', flexWrap: 'wrap', gap: 2, alignItems: 'center' }}>
        <Box sx={{ flex: '1 1 240px', fontSize: 13, color: 'text.secondary' }}>{t('organisations.dangerText')}</Box>
        {role && (
          <Button
            variant="outlined"
            color="error"
            onClick={() =>
              void act(
                async () => {
                  await leave({ variables: { id } });
                  await navigate(list);
                  return t('organisations.left', { name });
                },
                {
                  title: t('organisations.leaveTitle', { name }),
                  body: t('organisations.leaveBody'),
                  verb: t('organisations.leave'),
                  destructive: true,
                },
              )
            }
          >
            {t('organisations.leave')}
          </Button>
        )}
        {canChange && (
          <Button
            variant="outlined"
            color="error"
            onClick={() =>
              void act(
                async () => {
                  await remove({ variables: { id } });
                  await navigate(list);
                  return t('organisations.deleted', { name });
                },
                {
                  title: t('organisations.deleteTitle', { name }),
                  body: t('organisations.deleteBody', { balance: money(balance?.quota ?? 0, 'balance') }),
                  verb: t('organisations.delete'),
                  destructive: true,
                },
              )
            }
          >
            {t('organisations.delete')}
          </Button>
        )}
      </Card>
    </Box>
  );
}
