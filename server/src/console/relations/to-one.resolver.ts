import { Ctx, FieldResolver, Resolver, Root, type ClassType } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { loadOne } from '../../platform/graphql/loaders.js';
import { AlertObject } from '../alerts/alert.object.js';
import { AuditEntryObject } from '../audit/audit.object.js';
import { BudgetObject } from '../budgets/budget.object.js';
import { ChannelObject } from '../channels/channel.object.js';
import { ChannelSessionObject } from '../channels/channel-session.object.js';
import { DashboardObject } from '../dashboards/dashboard.object.js';
import { FailedAttemptObject } from '../health/attempts/failed-attempts.object.js';
import { ChannelHealthObject } from '../health/channels/channel-health.object.js';
import { ChannelRetriesObject, LiveCallObject } from '../insights/insights.object.js';
import { LowBalanceObject } from '../insights/ledger-history.object.js';
import { LogObject, OwnLogObject } from '../logs/log.object.js';
import { OptionObject } from '../options/option.object.js';
import {
  InvitationObject,
  MemberObject,
  OrganisationObject,
  ProjectObject,
} from '../organisations/organisation.object.js';
import { PlanObject, SubscriptionObject, toPlanObject } from '../plans/plan.object.js';
import { ChannelModelCostObject, SaleBelowCostObject } from '../prices/below-cost.object.js';
import { DryRunUserObject } from '../prices/dry-run/dry-run.object.js';
import { RedemptionObject, RedemptionUseObject, toRedemptionObject } from '../redemptions/redemption.object.js';
import { StatementObject, StatementUsageObject } from '../statements/statement.object.js';
import { CreativeTaskObject } from '../tasks/creative-task.object.js';
import { DrawingObject } from '../tasks/drawing.object.js';
import { TokenObject } from '../tokens/token.object.js';
import { UsageKeyObject } from '../usage/usage.object.js';
import { UserObject } from '../users/user.object.js';
import { TopUpOrderObject } from '../wallet/wallet.object.js';
import { toEndpointObject, WebhookDeliveryObject, WebhookEndpointObject } from '../webhooks/webhook.object.js';
import { channelOf, scopeOfEither, tokenOf, userOf, type Relations, type RelationSources } from './relation.object.js';

/* Relations to one row. All rows of a request that refer to the same kind of row are read in one statement. */

interface RelationField {
  readonly to: object;
  readonly name: string;
  readonly may: Parameters<typeof Access>[0];
  readonly description: string;
}

/** Adds a field to a type. Its value is null for a row that is gone, or that the caller may not see. */
function relation<Row extends object>(
  type: ClassType<Row>,
  { to, name, may, description }: RelationField,
  read: (row: Row, context: GraphQLContext, sources: RelationSources) => Promise<unknown>,
): Relations {
  @Resolver(() => type)
  class ToOne {
    constructor(private readonly sources: RelationSources) {}

    @Access(may)
    @FieldResolver(() => to, { nullable: true, description })
    [name](@Root() row: Row, @Ctx() context: GraphQLContext): Promise<unknown> {
      return read(row, context, this.sources);
    }
  }
  return ToOne;
}

type Id = number | null;
type Field = Partial<Omit<RelationField, 'to'>>;

const user = <Row extends object>(type: ClassType<Row>, id: (row: Row) => Id, field: Field = {}): Relations =>
  relation(
    type,
    {
      to: UserObject,
      name: 'user',
      may: 'users.read',
      description: 'As the user is now. Null: removed, or not visible to the caller.',
      ...field,
    },
    (row, context, sources) => userOf(context, sources, id(row)),
  );

/** @param owner the user who owns the key */
const token = <Row extends object>(
  type: ClassType<Row>,
  id: (row: Row) => Id,
  owner: (row: Row, context: GraphQLContext) => number,
  field: Field = {},
): Relations =>
  relation(
    type,
    {
      to: TokenObject,
      name: 'token',
      may: 'users.read',
      description: 'As the API key is now. Null: none, or deleted.',
      ...field,
    },
    (row, context, sources) => tokenOf(context, sources, id(row), owner(row, context)),
  );

const channel = <Row extends object>(type: ClassType<Row>, id: (row: Row) => Id, field: Field = {}): Relations =>
  relation(
    type,
    {
      to: ChannelObject,
      name: 'channel',
      may: 'channels.read',
      description: 'As the channel is now. Null: none, or deleted.',
      ...field,
    },
    (row, context, sources) => channelOf(context, sources, id(row)),
  );

const organisation = <Row extends { readonly organisationId: number }>(type: ClassType<Row>): Relations =>
  relation(
    type,
    {
      to: OrganisationObject,
      name: 'organisation',
      may: 'users.read',
      description: 'As it is now. Null: deleted.',
    },
    ({ organisationId }, context, { organisations }) => loadOne(context, organisations, organisationId, 'ADMIN_READ'),
  );

const plan = <Row extends { readonly planId: Id }>(type: ClassType<Row>): Relations =>
  relation(
    type,
    {
      to: PlanObject,
      name: 'plan',
      may: 'common',
      description: 'As the plan is now. Null: none, deleted, or not on sale for a caller who may not change prices.',
    },
    async ({ planId }, context, { plans }) => {
      const found = await loadOne(context, plans, planId, scopeOfEither(context.actor));
      return found && toPlanObject(found);
    },
  );

