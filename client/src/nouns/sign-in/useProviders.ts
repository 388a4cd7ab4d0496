import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { toast } from '../../components/toast.js';
import { describeFailure } from '../../lib/errors.js';
import { useClient } from '../../lib/graphqlClient.js';
import { session } from '../../lib/session.js';
import type { SessionUser } from '../../lib/sessionUser.js';
import type { ProviderId } from './offeredProviders.js';
import { BeginSignInDocument, type SignInProvider } from './signIn.generated.js';

const redirecting: Partial<Record<ProviderId, SignInProvider>> = { github: 'GITHUB', oidc: 'OIDC', linuxdo: 'LINUXDO' };

/** Redirects to a provider that returns to `/oauth/<provider>`. Resolves false for providers that work otherwise. */
export function useLeaveForProvider(): (id: ProviderId, inviteCode?: string) => Promise<boolean> {
  const { t } = useTranslation();
  const client = useClient();
  return async (id, inviteCode) => {
    const provider = redirecting[id];
    if (!provider) return false;
    try {
      const { data } = await (
        await client()
      ).mutate({
        mutation: BeginSignInDocument,
        variables: { input: { provider, ...(inviteCode ? { inviteCode } : {}) } },
      });
      if (data) location.assign(data.beginSignIn.url);
    } catch (error) {
      toast.error(describeFailure(error, t));
    }
    return true;
  };
}

/** Returns a function that starts the session of a user and navigates to `path`. */
export function useEnter(): (user: SessionUser, path: string) => Promise<void> {
  const client = useClient();
  const navigate = useNavigate();
  return async (user, path) => {
    await (await client()).clearStore();
    session.start(user);
    await navigate(path, { replace: true });
  };
}
