import { useApolloClient } from '@apollo/client/react';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { useTranslation } from 'react-i18next';
import { sitePath } from '../../lib/basePath.js';
import { session } from '../../lib/session.js';
import { SecondFactorPanel } from './SecondFactorPanel.js';

/** Covers the console until a user whose role needs a second factor has set one up. */
export function EnrolmentDialog() {
  const { t } = useTranslation();
  const client = useApolloClient();
  const leave = () => {
    session.end();
    location.assign(sitePath('/login'));
  };
  return (
    <Dialog open maxWidth="sm" fullWidth>
      <DialogTitle>{t('factors.enrolTitle')}</DialogTitle>
      <DialogContent>
        {/* Everything on the page failed to load, so it is loaded again. */}
        <SecondFactorPanel onChanged={() => void client.clearStore().then(() => location.reload())} />
      </DialogContent>
      <DialogActions>
        <Button variant="outlined" onClick={leave}>
          {t('secondFactor.signInAsOther')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
