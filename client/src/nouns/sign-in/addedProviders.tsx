import Box from '@mui/material/Box';
import ShieldOutlinedIcon from '@mui/icons-material/ShieldOutlined';
import { useTranslation } from 'react-i18next';
import { toast } from '../../components/toast.js';
import { describeFailure } from '../../lib/errors.js';
import { useClient } from '../../lib/graphqlClient.js';
import type { OfferedProvider } from '../../lib/site-status.js';
import { useStatus } from '../../lib/status.js';
import { BeginProviderSignInDocument } from './addedProviders.generated.js';

/** The providers that the operator added, from the status: the sign-in page asks no query. */
export const useAddedProviders = (): readonly OfferedProvider[] => useStatus().signInProviders;

/** Redirects to such a provider, which returns to `/oauth/<slug>`. */
export function useLeaveForAdded(): (slug: string, inviteCode?: string) => Promise<void> {
  const { t } = useTranslation();
  const client = useClient();
  return async (slug, inviteCode) => {
    try {
      const { data } = await (
        await client()
      ).mutate({
        mutation: BeginProviderSignInDocument,
        variables: { input: { slug, ...(inviteCode ? { inviteCode } : {}) } },
      });
      if (data) location.assign(data.beginProviderSignIn.url);
    } catch (error) {
      toast.error(describeFailure(error, t));
    }
  };
}

export function AddedProviderIcon({ icon }: { readonly icon: string }) {
  return icon ? <Box component="img" src={icon} alt="" sx={{ width: 16, height: 16 }} /> : <ShieldOutlinedIcon />;
}
