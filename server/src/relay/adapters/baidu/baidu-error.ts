import type { UpstreamError } from '../../errors/upstream-error.js';
import { asText, someNumber, type Fields } from '../../neutral/fields.js';
import { providerError } from '../openai-compatible/own-dialect.js';

const statuses: Readonly<Record<number, number>> = {
  4: 429,
  6: 403,
  13: 401,
  14: 401,
  15: 401,
  17: 429,
  18: 429,
  19: 429,
  // The token is invalid or expired: the relay requests a new one.
  100: 401,
  110: 401,
  111: 401,
  336000: 502,
  336003: 400,
  336007: 400,
  336103: 400,
  336104: 400,
  336105: 400,
  336106: 400,
};

/**
 * `error_code` with status 200 (docs/reference/providers/own-protocols.md#baidu-ernie).
 * @returns null when there is none
 */
export function baiduError(answer: Fields): UpstreamError | null {
  const code = someNumber(answer['error_code']) ?? 0;
  return code === 0 ? null : providerError('baidu_error', code, asText(answer['error_msg']), statuses[code]);
}
