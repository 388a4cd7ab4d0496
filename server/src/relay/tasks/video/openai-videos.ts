import { resolutionTier } from '../../../shared/price-card.js';
import { asFields, someNumber, someText, without } from '../../neutral/fields.js';
import { writeForm } from '../../forms/multipart.js';
import type { FormPart } from '../../adapter.js';
import { text } from '../field.js';
import type { TaskTarget } from '../task-target.js';
import {
  bearerOf,
  sizeAt,
  withoutVersion,
  type VideoDialect,
  type VideoReport,
  type VideoRequest,
} from './video-dialect.js';

/** Those that decide the charge are written here; an upstream might read another name of one first. */
const decided = new Set(['model', 'prompt', 'seconds', 'size', 'duration', 'n']);

/** Gateways use the words of the providers behind them. */
const states: Readonly<Record<string, VideoReport['state']>> = {
  in_progress: 'running',
  processing: 'running',
  running: 'running',
  completed: 'done',
  succeeded: 'done',
  success: 'done',
  failed: 'failed',
  failure: 'failed',
  cancelled: 'failed',
  expired: 'failed',
};

const pathOf = (name: string): string => `/v1/videos/${encodeURIComponent(name)}`;
const request = (method: VideoRequest['method'], path: string, target: TaskTarget, body?: unknown): VideoRequest => ({
  ...{ method, path: withoutVersion(path, target), headers: bearerOf(target) },
  ...(body === undefined ? {} : { body }),
});

/** OpenAI's videos API, which gateways offer in front of any provider. */
export const openAIVideos: VideoDialect = {
  takes: null,
  terms(order) {
    const size = order.size?.join('x') ?? sizeAt(order.resolution ?? '720p', order.ratio ?? '9:16');
    return { seconds: order.seconds ?? 4, size, resolution: order.resolution ?? resolutionTier(size) ?? '720p' };
  },
  order(order, { seconds, size }, model, target) {
    const fields = { model, prompt: order.prompt, seconds: String(seconds), size };
    if (order.form === null)
      return request('POST', '/v1/videos', target, { ...without(order.body, decided), ...fields });
    const { contentType, body } = writeForm(partsOf(order.form, fields));
    const plain = request('POST', '/v1/videos', target, body);
    return { ...plain, headers: { ...plain.headers, 'content-type': contentType } };
  },
  remix: (name, prompt, target) => request('POST', `${pathOf(name)}/remix`, target, { prompt }),
  nameIn: (answer) => text(answer['id'], 200) || text(answer['task_id'], 200),
  lookup: (name, target) => request('GET', pathOf(name), target),
  report(answer) {
    const error = asFields(answer['error']);
    const state = states[text(answer['status'], 40).toLowerCase()] ?? 'queued';
    return {
      state,
      progress: someNumber(answer['progress']),
      reason: state === 'failed' ? someText(error?.['message']) : undefined,
    };
  },
  source: (name, _data, variant, target) => ({
    url: target.baseUrl + withoutVersion(`${pathOf(name)}/content?variant=${variant}`, target),
    headers: bearerOf(target),
    isChannel: true,
  }),
  remove: (name, target) => request('DELETE', pathOf(name), target),
};

function partsOf(form: readonly FormPart[], fields: Readonly<Record<string, string>>): FormPart[] {
  const kept = form.filter(({ name }) => !decided.has(name));
  return [...Object.entries(fields).map(([name, value]) => ({ name, value })), ...kept];
}
