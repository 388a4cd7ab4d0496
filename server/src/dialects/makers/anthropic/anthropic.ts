import type { Adapter, ChatCapability, ConversationCapability, KeptObjectsCapability } from '../../contract.js';
import type { Target } from '../../target.js';
import {
  betaHeader,
  betasFor,
  configuredHeaders,
  listed,
  withBodyBetas,
} from '../../languages/anthropic/claude-headers.js';
import type { ClaudeSettings } from '../../languages/anthropic/claude-settings.js';
import {
  countsTokens,
  nativeMessage,
  nativeMessagesBody,
  nativeMessageStream,
} from '../../languages/anthropic/messages-native.js';
import { isInThread } from '../../neutral/thread.js';
import { countAt } from './count.js';
import { messagesProvider } from '../../languages/anthropic/messages-write.js';
import { writeBody } from '../../wire/forms/written-body.js';

const settingsOf = (target: Target): ClaudeSettings => ({ ...target.families.claude, remoteMedia: true });

/** Returns the URL without a trailing slash or `/v1`, which the path contains. */
function messagesUrl(target: Target, path = '/v1/messages'): string {
  const base = target.baseUrl.trim().replace(/\/+$/, '').replace(/\/v1$/, '');
  return base + path;
}

/** Serves clients of the Messages dialect: bytes pass through. */
const messages: ChatCapability = {
  toUpstreamRequest(request, target) {
    const { bytes, model } = nativeMessagesBody(request, target, settingsOf(target));
    const path = countsTokens(request.path) ? '/v1/messages/count_tokens' : '/v1/messages';
    return {
      method: 'POST',
      url: messagesUrl(target, path),
      headers: anthropicHeaders(target, request.stream, withBodyBetas(request)),
      body: bytes,
      upstreamModel: model,
    };
  },
  fromUpstreamResponse: (body, _target, request) => nativeMessage(body, request && isInThread(request.body)),
  openStream: ({ body }, _target, transcript) => nativeMessageStream(transcript, isInThread(body)),
};

/** Serves clients of every other dialect. */
const conversation: ConversationCapability = {
  codec: (target) => messagesProvider(settingsOf(target)),
  toUpstreamRequest: (body, call, target) => ({
    method: 'POST',
    url: messagesUrl(target),
    headers: anthropicHeaders(target, call.stream, { [betaHeader]: betasFor(body).join(',') }),
    body: writeBody(body),
    upstreamModel: call.model,
  }),
};

/** Files and skills. */
const keptObjects: KeptObjectsCapability = {
  api: 'anthropic',
  toUpstreamRequest(method, path, target, client) {
    const { 'content-type': _json, accept: _accept, ...own } = anthropicHeaders(target, false, client);
    return { method, url: messagesUrl(target, path), headers: { ...client, ...own }, body: null };
  },
};

/** Type 14 (docs/reference/providers/anthropic.md). */
export const anthropic: Adapter = { messages, conversation, countMessages: countAt(messages), keptObjects };

const defaultVersion = '2023-06-01';

/**
 * Credentials and API version (docs/reference/providers/anthropic.md#request-to-anthropic). Headers that an admin set
 * for a model replace these; only beta lists of client and admin are combined.
 * @param client headers of a client of the same dialect
 */
function anthropicHeaders(
  target: Target,
  stream: boolean,
  client: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: stream ? 'text/event-stream' : 'application/json',
    'x-api-key': target.key,
    'anthropic-version': client['anthropic-version'] || defaultVersion,
  };
  const betas = listed(client[betaHeader]);
  for (const [name, values] of Object.entries(configuredHeaders(target))) {
    const lower = name.toLowerCase();
    if (lower === betaHeader) betas.push(...values.flatMap((value) => listed(value)));
    else headers[lower] = values.join(', ');
  }
  if (betas.length > 0) headers[betaHeader] = [...new Set(betas)].join(',');
  // An empty list removes a header.
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
}
