import { useApolloClient, useMutation } from '@apollo/client/react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { useAction } from '../../components/useAction.js';
import { saveFile } from '../../lib/download.js';
import { dashboardName, type NamedDashboard } from './builtInTexts.js';
import {
  BuiltInDashboardDocument,
  DashboardForGrafanaDocument,
  DeleteDashboardDocument,
} from './dashboards.generated.js';

interface Listed extends NamedDashboard {
  readonly id: number;
}

/** Actions that the list and the view of a dashboard share. */
export function useDashboardActions() {
  const { t } = useTranslation();
  const act = useAction();
  const navigate = useNavigate();
  const client = useApolloClient();
  const [runDelete] = useMutation(DeleteDashboardDocument);
  return useMemo(() => {
    /** Saves the file that Grafana imports. */
    const download = async (row: Listed): Promise<void> => {
      const { data } = await client.query({
        query: DashboardForGrafanaDocument,
        variables: { id: row.id },
        fetchPolicy: 'no-cache',
      });
      const text = JSON.stringify(data?.dashboard?.grafana, null, 2);
      saveFile(new Blob([text], { type: 'application/json' }), `${dashboardName(row, t)}.json`);
    };
    const find = async (builtIn: string): Promise<Listed> => {
      const { data } = await client.query({ query: BuiltInDashboardDocument, variables: { builtIn } });
      const [found] = data?.dashboards?.items ?? [];
      if (!found) throw new Error('no response');
      return found;
    };
    return {
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
      save: (row: Listed) => act(() => download(row)),
      saveBuiltIn: (builtIn: string) => act(async () => download(await find(builtIn))),
      copyBuiltIn: (builtIn: string) => act(async () => navigate(`/dashboards/add?copy=${(await find(builtIn)).id}`)),
    };
  }, [act, client, navigate, runDelete, t]);
}
