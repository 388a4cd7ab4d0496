import { useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router-dom';
import { EmptyState } from '../../components/EmptyState.js';
import { LoadFailure } from '../../components/LoadFailure.js';
import VpnKeyOutlinedIcon from '@mui/icons-material/VpnKeyOutlined';
import { useSession } from '../../lib/session.js';
import { Playground } from './Playground.js';
import { PlaygroundDocument } from './playground.generated.js';

/** Milliseconds in which the reason is read before the list of tokens opens. */
const redirectDelay = 1500;

/** Chat with a model, billed to the user's session. Requires a token, although calls do not use it. */
export function PlaygroundScreen() {
  const { t } = useTranslation();
  const user = useSession();
  const { data, error, refetch } = useQuery(PlaygroundDocument, { fetchPolicy: 'network-only' });
  const noToken = data?.myTokens.totalCount === 0;
  const navigate = useNavigate();
  useEffect(() => {
    if (!noToken) return;
    const timer = setTimeout(() => void navigate('/token'), redirectDelay);
    return () => clearTimeout(timer);
  }, [navigate, noToken]);
  return (
    <>
      <title>{t('shell.playground')}</title>
      {error && !data && (
        <Box sx={{ padding: { xs: 2, sm: 3 } }}>
          <LoadFailure title={t('playground.loadFailed')} error={error} onRetry={() => void refetch()} />
        </Box>
      )}
      {noToken && (
        <Box role="status">
          <EmptyState
            icon={<VpnKeyOutlinedIcon />}
            title={t('playground.needsToken')}
            text={t('playground.noToken')}
            action={
              <Box sx={{ display: 'flex', flexWrap: 'wrap', justifyContent: 'center', gap: 1 }}>
                <Button variant="contained" component={Link} to="/token?row=new">
                  {t('tokens.create')}
                </Button>
                <Button variant="outlined" component={Link} to="/token">
                  {t('chat.openTokens')}
                </Button>
              </Box>
            }
          />
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
