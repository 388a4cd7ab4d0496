import { useMutation, useQuery } from '@apollo/client/react';
import WebhookOutlinedIcon from '@mui/icons-material/WebhookOutlined';
import Button from '@mui/material/Button';
import type { GridColDef } from '@mui/x-data-grid';
import type { TFunction } from 'i18next';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../../components/CodeBlock.js';
import { EmptyState } from '../../components/EmptyState.js';
import { RowCard } from '../../components/grid/CardList.js';
import { FilterBar } from '../../components/grid/FilterBar.js';
import { ListGrid } from '../../components/grid/ListGrid.js';
import { RangeFilter } from '../../components/grid/RangeFilter.js';
import { column } from '../../components/grid/columns.js';
import { useListPage } from '../../components/grid/useListPage.js';
import { useOpenedRow } from '../../components/grid/useOpenedRow.js';
import { ListScreen } from '../../components/ListScreen.js';
import { DrawerSection, NameValues, SideDrawer } from '../../components/SideDrawer.js';
import { Dash, Num } from '../../components/Text.js';
import { ToneChip, type Tone } from '../../components/Tone.js';
import { useAction } from '../../components/useAction.js';
import { dateTime, integer, timeIn } from '../../lib/format.js';
import { idPattern } from '../../lib/gridState.js';
import { lastThirtyDays, timesOf } from '../../lib/timeRange.js';
import { useServerGrid } from '../../lib/useServerGrid.js';
import { rowsOfSecond, useTimedRow } from '../../lib/useTimedRow.js';
import {
  type DeliveryRowFragment,
  type EndpointRowFragment,
  ResendWebhookDocument,
  ResendWebhooksDocument,
  type SiteEventKind,
  WebhookDeliveriesDocument,
  type WebhookDeliveryState,
  WebhookEndpointsDocument,
} from './webhooks.generated.js';

const patterns = { state: /^(PENDING|DELIVERED|FAILED)$/, endpoint: idPattern, kind: /^[A-Z_]+$/ };
const tones: Record<WebhookDeliveryState, Tone> = { PENDING: 'amber', DELIVERED: 'green', FAILED: 'red' };

/** The events that were sent to endpoints, or wait to be sent. */
export function WebhookDeliveryListScreen() {
  const { t } = useTranslation();
  const grid = useServerGrid({ filters: { from: '', to: '', state: '', endpoint: '', kind: '' }, patterns });
  const { state, endpoint, kind } = grid.filter;
  const states = state ? [state as WebhookDeliveryState] : null;
  const kinds = kind ? [kind as SiteEventKind] : null;
  const [start] = useState(lastThirtyDays);
  const created = timesOf(grid.filter, start);
  const { opened, second, open } = useTimedRow();
  const { rows, reload, listProps } = useListPage(
    grid,
    WebhookDeliveriesDocument,
    {
      page: grid.page,
      pageSize: grid.pageSize,
      filter: {
        states,
        endpointIds: endpoint ? [Number(endpoint)] : null,
        kinds,
        created,
      },
    },
    ({ webhookDeliveries }) => webhookDeliveries,
    { fetchPolicy: 'network-only' },
  );
  const { webhookEndpoints: endpoints, siteEventKinds } = useQuery(WebhookEndpointsDocument).data ?? {};
  const chosen = endpoints?.find(({ id }) => String(id) === endpoint);
  const act = useAction();
  const [resendMany] = useMutation(ResendWebhooksDocument);
  const resendAll = ({ id, name }: EndpointRowFragment) =>
    act(
      async () => {
        const all: WebhookDeliveryState[] = ['PENDING', 'DELIVERED', 'FAILED'];
        const { data } = await resendMany({
          variables: { input: { endpointId: id, states: states ?? all, kinds, created } },
        });
        reload();
        return t('webhooks.resentCount', { count: data?.resendWebhooks.count ?? 0 });
      },
      {
        title: t('webhooks.resendAllTitle'),
        body: t('webhooks.resendAllBody', { name }),
        verb: t('webhooks.resendAll'),
      },
    );
  const columns = useMemo(() => {
    const nameOf = (id: number) => endpoints?.find((one) => one.id === id)?.name ?? `#${id}`;
    return deliveryColumns(t, nameOf);
  }, [t, endpoints]);
  const shown = useOpenedRow(
    rows,
    opened,
    WebhookDeliveriesDocument,
    () => second && { ...rowsOfSecond, filter: { created: second } },
    ({ webhookDeliveries }) => webhookDeliveries,
  );
  return (
    <ListScreen
      title={t('webhooks.deliveries')}
      range={<RangeFilter filters={grid.filters} start={start} />}
      menu={[
        { label: t('actions.refresh'), onSelect: reload },
        ...(chosen
          ? [{ label: t('webhooks.resendAll'), disabled: !chosen.enabled, onSelect: () => void resendAll(chosen) }]
          : []),
      ]}
      filters={
        <FilterBar
          filters={grid.filters}
          fields={[
            {
              name: 'endpoint',
              label: t('webhooks.endpoint'),
              choices: (endpoints ?? []).map(({ id, name }) => ({ value: String(id), label: name })),
            },
            {
              name: 'kind',
              label: t('webhooks.kind'),
              choices: (siteEventKinds ?? []).map((one) => ({ value: one.kind, label: one.name })),
            },
            {
              name: 'state',
              label: t('fields.status'),
              choices: (['PENDING', 'DELIVERED', 'FAILED'] as const).map((value) => ({
                value,
                label: t(`webhooks.outcomes.${value}`),
              })),
            },
          ]}
        />
      }
    >
      <ListGrid
        label={t('webhooks.deliveries')}
        columnsKey="webhook-deliveries-table-columns"
        columns={columns}
        {...listProps}
        getRowId={(row) => row.id}
        onRowOpen={(row) => open(row.id, row.createdAt)}
        currentRow={opened}
        renderCard={(row) => (
          <RowCard
            title={row.kind}
            value={<Num>{dateTime(row.createdAt, 'card')}</Num>}
            meta={row.failure ? t(`webhooks.failures.${row.failure}`) : row.eventId}
            chips={<Outcome row={row} />}
          />
        )}
        empty={
          <EmptyState
            icon={<WebhookOutlinedIcon />}
            title={t('webhooks.noDeliveries')}
            text={t('webhooks.noDeliveriesText')}
          />
        }
      />
      {shown && <DeliveryDetail row={shown} onResent={reload} onClose={() => open(null, null)} />}
    </ListScreen>
  );
}

