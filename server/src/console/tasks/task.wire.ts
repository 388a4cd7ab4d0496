import { z } from 'zod';
import { int, named, pages, parameter, quota, text, timeRange } from '../../platform/http/openapi/operation.js';
import { secondsOrZero, unixSeconds } from '../../shared/clock.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import type { TimeRange } from '../../shared/time-range.js';
import type { CreativeTask } from './creative-task.entity.js';
import type { CreativeTaskFilter } from './creative-task.service.js';
import type { Drawing } from './drawing.entity.js';
import type { TaskFilter } from './task-list.js';

const shared = {
  user_id: int('User'),
  channel_id: int('Channel; 0 in own lists'),
  quota: quota('Charged'),
  action: text('What was requested'),
  status: text('NOT_START, SUBMITTED, QUEUED, IN_PROGRESS, SUCCESS, FAILURE, MODAL, UNKNOWN or empty'),
  progress: text('`0%` to `100%`'),
  fail_reason: text('Why it failed, or empty'),
};

/** A drawing in the REST form (docs/reference/rest/entities.md#drawing-task). */
export const drawingShape = named('Drawing', 'A Midjourney task. Times in milliseconds.', {
  ...shared,
  id: int('Id'),
  code: int('1 submitted, 21 exists, 22 queued, 0 not submitted'),
  mj_id: text('Id at the provider'),
  prompt: text('Prompt'),
  prompt_en: text('Prompt in English'),
  description: text("The provider's description"),
  state: text("The client's own text"),
  submit_time: int('Submitted'),
  start_time: int('Started'),
  finish_time: int('Finished'),
  created_at: int('Submitted, in seconds'),
  image_url: text('Link of the picture, or empty'),
  buttons: text('JSON text of possible actions'),
  properties: text('JSON text'),
});

const jsonText = (value: unknown): string => (value == null ? '' : JSON.stringify(value));

export const toDrawingWire = (drawing: Drawing): z.output<typeof drawingShape> => ({
  id: drawing.id,
  code: drawing.code,
  user_id: drawing.userId,
  action: drawing.action,
  mj_id: drawing.mjId,
  prompt: drawing.prompt,
  prompt_en: drawing.promptEn,
  description: drawing.description,
  state: drawing.state,
  submit_time: drawing.submitTime.getTime(),
  start_time: drawing.startTime?.getTime() ?? 0,
  finish_time: drawing.finishTime?.getTime() ?? 0,
  created_at: unixSeconds(drawing.submitTime),
  image_url: drawing.imageUrl,
  status: drawing.status,
  progress: `${drawing.progress}%`,
  fail_reason: drawing.failReason,
  channel_id: drawing.channelId,
  quota: drawing.quota,
  buttons: jsonText(drawing.buttons),
  properties: jsonText(drawing.properties),
});

/** A creative task in the REST form (docs/reference/rest/entities.md#creative-task). */
export const creativeTaskShape = named(
  'CreativeTask',
  'A task of music, a video or a batch of calls. Times in seconds.',
  {
    ...shared,
    id: int('Id'),
    created_at: int('Created'),
    updated_at: int('Changed'),
    task_id: text('Id at the provider; of a video, its id here'),
    platform: text('`suno`, `video`, `batch`'),
    submit_time: int('Submitted'),
    start_time: int('Started'),
    finish_time: int('Finished'),
    properties: z.record(z.string(), z.unknown()),
    data: z.unknown(),
  },
);

export const toCreativeTaskWire = (task: CreativeTask): z.output<typeof creativeTaskShape> => ({
  id: task.id,
  created_at: unixSeconds(task.createdAt),
  updated_at: unixSeconds(task.updatedAt),
  task_id: task.taskId,
  platform: task.platform,
  user_id: task.userId,
  channel_id: task.channelId,
  quota: task.quota,
  action: task.action,
  status: task.status,
  fail_reason: task.failReason,
  submit_time: unixSeconds(task.submitTime),
  start_time: secondsOrZero(task.startTime),
  finish_time: secondsOrZero(task.finishTime),
  progress: `${task.progress}%`,
  // How a batch is charged is internal.
  properties: { ...task.properties, terms: undefined },
  data: task.data,
});

/** The first row of a page follows from `p` alone; only clients of new-api choose the size. */
const page = { ...pages, page_size: parameter.words() };

export const drawingQuery = { ...page, mj_id: parameter.words('Id at the provider'), ...timeRange };
export const creativeTaskQuery = {
  ...page,
  task_id: parameter.words('Id at the provider'),
  platform: parameter.words('`suno`'),
  status: parameter.words('Status'),
  action: parameter.words('Action'),
  ...timeRange,
};
export const ofChannel = { channel_id: parameter.id('Channel') };

const maxTime = 8_640_000_000_000_000;
const listed = <Value>(value: Value | 0 | '' | undefined): Value[] | undefined => (value ? [value] : undefined);

/**
 * Reads the time range. Both ends are inclusive.
 * @param unit milliseconds of one unit of the query's times
 */
function submittedOf(query: z.output<z.ZodObject<typeof timeRange>>, unit: number): TimeRange {
  const { start_timestamp: first, end_timestamp: last } = query;
  const date = (time: number): Date => new Date(Math.min(Math.max(time * unit, 0), maxTime));
  return { from: first ? date(first) : null, until: last ? date(last + 1) : null };
}

type Read<Query extends z.core.$ZodLooseShape> = z.output<z.ZodObject<Query>> & { readonly channel_id?: number };

export const toDrawingFilter = (query: Read<typeof drawingQuery>): TaskFilter =>
  omitUndefined({
    channelIds: listed(query.channel_id),
    taskIds: listed(query.mj_id),
    submitted: submittedOf(query, 1),
  });

export const toCreativeTaskFilter = (query: Read<typeof creativeTaskQuery>): CreativeTaskFilter =>
  omitUndefined({
    channelIds: listed(query.channel_id),
    taskIds: listed(query.task_id),
    platforms: listed(query.platform),
    status: query.status || undefined,
    actions: listed(query.action),
    submitted: submittedOf(query, 1000),
  });
