import { ChannelHealthService } from '../console/health/channels/channel-health.service.js';
import { ChannelDirectory } from '../console/channels/channel-directory.service.js';
import { Channel } from '../console/channels/channel.entity.js';
import { GroupService } from '../console/groups/group.service.js';
import { BelowCostService } from '../console/prices/below-cost.service.js';
import { ModelHealthService } from '../console/health/models/model-health.service.js';
import { PriceBook } from '../billing/prices/price-book.service.js';
import { PriceVersion } from '../console/prices/price-version.entity.js';
import { PriceVersionService } from '../console/prices/price-version.service.js';
import { PricingService } from '../console/prices/pricing.service.js';
import { StatusPageService } from '../console/health/status-page/status-page.service.js';
import { Token } from '../console/tokens/token.entity.js';
import { TokenBulkService } from '../console/tokens/token-bulk.service.js';
import { TokenRotation } from '../console/tokens/token-rotation.service.js';
import { TokenService } from '../console/tokens/token.service.js';

export type Catalogue = Awaited<ReturnType<typeof composeCatalogue>>;
import type { Platform } from './platform.js';

/** Groups, prices, models and the API keys that may call them. */
export async function composeCatalogue(platform: Platform) {
  const { dataSource, secrets, changes, clock, logger, optionService, auditService, idempotency } = platform;
  const channelDirectory = new ChannelDirectory(dataSource.getRepository(Channel), changes);
  const groupService = new GroupService(optionService, channelDirectory);
  const tokens = dataSource.getRepository(Token);
  const tokenService = new TokenService({ tokens, secrets, changes, clock, idempotency, groups: groupService });
  const tokenBulk = new TokenBulkService({
    tokens,
    changes,
    clock,
    groups: groupService,
    auditLog: auditService,
  });
  const tokenRotation = new TokenRotation({ tokens, secrets, changes, clock, idempotency });
  const prices = new PriceBook(optionService);
  const modelHealthService = new ModelHealthService({
    database: dataSource,
    directory: channelDirectory,
    options: optionService,
    clock,
  });
  const channelHealthService = new ChannelHealthService({ database: dataSource, clock });
  const statusPageService = new StatusPageService({
    database: dataSource,
    directory: channelDirectory,
    prices,
    options: optionService,
    clock,
  });
  const pricingService = new PricingService(channelDirectory, prices, optionService);
  const priceVersionService = new PriceVersionService({
    versions: dataSource.getRepository(PriceVersion),
    options: optionService,
    prices,
    channels: channelDirectory,
    logger,
  });
  const belowCost = new BelowCostService({ channels: dataSource.getRepository(Channel), options: optionService });
  await priceVersionService.start();
  return {
    channelDirectory,
    groupService,
    tokenService,
    tokenBulk,
    tokenRotation,
    prices,
    modelHealthService,
    channelHealthService,
    statusPageService,
    pricingService,
    priceVersionService,
    belowCost,
  };
}