function Outcome({ row: { state, status } }: { readonly row: DeliveryRowFragment }) {
  const { t } = useTranslation();
  return (
    <ToneChip dot tone={tones[state]}>
      {t(`webhooks.outcomes.${state}`)}
      {status !== null && ` · ${status}`}
    </ToneChip>
  );
}

function DeliveryDetail({
  row,
  onResent,
  onClose,
}: {
  readonly row: DeliveryRowFragment;
  readonly onResent: () => void;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const act = useAction();
  const [resend] = useMutation(ResendWebhookDocument);
  const again = () =>
    act(async () => {
      await resend({ variables: { id: row.id } });
      onResent();
      return t('webhooks.resent');
    });
  return (
    <SideDrawer
      open
      readOnly
      width={520}
      title={row.kind}
      meta={row.eventId}
      onClose={onClose}
      footer={
        <Button variant="outlined" sx={{ ml: 'auto' }} onClick={() => void again()}>
          {t('webhooks.resend')}
        </Button>
      }
    >
      <DrawerSection title={t('webhooks.delivery')}>
        <NameValues
          rows={[
            [t('fields.status'), <Outcome key="state" row={row} />],
            [t('fields.createdAt'), dateTime(row.createdAt, 'seconds')],
            [t('webhooks.triedAt'), row.triedAt && dateTime(row.triedAt, 'seconds')],
            [t('webhooks.nextAt'), row.nextAt && dateTime(row.nextAt, 'seconds')],
            [t('webhooks.tries'), integer(row.tries)],
            [t('webhooks.duration'), row.durationMs !== null && timeIn('ms', row.durationMs)],
            [t('webhooks.error'), row.failure && t(`webhooks.failures.${row.failure}`)],
          ]}
        />
      </DrawerSection>
      <DrawerSection title={t('webhooks.request')}>
        <CodeBlock text={indented(row.request)} copyLabel={t('actions.copy')} copyValue={row.request} />
      </DrawerSection>
      {row.response !== '' && (
        <DrawerSection title={t('webhooks.response')}>
          <CodeBlock text={row.response} />
        </DrawerSection>
      )}
    </SideDrawer>
  );
}

const indented = (body: string): string => JSON.stringify(JSON.parse(body), null, 2);

function deliveryColumns(t: TFunction, nameOf: (endpointId: number) => string): GridColDef<DeliveryRowFragment>[] {
  return [
    column('createdAt', t('fields.createdAt'), 160, (row) => <Num>{dateTime(row.createdAt, 'seconds')}</Num>),
    { field: 'kind', headerName: t('webhooks.kind'), flex: 1, minWidth: 160 },
    column('endpointId', t('webhooks.endpoint'), { flex: 1, minWidth: 140 }, (row) => nameOf(row.endpointId)),
    column('state', t('fields.status'), 170, (row) => <Outcome row={row} />),
    column('tries', t('webhooks.tries'), 90, (row) => <Num>{row.tries}</Num>),
    column('triedAt', t('webhooks.triedAt'), 160, (row) =>
      row.triedAt ? <Num>{dateTime(row.triedAt, 'seconds')}</Num> : <Dash />,
    ),
  ];
}
