import { useApolloClient, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import LoginOutlinedIcon from '@mui/icons-material/LoginOutlined';
import { useTranslation } from 'react-i18next';
import { toast } from '../../components/toast.js';
import { describeFailure } from '../../lib/errors.js';
import {
  BeginProviderSignInDocument,
  OfferedSignInProvidersDocument,
  type OfferedProviderFragment,
} from './rowProviders.generated.js';

/** The providers that the operator added as rows. */
export const useRowProviders = (): readonly OfferedProviderFragment[] =>
  useQuery(OfferedSignInProvidersDocument).data?.offeredSignInProviders ?? [];

/** Redirects to such a provider, which returns to `/oauth/<slug>`. */
export function useLeaveForRow(): (slug: string, inviteCode?: string) => Promise<void> {
  const { t } = useTranslation();
  const client = useApolloClient();
  return async (slug, inviteCode) => {
    try {
      const { data } = await client.mutate({
        mutation: BeginProviderSignInDocument,
        variables: { input: { slug, ...(inviteCode ? { inviteCode } : {}) } },
      });
      if (data?.beginProviderSignIn) location.assign(data.beginProviderSignIn.url);
    } catch (error) {
      toast.error(describeFailure(error, t));
    }
  };
}

export function RowProviderIcon({ icon }: { readonly icon: string | null }) {
  return icon ? <Box component="img" src={icon} alt="" sx={{ width: 16, height: 16 }} /> : <LoginOutlinedIcon />;
}
