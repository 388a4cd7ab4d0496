import { asFields, asText, someNumber, someText } from '../../../dialects/neutral/fields.js';
import {
  bearerOf,
  nameOf,
  publicVideo,
  stateIn,
  termsWithin,
  urlOf,
  withoutVersion,
  type VideoDialect,
  type VideoOffer,
  type VideoReport,
} from './video-dialect.js';

const offer: VideoOffer = {
  resolutions: ['480p', '720p', '1080p'],
  ratios: ['16:9', '9:16', '1:1', '4:3', '3:4', '3:2', '2:3'],
  seconds: { least: 1, most: 15, usual: 6 },
};
const states: Readonly<Record<string, VideoReport['state']>> = { done: 'done', failed: 'failed', expired: 'failed' };

/** The model grok-imagine-video of xAI. */
export const xaiVideos: VideoDialect = {
  takes: new Set(),
  terms: (order) => termsWithin(order, offer, order.resolution ?? '480p'),
  order: (order, { seconds, resolution }, model, target) => ({
    method: 'POST',
    path: withoutVersion('/v1/videos/generations', target),
    headers: bearerOf(target),
    body: {
      model,
      prompt: order.prompt,
      duration: seconds,
      resolution,
      aspect_ratio: order.ratio ?? '16:9',
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
  source: publicVideo((data) => addressIn(data)),
};

const addressIn = (answer: Readonly<Record<string, unknown>>): string => asText(asFields(answer['video'])?.['url']);
