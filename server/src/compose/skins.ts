import type { FastifyInstance } from 'fastify';
import { classOf, createSchema } from '../graphql/schema.js';
import { graphqlPlugin } from '../graphql/server.js';
import { createApp, type AppParts } from '../http/app.js';
import { closeGracefully } from '../http/close-gracefully.js';
import { limitByAddress } from '../http/rate-limit.js';
import { restHandlers, type RestHandlers } from '../http/rest.js';
import { AuditResolver } from '../modules/audit/audit.resolver.js';
import { SessionResolver } from '../modules/auth/session.resolver.js';
import { ChannelHeadResolver } from '../modules/channels/channel-heads.resolver.js';
import { ChannelHeads } from '../modules/channels/channel-heads.service.js';
import type { ChannelServices } from '../modules/channels/channel-services.js';
import { ChannelLiveResolver } from '../modules/channels/channel-live.resolver.js';
import { ChannelResolver } from '../modules/channels/channel.resolver.js';
import { channelRoutes } from '../modules/channels/channel.routes.js';
import { modelCatalogueRoutes } from '../modules/channels/model-catalogue.routes.js';
import { CheckInResolver } from '../modules/check-in/check-in.resolver.js';
import { checkInRoutes } from '../modules/check-in/check-in.routes.js';
import { GroupResolver } from '../modules/groups/group.resolver.js';
import { groupRoutes } from '../modules/groups/group.routes.js';
import { healthRoutes } from '../modules/health/health.routes.js';
import { HealthService } from '../modules/health/health.service.js';
import { InviteResolver } from '../modules/invites/invite.resolver.js';
import { inviteRoutes } from '../modules/invites/invite.routes.js';
import { LogLiveResolver } from '../modules/logs/log-live.resolver.js';
import { LogResolver } from '../modules/logs/log.resolver.js';
import { logRoutes } from '../modules/logs/log.routes.js';
import { OptionResolver } from '../modules/options/option.resolver.js';
import { optionRoutes } from '../modules/options/option.routes.js';
import { PriceVersionResolver } from '../modules/pricing/price-version.resolver.js';
import { PricingResolver } from '../modules/pricing/pricing.resolver.js';
import { pricingRoutes } from '../modules/pricing/pricing.routes.js';
import { RegistrationResolver } from '../modules/registration/registration.resolver.js';
import { registrationRoutes } from '../modules/registration/registration.routes.js';
import { RedemptionResolver } from '../modules/redemptions/redemption.resolver.js';
import { redeemRoutes, redemptionRoutes } from '../modules/redemptions/redemption.routes.js';
import { SetupResolver } from '../modules/setup/setup.resolver.js';
import { setupRoutes } from '../modules/setup/setup.routes.js';
import { StatusResolver } from '../modules/status/status.resolver.js';
import { statusRoutes } from '../modules/status/status.routes.js';
import { toWire } from '../modules/status/status.wire.js';
import { TaskLiveResolver } from '../modules/tasks/task-live.resolver.js';
import { TaskResolver } from '../modules/tasks/task.resolver.js';
import { creativeTaskRoutes, drawingRoutes } from '../modules/tasks/task.routes.js';
import { TokenResolver } from '../modules/tokens/token.resolver.js';
import { tokenRoutes } from '../modules/tokens/token.routes.js';
import { SettingResolver } from '../modules/users/setting.resolver.js';
import { billingRoutes } from '../modules/usage/billing.routes.js';
import { MarginResolver } from '../modules/usage/margin.resolver.js';
import { UsageResolver } from '../modules/usage/usage.resolver.js';
import { usageRoutes } from '../modules/usage/usage.routes.js';
import { OAuthResolver } from '../modules/users/oauth.resolver.js';
import { oauthRoutes } from '../modules/users/oauth.routes.js';
import { accountRoutes } from '../modules/users/account.routes.js';
import { SignInResolver } from '../modules/users/sign-in.resolver.js';
import { signInRoutes } from '../modules/users/sign-in.routes.js';
import { BalanceResolver } from '../modules/users/balance.resolver.js';
import { UserResolver } from '../modules/users/user.resolver.js';
import { userRoutes } from '../modules/users/user.routes.js';
import { WalletResolver } from '../modules/wallet/wallet.resolver.js';
import { walletRoutes } from '../modules/wallet/wallet.routes.js';
import { httpMetrics } from '../observability/http-metrics.js';
import { playgroundRoutes } from '../relay/playground.routes.js';
import { relayRoutes } from '../relay/relay.routes.js';
import { realtimeRoutes } from '../relay/realtime/realtime.routes.js';
import { midjourneyRoutes } from '../relay/tasks/midjourney/midjourney.routes.js';
import { sunoRoutes } from '../relay/tasks/suno/suno.routes.js';
import type { Accounts } from './accounts.js';
import type { Catalogue } from './catalogue.js';
import { composeLive } from './live.js';
import type { Operations } from './operations.js';
import type { Platform } from './platform.js';
import type { ComposedRelay } from './relay.js';

/** Everything below the skins. */
export interface Subjects {
  readonly platform: Platform;
  readonly catalogue: Catalogue;
  readonly accounts: Accounts;
  readonly operations: Operations;
  readonly relay: ComposedRelay;
  readonly channelServices: ChannelServices;
}

