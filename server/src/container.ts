import type { FastifyInstance } from 'fastify';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Changes } from './cache/changes.js';
import { createSharedState } from './cache/create-shared-state.js';
import type { Config } from './config.js';
import { openDatabase, type Database } from './db/database.js';
import { classOf, createSchema } from './graphql/schema.js';
import { graphqlPlugin } from './graphql/server.js';
import { createApp } from './http/app.js';
import { closeGracefully } from './http/close-gracefully.js';
import { limitByAddress } from './http/rate-limit.js';
import { restHandlers } from './http/rest.js';
import { AuditRecord } from './modules/audit/audit.entity.js';
import { AuditResolver } from './modules/audit/audit.resolver.js';
import { AuditService } from './modules/audit/audit.service.js';
import { AuthService } from './modules/auth/auth.service.js';
import { PasswordService } from './modules/auth/password.service.js';
import { Session } from './modules/auth/session.entity.js';
import { SessionService } from './modules/auth/session.service.js';
import { OwnSessionsService } from './modules/auth/own-sessions.service.js';
import { SessionResolver } from './modules/auth/session.resolver.js';
import { ChannelBalanceService } from './modules/channels/channel-balance.service.js';
import { ChannelBulkService } from './modules/channels/channel-bulk.service.js';
import { ChannelDirectory } from './modules/channels/channel-directory.service.js';
import { ChannelDiscoveryService } from './modules/channels/channel-discovery.service.js';
import { ChannelRounds } from './modules/channels/channel-rounds.service.js';
import { ChannelHeadResolver } from './modules/channels/channel-heads.resolver.js';
import { ChannelHeads } from './modules/channels/channel-heads.service.js';
import type { ChannelServices } from './modules/channels/channel-services.js';
import { ChannelTestService } from './modules/channels/channel-test.service.js';
import { Channel } from './modules/channels/channel.entity.js';
import { ChannelClock } from './modules/channels/channel.jobs.js';
import { ChannelResolver } from './modules/channels/channel.resolver.js';
import { channelRoutes } from './modules/channels/channel.routes.js';
import { ChannelService } from './modules/channels/channel.service.js';
import { modelCatalogueRoutes } from './modules/channels/model-catalogue.routes.js';
import { CheckInResolver } from './modules/check-in/check-in.resolver.js';
import { checkInRoutes } from './modules/check-in/check-in.routes.js';
import { CheckInService } from './modules/check-in/check-in.service.js';
import { GroupResolver } from './modules/groups/group.resolver.js';
import { groupRoutes } from './modules/groups/group.routes.js';
import { GroupService } from './modules/groups/group.service.js';
import { healthRoutes } from './modules/health/health.routes.js';
import { HealthService } from './modules/health/health.service.js';
import { InviteResolver } from './modules/invites/invite.resolver.js';
import { inviteRoutes } from './modules/invites/invite.routes.js';
import { InviteService } from './modules/invites/invite.service.js';
import { LogExport } from './modules/logs/log-export.service.js';
import { LogResolver } from './modules/logs/log.resolver.js';
import { logRoutes } from './modules/logs/log.routes.js';
import { LogRetention } from './modules/logs/log.jobs.js';
import { LogService } from './modules/logs/log.service.js';
import { Option } from './modules/options/option.entity.js';
import { OptionResolver } from './modules/options/option.resolver.js';
import { optionRoutes } from './modules/options/option.routes.js';
import { OptionService } from './modules/options/option.service.js';
import { PriceBook } from './modules/pricing/price-book.service.js';
import { PriceVersion } from './modules/pricing/price-version.entity.js';
import { PriceVersionResolver } from './modules/pricing/price-version.resolver.js';
import { PriceVersionService } from './modules/pricing/price-version.service.js';
import { PricingResolver } from './modules/pricing/pricing.resolver.js';
import { pricingRoutes } from './modules/pricing/pricing.routes.js';
import { PricingService } from './modules/pricing/pricing.service.js';
import { LedgerKeeper } from './modules/quota/ledger.jobs.js';
import { postEntry } from './modules/quota/post-entry.service.js';
import { PostgresLedger } from './modules/quota/postgres-ledger.service.js';
import { Spool } from './modules/quota/spool.js';
import { RedeemService } from './modules/redemptions/redeem.service.js';
import { Redemption } from './modules/redemptions/redemption.entity.js';
import { TurnstileService } from './modules/auth/turnstile.service.js';
import { EmailCodeService } from './modules/registration/email-code.service.js';
import { Enrolment } from './modules/registration/enrolment.service.js';
import { PasswordResetService } from './modules/registration/password-reset.service.js';
import { RegistrationResolver } from './modules/registration/registration.resolver.js';
import { registrationRoutes } from './modules/registration/registration.routes.js';
import { RegistrationService } from './modules/registration/registration.service.js';
import { Mailer } from './mail/mailer.js';
import { RedemptionResolver } from './modules/redemptions/redemption.resolver.js';
import { redeemRoutes, redemptionRoutes } from './modules/redemptions/redemption.routes.js';
import { RedemptionService } from './modules/redemptions/redemption.service.js';
import { Setup } from './modules/setup/setup.entity.js';
import { SetupResolver } from './modules/setup/setup.resolver.js';
import { setupRoutes } from './modules/setup/setup.routes.js';
import { SetupService } from './modules/setup/setup.service.js';
import { StatusResolver } from './modules/status/status.resolver.js';
import { statusRoutes } from './modules/status/status.routes.js';
import { StatusService } from './modules/status/status.service.js';
import { CreativeTask } from './modules/tasks/creative-task.entity.js';
import { CreativeTaskService } from './modules/tasks/creative-task.service.js';
import { DrawingNotifyService } from './modules/tasks/drawing-notify.service.js';
import { Drawing } from './modules/tasks/drawing.entity.js';
import { DrawingService } from './modules/tasks/drawing.service.js';
import { TaskBooks } from './modules/tasks/task-books.service.js';
import { TaskPolling } from './modules/tasks/task.jobs.js';
import { TaskResolver } from './modules/tasks/task.resolver.js';
import { creativeTaskRoutes, drawingRoutes } from './modules/tasks/task.routes.js';
import { Token } from './modules/tokens/token.entity.js';
import { TokenResolver } from './modules/tokens/token.resolver.js';
import { tokenRoutes } from './modules/tokens/token.routes.js';
import { TokenService } from './modules/tokens/token.service.js';
import { SettingResolver } from './modules/users/setting.resolver.js';
import { SettingService } from './modules/users/setting.service.js';
import { billingRoutes } from './modules/usage/billing.routes.js';
import { BillingService } from './modules/usage/billing.service.js';
import { UsageResolver } from './modules/usage/usage.resolver.js';
import { usageRoutes } from './modules/usage/usage.routes.js';
import { UsageService } from './modules/usage/usage.service.js';
import { NoticeDelivery } from './modules/notifications/delivery.service.js';
import { NotificationService } from './modules/notifications/notification.service.js';
import { GitHubProvider } from './modules/oauth/github-provider.js';
import { LinuxDoProvider } from './modules/oauth/linux-do-provider.js';
import { OAuthService } from './modules/oauth/oauth.service.js';
import { OidcProvider } from './modules/oauth/oidc-provider.js';
import { ProviderAccounts } from './modules/oauth/provider-account.service.js';
import { SignInStates } from './modules/oauth/sign-in-state.service.js';
import { WeChatProvider } from './modules/oauth/wechat-provider.js';
import { EmailBinding } from './modules/registration/email-binding.service.js';
import { OAuthResolver } from './modules/users/oauth.resolver.js';
import { oauthRoutes } from './modules/users/oauth.routes.js';
import { accountRoutes } from './modules/users/account.routes.js';
import { AccountService } from './modules/users/account.service.js';
import { SignInResolver } from './modules/users/sign-in.resolver.js';
import { signInRoutes } from './modules/users/sign-in.routes.js';
import { UserBooks } from './modules/users/user-books.service.js';
import { User } from './modules/users/user.entity.js';
import { UserResolver } from './modules/users/user.resolver.js';
import { userRoutes } from './modules/users/user.routes.js';
import { UserService } from './modules/users/user.service.js';
import { CreditService } from './modules/wallet/credit.service.js';
import { TopUpOrder } from './modules/wallet/top-up-order.entity.js';
import { WalletResolver } from './modules/wallet/wallet.resolver.js';
import { walletRoutes } from './modules/wallet/wallet.routes.js';
import { WalletService } from './modules/wallet/wallet.service.js';
import { httpMetrics } from './observability/http-metrics.js';
import { createLogger, type Logger } from './observability/logger.js';
import { Metrics } from './observability/metrics.js';
import { GuardedFetch } from './outbound/guarded-fetch.js';
import { OutboundGuard } from './outbound/outbound-guard.js';
import { createRelay } from './relay/create-relay.js';
import { playgroundRoutes } from './relay/playground.routes.js';
import { relayRoutes } from './relay/relay.routes.js';
import { Realtime } from './relay/realtime/realtime.js';
import { realtimeRoutes } from './relay/realtime/realtime.routes.js';
import { createTasks } from './relay/tasks/create-tasks.js';
import { midjourneyRoutes } from './relay/tasks/midjourney/midjourney.routes.js';
import { sunoRoutes } from './relay/tasks/suno/suno.routes.js';
import { systemClock } from './shared/clock.js';
import { Secrets } from './shared/secrets.js';
import { Shutdown } from './shutdown.js';

