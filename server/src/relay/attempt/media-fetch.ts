import type { GuardedFetch } from '../../outbound/guarded-fetch.js';
import { isAppError } from '../../shared/errors.js';
import { bareMediaType } from '../neutral/media.js';
import type { FetchedMedia } from '../neutral/remote-media.js';
import { RelayError } from '../errors/relay-error.js';

/** Downloads media from a URL that a client gave, for providers that do not fetch it themselves. */
export type FetchMedia = (url: string) => Promise<FetchedMedia>;

/** Maximum number of images and files of one call. */
export const maxMedia = 64;
const maxBytes = 20 * 1024 * 1024;
const timeoutMs = 10_000;
const takes = /^(?:image|audio|video|text)\/|^application\/(?:pdf|octet-stream|json)$/;

/**
 * Fetches public addresses only, redirects included (docs/reference/relay/guarantees.md#security).
 * @throws RelayError invalid_image: the URL is the client's, so no other channel could serve the call
 */
export const guardedMedia =
  (guarded: Pick<GuardedFetch, 'fetch'>): FetchMedia =>
  async (url) => {
    const answer = await guarded.fetch({ url, policy: 'public-only', maxBytes, timeoutMs }).catch((error: unknown) => {
      if (!isAppError(error)) throw error;
      throw refused('it cannot be fetched', error);
    });
    if (answer.status !== 200) throw refused(`its URL returns status ${answer.status}`);
    const type = answer.headers['content-type'];
    const mediaType = bareMediaType((Array.isArray(type) ? type[0] : type) ?? 'application/octet-stream');
    if (!takes.test(mediaType)) throw refused('its URL returns neither an image nor a file');
    return { mediaType, data: answer.body.toString('base64') };
  };

const refused = (reason: string, cause?: Error): RelayError =>
  new RelayError('INVALID_INPUT', `An image or file of the call is not usable: ${reason}`, 'invalid_image', { cause });
