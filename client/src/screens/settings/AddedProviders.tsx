import { useMutation, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Skeleton from '@mui/material/Skeleton';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LoadFailure } from '../../components/LoadFailure.js';
import { ToneChip } from '../../components/Tone.js';
import { useAction } from '../../components/useAction.js';
import { AddedProviderForm } from './AddedProviderForm.js';
import { signInPresets, type Preset, type RowValues } from './signInPresets.js';
import {
  DeleteAddedProviderDocument,
  AddedProvidersDocument,
  type AddedProviderFragment,
} from './addedProviders.generated.js';

const presetNames = ['google', 'discord', 'gitlab', 'oidc', 'oauth'] as const satisfies readonly Preset[];

/** Sign-in providers that root adds. They continue the list of the built-in ones. */
export function AddedProviders() {
  const { t } = useTranslation();
  const act = useAction();
  const { data, error, refetch } = useQuery(AddedProvidersDocument);
  const [remove] = useMutation(DeleteAddedProviderDocument);
  const [edited, setEdited] = useState<{
    readonly row: AddedProviderFragment | null;
    readonly from: RowValues;
    readonly preset: Preset;
  } | null>(null);
  const rows = data?.signInProviders ?? [];
  const nameOf = (preset: Preset): string =>
    preset === 'oidc' || preset === 'oauth' ? t(`addedProviders.${preset}`) : signInPresets[preset].name;
  const removeRow = ({ id, name }: AddedProviderFragment) =>
    act(
      async () => {
        await remove({ variables: { id } });
        await refetch();
        return t('addedProviders.deleted', { name });
      },
      { title: t('addedProviders.deleteTitle', { name }), body: t('addedProviders.deleteBody') },
    );
  return (
    <Box component="section" aria-label={t('addedProviders.title')} sx={{ mx: 2, pb: 1.5 }}>
      {!data &&
        (error ? (
          <LoadFailure title={t('addedProviders.loadFailed')} error={error} onRetry={() => void refetch()} />
        ) : (
          <Skeleton variant="rectangular" height={44} />
        ))}
      {rows.map((row) => (
        <Box
          key={row.id}
          sx={{
            display: 'flex',
            flexWrap: 'wrap',
            alignItems: 'center',
            gap: 1,
            minHeight: 44,
            borderTop: '1px solid',
            borderColor: 'divider',
          }}
        >
          {/* Its name stands below those of the built-in ones, which have an arrow before them. */}
          <Box sx={{ flex: 1, minWidth: 120, pl: 4, fontSize: 13, fontWeight: 500, overflowWrap: 'anywhere' }}>
            {row.name}
          </Box>
          <Button
            variant="outlined"
            aria-label={t('addedProviders.editOf', { name: row.name })}
            onClick={() => setEdited({ row, from: row, preset: row.issuer === '' ? 'oauth' : 'oidc' })}
          >
            {t('addedProviders.edit')}
          </Button>
          <Button
            variant="outlined"
            color="error"
            aria-label={t('addedProviders.deleteOf', { name: row.name })}
            onClick={() => void removeRow(row)}
          >
            {t('actions.delete')}
          </Button>
          <ToneChip tone={row.enabled ? 'green' : 'grey'}>
            {row.enabled ? t('settings.on') : t('settings.off')}
          </ToneChip>
        </Box>
      ))}
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, pt: 1.5, borderTop: '1px solid', borderColor: 'divider' }}>
        {presetNames.map((name) => (
          <Button
            key={name}
            variant="outlined"
            onClick={() => setEdited({ row: null, from: signInPresets[name], preset: name })}
          >
            {t('addedProviders.add', { name: nameOf(name) })}
          </Button>
        ))}
      </Box>
      {edited && (
        <AddedProviderForm
          {...edited}
          title={
            edited.row
              ? t('addedProviders.editOf', { name: edited.row.name })
              : t('addedProviders.add', { name: nameOf(edited.preset) })
          }
          onSaved={() => void refetch()}
          onClose={() => setEdited(null)}
        />
      )}
    </Box>
  );
}
