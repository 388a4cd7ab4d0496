import type { AlertService } from '../console/alerts/index.js';
import type { ChannelServices } from '../console/channels/index.js';
import type { MoveInService } from '../import/console/move-in.service.js';
import type { Accounts } from './accounts.js';
import type { Catalogue } from './catalogue.js';
import type { Operations } from './operations.js';
import type { Platform } from './platform.js';
import type { PriceSync } from './price-sync.js';
import type { ComposedRelay } from './relay.js';

/** Every service that the REST routes and the GraphQL resolvers delegate to, grouped by subject. */
export interface Subjects {
  readonly platform: Platform;
  readonly catalogue: Catalogue;
  readonly accounts: Accounts;
  readonly operations: Operations;
  readonly priceSync: PriceSync;
  readonly relay: ComposedRelay;
  readonly channelServices: ChannelServices;
  readonly moveIn: MoveInService;
  readonly alerts: AlertService;
}
