import { Ctx, FieldResolver, Resolver, Root, type ClassType } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { AlertObject } from '../alerts/alert.object.js';
import { AuditEntryObject } from '../audit/audit.object.js';
import { BudgetObject } from '../budgets/budget.object.js';
import { ChannelObject } from '../channels/channel.object.js';
import { ChannelSessionObject } from '../channels/channel-session.object.js';
import { FailedAttemptObject } from '../health/attempts/failed-attempts.object.js';
import { ChannelHealthObject } from '../health/channels/channel-health.object.js';
import { ChannelRetriesObject } from '../insights/insights.object.js';
import { LowBalanceObject } from '../insights/ledger-history.object.js';
import { SubscriptionObject } from '../plans/plan.object.js';
import { ChannelModelCostObject, SaleBelowCostObject } from '../prices/below-cost.object.js';
import { DryRunUserObject } from '../prices/dry-run/dry-run.object.js';
import { CreativeTaskObject } from '../tasks/creative-task.object.js';
import { DrawingObject } from '../tasks/drawing.object.js';
import { TokenObject } from '../tokens/token.object.js';
import type { User } from '../users/index.js';
import { UserObject } from '../users/user.object.js';
import { channelOf, tokenOf, userOf, type Relations, type RelationSources } from './relation.object.js';

/* Relations of rows that differ only in their type: `user` beside `userId`, `channel` beside `channelId`. */

const ofUser = {
  nullable: true,
  description: 'As the user is now. Null: none, removed, or not visible to the caller.',
};
const ofChannel = { nullable: true, description: 'As the channel is now. Null: none, or deleted.' };

/** Adds `user` to a type. Only readers of users see it. */
function withUser<Row extends { readonly userId: number | null }>(type: ClassType<Row>): Relations {
  @Resolver(() => type)
  class WithUser {
    constructor(private readonly sources: RelationSources) {}

    @Access('users.read')
    @FieldResolver(() => UserObject, ofUser)
    user(@Root() { userId }: Row, @Ctx() context: GraphQLContext): Promise<User | null> {
      return userOf(context, this.sources, userId);
    }
  }
  return WithUser;
}

/** Adds `channel` to a type. Only readers of channels see it. */
function withChannel<Row extends { readonly channelId: number | null }>(type: ClassType<Row>): Relations {
  @Resolver(() => type)
  class WithChannel {
    constructor(private readonly sources: RelationSources) {}

    @Access('channels.read')
    @FieldResolver(() => ChannelObject, ofChannel)
    channel(@Root() { channelId }: Row, @Ctx() context: GraphQLContext): Promise<ChannelObject | null> {
      return channelOf(context, this.sources, channelId);
    }
  }
  return WithChannel;
}

@Resolver(() => AuditEntryObject)
class AuditEntryRelations {
  constructor(private readonly sources: RelationSources) {}

  @Access('users.read')
  @FieldResolver(() => UserObject, ofUser)
  actor(@Root() { actorId }: AuditEntryObject, @Ctx() context: GraphQLContext): Promise<User | null> {
    return userOf(context, this.sources, actorId);
  }
}

@Resolver(() => ChannelObject)
class ChannelRelations {
  constructor(private readonly sources: RelationSources) {}

  @Access('users.read')
  @FieldResolver(() => UserObject, ofUser)
  owner(@Root() { ownerId }: ChannelObject, @Ctx() context: GraphQLContext): Promise<User | null> {
    return userOf(context, this.sources, ownerId);
  }
}

@Resolver(() => SubscriptionObject)
class SubscriptionRelations {
  constructor(private readonly sources: RelationSources) {}

  @Access('users.read')
  @FieldResolver(() => UserObject, ofUser)
  account(@Root() { accountId }: SubscriptionObject, @Ctx() context: GraphQLContext): Promise<User | null> {
    return userOf(context, this.sources, accountId);
  }
}

/** The subject of a budget is a user, an API key or a channel by its level. */
@Resolver(() => BudgetObject)
class BudgetRelations {
  constructor(private readonly sources: RelationSources) {}

  @Access('users.read')
  @FieldResolver(() => UserObject, {
    nullable: true,
    description: 'The subject of the level USER. Null: another level.',
  })
  user(@Root() { level, subjectId }: BudgetObject, @Ctx() context: GraphQLContext): Promise<User | null> {
    return userOf(context, this.sources, level === 'user' ? subjectId : null);
  }

  @Access('users.read')
  @FieldResolver(() => TokenObject, {
    nullable: true,
    description: 'The subject of the level TOKEN. Null: another level.',
  })
  token(@Root() { level, subjectId }: BudgetObject, @Ctx() context: GraphQLContext): Promise<TokenObject | null> {
    return tokenOf(context, this.sources, level === 'token' ? subjectId : null, 0);
  }

  @Access('channels.read')
  @FieldResolver(() => ChannelObject, {
    nullable: true,
    description: 'The subject of the level CHANNEL. Null: another level.',
  })
  channel(@Root() { level, subjectId }: BudgetObject, @Ctx() context: GraphQLContext): Promise<ChannelObject | null> {
    return channelOf(context, this.sources, level === 'channel' ? subjectId : null);
  }
}

export const relationsById: readonly Relations[] = [
  ...[AuditEntryRelations, ChannelRelations, SubscriptionRelations, BudgetRelations],
  ...[DrawingObject, CreativeTaskObject, ChannelSessionObject, LowBalanceObject, DryRunUserObject].map((type) =>
    withUser<{ readonly userId: number | null }>(type),
  ),
  ...[
    DrawingObject,
    CreativeTaskObject,
    AlertObject,
    ChannelHealthObject,
    FailedAttemptObject,
    ChannelRetriesObject,
    SaleBelowCostObject,
    ChannelModelCostObject,
  ].map((type) => withChannel<{ readonly channelId: number | null }>(type)),
];
