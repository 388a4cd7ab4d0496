import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { Access } from '../../graphql/access.js';
import type { GraphQLContext } from '../../graphql/context.js';
import { pageQueryOf } from '../../graphql/page.object.js';
import {
  LogFilterInput,
  LogListArgs,
  LogObject,
  LogPageObject,
  LogStatObject,
  toLogFilter,
  toLogPage,
} from './log.object.js';
import type { LogService, LogStat } from './log.service.js';

@Resolver(() => LogObject)
export class LogResolver {
  constructor(private readonly logService: LogService) {}

  @Access('admin', 'LOGS_READ')
  @Query(() => LogPageObject, { description: 'Log rows of everybody, the newest first.' })
  async logs(@Ctx() { actor }: GraphQLContext, @Args(() => LogListArgs) args: LogListArgs): Promise<LogPageObject> {
    return toLogPage(await this.logService.list(actor, toLogFilter(args.filter), pageQueryOf(args)));
  }

  @Access('common', 'LOGS_READ')
  @Query(() => LogPageObject, { description: 'Own log rows, the newest first.' })
  async myLogs(@Ctx() { actor }: GraphQLContext, @Args(() => LogListArgs) args: LogListArgs): Promise<LogPageObject> {
    return toLogPage(await this.logService.listOwn(actor, toLogFilter(args.filter), pageQueryOf(args)));
  }

  @Access('admin', 'LOGS_READ')
  @Query(() => LogStatObject)
  logStat(
    @Ctx() { actor }: GraphQLContext,
    @Arg('filter', () => LogFilterInput, { nullable: true }) filter?: LogFilterInput,
  ): Promise<LogStat> {
    return this.logService.stat(actor, toLogFilter(filter));
  }

  @Access('common', 'LOGS_READ')
  @Query(() => LogStatObject)
  myLogStat(
    @Ctx() { actor }: GraphQLContext,
    @Arg('filter', () => LogFilterInput, { nullable: true }) filter?: LogFilterInput,
  ): Promise<LogStat> {
    return this.logService.statOwn(actor, toLogFilter(filter));
  }

  @Access('admin')
  @Mutation(() => GraphQLSafeInt, { description: 'Deletes rows of all types older than this. How many are gone.' })
  deleteLogs(@Ctx() { actor }: GraphQLContext, @Arg('before', () => Date) before: Date): Promise<number> {
    return this.logService.deleteBefore(actor, Math.floor(before.getTime() / 1000));
  }
}
