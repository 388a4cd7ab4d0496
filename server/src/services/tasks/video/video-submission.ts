import { resolutionNamed, resolutions, type Resolution } from '../../../shared/price-condition.js';
import type { FormPart } from '../../../dialects/contract.js';
import { withCode } from '../../refusals.js';
import { RelayError } from '../../../dialects/errors/relay-error.js';
import { parseJsonBody } from '../../../dialects/wire/forms/json-body.js';
import { readForm, textFields } from '../../../dialects/wire/forms/multipart.js';
import { asFields, type Fields } from '../../../dialects/neutral/fields.js';
import { toMediaSource } from '../../../dialects/neutral/media.js';
import type { MediaSource } from '../../../dialects/neutral/message.js';

/** The model of a submission that names none, as at OpenAI. */
const usualModel = 'sora-2';
const maxPrompt = 32_000;
const maxSeconds = 60;

/** The first image of the video, or a file in the provider's account. */
export type Reference =
  Extract<MediaSource, { readonly kind: 'base64' | 'url' }> | { readonly kind: 'file'; readonly id: string };

/** Fields of the body that are read from a submission. */
export const submissionFields: ReadonlySet<string> = new Set([
  ...['model', 'prompt', 'seconds', 'duration', 'size', 'resolution', 'aspect_ratio'],
  ...['input_reference', 'input_reference[image_url]', 'input_reference[file_id]'],
]);

/** A video submission in OpenAI's form. */
export interface VideoSubmission {
  readonly model: string;
  readonly prompt: string;
  /** The length. Null for the provider's default length. */
  readonly seconds: number | null;
  /** Width and height in pixels. */
  readonly size: readonly [number, number] | null;
  /** The resolution as named or given by the size; the larger of both. */
  readonly resolution: Resolution | null;
  /** The ratio as named or given by the size, such as `16:9`. */
  readonly ratio: string | null;
  readonly reference: Reference | null;
  /** The fields without the file of a form. */
  readonly body: Fields;
  readonly form: readonly FormPart[] | null;
}

const videoCode = 'invalid_video_request';

/** Returns the error for an invalid video request. */
export const invalidVideo = (message: string): RelayError => new RelayError('INVALID_INPUT', message, videoCode);

/** Translates a JSON body of another form to OpenAI's. */
export type SubmissionForm = (body: Fields) => Fields;

/**
 * Parses the body of `POST /v1/videos`, which is JSON or a form.
 * @param translated of a JSON body in another form
 * @throws RelayError invalid_video_request, invalid_request
 */
export function openVideoSubmission(
  rawBody: Buffer,
  contentType: string,
  translated: SubmissionForm = (body) => body,
): Pick<VideoSubmission, 'body' | 'form' | 'model'> {
  const form = /^multipart\//i.test(contentType) ? readForm(rawBody, contentType) : null;
  const body = form ? textFields(form) : translated(parseJsonBody(rawBody));
  return { body, form, model: optionalText(body, 'model') ?? usualModel };
}

/** @throws RelayError invalid_video_request */
export function parseVideoSubmission({
  body,
  form,
  model,
}: Pick<VideoSubmission, 'body' | 'form' | 'model'>): VideoSubmission {
  const size = sizeOf(body);
  const named = optionalText(body, 'resolution');
  const resolution = named === null ? undefined : resolutionNamed(named);
  if (named !== null && !resolution) throw invalidVideo('resolution must be 480p, 720p, 1080p, 2k or 4k');
  const bySize = size ? resolutionNamed(size.join('x')) : undefined;
  return {
    model,
    body,
    form,
    size,
    prompt: promptOf(body),
    seconds: secondsOf(body),
    resolution: larger(resolution, bySize) ?? null,
    ratio: ratioOf(body, size),
    reference: referenceOf(body, form),
  };
}

/** @throws RelayError invalid_video_request */
export function promptOf(body: Fields): string {
  const prompt = optionalText(body, 'prompt');
  if (prompt === null) throw invalidVideo('prompt is required');
  if (prompt.length > maxPrompt) throw invalidVideo(`prompt must have at most ${maxPrompt} characters`);
  return prompt;
}

