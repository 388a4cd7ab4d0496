import type { Adapter, ChatCapability, ConversationCapability, Target } from '../../adapter.js';
import type { ClaudeSettings } from '../../protocols/anthropic/claude-settings.js';
import {
  countsTokens,
  nativeMessage,
  nativeMessagesBody,
  nativeMessageStream,
} from '../../protocols/anthropic/messages-native.js';
import { messagesProvider } from '../../protocols/anthropic/messages-write.js';
import { anthropicHeaders } from './headers.js';

const settingsOf = (target: Target): ClaudeSettings => ({ ...target.families.claude, remoteMedia: true });

/** The base URL without a trailing slash or `/v1`, which the path contains. */
function messagesUrl(target: Target, path = '/v1/messages'): string {
  const base = target.baseUrl.trim().replace(/\/+$/, '').replace(/\/v1$/, '');
  return base + path;
}

/** For clients of the Messages dialect: bytes pass through. */
const messages: ChatCapability = {
  toUpstreamRequest(request, target) {
    const { bytes, model } = nativeMessagesBody(request, target, settingsOf(target));
    const path = countsTokens(request.path) ? '/v1/messages/count_tokens' : '/v1/messages';
    return {
      method: 'POST',
      url: messagesUrl(target, path),
      headers: anthropicHeaders(target, request.stream, request.headers),
      body: bytes,
      upstreamModel: model,
    };
  },
  fromUpstreamResponse: nativeMessage,
  openStream: (_request, _target, heard) => nativeMessageStream(heard),
};

/** For clients of every other dialect. */
const conversation: ConversationCapability = {
  codec: (target) => messagesProvider(settingsOf(target)),
  toUpstreamRequest: (body, call, target) => ({
    method: 'POST',
    url: messagesUrl(target),
    headers: anthropicHeaders(target, call.stream),
    body: JSON.stringify(body),
    upstreamModel: call.model,
  }),
};

/** Type 14 (docs/reference/providers/anthropic.md). */
export const anthropic: Adapter = { messages, conversation };