/** A whole server. */
export interface Container {
  /** Opens everything in order; the port comes last, so whoever reaches it reaches a server that works. */
  start(): Promise<StartedServer>;
  /** Stops accepting, lets calls in flight finish, closes everything in reverse order. Safe to call at any time, twice. */
  stop(): Promise<void>;
}

export interface StartedServer {
  /** `http://127.0.0.1:3000`: how this machine reaches it. */
  readonly url: string;
  readonly app: FastifyInstance;
  readonly database: Database;
}

/** @param clientRoot folder of the built console; null serves none */
export interface Surroundings {
  readonly logger?: Logger;
  readonly clientRoot?: string | null;
}

/** The composition root: every object of the server, built by hand, once, in reading order. */
export function createContainer(config: Config, surroundings: Surroundings = {}): Container {
  const logger = surroundings.logger ?? createLogger(config.logLevel);
  const shutdown = new Shutdown(logger);
  const cancelled = new AbortController();
  let starting: Promise<StartedServer> | undefined;

  async function start(): Promise<StartedServer> {
    const metrics = new Metrics();
    const database = await openDatabase(config, logger, metrics, cancelled.signal);
    shutdown.onStop('database', () => database.close());
    const app = await compose(config, logger, metrics, database, shutdown, surroundings.clientRoot ?? null);
    await app.listen({ port: config.port, host: config.host });
    return { url: localUrl(app), app, database };
  }

  return {
    start() {
      starting = start().catch(async (error: unknown) => {
        await shutdown.stop();
        throw error;
      });
      return starting;
    },
    async stop() {
      cancelled.abort();
      // What is half open cannot be closed.
      await starting?.catch(() => undefined);
      await shutdown.stop();
    },
  };
}

