import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';

/** Requires a new password after a sign-in with the default one. It cannot be dismissed. */
export function DefaultPasswordDialog() {
  const { t } = useTranslation();
  return (
    <Dialog open role="alertdialog" maxWidth="xs" fullWidth aria-labelledby="default-password">
      <DialogTitle id="default-password">{t('oauth.defaultPassword')}</DialogTitle>
      <DialogContent>{t('oauth.defaultPasswordText')}</DialogContent>
      <DialogActions>
        <Button variant="contained" autoFocus component={Link} to="/personal">
          {t('oauth.toPersonal')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
