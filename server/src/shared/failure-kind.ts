/**
 * Why a call failed, in a form that users may see. REQUEST: the provider refused the request itself, so the failure
 * says nothing about the model. REFUSED: the provider refused the account.
 */
export const failureKinds = [
  'RATE_LIMITED',
  'TIMEOUT',
  'UNREACHABLE',
  'SERVER_ERROR',
  'INVALID_RESPONSE',
  'REFUSED',
  'REQUEST',
  'OTHER',
] as const;
export type FailureKind = (typeof failureKinds)[number];
