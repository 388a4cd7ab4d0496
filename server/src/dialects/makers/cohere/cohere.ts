import { omitUndefined } from '../../../shared/omit-undefined.js';
import type { Adapter, ConversationCapability } from '../../contract.js';
import { asFields, asList } from '../../neutral/fields.js';
import { toCount } from '../../languages/openai/usage.js';
import { embeddingTexts } from '../openai-compatible/embedding-texts.js';
import type { OpenAiVariant } from '../openai-compatible/variant.js';
import { usageFields } from '../../languages/openai/one-shot-usage.js';
import { oneShot, othersThan } from '../openai-compatible/one-shot.js';
import { baseOf, jsonHeaders } from '../openai-compatible/own-dialect.js';
import { rerankRules } from '../openai-compatible/rerank.js';
import { readCohere } from './cohere-read.js';
import { CohereStreamReader } from './cohere-stream-reader.js';
import { cohereV1 } from './cohere-v1.js';
import { writeCohere } from './cohere-write.js';

const variant: OpenAiVariant = {};

const conversation: ConversationCapability = {
  codec: () => ({
    dialect: 'own',
    write: writeCohere,
    read: readCohere,
    openReader: () => new CohereStreamReader(),
  }),
  toUpstreamRequest: (body, { stream }, target) => ({
    method: 'POST',
    url: `${baseOf(target)}/v2/chat`,
    headers: { ...jsonHeaders(stream), authorization: `Bearer ${target.key}` },
    body: JSON.stringify(body),
  }),
};

/** Cohere requires the purpose of texts. Clients that compare texts state it; for all others the purpose is storing. */
const embeddings = oneShot(variant, '/v2/embed', {
  dropped: othersThan('input', 'dimensions', 'input_type'),
  body: ({ model, input, dimensions, input_type: type }) =>
    omitUndefined({
      model,
      texts: embeddingTexts({ input }),
      input_type: type ?? 'search_document',
      embedding_types: ['float'],
      output_dimension: dimensions,
    }),
  answer: (answer, _request, target) => ({
    object: 'list',
    model: target.requestedModel,
    data: asList(asFields(answer['embeddings'])?.['float']).map((embedding, index) => ({
      object: 'embedding',
      index,
      embedding,
    })),
    ...usageFields(toCount(asFields(asFields(answer['meta'])?.['billed_units'])?.['input_tokens'])),
  }),
});

/** Type 34 (docs/reference/providers/own-protocols.md#cohere). */
export const cohere: Adapter = { conversation, embeddings, rerank: oneShot(variant, '/v1/rerank', rerankRules) };

export const cohereOlder: Adapter = { ...cohere, conversation: cohereV1(conversation) };
