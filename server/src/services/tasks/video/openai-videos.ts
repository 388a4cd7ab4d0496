import { resolutionNamed } from '../../../shared/price-condition.js';
import { asFields, someNumber, someText, type Fields } from '../../../dialects/neutral/fields.js';
import { writeForm } from '../../../dialects/wire/forms/multipart.js';
import type { FormPart } from '../../../dialects/contract.js';
import { text } from '../field.js';
import type { TaskTarget } from '../task-target.js';
import { larger } from './video-submission.js';
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

/**
 * Fields of a video submission that are forwarded as the client wrote them. The terms are written here, and all other
 * fields are removed: gateways accept many names of a number, a length and a quality, which are not charged.
 */
const asWritten: ReadonlySet<string> = new Set([
  ...[
    'resolution',
    'aspect_ratio',
    'style',
    'negative_prompt',
    'seed',
    'user',
    'watermark',
    'guidance_scale',
    'cfg_scale',
  ],
  ...['input_reference', 'input_reference[image_url]', 'input_reference[file_id]', 'prompt_optimizer', 'prompt_extend'],
]);

/** States by the words of the providers. Gateways use the words of the providers behind them. */
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
  method,
  path: withoutVersion(path, target),
  headers: bearerOf(target),
  ...(body === undefined ? {} : { body }),
});

/** OpenAI's videos API, which gateways offer in front of any provider. */
export const openAIVideos: VideoDialect = {
  takes: asWritten,
  terms(submission) {
    const named = submission.resolution ?? (submission.size ? undefined : '720p');
    const size = submission.size?.join('x') ?? sizeAt(named ?? '720p', submission.ratio ?? '9:16');
    // A wide ratio has more pixels than its resolution's name says.
    const resolution = larger(named, resolutionNamed(size)) ?? '720p';
    return { seconds: submission.seconds ?? 4, size, resolution };
  },
  toRequest(submission, { seconds, size }, model, target) {
    const fields = { model, prompt: submission.prompt, seconds: String(seconds), size };
    if (submission.form === null)
      return request('POST', '/v1/videos', target, { ...forwardedOf(submission.body), ...fields });
    const { contentType, body } = writeForm(partsOf(submission.form, fields));
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
  Object.fromEntries(Object.entries(body).filter(([name]) => asWritten.has(name)));

function partsOf(form: readonly FormPart[], fields: Readonly<Record<string, string>>): FormPart[] {
  const kept = form.filter(({ name }) => asWritten.has(name));
  return [...Object.entries(fields).map(([name, value]) => ({ name, value })), ...kept];
}
