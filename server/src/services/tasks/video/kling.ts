import { unixSecond } from '../../../shared/clock.js';
import { AppError } from '../../../shared/errors.js';
import type { Resolution } from '../../../shared/price-condition.js';
import { signedJwt } from '../../../dialects/makers/openai-compatible/signing.js';
import { asFields, asFieldsList, asText, type Fields } from '../../../dialects/neutral/fields.js';
import type { TaskTarget } from '../task-target.js';
import {
  audioAskedFor,
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
  type VideoRequest,
} from './video-dialect.js';
import { invalidVideo, larger, type Reference, type VideoSubmission } from './video-submission.js';

/** Kling's names of resolutions. */
const modes: ReadonlyMap<unknown, Resolution> = new Map([
  ['std', '720p'],
  ['pro', '1080p'],
  ['4k', '4k'],
]);

/**
 * Returns the resolution that a field `mode` names. Undefined where it says nothing.
 * @throws RelayError invalid_video_request
 */
export function resolutionOfMode(mode: unknown): Resolution | undefined {
  if (mode === undefined || mode === null || mode === '') return undefined;
  const named = modes.get(mode);
  if (named) return named;
  throw invalidVideo('mode must be std, pro or 4k');
}

const modeAt: Partial<Readonly<Record<Resolution, string>>> = { '720p': 'std', '1080p': 'pro', '4k': '4k' };

interface KlingOffer extends VideoOffer {
  /** Whether the model has a choice of modes. */
  readonly hasModes: boolean;
  /** Resolutions in which the model can generate audio. */
  readonly sound: readonly Resolution[];
}

const ratios = ['16:9', '9:16', '1:1'];
const fiveOrTen = { least: 5, most: 10, usual: 5, only: [5, 10] };
const older: KlingOffer = {
  resolutions: ['720p', '1080p'],
  ratios,
  seconds: fiveOrTen,
  hasModes: true,
  sound: [],
};

/** Returns the terms that a model has. */
function offerOf(model: string): KlingOffer {
  if (/^kling-v[3-9]/.test(model)) {
    const resolutions = ['720p', '1080p', '4k'] as const;
    return { ...older, resolutions, seconds: { least: 3, most: 15, usual: 5 }, sound: resolutions };
  }
  if (model.startsWith('kling-v2-6')) return { ...older, sound: ['1080p'] };
  // The two older models have no modes: each makes one resolution.
  if (model === 'kling-v2-master') return { ...older, resolutions: ['720p'], hasModes: false };
  if (model === 'kling-v2-1-master') return { ...older, resolutions: ['1080p'], hasModes: false };
  return older;
}

const states: Readonly<Record<string, VideoReport['state']>> = {
  processing: 'running',
  succeed: 'done',
  failed: 'failed',
};

/** Fields that change no price. They are sent as the client wrote them. */
const passed = ['cfg_scale', 'camera_control', 'image_tail'] as const;

/** Kling's own API. Videos from text and from an image have paths of their own. */
export const kling: VideoDialect = {
  takes: new Set([...passed, 'negative_prompt', 'generate_audio', 'sound', 'mode']),
  terms(submission, model) {
    const offer = offerOf(model);
    const terms = termsWithin(submission, offer, resolutionOf(submission, offer));
    const hasAudio = soundOf(submission) ?? false;
    if (hasAudio && !offer.sound.includes(terms.resolution)) {
      throw invalidVideo(`model ${submission.model} makes no audio in ${terms.resolution}`);
    }
    return { ...terms, hasAudio };
  },
  toRequest(submission, { seconds, resolution, hasAudio }, model, target) {
    const { hasModes, sound } = offerOf(model);
    const { reference, prompt, body, ratio } = submission;
    const avoided = asText(body['negative_prompt']);
    return {
      ...request('POST', reference ? 'image2video' : 'text2video', target),
      body: {
        ...Object.fromEntries(passed.flatMap((name) => ((body[name] ?? null) === null ? [] : [[name, body[name]]]))),
        model_name: model,
        prompt,
        ...(avoided === '' ? {} : { negative_prompt: avoided }),
        duration: String(seconds),
        ...(hasModes ? { mode: modeAt[resolution] } : {}),
        // Models without audio refuse the field.
        ...(sound.length > 0 ? { sound: hasAudio ? 'on' : 'off' } : {}),
        ...(reference ? { image: imageOf(reference) } : { aspect_ratio: ratio ?? '16:9' }),
      },
    };
  },
  nameIn(answer, { path }) {
    const id = nameOf(asFields(answer['data'])?.['task_id']);
    // A lookup needs the kind of the video too.
    return id === '' ? '' : `${path.split('/').at(-1)}/${id}`;
  },
  lookup(name, target) {
    const [kind = '', id = ''] = name.split('/');
    return request('GET', `${kind}/${encodeURIComponent(id)}`, target);
  },
  report(answer) {
    const data = asFields(answer['data']) ?? {};
    return reportOf(stateIn(states, data['task_status']) ?? 'queued', addressIn(answer), data['task_status_msg']);
  },
  source: publicVideo((data) => addressIn(data)),
};

const request = (method: VideoRequest['method'], path: string, target: TaskTarget): VideoRequest => ({
  method,
  path: withoutVersion(`/v1/videos/${path}`, target),
  headers: {},
  sign: (now) => ({ authorization: `Bearer ${tokenOf(target, now)}` }),
});

/**
 * Returns the bearer token. An access key with its secret signs one that is valid for half an hour; any other key is a
 * token itself.
 * @param now Unix milliseconds
 * @throws AppError UPSTREAM_UNREACHABLE
 */
function tokenOf({ key }: TaskTarget, now: number): string {
  const [accessKey = '', secret, ...more] = key.split('|').map((part) => part.trim());
  if (secret === undefined) return accessKey;
  if (accessKey === '' || secret === '' || more.length > 0)
    throw new AppError('UPSTREAM_UNREACHABLE', 'The key of the channel must have the form AccessKey|SecretKey');
  const seconds = unixSecond(now);
  return signedJwt({ alg: 'HS256', typ: 'JWT' }, { iss: accessKey, exp: seconds + 1800, nbf: seconds - 5 }, secret);
}

/** @throws RelayError invalid_video_request */
function resolutionOf({ resolution, body }: VideoSubmission, { resolutions }: KlingOffer): Resolution | undefined {
  const asked = larger(resolution ?? undefined, resolutionOfMode(body['mode']));
  return asked === '480p' ? '720p' : (asked ?? resolutions[0]);
}

/**
 * Returns whether the client asks for audio, by either of its names. Null where it says nothing.
 * @throws RelayError invalid_video_request
 */
function soundOf(submission: VideoSubmission): boolean | null {
  const asked = audioAskedFor(submission);
  const sound = submission.body['sound'] ?? '';
  if (sound === '') return asked;
  if (sound !== 'on' && sound !== 'off') throw invalidVideo('sound must be on or off');
  if (asked !== null && asked !== (sound === 'on')) throw invalidVideo('generate_audio and sound differ');
  return sound === 'on';
}

/** Kling accepts base64 without the beginning of a `data:` URL. */
const imageOf = (reference: Reference): string => (reference.kind === 'base64' ? reference.data : urlOf(reference));

const addressIn = (answer: Fields): string =>
  asText(asFieldsList(asFields(asFields(answer['data'])?.['task_result'])?.['videos'])[0]?.['url']);
