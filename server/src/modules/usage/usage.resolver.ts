import { Arg, Args, Ctx, Query, Resolver } from 'type-graphql';
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
import type { UsageRow, UsageService } from './usage.service.js';

@Resolver(() => UsageRowObject)
export class UsageResolver {
  constructor(private readonly usageService: UsageService) {}

  @Query(() => UsagePage, { description: 'Usage of everybody, summed up by these dimensions.' })
  async usage(@Ctx() { actor }: GraphQLContext, @Args(() => UsageArgs) args: UsageArgs): Promise<Page<UsageRowObject>> {
    const filter = toUsageFilter(args.filter);
    return toPage(await this.usageService.list(actor, args.groupBy, filter, usagePageQuery(args)));
  }

  @Query(() => UsagePage, { description: 'Own usage; not by channel.' })
  async myUsage(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => UsageArgs) args: UsageArgs,
  ): Promise<Page<UsageRowObject>> {
    const filter = toUsageFilter(args.filter);
    return toPage(await this.usageService.listOwn(actor, args.groupBy, filter, usagePageQuery(args)));
  }

  @Query(() => UsageSummaryObject)
  async usageSummary(
    @Ctx() { actor }: GraphQLContext,
    @Arg('filter', () => UsageFilterInput, { nullable: true }) filter?: UsageFilterInput,
  ): Promise<UsageSummaryObject> {
    return toSummaryObject(await this.usageService.summary(actor, toUsageFilter(filter)));
  }

  @Query(() => UsageSummaryObject)
  async myUsageSummary(
    @Ctx() { actor }: GraphQLContext,
    @Arg('filter', () => UsageFilterInput, { nullable: true }) filter?: UsageFilterInput,
  ): Promise<UsageSummaryObject> {
    return toSummaryObject(await this.usageService.summaryOwn(actor, toUsageFilter(filter)));
  }
}

const toPage = ({ items, totalCount }: Page<UsageRow>): Page<UsageRowObject> => ({
  items: items.map(toUsageObject),
  totalCount,
});
