import type { Adapter } from '../../contract.js';
import { oneShot, without } from '../openai-compatible/one-shot.js';
import { familyRules } from '../openai-compatible/openai-compatible.js';

/**
 * Type 38 (docs/reference/providers/own-protocols.md#jina). Embeddings have fields of their own beside OpenAI's, and Jina
 * refuses those of OpenAI that it does not know, such as the encoding that OpenAI's SDKs always send.
 */
export const jina: Adapter = {
  embeddings: oneShot({}, '/v1/embeddings', { ...familyRules.embeddings, ...without('encoding_format', 'user') }),
  rerank: oneShot({}, '/v1/rerank', familyRules.rerank),
};
