import type { AlertService } from '../console/alerts/index.js';
import type { RestoreService } from '../console/audit/index.js';
import type { ChannelServices } from '../console/channels/index.js';
import type { DashboardService } from '../console/dashboards/index.js';
import type { ImportService } from '../import/console/import.service.js';
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
  readonly siteImport: ImportService;
  readonly alerts: AlertService;
  readonly dashboards: DashboardService;
  readonly restore: RestoreService;
}
