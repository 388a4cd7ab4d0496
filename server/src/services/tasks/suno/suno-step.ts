import { type CreativeTask, finished } from '../../../console/tasks/index.js';
import { jsonText, text, whole } from '../field.js';
import type { Fields } from '../../../dialects/neutral/fields.js';

const statuses: readonly string[] = [
  'NOT_START',
  'SUBMITTED',
  'QUEUED',
  'IN_PROGRESS',
  'FAILURE',
  'SUCCESS',
  'UNKNOWN',
];
const maxData = 1_000_000;

/**
 * Returns the changes of a task's row after a provider's report; null when the report contains nothing new.
 * @param now Unix seconds
 */
export function sunoStep(item: Fields, row: CreativeTask, now: number): Partial<CreativeTask> | null {
  const status = text(item['status'], 40);
  const step: Partial<CreativeTask> = {
    status: statuses.includes(status) ? status : row.status,
    failReason: text(item['fail_reason'], 4000) || row.failReason,
    startTime: whole(item['start_time']) || row.startTime,
    finishTime: whole(item['finish_time']) || row.finishTime,
    data: dataOf(item['data']) ?? row.data,
  };
  const whenDone = { progress: finished, finishTime: step.finishTime || now };
  const end =
    step.status === 'FAILURE' || step.failReason !== ''
      ? { ...whenDone, status: 'FAILURE' }
      : step.status === 'SUCCESS'
        ? whenDone
        : {};
  return changed({ ...step, ...end }, row) ? { ...step, ...end, updatedAt: now } : null;
}

/**
 * Returns the changes of a task that failed.
 * @param now Unix seconds
 */
export const failedSunoStep = (reason: string, now: number): Partial<CreativeTask> => ({
  status: 'FAILURE',
  progress: finished,
  failReason: reason,
  finishTime: now,
  updatedAt: now,
});

/** Returns the data as received, or nothing when it is too large for a row. */
function dataOf(data: unknown): unknown {
  const written = jsonText(data, maxData);
  return written === '' ? null : (JSON.parse(written) as unknown);
}

function changed(step: Partial<CreativeTask>, row: CreativeTask): boolean {
  return (Object.keys(step) as Array<keyof CreativeTask>).some((key) =>
    key === 'data' ? JSON.stringify(step.data) !== JSON.stringify(row.data) : step[key] !== row[key],
  );
}
