import { Budget } from '../modules/budgets/budget.entity.js';
import { BudgetNotices } from '../modules/budgets/budget-notices.service.js';
import { CaptureService } from '../modules/captures/capture.service.js';
import { BudgetRefusals } from '../modules/budgets/budget-refusals.service.js';
import { BudgetService } from '../modules/budgets/budget.service.js';
import { UsedUpBudgets } from '../modules/budgets/used-up-budgets.service.js';
import { Channel } from '../modules/channels/channel.entity.js';
import { ChannelService } from '../modules/channels/channel.service.js';
import { LogExport } from '../modules/logs/log-export.service.js';
import { postEntry } from '../modules/quota/post-entry.service.js';
import { RedeemService } from '../modules/redemptions/redeem.service.js';
import { Redemption } from '../modules/redemptions/redemption.entity.js';
import { RedemptionService } from '../modules/redemptions/redemption.service.js';
import { ReleaseService } from '../modules/status/release.service.js';
import { StatusService } from '../modules/status/status.service.js';
import { KeyHolderService } from '../modules/tokens/key-holder.service.js';
import { BillingService } from '../modules/usage/billing.service.js';
import { InsightService } from '../modules/insights/insights.service.js';
import { HourlyModelsService } from '../modules/usage/hourly-models.service.js';
import { UsageService } from '../modules/usage/usage.service.js';
import { CreditService } from '../modules/wallet/credit.service.js';
import { TopUpOrder } from '../modules/wallet/top-up-order.entity.js';
import { PaymentTestService } from '../modules/wallet/payment-test.service.js';
import { WalletService } from '../modules/wallet/wallet.service.js';

export type Operations = ReturnType<typeof composeOperations>;
import type { Accounts } from './accounts.js';
import type { Platform } from './platform.js';

/** Site settings, channel lists, sales and usage statistics. */
export function composeOperations(platform: Platform, { setupService, notifications }: Accounts) {
  const { dataSource, clock, secrets, state, changes, logger, logService, auditService, optionService } = platform;
  const { reads } = platform.database;
  const { config, guardedFetch, idempotency, shutdown } = platform;
  const statusService = new StatusService({ options: optionService, setup: setupService, database: dataSource, clock });
  const releaseService = new ReleaseService(guardedFetch, config.releasesUrl);
  const channelService = new ChannelService({
    channels: dataSource.getRepository(Channel),
    secrets,
    changes,
    usageLog: logService,
    auditLog: auditService,
    idempotency,
    notices: notifications,
    clock,
  });

  // Payments
  const credit = new CreditService({ postEntry, usageLog: logService, changes, options: optionService });
  const redemptionService = new RedemptionService({
    redemptions: dataSource.getRepository(Redemption),
    secrets,
    usageLog: logService,
    auditLog: auditService,
    idempotency,
    clock,
  });
  const redeemService = new RedeemService({ idempotency, secrets, state, credit, clock });
  const walletService = new WalletService({
    orders: dataSource.getRepository(TopUpOrder),
    options: optionService,
    ...{ credit, idempotency, state, clock, logger },
  });

  const paymentTests = new PaymentTestService({ ...{ state, fetch: guardedFetch }, options: optionService });

  const captureService = new CaptureService(dataSource);
  const budgetService = new BudgetService({
    ...{ budgets: dataSource.getRepository(Budget), changes, clock, state, idempotency },
    auditLog: auditService,
  });
  const usedUpBudgets = new UsedUpBudgets({ budgets: dataSource.getRepository(Budget), clock });
  const budgetRefusals = new BudgetRefusals();
  const budgetNotices = new BudgetNotices({
    ...{ budgets: dataSource.getRepository(Budget), database: dataSource, notices: notifications, clock, logger },
    options: optionService,
    refusals: budgetRefusals,
  });
  budgetNotices.start();
  shutdown.onStop('notices of budgets', () => budgetNotices.stop());

  // Usage
  const usageService = new UsageService({ database: reads, options: optionService, clock });
  const hourlyModels = new HourlyModelsService({ database: reads, options: optionService, clock });
  const insightService = new InsightService({ database: dataSource, options: optionService, clock });
  const keyHolders = new KeyHolderService(dataSource, secrets);
  const billingService = new BillingService({ keys: keyHolders, options: optionService });
  const logExport = new LogExport(reads);

  return {
    ...{
      statusService,
      releaseService,
      channelService,
      redemptionService,
      redeemService,
      walletService,
      paymentTests,
      budgetService,
      usedUpBudgets,
      budgetRefusals,
      captureService,
    },
    ...{ usageService, hourlyModels, insightService, billingService, keyHolders, logExport },
  };
}
