import { useQuery } from '@apollo/client/react';
import MonitorHeartOutlinedIcon from '@mui/icons-material/MonitorHeartOutlined';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { ChannelHealthDocument } from '../../nouns/health/channelHealth.generated.js';
import { EmptyState } from '../../components/EmptyState.js';
import { FilterBar } from '../../components/grid/FilterBar.js';
import { ListGrid } from '../../components/grid/ListGrid.js';
import { ListScreen } from '../../components/ListScreen.js';
import { Segments } from '../../components/Segments.js';
import { dateTime } from '../../lib/format.js';
import { useLastAnswer } from '../../lib/useLastAnswer.js';
import { useRowsOf } from '../../lib/useLocalGrid.js';
import { useServerGrid } from '../../lib/useServerGrid.js';
import { ChannelHealthCard, channelHealthColumns, channelHealthSorts, sortedRows } from './channelHealthColumns.js';

const windows = ['HOUR', 'DAY'] as const;
/** Milliseconds. */
const refreshEvery = 30_000;

/** Shows the channels that failed or were slow in the last hour or day, with the reasons. */
export function ChannelHealthScreen() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const address = useServerGrid({
    filters: { keyword: '', window: 'HOUR' },
    views: ['window'],
    patterns: { window: /^(HOUR|DAY)$/ },
    sorts: channelHealthSorts,
  });
  const window = windows.find((one) => one === address.filter.window) ?? 'HOUR';
  const { data, error, loading, refetch } = useQuery(ChannelHealthDocument, {
    variables: { window },
    pollInterval: refreshEvery,
    fetchPolicy: 'cache-and-network',
  });
  const list = useLastAnswer(data, error, window)?.channelHealth;
  const { keyword } = address.filter;
  const found = useMemo(() => {
    const wanted = keyword.trim().toLowerCase();
    return sortedRows(
      (list?.rows ?? []).filter(({ channelName }) => channelName.toLowerCase().includes(wanted)),
      address.sort,
    );
  }, [list, keyword, address.sort]);
  const { grid, rows } = useRowsOf(found, address);
  const columns = useMemo(() => channelHealthColumns(t), [t]);
  return (
    <ListScreen
      title={t('shell.channelHealth')}
      range={
        <Segments
          label={t('modelHealth.window')}
          value={window}
          choices={windows.map((value) => ({ value, label: t(`modelHealth.windows.${value}`) }))}
          onChange={(next) => address.setFilter({ window: next })}
        />
      }
      filters={
        <FilterBar
          filters={address.filters}
          search={{ label: t('fields.channel') }}
          fields={[]}
          // The blank keeps the height of the line on phones, so that the list does not move.
          end={list ? t('modelHealth.since', { time: dateTime(list.from) }) : '\u00a0'}
        />
      }
    >
      <ListGrid
        label={t('shell.channelHealth')}
        columnsKey="channel-health-table-columns"
        grid={grid}
        columns={columns}
        rows={list ? rows : undefined}
        totalCount={found.length}
        loading={loading}
        error={error}
        onRetry={() => void refetch()}
        getRowId={(row) => row.channelId}
        onRowOpen={(row) => void navigate(`/channel/${row.channelId}`)}
        renderCard={(row) => <ChannelHealthCard row={row} />}
        empty={
          <EmptyState
            icon={<MonitorHeartOutlinedIcon />}
            title={t('modelHealth.empty')}
            text={t('channelHealth.emptyText')}
          />
        }
      />
    </ListScreen>
  );
}
