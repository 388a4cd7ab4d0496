import { UpstreamError } from '../errors/upstream-error.js';
import type { Provider } from '../providers/provider.js';

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
 * mappings hide no invalid key, and our own failures disable no channel.
 * @param keywords option AutomaticDisableKeywords
 */
export function meansDeadKey(
  error: unknown,
  provider: Pick<Provider, 'deadKeyStatuses'>,
  keywords: readonly string[],
): boolean {
  if (!(error instanceof UpstreamError)) return false;
  const { status, detail } = error;
  if (provider.deadKeyStatuses.includes(status)) return true;
  if (typeof detail.code === 'string' && codes.has(detail.code)) return true;
  if (detail.type !== undefined && types.has(detail.type)) return true;
  const message = detail.message.toLowerCase();
  return keywords.some((keyword) => keyword !== '' && message.includes(keyword.toLowerCase()));
}
