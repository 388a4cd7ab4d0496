import type { GraphQLResolveInfo } from 'graphql';
import { Args, Ctx, FieldResolver, Info, Resolver, Root } from 'type-graphql';
import { Access, Cost } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { loadFor } from '../../platform/graphql/loaders.js';
import { ChannelObject } from '../channels/channel.object.js';
import { TokenObject } from '../tokens/token.object.js';
import { UserObject } from '../users/user.object.js';
import { toSumQuestion, UsageSumArgs } from './usage-question.object.js';
import { UsageMetricsObject } from './usage.object.js';
import { countersOf } from './usage-selection.object.js';
import type { UsageService } from './usage.service.js';

const description = 'Usage in a range. All rows of a list are read in one statement.';

/** Reads the usage of all users, tokens or channels of a request at once. */
async function sumsFor(
  usageService: UsageService,
  dimension: 'USER' | 'TOKEN' | 'CHANNEL',
  id: number,
  { args, context, info }: { args: UsageSumArgs; context: GraphQLContext; info: GraphQLResolveInfo },
): Promise<UsageMetricsObject> {
  const [question, counters] = [toSumQuestion(args), countersOf(info, context.actor)];
  const read = (ids: readonly number[]) => usageService.sumsOf(context.actor, dimension, ids, question, counters);
  const name = { name: `usage of ${dimension}`, args: { question, counters }, scope: 'USAGE_READ' } as const;
  return new UsageMetricsObject((await loadFor(context, usageService, name, id, read)) ?? usageService.nothing);
}

@Resolver(() => UserObject)
export class UserUsageResolver {
  constructor(private readonly usageService: UsageService) {}

  @Access('common', 'USAGE_READ')
  @Cost(20)
  @FieldResolver(() => UsageMetricsObject, { nullable: true, description })
  usage(
    @Root() { id }: UserObject,
    @Args(() => UsageSumArgs) args: UsageSumArgs,
    @Ctx() context: GraphQLContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<UsageMetricsObject> {
    return sumsFor(this.usageService, 'USER', id, { args, context, info });
  }
}

@Resolver(() => TokenObject)
export class TokenUsageResolver {
  constructor(private readonly usageService: UsageService) {}

  @Access('common', 'USAGE_READ')
  @Cost(20)
  @FieldResolver(() => UsageMetricsObject, { nullable: true, description })
  usage(
    @Root() { id }: TokenObject,
    @Args(() => UsageSumArgs) args: UsageSumArgs,
    @Ctx() context: GraphQLContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<UsageMetricsObject> {
    return sumsFor(this.usageService, 'TOKEN', id, { args, context, info });
  }
}

@Resolver(() => ChannelObject)
export class ChannelUsageResolver {
  constructor(private readonly usageService: UsageService) {}

  @Access('usage.read', 'USAGE_READ')
  @Cost(20)
  @FieldResolver(() => UsageMetricsObject, { nullable: true, description })
  usage(
    @Root() { id }: ChannelObject,
    @Args(() => UsageSumArgs) args: UsageSumArgs,
    @Ctx() context: GraphQLContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<UsageMetricsObject> {
    return sumsFor(this.usageService, 'CHANNEL', id, { args, context, info });
  }
}
