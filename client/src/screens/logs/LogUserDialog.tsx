import { useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { ContentDialog } from '../../components/ContentDialog.js';
import { LoadFailure } from '../../components/LoadFailure.js';
import { NameValues } from '../../components/SideDrawer.js';
import { integer } from '../../lib/format.js';
import { useFormat } from '../../lib/useFormat.js';
import { LogUserDocument } from '../../nouns/logs/logs.generated.js';

/** The user of a call: balance, usage and number of calls. */
export function LogUserDialog({ id, onClose }: { readonly id: number; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const { money } = useFormat();
  const { data, error, refetch } = useQuery(LogUserDocument, { variables: { id }, fetchPolicy: 'network-only' });
  const user = data?.user;
  return (
    <ContentDialog
      title={user?.displayName || user?.username || t('logs.user')}
      width="xs"
      onClose={onClose}
      actions={
        <Button component={Link} to={`/user/${id}`}>
          {t('logs.openUser')}
        </Button>
      }
    >
      <Box sx={{ minHeight: 128 }}>
        {error && !user && <LoadFailure title={t('logs.userFailed')} error={error} onRetry={() => void refetch()} />}
        {user && (
          <NameValues
            rows={[
              [t('fields.username'), user.username],
              [t('fields.group'), user.group],
              [t('fields.balance'), money(user.quota, 'balance')],
              [t('users.usedQuota'), money(user.usedQuota, 'balance')],
              [t('fields.requests'), integer(user.requestCount)],
            ]}
          />
        )}
      </Box>
    </ContentDialog>
  );
}
