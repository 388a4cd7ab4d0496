import { useMutation, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Card from '@mui/material/Card';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate, useParams } from 'react-router-dom';
import { EmptyState } from '../../components/EmptyState.js';
import { LoadFailure } from '../../components/LoadFailure.js';
import { useAction } from '../../components/useAction.js';
import { dateTime } from '../../lib/format.js';
import { organisationAddress } from './addresses.js';
import { AcceptInvitationDocument, InvitationPreviewDocument } from './organisations.generated.js';

/** The page that the link of an invitation opens, after sign-in. */
export function InvitationScreen() {
  const { t } = useTranslation();
  const { token = '' } = useParams();
  const navigate = useNavigate();
  const act = useAction();
  const { data, error, refetch } = useQuery(InvitationPreviewDocument, {
    variables: { token },
    fetchPolicy: 'network-only',
  });
  const [accept, { loading }] = useMutation(AcceptInvitationDocument);
  const join = () =>
    act(async () => {
      const accepted = await accept({ variables: { token } });
      const id = accepted.data?.acceptInvitation?.organisation.id;
      if (id !== undefined) await navigate(organisationAddress(id));
    });
  const invitation = data?.invitation;
  return (
    <Box sx={{ padding: { xs: 2, sm: 3 }, maxWidth: 560, mx: 'auto', width: '100%' }}>
      <title>{t('organisations.invitation')}</title>
      {invitation ? (
        <Card sx={{ padding: 3, display: 'flex', flexDirection: 'column', gap: 2, alignItems: 'flex-start' }}>
          <Typography variant="h1">{t('organisations.invitation')}</Typography>
          <Box>
            {invitation.isMember
              ? t('organisations.invitationMember', { name: invitation.organisationName })
              : t('organisations.invitationText', {
                  name: invitation.organisationName,
                  role: t(`organisations.role_${invitation.role}`),
                })}
          </Box>
          {!invitation.isMember && (
            <Box sx={{ fontSize: 13, color: 'text.secondary' }}>
              {t(`organisations.hint_${invitation.role}`)}
              {'. '}
              {t('organisations.expires', { time: dateTime(invitation.expiresAt) })}
            </Box>
          )}
          {invitation.isMember ? (
            <Button variant="contained" component={Link} to={organisationAddress(invitation.organisationId)}>
              {t('organisations.open')}
            </Button>
          ) : (
            <Button variant="contained" disabled={loading} onClick={() => void join()}>
              {t('organisations.accept')}
            </Button>
          )}
        </Card>
      ) : data ? (
        <EmptyState title={t('organisations.invitationGone')} text={t('organisations.invitationGoneText')} />
      ) : error ? (
        <LoadFailure title={t('organisations.loadFailed')} error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton variant="rectangular" height={180} />
      )}
    </Box>
  );
}
