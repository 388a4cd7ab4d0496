import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, Info, Query, Resolver } from 'type-graphql';
import { Access } from '../../graphql/access.js';
import { asksFor } from '../../graphql/asks-for.js';
import type { GraphQLContext } from '../../graphql/context.js';
import type { Page } from '../../shared/page.js';
import {
  toSummaryObject,
  toUsageFilter,
  toUsageObject,
  UsageArgs,
  UsageFilterInput,
  UsagePage,
  usagePageQuery,
  UsageRowObject,
  UsageSummaryObject,
} from './usage.object.js';
import type { UsageDetail, UsageRow, UsageService } from './usage.service.js';

@Resolver(() => UsageRowObject)
export class UsageResolver {
  constructor(private readonly usageService: UsageService) {}

  @Access('admin', 'USAGE_READ')
  @Query(() => UsagePage, { description: 'Usage of everybody, summed up by these dimensions.' })
  async usage(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => UsageArgs) args: UsageArgs,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Page<UsageRowObject>> {
    const filter = toUsageFilter(args.filter);
    return toPage(await this.usageService.list(actor, args.groupBy, filter, usagePageQuery(args), detailOf(info)));
  }

  @Access('common', 'USAGE_READ')
  @Query(() => UsagePage, { description: 'Own usage; not by channel.' })
  async myUsage(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => UsageArgs) args: UsageArgs,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Page<UsageRowObject>> {
    const filter = toUsageFilter(args.filter);
    return toPage(await this.usageService.listOwn(actor, args.groupBy, filter, usagePageQuery(args), detailOf(info)));
  }

  @Access('admin', 'USAGE_READ')
  @Query(() => UsageSummaryObject)
  async usageSummary(
    @Ctx() { actor }: GraphQLContext,
    @Info() info: GraphQLResolveInfo,
    @Arg('filter', () => UsageFilterInput, { nullable: true }) filter?: UsageFilterInput,
  ): Promise<UsageSummaryObject> {
    return toSummaryObject(await this.usageService.summary(actor, toUsageFilter(filter), detailOf(info)));
  }

  @Access('common', 'USAGE_READ')
  @Query(() => UsageSummaryObject)
  async myUsageSummary(
    @Ctx() { actor }: GraphQLContext,
    @Info() info: GraphQLResolveInfo,
    @Arg('filter', () => UsageFilterInput, { nullable: true }) filter?: UsageFilterInput,
  ): Promise<UsageSummaryObject> {
    return toSummaryObject(await this.usageService.summaryOwn(actor, toUsageFilter(filter), detailOf(info)));
  }
}

const detailOf = (info: GraphQLResolveInfo): UsageDetail => ({ percentiles: asksFor(info, 'p95Milliseconds') });

const toPage = ({ items, totalCount }: Page<UsageRow>): Page<UsageRowObject> => ({
  items: items.map(toUsageObject),
  totalCount,
});
