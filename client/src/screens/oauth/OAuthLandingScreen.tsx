import Box from '@mui/material/Box';
import CircularProgress from '@mui/material/CircularProgress';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate, useParams } from 'react-router-dom';
import { NotFound } from '../../components/NotFound.js';
import { secondFactorPath } from '../../lib/confirmation.js';
import { askOAuth } from '../../nouns/sign-in/oauthApi.js';
import { useAddedProviders } from '../../nouns/sign-in/addedProviders.js';
import { useEnter } from '../../nouns/sign-in/useProviders.js';
import { toast } from '../../components/toast.js';
import { describe } from '../../lib/errors.js';
import { adminRole, session } from '../../lib/session.js';
import { writeText } from '../../lib/storage.js';

const providers = ['github', 'oidc', 'linuxdo'] as const;

/** Time to read the failure before the redirect, in ms. */
const readingTime = 1500;

/** Admins bind providers in the settings, other users on their account page. */
const bindingPath = (): string => ((session.get()?.role ?? 0) >= adminRole ? '/setting' : '/personal');

export function OAuthLandingScreen() {
  const { provider } = useParams();
  const { t } = useTranslation();
  const added = useAddedProviders().find(({ slug }) => slug === provider);
  const known = providers.find((name) => name === provider);
  if (known) return <Landing path={known} name={t(`oauth.providers.${known}`)} />;
  return added ? <Landing path={`provider/${added.slug}`} name={added.name} /> : <NotFound />;
}

/** Sends the provider's callback parameters to the server, and redirects by its response. */
function Landing({
  path,
  name,
}: {
  /** The path of the callback below `/api/oauth/`. */
  readonly path: string;
  readonly name: string;
}) {
  const { t } = useTranslation();
  const { search } = useLocation();
  const navigate = useNavigate();
  const enter = useEnter();
  const [failed, setFailed] = useState(false);
  const begun = useRef(false);

  useEffect(() => {
    // The provider's code is valid once, and effects run twice in strict mode.
    if (begun.current) return;
    begun.current = true;
    const fail = (message: string) => {
      toast.error(message);
      setFailed(true);
      setTimeout(() => void navigate(session.get() ? bindingPath() : '/login', { replace: true }), readingTime);
    };
    const finish = async () => {
      const query = new URLSearchParams(search);
      if (!query.has('code')) {
        fail(t('oauth.refused', { name }));
        return;
      }
      const answer = await askOAuth(path, query);
      if (answer.kind === 'refused') {
        fail(describe(answer.failure, t));
      } else if (answer.kind === 'secondFactor') {
        writeText('aff', null);
        await navigate(secondFactorPath, { replace: true });
      } else if (answer.kind === 'bound') {
        toast.success(t('oauth.boundTo', { name }));
        await navigate(bindingPath(), { replace: true });
      } else {
        writeText('aff', null);
        toast.success(t('oauth.signedIn'));
        await enter(answer.user, '/token');
      }
    };
    void finish();
  }, [enter, name, navigate, path, search, t]);

  return (
    <Box
      component="main"
      role="status"
      sx={{
        minHeight: '100dvh',
        display: 'flex',
        flexDirection: 'column',
        alignItems: 'center',
        justifyContent: 'center',
        gap: 2,
        padding: 3,
        textAlign: 'center',
        color: 'text.secondary',
      }}
    >
      <title>{t('oauth.finishing', { name })}</title>
      <CircularProgress size={28} thickness={4} aria-hidden />
      {failed ? t('oauth.failed') : t('oauth.finishing', { name })}
    </Box>
  );
}
