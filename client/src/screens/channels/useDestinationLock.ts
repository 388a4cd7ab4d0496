import { useTranslation } from 'react-i18next';
import { useMay } from '../../lib/permissions.js';

/**
 * Why the user may not change where the stored keys of a channel are sent (type, address, proxy, headers). Undefined: they may.
 * A new channel has no stored keys.
 */
export function useDestinationLock(isNew: boolean): string | undefined {
  const { t } = useTranslation();
  const secrets = useMay('CHANNELS_SECRETS');
  return isNew || secrets ? undefined : t('channels.needsSecrets');
}
