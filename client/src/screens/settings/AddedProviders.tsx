import { useMutation, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../components/CopyButton.js';
import { SwitchRow } from '../../components/form/SwitchRow.js';
import { TextInput } from '../../components/form/inputs.js';
import { FormDialog } from '../../components/FormDialog.js';
import { toast } from '../../components/toast.js';
import { ToneChip } from '../../components/Tone.js';
import { useAction } from '../../components/useAction.js';
import { useBaseAddress } from '../../lib/status.js';
import { signInPresets, type RowValues } from './signInPresets.js';
import {
  CreateAddedProviderDocument,
  DeleteAddedProviderDocument,
  AddedProvidersDocument,
  UpdateAddedProviderDocument,
  type AddedProviderFragment,
} from './addedProviders.generated.js';

const presetNames = ['google', 'discord', 'other'] as const;

/** Sign-in providers that root adds as rows. */
export function AddedProviders() {
  const { t } = useTranslation();
  const act = useAction();
  const { data, refetch } = useQuery(AddedProvidersDocument);
  const [remove] = useMutation(DeleteAddedProviderDocument);
  const [edited, setEdited] = useState<{ readonly row: AddedProviderFragment | null; readonly from: RowValues } | null>(
    null,
  );
  const rows = data?.signInProviders ?? [];
  const removeRow = ({ id, name }: AddedProviderFragment) =>
    act(
      async () => {
        await remove({ variables: { id } });
        await refetch();
        return t('addedProviders.deleted', { name });
      },
      {
        title: t('addedProviders.deleteTitle', { name }),
        body: t('addedProviders.deleteBody'),
        verb: t('actions.delete'),
        destructive: true,
      },
    );
  return (
    <Box component="section" aria-label={t('addedProviders.title')} sx={{ mx: 2, pb: 1.5 }}>
      <Box sx={{ padding: '10px 0', borderTop: '1px solid', borderColor: 'divider', fontSize: 13, fontWeight: 500 }}>
        {t('addedProviders.title')}
      </Box>
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
          <Box sx={{ flex: 1, minWidth: 120, overflowWrap: 'anywhere' }}>{row.name}</Box>
          <ToneChip tone={row.enabled ? 'green' : 'grey'}>
            {row.enabled ? t('settings.on') : t('settings.off')}
          </ToneChip>
          <Button
            variant="outlined"
            aria-label={t('addedProviders.editOf', { name: row.name })}
            onClick={() => setEdited({ row, from: row })}
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
        </Box>
      ))}
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, pt: 1.5 }}>
        {presetNames.map((name) => (
          <Button key={name} variant="outlined" onClick={() => setEdited({ row: null, from: signInPresets[name] })}>
            {t('addedProviders.add', { name: name === 'other' ? t('addedProviders.other') : signInPresets[name].name })}
          </Button>
        ))}
      </Box>
      {edited && (
        <RowForm row={edited.row} from={edited.from} onSaved={() => void refetch()} onClose={() => setEdited(null)} />
      )}
    </Box>
  );
}

function RowForm({
  row,
  from,
  onSaved,
  onClose,
}: {
  /** Null: a new one. */
  readonly row: AddedProviderFragment | null;
  readonly from: RowValues;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const [create] = useMutation(CreateAddedProviderDocument);
  const [update] = useMutation(UpdateAddedProviderDocument);
  const address = useBaseAddress();
  const { subject, username, name, email, emailVerified } = from.claims;
  const form = useForm({
    defaultValues: {
      slug: from.slug,
      name: from.name,
      icon: from.icon,
      enabled: from.enabled,
      issuer: from.issuer,
      authorizationEndpoint: from.authorizationEndpoint,
      tokenEndpoint: from.tokenEndpoint,
      userInfoEndpoint: from.userInfoEndpoint,
      oauthClientId: from.oauthClientId,
      clientSecret: '',
      scopes: from.scopes,
      claims: { subject, username, name, email, emailVerified },
      domains: row?.allowedDomains.join(', ') ?? '',
    },
  });
  const slug = form.watch('slug');
  const callback = `${address}/oauth/${slug}`;
  const control = form.control;
  return (
    <FormDialog
      form={form}
      title={row ? t('addedProviders.editOf', { name: row.name }) : t('addedProviders.new')}
      submitLabel={t('fields.save')}
      errorField="name"
      fieldNames={{ allowedDomains: 'domains' }}
      onSubmit={async ({ domains, slug: given, ...values }) => {
        const allowedDomains = domains.split(/[\s,]+/).filter(Boolean);
        if (row) await update({ variables: { input: { ...values, id: row.id, allowedDomains } } });
        else await create({ variables: { input: { ...values, slug: given.trim(), allowedDomains } } });
        toast.success(t('fields.saved'));
        onSaved();
        return true;
      }}
      onClose={onClose}
    >
      <TextInput control={control} name="name" label={t('addedProviders.name')} required maxLength={50} autoFocus />
      {!row && (
        <TextInput
          control={control}
          name="slug"
          label={t('addedProviders.slug')}
          hint={t('addedProviders.slugHint')}
          required
          maxLength={32}
        />
      )}
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, fontSize: 12, color: 'text.secondary' }}>
        {t('settings.callbackAddress')}
        <Box component="span" className="mono" sx={{ overflowWrap: 'anywhere' }}>
          {callback}
        </Box>
        <CopyButton value={callback} label={t('settings.copyCallback')} />
      </Box>
      <TextInput control={control} name="oauthClientId" label={t('addedProviders.clientId')} required maxLength={500} />
      <TextInput
        control={control}
        name="clientSecret"
        type="password"
        autoComplete="off"
        label={t('addedProviders.clientSecret')}
        hint={row ? t('addedProviders.secretStays') : undefined}
        maxLength={4000}
      />
      <TextInput
        control={control}
        name="issuer"
        label={t('addedProviders.issuer')}
        hint={t('addedProviders.issuerHint')}
      />
      <TextInput control={control} name="authorizationEndpoint" label={t('addedProviders.authorization')} />
      <TextInput control={control} name="tokenEndpoint" label={t('addedProviders.token')} />
      <TextInput control={control} name="userInfoEndpoint" label={t('addedProviders.userInfo')} />
      <TextInput control={control} name="scopes" label={t('addedProviders.scopes')} required />
      <TextInput control={control} name="claims.subject" label={t('addedProviders.claimId')} required />
      <TextInput control={control} name="claims.username" label={t('addedProviders.claimUsername')} />
      <TextInput control={control} name="claims.name" label={t('addedProviders.claimName')} />
      <TextInput control={control} name="claims.email" label={t('addedProviders.claimEmail')} />
      <TextInput control={control} name="claims.emailVerified" label={t('addedProviders.claimVerified')} />
      <TextInput
        control={control}
        name="domains"
        label={t('addedProviders.domains')}
        hint={t('addedProviders.domainsHint')}
      />
      <TextInput control={control} name="icon" label={t('addedProviders.icon')} />
      <SwitchRow control={control} name="enabled" label={t('addedProviders.enabled')} />
    </FormDialog>
  );
}