/** The server with both skins over all subjects, not yet listening. */
export async function composeSkins(subjects: Subjects, clientRoot: string | null): Promise<FastifyInstance> {
  const { platform, accounts, operations, relay } = subjects;
  const { config, logger, metrics, database, shutdown, state, optionService } = platform;
  const { builtRelay, tasks, realtime } = relay;
  const { authService } = accounts;
  const health = new HealthService([
    { name: 'database', check: () => database.ping() },
    { name: 'sharedState', check: async () => void ((await state.ping()) || Promise.reject(new Error('away'))) },
  ]);

  const resolvers = resolversOf(subjects);
  const schema = await createSchema(resolvers.map(classOf), resolvers);
  const rest = restHandlers(authService);
  const { live, streams } = composeLive(platform, relay);

  const app = await createApp({
    logger,
    state,
    trustedProxies: config.trustedProxies,
    apiRateLimit: config.apiRateLimit,
    webRateLimit: config.webRateLimit,
    clientRoot,
    site: () => ({
      systemName: optionService.values.SystemName,
      turnstile: optionService.values.TurnstileCheckEnabled,
      telegram: optionService.values.TelegramOAuthEnabled,
      chatLinks: optionService.values.Chats.flatMap((chat) => Object.values(chat)),
      status: async () => toWire(await operations.statusService.get()),
    }),
    plugins: [
      httpMetrics(metrics),
      healthRoutes(health, metrics, config.metricsToken),
      relayRoutes(builtRelay.routesParts),
      playgroundRoutes({ ...builtRelay.routesParts, authenticator: authService }),
      midjourneyRoutes(tasks.midjourney),
      sunoRoutes(tasks.suno),
      realtimeRoutes(realtime),
      billingRoutes(operations.billingService, limitByAddress(state, 'GA', config.apiRateLimit)),
    ],
    api: apiRoutes(subjects, rest),
    graphql: graphqlPlugin({ schema, authenticator: authService, live, streams, logger }),
  });
  shutdown.onStop('http', () => closeGracefully(app, config.shutdownMilliseconds, logger));
  // Before the server: a socket does not end by itself.
  shutdown.onStop('realtime sessions', () => realtime.stop());
  shutdown.onStop('subscriptions', () => streams.stop());
  shutdown.onStop('readiness', () => health.beginStop());
  return app;
}

function resolversOf({ catalogue, accounts, operations, relay, platform, channelServices }: Subjects): object[] {
  return [
    new StatusResolver(operations.statusService, operations.releaseService),
    new SetupResolver(accounts.setupService),
    new SignInResolver(accounts.authService),
    new UserResolver(accounts.userService, accounts.accountService),
    new GroupResolver(catalogue.groupService),
    new OptionResolver(platform.optionService),
    new ChannelResolver(channelServices),
    new ChannelHeadResolver(new ChannelHeads(operations.channelService)),
    new TokenResolver(catalogue.tokenService),
    new TaskResolver(relay.drawingService, relay.creativeTaskService, relay.drawingNotify),
    new LogResolver(platform.logService),
    new AuditResolver(platform.auditService),
    new SessionResolver(accounts.ownSessions),
    new OAuthResolver(accounts.oauthService, accounts.emailBinding),
    new RegistrationResolver(accounts.registrationService, accounts.passwordResetService),
    new SettingResolver(accounts.settingService),
    new CheckInResolver(accounts.checkInService),
    new InviteResolver(accounts.inviteService),
    new PricingResolver(catalogue.pricingService),
    new PriceVersionResolver(catalogue.priceVersionService),
    new RedemptionResolver(operations.redemptionService, operations.redeemService),
    new WalletResolver(operations.walletService),
    new UsageResolver(operations.usageService),
    new MarginResolver(operations.marginService),
    new LogLiveResolver(),
    new ChannelLiveResolver(),
    new TaskLiveResolver(),
    new BalanceResolver(),
  ];
}

function apiRoutes(subjects: Subjects, rest: RestHandlers): AppParts['api'] {
  const { catalogue, accounts, operations, relay, platform, channelServices } = subjects;
  return [
    { prefix: '', routes: statusRoutes(operations.statusService, rest) },
    { prefix: '', routes: setupRoutes(accounts.setupService, rest) },
    { prefix: '', routes: groupRoutes(catalogue.groupService, rest) },
    { prefix: '', routes: registrationRoutes(accounts.registrationService, accounts.passwordResetService, rest) },
    { prefix: '/oauth', routes: oauthRoutes(accounts.oauthService, accounts.emailBinding, rest) },
    { prefix: '/user', routes: signInRoutes(accounts.authService, rest) },
    { prefix: '/user', routes: accountRoutes(accounts.accountService, accounts.settingService, rest) },
    { prefix: '/user', routes: checkInRoutes(accounts.checkInService, rest) },
    { prefix: '/user', routes: inviteRoutes(accounts.inviteService, rest) },
    { prefix: '/user', routes: userRoutes(accounts.userService, rest) },
    { prefix: '/option', routes: optionRoutes(platform.optionService, rest) },
    { prefix: '/channel', routes: channelRoutes(channelServices, rest) },
    { prefix: '/models', routes: modelCatalogueRoutes(rest) },
    { prefix: '/token', routes: tokenRoutes(catalogue.tokenService, rest) },
    { prefix: '/mj', routes: drawingRoutes(relay.drawingService, rest) },
    { prefix: '/task', routes: creativeTaskRoutes(relay.creativeTaskService, rest) },
    { prefix: '/log', routes: logRoutes(platform.logService, operations.logExport, rest) },
    { prefix: '/pricing', routes: pricingRoutes(catalogue.pricingService, rest) },
    { prefix: '/redemption', routes: redemptionRoutes(operations.redemptionService, rest) },
    { prefix: '/user', routes: redeemRoutes(operations.redeemService, rest) },
    { prefix: '/user', routes: walletRoutes(operations.walletService, rest) },
    { prefix: '/data', routes: usageRoutes(operations.usageService, rest) },
  ];
}
