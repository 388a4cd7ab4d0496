import { GraphQLSafeInt } from 'graphql-scalars';
import { ArgsType, Field, InputType, Int, ObjectType } from 'type-graphql';
import { omitNullish, type Nullable } from '../../graphql/nullable.js';
import { PageArgs, pageType } from '../../graphql/page.object.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import type { CreativeTask } from './creative-task.entity.js';
import type { CreativeTaskFilter } from './creative-task.service.js';

@ObjectType('CreativeTask', { description: 'Music or lyrics ordered at a provider.' })
export class CreativeTaskObject {
  @Field(() => Int)
  id: number;

  @Field(() => String, { description: 'The provider’s name of it; empty until it was taken.' })
  taskId: string;

  @Field(() => String, { description: 'suno' })
  platform: string;

  @Field(() => Int)
  userId: number;

  @Field(() => Int, { nullable: true, description: 'For admins.' })
  channelId: number | null;

  @Field(() => String, { description: 'MUSIC or LYRICS.' })
  action: string;

  @Field(() => String, {
    description: 'NOT_START, SUBMITTED, QUEUED, IN_PROGRESS, SUCCESS, FAILURE, UNKNOWN or empty.',
  })
  status: string;

  @Field(() => String)
  failReason: string;

  @Field(() => Date)
  submitTime: Date;

  @Field(() => Date, { nullable: true })
  startTime: Date | null;

  @Field(() => Date, { nullable: true })
  finishTime: Date | null;

  @Field(() => String, { description: '0% to 100%, which is final.' })
  progress: string;

  @Field(() => String, { description: 'What was asked for, in words.' })
  input: string;

  @Field(() => String, { description: 'JSON of what the provider says of it; empty while it says nothing.' })
  data: string;

  @Field(() => GraphQLSafeInt, { description: 'What was charged; given back when it fails.' })
  quota: number;
}

const toDate = (seconds: number): Date | null => (seconds === 0 ? null : new Date(seconds * 1000));

export const toCreativeTaskObject = (task: CreativeTask): CreativeTaskObject => ({
  id: task.id,
  taskId: task.taskId,
  platform: task.platform,
  userId: task.userId,
  channelId: task.channelId === 0 ? null : task.channelId,
  action: task.action,
  status: task.status,
  failReason: task.failReason,
  submitTime: new Date(task.submitTime * 1000),
  startTime: toDate(task.startTime),
  finishTime: toDate(task.finishTime),
  progress: task.progress,
  input: task.properties.input ?? '',
  data: task.data === null ? '' : JSON.stringify(task.data),
  quota: task.quota,
});

export const CreativeTaskPage = pageType(CreativeTaskObject, 'CreativeTaskPage');

type Asked = Omit<CreativeTaskFilter, 'from' | 'to'> & { readonly from: Date; readonly to: Date };

@InputType('CreativeTaskFilter')
export class CreativeTaskFilterInput implements Nullable<Asked> {
  @Field(() => Int, { nullable: true, description: 'For admins.' })
  channelId?: number | null;

  @Field(() => Int, { nullable: true, description: 'For admins.' })
  userId?: number | null;

  @Field(() => String, { nullable: true })
  taskId?: string | null;

  @Field(() => String, { nullable: true })
  platform?: string | null;

  @Field(() => String, { nullable: true })
  action?: string | null;

  @Field(() => String, { nullable: true })
  status?: string | null;

  @Field(() => Date, { nullable: true, description: 'Submitted then or later.' })
  from?: Date | null;

  @Field(() => Date, { nullable: true, description: 'Submitted then or earlier.' })
  to?: Date | null;
}

@ArgsType()
export class CreativeTaskListArgs extends PageArgs {
  @Field(() => CreativeTaskFilterInput, { nullable: true })
  filter?: CreativeTaskFilterInput | null;
}

const toSeconds = (date: Date | null | undefined): number | undefined => date?.getTime() && date.getTime() / 1000;

export function toCreativeTaskFilterOf({ from, to, ...rest }: CreativeTaskFilterInput): CreativeTaskFilter {
  const [first, last] = [toSeconds(from), toSeconds(to)];
  return {
    ...omitNullish<Omit<CreativeTaskFilter, 'from' | 'to'>>(rest),
    ...omitUndefined({ from: first && Math.ceil(first), to: last && Math.floor(last) }),
  };
}
