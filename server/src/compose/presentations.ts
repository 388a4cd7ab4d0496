import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { auditRoutes } from '../console/audit/audit.routes.js';
import { CostBudget } from '../platform/graphql/cost-budget.js';
import { graphqlPlugin } from '../platform/graphql/server.js';
import { TimeShare } from '../platform/graphql/time-share.js';
import { createApp, type AppDeps } from '../platform/http/app.js';
import { prepareClose } from '../platform/http/close-gracefully.js';
import { limitByAddress } from '../platform/http/rate-limit.js';
import { withPage } from '../platform/http/too-many-page.js';
import { restHandlers, type RestHandlers } from '../platform/http/rest.js';
import { restRoutes } from '../platform/http/route.js';
import { apiReferenceRoutes } from '../console/api-reference/api-reference.routes.js';
import { newApiPlanRoutes } from '../console/plans/new-api-plans.routes.js';
import { planRoutes } from '../console/plans/plan.routes.js';
import { budgetRoutes } from '../console/budgets/budget.routes.js';
import { channelMultiKeyRoutes } from '../console/channels/channel-multi-key.routes.js';
import { channelProviderRoutes } from '../console/channels/channel-provider.routes.js';
import { channelRoutes, modelCatalogueRoutes } from '../console/channels/channel.routes.js';
import { checkInRoutes } from '../console/check-in/check-in.routes.js';
import { DocsService } from '../console/docs/index.js';
import { docsRoutes } from '../console/docs/docs.routes.js';
import { groupRoutes, usableGroupRoutes } from '../console/groups/group.routes.js';
import { machineChecks } from '../platform/health/health.routes.js';
import { HealthService } from '../platform/health/health.service.js';
import { inviteRoutes } from '../console/invites/invite.routes.js';
import { logRoutes } from '../console/logs/log.routes.js';
import { importUploads } from '../import/console/import.routes.js';
import { organisationRoutes } from '../console/organisations/organisation.routes.js';
import { optionRoutes } from '../console/options/option.routes.js';
import { modelHealthRoutes } from '../console/health/models/model-health.routes.js';
import { pricingRoutes } from '../console/prices/pricing.routes.js';
import { priceCheckUploads } from '../console/prices/sync/price-sync.routes.js';
import { registrationRoutes } from '../console/registration/registration.routes.js';
import { redeemRoutes, redemptionRoutes } from '../console/redemptions/redemption.routes.js';
import { setupRoutes } from '../console/setup/setup.routes.js';
import { statusPageRoutes } from '../console/health/status-page/status-page.routes.js';
import { statusRoutes } from '../console/status/status.routes.js';
import { toWire } from '../console/status/status.wire.js';
import { creativeTaskRoutes, drawingRoutes } from '../console/tasks/task.routes.js';
import { tokenRoutes } from '../console/tokens/token.routes.js';
import { userKeyRoutes } from '../console/tokens/user-keys.routes.js';
import { keyBalances, keyUsageRoutes } from '../console/usage/billing.routes.js';
import { usageRoutes } from '../console/usage/usage.routes.js';
import { oauthRoutes } from '../console/oauth/oauth.routes.js';
import { signInProviderRoutes } from '../console/oauth/sign-in-provider.routes.js';
import { accountRoutes } from '../console/users/account.routes.js';
import { factorSignInRoutes, secondFactorRoutes } from '../console/second-factors/second-factor.routes.js';
import { signInRoutes } from '../console/sign-in/sign-in.routes.js';
import { userRoutes } from '../console/users/user.routes.js';
import { paymentProviders } from '../billing/payments/index.js';
import { statementRoutes } from '../console/statements/statement.routes.js';
import { orderRoutes, paymentCallbacks, topUpPaymentRoutes } from '../console/wallet/wallet.routes.js';
import { webhookRoutes } from '../console/webhooks/webhook.routes.js';
import { httpMetrics } from '../platform/observability/http-requests.js';
import { errorResponse } from '../services/client-errors.js';
import { playgroundRoutes } from '../services/playground/playground.routes.js';
import { directCalls } from '../services/direct-calls.js';
import { relayRoutes } from '../services/relay.routes.js';
import { realtimeRoutes } from '../services/realtime/realtime.routes.js';
import { midjourneyRoutes } from '../services/tasks/midjourney/midjourney.routes.js';
import { sunoRoutes } from '../services/tasks/suno/suno.routes.js';
import { batchRoutes } from '../services/batches/batch.routes.js';
import { videoRoutes } from '../services/tasks/video/videos.routes.js';
import { composeLive } from './live.js';
import { version } from '../shared/version.js';
import type { ComposedSchema } from './resolvers.js';
import type { Subjects } from './subjects.js';

