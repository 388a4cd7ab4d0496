import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import OutlinedInput from '@mui/material/OutlinedInput';
import { useTranslation } from 'react-i18next';

/** Shows the selected text to copy manually, for when the clipboard is unavailable. */
export function CopyByHandDialog({ text, onClose }: { readonly text: string; readonly onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="sm">
      <DialogTitle>{t('copy.refused')}</DialogTitle>
      <DialogContent>
        <OutlinedInput
          fullWidth
          autoFocus
          multiline
          maxRows={8}
          readOnly
          value={text}
          className="mono"
          onFocus={(event) => event.target.select()}
          inputProps={{ 'aria-label': t('copy.text') }}
        />
      </DialogContent>
      <DialogActions>
        <Button variant="outlined" onClick={onClose}>
          {t('actions.close')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
