import { useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { LoadFailure } from '../../components/LoadFailure.js';
import { NameValues } from '../../components/SideDrawer.js';
import { integer } from '../../lib/format.js';
import { useFormat } from '../../lib/useFormat.js';
import { LogUserDocument } from './logs.generated.js';

/** The user of a call: balance, usage and number of calls. */
export function LogUserDialog({ id, onClose }: { readonly id: number; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const { money } = useFormat();
  const { data, error, refetch } = useQuery(LogUserDocument, { variables: { id }, fetchPolicy: 'network-only' });
  const user = data?.user;
  return (
    <Dialog open onClose={onClose} maxWidth="xs" fullWidth>
      <DialogTitle>{user?.displayName || user?.username || t('logs.user')}</DialogTitle>
      <DialogContent>
        <Box sx={{ minHeight: 128 }}>
          {error && !user && <LoadFailure title={t('logs.userFailed')} error={error} onRetry={() => void refetch()} />}
          {user && (
            <NameValues
              rows={[
                [t('users.username'), user.username],
                [t('users.group'), user.group],
                [t('users.balance'), money(user.quota, 'balance')],
                [t('users.usedQuota'), money(user.usedQuota, 'balance')],
                [t('users.requests'), integer(user.requestCount)],
              ]}
            />
          )}
        </Box>
      </DialogContent>
      <DialogActions>
        <Button component={Link} to={`/user/edit/${id}`}>
          {t('logs.openUser')}
        </Button>
        <Button variant="outlined" onClick={onClose}>
          {t('actions.close')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
