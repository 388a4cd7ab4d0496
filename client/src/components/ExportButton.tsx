import Button from '@mui/material/Button';
import CircularProgress from '@mui/material/CircularProgress';
import IconButton from '@mui/material/IconButton';
import FileDownloadOutlinedIcon from '@mui/icons-material/FileDownloadOutlined';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { downloadCsv, ExportRefused } from '../lib/download.js';
import { useIsMobile } from '../lib/useMediaFlags.js';
import { toast } from './toast.js';

/** Saves what the list or the charts show as a CSV file, every row of it. */
export function ExportButton({
  path,
  parameters,
  name,
}: {
  /** Where the server makes the file. */
  readonly path: string;
  /** The filters, read at the moment of the press. */
  readonly parameters: () => Readonly<Record<string, string>>;
  /** The file's name without its ending. */
  readonly name: string;
}) {
  const { t } = useTranslation();
  const mobile = useIsMobile();
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      await downloadCsv(path, parameters(), name);
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
