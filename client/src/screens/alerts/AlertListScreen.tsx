import { useMutation } from '@apollo/client/react';
import Button from '@mui/material/Button';
import NotificationsOutlinedIcon from '@mui/icons-material/NotificationsOutlined';
import type { GridColDef } from '@mui/x-data-grid';
import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { AlertDetail, AlertSubject } from '../../nouns/alerts/AlertItem.js';
import {
  AlertsDocument,
  MarkAlertsSeenDocument,
  type AlertKind,
  type AlertRowFragment,
} from '../../nouns/alerts/alerts.generated.js';
import { alertDetail, alertKinds, alertTones } from '../../nouns/alerts/alertTexts.js';
import { EmptyState } from '../../components/EmptyState.js';
import { RowCard } from '../../components/grid/CardList.js';
import { FilterBar } from '../../components/grid/FilterBar.js';
import { ListGrid } from '../../components/grid/ListGrid.js';
import { column } from '../../components/grid/columns.js';
import { useListPage } from '../../components/grid/useListPage.js';
import { ListScreen } from '../../components/ListScreen.js';
import { Dash, Ellipsis, Num } from '../../components/Text.js';
import { ToneChip } from '../../components/Tone.js';
import { useAction } from '../../components/useAction.js';
import { dateTime, listText } from '../../lib/format.js';
import { useServerGrid } from '../../lib/useServerGrid.js';

const patterns = { state: /^(open|ended)$/, kind: new RegExp(`^(${alertKinds.join('|')})$`) };

/** All alerts of the last months: which condition held when, and which messages could not be sent. */
export function AlertListScreen() {
  const { t } = useTranslation();
  const grid = useServerGrid({ filters: { state: '', kind: '' }, patterns });
  const { state, kind } = grid.filter;
  const { rows, listProps } = useListPage(
    grid,
    AlertsDocument,
    {
      page: grid.page,
      pageSize: grid.pageSize,
      filter: { isOpen: state === '' ? null : state === 'open', kinds: kind ? [kind as AlertKind] : null },
    },
    ({ alerts }) => alerts,
  );
  const columns = useMemo(() => alertColumns(t), [t]);
  const act = useAction();
  const [markSeen] = useMutation(MarkAlertsSeenDocument);
  const newest = Math.max(0, ...(rows ?? []).map(({ id }) => id));
  const markAll = () =>
    act(async () => {
      await markSeen({ variables: { until: newest } });
      return t('alerts.marked');
    });
  return (
    <ListScreen
      title={t('shell.alerts')}
      primary={
        newest > 0 &&
        grid.page === 0 &&
        !grid.isFiltered && (
          <Button variant="outlined" onClick={() => void markAll()}>
            {t('alerts.markAll')}
          </Button>
        )
      }
      filters={
        <FilterBar
          filters={grid.filters}
          fields={[
            {
              name: 'state',
              label: t('fields.status'),
              choices: [
                { value: 'open', label: t('alerts.stateOpen') },
                { value: 'ended', label: t('alerts.stateEnded') },
              ],
            },
            {
              name: 'kind',
              label: t('alerts.kind'),
              choices: alertKinds.map((value) => ({ value, label: t(`alerts.kinds.${value}`) })),
            },
          ]}
        />
      }
    >
      <ListGrid
        label={t('shell.alerts')}
        columnsKey="alerts-table-columns"
        columns={columns}
        {...listProps}
        getRowId={(row) => row.id}
        renderCard={(row) => (
          <RowCard
            title={<AlertSubject alert={row} />}
            value={<Num>{dateTime(row.openedAt, 'card')}</Num>}
            meta={<AlertDetail alert={row} />}
            wrapsMeta
            chips={
              <>
                <KindChip alert={row} />
                <MessageChip alert={row} />
              </>
            }
          />
        )}
        empty={
          <EmptyState
            icon={<NotificationsOutlinedIcon />}
            title={t('alerts.none')}
            text={t('alerts.emptyText', { kinds: listText(alertKinds.map((one) => t(`alerts.kinds.${one}`))) })}
          />
        }
      />
    </ListScreen>
  );
}

function KindChip({ alert: { kind, endedAt } }: { readonly alert: AlertRowFragment }) {
  const { t } = useTranslation();
  return (
    <ToneChip dot tone={endedAt ? 'grey' : alertTones[kind]}>
      {t(`alerts.kinds.${kind}`)}
    </ToneChip>
  );
}

function MessageChip({ alert: { failedMessages } }: { readonly alert: AlertRowFragment }) {
  const { t } = useTranslation();
  const [first] = failedMessages;
  if (!first) return null;
  const lines = failedMessages.map(({ target, error }) => `${t(`alerts.targets.${target}`)}: ${error}`);
  return (
    <ToneChip tone="red" hint={lines.join('; ')}>
      {t('alerts.notSentShort')}
    </ToneChip>
  );
}

function alertColumns(t: TFunction): GridColDef<AlertRowFragment>[] {
  return [
    column('openedAt', t('alerts.since'), 160, (row) => <Num>{dateTime(row.openedAt, 'seconds')}</Num>),
    column('kind', t('alerts.kind'), 170, (row) => <KindChip alert={row} />),
    column('channelId', t('alerts.subject'), 200, (row) => <AlertSubject alert={row} />),
    column('detail', t('alerts.detail'), { flex: 1, minWidth: 220 }, (row) => (
      <Ellipsis title={alertDetail(t, row)}>
        <AlertDetail alert={row} />
      </Ellipsis>
    )),
    column('endedAt', t('alerts.until'), 160, (row) =>
      row.endedAt ? <Num>{dateTime(row.endedAt, 'seconds')}</Num> : <Dash />,
    ),
    column('messages', t('alerts.messages'), 110, (row) =>
      row.failedMessages.length > 0 ? <MessageChip alert={row} /> : t('alerts.sent'),
    ),
  ];
}
