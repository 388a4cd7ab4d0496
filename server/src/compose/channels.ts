import {
  Channel,
  ChannelBalanceService,
  ChannelBulkService,
  ChannelCopyService,
  ChannelDiscoveryService,
  ChannelKeyService,
  ChannelSchedules,
  type ChannelServices,
  ChannelSessions,
  ChannelTestRuns,
  ChannelTestService,
} from '../console/channels/index.js';
import { keyMarksOf } from '../gateway/route/key-mark.js';
import { ChannelClock } from '../console/channels/channel.jobs.js';
import type { Accounts } from './accounts.js';
import type { Catalogue } from './catalogue.js';
import type { Operations } from './operations.js';
import type { Platform } from './platform.js';
import type { ComposedRelay } from './relay.js';

/**
 * Channel operations that go through the relay: tests, balance queries, scheduled runs over all channels, and their schedule.
 */
export async function composeChannels(
  platform: Platform,
  { channelDirectory, prices }: Catalogue,
  { notifications }: Accounts,
  { channelService, channelGuard }: Operations,
  { builtRelay }: ComposedRelay,
): Promise<ChannelServices> {
  const { config, shutdown, logger, dataSource, clock, nodeId, secrets, state, changes, signals } = platform;
  const { logService, auditService, optionService, guardedFetch } = platform;
  const channels = dataSource.getRepository(Channel);
  const tests = new ChannelTestService({
    channels,
    probe: builtRelay.probe,
    logs: logService,
    prices,
    options: optionService,
    signals,
    clock,
  });
  const balances = new ChannelBalanceService({ channels, secrets, http: guardedFetch, changes, clock });
  const testRuns = new ChannelTestRuns(state);
  const schedules = new ChannelSchedules({
    channels,
    guard: channelGuard,
    tests,
    balances,
    state,
    options: optionService,
    nodeId,
    logger,
    runs: testRuns,
    notices: notifications,
    pause: config.channelSchedules.pause,
  });
  shutdown.onStop('channel schedules', () => schedules.stop());
  const channelClock = new ChannelClock({ database: dataSource, schedules, state, logger, ...config.channelSchedules });
  await channelClock.start();
  shutdown.onStop('channel clock', () => channelClock.stop());
  return {
    channels: channelService,
    bulk: new ChannelBulkService({ channels, changes, usageLog: logService, auditLog: auditService }),
    copies: new ChannelCopyService({ channels, secrets, service: channelService }),
    keys: new ChannelKeyService(channels, secrets, builtRelay.core.keyHealth, channelService),
    directory: channelDirectory,
    discovery: new ChannelDiscoveryService(channels, secrets, guardedFetch),
    tests,
    balances,
    schedules,
    testRuns,
    sessions: new ChannelSessions(builtRelay.core.pins, (id) => {
      const channel = builtRelay.routesDeps.channels.table.channel(id);
      return channel ? keyMarksOf(channel) : [];
    }),
  };
}
