import type { GraphQLResolveInfo } from 'graphql';
import { Args, Ctx, Info, Query, Resolver } from 'type-graphql';
import { Access, Cost } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { asksFor } from '../../platform/graphql/asks-for.js';
import { omitNullish } from '../../platform/graphql/nullable.js';
import { zonesOf } from '../../platform/graphql/ranges.js';
import { clampPageSize, toPageQuery } from '../../shared/page.js';
import { toRange } from '../usage/usage-question.object.js';
import {
  LedgerTotalsObject,
  ChannelRetriesObject,
  GrowthArgs,
  GrowthPointObject,
  LiveCallArgs,
  LiveCallPageObject,
  RedemptionBatchArgs,
  RedemptionBatchPageObject,
  RetryArgs,
  toPage,
} from './insights.object.js';
import type { InsightService, LiveCallFilter } from './insights.service.js';

@Resolver()
export class InsightResolver {
  constructor(private readonly insightService: InsightService) {}

  @Access('usage.read')
  @Cost(50)
  @Query(() => LedgerTotalsObject, { description: 'Liabilities of the site to its users, at this moment.' })
  ledgerTotals(@Ctx() { actor }: GraphQLContext): Promise<LedgerTotalsObject> {
    return this.insightService.ledgerTotals(actor);
  }

  @Access('logs.read')
  @Query(() => LiveCallPageObject, { description: 'Calls in flight, the longest running first.' })
  async liveCalls(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => LiveCallArgs) { filter, pageSize, after }: LiveCallArgs,
  ): Promise<LiveCallPageObject> {
    const wanted = omitNullish<LiveCallFilter>(filter ?? {});
    const page = await this.insightService.liveCalls(actor, wanted, {
      pageSize: clampPageSize(pageSize),
      after: after ?? null,
    });
    return { ...toPage(page), sums: page.sums };
  }

  @Access('codes')
  @Query(() => RedemptionBatchPageObject, { description: 'Codes by batch name, newest first.' })
  async redemptionBatches(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => RedemptionBatchArgs) { names, page, pageSize }: RedemptionBatchArgs,
  ): Promise<RedemptionBatchPageObject> {
    const query = toPageQuery({ page: page ?? null, pageSize: pageSize ?? null });
    return toPage(await this.insightService.redemptionBatches(actor, query, names ?? undefined));
  }

  @Access('usage.read')
  @Cost(50)
  @Query(() => [GrowthPointObject], { description: 'New users, and their spending in the first week.' })
  userGrowth(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => GrowthArgs) { range, timeZone, bucket }: GrowthArgs,
    @Info() info: GraphQLResolveInfo,
  ): Promise<GrowthPointObject[]> {
    const question = { range: toRange(range), ...zonesOf(range, timeZone), bucket };
    return this.insightService.userGrowth(actor, question, asksFor(info, 'firstWeekQuota'));
  }

  @Access('channels.read')
  @Cost(500)
  @Query(() => [ChannelRetriesObject], {
    description: 'Channels between which calls moved, most frequent first. Includes only logged calls.',
  })
  channelRetries(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => RetryArgs) { range, timeZone }: RetryArgs,
  ): Promise<ChannelRetriesObject[]> {
    return this.insightService.channelRetries(actor, {
      range: toRange(range),
      timeZone: range?.timeZone ?? timeZone,
    });
  }
}
