import { createSign } from 'node:crypto';
import { writeJson } from '../../../shared/exact-json.js';
import { AppError } from '../../../shared/errors.js';
import type {
  Adapter,
  ChatCapability,
  ConversationRequest,
  ConversationCapability,
  CredentialExchange,
  TokenCount,
  UpstreamRequest,
} from '../../contract.js';
import type { Target } from '../../target.js';
import type { ClaudeSettings } from '../../languages/anthropic/claude-settings.js';
import { betasOf, vertexBetas, withBetas } from '../../languages/anthropic/hosted-betas.js';
import { namesRemoteMedia, hostedBody } from '../../languages/anthropic/hosted-body.js';
import {
  nativeMessage,
  nativeMessagesChanges,
  nativeMessageStream,
} from '../../languages/anthropic/messages-native.js';
import { messagesProvider } from '../../languages/anthropic/messages-write.js';
import { nativeGeminiAnswer, nativeGeminiStream } from '../../languages/gemini/gemini-native.js';
import { nativeGeminiChanges } from '../../languages/gemini/gemini-native-changes.js';
import { defaultGeminiSettings, type GeminiSettings } from '../../languages/gemini/gemini-settings.js';
import { geminiProvider } from '../../languages/gemini/gemini-write.js';
import { namesRemoteFiles, vertexGeminiBody } from '../../languages/gemini/vertex-contents.js';
import { acceptedChat } from '../openai-compatible/chat-codec.js';
import { asText, type Fields, parseFields, someNumber, someText } from '../../neutral/fields.js';
import { chatUrl, claudeName, makerOf, type Mode, modelUrl, modeOf, projectOf, vertexHeaders } from './place.js';
import { WithoutVertexEvents } from './vertex-events.js';
import { vertexEmbeddings, vertexImages } from './vertex-predict.js';
import { jwtPart } from '../openai-compatible/signing.js';
import { unixSecond } from '../../../shared/clock.js';
import { writeBody } from '../../wire/forms/written-body.js';

const tokenUrl = 'https://oauth2.googleapis.com/token';
const scope = 'https://www.googleapis.com/auth/cloud-platform';

/**
 * Signs the identity of the service account.
 * @param now Unix seconds
 * @throws AppError UPSTREAM_UNREACHABLE
 */
function accountAssertion(key: string, now: number): string {
  const account = parseFields(key) ?? {};
  const privateKey = asText(account['private_key']).replaceAll('\\n', '\n');
  const head = jwtPart({ alg: 'RS256', typ: 'JWT', kid: asText(account['private_key_id']) });
  const claims = jwtPart({ iss: asText(account['client_email']), scope, aud: tokenUrl, iat: now, exp: now + 3600 });
  try {
    const signature = createSign('RSA-SHA256').update(`${head}.${claims}`).sign(privateKey, 'base64url');
    return `${head}.${claims}.${signature}`;
  } catch (cause) {
    throw new AppError('UPSTREAM_UNREACHABLE', 'The service account of the channel has no usable private key', {
      cause,
    });
  }
}

/**
 * A service account is exchanged for a token valid for an hour
 * (docs/reference/providers/gemini-and-vertex.md#vertex-credentials); an API key is sent unchanged.
 */
export const vertexCredential: CredentialExchange = {
  needed: (target) => projectOf(target) !== null,
  toRequest: ({ key, now }) => ({
    method: 'POST',
    url: tokenUrl,
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: accountAssertion(key, unixSecond(now)),
    }).toString(),
  }),
  fromAnswer({ body }) {
    const answer = parseFields(body.toString('utf8'));
    const credential = someText(answer?.['access_token']);
    if (credential === undefined)
      throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The provider returned no access token');
    return { credential, secondsToLive: Math.max(0, (someNumber(answer?.['expires_in']) ?? 3600) - 240) };
  },
};

const claudeSettings = ({ families }: Target): ClaudeSettings => ({ ...families.claude, remoteMedia: false });

const geminiSettings = ({ families }: Target): GeminiSettings => ({
  ...defaultGeminiSettings,
  ...families.gemini,
  callIds: false,
  excludesDomains: true,
});

/** Betas that Vertex accepts in the body and refuses in the header. */
const onlyInBody = 'context-1m-2025-08-07';

/**
 * Returns the header with betas. A feature behind a beta needs it in the header; in the body alone the beta has no
 * effect.
 */
function betaHeader(betas: readonly string[]): Record<string, string> {
  const named = betas.filter((beta) => vertexBetas.has(beta) && beta !== onlyInBody);
  return named.length === 0 ? {} : { 'anthropic-beta': named.join(',') };
}

