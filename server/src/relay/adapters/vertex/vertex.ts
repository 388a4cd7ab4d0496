import { createSign } from 'node:crypto';
import { AppError } from '../../../shared/errors.js';
import type {
  Adapter,
  ConversationCall,
  ConversationCapability,
  CredentialExchange,
  Target,
  TokenCount,
  UpstreamRequest,
} from '../../adapter.js';
import { vertexBetas, withBetas } from '../../protocols/anthropic/hosted-betas.js';
import { messagesProvider } from '../../protocols/anthropic/messages-write.js';
import { defaultGeminiSettings } from '../../protocols/gemini/gemini-settings.js';
import { geminiProvider } from '../../protocols/gemini/gemini-write.js';
import { acceptedChat } from '../openai-compatible/chat-codec.js';
import { asText, type Json, parseFields, someNumber, someText } from '../../neutral/fields.js';
import { chatUrl, claudeName, type Mode, modelUrl, modeOf, projectOf, vertexHeaders } from './place.js';
import { vertexEmbeddings, vertexImages } from './vertex-predict.js';
import { jwtPart } from '../openai-compatible/signing.js';

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
      assertion: accountAssertion(key, Math.floor(now / 1000)),
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

function claudeRequest(body: Json, { model, stream, headers }: ConversationCall, target: Target): UpstreamRequest {
  const { model: _model, ...rest } = withBetas(body, headers, vertexBetas);
  const method = stream ? 'streamRawPredict?alt=sse' : 'rawPredict';
  return {
    method: 'POST',
    url: modelUrl(target, 'anthropic', claudeName(model), method),
    headers: vertexHeaders(target, stream),
    body: JSON.stringify({ anthropic_version: 'vertex-2023-10-16', ...rest }),
    upstreamModel: model,
  };
}

/** The models of each maker use that maker's dialect. */
const conversation: ConversationCapability = {
  codec(target) {
    const { families, upstreamModel } = target;
    switch (modeOf(upstreamModel)) {
      case 'claude':
        return messagesProvider({ ...families.claude, remoteMedia: false });
      case 'gemini':
        return geminiProvider({ ...defaultGeminiSettings, ...families.gemini, callIds: false });
      case 'chat':
        return acceptedChat(target);
    }
  },
  toUpstreamRequest(body, call, target) {
    const { model, stream } = call;
    switch (modeOf(model)) {
      case 'claude':
        return claudeRequest(body, call, target);
      case 'gemini':
        return {
          method: 'POST',
          url: modelUrl(target, 'google', model, stream ? 'streamGenerateContent?alt=sse' : 'generateContent'),
          headers: vertexHeaders(target, stream),
          body: JSON.stringify(body),
          upstreamModel: model,
        };
      case 'chat':
        return {
          method: 'POST',
          url: chatUrl(target),
          headers: vertexHeaders(target, stream),
          body: JSON.stringify(body),
        };
    }
  },
};

/**
 * Each maker counts for its own models, in its own dialect.
 * @throws AppError UNSUPPORTED_BY_CHANNEL
 */
function checkMaker({ upstreamModel }: Target, maker: Mode): void {
  if (modeOf(upstreamModel) !== maker)
    throw new AppError('UNSUPPORTED_BY_CHANNEL', 'The maker of the model does not count tokens in this dialect');
}

/** One address counts for all models of Anthropic. */
const countMessages: TokenCount = {
  toUpstreamRequest({ body, headers }, target) {
    checkMaker(target, 'claude');
    const asked = withBetas({ ...body, model: claudeName(target.upstreamModel) }, headers, vertexBetas);
    return countRequest(modelUrl(target, 'anthropic', 'count-tokens', 'rawPredict'), asked, target);
  },
};

const countContents: TokenCount = {
  toUpstreamRequest({ body }, target) {
    checkMaker(target, 'gemini');
    return countRequest(modelUrl(target, 'google', target.upstreamModel, 'countTokens'), body, target);
  },
};

const countRequest = (url: string, body: Readonly<Json>, target: Target): UpstreamRequest => ({
  method: 'POST',
  url,
  headers: vertexHeaders(target, false),
  body: JSON.stringify(body),
});

/** Type 41 (docs/reference/providers/gemini-and-vertex.md). */
export const vertex: Adapter = {
  conversation,
  countMessages,
  countContents,
  embeddings: vertexEmbeddings,
  images: vertexImages,
  credential: vertexCredential,
};
