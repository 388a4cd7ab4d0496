import { useMutation, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Skeleton from '@mui/material/Skeleton';
import { useTranslation } from 'react-i18next';
import { LoadFailure } from '../../components/LoadFailure.js';
import { SideDrawer } from '../../components/SideDrawer.js';
import { Ellipsis } from '../../components/Text.js';
import { ToneChip } from '../../components/Tone.js';
import { useAction } from '../../components/useAction.js';
import { browserOf } from '../../lib/browserOf.js';
import { useMay } from '../../lib/permissions.js';
import { dateTime } from '../../lib/format.js';
import { EndUserSessionsDocument, UserSessionsDocument } from './users.generated.js';

/** Where a user is signed in. An admin can sign the user out everywhere. */
export function UserSessions({
  id,
  viewerId,
  onClosed,
}: {
  readonly id: number;
  readonly viewerId: number | undefined;
  readonly onClosed: () => void;
}) {
  const { t } = useTranslation();
  const act = useAction();
  const writes = useMay('USERS_WRITE');
  const { data, error, refetch } = useQuery(UserSessionsDocument, {
    variables: { id },
    fetchPolicy: 'cache-and-network',
  });
  const [end] = useMutation(EndUserSessionsDocument);
  const name = data?.user?.username ?? `#${id}`;
  const sessions = data?.userSessions ?? [];
  const endAll = () =>
    act(
      async () => {
        const ended = await end({ variables: { id } });
        await refetch();
        return t('users.sessionsEnded', { count: ended.data?.endUserSessions?.count ?? 0 });
      },
      {
        title: t('users.endSessionsTitle', { name }),
        body: t('users.endSessionsBody'),
        verb: t('users.endSessions'),
        destructive: true,
      },
    );
  return (
    <SideDrawer
      open
      width={480}
      title={t('users.sessionsOf', { name })}
      onClose={onClosed}
      footer={
        sessions.length > 0 &&
        viewerId !== id &&
        writes && (
          <Button variant="outlined" color="error" onClick={() => void endAll()} sx={{ ml: 'auto' }}>
            {t('users.endSessions')}
          </Button>
        )
      }
    >
      {error && <LoadFailure title={t('personal.sessionsFailed')} error={error} onRetry={() => void refetch()} />}
      {!error && !data && <Skeleton variant="rectangular" height={104} />}
      {data && sessions.length === 0 && <Box sx={{ color: 'text.secondary' }}>{t('users.noSessions')}</Box>}
      {sessions.map((session) => (
        <Box
          key={session.id}
          sx={{ py: 1.25, borderTop: '1px solid', borderColor: 'divider', '&:first-of-type': { borderTop: 0 } }}
        >
          <Box sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
            <Box sx={{ flex: 1, minWidth: 0 }}>
              <Ellipsis title={session.userAgent ?? ''}>
                {browserOf(session.userAgent ?? '') ?? t('personal.unknownBrowser')}
              </Ellipsis>
            </Box>
            {session.isCurrent && <ToneChip tone="green">{t('personal.thisBrowser')}</ToneChip>}
          </Box>
          <Box className="num" sx={{ fontSize: 12, color: 'text.secondary' }}>
            {t('personal.sessionSeen', { ip: session.ip, time: dateTime(session.lastSeenAt) })}
          </Box>
          <Box className="num" sx={{ fontSize: 12, color: 'text.secondary' }}>
            {t('users.signedInAt', { time: dateTime(session.createdAt) })}
          </Box>
        </Box>
      ))}
    </SideDrawer>
  );
}
