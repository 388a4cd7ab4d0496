import type { FastifyReply, FastifyRequest } from 'fastify';
import { authenticate, type Authenticator } from '../http/authenticate.js';
import type { MaybeActor } from '../shared/actor.js';
import { isAppError, type AppError } from '../shared/errors.js';

/** One for each GraphQL request. `actor` is null for anonymous callers; services decide what that allows. */
export interface GraphQLContext {
  /**
   * @throws AppError USER_ID_MISMATCH, USER_BANNED or INVALID_ACCESS_TOKEN where a field asks who is calling and the
   * credentials are no good. Fields that do not ask answer all the same.
   */
  readonly actor: MaybeActor;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

export async function createContext(
  request: FastifyRequest,
  reply: FastifyReply,
  authenticator: Authenticator,
): Promise<GraphQLContext> {
  const { actor, failure } = await identify(request, authenticator);
  return {
    request,
    reply,
    get actor() {
      if (failure) throw failure;
      return actor;
    },
  };
}

async function identify(
  request: FastifyRequest,
  authenticator: Authenticator,
): Promise<{ actor: MaybeActor; failure?: AppError }> {
  try {
    return { actor: await authenticate(request, authenticator) };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return error.code === 'NOT_SIGNED_IN' ? { actor: null } : { actor: null, failure: error };
  }
}