const userId = (row: { readonly userId: Id }): Id => row.userId;
const tokenId = (row: { readonly tokenId: Id }): Id => row.tokenId;
const channelId = (row: { readonly channelId: Id }): Id => row.channelId;
const perhapsNone = { description: 'As the user is now. Null: none, removed, or not visible to the caller.' };

const users: readonly Relations[] = [
  user(LogObject, userId),
  user(LiveCallObject, userId),
  user(UsageKeyObject, userId),
  user(TokenObject, userId, { may: 'common' }),
  user(MemberObject, userId, { may: 'common' }),
  user(RedemptionUseObject, userId, { may: 'common' }),
  user(TopUpOrderObject, userId, { may: 'common', name: 'buyer' }),
  user(StatementObject, ({ accountId }) => accountId, { may: 'common', name: 'account' }),
  user(DrawingObject, userId, perhapsNone),
  user(CreativeTaskObject, userId, perhapsNone),
  user(ChannelSessionObject, userId, perhapsNone),
  user(LowBalanceObject, userId, perhapsNone),
  user(DryRunUserObject, userId, perhapsNone),
  user(AuditEntryObject, ({ actorId }) => actorId, { ...perhapsNone, name: 'actor' }),
  user(ChannelObject, ({ ownerId }) => ownerId, { ...perhapsNone, name: 'owner' }),
  user(SubscriptionObject, ({ accountId }) => accountId, { ...perhapsNone, name: 'account' }),
  user(BudgetObject, ({ level, subjectId }) => (level === 'user' ? subjectId : null), {
    description: 'The subject of the level USER. Null: another level.',
  }),
  user(DashboardObject, ({ ownerId }) => ownerId, {
    name: 'owner',
    description: 'As the owner is now. Null: built in, or removed.',
  }),
  user(OptionObject, ({ changedById }) => changedById, {
    name: 'changedBy',
    description: 'The user who saved it last. Null: never saved, reset, or saved by the set-up of the site.',
  }),
  user(RedemptionObject, ({ createdById }) => createdById, {
    name: 'createdBy',
    description: 'The admin who created it. Null: removed.',
  }),
  user(RedemptionObject, ({ redeemedById }) => redeemedById, {
    name: 'redeemedBy',
    description: 'The user who used it. Null: unused, or a gift, whose users are `uses`.',
  }),
];

const tokens: readonly Relations[] = [
  token(LogObject, tokenId, (row) => row.userId),
  token(LiveCallObject, tokenId, (row) => row.userId),
  token(OwnLogObject, tokenId, (_, { actor }) => actor?.id ?? 0, { may: 'common' }),
  token(StatementUsageObject, tokenId, ({ ownerId }) => ownerId, { may: 'common' }),
  token(UsageKeyObject, tokenId, () => 0),
  token(
    BudgetObject,
    ({ level, subjectId }) => (level === 'token' ? subjectId : null),
    () => 0,
    {
      description: 'The subject of the level TOKEN. Null: another level.',
    },
  ),
];

const channels: readonly Relations[] = [
  channel(LogObject, channelId),
  channel(UsageKeyObject, channelId),
  channel(DrawingObject, channelId),
  channel(CreativeTaskObject, channelId),
  channel(AlertObject, channelId),
  channel(ChannelHealthObject, channelId),
  channel(FailedAttemptObject, channelId),
  channel(ChannelRetriesObject, channelId),
  channel(SaleBelowCostObject, channelId),
  channel(ChannelModelCostObject, channelId),
  channel(BudgetObject, ({ level, subjectId }) => (level === 'channel' ? subjectId : null), {
    description: 'The subject of the level CHANNEL. Null: another level.',
  }),
  relation(
    LogObject,
    {
      to: [ChannelObject],
      name: 'attempts',
      may: 'channels.read',
      description: 'The channels that were tried, in order, without deleted ones.',
    },
    async ({ attemptIds }, context, sources) => {
      const tried = await Promise.all(attemptIds.map((id) => channelOf(context, sources, id)));
      return tried.filter((each) => each !== null);
    },
  ),
];

const others: readonly Relations[] = [
  organisation(MemberObject),
  organisation(ProjectObject),
  organisation(InvitationObject),
  plan(SubscriptionObject),
  plan(RedemptionObject),
  relation(
    TokenObject,
    { to: MemberObject, name: 'member', may: 'users.read', description: 'For whom the key was made. Null: no member.' },
    ({ memberId }, context, { members }) => loadOne(context, members, memberId, 'ADMIN_READ'),
  ),
  relation(
    TokenObject,
    { to: ProjectObject, name: 'project', may: 'users.read', description: 'That its calls belong to. Null: none.' },
    ({ projectId }, context, { projects }) => loadOne(context, projects, projectId, 'ADMIN_READ'),
  ),
  relation(
    RedemptionUseObject,
    { to: RedemptionObject, name: 'redemption', may: 'codes', description: 'The code. Null: deleted.' },
    async ({ redemptionId }, context, { redemptions }) => {
      const code = await loadOne(context, redemptions, redemptionId, 'ADMIN_READ');
      return code && toRedemptionObject(code);
    },
  ),
  relation(
    WebhookDeliveryObject,
    { to: WebhookEndpointObject, name: 'endpoint', may: 'webhooks', description: 'Null: deleted.' },
    async ({ endpointId }, context, { endpoints }) => {
      const endpoint = await loadOne(context, endpoints, endpointId, 'ADMIN_READ');
      return endpoint && toEndpointObject(endpoint);
    },
  ),
];

export const relationsToOne: readonly Relations[] = [...users, ...tokens, ...channels, ...others];
