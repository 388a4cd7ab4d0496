import { randomInt } from 'node:crypto';
import {
  creativeKind,
  type CreativeTask,
  type CreativeTaskStore,
  type Drawing,
  drawingKind,
  type DrawingStore,
  videoPlatform,
} from '../../console/tasks/index.js';
import { wholeSecond } from '../../shared/clock.js';
import { withoutKey } from '../../gateway/send/redact-key.js';
import { text } from './field.js';
import { drawingStep, failedStep } from './midjourney/drawing-step.js';
import { sunoPlatform } from './suno/suno-submission.js';
import { failedSunoStep, sunoStep } from './suno/suno-step.js';
import type { PolledPlatform } from './task-poller.js';
import type { TaskTarget } from './task-target.js';
import type { VideoReport } from './video/video-dialect.js';
import { videosOf, withAddress } from './video/video-dialects.js';
import { failedVideoStep, storedReport, videoStep } from './video/video-row.js';
import { fieldsWithoutKey, jsonObject, type TaskUpstream } from './task-upstream.js';
import { UpstreamError } from '../../dialects/errors/upstream-error.js';
import type { Fields } from '../../dialects/neutral/fields.js';

const timeout = 15_000;
const hour = 3_600_000;

/** Polls Midjourney proxies: one request returns the states of many drawings. Drawings are given up after an hour. */
export const polledDrawings = (store: DrawingStore, upstream: TaskUpstream): PolledPlatform<Drawing> => ({
  kind: drawingKind,
  lifetime: hour,
  unfinished: (after, limit) => store.unfinished(after, limit),
  nameOf: (row) => row.mjId,
  async ask(target, names) {
    const { status, body } = await upstream.call(target, {
      method: 'POST',
      path: '/mj/task/list-by-condition',
      headers: { 'mj-api-secret': target.key },
      body: { ids: names },
      timeout,
    });
    const list = status === 200 ? (JSON.parse(body.toString()) as unknown) : null;
    return withoutKeys(byName(list, 'id', status), 'failReason', target.key);
  },
  step: (item, row, now) => drawingStep(item, row, new Date(now)),
  failed: (reason, now) => failedStep(reason, new Date(now)),
});

/** Polls Suno proxies: one request returns the states of many tasks. Tasks are given up after a day. */
export const polledMusic = (store: CreativeTaskStore, upstream: TaskUpstream): PolledPlatform<CreativeTask> => ({
  kind: creativeKind,
  lifetime: 24 * hour,
  unfinished: (after, limit) => store.unfinished(sunoPlatform, after, limit),
  nameOf: (row) => row.taskId,
  async ask(target, names) {
    const { status, body } = await upstream.call(target, {
      method: 'POST',
      path: '/suno/fetch',
      headers: { authorization: `Bearer ${target.key}` },
      body: { ids: names },
      timeout,
    });
    const said = status === 200 ? jsonObject(body) : null;
    const list = said?.['code'] === 'success' ? said['data'] : null;
    return withoutKeys(byName(list, 'task_id', status), 'fail_reason', target.key);
  },
  step: (item, row, now) => sunoStep(item, row, wholeSecond(now)),
  failed: (reason, now) => failedSunoStep(reason, wholeSecond(now)),
});

/** Polls videos, one request for each. Videos are given up after a day. */
export const polledVideos = (store: CreativeTaskStore, upstream: TaskUpstream): PolledPlatform<CreativeTask> => ({
  kind: creativeKind,
  lifetime: 24 * hour,
  unfinished: (after, limit) => store.unfinished(videoPlatform, after, limit),
  nameOf: (row) => (row.taskId === '' ? '' : (row.properties.upstream ?? '')),
  ask: (target, names) => reportsOf(withAddress(target), names, upstream),
  step: (item, row, now) => videoStep(item['report'] as VideoReport, item['data'], row, wholeSecond(now)),
  failed: (reason, now) => failedVideoStep(reason, wholeSecond(now)),
});

/** Statuses that say something about the video, and not about the account. */
const unknownVideo: ReadonlySet<number> = new Set([400, 404, 410, 422]);
const lookupsAtOnce = 8;
/** Milliseconds in which lookups of one account are started. Other accounts wait for the end of the scheduled run. */
const lookupTime = 10_000;

/**
 * Returns the reports of several tasks. A failed lookup does not affect the others. Tasks that are not looked up in
 * time follow in a later run.
 * @throws when every lookup fails
 */
async function reportsOf(
  target: TaskTarget,
  names: readonly string[],
  upstream: TaskUpstream,
): Promise<ReadonlyMap<string, Fields>> {
  const dialect = videosOf(target.channel);
  if (!dialect) throw new Error(`channel type ${target.channel.type} does not offer videos`);
  const found = new Map<string, Fields>();
  let problem: unknown = null;
  let isReached = names.length === 0;
  // The start is random: with a fixed order, slow lookups at the beginning would always use up the time of the rest.
  const start = randomInt(Math.max(1, names.length));
  const waiting = [...names.slice(start), ...names.slice(0, start)];
  const end = performance.now() + lookupTime;
  const worker = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined && performance.now() < end; name = waiting.shift())
      await lookUp(name);
  };
  const lookUp = async (name: string): Promise<void> => {
    try {
      const { status, body } = await upstream.call(target, { ...dialect.lookup(name, target), timeout });
      const answer = jsonObject(body);
      const isFailure = status === 400 && answer !== null && dialect.isFailure?.(answer) === true;
      const said = isFailure || (status >= 200 && status < 300) ? answer : null;
      // A video that the provider does not know is given up when its time is over.
      if (!said && !unknownVideo.has(status)) throw new Error(`the provider returned no video, status ${status}`);
      if (said) dialect.check?.(said);
      isReached = true;
      if (!said) return;
      const data = fieldsWithoutKey(said, target.key);
      found.set(name, { report: dialect.report(data), data: storedReport(data) });
    } catch (error) {
      if (error instanceof UpstreamError && unknownVideo.has(error.status)) isReached = true;
      problem = error;
    }
  };
  await Promise.all(Array.from({ length: lookupsAtOnce }, worker));
  if (!isReached) throw problem;
  return found;
}

/** Removes the channel's key from the reasons of failures, which users see. */
function withoutKeys(items: ReadonlyMap<string, Fields>, reason: string, key: string): ReadonlyMap<string, Fields> {
  const redacted = (item: Fields): Fields => ({ ...item, [reason]: withoutKey(text(item[reason]), key) });
  return new Map([...items].map(([name, item]) => [name, text(item[reason]) === '' ? item : redacted(item)]));
}

/** @throws when the response is not a list */
function byName(list: unknown, name: string, status: number): ReadonlyMap<string, Fields> {
  if (!Array.isArray(list)) throw new Error(`the provider returned no tasks, status ${status}`);
  const items = new Map<string, Fields>();
  for (const item of list as unknown[]) {
    if (typeof item !== 'object' || item === null) continue;
    const found = text((item as Fields)[name], 200);
    if (found !== '') items.set(found, item as Fields);
  }
  return items;
}
