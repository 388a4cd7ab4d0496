import type { GraphQLSchema } from 'graphql';
import { createSchema, ResolverInstances, type ResolverClass } from '../platform/graphql/schema.js';
import { UserSessionResolver } from '../console/users/user-sessions.resolver.js';
import { AlertResolver } from '../console/alerts/alert.resolver.js';
import { AuditResolver } from '../console/audit/audit.resolver.js';
import { AccessTokenResolver } from '../console/auth/access-token.resolver.js';
import { UserKeyResolver } from '../console/tokens/user-keys.resolver.js';
import { SessionResolver } from '../console/auth/session.resolver.js';
import { CaptureResolver } from '../console/captures/capture.resolver.js';
import { PlanResolver } from '../console/plans/plan.resolver.js';
import { BudgetResolver } from '../console/budgets/budget.resolver.js';
import { ChannelActionResolver } from '../console/channels/channel-actions.resolver.js';
import { ChannelsByTagResolver } from '../console/channels/channels-by-tag.resolver.js';
import { ChannelLiveResolver } from '../console/channels/channel-live.resolver.js';
import { ChannelSessionResolver } from '../console/channels/channel-sessions.resolver.js';
import { ChannelTestRunResolver } from '../console/channels/channel-test-runs.resolver.js';
import { ChannelResolver } from '../console/channels/channel.resolver.js';
import { DashboardResolver, PanelResolver } from '../console/dashboards/dashboard.resolver.js';
import { CheckInResolver } from '../console/check-in/check-in.resolver.js';
import { GuardrailTrialResolver } from '../console/guardrails/guardrail-trial.resolver.js';
import { GuardrailTrialService } from '../console/guardrails/index.js';
import { GroupResolver } from '../console/groups/group.resolver.js';
import { InsightResolver } from '../console/insights/insights.resolver.js';
import { LedgerHistoryResolver } from '../console/insights/ledger-history.resolver.js';
import { InviteResolver } from '../console/invites/invite.resolver.js';
import { LogLiveResolver } from '../console/logs/log-live.resolver.js';
import { LogResolver } from '../console/logs/log.resolver.js';
import { ImportResolver } from '../import/console/import.resolver.js';
import { OrganisationResolver } from '../console/organisations/organisation.resolver.js';
import { OptionResolver } from '../console/options/option.resolver.js';
import { BelowCostResolver } from '../console/prices/below-cost.resolver.js';
import { DryRunResolver } from '../console/prices/dry-run/dry-run.resolver.js';
import { ChannelHealthResolver } from '../console/health/channels/channel-health.resolver.js';
import { FailedAttemptResolver } from '../console/health/attempts/failed-attempts.resolver.js';
import { ModelHealthResolver } from '../console/health/models/model-health.resolver.js';
import { PriceVersionResolver } from '../console/prices/price-version.resolver.js';
import { PricingResolver } from '../console/prices/pricing.resolver.js';
import { PriceSyncResolver } from '../console/prices/sync/price-sync.resolver.js';
import { RedemptionResolver } from '../console/redemptions/redemption.resolver.js';
import { RegistrationResolver } from '../console/registration/registration.resolver.js';
import { relationsToOne } from '../console/relations/to-one.resolver.js';
import type { RelationSources } from '../console/relations/relation.object.js';
import {
  OrganisationListRelations,
  TokenListRelations,
  UserListRelations,
} from '../console/relations/to-many.resolver.js';
import { CustomRoleResolver, UserRoleRelations } from '../console/roles/custom-role.resolver.js';
import { FactorSignInResolver } from '../console/second-factors/factor-sign-in.resolver.js';
import { SecondFactorResolver } from '../console/second-factors/second-factor.resolver.js';
import { SetupResolver } from '../console/setup/setup.resolver.js';
import { StatusPageResolver } from '../console/health/status-page/status-page.resolver.js';
import { StatusResolver } from '../console/status/status.resolver.js';
import { CreativeTaskFields } from '../console/tasks/creative-task.resolver.js';
import { TaskLiveResolver } from '../console/tasks/task-live.resolver.js';
import { TaskResolver } from '../console/tasks/task.resolver.js';
import { TokenResolver } from '../console/tokens/token.resolver.js';
import { ChannelUsageResolver, TokenUsageResolver, UserUsageResolver } from '../console/usage/usage-sums.resolver.js';
import { UsageResolver } from '../console/usage/usage.resolver.js';
import { BalanceResolver } from '../console/users/balance.resolver.js';
import { OAuthResolver } from '../console/oauth/oauth.resolver.js';
import { SettingResolver } from '../console/users/setting.resolver.js';
import { SignInResolver } from '../console/sign-in/sign-in.resolver.js';
import { InviteRelations, UserResolver } from '../console/users/user.resolver.js';
import { SignInProviderResolver } from '../console/oauth/sign-in-provider.resolver.js';
import { StatementResolver } from '../console/statements/statement.resolver.js';
import { WalletResolver } from '../console/wallet/wallet.resolver.js';
import { SiteEventResolver, WebhookResolver } from '../console/webhooks/webhook.resolver.js';
import { ChannelsByTag } from '../console/channels/index.js';
import type { Subjects } from './subjects.js';

