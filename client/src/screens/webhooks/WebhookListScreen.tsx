import { useMutation, useQuery } from '@apollo/client/react';
import AddOutlinedIcon from '@mui/icons-material/AddOutlined';
import WebhookOutlinedIcon from '@mui/icons-material/WebhookOutlined';
import Button from '@mui/material/Button';
import type { GridColDef } from '@mui/x-data-grid';
import type { TFunction } from 'i18next';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { CodeBlock } from '../../components/CodeBlock.js';
import { ContentDialog } from '../../components/ContentDialog.js';
import { EmptyState } from '../../components/EmptyState.js';
import { RowCard } from '../../components/grid/CardList.js';
import { ListGrid } from '../../components/grid/ListGrid.js';
import { column } from '../../components/grid/columns.js';
import { useListPage } from '../../components/grid/useListPage.js';
import { ListScreen } from '../../components/ListScreen.js';
import { Notice } from '../../components/Notice.js';
import { RowMenu } from '../../components/RowMenu.js';
import { RowSwitch } from '../../components/RowSwitch.js';
import { Ellipsis } from '../../components/Text.js';
import { ToneChip, type Tone } from '../../components/Tone.js';
import { useAction } from '../../components/useAction.js';
import { useRowParam } from '../../lib/useRowParam.js';
import { useServerGrid } from '../../lib/useServerGrid.js';
import { WebhookEditor } from './WebhookEditor.js';
import {
  DeleteWebhookEndpointDocument,
  type EndpointRowFragment,
  RenewWebhookSecretDocument,
  TestWebhookDocument,
  UpdateWebhookEndpointDocument,
  WebhookEndpointsDocument,
} from './webhooks.generated.js';

interface EndpointActions {
  edit(row: EndpointRowFragment): void;
  toggle(row: EndpointRowFragment): Promise<unknown>;
  test(row: EndpointRowFragment): Promise<unknown>;
  renew(row: EndpointRowFragment): Promise<unknown>;
  remove(row: EndpointRowFragment): Promise<unknown>;
}

/** Addresses that receive events of the site. */
export function WebhookListScreen() {
  const { t } = useTranslation();
  const grid = useServerGrid({ filters: {} });
  const [opened, setOpened] = useRowParam('row');
  const [secret, setSecret] = useState<string | null>(null);
  const { rows, reload, isEmpty, listProps } = useListPage(
    grid,
    WebhookEndpointsDocument,
    {},
    ({ webhookEndpoints }) => ({
      items: webhookEndpoints,
      totalCount: webhookEndpoints.length,
    }),
  );
  const kinds = useQuery(WebhookEndpointsDocument).data?.siteEventKinds ?? [];
  const actions = useEndpointActions(reload, (row) => setOpened(String(row.id)), setSecret);
  const columns = useMemo(() => endpointColumns(t, actions), [t, actions]);
  const edited = rows?.find(({ id }) => String(id) === opened) ?? null;
  const add = (
    <Button variant="contained" startIcon={<AddOutlinedIcon />} onClick={() => setOpened('new')}>
      {t('webhooks.add')}
    </Button>
  );
  return (
    <ListScreen
      title={t('shell.webhooks')}
      primary={!isEmpty && add}
      menu={[{ label: t('actions.refresh'), onSelect: reload }]}
      filters={
        <Button component={Link} to="/webhook/delivery" variant="outlined" sx={{ alignSelf: 'flex-start' }}>
          {t('webhooks.deliveries')}
        </Button>
      }
    >
      <ListGrid
        label={t('shell.webhooks')}
        columnsKey="webhooks-table-columns"
        columns={columns}
        {...listProps}
        getRowId={(row) => row.id}
        onRowOpen={actions.edit}
        isRowDimmed={({ enabled }) => !enabled}
        renderCard={(row) => (
          <RowCard
            title={row.name}
            meta={row.url}
            chips={<EndpointChip row={row} />}
            end={<EndpointControls row={row} actions={actions} />}
          />
        )}
        empty={
          <EmptyState
            icon={<WebhookOutlinedIcon />}
            title={t('webhooks.emptyTitle')}
            text={t('webhooks.emptyText')}
            action={add}
          />
        }
      />
      {(opened === 'new' || edited) && (
        <WebhookEditor
          key={opened}
          row={edited}
          kinds={kinds}
          onSaved={reload}
          onCreated={setSecret}
          onClosed={() => setOpened(null)}
        />
      )}
      {secret !== null && (
        <ContentDialog title={t('webhooks.secretTitle')} done={t('actions.done')} onClose={() => setSecret(null)}>
          <Notice tone="amber">{t('webhooks.secretText')}</Notice>
          <CodeBlock text={secret} copyLabel={t('actions.copy')} />
        </ContentDialog>
      )}
    </ListScreen>
  );
}

