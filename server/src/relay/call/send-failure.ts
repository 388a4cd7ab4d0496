import type { CallFailure } from '../errors/failure.js';
import type { ClientResponse } from './client-response.js';
import type { ErrorDialect } from './endpoint.js';

/** Sends an error response before streaming has begun. */
export function sendFailure(
  client: ClientResponse,
  failure: CallFailure,
  requestId: string,
  errors: ErrorDialect,
): void {
  if (client.started) {
    client.end(errors.events(failure, requestId));
    return;
  }
  const headers = {
    ...failure.headers,
    'content-type': 'application/json; charset=utf-8',
    ...(failure.retryAfter === undefined ? {} : { 'retry-after': failure.retryAfter }),
    ...(failure.resetAt === undefined ? {} : { 'x-ratelimit-reset-budget': String(failure.resetAt) }),
  };
  client.send(failure.status, headers, errors.body(failure, requestId));
}
