import { asFields, asText, someText, type Fields } from '../../neutral/fields.js';
import {
  bearerOf,
  nameOf,
  secondsWithin,
  sizeAt,
  stateIn,
  urlOf,
  type VideoDialect,
  type VideoReport,
} from './video-dialect.js';
import { invalidVideo, type VideoOrder } from './video-order.js';

const ratios: readonly string[] = ['16:9', '9:16', '1:1', '4:3', '3:4'];
const states: Readonly<Record<string, VideoReport['state']>> = {
  RUNNING: 'running',
  SUCCEEDED: 'done',
  FAILED: 'failed',
  CANCELED: 'failed',
  UNKNOWN: 'failed',
};

/** Models before Wan 2.7 take a size in place of resolution and ratio, and the first picture in a field of its own. */
const isOlder = (model: string): boolean => /^wanx?2\.[0-6]/.test(model);

/** Wan and HappyHorse of Alibaba's Model Studio. */
export const wan: VideoDialect = {
  takes: new Set(['negative_prompt']),
  terms(order) {
    const resolution = order.resolution ?? '720p';
    if (resolution === '2k' || resolution === '4k') {
      throw invalidVideo(`resolution must be 480p, 720p or 1080p for model ${order.model}`);
    }
    const ratio = order.ratio ?? '16:9';
    if (!ratios.includes(ratio)) throw invalidVideo(`aspect_ratio must be one of ${ratios.join(', ')}`);
    return { seconds: secondsWithin(order, 2, 15, 5), resolution, size: sizeAt(resolution, ratio) };
  },
  order(order, { seconds, resolution, size }, model, target) {
    const negative = asText(order.body['negative_prompt']);
    return {
      method: 'POST',
      path: '/api/v1/services/aigc/video-generation/video-synthesis',
      headers: { ...bearerOf(target), 'x-dashscope-async': 'enable' },
      body: {
        model,
        input: {
          prompt: order.prompt,
          ...(negative === '' ? {} : { negative_prompt: negative }),
          ...firstPicture(order, model),
        },
        parameters: {
          duration: seconds,
          // A picture has the ratio already.
          ...(isOlder(model) && !order.reference
            ? { size: size.replace('x', '*') }
            : { resolution: resolution.toUpperCase(), ...(order.reference ? {} : { ratio: order.ratio ?? '16:9' }) }),
        },
      },
    };
  },
  nameIn: (answer) => nameOf(outputOf(answer)['task_id']),
  lookup: (name, target) => ({
    method: 'GET',
    path: `/api/v1/tasks/${encodeURIComponent(name)}`,
    headers: bearerOf(target),
  }),
  report(answer) {
    const output = outputOf(answer);
    const state = stateIn(states, output['task_status']) ?? 'queued';
    if (state === 'done' && addressIn(answer) === '') return { state: 'failed', reason: 'the provider made no video' };
    return { state, reason: state === 'failed' ? someText(output['message']) : undefined };
  },
  source: (_name, data, variant) =>
    variant === 'video' ? { url: addressIn(data), headers: {}, isChannel: false } : null,
};

/** @throws RelayError invalid_video_request */
function firstPicture({ reference }: VideoOrder, model: string): Record<string, unknown> {
  if (!reference) return {};
  const url = urlOf(reference);
  return isOlder(model) ? { img_url: url } : { media: [{ type: 'first_frame', url }] };
}

const outputOf = (answer: Fields): Fields => asFields(answer['output']) ?? {};

const addressIn = (answer: Fields): string => asText(outputOf(answer)['video_url']);
