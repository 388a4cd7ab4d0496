import { Transform, type Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../shared/errors.js';
import { assertJsonBounds } from '../../shared/json.js';
import { sessionActor, type Authenticator } from './authenticate.js';

/** The limit of management bodies: room for the largest settings table and a thousand channel keys. */
export const apiBodyLimit = 4 * 1024 * 1024;
/** The limit of routes that anyone can call: a few short texts. */
export const anonymousBodyLimit = 16 * 1024;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Bytes of a body that the route takes from callers who are not signed in, if it may be longer than usual. */
    readonly anonymousBodyLimit?: number;
  }
}

/** Limits of JSON bodies. A settings table has some thousand rows, and a GraphQL request a few hundred values. */
const bounds = { maxDepth: 64, maxValues: 100_000 };
/** Depth that remains for a variable of a GraphQL request. The request and its `variables` are one level each. */
export const maxVariableDepth = bounds.maxDepth - 2;

/**
 * Parses a management body.
 * @returns undefined for a body that is not JSON
 * @throws AppError INVALID_INPUT when it is nested too deeply or has too many values
 */
export function parseBoundedJson(body: Buffer): unknown {
  assertJsonBounds(body, bounds);
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

/**
 * Limits the bodies of callers who are not signed in to `usual` bytes, or what the route's config names: no longer body of
 * theirs is read or parsed. Callers with a live session or access token keep the route's limit.
 */
export function limitAnonymousBodies(app: FastifyInstance, authenticator: Authenticator, usual: number): void {
  app.addHook('preParsing', async (request, _reply, payload) => {
    const limit = request.routeOptions.config.anonymousBodyLimit ?? usual;
    const announced = Number(request.headers['content-length'] ?? Infinity);
    if (announced <= limit || !hasBody(request) || (await isSignedIn(request, authenticator))) return payload;
    if (Number.isFinite(announced)) throw tooLarge(limit);
    return limited(payload, limit);
  });
}

export const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

async function isSignedIn(request: FastifyRequest, authenticator: Authenticator): Promise<boolean> {
  if (await sessionActor(request, authenticator)) return true;
  const { authorization } = request.headers;
  if (!authorization) return false;
  return (await authenticator.actorOfAccessToken(authorization.replace('Bearer ', '').trim())) !== null;
}

function limited(payload: Readable, limit: number): Readable {
  let length = 0;
  const counted = new Transform({
    transform(piece: Buffer, _encoding, done) {
      length += piece.length;
      if (length > limit) done(tooLarge(limit));
      else done(null, piece);
    },
  });
  payload.once('error', (error) => counted.destroy(error));
  return payload.pipe(counted);
}

const tooLarge = (limit: number): AppError =>
  new AppError('PAYLOAD_TOO_LARGE', `Sign in to send a body of more than ${limit / 1024} KB`);
