import { useMutation } from '@apollo/client/react';
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
import { useBaseAddress } from '../../lib/status.js';
import {
  CreateAddedProviderDocument,
  UpdateAddedProviderDocument,
  type AddedProviderFragment,
} from './addedProviders.generated.js';
import { mainFields, type FormField, type Preset, type RowValues } from './signInPresets.js';

const labels = {
  name: 'addedProviders.name',
  slug: 'addedProviders.slug',
  issuer: 'addedProviders.issuer',
  authorizationEndpoint: 'addedProviders.authorization',
  tokenEndpoint: 'addedProviders.token',
  userInfoEndpoint: 'addedProviders.userInfo',
  scopes: 'addedProviders.scopes',
  'claims.subject': 'addedProviders.claimId',
  'claims.username': 'addedProviders.claimUsername',
  'claims.name': 'addedProviders.claimName',
  'claims.email': 'addedProviders.claimEmail',
  'claims.emailVerified': 'addedProviders.claimVerified',
  domains: 'addedProviders.domains',
  icon: 'addedProviders.icon',
} as const satisfies Record<FormField, string>;
const hints: Partial<
  Record<FormField, 'addedProviders.slugHint' | 'addedProviders.issuerHint' | 'addedProviders.domainsHint'>
> = {
  slug: 'addedProviders.slugHint',
  issuer: 'addedProviders.issuerHint',
  domains: 'addedProviders.domainsHint',
};
const required: readonly FormField[] = ['name', 'slug', 'scopes', 'claims.subject'];
const maxLengths: Partial<Record<FormField, number>> = { name: 50, slug: 32 };

/** The form of a sign-in provider: what the preset needs, and everything else on request. */
export function AddedProviderForm({
  title,
  row,
  from,
  preset,
  onSaved,
  onClose,
}: {
  readonly title: string;
  /** Null: a new one. */
  readonly row: AddedProviderFragment | null;
  readonly from: RowValues;
  readonly preset: Preset;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const [create] = useMutation(CreateAddedProviderDocument);
  const [update] = useMutation(UpdateAddedProviderDocument);
  const [showsAll, setShowsAll] = useState(false);
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
  const callback = `${address}/oauth/${form.watch('slug')}`;
  const { control } = form;
  const main = mainFields[preset];
  const rest = (Object.keys(labels) as FormField[]).filter((one) => !main.includes(one) && !(row && one === 'slug'));
  const input = (field: FormField, isFirst = false) => {
    const hint = hints[field];
    const maxLength = maxLengths[field];
    return (
      <TextInput
        key={field}
        control={control}
        name={field}
        label={t(labels[field])}
        required={required.includes(field)}
        autoFocus={isFirst}
        {...(hint ? { hint: t(hint) } : {})}
        {...(maxLength ? { maxLength } : {})}
      />
    );
  };
  return (
    <FormDialog
      form={form}
      title={title}
      submitLabel={t('fields.save')}
      errorField="oauthClientId"
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
      {main.filter((one) => !(row && one === 'slug')).map((one, index) => input(one, index === 0))}
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
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, fontSize: 12, color: 'text.secondary' }}>
        {t('settings.callbackAddress')}
        <Box component="span" className="mono" sx={{ overflowWrap: 'anywhere' }}>
          {callback}
        </Box>
        <CopyButton value={callback} label={t('settings.copyCallback')} />
      </Box>
      <SwitchRow control={control} name="enabled" label={t('addedProviders.enabled')} />
      {showsAll ? (
        rest.map((one) => input(one))
      ) : (
        <Button aria-expanded={false} sx={{ alignSelf: 'flex-start' }} onClick={() => setShowsAll(true)}>
          {t('addedProviders.more')}
        </Button>
      )}
    </FormDialog>
  );
}
