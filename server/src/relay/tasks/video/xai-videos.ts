import { asFields, asText, someNumber, someText } from '../../neutral/fields.js';
import {
  bearerOf,
  nameOf,
  secondsWithin,
  sizeAt,
  stateIn,
  urlOf,
  withoutVersion,
  type VideoDialect,
  type VideoReport,
} from './video-dialect.js';
import { invalidVideo } from './video-order.js';

const ratios: readonly string[] = ['16:9', '9:16', '1:1', '4:3', '3:4', '3:2', '2:3'];
const states: Readonly<Record<string, VideoReport['state']>> = { done: 'done', failed: 'failed', expired: 'failed' };

/** grok-imagine-video. */
export const xaiVideos: VideoDialect = {
  takes: new Set(),
  terms(order) {
    const resolution = order.resolution ?? '480p';
    if (resolution === '2k' || resolution === '4k') {
      throw invalidVideo(`resolution must be 480p, 720p or 1080p for model ${order.model}`);
    }
    const ratio = order.ratio ?? '16:9';
    if (!ratios.includes(ratio)) throw invalidVideo(`aspect_ratio must be one of ${ratios.join(', ')}`);
    return { seconds: secondsWithin(order, 1, 15, 6), resolution, size: sizeAt(resolution, ratio) };
  },
  order: (order, { seconds, resolution }, model, target) => ({
    method: 'POST',
    path: withoutVersion('/v1/videos/generations', target),
    headers: bearerOf(target),
    body: {
      ...{ model, prompt: order.prompt, duration: seconds, resolution, aspect_ratio: order.ratio ?? '16:9' },
      ...(order.reference ? { image: { url: urlOf(order.reference) } } : {}),
    },
  }),
  nameIn: (answer) => nameOf(answer['request_id']),
  lookup: (name, target) => ({
    method: 'GET',
    path: withoutVersion(`/v1/videos/${encodeURIComponent(name)}`, target),
    headers: bearerOf(target),
  }),
  report(answer) {
    const state = stateIn(states, answer['status']) ?? 'running';
    if (state === 'done' && addressIn(answer) === '') return { state: 'failed', reason: 'the video was withheld' };
    const error = asFields(answer['error']);
    const reason = someText(error?.['message']) ?? someText(answer['error']);
    return { state, progress: someNumber(answer['progress']), reason: state === 'failed' ? reason : undefined };
  },
  source: (_name, data, variant) =>
    variant === 'video' ? { url: addressIn(data), headers: {}, isChannel: false } : null,
};

const addressIn = (answer: Readonly<Record<string, unknown>>): string => asText(asFields(answer['video'])?.['url']);
