import type { FastifyReply, FastifyRequest } from 'fastify';
import type { MaybeActor } from '../shared/actor.js';

/** One for each GraphQL request. `actor` is null for anonymous callers; services decide what that allows. */
export interface GraphQLContext {
  readonly actor: MaybeActor;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}
