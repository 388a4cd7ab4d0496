import { DryRunService } from '../billing/prices/dry-run/dry-run.service.js';
import { PriceCheckService } from '../console/prices/sync/price-check.service.js';
import { PriceCheck } from '../console/prices/sync/price-check.entity.js';
import { PriceSourceService } from '../console/prices/sync/price-source.service.js';
import { PriceSyncClock } from '../console/prices/sync/price-sync.jobs.js';
import { PriceUpdate } from '../console/prices/sync/price-update.entity.js';
import { PriceUpdateService } from '../console/prices/sync/price-update.service.js';
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
