import type { GuardedFetch } from '../../platform/outbound/guarded-fetch.js';
import { AppError, isAppError } from '../../shared/errors.js';
import { RelayError } from '../../dialects/errors/relay-error.js';
import { bareMediaType } from '../../dialects/neutral/media.js';
import type { FetchedMedia } from '../../dialects/neutral/remote-media.js';

/** The media of one call. They count against the node's budget until `release`. */
export interface MediaLoan {
  readonly media: ReadonlyMap<string, FetchedMedia>;
  release(): void;
}

/** Downloads media from URLs that a client gave, for providers that do not fetch them themselves. */
export type FetchMedia = (urls: readonly string[]) => Promise<MediaLoan>;

/** Maximum number of images and files of one call. */
export const maxMedia = 64;
const mebibyte = 1024 * 1024;
/** Bytes of all media of one call, and of all calls of the node. */
const callBytes = 24 * mebibyte;
const nodeBytes = 256 * mebibyte;
/** Parallel downloads of one call. */
const atOnce = 4;
const maxBytes = 20 * mebibyte;
const timeoutMs = 10_000;
const takes = /^(?:image|audio|video|text)\/|^application\/(?:pdf|octet-stream|json)$/;

/**
 * Fetches media from public addresses only, redirects included (docs/reference/relay/guarantees.md#security). Bytes are
 * taken from the budget of the call and of the node when they are announced, at the latest when they arrive, and are
 * encoded at once.
 * @throws RelayError invalid_image: the URL is the client's, so no other channel could serve the call; AppError
 * SERVICE_UNAVAILABLE when the node's budget is exhausted
 */
export function guardedMedia(guarded: Pick<GuardedFetch, 'fetch'>): FetchMedia {
  const node = { held: 0 };
  return async (urls) => {
    const loan = new Loan(node);
    const media = new Map<string, FetchedMedia>();
    const stop = new AbortController();
    const open = [...urls];
    const work = async (): Promise<void> => {
      for (let url = open.shift(); url !== undefined && !stop.signal.aborted; url = open.shift()) {
        media.set(url, await fetchOne(guarded, url, loan, stop.signal));
      }
    };
    try {
      await Promise.all(
        Array.from({ length: Math.min(atOnce, urls.length) }, () =>
          work().catch((error: unknown) => {
            stop.abort();
            throw error;
          }),
        ),
      );
    } catch (error) {
      loan.release();
      throw error;
    }
    return { media, release: () => loan.release() };
  };
}

async function fetchOne(
  guarded: Pick<GuardedFetch, 'fetch'>,
  url: string,
  loan: Loan,
  signal: AbortSignal,
): Promise<FetchedMedia> {
  const text = new Base64Text();
  let announced = 0;
  let arrived = 0;
  const answer = await guarded
    .fetch({
      url,
      policy: 'public-only',
      maxBytes,
      timeoutMs,
      signal,
      announced: (bytes) => {
        announced = bytes;
        loan.grow(bytes);
      },
      take: (bytes) => {
        arrived += bytes.length;
        if (arrived > announced) loan.grow(Math.min(bytes.length, arrived - announced));
        text.push(bytes);
      },
    })
    .catch((error: unknown) => {
      if (!isAppError(error) || error instanceof RelayError || error.code === 'SERVICE_UNAVAILABLE') throw error;
      throw refused('it cannot be fetched', error);
    });
  if (answer.status !== 200) throw refused(`its URL returns status ${answer.status}`);
  const type = answer.headers['content-type'];
  const mediaType = bareMediaType((Array.isArray(type) ? type[0] : type) ?? 'application/octet-stream');
  if (!takes.test(mediaType)) throw refused('its URL returns neither an image nor a file');
  return { mediaType, data: text.end() };
}

/** The bytes that one call holds. */
class Loan {
  private held = 0;
  private released = false;

  constructor(private readonly node: { held: number }) {}

  /** @throws RelayError invalid_image, AppError SERVICE_UNAVAILABLE */
  grow(bytes: number): void {
    if (this.released) throw refused('the call is over');
    if (this.held + bytes > callBytes) {
      throw refused(`all of them together may have ${Math.floor(callBytes / mebibyte)} MB`);
    }
    if (this.node.held + bytes > nodeBytes) {
      throw new AppError('SERVICE_UNAVAILABLE', 'The server holds too many images and files, try again shortly', {
        retryAfterSeconds: 2,
      });
    }
    this.held += bytes;
    this.node.held += bytes;
  }

  release(): void {
    this.released = true;
    this.node.held -= this.held;
    this.held = 0;
  }
}

/** Encodes bytes as they arrive, so that they are not kept in addition to their text. */
class Base64Text {
  private readonly pieces: string[] = [];
  /** Up to two bytes that wait for the third of a group. */
  private rest = Buffer.alloc(0);

  push(bytes: Buffer): void {
    const whole = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
    const end = whole.length - (whole.length % 3);
    this.pieces.push(whole.toString('base64', 0, end));
    this.rest = Buffer.from(whole.subarray(end));
  }

  end(): string {
    return this.pieces.join('') + this.rest.toString('base64');
  }
}

const refused = (reason: string, cause?: Error): RelayError =>
  new RelayError('INVALID_INPUT', `An image or file of the call is not usable: ${reason}`, 'invalid_image', { cause });
