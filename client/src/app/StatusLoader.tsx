import { useQuery } from '@apollo/client/react';
import { useEffect, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { siteStatus, useIsStatusKnown } from '../lib/status.js';
import { LoadFailure } from './LoadFailure.js';
import { StatusDocument } from './session.generated.js';

/** Keeps the site's status fresh. The first visit waits for it; later ones paint from what was remembered. */
export function StatusLoader({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation();
  const known = useIsStatusKnown();
  const { data, error, refetch } = useQuery(StatusDocument, { fetchPolicy: 'network-only' });
  useEffect(() => {
    if (!data) return;
    const {
      startedAt,
      registerEnabled,
      passwordRegisterEnabled,
      enableDataExport,
      enableDrawing,
      enableTask,
      dataExportDefaultTime,
      passwordLoginEnabled,
      chatLinks,
      ...status
    } = data.status;
    siteStatus.set({
      ...status,
      canRegister: registerEnabled && passwordRegisterEnabled && !status.selfUseModeEnabled,
      dataExportEnabled: enableDataExport,
      drawingEnabled: enableDrawing,
      tasksEnabled: enableTask,
      dataGranularity: dataExportDefaultTime,
      passwordLogin: passwordLoginEnabled,
      chats: chatLinks,
      startTime: Math.floor(new Date(startedAt).getTime() / 1000),
    });
  }, [data]);
  if (known) return children;
  return error ? <LoadFailure title={t('errors.status')} error={error} onRetry={() => void refetch()} /> : null;
}
