import Button from '@mui/material/Button';
import CircularProgress from '@mui/material/CircularProgress';
import IconButton from '@mui/material/IconButton';
import FileDownloadOutlinedIcon from '@mui/icons-material/FileDownloadOutlined';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { downloadCsv, ExportRefused } from '../lib/download.js';
import { askConfirmation } from '../sign-in/second-factor/confirmation.js';
import { useIsMobile } from '../lib/useMediaFlags.js';
import { toast } from './toast.js';

/** Exports all rows of a list or chart as a CSV file. */
export function ExportButton({
  path,
  parameters,
  name,
}: {
  /** The export's path under `/api`. */
  readonly path: string;
  /** Returns the filters; called on click. */
  readonly parameters: () => Readonly<Record<string, string>>;
  /** The file name without its extension. */
  readonly name: string;
}) {
  const { t } = useTranslation();
  const mobile = useIsMobile();
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      await downloadCsv(path, parameters(), name, askConfirmation);
    } catch (error) {
      const { message, status } = error instanceof ExportRefused ? error : { message: '', status: null };
      toast.error(message || (status === null ? t('errors.network') : t('errors.http', { status })));
    }
    setBusy(false);
  };
  if (mobile) {
    return (
      <IconButton aria-label={t('actions.export')} disabled={busy} onClick={() => void save()}>
        {busy ? <CircularProgress size={18} /> : <FileDownloadOutlinedIcon />}
      </IconButton>
    );
  }
  return (
    <Button
      variant="outlined"
      startIcon={<FileDownloadOutlinedIcon />}
      loading={busy}
      loadingPosition="start"
      onClick={() => void save()}
    >
      {t('actions.export')}
    </Button>
  );
}
