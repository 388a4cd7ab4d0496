import { GraphQLSafeInt } from 'graphql-scalars';
import { ArgsType, Field, InputType, Int, ObjectType } from 'type-graphql';
import { omitNullish, type Nullable } from '../../graphql/nullable.js';
import { PageArgs } from '../../graphql/page.object.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import type { Page } from '../../shared/page.js';
import type { LogFilter, LogPage, LogStat, LogView } from './log.service.js';

type ShownLog = Omit<LogView, 'createdAt'> & { readonly createdAt: Date };

@ObjectType('Log', { description: 'Something that happened: a call, a top-up, what an admin did.' })
export class LogObject implements ShownLog {
  @Field(() => GraphQLSafeInt, { description: 'In own lists: the place of the row among one’s own, the oldest first.' })
  id: number;

  @Field(() => Date)
  createdAt: Date;

  @Field(() => String, { description: 'Empty for rows that are no call.' })
  requestId: string;

  @Field(() => Int, { description: '1 top-up, 2 consume, 3 manage, 4 system, 5 check-in, 6 error.' })
  type: number;

  @Field(() => Int)
  userId: number;

  @Field(() => String, { description: 'Name at that time.' })
  username: string;

  @Field(() => Int)
  tokenId: number;

  @Field(() => String)
  tokenName: string;

  @Field(() => Int, { nullable: true, description: 'For admins.' })
  channelId: number | null;

  @Field(() => String, { nullable: true, description: 'For admins; null when the channel is gone.' })
  channelName: string | null;

  @Field(() => String)
  modelName: string;

  @Field(() => String)
  group: string;

  @Field(() => GraphQLSafeInt)
  quota: number;

  @Field(() => Int)
  promptTokens: number;

  @Field(() => Int)
  completionTokens: number;

  @Field(() => Int, { description: 'Whole seconds.' })
  useTime: number;

  @Field(() => Boolean)
  isStream: boolean;

  @Field(() => String)
  content: string;

  @Field(() => String, { description: 'JSON of prices, times and details; empty when there are none.' })
  other: string;
}

export const toLogObject = (log: LogView): LogObject => ({ ...log, createdAt: new Date(log.createdAt * 1000) });

@ObjectType('LogPage')
export class LogPageObject implements Page<LogObject> {
  @Field(() => [LogObject])
  items: LogObject[];

  @Field(() => GraphQLSafeInt)
  totalCount: number;

  @Field(() => Boolean, { description: 'There are more rows than `totalCount` says; a time range reaches them.' })
  totalCapped: boolean;
}

export const toLogPage = ({ items, ...count }: LogPage): LogPageObject => ({ ...count, items: items.map(toLogObject) });

@ObjectType('LogStat')
export class LogStatObject implements LogStat {
  @Field(() => GraphQLSafeInt, { description: 'Charged by the calls in the range.' })
  quota: number;

  @Field(() => GraphQLSafeInt)
  promptTokens: number;

  @Field(() => GraphQLSafeInt)
  completionTokens: number;

  @Field(() => Int, { description: 'Calls of the last minute, whatever the range.' })
  rpm: number;

  @Field(() => GraphQLSafeInt, { description: 'Tokens of the last minute.' })
  tpm: number;
}

type Asked = Omit<LogFilter, 'from' | 'to' | 'userId' | 'tokenId'> & { readonly from: Date; readonly to: Date };

@InputType('LogFilter')
export class LogFilterInput implements Nullable<Asked> {
  @Field(() => Int, { nullable: true })
  type?: number | null;

  @Field(() => String, { nullable: true, description: 'Own lists ignore it.' })
  username?: string | null;

  @Field(() => String, { nullable: true })
  tokenName?: string | null;

  @Field(() => String, { nullable: true, description: '`*` stands for any text.' })
  modelName?: string | null;

  @Field(() => String, { nullable: true })
  group?: string | null;

  @Field(() => Int, { nullable: true, description: 'Own lists ignore it.' })
  channelId?: number | null;

  @Field(() => Date, { nullable: true, description: 'Included.' })
  from?: Date | null;

  @Field(() => Date, { nullable: true, description: 'Included.' })
  to?: Date | null;

  @Field(() => String, { nullable: true })
  requestId?: string | null;
}

@ArgsType()
export class LogListArgs extends PageArgs {
  @Field(() => LogFilterInput, { nullable: true })
  filter?: LogFilterInput | null;
}

export function toLogFilter(input: Nullable<Asked> | null | undefined): LogFilter {
  const { from, to, type, ...rest } = omitNullish<Asked>(input ?? {});
  const seconds = (date: Date | undefined): number | undefined => date && Math.floor(date.getTime() / 1000);
  // 0 asks for all types, as on the REST side.
  return omitUndefined({ ...rest, type: type || undefined, from: seconds(from), to: seconds(to) });
}
