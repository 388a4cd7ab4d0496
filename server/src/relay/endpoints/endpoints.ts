import type { Endpoint } from '../call/endpoint.js';
import { chatEndpoint, messagesEndpoint } from './chat-endpoints.js';
import { completionsEndpoint } from './completions-endpoint.js';
import { embeddingsEndpoint, moderationsEndpoint, rerankEndpoint } from './embedding-endpoints.js';
import {
  imageEditsEndpoint,
  imagesEndpoint,
  speechEndpoint,
  transcriptionEndpoint,
  translationEndpoint,
} from './media-endpoints.js';

/** The endpoint of each path under `/v1` and its alias `/hf/v1`. */
export const endpoints: Readonly<Record<string, Endpoint>> = {
  '/chat/completions': chatEndpoint,
  '/messages': messagesEndpoint,
  '/completions': completionsEndpoint,
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
