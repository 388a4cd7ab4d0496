import type { ClientResponse } from '../gateway/deliver/client-response.js';
import type { Endpoint } from '../gateway/endpoint.js';
import type { Relay } from '../gateway/pipeline.js';
import type { IncomingRequest } from '../gateway/request.js';

/** Counts tokens for a client of Messages, natively where the provider can. */
export const countMessages = (
  relay: Relay,
  endpoint: Endpoint,
  incoming: IncomingRequest,
  client: ClientResponse,
): Promise<void> =>
  relay.count(endpoint, incoming, client, (tokens) => ({ input_tokens: tokens }), {
    name: 'countMessages',
    field: 'input_tokens',
  });
