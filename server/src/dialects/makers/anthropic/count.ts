import type { ChatCapability, TokenCount } from '../../contract.js';

/** Counts below the path of Messages, with the same body. */
export const countAt = (messages: ChatCapability): TokenCount => ({
  toUpstreamRequest: (request, target) =>
    messages.toUpstreamRequest({ ...request, path: '/v1/messages/count_tokens' }, target),
});
