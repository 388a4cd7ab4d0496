import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ClientResponse } from './client-response.js';
import type { IncomingCall } from './incoming-call.js';
import { readRequestBody } from './request-body.js';

export interface TakenCall {
  readonly incoming: IncomingCall;
  readonly client: ClientResponse;
}

/** Takes the answer out of Fastify's hands; headers set by hooks so far are kept. */
export function take(request: FastifyRequest, reply: FastifyReply, maxBodyBytes: number): TakenCall {
  reply.hijack();
  request.taken = true;
  const { url } = request;
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  const incoming: IncomingCall = {
    requestId: request.id,
    headers: request.headers,
    path: withoutAlias(path),
    query: mark === -1 ? '' : url.slice(mark + 1),
    address: request.ip,
    startedAt: performance.now(),
    readBody: () =>
      readRequestBody(request.raw, isForm(request) ? Math.round(maxBodyBytes * formFactor) : maxBodyBytes),
  };
  return { incoming, client: new ClientResponse(reply.raw, reply.getHeaders() as OutgoingHttpHeaders) };
}

/**
 * A form carries files: it may be larger by 100 to 64, as docs/reference/relay/guarantees.md#memory-and-streams says.
 */
const formFactor = 100 / 64;

const isForm = ({ headers }: FastifyRequest): boolean => headers['content-type']?.startsWith('multipart/') === true;

function withoutAlias(path: string): string {
  const plain = path.startsWith('/hf/v1/') ? path.slice('/hf'.length) : path;
  return plain.length > 1 && plain.endsWith('/') ? plain.slice(0, -1) : plain;
}
