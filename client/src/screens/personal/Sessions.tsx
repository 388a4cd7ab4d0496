import { useMutation, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Skeleton from '@mui/material/Skeleton';
import { useTranslation } from 'react-i18next';
import { LoadFailure } from '../../components/LoadFailure.js';
import type { Question } from '../../components/ConfirmDialog.js';
import { Ellipsis } from '../../components/Text.js';
import { useAction } from '../../components/useAction.js';
import { ToneChip } from '../../components/Tone.js';
import { dateTime } from '../../lib/format.js';
import { browserOf } from '../../lib/browserOf.js';
import { Panel } from './Panel.js';
import { MySessionsDocument, RevokeOtherSessionsDocument, RevokeSessionDocument } from './personal.generated.js';

/** Active sessions of the user. All but the current one can be signed out. */
export function Sessions() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(MySessionsDocument, { fetchPolicy: 'cache-and-network' });
  const [revoke] = useMutation(RevokeSessionDocument);
  const [revokeOthers, others] = useMutation(RevokeOtherSessionsDocument);
  const act = useAction();
  const end = (revocation: () => Promise<unknown>, question?: Question) =>
    act(async () => {
      await revocation();
      await refetch();
      return t('personal.sessionEnded');
    }, question);
  const endOthers = () =>
    end(() => revokeOthers(), {
      title: t('personal.endOthersTitle'),
      body: t('personal.endOthersBody'),
      verb: t('personal.endOthers'),
      destructive: true,
    });
  const sessions = data?.mySessions;
  return (
    <Panel title={t('personal.sessions')}>
      {error && !sessions && (
        <LoadFailure title={t('personal.sessionsFailed')} error={error} onRetry={() => void refetch()} />
      )}
      {!error && !sessions && <Skeleton variant="rectangular" height={52} />}
      {sessions?.map((session) => {
        const name = browserOf(session.userAgent ?? '') ?? t('personal.unknownBrowser');
        return (
          <Box
            key={session.id}
            sx={{
              display: 'flex',
              alignItems: 'center',
              gap: 2,
              minHeight: 52,
              '& + &': { borderTop: '1px solid', borderColor: 'divider' },
            }}
          >
            <Box sx={{ flex: 1, minWidth: 0, display: 'flex', flexDirection: 'column' }}>
              <Ellipsis title={session.userAgent ?? ''}>{name}</Ellipsis>
              <Box className="num" sx={{ fontSize: 12, color: 'text.secondary' }}>
                {t('personal.sessionSeen', { ip: session.ip, time: dateTime(session.lastSeenAt) })}
              </Box>
            </Box>
            {session.isCurrent ? (
              <ToneChip tone="green">{t('personal.thisBrowser')}</ToneChip>
            ) : (
              <Button
                variant="outlined"
                aria-label={t('personal.endSessionOf', { name })}
                onClick={() => void end(() => revoke({ variables: { id: session.id } }))}
              >
                {t('personal.endSession')}
              </Button>
            )}
          </Box>
        );
      })}
      {sessions && sessions.length > 1 && (
        <Button variant="outlined" loading={others.loading} onClick={() => void endOthers()} sx={{ mt: 1.5 }}>
          {t('personal.endOthers')}
        </Button>
      )}
    </Panel>
  );
}
