import type { Adapter, ConversationCapability, Target, UpstreamRequest } from '../../adapter.js';
import { messagesProvider } from '../../protocols/anthropic/messages-write.js';
import { defaultGeminiSettings } from '../../protocols/gemini/gemini-settings.js';
import { geminiProvider } from '../../protocols/gemini/gemini-write.js';
import { chatProvider } from '../../protocols/openai/chat-write.js';
import { chatUrl, claudeName, modelUrl, modeOf, vertexHeaders } from './place.js';
import { vertexCredential } from './vertex-credential.js';
import { vertexEmbeddings, vertexImages } from './vertex-predict.js';
import type { Json } from '../../neutral/fields.js';

function claudeRequest(body: Json, model: string, stream: boolean, target: Target): UpstreamRequest {
  const { model: _model, ...rest } = body;
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
        return chatProvider();
    }
  },
  toUpstreamRequest(body, { model, stream }, target) {
    switch (modeOf(model)) {
      case 'claude':
        return claudeRequest(body, model, stream, target);
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

/** Type 41 (docs/reference/providers/gemini-and-vertex.md). */
export const vertex: Adapter = {
  conversation,
  embeddings: vertexEmbeddings,
  images: vertexImages,
  credential: vertexCredential,
};
