import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { loadOne } from '../../platform/graphql/loaders.js';
import { ChannelObject } from '../channels/channel.object.js';
import { DashboardObject } from '../dashboards/dashboard.object.js';
import { LiveCallObject } from '../insights/insights.object.js';
import { LogObject, OwnLogObject } from '../logs/log.object.js';
import { OptionObject } from '../options/option.object.js';
import { RedemptionObject, RedemptionUseObject, toRedemptionObject } from '../redemptions/redemption.object.js';
import { MemberObject } from '../organisations/organisation.object.js';
import { StatementObject, StatementUsageObject } from '../statements/statement.object.js';
import { TokenObject } from '../tokens/token.object.js';
import { UsageKeyObject } from '../usage/usage.object.js';
import type { User } from '../users/index.js';
import { UserObject } from '../users/user.object.js';
import { TopUpOrderObject } from '../wallet/wallet.object.js';
import { channelOf, tokenOf, userOf, type RelationSources } from './relation.object.js';

/* Relations to one row. All rows of a request that refer to the same kind of row are read in one statement. */

const ofUser = { nullable: true, description: 'As the user is now. Null: removed, or not visible to the caller.' };
const ofToken = { nullable: true, description: 'As the API key is now. Null: none, or deleted.' };
const ofChannel = { nullable: true, description: 'As the channel is now. Null: none, or deleted.' };

@Resolver(() => LogObject)
export class LogRelations {
  constructor(private readonly sources: RelationSources) {}

  @Access('users.read')
  @FieldResolver(() => UserObject, ofUser)
  user(@Root() { userId }: LogObject, @Ctx() context: GraphQLContext): Promise<User | null> {
    return userOf(context, this.sources, userId);
  }

  @Access('users.read')
  @FieldResolver(() => TokenObject, ofToken)
  token(@Root() { tokenId, userId }: LogObject, @Ctx() context: GraphQLContext): Promise<TokenObject | null> {
    return tokenOf(context, this.sources, tokenId, userId);
  }

  @Access('channels.read')
  @FieldResolver(() => ChannelObject, ofChannel)
  channel(@Root() { channelId }: LogObject, @Ctx() context: GraphQLContext): Promise<ChannelObject | null> {
    return channelOf(context, this.sources, channelId);
  }

  @Access('channels.read')
  @FieldResolver(() => [ChannelObject], {
    nullable: true,
    description: 'The channels that were tried, in order, without deleted ones.',
  })
  async attempts(@Root() { attemptIds }: LogObject, @Ctx() context: GraphQLContext): Promise<ChannelObject[]> {
    const channels = await Promise.all(attemptIds.map((id) => channelOf(context, this.sources, id)));
    return channels.filter((channel) => channel !== null);
  }
}

@Resolver(() => OwnLogObject)
export class OwnLogRelations {
  constructor(private readonly sources: RelationSources) {}

  @Access('common')
  @FieldResolver(() => TokenObject, ofToken)
  token(@Root() { tokenId }: OwnLogObject, @Ctx() context: GraphQLContext): Promise<TokenObject | null> {
    return tokenOf(context, this.sources, tokenId, context.actor?.id ?? 0);
  }
}

@Resolver(() => TokenObject)
export class TokenRelations {
  constructor(private readonly sources: RelationSources) {}

  @Access('common')
  @FieldResolver(() => UserObject, ofUser)
  user(@Root() { userId }: TokenObject, @Ctx() context: GraphQLContext): Promise<User | null> {
    return userOf(context, this.sources, userId);
  }
}

@Resolver(() => MemberObject)
export class MemberRelations {
  constructor(private readonly sources: RelationSources) {}

  @Access('common')
  @FieldResolver(() => UserObject, ofUser)
  user(@Root() { userId }: MemberObject, @Ctx() context: GraphQLContext): Promise<User | null> {
    return userOf(context, this.sources, userId);
  }
}

@Resolver(() => TopUpOrderObject)
export class TopUpOrderRelations {
  constructor(private readonly sources: RelationSources) {}

  @Access('common')
  @FieldResolver(() => UserObject, ofUser)
  buyer(@Root() { userId }: TopUpOrderObject, @Ctx() context: GraphQLContext): Promise<User | null> {
    return userOf(context, this.sources, userId);
  }
}

@Resolver(() => StatementUsageObject)
export class StatementUsageRelations {
  constructor(private readonly sources: RelationSources) {}

  @Access('common')
  @FieldResolver(() => TokenObject, ofToken)
  token(
    @Root() { tokenId, ownerId }: StatementUsageObject,
    @Ctx() context: GraphQLContext,
  ): Promise<TokenObject | null> {
    return tokenOf(context, this.sources, tokenId, ownerId);
  }
}

