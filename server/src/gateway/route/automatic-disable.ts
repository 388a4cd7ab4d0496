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
 * (docs/reference/relay/routing.md#automatic-disabling). Decided by its raw status, code, type and message: our own
 * mappings hide no invalid key, and our own failures disable no channel. Words that the request contains do not count:
 * providers repeat what a client sent.
 * @param keywords option AutomaticDisableKeywords
 * @param request the text of the request, see `requestText`
 */
export function meansDeadKey(
  error: unknown,
  provider: Pick<Provider, 'deadKeyStatuses'>,
  keywords: readonly string[],
  request: () => string = () => '',
): boolean {
  if (!(error instanceof UpstreamError)) return false;
  const { status, detail } = error;
  if (provider.deadKeyStatuses.includes(status)) return true;
  if (typeof detail.code === 'string' && codes.has(detail.code)) return true;
  if (detail.type !== undefined && types.has(detail.type)) return true;
  const message = detail.message.toLowerCase();
  const found = keywords.filter((keyword) => keyword !== '' && message.includes(keyword.toLowerCase()));
  if (found.length === 0) return false;
  const sent = plain(request());
  return found.some((keyword) => !sent.includes(plain(keyword)));
}

/** Letters and digits: a provider may quote, escape or wrap what it repeats. */
const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** Everything that a client wrote in a request, names of fields included. */
export const requestText = (path: string, body: Readonly<Record<string, unknown>>): string =>
  `${path} ${JSON.stringify(body)}`;
