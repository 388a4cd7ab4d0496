import { type Drawing, finished } from '../../../console/tasks/index.js';
import { changes, jsonValue, moment, text } from '../field.js';
import type { Fields } from '../../../dialects/neutral/fields.js';

const finalStatuses: readonly string[] = ['SUCCESS', 'FAILURE'];
const statuses: readonly string[] = ['NOT_START', 'SUBMITTED', 'IN_PROGRESS', 'MODAL', ...finalStatuses];
/** The progress of a drawing whose image is complete, but that its provider has not ended. */
const almostFinished = 99;

/**
 * Returns the changes of a drawing's row after a provider's report; null when the report contains nothing new. The
 * poller and the callback both use it, so that both detect the same end.
 */
export function drawingStep(item: Fields, row: Drawing, now: Date): Partial<Drawing> | null {
  const progress = progressOf(item['progress']) ?? row.progress;
  const status = statusOf(item['status']) ?? row.status;
  const step: Partial<Drawing> = {
    code: 1,
    // Providers show the last preview with 100 %, and some have their own statuses. The row accepts no report after 100
    // %, so only a final status sets it.
    progress: progress === finished && !finalStatuses.includes(status) ? almostFinished : progress,
    promptEn: text(item['promptEn']) || row.promptEn,
    description: text(item['description']) || row.description,
    state: text(item['state']) || row.state,
    startTime: moment(item['startTime'], 1) ?? row.startTime,
    finishTime: moment(item['finishTime'], 1) ?? row.finishTime,
    imageUrl: text(item['imageUrl'], 4000) || row.imageUrl,
    status,
    failReason: text(item['failReason'], 4000) || row.failReason,
    buttons: jsonValue(item['buttons']) ?? row.buttons,
    properties: jsonValue(item['properties']) ?? row.properties,
  };
  const whole = { ...step, ...ending(step, now) };
  return changes(whole, row) ? whole : null;
}

/**
 * Returns the changes that end a drawing. A failure reason ends it, and so does a final status with incomplete
 * progress.
 */
function ending(step: Partial<Drawing>, now: Date): Partial<Drawing> {
  const failed = step.status === 'FAILURE' || (step.failReason !== '' && step.progress !== finished);
  if (failed) return { status: 'FAILURE', progress: finished, finishTime: step.finishTime ?? now };
  if (step.status === 'SUCCESS') return { progress: finished, finishTime: step.finishTime ?? now };
  return {};
}

/** Returns the changes of a drawing that failed. */
export const failedStep = (reason: string, now: Date): Partial<Drawing> => ({
  status: 'FAILURE',
  progress: finished,
  failReason: reason,
  finishTime: now,
});

const progressOf = (value: unknown): number | null =>
  typeof value === 'string' && /^(?:100|\d{1,2})%$/.test(value) ? Number.parseInt(value, 10) : null;

const statusOf = (value: unknown): string | null =>
  typeof value === 'string' && statuses.includes(value) ? value : null;