function useEndpointActions(
  reload: () => void,
  edit: (row: EndpointRowFragment) => void,
  showSecret: (secret: string) => void,
): EndpointActions {
  const { t } = useTranslation();
  const act = useAction();
  const [update] = useMutation(UpdateWebhookEndpointDocument);
  const [test] = useMutation(TestWebhookDocument);
  const [renew] = useMutation(RenewWebhookSecretDocument);
  const [remove] = useMutation(DeleteWebhookEndpointDocument);
  return {
    edit,
    toggle: ({ id, enabled }) =>
      act(async () => {
        await update({ variables: { input: { id, enabled: !enabled } } });
        reload();
      }),
    test: ({ id }) =>
      act(async () => {
        await test({ variables: { id } });
        return t('webhooks.testSent');
      }),
    renew: ({ id, name }) =>
      act(
        async () => {
          const { data } = await renew({ variables: { id } });
          if (data?.renewWebhookSecret) showSecret(data.renewWebhookSecret.secret);
        },
        {
          title: t('webhooks.renewTitle', { name }),
          body: t('webhooks.renewBody'),
          verb: t('webhooks.renew'),
        },
      ),
    remove: ({ id, name }) =>
      act(
        async () => {
          await remove({ variables: { id } });
          reload();
        },
        { title: t('webhooks.deleteTitle', { name }), body: t('webhooks.deleteBody') },
      ),
  };
}

function stateOf({ enabled, failingSince, switchedOffAt }: EndpointRowFragment) {
  if (!enabled) return switchedOffAt === null ? 'off' : 'switchedOff';
  return failingSince === null ? 'works' : 'failing';
}
const stateTones = { works: 'green', failing: 'amber', switchedOff: 'red', off: 'grey' } as const satisfies Record<
  ReturnType<typeof stateOf>,
  Tone
>;

function EndpointChip({ row }: { readonly row: EndpointRowFragment }) {
  const { t } = useTranslation();
  const state = stateOf(row);
  return (
    <ToneChip dot tone={stateTones[state]}>
      {t(`webhooks.states.${state}`)}
    </ToneChip>
  );
}

function EndpointControls({ row, actions }: { readonly row: EndpointRowFragment; readonly actions: EndpointActions }) {
  const { t } = useTranslation();
  const { name, enabled } = row;
  return (
    <>
      <RowMenu
        label={t('webhooks.moreOf', { name })}
        actions={[
          { label: t('actions.edit'), onSelect: () => actions.edit(row) },
          { label: t('webhooks.test'), disabled: !enabled, onSelect: () => void actions.test(row) },
          { label: t('webhooks.renew'), onSelect: () => void actions.renew(row) },
          { label: t('actions.delete'), destructive: true, onSelect: () => void actions.remove(row) },
        ]}
      />
      <RowSwitch label={t('webhooks.enableOf', { name })} checked={enabled} onChange={() => void actions.toggle(row)} />
    </>
  );
}

function endpointColumns(t: TFunction, actions: EndpointActions): GridColDef<EndpointRowFragment>[] {
  return [
    { field: 'name', headerName: t('fields.name'), width: 180 },
    column('url', t('webhooks.url'), { flex: 1, minWidth: 220 }, (row) => (
      <Ellipsis title={row.url}>{row.url}</Ellipsis>
    )),
    column('kinds', t('webhooks.kinds'), 140, (row) =>
      row.kinds.length === 0 ? t('webhooks.allKinds') : t('webhooks.kindCount', { count: row.kinds.length }),
    ),
    column('state', t('fields.status'), 170, (row) => <EndpointChip row={row} />),
    column('actions', '', 110, (row) => <EndpointControls row={row} actions={actions} />),
  ];
}
