import { useController, type Control } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { SwitchRow } from '../../components/form/SwitchRow.js';
import { DrawerSection } from '../../components/SideDrawer.js';
import type { TokenValues } from './tokenForm.js';

/** Switches for the scopes of a key. */
export function TokenScopes({ control }: { readonly control: Control<TokenValues> }) {
  const { t } = useTranslation();
  const { fieldState } = useController({
    control,
    name: 'canRelay',
    rules: { validate: (_, values) => values.canRelay || values.canReadUsage || values.canManageKeys },
  });
  return (
    <DrawerSection
      title={t('tokenKeys.scopes')}
      explanation={fieldState.invalid ? t('tokenKeys.scopeMissing') : t('tokenKeys.scopesText')}
    >
      <SwitchRow control={control} name="canRelay" label={t('tokenKeys.relay')} />
      <SwitchRow control={control} name="canReadUsage" label={t('tokenKeys.usage')} hint={t('tokenKeys.usageHint')} />
      <SwitchRow control={control} name="canManageKeys" label={t('tokenKeys.keys')} hint={t('tokenKeys.keysHint')} />
    </DrawerSection>
  );
}
