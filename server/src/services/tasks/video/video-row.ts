import { type CreativeTask, finished } from '../../../console/tasks/index.js';
import type { Fields } from '../../../dialects/neutral/fields.js';
import { jsonValue, text } from '../field.js';
import { secondsOrZero, unixSeconds } from '../../../shared/clock.js';
import type { VideoReport } from './video-dialect.js';
import type { VideoWire } from './video-shape.js';

/** Returns the id that clients see. The provider's id may be a path, and is not unique among providers. */
export const videoIdOf = (requestId: string): string => `video_${requestId}`;

const maxData = 1_000_000;

/** Returns a provider's report if it fits into a row, without the channel's key. */
export const storedReport = (data: Fields): unknown => jsonValue(data, maxData);

const statuses = { queued: 'QUEUED', running: 'IN_PROGRESS', done: 'SUCCESS', failed: 'FAILURE' } as const;

/** Returns the changes of a row after a provider's report; null when it contains nothing new. */
export function videoStep(
  report: VideoReport,
  data: unknown,
  row: CreativeTask,
  now: Date,
): Partial<CreativeTask> | null {
  const status = statuses[report.state];
  if (report.state === 'failed') {
    return { ...failedVideoStep(report.reason || 'the provider made no video', now), data };
  }
  if (report.state === 'done') return { status, data, progress: finished, finishTime: now, updatedAt: now };
  const progress = Math.min(99, Math.max(0, Math.floor(report.progress ?? row.progress)));
  if (status === row.status && progress === row.progress) return null;
  const startTime = report.state === 'running' ? (row.startTime ?? now) : row.startTime;
  return { status, data, progress, startTime, updatedAt: now };
}

/** Returns the changes of a video that failed. */
export const failedVideoStep = (reason: string, now: Date): Partial<CreativeTask> => ({
  status: 'FAILURE',
  progress: finished,
  failReason: text(reason, 4000),
  finishTime: now,
  updatedAt: now,
});

const shownStatuses: Readonly<Record<string, string>> = {
  IN_PROGRESS: 'in_progress',
  SUCCESS: 'completed',
  FAILURE: 'failed',
};

/** Returns a video in OpenAI's form. */
export function toVideoWire(row: CreativeTask): VideoWire {
  const { model = '', seconds = 0, size = '', input = null, remixedFrom = null } = row.properties;
  const status = shownStatuses[row.status] ?? 'queued';
  const isFailed = status === 'failed';
  return {
    id: row.taskId,
    object: 'video',
    model,
    status,
    progress: row.progress,
    created_at: unixSeconds(row.submitTime),
    completed_at: status === 'completed' ? secondsOrZero(row.finishTime) : null,
    // Providers keep videos for an hour to two days, and few state how long.
    expires_at: null,
    seconds: String(seconds),
    size,
    prompt: input,
    remixed_from_video_id: remixedFrom,
    error: isFailed ? { code: 'video_generation_failed', message: row.failReason } : null,
  };
}
