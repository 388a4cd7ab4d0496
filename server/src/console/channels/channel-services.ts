import type { ChannelBalanceService } from './channel-balance.service.js';
import type { ChannelBulkService } from './channel-bulk.service.js';
import type { ChannelCopyService } from './channel-copy.service.js';
import type { ChannelDirectory } from './channel-directory.js';
import type { ChannelDiscoveryService } from './channel-discovery.service.js';
import type { ChannelKeyService } from './channel-keys.service.js';
import type { ChannelSchedules } from './channel-schedules.js';
import type { ChannelSessions } from './channel-sessions.js';
import type { ChannelTestRuns } from './channel-test-runs.js';
import type { ChannelTestService } from './channel-test.service.js';
import type { ChannelService } from './channel.service.js';

/** Dependencies of the channel routes and resolvers. */
export interface ChannelServices {
  readonly channels: ChannelService;
  readonly bulk: ChannelBulkService;
  readonly copies: ChannelCopyService;
  readonly keys: ChannelKeyService;
  readonly directory: ChannelDirectory;
  readonly discovery: ChannelDiscoveryService;
  readonly tests: ChannelTestService;
  readonly balances: ChannelBalanceService;
  readonly schedules: ChannelSchedules;
  readonly testRuns: ChannelTestRuns;
  readonly sessions: ChannelSessions;
}
