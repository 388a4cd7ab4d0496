import Box from '@mui/material/Box';
import { useFormState, type Control } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { SwitchRow } from '../../components/form/SwitchRow.js';
import { DrawerSection } from '../../components/SideDrawer.js';
import type { TokenValues } from './tokenForm.js';

const hasScope = (_: unknown, values: TokenValues): boolean =>
  values.canRelay || values.canReadUsage || values.canManageKeys;

/** Switches for the scopes of a key. */
export function TokenScopes({ control }: { readonly control: Control<TokenValues> }) {
  const { t } = useTranslation();
  const { errors } = useFormState({ control, name: 'canRelay' });
  return (
    <DrawerSection title={t('tokenKeys.scopes')} explanation={t('tokenKeys.scopesText')}>
      {errors.canRelay && (
        <Box role="alert" sx={{ fontSize: 12, color: 'error.main' }}>
          {t('tokenKeys.scopeMissing')}
        </Box>
      )}
      <SwitchRow control={control} name="canRelay" label={t('tokenKeys.relay')} rules={{ validate: hasScope }} />
      <SwitchRow control={control} name="canReadUsage" label={t('tokenKeys.usage')} hint={t('tokenKeys.usageHint')} />
      <SwitchRow control={control} name="canManageKeys" label={t('tokenKeys.keys')} hint={t('tokenKeys.keysHint')} />
    </DrawerSection>
  );
}
