import type { IncomingHttpHeaders } from 'node:http';

/** A key as a client presents it. */
export interface PresentedKey {
  /** The stored part, without `sk-` and the pin. */
  readonly key: string;
  /** Text behind the second dash: the id of the channel to use. */
  readonly pin: string | null;
}

const bearer = /^Bearer(?:\s+|$)/i;
const drawingWord = 'midjourney-proxy';

const single = (value: string | string[] | undefined): string =>
  ((Array.isArray(value) ? value[0] : value) ?? '').trim();

/**
 * Reads the key from where it may stand, in the order of docs/reference/relay/access.md#where-a-key-may-stand.
 * @param path without its query, aliases resolved
 * @param query the part behind `?`, may be empty
 */
export function findKey(headers: IncomingHttpHeaders, path: string, query: string): string {
  const apiKey = single(headers['x-api-key']);
  if (apiKey !== '' && path.includes('/v1/messages')) return apiKey.replace(bearer, '');
  const authorization = single(headers.authorization).replace(bearer, '').trim();
  if (authorization !== '' && authorization !== drawingWord) return authorization;
  const secret = single(headers['mj-api-secret']).replace(bearer, '').trim();
  if (secret !== '') return secret;
  if (path.startsWith('/v1/models') || path.startsWith('/v1beta/')) {
    if (apiKey !== '') return apiKey;
    const google = single(headers['x-goog-api-key']);
    if (google !== '') return google;
    const inQuery = query === '' ? null : new URLSearchParams(query).get('key');
    if (inQuery) return inQuery.trim();
  }
  return authorization;
}

/** `sk-<KEY>-<CHANNELID>`: the prefix and the pin may be missing, further parts do not count. */
export function parseKey(presented: string): PresentedKey {
  const text = presented.startsWith('sk-') ? presented.slice('sk-'.length) : presented;
  const [key = '', pin] = text.split('-');
  return { key, pin: pin === undefined || pin === '' ? null : pin };
}

/** `sk-abc***xyz`: enough to tell keys apart, not enough to use one. */
export function maskKey(key: string): string {
  return key.length < 8 ? 'sk-***' : `sk-${key.slice(0, 3)}***${key.slice(-3)}`;
}
