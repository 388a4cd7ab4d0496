import type { Video } from '../../../billing/prices/index.js';
import type { Resolution } from '../../../shared/price-condition.js';
import { someText, type Fields } from '../../../dialects/neutral/fields.js';
import type { TaskTarget } from '../task-target.js';
import type { TaskRequest } from '../task-upstream.js';
import { spelledFlag } from '../../../dialects/neutral/given.js';
import { text } from '../field.js';
import { invalidVideo, submissionFields, type Reference, type VideoSubmission } from './video-submission.js';

/** The length and dimensions of a video. They determine the submission and the charge. */
export interface VideoTerms extends Video {
  readonly resolution: Resolution;
  /** Width and height in pixels, such as `1280x720`. */
  readonly size: string;
}

/** A request to a provider of videos. */
export interface VideoRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** The path and query behind the base URL, or a whole URL. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body. Bytes are sent unchanged, with the `content-type` of the headers; other values as JSON. */
  readonly body?: unknown;
  /** Returns headers that depend on the time. */
  readonly sign?: TaskRequest['sign'];
  readonly hasLongTexts?: TaskRequest['hasLongTexts'];
}

/** A provider's report about one video. */
export interface VideoReport {
  readonly state: 'queued' | 'running' | 'done' | 'failed';
  /** The progress in percent, if the provider reports it. */
  readonly progress?: number | undefined;
  /** The reason of a failure. */
  readonly reason?: string | undefined;
}

/** The source of a video's bytes. */
export interface VideoSource {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the URL is at the channel's host. A URL that the provider named must be public. */
  readonly isChannel: boolean;
}

/** How videos are requested from one kind of provider. */
export interface VideoDialect {
  /** Names of client fields, besides those of `VideoSubmission`, that reach the provider. */
  readonly takes: Pick<ReadonlySet<string>, 'has'>;
  /**
   * Returns the terms of a submission, with the provider's defaults where the client says nothing.
   * @param model as the provider names it
   * @throws RelayError invalid_video_request
   */
  terms(submission: VideoSubmission, model: string): VideoTerms;
  /**
   * Returns the request in the provider's form. It names all terms, so that the charge fits the video.
   * @throws RelayError invalid_video_request
   */
  toRequest(submission: VideoSubmission, terms: VideoTerms, model: string, target: TaskTarget): VideoRequest;
  /** Returns the request for a video that is based on another. Absent when the provider has no remix. */
  remix?(name: string, prompt: string, target: TaskTarget): VideoRequest;
  /** Returns the provider's name of a new video, by which it is looked up; '' when the response has none. */
  nameIn(answer: Fields, request: VideoRequest): string;
  lookup(name: string, target: TaskTarget): VideoRequest;
  /**
   * Checks responses that have a successful status. Absent when the provider states every error by its status.
   * @throws UpstreamError when the response is an error
   */
  check?(answer: Fields): void;
  /** Whether a lookup that is refused with 400 reports a video that failed. Absent: it says nothing about the video. */
  isFailure?(answer: Fields): boolean;
  report(answer: Fields): VideoReport;
  /**
   * Returns the request whose response names the source of a completed video, where its last report does not, or not for
   * long. Absent when the report names it.
   */
  locate?(name: string, data: Fields, target: TaskTarget): VideoRequest;
  /**
   * @param data the last report, or the response of `locate`
   * @returns null when there is no such variant
   */
  source(name: string, data: Fields, variant: string, target: TaskTarget): VideoSource | null;
  /**
   * Returns the request whose response contains a completed video, and the name of the field that has it as base64. Absent when
   * the video has an address.
   */
  inline?(name: string, target: TaskTarget): { readonly request: VideoRequest; readonly field: string };
  /** Returns the request that deletes a video. Absent when the provider deletes its videos only after some time. */
  remove?(name: string, target: TaskTarget): VideoRequest;
}

/** Returns the path without the version, if the base URL of a gateway or a proxy ends with it. */
export const withoutVersion = (path: string, { baseUrl }: TaskTarget): string =>
  /\/v1$/.test(baseUrl) && path.startsWith('/v1/') ? path.slice('/v1'.length) : path;

/** Maximum characters of a name. Gateways include the names of their providers and models in the name of a video. */
const maxName = 2000;

/**
 * Returns a provider's name of a video, which is part of a path; '' for values that cannot be one. The name is never
 * cut, because the rest would name no video.
 */
export function nameOf(value: unknown): string {
  const name = text(value, maxName + 1);
  const isUsable = name.length <= maxName && !name.split('/').some((part) => part === '.' || part === '..');
  return isUsable ? name : '';
}

/** Returns the state for a provider's word, which may be any text. */
export const stateIn = (
  states: Readonly<Record<string, VideoReport['state']>>,
  value: unknown,
): VideoReport['state'] | undefined => {
  const word = text(value, 40);
  return Object.hasOwn(states, word) ? states[word] : undefined;
};

