import type { FastifyReply, FastifyRequest } from 'fastify';
import { InvalidInputError } from '../../shared/errors.js';

/** The header of a REST request whose work must happen once. A response that repeats an earlier result has it too. */
const keyHeader = 'idempotency-key';
const replayedHeader = 'idempotent-replayed';

/**
 * The request's `Idempotency-Key`; null when it has none. `Idempotency` checks its length.
 * @throws AppError INVALID_INPUT when the header is repeated
 */
export function idempotencyKeyOf({ raw }: Pick<FastifyRequest, 'raw'>): string | null {
  const given = raw.headersDistinct[keyHeader];
  if (!given) return null;
  // Node joins repeated headers with a comma, which would be a third key.
  if (given.length > 1) throw new InvalidInputError('Send one Idempotency-Key', 'idempotencyKey');
  return given[0] ?? null;
}

/** Marks a response that repeats the result of an earlier request with the same key. */
export function markReplayed(reply: FastifyReply, replayed: boolean): void {
  if (replayed) reply.header(replayedHeader, 'true');
}
