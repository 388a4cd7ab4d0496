import { skipToken, useQuery } from '@apollo/client/react';
import Button from '@mui/material/Button';
import MonitorHeartOutlinedIcon from '@mui/icons-material/MonitorHeartOutlined';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { EmptyState } from '../../components/EmptyState.js';
import { Footer } from '../../components/Footer.js';
import { ListGrid } from '../../components/grid/ListGrid.js';
import { ListScreen } from '../../components/ListScreen.js';
import { Segments } from '../../components/Segments.js';
import { ServiceFilters, useServices } from '../../nouns/health/services.js';
import { dateTime } from '../../lib/format.js';
import { useMay } from '../../lib/permissions.js';
import { useSession } from '../../lib/session.js';
import { useStatus } from '../../lib/status.js';
import { useLastAnswer } from '../../lib/useLastAnswer.js';
import { useServerGrid } from '../../lib/useServerGrid.js';
import { ModelHealthDocument } from './modelHealth.generated.js';
import { ModelHealthCard, modelHealthColumns } from './modelHealthColumns.js';

const windows = ['HOUR', 'DAY', 'WEEK'] as const;
/** Refresh interval in milliseconds. The server reads new figures every half a minute. */
const refreshEvery = 60_000;

/** How well models serve calls: for visitors, users or no one, by option `model_health.access`. */
export function ModelHealthScreen() {
  const { t } = useTranslation();
  const isAdmin = useMay('USAGE_READ');
  const signedIn = useSession() !== null;
  const { enableModelHealth, publicModelHealth } = useStatus();
  const address = useServerGrid({ filters: { keyword: '', group: '', window: 'DAY' }, views: ['window'] });
  const window = windows.find((one) => one === address.filter.window) ?? 'DAY';
  const isShown = enableModelHealth && (signedIn || publicModelHealth);
  const { data, error, loading, refetch } = useQuery(
    ModelHealthDocument,
    isShown ? { variables: { window }, pollInterval: refreshEvery } : skipToken,
  );
  const list = useLastAnswer(data, error, window)?.modelHealth;
  const { groups, found, grid, rows } = useServices(list?.rows, address);
  const columns = useMemo(() => modelHealthColumns(t, isAdmin), [t, isAdmin]);
  return (
    <>
      <ListScreen
        title={t('shell.modelHealth')}
        range={
          isShown && (
            <Segments
              label={t('modelHealth.window')}
              value={window}
              choices={windows.map((value) => ({ value, label: t(`modelHealth.windows.${value}`) }))}
              onChange={(next) => address.setFilter({ window: next })}
            />
          )
        }
        filters={
          isShown && (
            <ServiceFilters
              address={address}
              groups={groups}
              since={list ? t('modelHealth.since', { time: dateTime(list.from) }) : undefined}
            />
          )
        }
      >
        {isShown ? (
          <ListGrid
            label={t('shell.modelHealth')}
            columnsKey="model-health-table-columns"
            grid={grid}
            columns={columns}
            rows={list ? rows : undefined}
            totalCount={found.length}
            loading={loading}
            error={error}
            onRetry={() => void refetch()}
            getRowId={(row) => `${row.group}/${row.modelName}`}
            renderCard={(row) => <ModelHealthCard row={row} />}
            empty={
              <EmptyState
                icon={<MonitorHeartOutlinedIcon />}
                title={t('modelHealth.empty')}
                text={t('modelHealth.emptyText')}
              />
            }
          />
        ) : (
          <EmptyState
            icon={<MonitorHeartOutlinedIcon />}
            title={t(enableModelHealth ? 'modelHealth.signedOut' : 'modelHealth.off')}
            action={
              enableModelHealth && (
                <Button variant="contained" component={Link} to="/login">
                  {t('shell.signIn')}
                </Button>
              )
            }
          />
        )}
      </ListScreen>
      {!signedIn && <Footer />}
    </>
  );
}
