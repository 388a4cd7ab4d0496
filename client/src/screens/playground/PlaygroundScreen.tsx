import { useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { LoadFailure } from '../../components/LoadFailure.js';
import { toast } from '../../components/toast.js';
import { useSession } from '../../lib/session.js';
import { Playground } from './Playground.js';
import { PlaygroundDocument } from './playground.generated.js';

/** Time to read the message before the redirect to the tokens, in ms. */
const readingTime = 1500;

/** Chat with a model, billed to the user's session. Requires a token, although calls do not use it. */
export function PlaygroundScreen() {
  const { t } = useTranslation();
  const user = useSession();
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(PlaygroundDocument, { fetchPolicy: 'network-only' });
  const noToken = data?.myTokens.totalCount === 0;
  useEffect(() => {
    if (!noToken) return;
    toast.error(t('playground.noToken'));
    const timer = setTimeout(() => void navigate('/token'), readingTime);
    return () => clearTimeout(timer);
  }, [navigate, noToken, t]);
  return (
    <>
      <title>{t('shell.playground')}</title>
      {error && !data && (
        <Box sx={{ padding: { xs: 2, sm: 3 } }}>
          <LoadFailure title={t('playground.loadFailed')} error={error} onRetry={() => void refetch()} />
        </Box>
      )}
      {noToken && (
        <Box role="status" sx={{ padding: '96px 24px', textAlign: 'center', color: 'text.secondary' }}>
          {t('playground.noToken')}
        </Box>
      )}
      {data && !noToken && user && (
        <Playground
          key={user.id}
          userId={user.id}
          groups={data.myGroups}
          ownGroup={data.me?.group ?? ''}
          models={data.pricing.models}
        />
      )}
    </>
  );
}
