import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { authenticate, type Authenticator } from '../http/authenticate.js';
import { hasBody } from '../http/body-limits.js';
import { permissionsOf, personOf, type MaybeActor } from '../../shared/actor.js';
import { isAppError, type AppError } from '../../shared/errors.js';
import { budgetSpent, type CostBudget } from './cost-budget.js';
import { arrivalCost } from './cost.js';
import { Loaders } from './loaders.js';
import type { TimeShare, Visit } from './time-share.js';

/** The context, one per GraphQL request. `actor` is null for anonymous callers; services decide what that permits. */
export interface GraphQLContext {
  /**
   * The caller.
   * @throws AppError USER_ID_MISMATCH, USER_BANNED or INVALID_ACCESS_TOKEN when the credentials are invalid. Fields
   * that do not read the actor are still resolved.
   */
  readonly actor: MaybeActor;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Batched reads of relations (`loadOne`, `loadFor`). */
  readonly loaders: Loaders;
}

/** Resolves a root field of a query, in turn if the caller's documents have a share of the time. */
export const resolveInTurn = <T>({ request }: GraphQLContext, resolve: () => T): T | Promise<Awaited<T>> =>
  visits.get(request)?.field(resolve) ?? resolve();

/**
 * The context is a class, because Apollo copies own fields and prototype of the context for every operation, so a
 * getter must be on the prototype.
 */
class RequestContext implements GraphQLContext {
  readonly loaders = new Loaders();

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

/** The caller of each request. It is read when the request arrives, so that limits apply before its body is read. */
const identities = new WeakMap<FastifyRequest, Identity>();

/** The visits of requests whose document is being processed, or waits for it. */
const visits = new WeakMap<FastifyRequest, Visit>();

/**
 * Admits a request before its body is read. Callers with valid credentials are charged to their credential's budget,
 * and all others are limited by address. Documents of users without permissions wait for their share of the node's
 * time.
 */
export function admission(
  authenticator: Authenticator,
  budget: CostBudget,
  time: TimeShare,
  limitByAddress: onRequestAsyncHookHandler,
): onRequestAsyncHookHandler {
  return async function (request, reply) {
    const identity = await identify(request, authenticator);
    const { actor } = identity;
    identities.set(request, identity);
    if (!actor) return limitByAddress.call(this, request, reply);
    if (permissionsOf(actor).length === 0) {
      const visit = time.visit(String(personOf(actor).id));
      visits.set(request, visit);
      reply.raw.once('close', visit.end);
      // The client may have disconnected while its credentials were read.
      if (reply.raw.destroyed) visit.end();
      await visit.begun;
    }
    const spending = await budget.spend(actor, request.ip, arrivalCost(request));
    if (spending && !spending.allowed) {
      // The connection stays open, so that the body is still received before the next request. A body of unknown length may
      // have no end.
      const length = request.headers['content-length'];
      if (length === undefined && hasBody(request)) reply.header('connection', 'close');
      countBytes(request, Number(length ?? 0));
      visits.get(request)?.count(refusalMilliseconds);
      throw budgetSpent(spending);
    }
  };
}

/**
 * Ends the visit when the response is complete, so that the user's next document may run even if the client reads the
 * response slowly.
 */
export const endVisit = (request: FastifyRequest): void => visits.get(request)?.end();

/**
 * Milliseconds that a refusal counts, which is more than it takes: a program that repeats refused requests at once would
 * otherwise be refused hundreds of times a second.
 */
const refusalMilliseconds = 20;

/** Bytes that are compressed and written, or received and discarded, in a millisecond. */
const perMillisecond = 25_000;

/** Counts the time for bytes that cost none to produce: a stored response, or a body that is discarded. */
export const countBytes = (request: FastifyRequest, bytes: number): void =>
  visits.get(request)?.count(bytes / perMillisecond);

/** Returns the caller that `admission` read. An invalid credential fails only when a field asks for the caller. */
export async function createContext(
  request: FastifyRequest,
  reply: FastifyReply,
  authenticator: Authenticator,
): Promise<GraphQLContext> {
  const identity = identities.get(request) ?? (await identify(request, authenticator));
  return new RequestContext(identity, request, reply);
}

/**
 * Reads the caller of this request again: sessions and access tokens of open streams can expire.
 * @throws AppError when the credentials are no longer valid
 */
export async function currentActor(request: FastifyRequest, authenticator: Authenticator): Promise<MaybeActor> {
  const { actor, failure } = await identify(request, authenticator);
  if (failure) throw failure;
  return actor;
}

async function identify(request: FastifyRequest, authenticator: Authenticator): Promise<Identity> {
  try {
    return { actor: await authenticate(request, authenticator, { named: true }) };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return error.code === 'NOT_SIGNED_IN' ? { actor: null } : { actor: null, failure: error };
  }
}
