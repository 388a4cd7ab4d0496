import { useMutation } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import FormHelperText from '@mui/material/FormHelperText';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '../../components/toast.js';
import { describeFailure } from '../../lib/errors.js';
import { useSetting } from '../../nouns/settings/SettingsContext.js';
import { DiscoverOidcDocument } from './settings.generated.js';

/** Fills in the three endpoints from the well-known URL, without saving. */
export function OidcDiscovery() {
  const { t } = useTranslation();
  const wellKnown = useSetting('oidc.well_known');
  const authorization = useSetting('oidc.authorization_endpoint');
  const token = useSetting('oidc.token_endpoint');
  const userInfo = useSetting('oidc.user_info_endpoint');
  const [discover, { loading }] = useMutation(DiscoverOidcDocument);
  const [problem, setProblem] = useState<{ readonly of: string; readonly text: string } | null>(null);
  const address = wellKnown.value.trim();
  const run = async () => {
    if (!/^https?:\/\//.test(address)) {
      setProblem({ of: address, text: t('settings.wellKnownScheme') });
      return;
    }
    try {
      const { data } = await discover({ variables: { wellKnown: address } });
      if (!data) return;
      authorization.change(data.discoverOidc.endpoints.authorizationEndpoint);
      token.change(data.discoverOidc.endpoints.tokenEndpoint);
      userInfo.change(data.discoverOidc.endpoints.userInfoEndpoint);
      setProblem(null);
      toast.success(t('settings.wellKnownDone'));
    } catch (error) {
      setProblem({ of: address, text: t('settings.wellKnownFailed', { reason: describeFailure(error, t) }) });
    }
  };
  return (
    <Box sx={{ mx: 2, pb: '12px', display: 'flex', flexDirection: 'column', alignItems: { sm: 'flex-end' } }}>
      <Button
        variant="outlined"
        disabled={!wellKnown.writable || address === ''}
        loading={loading}
        onClick={() => void run()}
      >
        {t('settings.wellKnownFetch')}
      </Button>
      {problem && problem.of === address && (
        <FormHelperText error role="alert">
          {problem.text}
        </FormHelperText>
      )}
    </Box>
  );
}
