import { skipToken, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import MonitorHeartOutlinedIcon from '@mui/icons-material/MonitorHeartOutlined';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { EmptyState } from '../../components/EmptyState.js';
import { Footer } from '../../components/Footer.js';
import { SelectFilter, TextFilter } from '../../components/grid/filterFields.js';
import { ListGrid } from '../../components/grid/ListGrid.js';
import { ListScreen } from '../../components/ListScreen.js';
import { Segments } from '../../components/Segments.js';
import { dateTime } from '../../lib/format.js';
import { useMay } from '../../lib/permissions.js';
import { useSession } from '../../lib/session.js';
import { useStatus } from '../../lib/status.js';
import { useRowsOf } from '../../lib/useLocalGrid.js';
import { useServerGrid } from '../../lib/useServerGrid.js';
import { ModelHealthDocument } from './modelHealth.generated.js';
import { ModelHealthCard, modelHealthColumns } from './modelHealthColumns.js';

const windows = ['HOUR', 'DAY', 'WEEK'] as const;
/** The server reads the figures anew after half a minute. Milliseconds. */
const refreshEvery = 60_000;

/** How well models serve calls: for visitors, users or no one, by option `model_health.access`. */
export function ModelHealthScreen() {
  const { t } = useTranslation();
  const isAdmin = useMay('USAGE_READ');
  const signedIn = useSession() !== null;
  const { enableModelHealth, publicModelHealth } = useStatus();
  const address = useServerGrid({ filters: { keyword: '', group: '', window: 'DAY' } });
  const { keyword, group } = address.filter;
  const window = windows.find((one) => one === address.filter.window) ?? 'DAY';
  const isShown = enableModelHealth && (signedIn || publicModelHealth);
  const { data, previousData, error, loading, refetch } = useQuery(
    ModelHealthDocument,
    isShown ? { variables: { window }, pollInterval: refreshEvery } : skipToken,
  );
  const list = (data ?? previousData)?.modelHealth;
  const groups = useMemo(() => [...new Set(list?.rows.map((row) => row.group))].sort(), [list]);
  const found = useMemo(
    () =>
      (list?.rows ?? []).filter(
        (row) =>
          row.modelName.toLowerCase().includes(keyword.trim().toLowerCase()) && (group === '' || row.group === group),
      ),
    [list, keyword, group],
  );
  const { grid, rows } = useRowsOf(found, { ...address, isFiltered: keyword !== '' || group !== '' });
  const columns = useMemo(() => modelHealthColumns(t, isAdmin), [t, isAdmin]);
  return (
    <>
      <ListScreen
        title={t('shell.modelHealth')}
        filters={
          isShown && (
            <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center' }}>
              <Segments
                label={t('modelHealth.window')}
                value={window}
                onChange={(next) => address.setFilter({ window: next })}
                choices={windows.map((value) => ({ value, label: t(`modelHealth.windows.${value}`) }))}
              />
              <TextFilter
                search
                label={t('fields.modelName')}
                value={keyword}
                onChange={(typed) => address.setFilter({ keyword: typed }, { replace: true })}
                width={220}
              />
              {groups.length > 1 && (
                <SelectFilter
                  label={t('fields.group')}
                  all={t('modelHealth.allGroups')}
                  value={group}
                  onChange={(value) => address.setFilter({ group: value })}
                  width={140}
                  choices={groups.map((name) => ({ value: name, label: name }))}
                />
              )}
              {list && (
                <Box sx={{ ml: { sm: 'auto' }, fontSize: 12, color: 'text.secondary' }}>
                  {t('modelHealth.since', { time: dateTime(list.from) })}
                </Box>
              )}
            </Box>
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
