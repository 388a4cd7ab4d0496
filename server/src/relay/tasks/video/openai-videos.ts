import { resolutionTier } from '../../../shared/price-card.js';
import { asFields, someNumber, someText, type Fields } from '../../neutral/fields.js';
import { writeForm } from '../../forms/multipart.js';
import type { FormPart } from '../../adapter.js';
import { text } from '../field.js';
import type { TaskTarget } from '../task-target.js';
import { larger, orderFields } from './video-order.js';
import {
  bearerOf,
  nameOf,
  sizeAt,
  stateIn,
  withoutVersion,
  type VideoDialect,
  type VideoReport,
  type VideoRequest,
} from './video-dialect.js';

/** Fields of an order that travel as the client wrote them. The others are written here. */
const asWritten: ReadonlySet<string> = new Set([
  ...['resolution', 'aspect_ratio'],
  ...['input_reference', 'input_reference[image_url]', 'input_reference[file_id]'],
]);
/** `n` would make videos that are not charged. Gateways copy what is inside of the others over the fields of the order. */
const refused: ReadonlySet<string> = new Set(['n', 'metadata', 'extra_body']);

/** Some upstreams compare names without regard to case, or read `metadata[seconds]` as a field of `metadata`. */
function isForwarded(name: string): boolean {
  const plain = (name.split('[', 1)[0] ?? '').trim().toLowerCase();
  return asWritten.has(name) || !(orderFields.has(plain) || refused.has(plain));
}

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
  takes: { has: isForwarded },
  terms(order) {
    const size = order.size?.join('x') ?? sizeAt(order.resolution ?? '720p', order.ratio ?? '9:16');
    // A wide ratio has more pixels than its resolution is named after.
    const resolution = larger(order.resolution ?? undefined, resolutionTier(size)) ?? '720p';
    return { seconds: order.seconds ?? 4, size, resolution };
  },
  order(order, { seconds, size }, model, target) {
    const fields = { model, prompt: order.prompt, seconds: String(seconds), size };
    if (order.form === null) return request('POST', '/v1/videos', target, { ...forwardedOf(order.body), ...fields });
    const { contentType, body } = writeForm(partsOf(order.form, fields));
    const plain = request('POST', '/v1/videos', target, body);
    return { ...plain, headers: { ...plain.headers, 'content-type': contentType } };
  },
  remix: (name, prompt, target) => request('POST', `${pathOf(name)}/remix`, target, { prompt }),
  nameIn: (answer) => nameOf(answer['id']) || nameOf(answer['task_id']),
  lookup: (name, target) => request('GET', pathOf(name), target),
  report(answer) {
    const error = asFields(answer['error']);
    const state = stateIn(states, text(answer['status'], 40).toLowerCase()) ?? 'queued';
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

const forwardedOf = (body: Fields): Fields =>
  Object.fromEntries(Object.entries(body).filter(([name]) => isForwarded(name)));

function partsOf(form: readonly FormPart[], fields: Readonly<Record<string, string>>): FormPart[] {
  const kept = form.filter(({ name }) => isForwarded(name));
  return [...Object.entries(fields).map(([name, value]) => ({ name, value })), ...kept];
}
