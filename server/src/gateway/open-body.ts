import { largeBody } from '../dialects/wire/forms/json-body.js';
import { writeJson } from '../shared/exact-json.js';
import { jsonInTurns } from '../shared/json-in-turns.js';
import type { OptionValues } from '../options/option-registry.js';
import type { Endpoint } from './endpoint.js';
import type { IncomingRequest, OpenedBody } from './request.js';

interface PassThrough {
  readonly values: Pick<OptionValues, 'global.pass_through_request_enabled'>;
}

/**
 * Opens the body of a call, in the form that its endpoint expects.
 * @throws AppError INVALID_INPUT, UNSUPPORTED_BY_CHANNEL, RelayError invalid_request
 */
export function openBody(
  { values }: PassThrough,
  endpoint: Endpoint,
  rawBody: Buffer,
  incoming: IncomingRequest,
): OpenedBody {
  const opened = endpoint.open(rawBody, incoming);
  if (!endpoint.translate || values['global.pass_through_request_enabled']) return opened;
  return endpoint.translate(opened);
}

/**
 * Writes a changed body. A large one is written in pieces, between which other calls run; a small one at once.
 * @param given the bytes that the body was parsed from
 */
export const writtenBody = (body: OpenedBody['body'], given: Buffer): Buffer | Promise<Buffer> =>
  given.length > largeBody ? jsonInTurns(body) : Buffer.from(writeJson(body));
