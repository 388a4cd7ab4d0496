import { ChannelHealthService } from '../modules/channel-health/channel-health.service.js';
import { ChannelDirectory } from '../modules/channels/channel-directory.service.js';
import { Channel } from '../modules/channels/channel.entity.js';
import { GroupService } from '../modules/groups/group.service.js';
import { BelowCostService } from '../modules/pricing/below-cost.service.js';
import { ModelHealthService } from '../modules/model-health/model-health.service.js';
import { PriceBook } from '../modules/pricing/price-book.service.js';
import { PriceVersion } from '../modules/pricing/price-version.entity.js';
import { PriceVersionService } from '../modules/pricing/price-version.service.js';
import { PricingService } from '../modules/pricing/pricing.service.js';
import { StatusPageService } from '../modules/status-page/status-page.service.js';
import { Token } from '../modules/tokens/token.entity.js';
import { TokenBulkService } from '../modules/tokens/token-bulk.service.js';
import { TokenRotation } from '../modules/tokens/token-rotation.service.js';
import { TokenService } from '../modules/tokens/token.service.js';

export type Catalogue = Awaited<ReturnType<typeof composeCatalogue>>;
import type { Platform } from './platform.js';

/** Groups, prices, models and the API keys that may call them. */
export async function composeCatalogue(platform: Platform) {
  const { dataSource, secrets, changes, clock, logger, optionService, auditService, idempotency } = platform;
  const channelDirectory = new ChannelDirectory(dataSource.getRepository(Channel), changes);
  const groupService = new GroupService(optionService, channelDirectory);
  const tokens = dataSource.getRepository(Token);
  const tokenService = new TokenService({ ...{ tokens, secrets, changes, clock, idempotency }, groups: groupService });
  const tokenBulk = new TokenBulkService({
    ...{ tokens, changes, clock, groups: groupService },
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
