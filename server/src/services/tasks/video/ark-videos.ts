import { asFields, asText, type Fields } from '../../../dialects/neutral/fields.js';
import {
  audioAskedFor,
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

const path = '/api/v3/contents/generations/tasks';
const offer: VideoOffer = {
  resolutions: ['480p', '720p', '1080p', '4k'],
  ratios: ['16:9', '9:16', '1:1', '4:3', '3:4', '21:9'],
  seconds: { least: 2, most: 15, usual: 5 },
};
const states: Readonly<Record<string, VideoReport['state']>> = {
  running: 'running',
  succeeded: 'done',
  failed: 'failed',
  cancelled: 'failed',
  expired: 'failed',
};

/** Seedance on Volcano Ark, or BytePlus. */
export const arkVideos: VideoDialect = {
  takes: new Set(['generate_audio']),
  // Models that generate audio do so unless the request says otherwise.
  terms: (submission) => ({ ...termsWithin(submission, offer), hasAudio: audioAskedFor(submission) ?? true }),
  toRequest: (submission, { seconds, resolution, hasAudio }, model, target) => ({
    method: 'POST',
    path: pathAt(target.baseUrl),
    headers: bearerOf(target),
    body: {
      model,
      resolution,
      duration: seconds,
      ratio: submission.ratio ?? '16:9',
      // Models without audio refuse the field.
      ...(audioAskedFor(submission) === null ? {} : { generate_audio: hasAudio }),
      content: [
        { type: 'text', text: submission.prompt },
        ...(submission.reference
          ? [{ type: 'image_url', image_url: { url: urlOf(submission.reference) }, role: 'first_frame' }]
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
  report: (answer) =>
    reportOf(stateIn(states, answer['status']) ?? 'queued', addressIn(answer), asFields(answer['error'])?.['message']),
  source: publicVideo((data) => addressIn(data)),
};

/** Returns the path of the API. A base URL may end with the version, as in Ark's own documents. */
const pathAt = (baseUrl: string): string => (baseUrl.endsWith('/api/v3') ? path.slice('/api/v3'.length) : path);

const addressIn = (answer: Fields): string => asText(asFields(answer['content'])?.['video_url']);
