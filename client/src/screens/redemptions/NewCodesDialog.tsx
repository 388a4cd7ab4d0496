import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../../components/CodeBlock.js';
import { useCopy } from '../../components/CopyProvider.js';
import { saveFile } from '../../lib/download.js';

const download = (codes: readonly string[]): void => {
  saveFile(new Blob([`${codes.join('\n')}\n`], { type: 'text/plain' }), 'codes.txt');
};

/** The codes just created, to copy or download. */
export function NewCodesDialog({
  codes,
  onClose,
}: {
  readonly codes: readonly string[];
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const copy = useCopy();
  return (
    <Dialog open maxWidth="sm" fullWidth onClose={onClose}>
      <DialogTitle>{t('redemptions.readyTitle', { count: codes.length })}</DialogTitle>
      <DialogContent sx={{ maxHeight: { sm: 420 } }}>
        <CodeBlock text={codes.join('\n')} />
      </DialogContent>
      <DialogActions>
        <Button variant="outlined" onClick={() => download(codes)}>
          {t('redemptions.download')}
        </Button>
        <Button variant="outlined" onClick={() => void copy(codes.join('\n'), '')}>
          {t('actions.copy')}
        </Button>
        <Button variant="contained" onClick={onClose}>
          {t('actions.done')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