@Resolver(() => StatementObject)
export class StatementRelations {
  constructor(private readonly sources: RelationSources) {}

  @Access('common')
  @FieldResolver(() => UserObject, ofUser)
  account(@Root() { accountId }: StatementObject, @Ctx() context: GraphQLContext): Promise<User | null> {
    return userOf(context, this.sources, accountId);
  }
}

@Resolver(() => DashboardObject)
export class DashboardRelations {
  constructor(private readonly sources: RelationSources) {}

  @Access('users.read')
  @FieldResolver(() => UserObject, { nullable: true, description: 'As the owner is now. Null: built in, or removed.' })
  owner(@Root() { ownerId }: DashboardObject, @Ctx() context: GraphQLContext): Promise<User | null> {
    return userOf(context, this.sources, ownerId);
  }
}

@Resolver(() => OptionObject)
export class OptionRelations {
  constructor(private readonly sources: RelationSources) {}

  @Access('users.read')
  @FieldResolver(() => UserObject, {
    nullable: true,
    description: 'The user who saved it last. Null: never saved, reset, or saved by the set-up of the site.',
  })
  changedBy(@Root() { changedById }: OptionObject, @Ctx() context: GraphQLContext): Promise<User | null> {
    return userOf(context, this.sources, changedById);
  }
}

@Resolver(() => RedemptionObject)
export class RedemptionRelations {
  constructor(private readonly sources: RelationSources) {}

  @Access('users.read')
  @FieldResolver(() => UserObject, { nullable: true, description: 'The admin who created it. Null: removed.' })
  createdBy(@Root() { createdById }: RedemptionObject, @Ctx() context: GraphQLContext): Promise<User | null> {
    return userOf(context, this.sources, createdById);
  }

  @Access('users.read')
  @FieldResolver(() => UserObject, {
    nullable: true,
    description: 'The user who used it. Null: unused, or a gift, whose users are `uses`.',
  })
  redeemedBy(@Root() { redeemedById }: RedemptionObject, @Ctx() context: GraphQLContext): Promise<User | null> {
    return userOf(context, this.sources, redeemedById);
  }
}

@Resolver(() => RedemptionUseObject)
export class RedemptionUseRelations {
  constructor(private readonly sources: RelationSources) {}

  @Access('common')
  @FieldResolver(() => UserObject, ofUser)
  user(@Root() { userId }: RedemptionUseObject, @Ctx() context: GraphQLContext): Promise<User | null> {
    return userOf(context, this.sources, userId);
  }

  @Access('codes')
  @FieldResolver(() => RedemptionObject, { nullable: true, description: 'The code. Null: deleted.' })
  async redemption(
    @Root() { redemptionId }: RedemptionUseObject,
    @Ctx() context: GraphQLContext,
  ): Promise<RedemptionObject | null> {
    const code = await loadOne(context, this.sources.redemptions, redemptionId, 'ADMIN_READ');
    return code && toRedemptionObject(code);
  }
}

@Resolver(() => LiveCallObject)
export class LiveCallRelations {
  constructor(private readonly sources: RelationSources) {}

  @Access('users.read')
  @FieldResolver(() => UserObject, ofUser)
  user(@Root() { userId }: LiveCallObject, @Ctx() context: GraphQLContext): Promise<User | null> {
    return userOf(context, this.sources, userId);
  }

  @Access('users.read')
  @FieldResolver(() => TokenObject, ofToken)
  token(@Root() { tokenId, userId }: LiveCallObject, @Ctx() context: GraphQLContext): Promise<TokenObject | null> {
    return tokenOf(context, this.sources, tokenId, userId);
  }
}

@Resolver(() => UsageKeyObject)
export class UsageKeyRelations {
  constructor(private readonly sources: RelationSources) {}

  @Access('users.read')
  @FieldResolver(() => UserObject, ofUser)
  user(@Root() { userId }: UsageKeyObject, @Ctx() context: GraphQLContext): Promise<User | null> {
    return userOf(context, this.sources, userId);
  }

  @Access('users.read')
  @FieldResolver(() => TokenObject, ofToken)
  token(@Root() { tokenId }: UsageKeyObject, @Ctx() context: GraphQLContext): Promise<TokenObject | null> {
    return tokenOf(context, this.sources, tokenId, 0);
  }

  @Access('channels.read')
  @FieldResolver(() => ChannelObject, ofChannel)
  channel(@Root() { channelId }: UsageKeyObject, @Ctx() context: GraphQLContext): Promise<ChannelObject | null> {
    return channelOf(context, this.sources, channelId);
  }
}
