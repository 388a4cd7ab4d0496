import { asFields, asText, type Fields } from '../../../dialects/neutral/fields.js';
import {
  bearerOf,
  nameOf,
  publicVideo,
  reportOf,
  stateIn,
  termsWithin,
  urlOf,
  type VideoDialect,
  type VideoOffer,
  type VideoReport,
} from './video-dialect.js';
import type { VideoOrder } from './video-order.js';

const offer: VideoOffer = {
  resolutions: ['480p', '720p', '1080p'],
  ratios: ['16:9', '9:16', '1:1', '4:3', '3:4'],
  seconds: { least: 2, most: 15, usual: 5 },
};
const states: Readonly<Record<string, VideoReport['state']>> = {
  RUNNING: 'running',
  SUCCEEDED: 'done',
  FAILED: 'failed',
  CANCELED: 'failed',
  UNKNOWN: 'failed',
};

/**
 * Whether the model is older than Wan 2.7. Older models accept a size in place of resolution and ratio, and the first
 * image in a field of its own.
 */
const isOlder = (model: string): boolean => /^wanx?2\.[0-6]/.test(model);

/** Wan and HappyHorse of Alibaba's Model Studio. */
export const wan: VideoDialect = {
  takes: new Set(['negative_prompt']),
  terms: (order) => termsWithin(order, offer),
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
          // An image already has a ratio.
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
    return reportOf(stateIn(states, output['task_status']) ?? 'queued', addressIn(answer), output['message']);
  },
  source: publicVideo((data) => addressIn(data)),
};

/** @throws RelayError invalid_video_request */
function firstPicture({ reference }: VideoOrder, model: string): Record<string, unknown> {
  if (!reference) return {};
  const url = urlOf(reference);
  return isOlder(model) ? { img_url: url } : { media: [{ type: 'first_frame', url }] };
}

const outputOf = (answer: Fields): Fields => asFields(answer['output']) ?? {};

const addressIn = (answer: Fields): string => asText(outputOf(answer)['video_url']);
