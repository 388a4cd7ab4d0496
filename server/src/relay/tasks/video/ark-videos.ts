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
import { invalidVideo } from './video-order.js';

const path = '/api/v3/contents/generations/tasks';
const ratios: readonly string[] = ['16:9', '9:16', '1:1', '4:3', '3:4', '21:9'];
const states: Readonly<Record<string, VideoReport['state']>> = {
  running: 'running',
  succeeded: 'done',
  failed: 'failed',
  cancelled: 'failed',
  expired: 'failed',
};

/** Seedance on Volcano Ark, or BytePlus. */
export const arkVideos: VideoDialect = {
  takes: new Set(),
  terms(order) {
    const resolution = order.resolution ?? '720p';
    if (resolution === '2k') throw invalidVideo('resolution must be 480p, 720p, 1080p or 4k');
    const ratio = order.ratio ?? '16:9';
    if (!ratios.includes(ratio)) throw invalidVideo(`aspect_ratio must be one of ${ratios.join(', ')}`);
    return { seconds: secondsWithin(order, 2, 15, 5), resolution, size: sizeAt(resolution, ratio) };
  },
  order: (order, { seconds, resolution }, model, target) => ({
    method: 'POST',
    path: pathAt(target.baseUrl),
    headers: bearerOf(target),
    body: {
      ...{ model, resolution, duration: seconds, ratio: order.ratio ?? '16:9' },
      content: [
        { type: 'text', text: order.prompt },
        ...(order.reference
          ? [{ type: 'image_url', image_url: { url: urlOf(order.reference) }, role: 'first_frame' }]
          : []),
      ],
    },
  }),
  nameIn: (answer) => nameOf(answer['id']),
  lookup: (name, target) => ({
    method: 'GET',
    path: `${pathAt(target.baseUrl)}/${encodeURIComponent(name)}`,
    headers: bearerOf(target),
  }),
  report(answer) {
    const state = stateIn(states, answer['status']) ?? 'queued';
    if (state === 'done' && addressIn(answer) === '') return { state: 'failed', reason: 'the provider made no video' };
    const reason = state === 'failed' ? someText(asFields(answer['error'])?.['message']) : undefined;
    return { state, reason };
  },
  source: (_name, data, variant) =>
    variant === 'video' ? { url: addressIn(data), headers: {}, isChannel: false } : null,
};

/** A base URL may end with the version, as Ark's own documents write it. */
const pathAt = (baseUrl: string): string => (baseUrl.endsWith('/api/v3') ? path.slice('/api/v3'.length) : path);

const addressIn = (answer: Fields): string => asText(asFields(answer['content'])?.['video_url']);
