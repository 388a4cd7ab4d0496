import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useActing } from '../lib/acting.js';
import { askConfirmation } from '../lib/confirmation.js';
import { downloadFile } from '../lib/download.js';
import { toast } from './toast.js';

/**
 * Saves files of the server, and shows why it sent none.
 * @param path the export's path under `/api`
 * @param name the file name with its extension
 */
export function useFileExport(path: string, name: string) {
  const { t } = useTranslation();
  const organisationId = useActing()?.organisationId;
  const [busy, setBusy] = useState(false);
  const save = useCallback(
    async (parameters: Readonly<Record<string, string>>) => {
      setBusy(true);
      try {
        await downloadFile(path, parameters, name, askConfirmation, organisationId);
      } catch (error) {
        toast.failure(error, t);
      }
      setBusy(false);
    },
    [name, organisationId, path, t],
  );
  return { busy, save };
}
