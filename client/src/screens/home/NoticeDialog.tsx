import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LazyRichText } from '../../components/LazyRichText.js';
import { readText, writeText } from '../../lib/storage.js';

/** Storage key of the notice that was closed last. */
const storageKey = 'notice';

/** The site's notice, until it was closed; a changed text is shown again. */
export function NoticeDialog({ text }: { readonly text: string }) {
  const { t } = useTranslation();
  const [read, setRead] = useState(() => readText(storageKey));
  const close = () => {
    writeText(storageKey, text);
    setRead(text);
  };
  return (
    <Dialog open={text !== '' && text !== read} maxWidth="sm" fullWidth onClose={close}>
      <DialogTitle>{t('home.notice')}</DialogTitle>
      <DialogContent>
        <LazyRichText text={text} />
      </DialogContent>
      <DialogActions>
        <Button variant="contained" onClick={close}>
          {t('actions.close')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