async function compose(
  config: Config,
  logger: Logger,
  metrics: Metrics,
  database: Database,
  shutdown: Shutdown,
  clientRoot: string | null,
): Promise<FastifyInstance> {
  const { dataSource, ledgerPool } = database;
  const clock = systemClock;
  const nodeId = randomUUID();
  const secrets = new Secrets(database.encryptionKey);

  // Shared state
  const state = await createSharedState(config.redis, { logger, degraded: metrics.sharedStateDegraded });
  shutdown.onStop('shared state', () => state.close());
  const changes = new Changes(state);
  shutdown.onStop('announcements', await changes.listen());

  // The books
  const ledger = new PostgresLedger({
    pool: ledgerPool,
    nodeId,
    spool: new Spool(join(config.dataDir, 'spool'), nodeId),
    clock,
    logger,
    metrics: {
      turn: (size, milliseconds) => {
        metrics.ledgerBatchSize.observe(size);
        metrics.ledgerBatchSeconds.observe(milliseconds / 1000);
      },
    },
  });
  shutdown.onStop('ledger', () => ledger.stop());
  const keeper = new LedgerKeeper({ pool: ledgerPool, nodeId, ledger, logger });
  await keeper.start(config.databaseUrl === undefined);
  shutdown.onStop('ledger keeper', () => keeper.stop());
  const retention = new LogRetention({
    database: dataSource,
    state,
    nodeId,
    clock,
    days: config.logRetentionDays,
    logger,
  });
  retention.start();
  shutdown.onStop('log retention', () => retention.stop());

  // Services
  const logService = new LogService(dataSource, secrets, clock);
  const auditService = new AuditService(dataSource.getRepository(AuditRecord));
  const optionService = new OptionService({
    options: dataSource.getRepository(Option),
    secrets,
    changes,
    audit: logService,
    trail: auditService,
    logger,
    syncSeconds: config.syncSeconds,
  });
  await optionService.start();
  shutdown.onStop('options', () => optionService.stop());
  // What leaves this machine
  const outboundGuard = new OutboundGuard(config.outboundAllow);
  const guardedFetch = new GuardedFetch(outboundGuard);
  shutdown.onStop('outbound calls', () => guardedFetch.close());
  const mailer = new Mailer(optionService, logger);

  const users = dataSource.getRepository(User);
  const passwords = new PasswordService();
  const sessions = new SessionService(dataSource.getRepository(Session), database.sessionSecret, clock);
  const turnstile = new TurnstileService({
    fetch: guardedFetch,
    state,
    options: optionService,
    baseUrl: config.signIn.turnstile,
  });
  const authService = new AuthService({
    users,
    sessions,
    passwords,
    turnstile,
    secrets,
    state,
    changes,
    options: optionService,
  });
  const books = new UserBooks({ postEntry, audit: logService, trail: auditService, options: optionService });
  const userService = new UserService({ users, books, passwords, sessions, changes, options: optionService });
  const accountService = new AccountService({ users, passwords, sessions, secrets, changes, logger });
  const setupService = new SetupService({
    setups: dataSource.getRepository(Setup),
    options: optionService,
    passwords,
    postEntry,
    changes,
    clock,
  });
  await setupService.start();
  const statusService = new StatusService({ options: optionService, setup: setupService, database: dataSource, clock });
  const channels = dataSource.getRepository(Channel);
  const channelDirectory = new ChannelDirectory(channels, changes);
  const groupService = new GroupService(optionService, channelDirectory);
  const tokens = dataSource.getRepository(Token);
  const tokenService = new TokenService({ tokens, groups: groupService, secrets, changes, clock });
  const prices = new PriceBook(optionService);
  const pricingService = new PricingService(channelDirectory, prices, optionService);
  const priceVersionService = new PriceVersionService({
    versions: dataSource.getRepository(PriceVersion),
    changes,
    options: optionService,
    prices,
    channels: channelDirectory,
    logger,
  });
  await priceVersionService.start();
  const credit = new CreditService({ postEntry, audit: logService, changes, options: optionService });
  const redemptionService = new RedemptionService({
    redemptions: dataSource.getRepository(Redemption),
    secrets,
    audit: logService,
    trail: auditService,
    clock,
  });
  const redeemService = new RedeemService({ database: dataSource, secrets, state, credit, clock });
  const orders = dataSource.getRepository(TopUpOrder);
  const walletService = new WalletService({ orders, options: optionService, credit, state, clock, logger });
  const usageService = new UsageService({ database: dataSource, options: optionService, clock });
  const billingService = new BillingService({ database: dataSource, secrets, options: optionService });

  // How people come in
  const codes = new EmailCodeService({ users, state, mailer, secrets, options: optionService });
  const enrolment = new Enrolment({ postEntry, audit: logService, options: optionService });
  const registrationService = new RegistrationService({
    users,
    auth: authService,
    passwords,
    codes,
    enrolment,
    tokens: tokenService,
    options: optionService,
    generateDefaultToken: config.generateDefaultToken,
  });
  const passwordResetService = new PasswordResetService({
    users,
    auth: authService,
    passwords,
    sessions,
    state,
    mailer,
    secrets,
    changes,
    options: optionService,
  });

  const emailBinding = new EmailBinding({ users, auth: authService, codes, changes });
  const oidc = new OidcProvider(guardedFetch, optionService);
  const oauthService = new OAuthService({
    auth: authService,
    states: new SignInStates(state),
    accounts: new ProviderAccounts({ users, enrolment, changes, options: optionService }),
    providers: {
      github: new GitHubProvider(guardedFetch, optionService, config.signIn),
      oidc,
      linuxdo: new LinuxDoProvider(guardedFetch, optionService, config.signIn.linuxDo),
    },
    oidc,
    wechat: new WeChatProvider(guardedFetch, optionService),
    options: optionService,
    clock,
  });

  // What people do with their own account
  const ownSessions = new OwnSessionsService(dataSource.getRepository(Session), changes, clock);
  const settingService = new SettingService({
    users,
    changes,
    checkUrl: (url) => outboundGuard.checkUrl(url, 'public-only'),
  });
  const checkInService = new CheckInService({ users, postEntry, audit: logService, options: optionService, clock });
  const inviteService = new InviteService({ users, postEntry, audit: logService, options: optionService });

  const notifications = new NotificationService({
    database: dataSource,
    state,
    changes,
    delivery: new NoticeDelivery({ mailer, fetch: guardedFetch, options: optionService, clock, logger }),
    options: optionService,
    limit: config.notifyLimit,
    clock,
    logger,
  });
  shutdown.onStop('notices', () => notifications.stop());

  const channelService = new ChannelService({
    channels,
    secrets,
    changes,
    audit: logService,
    trail: auditService,
    notices: notifications,
    clock,
  });

  // The relay
  const builtRelay = createRelay({
    database: dataSource,
    state,
    changes,
    options: optionService,
    ledger,
    guard: outboundGuard,
    secrets,
    clock,
    logger,
    metrics,
    settings: config.relay,
    syncSeconds: config.syncSeconds,
    channelGuard: channelService,
    balances: notifications,
  });
  await builtRelay.start();
  shutdown.onStop('relay', () => builtRelay.stop());

  // Work that providers do after the call
  const drawingNotify = new DrawingNotifyService(secrets, optionService);
  const drawingService = new DrawingService({
    drawings: dataSource.getRepository(Drawing),
    secrets,
    options: optionService,
    clock,
  });
  const creativeTaskService = new CreativeTaskService(dataSource.getRepository(CreativeTask));
  const tasks = createTasks({
    relay: builtRelay,
    books: new TaskBooks({
      database: dataSource,
      ledger,
      postEntry,
      audit: logService,
      changes,
      options: optionService,
      clock,
    }),
    notify: drawingNotify,
    pictures: guardedFetch,
    channelGuard: channelService,
    ...{ database: dataSource, ledger, secrets, clock, logger },
  });
  const polling = new TaskPolling({
    ...{ pollers: tasks.pollers, state, nodeId, logger },
    seconds: config.taskPolling.seconds,
  });
  if (config.taskPolling.enabled) polling.start();
  shutdown.onStop('task polling', () => polling.stop());
  const realtime = new Realtime({
    ...builtRelay.core,
    ...builtRelay.routesParts,
    guard: outboundGuard,
    ...{ ledger, database: dataSource, clock, logger },
  });
  const tests = new ChannelTestService({
    channels,
    probe: builtRelay.probe,
    logs: logService,
    prices,
    options: optionService,
    clock,
  });
  const balances = new ChannelBalanceService({ channels, secrets, http: guardedFetch, changes, clock });
  const rounds = new ChannelRounds({
    ...{ channels, service: channelService, tests, balances, state, options: optionService, nodeId, logger },
    notices: notifications,
    pause: config.channelRounds.pause,
  });
  shutdown.onStop('channel rounds', () => rounds.stop());
  const channelClock = new ChannelClock({ database: dataSource, rounds, state, logger, ...config.channelRounds });
  await channelClock.start();
  shutdown.onStop('channel clock', () => channelClock.stop());
  const channelServices: ChannelServices = {
    channels: channelService,
    bulk: new ChannelBulkService({ channels, changes, audit: logService, trail: auditService }),
    directory: channelDirectory,
    discovery: new ChannelDiscoveryService(channels, secrets, guardedFetch),
    tests,
    balances,
    rounds,
  };

  // Skins
  const health = new HealthService([
    { name: 'database', check: () => database.ping() },
    { name: 'sharedState', check: async () => void ((await state.ping()) || Promise.reject(new Error('away'))) },
  ]);

  const resolvers = [
    new StatusResolver(statusService),
    new SetupResolver(setupService),
    new SignInResolver(authService),
    new UserResolver(userService, accountService),
    new GroupResolver(groupService),
    new OptionResolver(optionService),
    new ChannelResolver(channelServices),
    new ChannelHeadResolver(new ChannelHeads(channelService)),
    new TokenResolver(tokenService),
    new TaskResolver(drawingService, creativeTaskService, drawingNotify),
    new LogResolver(logService),
    new AuditResolver(auditService),
    new SessionResolver(ownSessions),
    new OAuthResolver(oauthService, emailBinding),
    new RegistrationResolver(registrationService, passwordResetService),
    new SettingResolver(settingService),
    new CheckInResolver(checkInService),
    new InviteResolver(inviteService),
    new PricingResolver(pricingService),
    new PriceVersionResolver(priceVersionService),
    new RedemptionResolver(redemptionService, redeemService),
    new WalletResolver(walletService),
    new UsageResolver(usageService),
  ];
  const schema = await createSchema(resolvers.map(classOf), resolvers);
  const rest = restHandlers(authService);

  // HTTP
  const app = await createApp({
    logger,
    state,
    trustedProxies: config.trustedProxies,
    apiRateLimit: config.apiRateLimit,
    webRateLimit: config.webRateLimit,
    clientRoot,
    systemName: () => optionService.values.SystemName,
    plugins: [
      httpMetrics(metrics),
      healthRoutes(health, metrics, config.metricsToken),
      relayRoutes(builtRelay.routesParts),
      playgroundRoutes({ ...builtRelay.routesParts, authenticator: authService }),
      midjourneyRoutes(tasks.midjourney),
      sunoRoutes(tasks.suno),
      realtimeRoutes(realtime),
      billingRoutes(billingService, limitByAddress(state, 'GA', config.apiRateLimit)),
    ],
    api: [
      { prefix: '', routes: statusRoutes(statusService, rest) },
      { prefix: '', routes: setupRoutes(setupService, rest) },
      { prefix: '', routes: groupRoutes(groupService, rest) },
      { prefix: '', routes: registrationRoutes(registrationService, passwordResetService, rest) },
      { prefix: '/oauth', routes: oauthRoutes(oauthService, emailBinding, rest) },
      { prefix: '/user', routes: signInRoutes(authService, rest) },
      { prefix: '/user', routes: accountRoutes(accountService, settingService, rest) },
      { prefix: '/user', routes: checkInRoutes(checkInService, rest) },
      { prefix: '/user', routes: inviteRoutes(inviteService, rest) },
      { prefix: '/user', routes: userRoutes(userService, rest) },
      { prefix: '/option', routes: optionRoutes(optionService, rest) },
      { prefix: '/channel', routes: channelRoutes(channelServices, rest) },
      { prefix: '/models', routes: modelCatalogueRoutes(rest) },
      { prefix: '/token', routes: tokenRoutes(tokenService, rest) },
      { prefix: '/mj', routes: drawingRoutes(drawingService, rest) },
      { prefix: '/task', routes: creativeTaskRoutes(creativeTaskService, rest) },
      { prefix: '/log', routes: logRoutes(logService, new LogExport(dataSource), rest) },
      { prefix: '/pricing', routes: pricingRoutes(pricingService, rest) },
      { prefix: '/redemption', routes: redemptionRoutes(redemptionService, rest) },
      { prefix: '/user', routes: redeemRoutes(redeemService, rest) },
      { prefix: '/user', routes: walletRoutes(walletService, rest) },
      { prefix: '/data', routes: usageRoutes(usageService, rest) },
    ],
    graphql: graphqlPlugin({ schema, authenticator: authService, logger }),
  });
  shutdown.onStop('http', () => closeGracefully(app, config.shutdownMilliseconds, logger));
  // Before the server: a socket does not end by itself.
  shutdown.onStop('realtime sessions', () => realtime.stop());
  shutdown.onStop('readiness', () => health.beginStop());
  return app;
}

function localUrl(app: FastifyInstance): string {
  const address = app.server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  return `http://127.0.0.1:${address.port}`;
}