export const bearerOf = ({ key }: TaskTarget): Record<string, string> => ({ authorization: `Bearer ${key}` });

const shortSides: Readonly<Record<Resolution, number>> = {
  '480p': 480,
  '720p': 720,
  '1080p': 1080,
  '2k': 1440,
  '4k': 2160,
};

/** Returns the size of a video of this resolution and ratio: `16:9` at 720p is `1280x720`. */
export function sizeAt(resolution: Resolution, ratio: string): string {
  const [width = 16, height = 9] = ratio.split(':').map(Number);
  const short = shortSides[resolution];
  const even = (length: number): number => Math.round(length / 2) * 2;
  return width >= height ? `${even((short * width) / height)}x${short}` : `${short}x${even((short * height) / width)}`;
}

/**
 * Returns the reference as a URL, for providers that accept one.
 * @throws RelayError invalid_video_request for a file of another account
 */
export function urlOf(reference: Reference): string {
  if (reference.kind === 'file') throw invalidVideo('this model knows no file_id: send the image or its URL');
  return reference.kind === 'url'
    ? reference.url
    : `data:${reference.mediaType || 'image/png'};base64,${reference.data}`;
}

/** The terms of videos that a kind of provider offers. */
export interface VideoOffer {
  readonly resolutions: readonly Resolution[];
  readonly ratios: readonly string[];
  readonly seconds: {
    readonly least: number;
    readonly most: number;
    readonly usual: number;
    /** The lengths between them, where not every one is offered. */
    readonly only?: readonly number[];
  };
}

/** Returns the names as a choice: `a, b or c`. */
const choiceOf = (names: ReadonlyArray<string | number>): string =>
  names.length < 2 ? String(names[0]) : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;

/**
 * Returns the terms of a submission within an offer.
 * @param resolution of the submission, or the provider's default where the client says nothing
 * @throws RelayError invalid_video_request
 */
export function termsWithin(
  submission: VideoSubmission,
  { resolutions, ratios, seconds: { least, most, usual, only } }: VideoOffer,
  resolution: Resolution = submission.resolution ?? '720p',
): VideoTerms {
  if (!resolutions.includes(resolution)) {
    throw invalidVideo(`resolution must be ${choiceOf(resolutions)} for model ${submission.model}`);
  }
  const ratio = submission.ratio ?? '16:9';
  if (!ratios.includes(ratio)) throw invalidVideo(`aspect_ratio must be one of ${ratios.join(', ')}`);
  const seconds = submission.seconds ?? usual;
  if (seconds < least || seconds > most || only?.includes(seconds) === false) {
    const choice = only ? choiceOf(only) : `from ${least} to ${most}`;
    throw invalidVideo(`seconds must be ${choice} for model ${submission.model}`);
  }
  return { seconds, resolution, size: sizeAt(resolution, ratio) };
}

/**
 * Returns whether the client asks for audio of the video. Null where it says nothing.
 * @throws RelayError invalid_video_request
 */
export function audioAskedFor({ body }: VideoSubmission): boolean | null {
  const asked = body['generate_audio'];
  if (asked === undefined || asked === null || asked === '') return null;
  const flag = typeof asked === 'string' ? spelledFlag(asked) : asked;
  if (typeof flag === 'boolean') return flag;
  throw invalidVideo('generate_audio must be true or false');
}

/** Returns the resolution for providers that offer none below 720p. */
export const atLeast720p = ({ resolution }: VideoSubmission): Resolution =>
  resolution === null || resolution === '480p' ? '720p' : resolution;

/** Returns the report of a provider that names the URL of its result. */
export const reportOf = (state: VideoReport['state'], address: string, reason: unknown): VideoReport =>
  state === 'done' && address === ''
    ? { state: 'failed', reason: 'the provider made no video' }
    : { state, reason: state === 'failed' ? someText(reason) : undefined };

/** Returns the source of a provider that names a public URL, and stores only the video itself. */
export const publicVideo =
  (addressIn: (data: Fields) => string): VideoDialect['source'] =>
  (_name, data, variant) =>
    variant === 'video' ? { url: addressIn(data), headers: {}, isChannel: false } : null;

/** Returns names of the client's fields that are not sent to the provider. */
export const droppedBy = ({ takes }: VideoDialect, { body }: VideoSubmission): string[] =>
  namesOf(body, (name) => body[name] !== null && !submissionFields.has(name) && !takes.has(name));

const maxNames = 20;

/** Returns the first of a client's fields that match, in a form that a header and a log row can contain. */
export const namesOf = (body: Fields, matches: (name: string) => boolean): string[] =>
  Object.keys(body)
    .filter(matches)
    .slice(0, maxNames)
    .map((name) => text(name, 100));
