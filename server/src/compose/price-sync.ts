import { DryRunService } from '../billing/prices/index.js';
import {
  PriceCheck,
  PriceCheckService,
  PriceSourceService,
  PriceUpdate,
  PriceUpdateService,
} from '../console/prices/index.js';
import { PriceSyncClock } from '../console/prices/sync/price-sync.jobs.js';
import type { Accounts } from './accounts.js';
import type { Catalogue } from './catalogue.js';
import type { Platform } from './platform.js';

export type PriceSync = ReturnType<typeof composePriceSync>;

/** Comparison of prices with public lists, its schedule, and prices that are tried on past calls. */
export function composePriceSync(
  platform: Platform,
  { channelDirectory, prices }: Catalogue,
  { notifications }: Accounts,
) {
  const { dataSource, state, changes, clock, nodeId, logger, shutdown, optionService, guardedFetch } = platform;
  const priceChecks = new PriceCheckService({
    checks: dataSource.getRepository(PriceCheck),
    sources: new PriceSourceService(guardedFetch),
    options: optionService,
    prices,
    channels: channelDirectory,
    clock,
  });
  const priceUpdates = new PriceUpdateService({
    updates: dataSource.getRepository(PriceUpdate),
    checks: priceChecks,
    options: optionService,
  });
  const priceSyncClock = new PriceSyncClock({
    database: dataSource,
    checks: priceChecks,
    updates: priceUpdates,
    state,
    changes,
    nodeId,
    logger,
    options: optionService,
    notices: notifications,
  });
  priceSyncClock.start();
  shutdown.onStop('price sync', () => priceSyncClock.stop());
  const dryRuns = new DryRunService({ database: dataSource, options: optionService, clock });
  return { priceChecks, priceUpdates, dryRuns };
}
