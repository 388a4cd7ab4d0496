import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useActing } from '../lib/acting.js';
import { askConfirmation } from '../lib/confirmation.js';
import { describe } from '../lib/errors.js';
import { downloadCsv, ExportRefused } from '../lib/download.js';
import { toast } from './toast.js';

/**
 * Saves CSV files of the server, and shows why it sent none.
 * @param path the export's path under `/api`
 * @param name the file name without its extension
 */
export function useCsvExport(path: string, name: string) {
  const { t } = useTranslation();
  const organisationId = useActing()?.organisationId;
  const [busy, setBusy] = useState(false);
  const save = useCallback(
    async (parameters: Readonly<Record<string, string>>) => {
      setBusy(true);
      try {
        await downloadCsv(path, parameters, name, askConfirmation, organisationId);
      } catch (error) {
        toast.error(error instanceof ExportRefused ? describe(error.failure, t) : t('errors.network'));
      }
      setBusy(false);
    },
    [name, organisationId, path, t],
  );
  return { busy, save };
}
