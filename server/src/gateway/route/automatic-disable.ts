import { UpstreamError } from '../../dialects/errors/upstream-error.js';
import type { Provider } from '../../dialects/providers/provider.js';

const codes = new Set(['invalid_api_key', 'account_deactivated', 'billing_not_active']);
const types = new Set([
  'insufficient_quota',
  'insufficient_user_quota',
  'authentication_error',
  'permission_error',
  'forbidden',
]);

/**
 * Whether the provider's response means that this key is no longer valid
 * (docs/reference/relay/routing.md#automatic-disabling). The raw status, code, type and message decide: the site's own
 * mappings hide no invalid key, and failures of this server disable no channel. Words that the request contains do not
 * count, because providers repeat what a client sent.
 * @param keywords option AutomaticDisableKeywords
 * @param request the text of the request, see `requestText`; null when it is too long to search, so that no word counts
 */
export function meansDeadKey(
  error: unknown,
  provider: Pick<Provider, 'deadKeyStatuses'>,
  keywords: readonly string[],
  request: () => string | null = () => '',
): boolean {
  if (!(error instanceof UpstreamError)) return false;
  const { status, detail } = error;
  if (provider.deadKeyStatuses.includes(status)) return true;
  if (typeof detail.code === 'string' && codes.has(detail.code)) return true;
  if (detail.type !== undefined && types.has(detail.type)) return true;
  const message = detail.message.toLowerCase();
  const found = keywords.filter((keyword) => keyword !== '' && message.includes(keyword.toLowerCase()));
  if (found.length === 0) return false;
  const sent = request();
  return sent !== null && found.some((keyword) => !spelled(keyword).test(sent));
}

/**
 * Matches the letters and digits of a keyword with any other characters between them: a provider may quote, escape or
 * wrap what it repeats.
 */
const spelled = (keyword: string): RegExp =>
  new RegExp([...keyword.replace(/[^\p{L}\p{N}]+/gu, '')].join('[^\\p{L}\\p{N}]*'), 'iu');

/** Characters. Searching so many takes some milliseconds. */
const longestRequest = 1024 * 1024;

/**
 * Returns everything that a client wrote in a request, including names of fields. Null for more than a million
 * characters.
 */
export function requestText(path: string, body: Readonly<Record<string, unknown>>): string | null {
  const pieces = [path];
  return collect(body, pieces, longestRequest) < 0 ? null : pieces.join(' ');
}

/** @returns the characters that are left of `room`; negative when there was too little */
function collect(value: unknown, pieces: string[], room: number): number {
  if (typeof value !== 'object' || value === null) {
    const piece = String(value);
    pieces.push(piece);
    return room - piece.length - 1;
  }
  let left = room;
  for (const [name, entry] of Object.entries(value)) {
    if (!Array.isArray(value)) left = collect(name, pieces, left);
    if (left >= 0) left = collect(entry, pieces, left);
    if (left < 0) return left;
  }
  return left;
}
