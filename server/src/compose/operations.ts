import { Budget } from '../billing/budgets/budget.entity.js';
import { BudgetNotices } from '../console/budgets/budget-notices.service.js';
import { CaptureService } from '../console/captures/capture.service.js';
import { BudgetRefusals } from '../billing/budgets/budget-refusals.service.js';
import { BudgetService } from '../console/budgets/budget.service.js';
import { UsedUpBudgets } from '../billing/budgets/used-up-budgets.service.js';
import { Channel } from '../console/channels/channel.entity.js';
import { ChannelService } from '../console/channels/channel.service.js';
import { LogExport } from '../console/logs/log-export.service.js';
import { postEntry } from '../billing/ledger/post-entry.service.js';
import { RedeemService } from '../console/redemptions/redeem.service.js';
import { Redemption } from '../console/redemptions/redemption.entity.js';
import { RedemptionService } from '../console/redemptions/redemption.service.js';
import { ReleaseService } from '../console/status/release.service.js';
import { StatusService } from '../console/status/status.service.js';
import { KeyHolderService } from '../console/tokens/key-holder.service.js';
import { BillingService } from '../console/usage/billing.service.js';
import { InsightService } from '../console/insights/insights.service.js';
import { HourlyModelsService } from '../console/usage/hourly-models.service.js';
import { UsageService } from '../console/usage/usage.service.js';
import { CreditService } from '../billing/payments/credit.service.js';
import { PaymentCallbacks } from '../billing/payments/payment-callbacks.service.js';
import { PaymentProviders } from '../billing/payments/payment-providers.js';
import { paymentProviders } from '../billing/payments/providers/all.js';
import { TopUpOrder } from '../billing/payments/top-up-order.entity.js';
import { PaymentTestService } from '../console/wallet/payment-test.service.js';
import { WalletService } from '../console/wallet/wallet.service.js';

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
  const providers = new PaymentProviders({ list: paymentProviders, options: optionService, fetch: guardedFetch });
  const paymentCallbacks = new PaymentCallbacks({
    database: dataSource,
    options: optionService,
    credit,
    clock,
    logger,
  });
  const walletService = new WalletService({
    orders: dataSource.getRepository(TopUpOrder),
    options: optionService,
    providers,
    idempotency,
    state,
    clock,
    logger,
  });

  const paymentTests = new PaymentTestService({ state, providers, options: optionService });

  const captureService = new CaptureService(dataSource);
  const budgetService = new BudgetService({
    budgets: dataSource.getRepository(Budget),
    changes,
    clock,
    state,
    idempotency,
    auditLog: auditService,
  });
  const usedUpBudgets = new UsedUpBudgets({ budgets: dataSource.getRepository(Budget), clock });
  const budgetRefusals = new BudgetRefusals();
  const budgetNotices = new BudgetNotices({
    budgets: dataSource.getRepository(Budget),
    database: dataSource,
    notices: notifications,
    clock,
    logger,
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
    statusService,
    releaseService,
    channelService,
    redemptionService,
    redeemService,
    walletService,
    paymentCallbacks,
    paymentTests,
    budgetService,
    usedUpBudgets,
    budgetRefusals,
    captureService,
    usageService,
    hourlyModels,
    insightService,
    billingService,
    keyHolders,
    logExport,
  };
}
