import { Field, InputType, Int, ObjectType } from 'type-graphql';
import {
  fields,
  inputFields,
  int,
  ints,
  moment,
  nullable,
  of,
  quota,
  text,
  texts,
} from '../../platform/graphql/fields.js';
import { Access } from '../../platform/graphql/access.js';
import { enumType } from '../../platform/graphql/enums.js';
import { type Nullable } from '../../platform/graphql/nullable.js';
import { sortInput, type SortFields } from '../../platform/graphql/pagination.js';
import { TimeRangeObject, toFilter } from '../../platform/graphql/ranges.js';
import type { CreativeTaskFilter } from './creative-task.service.js';
import type { TaskSortField, TaskStatus } from './task-list.js';

/** Parts that the GraphQL types of drawings and creative tasks share. */

const TaskStatusEnum = enumType(
  'TaskStatus',
  {
    NOT_STARTED: 'NOT_START',
    SUBMITTED: 'SUBMITTED',
    QUEUED: 'QUEUED',
    IN_PROGRESS: 'IN_PROGRESS',
    WAITING_FOR_INPUT: 'MODAL',
    SUCCESS: 'SUCCESS',
    FAILURE: 'FAILURE',
    UNKNOWN: 'UNKNOWN',
  } satisfies Record<string, TaskStatus>,
  'How far a task is. SUCCESS and FAILURE are final.',
  {
    NOT_STARTED: 'Not accepted by the provider yet, or not begun.',
    SUBMITTED: 'The provider has accepted it.',
    QUEUED: 'It waits at the provider.',
    IN_PROGRESS: 'The provider works on it.',
    WAITING_FOR_INPUT: 'The provider opened a dialog and waits for the user.',
    SUCCESS: 'The result is there.',
    FAILURE: 'It failed, and its charge was refunded.',
    UNKNOWN: 'A status that the gateway does not know.',
  },
);

@ObjectType()
export abstract class TaskObject extends fields({
  id: int('Ids grow with time. The id at the provider is `taskId`.'),
  taskId: text.orNull('The provider’s id. Null: the provider has not accepted it.'),
  userId: int('The user who pays for the task.'),
  status: of<TaskStatus>(() => TaskStatusEnum, 'How far the task is.'),
  progress: int('Percent, 0 to 100. 100 is final.'),
  failReason: text.orNull('Null: it did not fail.'),
  submittedAt: moment('When the user requested it.'),
  startedAt: moment.orNull('When the provider began. Null: not yet, or not reported.'),
  finishedAt: moment.orNull('Null: it has not ended.'),
  quota: quota('Quota that was charged. Refunded when the task fails.'),
}) {
  @Access('tasks.read')
  @Field(() => Int, { nullable: true, description: 'Null in lists of own tasks.' })
  channelId: number | null;
}

@InputType()
export abstract class OwnTaskFilterInput extends inputFields({
  ids: ints.orNull('Only these tasks.'),
  taskIds: texts.orNull('The provider’s ids.'),
  statuses: nullable<TaskStatus[]>(() => [TaskStatusEnum], 'Only tasks with one of these statuses.'),
  submitted: nullable<TimeRangeObject>(() => TimeRangeObject, 'When the task was requested.'),
}) {}

type FilterInput = OwnTaskFilterInput &
  Nullable<Pick<CreativeTaskFilter, 'actions' | 'userIds' | 'channelIds' | 'platforms'>>;

/** @throws InvalidInputError for an invalid range */
export const toTaskFilter = (input: FilterInput): CreativeTaskFilter =>
  toFilter<CreativeTaskFilter>(input, ['submitted']);

const taskSortFields: SortFields<TaskSortField> = {
  ID: ['id', 'The id, which grows with time.'],
  SUBMITTED_AT: ['submitTime', 'When the task was requested.'],
  FINISHED_AT: ['finishTime', 'When the task ended. Those that run have none.'],
  CHANNEL_ID: ['channelId', 'The channel that got the task. Own tasks cannot be sorted by it.'],
  STATUS: ['status', 'The stored name of the status, in the order of the alphabet.'],
  ACTION: ['action', 'The name of the action, in the order of the alphabet.'],
  QUOTA: ['quota', 'Quota that was charged.'],
};

/** Sort input of both lists. */
export const TaskSort = sortInput('Task', taskSortFields);
