import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { pathOf } from './cors.js';

/** A request to a path that clients of several dialects call. */
export interface SharedPathRequest {
  readonly id: string;
  /** Path and query as received: aliases of `/v1` tell dialects apart. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** The fields of an error in OpenAI's form. Other dialects show some of them. */
export interface ShownError {
  readonly message: string;
  readonly type: string;
  readonly param: string;
  readonly code: string | number | null;
}

/** Returns an error response in the form that the SDK of the client reads. */
export type ErrorResponse = (
  request: SharedPathRequest,
  status: number,
  error: ShownError,
) => { readonly headers: OutgoingHttpHeaders; readonly body: string };

declare module 'fastify' {
  interface FastifyInstance {
    readonly errorResponse: ErrorResponse;
  }
}

/** First parts of paths below which there are only APIs. */
export const programRoots = ['openai', 'anthropic', 'model', 'hf', 'upload', 'ws', 'kling'] as const;

const programPath = new RegExp(`^/(v1|api|assets|graphql(?!/explorer/?$)|(?:${programRoots.join('|')})/)`);

/** Paths of APIs. Every other path belongs to the console's router. */
export const isProgramPath = (path: string): boolean => programPath.test(path);

/**
 * Whether a browser opens the page of a model. Its address in the console is below the path of Bedrock's API, which has
 * no GET.
 */
export const isModelPage = (request: FastifyRequest): boolean =>
  request.method === 'GET' && pathOf(request).startsWith('/model/') && wantsPage(request);

/** Programs accept any type, or JSON. Only browsers that open an address name HTML. */
export const wantsPage = ({ headers: { accept = '' } }: FastifyRequest): boolean => accept.includes('text/html');

const writes = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * Responds to requests with a body to unknown paths before the body is read: errors of the body do not matter if no
 * route takes it, and no program gets the console's page.
 */
export function refuseUnknownWrites(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404 || !writes.has(request.method)) return done();
    void sendInvalidUrl(request, reply);
  });
}

/**
 * Refuses a path that has a word instead of an id as unknown: programs that probe for newer endpoints take 404 as "not
 * supported".
 */
export function refuseWordsAsIds(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { id } = request.params as { readonly id?: string };
    if (id === undefined || /^[+-]?\d+$/.test(id.trim())) return done();
    void sendInvalidUrl(request, reply);
  });
}

/** The response to unknown paths and wrong methods (docs/reference/rest/conventions.md#urls-and-bodies). */
export function sendInvalidUrl(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { method, server } = request;
  const path = pathOf(request);
  // Base URLs of clients often lack the version, so the message names the path with it.
  const meant = server.hasRoute({ method, url: `/v1${path}` }) ? `/v1${path}` : null;
  const hint = meant === null ? '' : `. Did you mean ${method} ${meant}? The base URL of this API ends with /v1`;
  const message = `Invalid URL (${method} ${path})${hint}`;
  const error = { message, type: 'invalid_request_error', param: '', code: '' };
  const { id, url, headers } = request;
  const shown = server.errorResponse({ id, url, headers }, 404, error);
  return reply.status(404).headers(shown.headers).send(shown.body);
}
