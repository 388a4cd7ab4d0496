import { asFields, asFieldsList, asList, someNumber, type Fields } from '../../neutral/fields.js';
import type { OneShotRequest } from '../../contract.js';
import type { Target } from '../../target.js';
import type { UsageDetails } from '../../../shared/usage.js';
import { toCount } from '../../languages/openai/usage.js';
import type { OneShotRules } from './one-shot.js';

/**
 * Removes a `top_n` of 0, which some programs send as a default and no provider accepts
 * (docs/reference/providers/own-protocols.md#jina).
 */
function withoutEmptyLimit(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { top_n: limit, ...rest } = body;
  return limit ? { ...rest, top_n: limit } : rest;
}

/**
 * Results with index and score, and usage, in one shape for all providers
 * (docs/reference/providers/openai-family.md#responses-to-chat-calls).
 */
function toRerank(answer: Fields, request: OneShotRequest, target: Target): Record<string, unknown> {
  const documents = asList(request.body['documents']);
  const shows = request.body['return_documents'] === true;
  const usage = rerankUsage(answer);
  return {
    ...(answer['id'] === undefined ? {} : { id: answer['id'] }),
    model: target.requestedModel,
    results: asFieldsList(answer['results']).map((result) => {
      const index = someNumber(result['index']) ?? 0;
      const document = result['document'] ?? (shows ? documents[index] : undefined);
      return {
        index,
        relevance_score: result['relevance_score'],
        // SDKs of Cohere and Jina read an object.
        ...(document === undefined || document === null ? {} : { document: asFields(document) ?? { text: document } }),
      };
    }),
    ...(usage ? { usage } : {}),
  };
}

/**
 * Usage from `usage`, `meta.tokens` or `meta.billed_units`.
 * @returns null when the response reports no tokens
 */
function rerankUsage(answer: Fields): Record<string, number> | null {
  const meta = asFields(answer['meta']);
  const reported = [asFields(answer['usage']), asFields(meta?.['tokens']), asFields(meta?.['billed_units'])];
  for (const usage of reported) {
    const input = toCount(usage?.['input_tokens']) || toCount(usage?.['prompt_tokens']);
    const output = toCount(usage?.['output_tokens']) || toCount(usage?.['completion_tokens']);
    const total = toCount(usage?.['total_tokens']) || input + output;
    // A lone total consists of input tokens: reranking produces no output.
    if (total > 0) return { prompt_tokens: input || total, completion_tokens: output, total_tokens: total };
  }
  return null;
}

/** Cohere bills a query with up to 100 documents as one unit; long documents count several times. */
function billedUnits(answer: Fields): UsageDetails | undefined {
  const requests = toCount(asFields(asFields(answer['meta'])?.['billed_units'])?.['search_units']);
  return requests > 0 ? { requests } : undefined;
}

export const rerankRules = {
  content: 'results',
  body: withoutEmptyLimit,
  answer: toRerank,
  details: billedUnits,
} satisfies OneShotRules;
