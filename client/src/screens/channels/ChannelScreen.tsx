import { skipToken, useQuery } from '@apollo/client/react';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate, useParams } from 'react-router-dom';
import { lazyPart } from '../../components/lazyPart.js';
import { ObjectMissing, ObjectPage, type ObjectTab } from '../../components/ObjectPage.js';
import { InPage } from '../../components/SideDrawer.js';
import { idPattern } from '../../lib/gridState.js';
import { useMay } from '../../lib/permissions.js';
import { FailureRate } from '../../nouns/health/ChannelHealthCells.js';
import { channelAddress, keyAddress } from '../../nouns/objects/addresses.js';
import { CallsTab, ChangesTab, ErrorsTab, ProfitTab, UsageSummary } from '../../nouns/objects/tabs.js';
import { CooldownChip } from './ChannelHealth.js';
import type { ChannelPanel } from './ChannelPanels.js';
import { ChannelStatusChip, ResponseChip } from './channelStatus.js';
import { ChannelPageDocument, type ChannelPageQuery } from './channels.generated.js';
import { useChannelActions } from './useChannelActions.js';
import { useChannelTypes } from './useChannelTypes.js';

const ChannelEditor = lazyPart(async () => (await import('./ChannelEditor.js')).ChannelEditor);
const ChannelLimitsTab = lazyPart(async () => (await import('./ChannelLimitsTab.js')).ChannelLimitsTab);
const ChannelPanels = lazyPart(
  async () => (await import('./ChannelPanels.js')).ChannelPanels,
  ({ panel }) => panel !== null,
);

type Channel = NonNullable<ChannelPageQuery['channel']>;

/** The page of a channel: what it serves, why it fails, what it earns, its limits, changes and settings. */
export function ChannelScreen() {
  const { t } = useTranslation();
  const id = Number(useParams().id);
  const isId = idPattern.test(String(id));
  const { data, error, loading, refetch } = useQuery(
    ChannelPageDocument,
    isId ? { variables: { id }, fetchPolicy: 'cache-and-network' } : skipToken,
  );
  if (data?.channel) {
    const health = data.channelHealth.rows[0];
    return <ChannelOf key={id} channel={data.channel} health={health} reload={() => void refetch()} />;
  }
  return (
    <ObjectMissing
      list={{ label: t('shell.channels'), to: '/channel' }}
      title={`${t('fields.channel')} ${isId ? id : ''}`}
      error={error}
      isLoading={loading}
      onRetry={() => void refetch()}
      gone={t('channels.gone')}
    />
  );
}

function ChannelOf({
  channel,
  health,
  reload,
}: {
  readonly channel: Channel;
  readonly health: ChannelPageQuery['channelHealth']['rows'][number] | undefined;
  readonly reload: () => void;
}) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const types = useChannelTypes();
  const [panel, setPanel] = useState<ChannelPanel | null>(null);
  const actions = useChannelActions(reload, () => void navigate('/channel'));
  const writes = useMay('CHANNELS_WRITE');
  const readsLogs = useMay('LOGS_READ');
  const readsUsage = useMay('USAGE_READ');
  const readsAudit = useMay('AUDIT');
  const { id, name, keys } = channel;
  const filter = { channelIds: [id] };
  const tabs: ObjectTab[] = [
    ...(readsLogs
      ? [{ id: 'calls', label: t('dashboard.calls'), content: <CallsTab filter={filter} without="channelId" /> }]
      : []),
    {
      id: 'errors',
      label: t('objects.errors'),
      content: (
        <ErrorsTab
          filter={filter}
          keyAddressOf={({ keyEnding }) => {
            const key = keys.find(({ ending }) => ending === keyEnding);
            return key ? keyAddress(id, key.position) : null;
          }}
        />
      ),
    },
    ...(readsUsage
      ? [{ id: 'cost', label: t('objects.cost'), content: <ProfitTab filter={filter} by="MODEL" /> }]
      : []),
    { id: 'limits', label: t('objects.limits'), content: <ChannelLimitsTab channel={channel} /> },
    ...(readsAudit
      ? [
          {
            id: 'changes',
            label: t('objects.changes'),
            content: <ChangesTab subject="CHANNEL" id={id} onRestored={reload} />,
          },
        ]
      : []),
    {
      id: 'settings',
      hidesSummary: true,
      label: t('objects.settings'),
      content: (
        <InPage value>
          <ChannelEditor id={id} onSaved={reload} onClosed={reload} />
        </InPage>
      ),
    },
  ];
  const choose = (label: string, onSelect: () => void) => ({ label, onSelect });
  return (
    <>
      <ObjectPage
        list={{ label: t('shell.channels'), to: '/channel' }}
        title={name}
        chips={
          <>
            <CooldownChip channel={channel} otherwise={<ChannelStatusChip channel={channel} />} />
            {health && <FailureRate named health={health} />}
            <ResponseChip channel={channel} />
          </>
        }
        meta={[
          `#${id}`,
          types.label(channel.type),
          channel.tag,
          t('objects.modelCount', { count: channel.models.length }),
          t('objects.keyCount', { count: keys.length }),
        ]
          .filter(Boolean)
          .join(' · ')}
        primary={
          writes && (
            <Button
              variant="contained"
              loading={actions.testing.has(id)}
              onClick={() => void actions.test(channel)}
              aria-label={t('channels.testOf', { name })}
            >
              {t('channels.test')}
            </Button>
          )
        }
        menu={
          writes
            ? [
                choose(
                  channel.status === 'ENABLED' ? t('objects.disable') : t('objects.enable'),
                  () => void actions.toggle(channel),
                ),
                choose(t('channels.testModels'), () => setPanel({ kind: 'tests', channel })),
                choose(t('channels.fetchModels'), () => setPanel({ kind: 'models', channel })),
                choose(t('channels.sessions'), () => setPanel({ kind: 'sessions', channel })),
                choose(t('actions.copy'), () => void actions.copy(channel)),
                { ...choose(t('actions.delete'), () => void actions.remove(channel)), destructive: true },
              ]
            : []
        }
        summary={readsUsage && <UsageSummary filter={filter} />}
        address={channelAddress(id)}
        tabs={tabs}
        opened={pathname.startsWith('/channel/edit/') ? 'settings' : undefined}
      />
      {panel && (
        <ChannelPanels
          panel={panel}
          rows={[channel]}
          reload={reload}
          onChanged={() => undefined}
          onClose={() => setPanel(null)}
        />
      )}
    </>
  );
}
