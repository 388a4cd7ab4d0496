import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, Info, Query, Resolver } from 'type-graphql';
import { Access, Cost } from '../../platform/graphql/access.js';
import { asksFor } from '../../platform/graphql/asks-for.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { listQueryOf, PageOf } from '../../platform/graphql/pagination.js';
import { PayloadMutation } from '../../platform/graphql/payload.js';
import { GraphQLSafeInt } from '../../platform/graphql/scalars.js';
import type { Slice } from '../../shared/page.js';
import type { OptionValues } from '../../options/option.service.js';
import { costOfScan, LogListArgs, OwnLogListArgs, toLogFilter } from './log-filter.object.js';
import { LogPageObject, OwnLogPageObject, toLogSums } from './log-page.object.js';
import { LogObject, type OwnLogObject, toLogObject, toOwnLogObject } from './log.object.js';
import type { LogListQuery, LogService } from './log.service.js';
import { unixSeconds } from '../../shared/clock.js';

@Resolver(() => LogObject)
export class LogResolver {
  constructor(
    private readonly logService: LogService,
    private readonly options: { readonly values: Pick<OptionValues, 'QuotaPerUnit'> },
  ) {}

  @Query(() => LogPageObject, { description: 'Log rows of all users.' })
  @Access('logs.read', 'LOGS_READ')
  @Cost(1, ['pageSize'], { once: costOfScan })
  async logs(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => LogListArgs) args: LogListArgs,
    @Info() info: GraphQLResolveInfo,
  ): Promise<PageOf<LogObject>> {
    const filter = toLogFilter(args.filter);
    const unit = this.quotaPerUnit;
    const page = await slice(info, args, (query) => this.logService.list(actor, filter, query));
    return PageOf.from(page, (log) => toLogObject(log, unit), {
      sums: async () => toLogSums(await this.logService.sums(actor, filter), unit),
      lastMinute: () => this.logService.rate(actor, filter),
    });
  }

  @Query(() => OwnLogPageObject, { description: 'The caller’s log rows.' })
  @Access('common', 'LOGS_READ')
  @Cost(1, ['pageSize'], { once: costOfScan })
  async myLogs(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => OwnLogListArgs) args: OwnLogListArgs,
    @Info() info: GraphQLResolveInfo,
  ): Promise<PageOf<OwnLogObject>> {
    const filter = toLogFilter(args.filter);
    const unit = this.quotaPerUnit;
    const page = await slice(info, args, (query) => this.logService.listOwn(actor, filter, query));
    return PageOf.from(page, (log) => toOwnLogObject(log, unit), {
      sums: async () => toLogSums(await this.logService.sumsOwn(actor, filter), unit),
      lastMinute: () => this.logService.rateOwn(actor, filter),
    });
  }

  @PayloadMutation(
    { count: [() => GraphQLSafeInt, 'Rows deleted.'] },
    'Deletes rows of all types that are older than this.',
  )
  @Access('logs.delete')
  async deleteLogs(
    @Ctx() { actor }: GraphQLContext,
    @Arg('before', () => Date, {
      description: 'Rows before this moment are deleted. A moment in the future counts as now.',
    })
    before: Date,
  ): Promise<{ count: number }> {
    return { count: await this.logService.deleteBefore(actor, unixSeconds(before)) };
  }

  private get quotaPerUnit(): number {
    return this.options.values.QuotaPerUnit;
  }
}

/**
 * Reads a page. The total is counted in the same snapshot as the rows if it is selected, and no rows are read if only
 * totals are selected.
 */
function slice<Row>(
  info: GraphQLResolveInfo,
  args: OwnLogListArgs,
  read: (query: LogListQuery) => Promise<Slice<Row>>,
): Promise<Slice<Row>> {
  const query = { ...listQueryOf(args), counted: asksFor(info, 'totalCount') || asksFor(info, 'totalCapped') };
  return read(asksFor(info, 'items') || asksFor(info, 'pageInfo') ? query : { ...query, pageSize: 0 });
}
