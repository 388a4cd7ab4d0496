import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { askConfirmation } from '../lib/confirmation.js';
import { describe } from '../lib/errors.js';
import { downloadFile, ExportRefused } from '../lib/download.js';
import { toast } from './toast.js';

/**
 * Saves files of the server, and shows why it sent none.
 * @param path the export's path under `/api`
 * @param name the file name with its extension
 */
export function useFileExport(path: string, name: string) {
  const { t } = useTranslation();
  const [busy, setBusy] = useState(false);
  const save = useCallback(
    async (parameters: Readonly<Record<string, string>>) => {
      setBusy(true);
      try {
        await downloadFile(path, parameters, name, askConfirmation);
      } catch (error) {
        toast.error(error instanceof ExportRefused ? describe(error.failure, t) : t('errors.network'));
      }
      setBusy(false);
    },
    [name, path, t],
  );
  return { busy, save };
}