/** One console page needs several GraphQL operations where an old client sent one request. */
const graphqlCallsPerApiCall = 4;
/** Cost per minute with which a user could use the whole time of a node. */
const costOfAllTime = 1_000_000;

/** Folders of files that the server serves. */
export interface ServedRoots {
  /** The built console; null serves none. */
  readonly client: string | null;
  /** The documentation; null serves none. */
  readonly docs: string | null;
}

/** The server with the REST and GraphQL APIs of all subjects, not yet listening. */
export async function composePresentations(
  subjects: Subjects,
  { schema, addResolvers }: ComposedSchema,
  roots: ServedRoots,
): Promise<FastifyInstance> {
  const { platform, accounts, operations, relay } = subjects;
  const { config, logger, metrics, database, ledger, shutdown, state, optionService } = platform;
  const { builtRelay, tasks, realtime } = relay;
  const { authService } = accounts;
  const health = new HealthService([
    {
      name: 'database',
      required: true,
      check: async () => {
        if (!ledger.available) throw new Error('calls are refused until the database can be written');
        await database.ping();
      },
    },
    {
      name: 'sharedState',
      // Without Redis a node counts alone; taking every node out of the load balancer would end the service.
      required: false,
      check: async () => {
        if (!(await state.ping())) throw new Error('Redis is unavailable');
      },
    },
  ]);

  addResolvers(subjects);
  const rest = restHandlers(authService, (key, address) => operations.keyHolders.manager(key, address));
  const { live, streams } = composeLive(platform, relay);

  const app = await createApp({
    logger,
    state,
    trustedProxies: config.trustedProxies,
    apiRateLimit: config.apiRateLimit,
    webRateLimit: config.webRateLimit,
    clientRoot: roots.client,
    site: () => ({
      systemName: optionService.values.SystemName,
      turnstile: optionService.values.TurnstileCheckEnabled,
      telegram: optionService.values.TelegramOAuthEnabled,
      checkoutAddresses: paymentProviders.flatMap((one) => one.checkoutAddresses(optionService.values)),
      chatLinks: optionService.values.Chats.flatMap((chat) => Object.values(chat)),
      status: async () => toWire(await operations.statusService.get()),
    }),
    authenticator: authService,
    bodyPace: config.bodyPace,
    connections: config.connections,
    errorResponse,
    direct: directCalls(builtRelay.routesDeps),
    basePath: config.basePath,
    publicAddress: () => optionService.values.ServerAddress,
    plugins: [
      httpMetrics(metrics),
      machineChecks({ health, metrics, metricsToken: config.metricsToken }, rest),
      apiReferenceRoutes({
        sections: async () => (await import('./api-sections.js')).apiSections,
        version,
        address: () => optionService.values.ServerAddress,
      }),
      relayRoutes({
        ...builtRelay.routesDeps,
        createGeminiBatch: (call, request) => tasks.batches.batches.create(tasks.batches.gemini, call, request),
      }),
      playgroundRoutes({
        ...builtRelay.routesDeps,
        ...tasks.video,
        bodies: builtRelay.core.bodies,
        authenticator: authService,
      }),
      midjourneyRoutes(tasks.midjourney),
      sunoRoutes(tasks.suno),
      videoRoutes(tasks.video),
      batchRoutes(tasks.batches),
      realtimeRoutes(realtime),
      keyBalances(operations.billingService, limitByAddress(state, 'GA', config.apiRateLimit), rest),
      ...(roots.docs === null
        ? []
        : [
            docsRoutes(
              new DocsService(roots.docs, config.basePath),
              withPage(limitByAddress(state, 'GD', config.webRateLimit), () => optionService.values.SystemName),
            ),
          ]),
    ],
    api: apiRoutes(subjects, rest),
    graphql: graphqlPlugin({
      schema,
      authenticator: authService,
      live,
      streams,
      logger,
      budget: new CostBudget(state, config.graphqlCostPerMinute, config.apiRateLimit.enabled),
      time: new TimeShare(config.graphqlCostPerMinute / costOfAllTime),
      limitByAddress: limitByAddress(state, 'GQ', {
        ...config.apiRateLimit,
        count: config.apiRateLimit.count * graphqlCallsPerApiCall,
      }),
    }),
  });
  shutdown.onStop('http', prepareClose(app, config.shutdownMilliseconds, logger));
  // The hook is registered before the server's own: a WebSocket does not close by itself.
  shutdown.onStop('realtime sessions', () => realtime.stop());
  shutdown.onStop('subscriptions', () => streams.stop());
  shutdown.onStop('readiness', async () => {
    // The successor continues to serve the port, so the load balancer has no reason to remove the server.
    if (platform.worker?.isReplaced) return;
    health.beginStop();
    // Load balancers see the state at their next check. Until then they send calls, which are served.
    await delay(config.shutdownDelayMilliseconds);
  });
  return app;
}

