import { queryId, queryNumber } from '../../http/query.js';
import type { CreativeTask } from './creative-task.entity.js';
import type { CreativeTaskFilter } from './creative-task.service.js';
import type { Drawing } from './drawing.entity.js';
import type { DrawingFilter } from './drawing.service.js';

type Query = Readonly<Record<string, string | undefined>>;

/** docs/reference/rest/entities.md#drawing-task. */
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

/** docs/reference/rest/entities.md#creative-task. */
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

const textOf = (text: string | undefined): string | undefined => text || undefined;
const timeOf = (text: string | undefined): number | undefined => queryNumber(text) || undefined;

const range = (query: Query): { from?: number; to?: number } => ({
  from: timeOf(query['start_timestamp']),
  to: timeOf(query['end_timestamp']),
});

export const toDrawingFilter = (query: Query): DrawingFilter => ({
  channelId: queryId(query['channel_id']) || undefined,
  mjId: textOf(query['mj_id']),
  ...range(query),
});

export const toCreativeTaskFilter = (query: Query): CreativeTaskFilter => ({
  channelId: queryId(query['channel_id']) || undefined,
  taskId: textOf(query['task_id']),
  platform: textOf(query['platform']),
  status: textOf(query['status']),
  action: textOf(query['action']),
  ...range(query),
});