const relationSources = ({ accounts, catalogue, operations }: Subjects): RelationSources => ({
  users: accounts.userService,
  tokens: catalogue.tokenService,
  channels: operations.channelService,
  redemptions: operations.redemptionService,
  organisations: accounts.organisationServices.organisations,
  members: accounts.organisationServices.members,
  projects: accounts.organisationServices.projects,
  plans: operations.planService,
  endpoints: operations.webhookService,
});

/** Every GraphQL resolver: its class and its factory. The schema is printed from the classes alone. */
const resolvers: ReadonlyArray<readonly [ResolverClass, (subjects: Subjects) => object]> = [
  [StatusResolver, ({ operations }) => new StatusResolver(operations.statusService, operations.releaseService)],
  [SetupResolver, ({ accounts }) => new SetupResolver(accounts.setupService)],
  [SignInResolver, ({ accounts }) => new SignInResolver(accounts.authService)],
  [
    UserResolver,
    ({ accounts, platform }) =>
      new UserResolver(accounts.userService, accounts.accountService, accounts.settings, platform.optionService),
  ],
  [UserSessionResolver, ({ accounts }) => new UserSessionResolver(accounts.userSessions)],
  [CustomRoleResolver, ({ accounts }) => new CustomRoleResolver(accounts.customRoles)],
  [UserRoleRelations, ({ accounts }) => new UserRoleRelations(accounts.customRoles)],
  [InviteRelations, ({ accounts }) => new InviteRelations(accounts.userService)],
  [GroupResolver, ({ catalogue }) => new GroupResolver(catalogue.groupService)],
  [ImportResolver, ({ siteImport }) => new ImportResolver(siteImport)],
  [OptionResolver, ({ platform }) => new OptionResolver(platform.optionService)],
  [ChannelResolver, ({ channelServices }) => new ChannelResolver(channelServices)],
  [ChannelActionResolver, ({ channelServices }) => new ChannelActionResolver(channelServices)],
  [ChannelSessionResolver, ({ channelServices }) => new ChannelSessionResolver(channelServices.sessions)],
  [ChannelTestRunResolver, ({ channelServices }) => new ChannelTestRunResolver(channelServices.testRuns)],
  [ChannelsByTagResolver, ({ operations }) => new ChannelsByTagResolver(new ChannelsByTag(operations.channelService))],
  [
    TokenResolver,
    ({ catalogue }) =>
      new TokenResolver(catalogue.tokenService, catalogue.tokenKeys, catalogue.tokenRotation, catalogue.tokenBulk),
  ],
  [UserKeyResolver, ({ catalogue }) => new UserKeyResolver(catalogue.userKeys)],
  [TaskResolver, ({ relay }) => new TaskResolver(relay.drawingService, relay.creativeTaskService, relay.drawingNotify)],
  [CreativeTaskFields, ({ relay }) => new CreativeTaskFields(relay.videoLinks)],
  [LogResolver, ({ platform }) => new LogResolver(platform.logService, platform.optionService)],
  [AlertResolver, ({ alerts }) => new AlertResolver(alerts)],
  [DashboardResolver, ({ dashboards }) => new DashboardResolver(dashboards)],
  [PanelResolver, ({ dashboards }) => new PanelResolver(dashboards)],
  [AuditResolver, ({ platform, restore }) => new AuditResolver(platform.auditService, restore)],
  [AccessTokenResolver, ({ accounts }) => new AccessTokenResolver(accounts.accessTokens)],
  [SecondFactorResolver, ({ accounts }) => new SecondFactorResolver(accounts.secondFactors)],
  [FactorSignInResolver, ({ accounts }) => new FactorSignInResolver(accounts.factorSignIns)],
  [SessionResolver, ({ accounts }) => new SessionResolver(accounts.ownSessions)],
  [
    OAuthResolver,
    ({ accounts }) => new OAuthResolver(accounts.oauthService, accounts.emailBinding, accounts.accountService),
  ],
  [
    RegistrationResolver,
    ({ accounts }) => new RegistrationResolver(accounts.registrationService, accounts.passwordResetService),
  ],
  [SettingResolver, ({ accounts }) => new SettingResolver(accounts.settingService)],
  [CheckInResolver, ({ accounts }) => new CheckInResolver(accounts.checkInService)],
  [InviteResolver, ({ accounts }) => new InviteResolver(accounts.inviteService)],
  [OrganisationResolver, ({ accounts }) => new OrganisationResolver(accounts.organisationServices)],
  [FailedAttemptResolver, ({ catalogue }) => new FailedAttemptResolver(catalogue.failedAttempts)],
  [ChannelHealthResolver, ({ catalogue }) => new ChannelHealthResolver(catalogue.channelHealthService)],
  [ModelHealthResolver, ({ catalogue }) => new ModelHealthResolver(catalogue.modelHealthService)],
  [StatusPageResolver, ({ catalogue }) => new StatusPageResolver(catalogue.statusPageService)],
  [PricingResolver, ({ catalogue }) => new PricingResolver(catalogue.pricingService)],
  [PriceVersionResolver, ({ catalogue }) => new PriceVersionResolver(catalogue.priceVersionService)],
  [DryRunResolver, ({ priceSync }) => new DryRunResolver(priceSync.dryRuns)],
  [BelowCostResolver, ({ catalogue }) => new BelowCostResolver(catalogue.belowCost)],
  [PriceSyncResolver, ({ priceSync }) => new PriceSyncResolver(priceSync.priceChecks, priceSync.priceUpdates)],
  [
    RedemptionResolver,
    ({ operations, platform }) =>
      new RedemptionResolver(operations.redemptionService, operations.redeemService, platform.optionService),
  ],
  [CaptureResolver, ({ operations }) => new CaptureResolver(operations.captureService)],
  [
    GuardrailTrialResolver,
    ({ relay }) => new GuardrailTrialResolver(new GuardrailTrialService(relay.builtRelay.core.guardrails)),
  ],
  [BudgetResolver, ({ operations }) => new BudgetResolver(operations.budgetService)],
  [PlanResolver, ({ operations }) => new PlanResolver(operations.planService, operations.subscriptionService)],
  [
    WalletResolver,
    ({ operations, platform }) =>
      new WalletResolver(
        operations.walletService,
        platform.optionService,
        operations.paymentTests,
        operations.orderService,
      ),
  ],
  [UsageResolver, ({ operations }) => new UsageResolver(operations.usageService)],
  [UserUsageResolver, ({ operations }) => new UserUsageResolver(operations.usageService)],
  [TokenUsageResolver, ({ operations }) => new TokenUsageResolver(operations.usageService)],
  [ChannelUsageResolver, ({ operations }) => new ChannelUsageResolver(operations.usageService)],
  [
    SignInProviderResolver,
    ({ accounts }) => new SignInProviderResolver(accounts.signInProviders, accounts.oauthService),
  ],
  [StatementResolver, ({ operations }) => new StatementResolver(operations.statementService)],
  [LedgerHistoryResolver, ({ operations }) => new LedgerHistoryResolver(operations.ledgerHistory)],
  [InsightResolver, ({ operations }) => new InsightResolver(operations.insightService)],
  ...relationsToOne.map((Relations): readonly [ResolverClass, (subjects: Subjects) => object] => [
    Relations,
    (subjects) => new Relations(relationSources(subjects)),
  ]),
  [
    UserListRelations,
    ({ catalogue, operations, platform }) =>
      new UserListRelations({
        tokens: catalogue.tokenService,
        logs: platform.logService,
        orders: operations.walletService,
        redemptions: operations.redemptionService,
        options: platform.optionService,
      }),
  ],
  [OrganisationListRelations, ({ accounts }) => new OrganisationListRelations(accounts.organisationServices)],
  [TokenListRelations, ({ operations }) => new TokenListRelations(operations.usedUpBudgets)],
  [LogLiveResolver, ({ platform }) => new LogLiveResolver(platform.optionService)],
  [ChannelLiveResolver, () => new ChannelLiveResolver()],
  [TaskLiveResolver, () => new TaskLiveResolver()],
  [BalanceResolver, () => new BalanceResolver()],
  [WebhookResolver, ({ operations }) => new WebhookResolver(operations.webhookService)],
  [SiteEventResolver, () => new SiteEventResolver()],
];

/** The GraphQL schema before its resolvers: building it needs their classes only, and no database. */
export interface ComposedSchema {
  readonly schema: GraphQLSchema;
  /** Constructs the resolvers. Until then the schema can be printed but not executed. */
  readonly addResolvers: (subjects: Subjects) => void;
}

export async function composeSchema(): Promise<ComposedSchema> {
  const instances = new ResolverInstances();
  const schema = await createSchema(
    resolvers.map(([resolver]) => resolver),
    instances,
  );
  return { schema, addResolvers: (subjects) => instances.add(resolvers.map(([, build]) => build(subjects))) };
}
