import type { EntityManager } from 'typeorm';
import { Budget, BudgetRefusals, UsedUpBudgets } from '../billing/budgets/index.js';
import { type Finished, Plan, PlanSales, Subscription } from '../billing/plans/index.js';
import { SubscriptionKeeper } from '../billing/plans/subscription.jobs.js';
import { PlanService, SubscriptionService } from '../console/plans/index.js';
import { BudgetNotices, BudgetService } from '../console/budgets/index.js';
import { CaptureService } from '../console/captures/index.js';
import { Channel, ChannelGuard, ChannelService } from '../console/channels/index.js';
import { LogExport } from '../console/logs/index.js';
import { postEntry } from '../billing/ledger/index.js';
import { RedeemService, Redemption, RedemptionService } from '../console/redemptions/index.js';
import { ReleaseService, StatusService } from '../console/status/index.js';
import { KeyHolderService } from '../console/tokens/index.js';
import { BillingService, HourlyModelsService, UsageService } from '../console/usage/index.js';
import { InsightService, LedgerHistoryService } from '../console/insights/index.js';
import {
  CardRenewals,
  CreditService,
  PaymentCallbacks,
  PaymentProviders,
  paymentProviders,
  Refunds,
  Reversals,
  TopUpOrder,
} from '../billing/payments/index.js';
import { CardRenewalJob } from '../billing/payments/card-renewal.jobs.js';
import { PaymentEventRetention } from '../billing/payments/payment-event.jobs.js';
import { PaymentSweep } from '../billing/payments/payment-sweep.jobs.js';
import { StatementService } from '../console/statements/index.js';
import { Statement, StatementCloser } from '../billing/statements/index.js';
import { StatementClock } from '../billing/statements/statement.jobs.js';
import { OrderService, PaymentTestService, WalletService } from '../console/wallet/index.js';
import { WebhookDelivery, WebhookEndpoint, WebhookService } from '../console/webhooks/index.js';
import { SiteEventRetention, WebhookSender } from '../console/webhooks/webhook.jobs.js';

export type Operations = ReturnType<typeof composeOperations>;
import type { Accounts } from './accounts.js';
import type { Platform } from './platform.js';

