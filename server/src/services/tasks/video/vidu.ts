import { asFields, asFieldsList, asText, someText, type Fields } from '../../../dialects/neutral/fields.js';
import type { TaskTarget } from '../task-target.js';
import {
  atLeast720p,
  audioAskedFor,
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
import { invalidVideo, type VideoSubmission } from './video-submission.js';

interface ViduOffer extends VideoOffer {
  /** Whether the model generates audio, and can be asked not to. */
  readonly hasAudio?: true;
  /** Whether the model makes videos from an image only. */
  readonly needsImage: boolean;
}

const ratios = ['16:9', '9:16', '1:1'];
const moreRatios = [...ratios, '4:3', '3:4'];
/** The names of models that also make a video of a text alone. */
const ofText = /^vidu(?:q3-pro|q3-turbo|q2|q1|1\.5)$/;

/** Returns the terms of a model (https://platform.vidu.com/docs, November 2026). */
function offerOf(model: string): ViduOffer {
  const needsImage = !ofText.test(model);
  const later = { resolutions: ['720p', '1080p'], ratios: moreRatios, needsImage } as const;
  if (/^viduq[3-9]/.test(model)) return { ...later, seconds: { least: 1, most: 16, usual: 5 }, hasAudio: true };
  if (model.startsWith('viduq2')) return { ...later, seconds: { least: 1, most: 10, usual: 5 } };
  if (model.startsWith('viduq1')) {
    const seconds = { least: 5, most: 5, usual: 5 };
    return { resolutions: ['1080p'], ratios, seconds, needsImage };
  }
  const seconds = { least: 4, most: 8, usual: 4, only: [4, 8] };
  return { resolutions: ['720p', '1080p'], ratios, seconds, needsImage };
}

const states: Readonly<Record<string, VideoReport['state']>> = {
  created: 'queued',
  queueing: 'queued',
  processing: 'running',
  success: 'done',
  failed: 'failed',
};

/** Vidu's own API. Videos from text and from an image have paths of their own. */
export const vidu: VideoDialect = {
  takes: new Set(['generate_audio']),
  terms(submission, model) {
    const { needsImage, hasAudio, ...offer } = offerOf(model);
    if (needsImage && !submission.reference) throw invalidVideo(`model ${submission.model} needs input_reference`);
    // The image has a ratio, and the API none beside it.
    const asked = submission.reference ? { ...submission, ratio: null } : submission;
    const terms = termsWithin(asked, offer, submission.resolution ? atLeast720p(submission) : offer.resolutions[0]);
    if (offer.seconds.only && terms.resolution === '1080p' && terms.seconds !== 4) {
      throw invalidVideo('a video in 1080p has 4 seconds');
    }
    return { ...terms, hasAudio: soundOf(submission, hasAudio === true) };
  },
  toRequest: (submission, { seconds, resolution, hasAudio }, model, target) => ({
    method: 'POST',
    path: `/ent/v2/${submission.reference ? 'img2video' : 'text2video'}`,
    headers: tokenOf(target),
    body: {
      model,
      prompt: submission.prompt,
      duration: seconds,
      resolution,
      // Models without audio ignore the field.
      ...(offerOf(model).hasAudio ? { audio: hasAudio } : {}),
      ...(submission.reference
        ? { images: [urlOf(submission.reference)] }
        : { aspect_ratio: submission.ratio ?? '16:9' }),
    },
  }),
  nameIn: (answer) => nameOf(answer['task_id']),
  lookup: (name, target) => ({
    method: 'GET',
    path: `/ent/v2/tasks/${encodeURIComponent(name)}/creations`,
    headers: tokenOf(target),
  }),
  report: (answer) =>
    reportOf(stateIn(states, answer['state']) ?? 'queued', addressIn(answer), someText(answer['err_code'])),
  // An address is valid for a day, and the same request returns a new one.
  locate(name, _data, target) {
    return this.lookup(name, target);
  },
  source: publicVideo((data) => addressIn(data)),
};

const tokenOf = ({ key }: TaskTarget): Record<string, string> => ({ authorization: `Token ${key}` });

/** @throws RelayError invalid_video_request */
function soundOf(submission: VideoSubmission, isOffered: boolean): boolean {
  const asked = audioAskedFor(submission);
  if (asked === true && !isOffered) throw invalidVideo(`model ${submission.model} makes no audio`);
  return isOffered && asked !== false;
}

const addressIn = (answer: Fields): string => asText(asFields(asFieldsList(answer['creations'])[0])?.['url']);
