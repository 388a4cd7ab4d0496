import { refuseBaseResponse } from '../../../dialects/makers/minimax/minimax.js';
import { asFields, asText, someText, type Fields } from '../../../dialects/neutral/fields.js';
import {
  atLeast720p,
  bearerOf,
  nameOf,
  publicVideo,
  reportOf,
  stateIn,
  termsWithin,
  urlOf,
  withoutVersion,
  type VideoDialect,
  type VideoOffer,
  type VideoReport,
  type VideoTerms,
} from './video-dialect.js';
import { invalidVideo, type VideoSubmission } from './video-submission.js';

/** MiniMax H3 and the models before it (Hailuo), whose API has other paths. */
const isH3 = (model: string): boolean => /^minimax-h3/i.test(model);
const isHailuo = (model: string): boolean => /hailuo/i.test(model);

const h3Offer: VideoOffer = {
  resolutions: ['720p', '2k'],
  ratios: ['16:9', '9:16', '1:1', '4:3', '3:4', '21:9'],
  seconds: { least: 4, most: 15, usual: 5 },
};
const hailuoOffer: VideoOffer = {
  resolutions: ['720p', '1080p'],
  ratios: ['16:9'],
  seconds: { least: 6, most: 10, usual: 6, only: [6, 10] },
};
const olderOffer: VideoOffer = { ...hailuoOffer, resolutions: ['720p'], seconds: { least: 6, most: 6, usual: 6 } };

const states: Readonly<Record<string, VideoReport['state']>> = {
  Queueing: 'queued',
  Preparing: 'running',
  Processing: 'running',
  Success: 'done',
  Fail: 'failed',
  running: 'running',
  succeeded: 'done',
  failed: 'failed',
  cancelled: 'failed',
  expired: 'failed',
};

/** MiniMax's videos. A report of the older models has the id of a file, whose address is another request. */
export const minimaxVideos: VideoDialect = {
  takes: new Set(),
  terms(submission, model) {
    if (isH3(model)) return { ...termsWithin(submission, h3Offer, atLeast720p(submission)), hasAudio: true };
    // The API has no ratio: a video has the one of its image, else 16:9.
    const asked = submission.reference ? { ...submission, ratio: null } : submission;
    const terms = termsWithin(asked, isHailuo(model) ? hailuoOffer : olderOffer, atLeast720p(submission));
    if (terms.resolution === '1080p' && terms.seconds !== 6) throw invalidVideo('a video in 1080p has 6 seconds');
    if (/-fast$/i.test(model) && !submission.reference)
      throw invalidVideo(`model ${submission.model} needs input_reference`);
    return terms;
  },
  toRequest: (submission, terms, model, target) => ({
    method: 'POST',
    path: isH3(model) ? '/v2/video_generation' : withoutVersion('/v1/video_generation', target),
    headers: bearerOf(target),
    body: isH3(model) ? h3Body(submission, terms, model) : hailuoBody(submission, terms, model),
  }),
  check: (answer) => void refuseBaseResponse(answer),
  nameIn(answer, { path }) {
    const id = nameOf(answer['task_id']);
    return id !== '' && path.startsWith('/v2/') ? `v2/${id}` : id;
  },
  lookup(name, target) {
    const id = encodeURIComponent(name.replace(/^v2\//, ''));
    const path = name.startsWith('v2/')
      ? `/v2/query/video_generation/${id}`
      : withoutVersion(`/v1/query/video_generation?task_id=${id}`, target);
    return { method: 'GET', path, headers: bearerOf(target) };
  },
  report(answer) {
    const task = asFields(answer['task']) ?? answer;
    const made = asText(task['file_id']) || addressIn(answer);
    const reason = someText(asFields(task['error'])?.['message']) ?? task['error_message'];
    return reportOf(stateIn(states, task['status']) ?? 'queued', made, reason);
  },
  // An address is valid for some hours, and each of these requests returns a new one.
  locate(name, data, target) {
    const file = encodeURIComponent(asText(data['file_id']));
    if (name.startsWith('v2/')) return this.lookup(name, target);
    return { ...this.lookup(name, target), path: withoutVersion(`/v1/files/retrieve?file_id=${file}`, target) };
  },
  source: publicVideo((data) => addressIn(data)),
};

/** Names of resolutions. Models before Hailuo 02 make 720 lines, those after it 768, which are priced as 720p. */
const linesOf = (resolution: VideoTerms['resolution'], model: string): string =>
  resolution === '720p' ? (isH3(model) || isHailuo(model) ? '768P' : '720P') : resolution.toUpperCase();

function h3Body({ prompt, reference, ratio }: VideoSubmission, terms: VideoTerms, model: string): Fields {
  return {
    model,
    content: [
      { type: 'text', text: prompt },
      ...(reference ? [{ type: 'image_url', image_url: { url: urlOf(reference) }, role: 'first_frame' }] : []),
    ],
    resolution: linesOf(terms.resolution, model),
    duration: terms.seconds,
    ratio: reference ? 'adaptive' : (ratio ?? '16:9'),
  };
}

function hailuoBody({ prompt, reference }: VideoSubmission, terms: VideoTerms, model: string): Fields {
  return {
    model,
    prompt,
    duration: terms.seconds,
    resolution: linesOf(terms.resolution, model),
    ...(reference ? { first_frame_image: urlOf(reference) } : {}),
  };
}

const addressIn = (answer: Fields): string =>
  asText(asFields(answer['file'])?.['download_url']) ||
  asText(asFields(asFields(answer['task'])?.['content'])?.['url']);
