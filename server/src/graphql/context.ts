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

/** A class, because Apollo copies the context for every operation: own fields and prototype, so a getter lives on the latter. */
class RequestContext implements GraphQLContext {
  constructor(
    private readonly identity: Identity,
    readonly request: FastifyRequest,
    readonly reply: FastifyReply,
  ) {}

  get actor(): MaybeActor {
    if (this.identity.failure) throw this.identity.failure;
    return this.identity.actor;
  }
}

interface Identity {
  readonly actor: MaybeActor;
  readonly failure?: AppError;
}

export async function createContext(
  request: FastifyRequest,
  reply: FastifyReply,
  authenticator: Authenticator,
): Promise<GraphQLContext> {
  return new RequestContext(await identify(request, authenticator), request, reply);
}

async function identify(request: FastifyRequest, authenticator: Authenticator): Promise<Identity> {
  try {
    return { actor: await authenticate(request, authenticator) };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return error.code === 'NOT_SIGNED_IN' ? { actor: null } : { actor: null, failure: error };
  }
}
