import { omitUndefined } from '../../../shared/omit-undefined.js';
import type { OneShotCapability } from '../../adapter.js';
import { asFields, asFieldsList, someNumber } from '../../neutral/fields.js';
import { toCount } from '../../protocols/openai/usage.js';
import type { Dialect } from '../openai-compatible/dialect.js';
import { usageFields } from '../openai-compatible/one-shot-usage.js';
import { oneShot, othersThan } from '../openai-compatible/one-shot.js';
import { rerankRules } from '../openai-compatible/rerank.js';
import { refuseError } from './ali-error.js';

/** docs/reference/providers/own-protocols.md#alibaba: embeddings in DashScope's own protocol. */
export const aliEmbeddings = (dialect: Dialect): OneShotCapability =>
  oneShot(dialect, '/api/v1/services/embeddings/text-embedding/text-embedding', {
    dropped: othersThan('input', 'dimensions', 'text_type'),
    body: ({ model, input, dimensions, text_type: textType }) => {
      const parameters = omitUndefined({ text_type: textType, dimension: dimensions });
      return {
        model,
        input: { texts: Array.isArray(input) ? (input as unknown[]) : [input] },
        ...(Object.keys(parameters).length > 0 ? { parameters } : {}),
      };
    },
    answer: (answer, _request, target) => ({
      object: 'list',
      model: target.requestedModel,
      data: asFieldsList(asFields(refuseError(answer)['output'])?.['embeddings']).map((each, position) => ({
        object: 'embedding',
        index: someNumber(each['text_index']) ?? position,
        embedding: each['embedding'],
      })),
      ...usageFields(toCount(asFields(answer['usage'])?.['total_tokens'])),
    }),
  });

export const aliRerank = (dialect: Dialect): OneShotCapability =>
  oneShot(dialect, '/api/v1/services/rerank/text-rerank/text-rerank', {
    dropped: othersThan('query', 'documents', 'top_n', 'return_documents'),
    body: ({ model, query, documents, top_n: limit, return_documents: shows }) => ({
      model,
      input: { query, documents },
      parameters: omitUndefined({ top_n: limit || undefined, return_documents: shows }),
    }),
    answer: (answer, request, target) => {
      const { output, usage, request_id: id } = refuseError(answer);
      const results = asFields(output)?.['results'];
      return rerankRules.answer?.({ id, results, usage }, request, target) ?? {};
    },
  });
