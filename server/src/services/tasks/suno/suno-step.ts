import { type CreativeTask, finished } from '../../../console/tasks/index.js';
import { changes, jsonValue, moment, text } from '../field.js';
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
/** Milliseconds. */
const second = 1_000;

/** Returns the changes of a task's row after a provider's report; null when the report contains nothing new. */
export function sunoStep(item: Fields, row: CreativeTask, now: Date): Partial<CreativeTask> | null {
  const status = text(item['status'], 40);
  const step: Partial<CreativeTask> = {
    status: statuses.includes(status) ? status : row.status,
    failReason: text(item['fail_reason'], 4000) || row.failReason,
    startTime: moment(item['start_time'], second) ?? row.startTime,
    finishTime: moment(item['finish_time'], second) ?? row.finishTime,
    data: jsonValue(item['data'], maxData) ?? row.data,
  };
  const whenDone = { progress: finished, finishTime: step.finishTime ?? now };
  const end =
    step.status === 'FAILURE' || step.failReason !== ''
      ? { ...whenDone, status: 'FAILURE' }
      : step.status === 'SUCCESS'
        ? whenDone
        : {};
  return changes({ ...step, ...end }, row) ? { ...step, ...end, updatedAt: now } : null;
}

/** Returns the changes of a task that failed. */
export const failedSunoStep = (reason: string, now: Date): Partial<CreativeTask> => ({
  status: 'FAILURE',
  progress: finished,
  failReason: reason,
  finishTime: now,
  updatedAt: now,
});
