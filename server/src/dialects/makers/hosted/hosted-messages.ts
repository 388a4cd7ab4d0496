import type { ChatCapability, ChatRequest } from '../../contract.js';
import type { Target } from '../../target.js';
import { betaHeader, withBodyBetas } from '../../languages/anthropic/claude-headers.js';
import {
  countsTokens,
  nativeMessage,
  nativeMessagesBody,
  nativeMessageStream,
} from '../../languages/anthropic/messages-native.js';
import { bearerIfGiven } from '../openai-compatible/address.js';

const defaultVersion = '2023-06-01';

function headersOf(target: Target, request: ChatRequest): Record<string, string> {
  const { stream } = request;
  const headers = withBodyBetas(request);
  const betas = headers[betaHeader];
  return {
    'content-type': 'application/json',
    accept: stream ? 'text/event-stream' : 'application/json',
    'anthropic-version': headers['anthropic-version'] ?? defaultVersion,
    ...(betas === undefined ? {} : { [betaHeader]: betas }),
    ...bearerIfGiven(target),
  };
}

/**
 * Messages at hosts that speak Anthropic's dialect for models of any maker. Their thoughts need no signature, so the
 * history stays unchanged.
 * @param place the complete URL of `/v1/messages`
 */
export const hostedMessages = (place: (target: Target) => string): ChatCapability => ({
  toUpstreamRequest(request, target) {
    const settings = { ...target.families.claude, remoteMedia: true };
    const { bytes, model, dropped } = nativeMessagesBody(request, target, settings, { isHost: true });
    return {
      method: 'POST',
      url: place(target) + (countsTokens(request.path) ? '/count_tokens' : ''),
      headers: headersOf(target, request),
      body: bytes,
      upstreamModel: model,
      ...(dropped.length === 0 ? {} : { dropped }),
    };
  },
  fromUpstreamResponse: (body) => nativeMessage(body),
  openStream: (_request, _target, transcript) => nativeMessageStream(transcript),
});
