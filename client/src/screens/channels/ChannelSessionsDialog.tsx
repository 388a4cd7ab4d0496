import { useMutation, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableContainer from '@mui/material/TableContainer';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';
import { ContentDialog } from '../../components/ContentDialog.js';
import { LoadFailure } from '../../components/LoadFailure.js';
import { Dash, Ellipsis } from '../../components/Text.js';
import { useAction } from '../../components/useAction.js';
import { integer } from '../../lib/format.js';
import { useMay } from '../../lib/permissions.js';
import { useFormat } from '../../lib/useFormat.js';
import {
  ChannelSessionsDocument,
  ClearChannelSessionsDocument,
  type ChannelRowFragment,
  type ChannelSessionsQuery,
} from './channels.generated.js';

type Session = ChannelSessionsQuery['channelSessions']['items'][number];

/** The sessions whose calls go to a channel, with a button that clears them for those who may. */
export function ChannelSessionsDialog({
  channel,
  onClose,
}: {
  readonly channel: ChannelRowFragment;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const act = useAction();
  const writes = useMay('CHANNELS_WRITE');
  const { data, error, refetch } = useQuery(ChannelSessionsDocument, {
    variables: { id: channel.id },
    fetchPolicy: 'network-only',
  });
  const [clear] = useMutation(ClearChannelSessionsDocument);
  const sessions = data?.channelSessions;
  const clearAll = () =>
    act(async () => {
      const result = await clear({ variables: { id: channel.id } });
      await refetch();
      return t('channels.sessionsCleared', { count: result.data?.clearChannelSessions.count ?? 0 });
    });
  return (
    <ContentDialog
      title={t('channels.sessionsOf', { name: channel.name })}
      width="md"
      onClose={onClose}
      actions={
        writes && sessions && sessions.totalCount > 0 ? (
          <Button variant="outlined" color="error" onClick={() => void clearAll()}>
            {t('channels.clearSessions')}
          </Button>
        ) : null
      }
    >
      <Typography variant="body2" color="text.secondary" sx={{ mb: 2 }}>
        {t('channels.sessionsHint')}
      </Typography>
      {error && !sessions ? (
        <LoadFailure title={t('channels.sessionsFailed')} error={error} onRetry={() => void refetch()} />
      ) : (
        sessions && <SessionTable sessions={sessions.items} totalCount={sessions.totalCount} />
      )}
    </ContentDialog>
  );
}

function SessionTable({
  sessions,
  totalCount,
}: {
  readonly sessions: readonly Session[];
  readonly totalCount: number;
}) {
  const { t } = useTranslation();
  const { relative } = useFormat();
  if (sessions.length === 0) return <Box>{t('channels.noSessions')}</Box>;
  return (
    <>
      <TableContainer>
        <Table size="small">
          <TableHead>
            <TableRow>
              <TableCell>{t('channels.sessionUser')}</TableCell>
              <TableCell>{t('fields.model')}</TableCell>
              <TableCell>{t('channels.sessionSource')}</TableCell>
              <TableCell align="right">{t('channels.sessionKey')}</TableCell>
              <TableCell align="right">{t('channels.sessionCalls')}</TableCell>
              <TableCell align="right">{t('channels.sessionUsed')}</TableCell>
            </TableRow>
          </TableHead>
          <TableBody>
            {sessions.map((session, index) => (
              <TableRow key={index}>
                <TableCell>{session.userId}</TableCell>
                <TableCell sx={{ maxWidth: 220 }}>
                  <Ellipsis title={session.model}>{session.model}</Ellipsis>
                </TableCell>
                <TableCell>{t(`channels.sessionSources.${session.source}`)}</TableCell>
                <TableCell align="right">{session.keyPosition ?? <Dash />}</TableCell>
                <TableCell align="right">{integer(session.calls)}</TableCell>
                <TableCell align="right" sx={{ whiteSpace: 'nowrap' }}>
                  {relative(session.lastUsedAt)}
                </TableCell>
              </TableRow>
            ))}
          </TableBody>
        </Table>
      </TableContainer>
      {totalCount > sessions.length && (
        <Typography variant="body2" color="text.secondary" sx={{ mt: 1 }}>
          {t('channels.sessionsShown', { shown: integer(sessions.length), total: integer(totalCount) })}
        </Typography>
      )}
    </>
  );
}
