import { asFields, asFieldsList, asList, asText, type Fields } from '../../../dialects/neutral/fields.js';
import { imageType } from '../../../dialects/neutral/media.js';
import { text } from '../field.js';
import type { TaskTarget } from '../task-target.js';
import { atLeast720p, nameOf, termsWithin, type VideoDialect, type VideoOffer } from './video-dialect.js';
import { invalidVideo, type Reference } from './video-submission.js';

const keyOf = ({ key }: TaskTarget): Record<string, string> => ({ 'x-goog-api-key': key });

const offer: VideoOffer = {
  resolutions: ['720p', '1080p', '4k'],
  ratios: ['16:9', '9:16'],
  seconds: { least: 4, most: 8, usual: 8 },
};

/** Veo of the Gemini API. A video is a long-running operation. */
export const veo: VideoDialect = {
  takes: new Set(['negative_prompt']),
  terms(submission) {
    const [width = 16, height = 9] = (submission.ratio ?? '16:9').split(':').map(Number);
    const ratio = width >= height ? '16:9' : '9:16';
    // The Gemini API has no switch for audio: Veo 3 always generates it.
    return { ...termsWithin({ ...submission, ratio }, offer, atLeast720p(submission)), hasAudio: true };
  },
  toRequest(submission, { seconds, resolution, size }, model, target) {
    const [width = 0, height = 0] = size.split('x').map(Number);
    const negative = asText(submission.body['negative_prompt']);
    return {
      method: 'POST',
      path: `${versioned(target)}/models/${encodeURIComponent(model)}:predictLongRunning`,
      headers: keyOf(target),
      body: {
        instances: [
          { prompt: submission.prompt, ...(submission.reference ? { image: imageOf(submission.reference) } : {}) },
        ],
        parameters: {
          durationSeconds: seconds,
          resolution,
          sampleCount: 1,
          aspectRatio: width > height ? '16:9' : '9:16',
          ...(negative === '' ? {} : { negativePrompt: negative }),
        },
      },
    };
  },
  nameIn: (answer) => nameOf(answer['name']),
  lookup: (name, target) => ({
    method: 'GET',
    path: `${versioned(target)}/${name.split('/').map(encodeURIComponent).join('/')}`,
    headers: keyOf(target),
  }),
  report(answer) {
    if (answer['done'] !== true) return { state: 'running' };
    const error = asFields(answer['error']);
    if (error) return { state: 'failed', reason: text(error['message']) };
    if (addressIn(answer) !== '') return { state: 'done' };
    const filtered = asList(madeIn(answer)?.['raiMediaFilteredReasons']).map(asText).filter(Boolean);
    return { state: 'failed', reason: filtered.join(' ') || 'the provider made no video' };
  },
  source(_name, data, variant, target) {
    const address = addressIn(data);
    // Only http and https are accepted. The path of another scheme is any text, and could continue the name of the
    // channel's host.
    if (variant !== 'video' || !/^https?:/i.test(address) || !URL.canParse(address)) return null;
    // The key is only sent to the host of the channel, which may be a proxy in front of Google.
    const { pathname, search } = new URL(address);
    const base = target.baseUrl.replace(version, '');
    return { url: base + pathname + search, headers: keyOf(target), isChannel: true };
  },
};

/** Matches the version, with which a base URL may end. */
const version = /\/v1(?:beta|alpha)?$/;

const versioned = ({ baseUrl }: TaskTarget): string => (version.test(baseUrl) ? '' : '/v1beta');

const madeIn = (answer: Fields): Fields | null => asFields(asFields(answer['response'])?.['generateVideoResponse']);

const addressIn = (answer: Fields): string =>
  asText(asFields(asFieldsList(madeIn(answer)?.['generatedSamples'])[0]?.['video'])?.['uri']);

/** @throws RelayError invalid_video_request */
function imageOf(reference: Reference): Record<string, string> {
  if (reference.kind !== 'base64') throw invalidVideo('input_reference must be a file or a data: URL for this model');
  return { bytesBase64Encoded: reference.data, mimeType: imageType(reference) };
}
