import { queryId, queryNumber } from '../../platform/http/query.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import type { TimeRange } from '../../shared/time-range.js';
import type { CreativeTask } from './creative-task.entity.js';
import type { CreativeTaskFilter } from './creative-task.service.js';
import type { Drawing } from './drawing.entity.js';
import type { TaskFilter } from './task-list.js';

type Query = Readonly<Record<string, string | undefined>>;

/** Returns a drawing in the REST form (docs/reference/rest/entities.md#drawing-task). */
export const toDrawingWire = (drawing: Drawing): Record<string, unknown> => ({
  id: drawing.id,
  code: drawing.code,
  user_id: drawing.userId,
  action: drawing.action,
  mj_id: drawing.mjId,
  prompt: drawing.prompt,
  prompt_en: drawing.promptEn,
  description: drawing.description,
  state: drawing.state,
  submit_time: drawing.submitTime,
  start_time: drawing.startTime,
  finish_time: drawing.finishTime,
  created_at: Math.floor(drawing.submitTime / 1000),
  image_url: drawing.imageUrl,
  status: drawing.status,
  progress: drawing.progress,
  fail_reason: drawing.failReason,
  channel_id: drawing.channelId,
  quota: drawing.quota,
  buttons: drawing.buttons,
  properties: drawing.properties,
});

/** Returns a creative task in the REST form (docs/reference/rest/entities.md#creative-task). */
export const toCreativeTaskWire = (task: CreativeTask): Record<string, unknown> => ({
  id: task.id,
  created_at: task.createdAt,
  updated_at: task.updatedAt,
  task_id: task.taskId,
  platform: task.platform,
  user_id: task.userId,
  channel_id: task.channelId,
  quota: task.quota,
  action: task.action,
  status: task.status,
  fail_reason: task.failReason,
  submit_time: task.submitTime,
  start_time: task.startTime,
  finish_time: task.finishTime,
  progress: task.progress,
  properties: task.properties,
  data: task.data,
});

const maxTime = 8_640_000_000_000_000;
const listOf = <Value>(value: Value | 0 | '' | undefined): Value[] | undefined => (value ? [value] : undefined);

/**
 * Reads the time range. Both ends are inclusive.
 * @param unit milliseconds of one unit of the query's times
 */
function submittedOf(query: Query, unit: number): TimeRange {
  const [first, last] = [queryNumber(query['start_timestamp']), queryNumber(query['end_timestamp'])];
  const date = (time: number): Date => new Date(Math.min(Math.max(time * unit, -maxTime), maxTime));
  return { from: first ? date(first) : null, until: last ? date(last + 1) : null };
}

export const toDrawingFilter = (query: Query): TaskFilter =>
  omitUndefined({
    channelIds: listOf(queryId(query['channel_id'])),
    taskIds: listOf(query['mj_id']),
    submitted: submittedOf(query, 1),
  });

export const toCreativeTaskFilter = (query: Query): CreativeTaskFilter =>
  omitUndefined({
    channelIds: listOf(queryId(query['channel_id'])),
    taskIds: listOf(query['task_id']),
    platforms: listOf(query['platform']),
    status: query['status'] || undefined,
    actions: listOf(query['action']),
    submitted: submittedOf(query, 1000),
  });
