import type { IncomingMessage, ServerResponse } from 'node:http';
import { newRequestId } from '../shared/ids.js';
import { takeOver } from '../gateway/incoming-request.js';
import type { Relay } from '../gateway/pipeline.js';
import { endpoints } from './endpoints.js';

/**
 * Serves JSON calls of programs at the exact paths of endpoints, without Fastify. Every other request is left to the routes,
 * which serve the same calls: browsers need the headers of hooks, and forms and aliases are rare.
 */
export function directCalls({ relay, maxBodyBytes }: { readonly relay: Relay; readonly maxBodyBytes: number }) {
  const byPath = new Map(Object.entries(endpoints).map(([path, endpoint]) => [`/v1${path}`, endpoint]));
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const { headers, method, url = '' } = request;
    if (method !== 'POST' || headers.origin !== undefined) return false;
    if (headers['content-type']?.startsWith('application/json') !== true) return false;
    // Claude Code sends `?beta=true` with every call.
    const mark = url.indexOf('?');
    const endpoint = byPath.get(mark < 0 ? url : url.slice(0, mark));
    if (!endpoint) return false;
    const address = request.socket.remoteAddress ?? '';
    const { incoming, client } = takeOver({ request, response, url, address, id: newRequestId() }, maxBodyBytes);
    void relay.serve(endpoint, incoming, client);
    return true;
  };
}
