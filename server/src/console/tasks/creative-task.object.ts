import { ArgsType, InputType, ObjectType } from 'type-graphql';
import { fields, inputFields, ints, json, nullable, of, text, texts } from '../../platform/graphql/fields.js';
import { enumType, namesOf } from '../../platform/graphql/enums.js';
import { listArgs, pageObject } from '../../platform/graphql/pagination.js';
import {
  creativeActions,
  type CreativeAction,
  type CreativeTask,
  type TaskProperties,
} from './creative-task.entity.js';
import { oneOf, taskStatusOf, unknownValue } from './task-list.js';
import { OwnTaskFilterInput, TaskObject, TaskSort } from './task.object.js';

const CreativeTaskActionEnum = enumType(
  'CreativeTaskAction',
  namesOf([...creativeActions, unknownValue]),
  'What a creative task was requested to make.',
  {
    MUSIC: 'A song.',
    LYRICS: 'The text of a song.',
    VIDEO: 'A video.',
    BATCH: 'Calls of a model that the provider makes within a day.',
    UNKNOWN: 'An action that the gateway does not know.',
  },
);

@ObjectType('CreativeTask', { description: 'Music, lyrics, a video or a batch of calls requested from a provider.' })
export class CreativeTaskObject extends fields(
  {
    platform: text('`suno`, `video` or `batch`.'),
    action: of<CreativeAction | typeof unknownValue>(() => CreativeTaskActionEnum, 'What was requested.'),
    input: text.orNull('The request, as text.'),
    data: json.orNull('The result reported by the provider; of own videos null.'),
  },
  TaskObject,
) {
  /** The properties are not a field of the API. `contentUrl` needs them. */
  properties: TaskProperties;
}

export const toCreativeTaskObject = (task: CreativeTask): CreativeTaskObject => ({
  id: task.id,
  taskId: task.taskId || null,
  platform: task.platform,
  userId: task.userId,
  channelId: task.channelId === 0 ? null : task.channelId,
  action: oneOf(creativeActions, task.action),
  status: taskStatusOf(task.status),
  progress: task.progress,
  input: task.properties.input || null,
  data: task.data,
  properties: task.properties,
  failReason: task.failReason || null,
  submittedAt: task.submitTime,
  startedAt: task.startTime,
  finishedAt: task.finishTime,
  quota: task.quota,
});

export const CreativeTaskPage = pageObject(CreativeTaskObject, 'CreativeTaskPage', 'A page of creative tasks.');

@InputType('OwnCreativeTaskFilter', {
  description: 'Conditions on creative tasks. All must match. An empty list matches nothing.',
})
export class OwnCreativeTaskFilterInput extends inputFields(
  {
    actions: nullable<string[]>(
      () => [CreativeTaskActionEnum],
      'Only tasks of these kinds. UNKNOWN matches all actions that the gateway does not know.',
    ),
    platforms: texts.orNull('`suno`, `video` or `batch`.'),
  },
  OwnTaskFilterInput,
) {}

@InputType('CreativeTaskFilter', {
  description: 'Conditions on creative tasks. All must match. An empty list matches nothing.',
})
export class CreativeTaskFilterInput extends inputFields(
  {
    userIds: ints.orNull('Only tasks of these users.'),
    channelIds: ints.orNull('Only tasks that these channels got.'),
  },
  OwnCreativeTaskFilterInput,
) {}

@ArgsType()
export class OwnCreativeTaskListArgs extends listArgs(
  OwnCreativeTaskFilterInput,
  TaskSort,
  'Default: newest first. Nulls come last.',
) {}

@ArgsType()
export class CreativeTaskListArgs extends listArgs(
  CreativeTaskFilterInput,
  TaskSort,
  'Default: newest first. Nulls come last.',
) {}
