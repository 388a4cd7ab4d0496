import type { Endpoint } from '../gateway/endpoint.js';
import { chatEndpoint, messagesEndpoint } from './chat/chat-endpoints.js';
import { completionsEndpoint, fimEndpoint } from './chat/completions-endpoint.js';
import { embeddingsEndpoint, moderationsEndpoint, rerankEndpoint } from './embeddings/embedding-endpoints.js';
import {
  imageEditsEndpoint,
  imagesEndpoint,
  speechEndpoint,
  transcriptionEndpoint,
  translationEndpoint,
} from './media/media-endpoints.js';

/** Prefixes of the paths of OpenAI's API. Clients of Azure use `/openai/…` and `/anthropic/v1`. */
export const prefixes = ['/v1', '/hf/v1', '/v1beta/openai', '/openai', '/openai/v1', '/anthropic/v1'] as const;

/** The endpoint of each path under one of the prefixes. */
export const endpoints: Readonly<Record<string, Endpoint>> = {
  '/chat/completions': chatEndpoint,
  '/messages': messagesEndpoint,
  '/completions': completionsEndpoint,
  '/fim/completions': fimEndpoint,
  '/embeddings': embeddingsEndpoint,
  '/engines/:model/embeddings': embeddingsEndpoint,
  '/moderations': moderationsEndpoint,
  '/rerank': rerankEndpoint,
  '/images/generations': imagesEndpoint,
  '/images/edits': imageEditsEndpoint,
  '/audio/speech': speechEndpoint,
  '/audio/transcriptions': transcriptionEndpoint,
  '/audio/translations': translationEndpoint,
};
