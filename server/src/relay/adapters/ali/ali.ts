import { omitUndefined } from '../../../shared/omit-undefined.js';
import type { Adapter, OneShotCapability } from '../../adapter.js';
import { asFields, asFieldsList, type Fields, someNumber } from '../../neutral/fields.js';
import { toCount } from '../../protocols/openai/usage.js';
import type { BodyRules, Dialect } from '../openai-compatible/dialect.js';
import { openAICompatible } from '../openai-compatible/openai-compatible.js';
import { usageFields } from '../openai-compatible/one-shot-usage.js';
import { oneShot, othersThan } from '../openai-compatible/one-shot.js';
import { rerankRules } from '../openai-compatible/rerank.js';
import { aliImages } from './ali-images.js';
import { refuseError } from './ali-error.js';

/** docs/reference/providers/own-protocols.md#alibaba: embeddings in DashScope's own protocol. */
const aliEmbeddings = (dialect: Dialect): OneShotCapability =>
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

const aliRerank = (dialect: Dialect): OneShotCapability =>
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

const searches = /-internet$/;

/**
 * docs/reference/providers/openai-family.md#request-changes and docs/reference/providers/own-protocols.md#alibaba: the
 * bounds of ranges are refused, and the model suffix `-internet` turns on web search.
 */
export function aliRules(body: Fields, model: string): BodyRules {
  const changes: Record<string, unknown> = {};
  const topP = body['top_p'];
  if (typeof topP === 'number' && topP >= 1) changes['top_p'] = 0.999;
  if (typeof topP === 'number' && topP <= 0) changes['top_p'] = 0.001;
  if (searches.test(model)) changes['enable_search'] = true;
  return { model: model.replace(searches, ''), changes: Object.keys(changes).length > 0 ? changes : null };
}

const dialect: Dialect = {
  chat: '/compatible-mode/v1/chat/completions',
  headers: ({ other }, { stream }) => ({
    ...(stream ? { 'x-dashscope-sse': 'enable' } : {}),
    ...(other.trim() ? { 'x-dashscope-plugin': other.trim() } : {}),
  }),
  streamUsage: true,
  capabilities: { completions: '/compatible-mode/v1/completions' },
  rules: aliRules,
};

export const ali: Adapter = {
  ...openAICompatible(dialect),
  embeddings: aliEmbeddings(dialect),
  images: aliImages(dialect),
  rerank: aliRerank(dialect),
};
