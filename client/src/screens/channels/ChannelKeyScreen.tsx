import { skipToken, useMutation, useQuery } from '@apollo/client/react';
import Button from '@mui/material/Button';
import Card from '@mui/material/Card';
import { useTranslation } from 'react-i18next';
import { useNavigate, useParams } from 'react-router-dom';
import { ObjectMissing, ObjectPage } from '../../components/ObjectPage.js';
import { StatBadges, type Stat } from '../../components/StatBadges.js';
import { toast } from '../../components/toast.js';
import { useAction } from '../../components/useAction.js';
import { count, dateTime, responseTime } from '../../lib/format.js';
import { idPattern } from '../../lib/gridState.js';
import { useMay } from '../../lib/permissions.js';
import { channelAddress, keyAddress } from '../../nouns/objects/addresses.js';
import { FailedAttemptsDocument } from '../../nouns/objects/objects.generated.js';
import { CallsTab, ErrorsTab, ProfitTab, UsageSummary } from '../../nouns/objects/tabs.js';
import { HealthSection } from './ChannelHealth.js';
import { KeyChip } from './ChannelKeys.js';
import {
  ChannelPageDocument,
  ClearChannelCooldownsDocument,
  RemoveChannelKeyDocument,
  TestChannelDocument,
  type ChannelDetailFragment,
} from './channels.generated.js';

/** The page of one key of a channel: what it served, how often it failed and why, its cost. The key is never shown. */
export function ChannelKeyScreen() {
  const { t } = useTranslation();
  const { id: channelId = '', position = '' } = useParams();
  const isId = idPattern.test(channelId) && idPattern.test(position);
  const { data, error, loading, refetch } = useQuery(
    ChannelPageDocument,
    isId ? { variables: { id: Number(channelId) }, fetchPolicy: 'cache-and-network' } : skipToken,
  );
  const channel = data?.channel;
  const key = channel?.keys.find((one) => one.position === Number(position));
  if (channel && key) return <KeyOf channel={channel} shown={key} reload={() => void refetch()} />;
  return (
    <ObjectMissing
      list={
        channel
          ? { label: channel.name, to: channelAddress(channel.id) }
          : { label: t('shell.channels'), to: '/channel' }
      }
      title={t('objects.upstreamKey', { ending: position })}
      error={error}
      isLoading={loading}
      onRetry={() => void refetch()}
      gone={t('objects.gone')}
    />
  );
}

function KeyOf({
  channel,
  shown,
  reload,
}: {
  readonly channel: ChannelDetailFragment;
  readonly shown: ChannelDetailFragment['keys'][number];
  readonly reload: () => void;
}) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const act = useAction();
  const writes = useMay('CHANNELS_WRITE');
  const readsUsage = useMay('USAGE_READ');
  const readsLogs = useMay('LOGS_READ');
  const [test, testing] = useMutation(TestChannelDocument);
  const [clear] = useMutation(ClearChannelCooldownsDocument);
  const [remove] = useMutation(RemoveChannelKeyDocument);
  const { id, name, keys } = channel;
  const { position, ending } = shown;
  const filter = { channelIds: [id], keyEndings: [ending] };
  const failures = useQuery(FailedAttemptsDocument, { variables: { filter }, fetchPolicy: 'cache-and-network' }).data
    ?.keyFailures;
  const last = failures?.[0]?.last;
  const title = t('objects.upstreamKey', { ending: ending === '' ? `#${position}` : `…${ending}` });
  const own = { ...channel, keys: [shown] };
  /** The log names the keys of channels with several ones only. */
  const usage = { channelIds: [id], upstreamKeys: [keys.length === 1 ? '' : ending || `#${position}`] };
  const runTest = () =>
    act(async () => {
      const { data } = await test({ variables: { id, key: position } });
      const result = data?.testChannel;
      reload();
      if (result?.__typename === 'ChannelTestPassed')
        return t('channels.testPassed', { name: title, time: responseTime(result.milliseconds) });
      toast.error(t('channels.testFailed', { name: title, reason: result?.message ?? '' }));
      return null;
    });
  const drop = () =>
    act(
      async () => {
        await remove({ variables: { id, position, ending } });
        void navigate(channelAddress(id));
        return t('channels.keyRemoved');
      },
      { title: t('channels.keyRemoveTitle', { key: title }), body: t('channels.keyRemoveBody') },
    );
  const failed: Stat = {
    label: t('objects.failures24h'),
    value: failures && count(failures.reduce((sum, { attempts }) => sum + attempts, 0)),
    ...(last
      ? {
          note: [dateTime(last.at, 'card'), t(`modelHealth.kinds.${last.kind}`), last.status].filter(Boolean).join(' '),
        }
      : {}),
  };
  return (
    <ObjectPage
      list={{ label: name, to: channelAddress(id) }}
      title={title}
      chips={<KeyChip channel={channel} shown={shown} failures={last ? failures : []} />}
      meta={`${name} · ${position} / ${keys.length}`}
      primary={
        writes && (
          <Button variant="contained" loading={testing.loading} onClick={() => void runTest()}>
            {t('channels.test')}
          </Button>
        )
      }
      menu={
        writes
          ? [
              {
                label: t('objects.clearCooldown'),
                disabled: shown.cooldowns.length === 0,
                onSelect: () =>
                  void act(async () => {
                    await clear({ variables: { id, key: position } });
                    reload();
                    return t('channels.cooldownsCleared');
                  }),
              },
              {
                label: t('actions.delete'),
                destructive: true,
                disabled: keys.length === 1,
                onSelect: () => void drop(),
              },
            ]
          : []
      }
      summary={
        readsUsage ? (
          <UsageSummary filter={usage} failures={failed} />
        ) : (
          <StatBadges label={t('objects.figures')} stats={[failed]} />
        )
      }
      address={keyAddress(id, position)}
      tabs={[
        { id: 'errors', label: t('objects.errors'), content: <ErrorsTab filter={filter} /> },
        // The log cannot be filtered by one of several keys.
        ...(keys.length === 1 && readsLogs
          ? [
              {
                id: 'calls',
                label: t('dashboard.calls'),
                content: <CallsTab filter={{ channelIds: [id] }} without="channelId" />,
              },
            ]
          : []),
        ...(readsUsage
          ? [
              {
                id: 'cost',
                label: t('objects.cost'),
                content: <ProfitTab filter={usage} by="MODEL" />,
              },
            ]
          : []),
        ...(shown.cooldowns.length > 0
          ? [
              {
                id: 'limits',
                label: t('channels.cooldowns'),
                content: (
                  <Card sx={{ padding: '16px' }}>
                    <HealthSection channel={own} />
                  </Card>
                ),
              },
            ]
          : []),
      ]}
    />
  );
}
