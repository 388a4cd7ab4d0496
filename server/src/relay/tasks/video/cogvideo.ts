import { asFields, asFieldsList, asText, someText, type Fields } from '../../neutral/fields.js';
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
import { invalidVideo } from './video-order.js';

const ratios: readonly string[] = ['16:9', '9:16', '1:1'];
const states: Readonly<Record<string, VideoReport['state']>> = { SUCCESS: 'done', FAIL: 'failed' };

/** CogVideoX and Vidu on Zhipu's platform. */
export const cogvideo: VideoDialect = {
  takes: new Set(),
  terms(order) {
    const resolution = order.resolution === null || order.resolution === '480p' ? '720p' : order.resolution;
    if (resolution === '2k') throw invalidVideo(`resolution must be 720p, 1080p or 4k for model ${order.model}`);
    const ratio = order.ratio ?? '16:9';
    if (!ratios.includes(ratio)) throw invalidVideo(`aspect_ratio must be one of ${ratios.join(', ')}`);
    return { seconds: secondsWithin(order, 4, 10, 5), resolution, size: sizeAt(resolution, ratio) };
  },
  order: (order, { seconds, size }, model, target) => ({
    method: 'POST',
    path: '/api/paas/v4/videos/generations',
    headers: bearerOf(target),
    body: {
      ...{ model, prompt: order.prompt, duration: seconds, size },
      ...(order.reference ? { image_url: urlOf(order.reference) } : {}),
    },
  }),
  nameIn: (answer) => nameOf(answer['id']),
  lookup: (name, target) => ({
    method: 'GET',
    path: `/api/paas/v4/async-result/${encodeURIComponent(name)}`,
    headers: bearerOf(target),
  }),
  report(answer) {
    const state = stateIn(states, answer['task_status']) ?? 'running';
    if (state === 'done' && addressIn(answer, 'url') === '') {
      return { state: 'failed', reason: 'the provider made no video' };
    }
    return { state, reason: state === 'failed' ? someText(asFields(answer['error'])?.['message']) : undefined };
  },
  source(_name, data, variant) {
    const url = variant === 'spritesheet' ? '' : addressIn(data, variant === 'video' ? 'url' : 'cover_image_url');
    return url === '' ? null : { url, headers: {}, isChannel: false };
  },
};

const addressIn = (answer: Fields, field: string): string => asText(asFieldsList(answer['video_result'])[0]?.[field]);
