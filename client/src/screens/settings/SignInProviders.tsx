import Box from '@mui/material/Box';
import ButtonBase from '@mui/material/ButtonBase';
import Collapse from '@mui/material/Collapse';
import ExpandMoreOutlinedIcon from '@mui/icons-material/ExpandMoreOutlined';
import { Fragment, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../components/CopyButton.js';
import { ToneChip } from '../../components/Tone.js';
import { useBaseAddress } from '../../lib/status.js';
import { OidcDiscovery } from './OidcDiscovery.js';
import { SettingRow } from '../../nouns/settings/SettingRow.js';
import { useSettingsDraft } from '../../nouns/settings/SettingsContext.js';
import { providers, type Provider } from '../../nouns/settings/signInProviders.js';

/** The sign-in providers, each in an expandable row. */
export function SignInProviders() {
  return (
    <Box sx={{ mx: 2 }}>
      {providers.map((provider) => (
        <ProviderRow key={provider.id} provider={provider} />
      ))}
    </Box>
  );
}

/** Callback paths that must be registered with these providers. */
const callbacks: Partial<Record<Provider['id'], string>> = {
  github: '/oauth/github',
  oidc: '/oauth/oidc',
  linuxdo: '/oauth/linuxdo',
};

function ProviderRow({ provider }: { readonly provider: Provider }) {
  const { t } = useTranslation();
  const draft = useSettingsDraft();
  const keys = [provider.enabled, ...provider.settings].map(({ key }) => key);
  const enabled = useSyncExternalStore(draft.subscribe, () => draft.value(provider.enabled.key) === 'true');
  const changed = useSyncExternalStore(draft.subscribe, () => keys.some((key) => draft.state().edits.has(key)));
  const [opened, setOpened] = useState(false);
  const open = opened || changed;
  const address = useBaseAddress();
  const callback = callbacks[provider.id];
  const panel = `provider-${provider.id}`;
  return (
    <Box sx={{ borderTop: '1px solid', borderColor: 'divider' }}>
      <ButtonBase
        aria-expanded={open}
        aria-controls={panel}
        onClick={() => setOpened(!open)}
        sx={{
          display: 'flex',
          width: '100%',
          justifyContent: 'flex-start',
          gap: 1,
          minHeight: 44,
          fontFamily: 'inherit',
          fontSize: 13,
          fontWeight: 500,
        }}
      >
        <ExpandMoreOutlinedIcon sx={{ color: 'text.secondary', transform: open ? 'none' : 'rotate(-90deg)' }} />
        {t(`settings.providers.${provider.id}`)}
        <Box sx={{ ml: 'auto' }}>
          <ToneChip tone={enabled ? 'green' : 'grey'}>{enabled ? t('settings.on') : t('settings.off')}</ToneChip>
        </Box>
      </ButtonBase>
      <Collapse in={open} id={panel} unmountOnExit>
        <Box sx={{ mx: -2, pb: 1 }}>
          <SettingRow setting={provider.enabled} />
          {provider.settings.map((setting) => (
            <Fragment key={setting.key}>
              <SettingRow setting={setting} />
              {setting.key === 'oidc.well_known' && <OidcDiscovery />}
            </Fragment>
          ))}
          {callback && (
            <Box
              sx={{
                mx: 2,
                padding: '10px 0',
                borderTop: '1px solid',
                borderColor: 'divider',
                display: 'flex',
                alignItems: 'center',
                gap: 1,
                fontSize: 12,
                color: 'text.secondary',
              }}
            >
              {t('settings.callbackAddress')}
              <Box component="span" className="mono" sx={{ overflowWrap: 'anywhere' }}>
                {address}
                {callback}
              </Box>
              <CopyButton value={`${address}${callback}`} label={t('settings.copyCallback')} />
            </Box>
          )}
        </Box>
      </Collapse>
    </Box>
  );
}
