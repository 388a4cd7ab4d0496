import { PlanGroups } from '../billing/plans/index.js';
import {
  ChannelHealthService,
  FailedAttemptService,
  ModelHealthService,
  StatusPageService,
} from '../console/health/index.js';
import { Channel, ChannelDirectory } from '../console/channels/index.js';
import { GroupService } from '../console/groups/index.js';
import { BelowCostService, PriceVersion, PriceVersionService, PricingService } from '../console/prices/index.js';
import { PriceBook } from '../billing/prices/index.js';
import { Token } from '../billing/accounts/index.js';
import {
  TokenBulkService,
  TokenKeyService,
  TokenRotation,
  TokenService,
  UserKeyService,
} from '../console/tokens/index.js';

export type Catalogue = Awaited<ReturnType<typeof composeCatalogue>>;
import type { Platform } from './platform.js';

/** Groups, prices, models and the API keys that may call them. */
export async function composeCatalogue(platform: Platform) {
  const { dataSource, secrets, changes, clock, logger, optionService, auditService, idempotency } = platform;
  const channelDirectory = new ChannelDirectory(dataSource.getRepository(Channel), changes);
  const groupService = new GroupService(optionService, channelDirectory, new PlanGroups(dataSource));
  const tokens = dataSource.getRepository(Token);
  const tokenKeys = new TokenKeyService({ tokens, secrets });
  const tokenService = new TokenService({
    tokens,
    keys: tokenKeys,
    secrets,
    changes,
    clock,
    idempotency,
    groups: groupService,
  });
  const tokenBulk = new TokenBulkService({
    tokens,
    changes,
    clock,
    groups: groupService,
    auditLog: auditService,
  });
  const tokenRotation = new TokenRotation({ tokens, secrets, changes, clock, idempotency });
  const userKeys = new UserKeyService({
    tokens,
    tokenService,
    rotation: tokenRotation,
    secrets,
    idempotency,
    auditLog: auditService,
    changes,
  });
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
  const belowCost = new BelowCostService({
    channels: dataSource.getRepository(Channel),
    options: optionService,
    clock,
  });
  await priceVersionService.start();
  return {
    channelDirectory,
    groupService,
    tokenService,
    tokenKeys,
    tokenBulk,
    tokenRotation,
    userKeys,
    prices,
    modelHealthService,
    channelHealthService,
    failedAttempts: new FailedAttemptService(dataSource),
    statusPageService,
    pricingService,
    priceVersionService,
    belowCost,
  };
}
