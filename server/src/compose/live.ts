import { OpenStreams } from '../platform/graphql/open-streams.js';
import type { ChannelSources } from '../console/channels/channel-live.resolver.js';
import { Channel, ChannelWatch } from '../console/channels/index.js';
import type { LogSources } from '../console/logs/log-live.resolver.js';
import { LogTail } from '../console/logs/index.js';
import { CreativeTask, TaskWatch } from '../console/tasks/index.js';
import type { TaskSources } from '../console/tasks/task-live.resolver.js';
import { SiteEventTail } from '../console/webhooks/index.js';
import type { SiteEventSources } from '../console/webhooks/webhook.resolver.js';
import type { BalanceSources } from '../console/users/balance.resolver.js';
import { User } from '../billing/accounts/index.js';
import { BalanceWatch } from '../console/users/index.js';
import type { Platform } from './platform.js';
import type { ComposedRelay } from './relay.js';

type LiveSources = LogSources & ChannelSources & TaskSources & BalanceSources & SiteEventSources;

/** The event sources of subscriptions, and the registry of open ones. */
export function composeLive(
  { dataSource, changes, signals, secrets, logger, shutdown }: Platform,
  { drawingService }: ComposedRelay,
): { readonly live: LiveSources; readonly streams: OpenStreams } {
  const report = (error: unknown): void => logger.error({ err: error }, 'live query failed');
  const watched = { changes, signals, report };
  const logs = new LogTail({ database: dataSource, signals, secrets, report });
  const balances = new BalanceWatch({ users: dataSource.getRepository(User), ...watched });
  shutdown.onStop('log tail', () => logs.stop());
  const siteEvents = new SiteEventTail({ database: dataSource, report });
  shutdown.onStop('event tail', () => siteEvents.stop());
  shutdown.onStop('balance watch', () => balances.stop());
  return {
    live: {
      logs,
      balances,
      siteEvents,
      channels: new ChannelWatch({ channels: dataSource.getRepository(Channel), ...watched }),
      tasks: new TaskWatch({ drawings: drawingService, tasks: dataSource.getRepository(CreativeTask), ...watched }),
    },
    streams: new OpenStreams(changes, report),
  };
}
