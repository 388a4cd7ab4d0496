import { asFields, asFieldsList, asText, type Fields } from '../../../dialects/neutral/fields.js';
import {
  atLeast720p,
  bearerOf,
  nameOf,
  reportOf,
  stateIn,
  termsWithin,
  urlOf,
  type VideoDialect,
  type VideoOffer,
  type VideoReport,
} from './video-dialect.js';

const offer: VideoOffer = {
  resolutions: ['720p', '1080p', '4k'],
  ratios: ['16:9', '9:16', '1:1'],
  seconds: { least: 4, most: 10, usual: 5 },
};
const states: Readonly<Record<string, VideoReport['state']>> = { SUCCESS: 'done', FAIL: 'failed' };

/** CogVideoX and Vidu on Zhipu's platform. */
export const cogvideo: VideoDialect = {
  takes: new Set(),
  terms: (submission) => termsWithin(submission, offer, atLeast720p(submission)),
  toRequest: (submission, { seconds, size }, model, target) => ({
    method: 'POST',
    path: '/api/paas/v4/videos/generations',
    headers: bearerOf(target),
    body: {
      model,
      prompt: submission.prompt,
      duration: seconds,
      size,
      ...(submission.reference ? { image_url: urlOf(submission.reference) } : {}),
    },
  }),
  nameIn: (answer) => nameOf(answer['id']),
  lookup: (name, target) => ({
    method: 'GET',
    path: `/api/paas/v4/async-result/${encodeURIComponent(name)}`,
    headers: bearerOf(target),
  }),
  report: (answer) =>
    reportOf(
      stateIn(states, answer['task_status']) ?? 'running',
      addressIn(answer, 'url'),
      asFields(answer['error'])?.['message'],
    ),
  source(_name, data, variant) {
    const url = variant === 'spritesheet' ? '' : addressIn(data, variant === 'video' ? 'url' : 'cover_image_url');
    return url === '' ? null : { url, headers: {}, isChannel: false };
  },
};

const addressIn = (answer: Fields, field: string): string => asText(asFieldsList(answer['video_result'])[0]?.[field]);
