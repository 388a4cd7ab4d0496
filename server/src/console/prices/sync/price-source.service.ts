import { gunzip } from 'node:zlib';
import { promisify } from 'node:util';
import type { GuardedFetch, GuardedResponse } from '../../../platform/outbound/guarded-fetch.js';
import { AppError, InvalidInputError, isAppError } from '../../../shared/errors.js';
import { maxDocumentBytes, PriceDocumentError, readPriceDocument } from '../../../billing/prices/index.js';
import type { CheckedSource } from './price-check.entity.js';

const timeoutMs = 30_000;
const maxSkipped = 200;
const maxLabel = 500;

/**
 * Content types of lists of prices. Pages and media are excluded. Public tables come as JSON, as text, or without a
 * type.
 */
const documentTypes = /^(?:application\/(?:[\w.-]+\+)?json|text\/(?:plain|json)|application\/octet-stream)\s*(?:;|$)/i;

/** Reads lists of prices from addresses and files. */
export class PriceSourceService {
  constructor(private readonly http: Pick<GuardedFetch, 'fetch'>) {}

  /** Reads a list from a URL. Expected failures are not thrown: the result has their code. */
  async fromUrl(url: string): Promise<CheckedSource> {
    const label = labelOf(url);
    try {
      return await this.read(label, await this.load(url));
    } catch (error) {
      if (error instanceof PriceDocumentError) {
        return failed(label, 'UPSTREAM_INVALID_RESPONSE', `The list of prices ${error.message}`);
      }
      if (isAppError(error)) return failed(label, error.code, error.message);
      throw error;
    }
  }

  /**
   * @param name of the file
   * @throws AppError INVALID_INPUT for a file that is no list of prices
   */
  async fromFile(name: string, bytes: Buffer): Promise<CheckedSource> {
    const label = name.replace(/\p{C}/gu, '').trim().slice(0, 100) || 'file';
    try {
      return await this.read(label, bytes);
    } catch (error) {
      if (error instanceof PriceDocumentError) throw new InvalidInputError(`The file ${error.message}`, 'file');
      throw error;
    }
  }

  private async read(label: string, bytes: Buffer): Promise<CheckedSource> {
    const { format, cards, skipped } = await readPriceDocument(bytes);
    return {
      label,
      format,
      cards: Object.fromEntries(cards),
      skipped: skipped.slice(0, maxSkipped),
      skippedCount: skipped.length,
      errorCode: null,
      error: null,
    };
  }

  private async load(url: string): Promise<Buffer> {
    const response = await this.http.fetch({
      url,
      policy: 'public-only',
      timeoutMs,
      maxBytes: maxDocumentBytes,
      headers: { accept: 'application/json', 'accept-encoding': 'identity' },
    });
    if (response.status !== 200) throw new AppError('UPSTREAM_ERROR', `The address responds with ${response.status}`);
    const type = headerOf(response, 'content-type');
    if (type !== '' && !documentTypes.test(type)) {
      throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The response is not JSON: the content type is wrong');
    }
    return decoded(response);
  }
}

const headerOf = ({ headers }: GuardedResponse, name: string): string => {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value)?.trim() ?? '';
};

/**
 * Decompresses a response. Some servers compress without being asked. The limit of bytes applies to the decompressed
 * and to the compressed body.
 */
async function decoded(response: GuardedResponse): Promise<Buffer> {
  const encoding = headerOf(response, 'content-encoding').toLowerCase();
  if (encoding === '' || encoding === 'identity') return response.body;
  if (encoding !== 'gzip') throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The response has an unknown encoding');
  try {
    return await promisify(gunzip)(response.body, { maxOutputLength: maxDocumentBytes });
  } catch (error) {
    throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The response cannot be unpacked or is too large', {
      cause: error,
    });
  }
}

/** Returns the URL without the query, which may contain a key. */
function labelOf(url: string): string {
  if (!URL.canParse(url)) return url.slice(0, maxLabel);
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`.slice(0, maxLabel);
}

const failed = (label: string, errorCode: string, error: string): CheckedSource => ({
  label,
  format: null,
  cards: {},
  skipped: [],
  skippedCount: 0,
  errorCode,
  error,
});
