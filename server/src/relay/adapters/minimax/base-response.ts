import { UpstreamError } from '../../errors/upstream-error.js';
import { asFields, asText, someNumber } from '../../neutral/fields.js';

/** Codes of `base_resp`, which arrive with status 200. */
const statusOf: Readonly<Record<number, number>> = {
  1002: 429,
  1004: 401,
  1008: 402,
  1026: 400,
  1027: 400,
  1039: 429,
  1042: 400,
  2013: 400,
  2049: 401,
};

/** @throws UpstreamError when `base_resp` reports an error */
export function refuseBaseResponse(answer: Record<string, unknown>): Record<string, unknown> {
  const told = asFields(answer['base_resp']);
  const code = someNumber(told?.['status_code']) ?? 0;
  if (code === 0) return answer;
  const message = asText(told?.['status_msg']) || `the provider returned code ${code}`;
  throw new UpstreamError(statusOf[code] ?? 502, { message, type: 'minimax_error', code });
}
