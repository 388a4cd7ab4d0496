import { retryHeaders, type CallFailure } from '../../dialects/errors/failure.js';
import type { ClientResponse } from './client-response.js';
import type { ErrorDialect } from '../endpoint.js';

/** Sends an error response before streaming has begun. */
export function sendFailure(
  client: ClientResponse,
  failure: CallFailure,
  requestId: string,
  errors: ErrorDialect,
): void {
  if (client.isOpen) {
    client.end(errors.events(failure, requestId));
    return;
  }
  const own = { ...retryHeaders(failure), 'content-type': 'application/json; charset=utf-8' };
  const headers = { ...own, ...failure.headers, ...errors.headers?.(failure.status) };
  client.send(failure.status, headers, errors.body(failure, requestId));
}
