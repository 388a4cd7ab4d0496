import { useApolloClient, useMutation } from '@apollo/client/react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useAction } from '../../components/useAction.js';
import { saveFile } from '../../lib/download.js';
import { dashboardName, type NamedDashboard } from './builtInTexts.js';
import { DashboardForGrafanaDocument, DeleteDashboardDocument } from './dashboards.generated.js';

interface Listed extends NamedDashboard {
  readonly id: number;
}

/** Actions that the list and the view of a dashboard share. */
export function useDashboardActions() {
  const { t } = useTranslation();
  const act = useAction();
  const client = useApolloClient();
  const [runDelete] = useMutation(DeleteDashboardDocument);
  return useMemo(
    () => ({
      remove: (row: Listed, onDone: () => void) =>
        act(
          async () => {
            await runDelete({ variables: { id: row.id } });
            onDone();
            return t('dashboards.deleted', { name: row.name });
          },
          {
            title: t('dashboards.deleteTitle', { name: row.name }),
            body: t('dashboards.deleteBody'),
            verb: t('actions.delete'),
            destructive: true,
          },
        ),
      /** Saves the file that Grafana imports. */
      save: (row: Listed) =>
        act(async () => {
          const { data } = await client.query({
            query: DashboardForGrafanaDocument,
            variables: { id: row.id },
            fetchPolicy: 'no-cache',
          });
          const text = JSON.stringify(data?.dashboard?.grafana, null, 2);
          saveFile(new Blob([text], { type: 'application/json' }), `${dashboardName(row, t)}.json`);
        }),
    }),
    [act, client, runDelete, t],
  );
}
