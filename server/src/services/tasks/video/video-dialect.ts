import type { Resolution } from '../../../shared/price-card.js';
import { someText, type Fields } from '../../../dialects/neutral/fields.js';
import type { TaskTarget } from '../task-target.js';
import { text } from '../field.js';
import { invalidVideo, orderFields, type Reference, type VideoOrder } from './video-order.js';

/** Length and picture of a video: it is made so, and charged for that. */
export interface VideoTerms {
  readonly seconds: number;
  readonly resolution: Resolution;
  /** Width and height in pixels, such as `1280x720`. */
  readonly size: string;
}

/** A request to a provider of videos. */
export interface VideoRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path and query behind the base URL. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes are sent as they are, with the `content-type` of the headers; others as JSON. */
  readonly body?: unknown;
}

/** A provider's report about one video. */
export interface VideoReport {
  readonly state: 'queued' | 'running' | 'done' | 'failed';
  /** Percent, where the provider tells it. */
  readonly progress?: number | undefined;
  /** Why it failed. */
  readonly reason?: string | undefined;
}

/** Where the bytes of a video are. */
export interface VideoSource {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** False: an address that the provider named. It must be public. */
  readonly isChannel: boolean;
}

/** How one kind of provider is asked for videos. */
export interface VideoDialect {
  /** Fields of the client beside those of `VideoOrder` that reach the provider. */
  readonly takes: Pick<ReadonlySet<string>, 'has'>;
  /**
   * The terms of an order, with what the provider does where the client says nothing.
   * @throws RelayError invalid_video_request
   */
  terms(order: VideoOrder): VideoTerms;
  /**
   * The order as the provider takes it. It names all terms, so that what is made is what is charged.
   * @throws RelayError invalid_video_request
   */
  order(order: VideoOrder, terms: VideoTerms, model: string, target: TaskTarget): VideoRequest;
  /** Absent: a video cannot be made from another one. */
  remix?(name: string, prompt: string, target: TaskTarget): VideoRequest;
  /** The provider's name of an ordered video; '' where the response has none. */
  nameIn(answer: Fields): string;
  lookup(name: string, target: TaskTarget): VideoRequest;
  report(answer: Fields): VideoReport;
  /** @returns null where there is no such variant */
  source(name: string, data: Fields, variant: string, target: TaskTarget): VideoSource | null;
  /** Absent: the provider deletes its videos after some time, and only then. */
  remove?(name: string, target: TaskTarget): VideoRequest;
}

/** A base URL of a gateway or a proxy may end with the version. */
export const withoutVersion = (path: string, { baseUrl }: TaskTarget): string =>
  /\/v1$/.test(baseUrl) && path.startsWith('/v1/') ? path.slice('/v1'.length) : path;

/** Characters. Gateways write the names of their providers and of their models into the name of a video. */
const maxName = 2000;

/**
 * A provider's name of a video, which is part of a path; '' for what cannot be one. It is never cut: the rest would name no
 * video.
 */
export function nameOf(value: unknown): string {
  const name = text(value, maxName + 1);
  const isUsable = name.length <= maxName && !name.split('/').some((part) => part === '.' || part === '..');
  return isUsable ? name : '';
}

/** The state by a provider's word for it, which may be any text. */
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

/** The size of a video of this resolution and ratio: `16:9` at 720p is `1280x720`. */
export function sizeAt(resolution: Resolution, ratio: string): string {
  const [width = 16, height = 9] = ratio.split(':').map(Number);
  const short = shortSides[resolution];
  const even = (length: number): number => Math.round(length / 2) * 2;
  return width >= height ? `${even((short * width) / height)}x${short}` : `${short}x${even((short * height) / width)}`;
}

/** The reference as a URL, for providers that take one. @throws RelayError invalid_video_request for a file of another account */
export function urlOf(reference: Reference): string {
  if (reference.kind === 'file') throw invalidVideo('this model knows no file_id: send the image or its URL');
  return reference.kind === 'url'
    ? reference.url
    : `data:${reference.mediaType || 'image/png'};base64,${reference.data}`;
}

/** The videos that a kind of provider makes. */
export interface VideoOffer {
  readonly resolutions: readonly Resolution[];
  readonly ratios: readonly string[];
  readonly seconds: { readonly least: number; readonly most: number; readonly usual: number };
}

/**
 * The terms of an order that an offer has.
 * @param resolution of the order, or what the provider does where the client says nothing
 * @throws RelayError invalid_video_request
 */
export function termsWithin(
  order: VideoOrder,
  { resolutions, ratios, seconds: { least, most, usual } }: VideoOffer,
  resolution: Resolution = order.resolution ?? '720p',
): VideoTerms {
  if (!resolutions.includes(resolution)) {
    const choice = `${resolutions.slice(0, -1).join(', ')} or ${resolutions.at(-1)}`;
    throw invalidVideo(`resolution must be ${choice} for model ${order.model}`);
  }
  const ratio = order.ratio ?? '16:9';
  if (!ratios.includes(ratio)) throw invalidVideo(`aspect_ratio must be one of ${ratios.join(', ')}`);
  const seconds = order.seconds ?? usual;
  if (seconds < least || seconds > most) {
    throw invalidVideo(`seconds must be from ${least} to ${most} for model ${order.model}`);
  }
  return { seconds, resolution, size: sizeAt(resolution, ratio) };
}

/** For providers that make nothing smaller. */
export const atLeast720p = ({ resolution }: VideoOrder): Resolution =>
  resolution === null || resolution === '480p' ? '720p' : resolution;

/** The report of a provider that names the address of what it made. */
export const reportOf = (state: VideoReport['state'], address: string, reason: unknown): VideoReport =>
  state === 'done' && address === ''
    ? { state: 'failed', reason: 'the provider made no video' }
    : { state, reason: state === 'failed' ? someText(reason) : undefined };

/** The source of a provider that names a public address, and has nothing but the video. */
export const publicVideo =
  (addressIn: (data: Fields) => string): VideoDialect['source'] =>
  (_name, data, variant) =>
    variant === 'video' ? { url: addressIn(data), headers: {}, isChannel: false } : null;

/** Names of the client's fields that the provider does not get. */
export const droppedBy = ({ takes }: VideoDialect, { body }: VideoOrder): string[] =>
  namesOf(body, (name) => body[name] !== null && !orderFields.has(name) && !takes.has(name));

const maxNames = 20;

/** The first of a client's fields that match, as a header and a log row can contain them. */
export const namesOf = (body: Fields, matches: (name: string) => boolean): string[] =>
  Object.keys(body)
    .filter(matches)
    .slice(0, maxNames)
    .map((name) => text(name, 100));
