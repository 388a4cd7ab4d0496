import type { Endpoint } from '../call/endpoint.js';
import { toChatCall } from '../protocols/openai/chat-request.js';
import { parseJsonBody } from '../forms/json-body.js';
import { RelayError } from '../errors/relay-error.js';
import { chatEndpoint } from './chat-endpoints.js';

/**
 * POST /pg/chat/completions: a chat call of a signed-in user. `group` selects the group that routes and pays, and is
 * not sent to the provider.
 */
export const playgroundEndpoint: Endpoint = {
  ...chatEndpoint,
  route: 'playground',
  open(rawBody) {
    const { group: _group, ...body } = parseJsonBody(rawBody);
    const { model } = body;
    if (typeof model !== 'string' || model === '') {
      throw new RelayError('INVALID_INPUT', 'model is required', 'model_required');
    }
    return { body, model };
  },
  parse: ({ body }) => ({
    ...toChatCall(body),
    sent: { path: '/v1/chat/completions', rawBody: Buffer.from(JSON.stringify(body)) },
  }),
};