function apiRoutes(subjects: Subjects, rest: RestHandlers): AppDeps['api'] {
  const { catalogue, accounts, operations, relay, platform, channelServices, priceSync, siteImport } = subjects;
  return [
    restRoutes(statusRoutes, operations.statusService, rest),
    restRoutes(setupRoutes, accounts.setupService, rest),
    restRoutes([...groupRoutes, ...usableGroupRoutes], catalogue.groupService, rest),
    restRoutes(registrationRoutes, accounts, rest),
    restRoutes(oauthRoutes, accounts, rest),
    restRoutes(signInProviderRoutes, accounts, rest),
    restRoutes(signInRoutes, accounts.authService, rest),
    restRoutes([...factorSignInRoutes, ...secondFactorRoutes], accounts, rest),
    restRoutes(accountRoutes, accounts, rest),
    restRoutes(checkInRoutes, accounts.checkInService, rest),
    restRoutes(inviteRoutes, accounts.inviteService, rest),
    restRoutes(organisationRoutes, accounts.organisationServices, rest),
    restRoutes(userRoutes, accounts.userService, rest),
    restRoutes(optionRoutes, platform.optionService, rest),
    restRoutes(
      [...channelRoutes, ...channelProviderRoutes, ...channelMultiKeyRoutes, ...modelCatalogueRoutes],
      channelServices,
      rest,
    ),
    restRoutes(budgetRoutes, operations.budgetService, rest),
    restRoutes(planRoutes, operations, rest),
    restRoutes(newApiPlanRoutes, { ...operations, options: platform.optionService }, rest),
    restRoutes(tokenRoutes, catalogue, rest),
    restRoutes(userKeyRoutes, catalogue, rest),
    restRoutes(drawingRoutes, relay.drawingService, rest),
    restRoutes(creativeTaskRoutes, relay.creativeTaskService, rest),
    restRoutes(
      logRoutes,
      {
        logService: platform.logService,
        logExport: operations.logExport,
        keyHolders: operations.keyHolders,
        authenticator: accounts.authService,
        options: platform.optionService,
      },
      rest,
    ),
    restRoutes(auditRoutes, platform.auditService, rest),
    restRoutes(keyUsageRoutes, operations.billingService, rest),
    restRoutes(modelHealthRoutes, catalogue.modelHealthService, rest),
    restRoutes(statusPageRoutes, catalogue.statusPageService, rest),
    restRoutes(pricingRoutes, catalogue.pricingService, rest),
    priceCheckUploads(priceSync.priceChecks, rest),
    importUploads(siteImport, rest),
    restRoutes(redemptionRoutes, operations.redemptionService, rest),
    restRoutes(redeemRoutes, operations.redeemService, rest),
    restRoutes(topUpPaymentRoutes, operations.walletService, rest),
    restRoutes(orderRoutes, operations.orderService, rest),
    restRoutes(statementRoutes, operations.statementService, rest),
    paymentCallbacks(operations.paymentCallbacks, rest),
    restRoutes(usageRoutes, operations, rest),
    restRoutes(webhookRoutes, operations.webhookService, rest),
  ];
}
