import type { GraphQLResolveInfo } from 'graphql';
import { Args, Ctx, Info, Query, Resolver } from 'type-graphql';
import { Access, Cost } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { costOfLog, toQuestion, UsageArgs } from './usage-question.object.js';
import { toPage, UsagePageObject } from './usage.object.js';
import { wantedOf } from './usage-selection.object.js';
import type { UsageService } from './usage.service.js';

@Resolver()
export class UsageResolver {
  constructor(private readonly usageService: UsageService) {}

  @Access('usage.read', 'USAGE_READ')
  @Cost(20, ['pageSize'], { once: costOfLog })
  @Query(() => UsagePageObject, { description: 'Usage of the whole site, in groups and buckets of time.' })
  async usage(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => UsageArgs) args: UsageArgs,
    @Info() info: GraphQLResolveInfo,
  ): Promise<UsagePageObject> {
    return toPage(await this.usageService.list(actor, toQuestion(args), wantedOf(info, actor)));
  }

  @Access('common', 'USAGE_READ')
  @Cost(20, ['pageSize'])
  @Query(() => UsagePageObject, { description: 'The caller’s own usage, in groups and buckets of time.' })
  async myUsage(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => UsageArgs) args: UsageArgs,
    @Info() info: GraphQLResolveInfo,
  ): Promise<UsagePageObject> {
    return toPage(await this.usageService.listOwn(actor, toQuestion(args), wantedOf(info, actor)));
  }
}