/** Site settings, channel lists, sales and usage statistics. */
export function composeOperations(platform: Platform, { setupService, signInProviders, notifications }: Accounts) {
  const { dataSource, clock, secrets, state, changes, logger, logService, auditService, optionService } = platform;
  const { reads } = platform.database;
  const { config, guardedFetch, idempotency, shutdown } = platform;
  const statusService = new StatusService({
    options: optionService,
    setup: setupService,
    signInProviders,
    database: dataSource,
    clock,
  });
  const releaseService = new ReleaseService(guardedFetch, config.releasesUrl);
  const channelService = new ChannelService({
    channels: dataSource.getRepository(Channel),
    secrets,
    changes,
    usageLog: logService,
    auditLog: auditService,
    idempotency,
    clock,
  });
  const channelGuard = new ChannelGuard({
    channels: dataSource.getRepository(Channel),
    secrets,
    changes,
    usageLog: logService,
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
  const sales = new PlanSales(postEntry);
  const notifyOfPlan = (
    manager: EntityManager,
    { accountId, terms: { name } }: Subscription,
    { renewal, problem }: Pick<Finished, 'renewal' | 'problem'>,
  ) => notifications.planFinished(manager, accountId, { name, renewedUntil: renewal?.endsAt ?? null, problem });
  const redeemService = new RedeemService({
    idempotency,
    secrets,
    state,
    credit,
    sales,
    usageLog: logService,
    clock,
  });
  const providers = new PaymentProviders({
    list: paymentProviders,
    options: optionService,
    fetch: guardedFetch,
    apiAddress: config.paymentApiUrl,
  });
  const reversals = new Reversals({ postEntry, usageLog: logService, clock, options: optionService });
  const paymentCallbacks = new PaymentCallbacks({
    sales,
    notifyRenewal: notifyOfPlan,
    database: dataSource,
    options: optionService,
    credit,
    reversals,
    clock,
    logger,
  });
  const refunds = new Refunds({ database: dataSource, providers, reversals, credit, clock, logger });
  const paymentSweep = new PaymentSweep({
    database: dataSource,
    callbacks: paymentCallbacks,
    refunds,
    providers,
    state,
    nodeId: platform.nodeId,
    clock,
    logger,
    intervalMilliseconds: config.paymentSweepMilliseconds,
  });
  paymentSweep.start();
  shutdown.onStop('payment sweep', () => paymentSweep.stop());
  const paymentEventRetention = new PaymentEventRetention({
    database: dataSource,
    state,
    nodeId: platform.nodeId,
    clock,
    logger,
  });
  paymentEventRetention.start();
  shutdown.onStop('payment event retention', () => paymentEventRetention.stop());
  const walletService = new WalletService({
    orders: dataSource.getRepository(TopUpOrder),
    options: optionService,
    providers,
    idempotency,
    state,
    clock,
    logger,
  });

  const orderService = new OrderService({
    sales,
    notifyRenewal: notifyOfPlan,
    orders: dataSource.getRepository(TopUpOrder),
    wallet: walletService,
    credit,
    reversals,
    refunds,
    idempotency,
    auditLog: auditService,
    clock,
    logger,
  });
  const statementCloser = new StatementCloser({
    database: dataSource,
    options: optionService,
    announce: (manager, { accountId, month }) => notifications.statementClosed(manager, accountId, month),
  });
  const statementClock = new StatementClock({
    closer: statementCloser,
    database: dataSource,
    state,
    nodeId: platform.nodeId,
    clock,
    logger,
  });
  statementClock.start();
  shutdown.onStop('statements', () => statementClock.stop());
  const statementService = new StatementService({
    statements: dataSource.getRepository(Statement),
    closer: statementCloser,
    clock,
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

  // Events for systems of the operator
  const webhookService = new WebhookService({
    endpoints: dataSource.getRepository(WebhookEndpoint),
    deliveries: dataSource.getRepository(WebhookDelivery),
    secrets,
    guard: platform.outboundGuard,
    auditLog: auditService,
  });
  const { nodeId } = platform;
  const webhookSender = new WebhookSender({
    database: dataSource,
    state,
    fetch: guardedFetch,
    secrets,
    nodeId,
    clock,
    logger,
  });
  webhookSender.start();
  shutdown.onStop('webhooks', () => webhookSender.stop());
  const siteEventRetention = new SiteEventRetention({ database: dataSource, state, nodeId, clock, logger });
  siteEventRetention.start();
  shutdown.onStop('event retention', () => siteEventRetention.stop());
  // Plans
  const planService = new PlanService({ plans: dataSource.getRepository(Plan), auditLog: auditService, idempotency });
  const subscriptionService = new SubscriptionService({
    subscriptions: dataSource.getRepository(Subscription),
    sales,
    changes,
    idempotency,
    auditLog: auditService,
    usageLog: logService,
    options: optionService,
    clock,
  });
  const cardRenewals = new CardRenewals({
    database: dataSource,
    sales,
    callbacks: paymentCallbacks,
    providers,
    options: optionService,
    notify: notifyOfPlan,
    clock,
    logger,
  });
  const cardRenewalJob = new CardRenewalJob({ renewals: cardRenewals, logger });
  cardRenewalJob.start();
  shutdown.onStop('card renewals', () => cardRenewalJob.stop());
  const subscriptionKeeper = new SubscriptionKeeper({
    database: dataSource,
    sales,
    changes,
    notify: notifyOfPlan,
    orderRenewal: (manager, ended, plan) => cardRenewals.order(manager, ended, plan),
    clock,
    logger,
  });
  subscriptionKeeper.start();
  shutdown.onStop('subscriptions', () => subscriptionKeeper.stop());

  // Usage
  const usageService = new UsageService({ database: reads, options: optionService, clock });
  const hourlyModels = new HourlyModelsService({ database: reads, options: optionService, clock });
  const insightService = new InsightService({ database: dataSource, options: optionService, clock });
  const ledgerHistory = new LedgerHistoryService({ database: dataSource, options: optionService, clock });
  const keyHolders = new KeyHolderService(dataSource, secrets);
  const billingService = new BillingService({ keys: keyHolders, options: optionService, database: dataSource, clock });
  const logExport = new LogExport(reads);

  return {
    statusService,
    releaseService,
    channelService,
    channelGuard,
    redemptionService,
    redeemService,
    walletService,
    orderService,
    statementService,
    paymentCallbacks,
    paymentTests,
    budgetService,
    usedUpBudgets,
    budgetRefusals,
    planService,
    subscriptionService,
    captureService,
    webhookService,
    usageService,
    hourlyModels,
    insightService,
    ledgerHistory,
    billingService,
    keyHolders,
    logExport,
  };
}