function claudeRequest(
  given: Fields,
  { model, stream, headers }: ConversationRequest,
  target: Target,
): UpstreamRequest {
  const { model: _model, ...rest } = given;
  const { body, dropped } = hostedBody(rest);
  const betas = betasOf(body, headers, vertexBetas, target);
  const method = stream ? 'streamRawPredict?alt=sse' : 'rawPredict';
  return {
    method: 'POST',
    url: modelUrl(target, 'anthropic', claudeName(model), method),
    headers: { ...vertexHeaders(target, stream), ...betaHeader(betas) },
    body: writeBody({
      anthropic_version: 'vertex-2023-10-16',
      ...body,
      ...(betas.length > 0 ? { anthropic_beta: betas } : {}),
    }),
    upstreamModel: model,
    ...(dropped.length > 0 ? { dropped } : {}),
  };
}

const geminiRequest = (body: Fields, { model, stream }: ConversationRequest, target: Target): UpstreamRequest => ({
  method: 'POST',
  url: modelUrl(target, 'google', model, stream ? 'streamGenerateContent?alt=sse' : 'generateContent'),
  headers: vertexHeaders(target, stream),
  body: writeBody(body),
  upstreamModel: model,
});

/** For clients of Messages at a model of Anthropic: the response stays unchanged. */
const messages: ChatCapability = {
  serves: (body, { upstreamModel }) => makerOf(upstreamModel) === 'claude' && !namesRemoteMedia(body['messages']),
  toUpstreamRequest(request, target) {
    const { changes, model } = nativeMessagesChanges(request, target, claudeSettings(target));
    return claudeRequest({ ...request.body, ...changes }, { ...request, model }, target);
  },
  fromUpstreamResponse: (body) => nativeMessage(body),
  openStream: (_request, _target, transcript) => new WithoutVertexEvents(nativeMessageStream(transcript)),
};

/** For clients of Gemini at a model of Google: the response stays unchanged. */
const generate: ChatCapability = {
  serves: (body, { upstreamModel }) => makerOf(upstreamModel) === 'gemini' && !namesRemoteFiles(body['contents']),
  toUpstreamRequest(request, target) {
    const { changes, model } = nativeGeminiChanges(request.body, target, geminiSettings(target));
    const { body, dropped } = vertexGeminiBody({ ...request.body, ...changes });
    const sent = geminiRequest(body, { ...request, model }, target);
    return dropped.length > 0 ? { ...sent, dropped } : sent;
  },
  fromUpstreamResponse: nativeGeminiAnswer,
  openStream: (_request, _target, transcript) => nativeGeminiStream(transcript),
};

/** For all other clients: the models of each maker use that maker's dialect. */
const conversation: ConversationCapability = {
  codec(target) {
    switch (modeOf(target.upstreamModel)) {
      case 'claude':
        return messagesProvider(claudeSettings(target));
      case 'gemini':
        return geminiProvider(geminiSettings(target));
      case 'chat':
        return acceptedChat(target);
    }
  },
  toUpstreamRequest(body, call, target) {
    switch (modeOf(call.model)) {
      case 'claude':
        return claudeRequest(body, call, target);
      case 'gemini':
        return geminiRequest(body, call, target);
      case 'chat':
        return {
          method: 'POST',
          url: chatUrl(target),
          headers: vertexHeaders(target, call.stream),
          body: writeBody(body),
        };
    }
  },
};

/**
 * Checks that the model's maker counts tokens in this dialect. Each maker counts for its own models, in its own
 * dialect.
 * @throws AppError UNSUPPORTED_BY_CHANNEL
 */
function checkMaker({ upstreamModel }: Target, maker: Mode): void {
  if (modeOf(upstreamModel) !== maker)
    throw new AppError('UNSUPPORTED_BY_CHANNEL', 'The maker of the model does not count tokens in this dialect');
}

/** One URL counts for all models of Anthropic. It refuses betas in the header. */
const countMessages: TokenCount = {
  toUpstreamRequest(request, target) {
    checkMaker(target, 'claude');
    const counted = { ...request, path: '/v1/messages/count_tokens' };
    const { changes, model } = nativeMessagesChanges(counted, target, claudeSettings(target));
    const { body } = hostedBody({ ...request.body, ...changes });
    const asked = withBetas({ ...body, model: claudeName(model) }, request.headers, vertexBetas, target);
    return countRequest(modelUrl(target, 'anthropic', 'count-tokens', 'rawPredict'), asked, target);
  },
};

const countContents: TokenCount = {
  toUpstreamRequest({ body }, target) {
    checkMaker(target, 'gemini');
    const { model, changes } = nativeGeminiChanges(body, target, geminiSettings(target));
    const { body: asked } = vertexGeminiBody({ ...body, ...changes });
    return countRequest(modelUrl(target, 'google', model, 'countTokens'), asked, target);
  },
};

const countRequest = (url: string, body: Fields, target: Target): UpstreamRequest => ({
  method: 'POST',
  url,
  headers: vertexHeaders(target, false),
  body: writeJson(body),
});

/** Type 41 (docs/reference/providers/gemini-and-vertex.md). */
export const vertex: Adapter = {
  messages,
  generate,
  conversation,
  countMessages,
  countContents,
  embeddings: vertexEmbeddings,
  images: vertexImages,
  credential: vertexCredential,
};
