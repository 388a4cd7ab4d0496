import type { FastifyRequest } from 'fastify';
import { gatewayType, toCallFailure } from '../dialects/errors/failure.js';
import type { ClientResponse } from '../gateway/deliver/client-response.js';
import { sendFailure } from '../gateway/deliver/send-failure.js';
import type { ErrorDialect } from '../gateway/endpoint.js';
import type { ErrorResponse, SharedPathRequest, ShownError } from '../platform/http/not-found.js';
import { AppError } from '../shared/errors.js';
import { anthropicErrors, bedrockErrors, geminiErrors, openAIErrors } from './chat/chat-endpoints.js';

/** Returns the dialect in which the client reads errors: that of the path, else of the header that has its key. */
function errorsOf({ url, headers }: SharedPathRequest): ErrorDialect {
  if (url.startsWith('/model/')) return bedrockErrors;
  if (/^\/anthropic\/|\/publishers\/anthropic\//.test(url)) return anthropicErrors;
  if (
    /^\/(?:v1beta\/(?!openai\/)|v1beta1\/|v1alpha\/|v1\/projects\/|v1\/(?:cachedContents|interactions)\b|upload\/|ws\/)/.test(
      url,
    )
  )
    return geminiErrors;
  if (headers['anthropic-version'] !== undefined || headers['x-api-key'] !== undefined) return anthropicErrors;
  if (headers['x-goog-api-key'] !== undefined || /^\/(?!api\/).*[?&]key=/.test(url)) return geminiErrors;
  return openAIErrors;
}

/**
 * Returns the response to an error that is no failure of a call. OpenAI's form has no request id, because clients compare
 * the message with that of older gateways.
 */
export const errorResponse: ErrorResponse = (request, status, error) => {
  const errors = errorsOf(request);
  const body =
    errors === openAIErrors
      ? JSON.stringify({ error })
      : errors.body({ ...error, type: gatewayType, status }, request.id);
  return { headers: { 'content-type': 'application/json; charset=utf-8', ...errors.headers?.(status) }, body };
};

/** Sends an error that is no failure of a call. */
export function refuse(request: SharedPathRequest, client: ClientResponse, status: number, error: ShownError): void {
  const { headers, body } = errorResponse(request, status, error);
  client.send(status, headers, body);
}

/** Sends an error from before a call was served. No record of a call has it, so an unexpected one is logged. */
export function sendError(request: FastifyRequest, client: ClientResponse, error: unknown): void {
  const failure = toCallFailure(error);
  if (failure.status >= 500 && !(error instanceof AppError)) request.log.error({ err: error }, 'unexpected failure');
  sendFailure(client, failure, request.id, errorsOf(request));
}