/** Reads an optional text. Returns null for a field that is absent, null or empty. */
function optionalText(body: Fields, name: string): string | null {
  const value = body[name];
  if (value === undefined || value === null || value === '') return null;
  if (typeof value !== 'string') throw invalidVideo(`${name} must be text`);
  return value;
}

/** Reads the length. OpenAI's SDKs send text, others a number. */
function secondsOf(body: Fields): number | null {
  const value = body['seconds'] ?? body['duration'];
  if (value === undefined || value === null || value === '') return null;
  const seconds = typeof value === 'string' && /^\d{1,3}$/.test(value) ? Number(value) : value;
  if (typeof seconds !== 'number' || !Number.isInteger(seconds) || seconds < 1 || seconds > maxSeconds) {
    throw invalidVideo(`seconds must be a whole number from 1 to ${maxSeconds}`);
  }
  return seconds;
}

function sizeOf(body: Fields): readonly [number, number] | null {
  const size = optionalText(body, 'size');
  if (size === null) return null;
  const [, width, height] = /^([1-9]\d{1,3})x([1-9]\d{1,3})$/.exec(size) ?? [];
  if (width === undefined || height === undefined) throw invalidVideo('size must be like 1280x720');
  return [Number(width), Number(height)];
}

function ratioOf(body: Fields, size: VideoSubmission['size']): string | null {
  const ratio = optionalText(body, 'aspect_ratio');
  if (ratio === null) return size && ratioOfSize(size);
  if (!/^[1-9]\d?(?:\.\d)?:[1-9]\d?(?:\.\d)?$/.test(ratio)) throw invalidVideo('aspect_ratio must be like 16:9');
  return ratio;
}

/** Common ratios. Sizes are multiples of 8 or 16 pixels, so they only come close to a ratio. */
const usualRatios = ['16:9', '9:16', '1:1', '4:3', '3:4', '3:2', '2:3', '21:9'] as const;

function ratioOfSize([width, height]: readonly [number, number]): string {
  const distance = (ratio: string): number => {
    const [left = 1, right = 1] = ratio.split(':').map(Number);
    return Math.abs(Math.log((width * right) / (height * left)));
  };
  return usualRatios.reduce((best, ratio) => (distance(ratio) < distance(best) ? ratio : best));
}

export const larger = (one: Resolution | undefined, other: Resolution | undefined): Resolution | undefined =>
  one && other && resolutions.indexOf(other) > resolutions.indexOf(one) ? other : (one ?? other);

function referenceOf(body: Fields, form: VideoSubmission['form']): Reference | null {
  const files = (form ?? []).flatMap(({ name, value }) => (typeof value === 'string' ? [] : [name]));
  const names = [...Object.keys(body), ...files].filter((name) => name.startsWith('input_reference'));
  // A provider may use another one of them than is checked here.
  if (names.length > 1 || files.some((name) => name.startsWith('input_reference['))) throw invalidVideo(oneReference);
  const file = form?.find(({ name }) => name === 'input_reference')?.value;
  if (file !== undefined && typeof file !== 'string') {
    if (!/^image\//i.test(file.contentType)) throw invalidVideo('input_reference must be an image');
    return { kind: 'base64', mediaType: file.contentType.toLowerCase(), data: file.bytes.toString('base64') };
  }
  const given = body['input_reference'];
  const named = typeof given === 'string' ? { image_url: given || undefined } : (asFields(given) ?? bracketed(body));
  const { image_url: url, file_id: id } = named;
  const isEmpty = given === undefined || given === null || given === '';
  if (isEmpty && url === undefined && id === undefined) return null;
  if (typeof url === 'string' && url !== '' && id === undefined) {
    const source = withCode(videoCode, () => toMediaSource(url, 'input_reference'));
    if (source.kind === 'base64' || source.kind === 'url') return source;
  }
  if (typeof id === 'string' && id !== '' && url === undefined) return { kind: 'file', id };
  throw invalidVideo(oneReference);
}

const oneReference = 'input_reference must be a file, or have either image_url or file_id';

/** Reads objects in forms, which OpenAI's SDKs write as `input_reference[file_id]`. */
const bracketed = (body: Fields): Fields => ({
  image_url: body['input_reference[image_url]'],
  file_id: body['input_reference[file_id]'],
});
