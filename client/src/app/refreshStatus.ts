import type { ApolloClient } from '@apollo/client';
import { siteStatus } from '../lib/status.js';
import type { SiteStatus } from '../lib/site-status.js';
import { StatusDocument, type StatusQuery } from './session.generated.js';

export function toSiteStatus({ status: told }: StatusQuery): SiteStatus {
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
  } = told;
  return {
    ...status,
    canRegister: registerEnabled && passwordRegisterEnabled && !status.selfUseModeEnabled,
    dataExportEnabled: enableDataExport,
    drawingEnabled: enableDrawing,
    tasksEnabled: enableTask,
    dataGranularity: dataExportDefaultTime,
    passwordLogin: passwordLoginEnabled,
    chats: chatLinks,
    startTime: Math.floor(new Date(startedAt).getTime() / 1000),
  };
}

/** After settings were changed. A failure leaves what was known: the next visit is told anyway. */
export async function refreshStatus(client: ApolloClient): Promise<void> {
  try {
    const { data } = await client.query({ query: StatusDocument, fetchPolicy: 'network-only' });
    if (data) siteStatus.set(toSiteStatus(data));
  } catch {
    // Whoever saved was told of what he saved.
  }
}
